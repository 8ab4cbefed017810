"""Games played in a real browser against a real process: whole ones, and what may happen in their middle."""

import pytest

from judge.games import GAMES
from judge.play.recheck import disagreements, new_position
from protocol.records.record import Termination
from tests.judge.helpers.chinese import HAN
from tests.judge.pages.helpers.browser import PHONE
from tests.judge.server.pages.helpers.site import (
    await_plies,
    await_turn,
    begin,
    click,
    drop,
    is_over,
    moves,
    plies,
    point_at,
)

# Small boards: one of 4 x 4 in reversi, of 2 x 2 boxes in dots.
BOARDS = {
    "connect_four": {"rows": "9", "columns": "9", "forbidden cell": "0,8"},
    "reversi": {"size": "4"},
    "dots": {"size": "2x2"},
}
LONGEST = 8  # steps along a side of these boards
NARROW = "document.documentElement.scrollWidth <= innerWidth"


def board_of(tab, record):
    """The position that the page shows, as judge/games/cells.py writes it."""
    found = tab.eval_on_selector_all(".board [data-code]", "all => all.map((each) => each.dataset.code)")
    size = GAMES[record.game].cells.size(new_position(record))
    if record.game == "dots":  # boxes come first on the page
        boxes = size[0] * size[1]
        found = found[boxes:] + found[:boxes]
    return "".join(found)


