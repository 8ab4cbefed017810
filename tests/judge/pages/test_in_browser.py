"""Pages in a real browser: what stands on the board and in the charts, and where keys, clicks and links lead."""

import dataclasses

import pytest

from protocol.records.record import Termination
from tests.judge.helpers.chinese import HAN, in_chinese
from tests.judge.helpers.random_games import LARGEST
from tests.judge.helpers.scripted import GAMES
from tests.judge.pages.helpers import samples
from tests.judge.pages.helpers.browser import PHONE, at_ply, ply_of

CELLS = """() => Object.fromEntries([...document.querySelectorAll('.board .cell')].map(
    (cell) => [`${cell.dataset.row} ${cell.dataset.col}`, cell.dataset.code]))"""
EDGES = """() => Object.fromEntries([...document.querySelectorAll('.board .edge')].map(
    (edge) => [edge.dataset.edge, edge.dataset.code]))"""
NARROW = "document.documentElement.scrollWidth <= innerWidth"


def owners(record, position):
    """{"row column": character} of the cells as a page has them, and {edge: character} in dots and boxes."""
    text = samples.codes(record, position)
    edges = getattr(position, "_edges", [])
    columns = getattr(position, "columns", None) or getattr(position, "cols", None) or position.size
    boxes = enumerate(text[len(edges) :])
    cells = {f"{number // columns} {number % columns}": code for number, code in boxes}
    return cells, dict(zip(edges, text, strict=False))


@pytest.mark.parametrize("game", GAMES)
def test_every_position_of_a_game_is_the_judges(pages, game):
    record = samples.game_of(game)
    tab = pages.open([record])
    assert ply_of(tab) == len(record.moves)  # the board stands when the page opens
    tab.keyboard.press("Home")
    for ply, position in samples.positions(record):
        assert ply_of(tab) == ply
        cells, edges = owners(record, position)
        assert tab.evaluate(CELLS) == cells
        assert tab.evaluate(EDGES) == edges
        if hasattr(position, "counts"):
            assert tuple(map(int, tab.locator(".player .count").all_inner_texts())) == position.counts
        tab.keyboard.press("ArrowRight")
    assert tab.locator(".move").inner_text().startswith(f"ply {len(record.moves)}: {record.moves[-1].side} plays")


@pytest.mark.parametrize("game", GAMES)
def test_the_charts_have_every_ply(pages, game):
    record = samples.game_of(game)
    tab = pages.open([record], "#g1m5")
    plies = len(record.moves)
    stated = [move for move in record.moves if "guard" not in move.report]
    points = tab.eval_on_selector_all(".charts .curve", "paths => paths.map((path) => Number(path.dataset.points))")
    assert sum(points) == len(stated)
    assert tab.locator(".charts .bar").count() == plies
    assert tab.locator(".charts .guard").count() == plies // 7
    assert tab.locator(".charts .swing").count() > 0
    assert tab.locator(".charts .cursor").get_attribute("data-ply") == "5"
    tab.locator(".charts .bar[data-ply='9']").click()
    assert ply_of(tab) == 9
    swing = tab.locator(".charts .swing").first
    swing.click()
    assert ply_of(tab) == int(swing.get_attribute("data-ply"))


def test_a_move_that_was_late_and_the_guards_has_both_signs(pages):
    record = samples.game_of("connect_four")
    late = [dataclasses.replace(record.moves[ply - 1], wall_s=3.2) for ply in (7, 8)]  # every seventh is the guard's
    tab = pages.open([dataclasses.replace(record, moves=(*record.moves[:6], *late, *record.moves[8:]))])
    signs = "all => all.map((one) => [one.dataset.ply, one.firstChild.textContent])"
    found = tab.eval_on_selector_all(".charts .late, .charts .guard", signs)
    assert [sign for ply, sign in found if ply == "7"] == ["!", "◆"]
    assert [sign for ply, sign in found if ply == "8"] == ["!"]
    boxes = [tab.locator(f".charts .{name}[data-ply='7']").bounding_box() for name in ("late", "guard")]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"] + 1