@pytest.mark.parametrize("game", BOARDS)
@pytest.mark.parametrize("first", ["human", "player"])
def test_a_whole_game_by_clicks(served, tabs, game, first):
    tab = tabs()
    begin(tab, game, first=first, **BOARDS[game])
    assert plies(tab) == (0 if first == "human" else len(moves(tab)))
    while not is_over(tab):
        choices = tab.locator(".board .allowed").count()
        click(tab, choices // 2)
    (record,) = served.recorded()
    assert record.termination is Termination.NORMAL
    assert disagreements(record) == []
    assert [str(move.move) for move in record.moves] == moves(tab)
    assert record.first == ("A" if first == "human" else "B")
    assert record.players[1].name == f"first-{game}"
    position = new_position(record)
    for move in record.moves:
        position.play(move.move)
    assert board_of(tab, record) == GAMES[game].cells.codes(position)
    shown = tab.locator(".result .reason").inner_text()
    assert f"after {len(record.moves)} plies" in shown
    tab.get_by_text("Look at the game in its record").click()
    tab.wait_for_url("**/records/serve.jsonl#g1*")
    tab.locator(".outcome .reason").wait_for()
    assert tab.locator(".outcome .reason").inner_text() == shown
    assert board_of(tab, record) == GAMES[game].cells.codes(position)


def test_undo_and_hint_and_reload(served, tabs):
    tab = tabs()
    begin(tab, "connect_four", **BOARDS["connect_four"])
    drop(tab, 4)
    drop(tab, 4)
    assert moves(tab) == ["4", "0", "4", "0"]
    tab.get_by_role("button", name="take your last move").click()
    await_plies(tab, 2)
    assert moves(tab) == ["4", "0"]
    tab.get_by_role("button", name="what the player would do").click()
    ghost = tab.locator(".board .ghost")
    ghost.wait_for()
    assert ghost.evaluate("ghost => ghost.closest('.cell').dataset.col") == "0"
    assert "first-connect_four would play 0." in tab.locator(".thought").inner_text()
    address = tab.url
    tab.reload()
    await_turn(tab)
    assert tab.url == address
    assert moves(tab) == ["4", "0"]
    assert tab.locator(".board .cell.taken").count() == 2
    drop(tab, 3)
    assert moves(tab)[:3] == ["4", "0", "3"]
    tab.get_by_role("button", name="take your last move").click()
    await_plies(tab, 2)
    tab.get_by_role("button", name="take your last move").click()
    await_plies(tab, 0)
    assert tab.get_by_role("button", name="take your last move").is_disabled()


def test_resigning_is_asked_once_more(served, tabs):
    tab = tabs()
    begin(tab, "connect_four", **BOARDS["connect_four"])
    drop(tab, 4)
    tab.get_by_role("button", name="Resign", exact=True).click()
    tab.get_by_role("button", name="No, go on").click()
    assert tab.get_by_role("button", name="Resign", exact=True).count() == 1
    assert not is_over(tab)
    tab.get_by_role("button", name="Resign", exact=True).click()
    tab.get_by_role("button", name="Yes, resign").click()
    tab.locator(".result .outcome").wait_for()
    (record,) = served.recorded()
    assert (record.winner, record.termination) == ("B", Termination.RESIGNATION)
    assert "B (first-connect_four) wins after 2 plies" in tab.locator(".reason").inner_text()
    tab.reload()
    tab.locator(".result .outcome").wait_for()
    assert "Look at the game in its record" in tab.locator(".result").inner_text()


def test_a_player_that_thinks_can_be_resigned_to(served, tabs):
    tab = tabs()
    begin(tab, "connect_four", player="slow", **BOARDS["connect_four"])
    await_turn(tab)
    point_at(tab.locator(".board [data-row='0'][data-col='4']"))
    tab.locator(".doing").get_by_text("slow-connect_four is thinking:").wait_for()
    assert tab.locator(".player.to-move .who").inner_text() == "slow-connect_four"
    tab.get_by_role("button", name="Resign", exact=True).click()
    tab.get_by_role("button", name="Yes, resign").click()
    tab.locator(".result .outcome").wait_for()
    assert [str(move.move) for move in served.recorded()[0].moves] == ["4"]


def test_two_tabs_do_not_mix_games(served, tabs):
    one, other = tabs(), tabs()
    begin(one, "connect_four", **BOARDS["connect_four"])
    begin(other, "reversi", **BOARDS["reversi"])
    drop(one, 7)
    click(other, 0)
    drop(one, 7)
    third = tabs(one.url.removeprefix(served.address))
    await_turn(third)
    assert moves(one) == moves(third) == ["7", "0", "7", "0"]
    assert len(moves(other)) >= 2 and set(moves(other)).isdisjoint(moves(one))
    drop(third, 6)  # two tabs with one game show the same
    await_plies(one, plies(third))
    assert moves(one) == moves(third)
    assert one.locator(".board .holes").count() == other.locator(".board .squares").count() == 1
    other.get_by_role("button", name="Resign", exact=True).click()
    other.get_by_role("button", name="Yes, resign").click()
    other.locator(".result .outcome").wait_for()
    assert not is_over(one)
    (record,) = served.recorded()
    assert record.game == "reversi"


def walk_to_a_choice(tab):
    """By arrow keys to a corner, and from there row by row until a place that can be taken has the focus."""
    for key in ["ArrowUp"] * LONGEST + ["ArrowLeft"] * LONGEST:
        tab.keyboard.press(key)
    for key in (["ArrowRight"] * LONGEST + ["ArrowDown"] + ["ArrowLeft"] * LONGEST + ["ArrowDown"]) * LONGEST:
        if tab.evaluate("document.activeElement.classList.contains('allowed')"):
            return
        tab.keyboard.press(key)


@pytest.mark.parametrize("game", BOARDS)
def test_a_game_by_keys_alone(served, tabs, game):
    tab = tabs()
    begin(tab, game, **BOARDS[game])
    assert tab.locator(".board svg").get_attribute("role") == "grid"
    for _ in range(2):
        before = plies(tab)
        tab.locator(".board [tabindex='0']").focus()
        walk_to_a_choice(tab)
        assert "can be taken" in tab.evaluate("document.activeElement.getAttribute('aria-label')")
        tab.keyboard.press("Enter")
        tab.wait_for_function(
            "number => document.querySelectorAll('.moves li').length > number", arg=before, timeout=60_000
        )
        await_turn(tab)


def test_a_place_that_may_not_be_taken_is_refused_in_words(served, tabs):
    tab = tabs()
    begin(tab, "reversi", **BOARDS["reversi"])
    point_at(tab.locator(".board [data-row='0'][data-col='0']"))
    tab.get_by_text("a1 is no legal move.").wait_for()
    assert plies(tab) == 0


def test_values_of_ones_own_moves(served, tabs):
    tab = tabs()
    begin(tab, "reversi", **BOARDS["reversi"])
    tab.get_by_role("button", name="what each of your moves is worth").click()
    tab.locator(".board .value").first.wait_for(timeout=120_000)
    assert tab.locator(".board .value").count() == 4
    assert tab.locator(".board .value.best").count() == 1
    assert "best: " in tab.locator(".thought").inner_text()
    label = tab.locator(".board .allowed").first.get_attribute("aria-label")
    assert "value " in label
    click(tab, 0)
    tab.locator(".board .value").first.wait_for(timeout=120_000)  # of the next position, too
    tab.get_by_role("button", name="what each of your moves is worth").click()
    tab.locator(".board .value").first.wait_for(state="detached")


def test_a_game_in_chinese(served, tabs):
    tab = tabs()
    begin(tab, "dots", **BOARDS["dots"])
    click(tab)
    tab.get_by_label("language").select_option("zh")
    tab.get_by_role("button", name="认输").wait_for()
    text = tab.locator(".game").inner_text()
    assert "轮到你下" in text and "悔棋" in text
    tab.goto(served.address + "/")
    tab.get_by_role("heading", name="新的一局").wait_for()
    assert "点格棋，对阵 first-dots" in tab.locator(".tables").inner_text()
    tab.get_by_label("语言").select_option("en")
    tab.get_by_role("heading", name="A new game").wait_for()
    assert not HAN.search(tab.locator(".new-game").inner_text())


def test_nothing_is_wider_than_a_phone(served, tabs):
    tab = tabs(size=PHONE)
    assert tab.evaluate(NARROW)
    begin(tab, "connect_four", **{**BOARDS["connect_four"], "columns": "12"})
    drop(tab, 5)
    tab.get_by_role("button", name="Resign", exact=True).click()
    assert tab.evaluate(NARROW)
    cells = tab.eval_on_selector_all(".board .cell", "all => all.map((cell) => cell.getBoundingClientRect().width)")
    assert min(cells) > 20  # pixels; any cell of a column will do