def test_what_a_bot_said_of_its_move_is_told_in_order(pages):
    record = samples.game_of("connect_four")
    report = {"extra": 7, "pv": [3, 4], "proven": "win", "iterations": 12_000, "depth": 21, "value": 0.25}
    told = dataclasses.replace(record.moves[2], report=report)
    tab = pages.open([dataclasses.replace(record, moves=(*record.moves[:2], told, *record.moves[3:]))], "#g1m3")
    names = tab.locator(".report dt").all_inner_texts()
    texts = dict(zip(names, tab.locator(".report dd").all_inner_texts(), strict=True))
    assert [name for name in names if name in ("value", "proven", "depth", "iterations", "expects", "also")] == names
    assert (texts["value"], texts["proven"], texts["depth"]) == ("0.2500", "win", "21")
    assert "".join(filter(str.isdigit, texts["iterations"])) == "12000"
    assert (texts["expects"], texts["also"]) == ("3 4", "extra 7")


def test_keys_buttons_and_clicks_lead_through_a_game(pages):
    record = samples.game_of("connect_four")
    plies = len(record.moves)
    tab = pages.open([record, samples.game_of("reversi")], "#g1m0")
    for key, ply in (("ArrowRight", 1), ("End", plies), ("ArrowLeft", plies - 1), ("Home", 0), ("ArrowLeft", 0)):
        tab.keyboard.press(key)
        assert ply_of(tab) == ply
    tab.get_by_role("button", name="last position").click()
    assert ply_of(tab) == plies
    tab.keyboard.press("m")
    tab.keyboard.type("4")
    tab.keyboard.press("Enter")
    assert ply_of(tab) == 4
    assert tab.evaluate("location.hash") == "#g1m4"
    tab.locator(".board .cell.taken.last").click()
    assert ply_of(tab) == 4
    tab.locator(".moves button[data-ply='6']").click()
    assert ply_of(tab) == 6
    tab.locator("body").click(position={"x": 2, "y": 2})
    tab.keyboard.press(" ")
    at_ply(tab, 7)
    tab.keyboard.press(" ")
    assert tab.get_by_role("button", name="play", exact=True).count() == 1
    tab.keyboard.press("n")
    tab.wait_for_selector(".game[data-game='reversi']")
    assert tab.evaluate("location.hash") == f"#g2m{ply_of(tab)}"


def test_a_link_leads_to_one_position_of_one_game(pages):
    records = [samples.game_of("connect_four", seed=seed) for seed in range(1, 41)]
    tab = pages.open(records, "#g33m7")
    assert ply_of(tab) == 7
    assert "Game 33 of 40" in tab.locator(".heading").inner_text()
    assert tab.get_by_text("link to this position").get_attribute("href") == "#g33m7"
    tab.evaluate("() => { location.hash = '#g2m3'; }")
    tab.get_by_text("Game 2 of 40").wait_for()
    assert ply_of(tab) == 3
    wrong = pages.open(records, "#g99999m99999")
    assert "Game 40 of 40" in wrong.locator(".heading").inner_text()
    assert ply_of(wrong) == len(records[-1].moves)
    assert "Game 1 of 40" in pages.open(records, "#<script>").locator(".heading").inner_text()


def test_a_board_can_be_read_out(pages):
    record = samples.game_of("connect_four")
    tab = pages.open([record], "#g1m3")
    assert tab.locator(".board svg[role='table'] g[role='row']").count() == 9
    assert tab.locator(".board g[role='cell']").count() == 90
    assert tab.locator(".board .last").get_attribute("aria-label").endswith(": A one, move 3, last move")
    assert tab.locator("[data-row='3'][data-col='4']").get_attribute("aria-label") == "column 4 (row 3): forbidden"
    assert tab.locator("[aria-live='polite']").inner_text().startswith("ply 3: A plays column")
    unnamed = "all => all.filter((each) => !each.getAttribute('aria-label') && !each.textContent.trim()).length"
    assert tab.eval_on_selector_all("button", unnamed) == 0


def test_the_line_that_won_and_the_last_move_are_marked_by_shapes(pages):
    record = samples.game_of("connect_four")
    *_, (_, position) = samples.positions(record)
    tab = pages.open([record])
    won = tab.eval_on_selector_all(
        ".board .won", "all => all.map((g) => [Number(g.dataset.row), Number(g.dataset.col)])"
    )
    assert {tuple(cell) for cell in won} == position.winning_cells()
    assert tab.locator(".board .star").count() == len(won)
    assert tab.locator(".board .last .mark").count() == 1
    assert tab.locator(".board .p1 rect.stone").count() > 0 and tab.locator(".board .p0 circle.stone").count() > 0


def test_a_page_is_in_the_judges_language_and_switches(pages):
    record = samples.forfeited(samples.game_of("connect_four"))
    tab = pages.open([record])
    assert not HAN.search(tab.locator(".game").inner_text())
    tab.get_by_label("language").select_option("zh")
    assert tab.evaluate("document.documentElement.lang") == "zh"
    assert "第 8 手" in tab.locator(".move").inner_text()
    assert "崩溃" in tab.locator(".reason").inner_text()
    with in_chinese():
        chinese = pages.open([record])
    assert "崩溃" in chinese.locator(".reason").inner_text()
    chinese.get_by_label("语言").select_option("en")
    assert not HAN.search(chinese.locator(".game").inner_text())


def test_colours_are_the_systems_until_the_reader_chooses(pages):
    background = "getComputedStyle(document.body).backgroundColor"
    record = samples.game_of("dots")
    light = pages.open([record], color_scheme="light")
    dark = pages.open([record], color_scheme="dark")
    colours = light.evaluate(background), dark.evaluate(background)
    assert colours[0] != colours[1]
    light.get_by_label("colours").select_option("dark")
    dark.get_by_label("colours").select_option("light")
    assert (dark.evaluate(background), light.evaluate(background)) == colours
    dark.get_by_label("colours").select_option("")
    assert dark.evaluate(background) == colours[1]


def test_a_game_that_breaks_the_rules_or_has_none_says_so(pages):
    record = samples.game_of("connect_four")
    illegal = dataclasses.replace(record.moves[4], move=77)
    broken = dataclasses.replace(record, moves=(*record.moves[:4], illegal))
    unknown = dataclasses.replace(record, game="chess", board={"fen": 1})
    empty = dataclasses.replace(record, moves=(), winner=None, termination=Termination.VOID)
    tab = pages.open([broken, unknown, empty])
    assert ply_of(tab) == 4
    assert "ply 5 cannot be shown: column 77 is off the board" in tab.locator(".outcome").inner_text()
    assert "NOT what the rules say" in tab.locator(".outcome").inner_text()
    tab.keyboard.press("n")
    tab.wait_for_selector(".board .refusal")
    assert "cannot be shown" in tab.locator(".board").inner_text()
    tab.keyboard.press("n")
    tab.get_by_text("Game 3 of 3").wait_for()
    assert "VOID" in tab.locator(".reason").inner_text()


@pytest.mark.parametrize("game", GAMES)
def test_nothing_is_wider_than_a_phone(pages, game):
    name = "a-very-long-name-" * 6
    records = [samples.between(samples.game_of(game, seed=seed, board=LARGEST[game]), name, "b") for seed in (1, 2)]
    tab = pages.open(records, size=PHONE)
    assert tab.evaluate(NARROW)
    cells = tab.eval_on_selector_all(".board .cell", "all => all.map((cell) => cell.getBoundingClientRect().width)")
    assert min(cells) > 12  # pixels: a finger's tip, or nearly
    tab.get_by_role("button", name="Statistics").click()
    assert tab.evaluate(NARROW)
