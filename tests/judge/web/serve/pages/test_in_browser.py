"""The application's pages in a real browser, each once: one server, whose players answer at once, for all of them."""

import contextlib
import functools
import http.server
import itertools
import signal
import threading
import time

import pytest
from msgspec import structs

from judge.games import GAMES as RULES
from judge.play.recheck import disagreements, new_position
from judge.reports.match import strength_in_words
from judge.statistics.sprt import SPRT_KEY, Hypotheses, SequentialTest, as_json
from judge.web.record_data import Rows, Source, game_json
from protocol.records.record import Termination, append_records, read_records
from tests.contracts.games import GAMES
from tests.judge.helpers.logged_files import CAPTURED
from tests.judge.helpers.scripted import PATIENCE_S, wait_until
from tests.judge.web.serve.helpers.live_run import LiveRun
from tests.judge.web.serve.helpers.watching import record_of, with_id
from tests.judge.web.serve.pages.helpers.site import (
    PATIENCE_MS,
    POLL_MS,
    Site,
    allow,
    answered,
    await_plies,
    await_turn,
    begin,
    click,
    drop,
    is_over,
    moves,
    playing_match,
    plies,
    point_at,
    resign,
    without_noise,
)
from tests.judge.web.view.helpers import samples
from tests.judge.web.view.helpers.browser import NARROW, PHONE, ply_of

SMALL = {
    "connect_four": {"rows": 9, "cols": 9, "forbidden": "0,8"},
    "reversi": {"size": 4},
    "dots": {"size": "2x2"},
}
LONGEST = 5  # steps along a side of the boards of reversi and dots
ROWS = "number => document.querySelectorAll('.games tbody tr').length >= number"
STONES = "number => document.querySelectorAll('.live-game .cell.taken').length === number"
PARTS = "/assets/serve/parts"
# The smallest size in pixels in which texts of a drawing stand on the screen.
SMALLEST = """(selector) => Math.min(...[...document.querySelectorAll(selector)].map(
    (text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a))"""
slow = pytest.mark.slow


def codes_of(tab, record):
    """The position that the page shows, as judge/games/game.py writes it."""
    found = tab.eval_on_selector_all(".board [data-code]", "all => all.map((each) => each.dataset.code)")
    size = RULES[record.game].cells.size(new_position(record))
    if record.game == "dots":  # boxes come first on the page
        boxes = size[0] * size[1]
        found = found[boxes:] + found[:boxes]
    return "".join(found)


def codes_at_end(record):
    *_, (_, position) = samples.positions(record)
    return samples.codes(record, position)


def fact(tab, name):
    return tab.locator(f"[data-fact='{name}'] dd").inner_text()


def test_a_game_from_the_first_page_to_its_record(served, tabs):
    tab = tabs()
    begin(tab, "connect_four", **{"rows": "9", "columns": "9", "forbidden cell": "0,8"})
    drop(tab, 4)
    drop(tab, 4)
    assert moves(tab) == ["4", "0", "4", "0"]
    tab.get_by_role("button", name="take back your last move").click()
    await_plies(tab, 2)
    tab.get_by_role("button", name="what your opponent would play").click()
    ghost = tab.locator(".board .ghost")
    ghost.wait_for()
    assert ghost.evaluate("ghost => ghost.closest('.cell').dataset.col") == "0"
    assert "first-connect_four would play 0 in your place." in tab.locator(".thought").inner_text()
    address = tab.url
    tab.reload()
    await_turn(tab)
    assert (tab.url, moves(tab)) == (address, ["4", "0"])
    assert tab.locator(".board .cell.taken").count() == 2
    tab.get_by_label("language").select_option("zh")
    tab.get_by_role("button", name="认输").wait_for()
    text = tab.locator(".game").inner_text()
    assert "轮到你下" in text and "悔棋" in text
    tab.get_by_label("语言").select_option("en")
    for _ in range(3):
        assert not is_over(tab)
        drop(tab, 4)
    assert is_over(tab)
    record = served.latest()
    assert record.termination is Termination.NORMAL and disagreements(record) == []
    assert (record.first, record.winner, record.players[1].name) == ("A", "A", "first-connect_four")
    assert [str(move.move) for move in record.moves] == moves(tab) == ["4", "0", "4", "0", "4", "0", "4"]
    assert codes_of(tab, record) == codes_at_end(record)
    shown = tab.locator(".result .reason").inner_text()
    assert shown.startswith("The game ended after 7 plies: ")
    assert tab.locator(".result .verdict").inner_text() == "You won"
    assert tab.title() == "You won · Against first-connect_four · dropfour"
    tab.get_by_text("Look at this game in its record file").click()
    tab.wait_for_url("**/records/serve.jsonl#g*")
    tab.locator(".outcome .reason").wait_for()
    assert tab.locator(".outcome .reason").inner_text() == shown.replace("The game ended", "A (human) wins")
    assert codes_of(tab, record) == codes_at_end(record)


def test_the_form_offers_our_bot_at_levels_and_with_the_presets_of_the_game(tabs):
    tab = tabs()
    against = tab.locator(".new-game form").get_by_label("opponent").first
    texts = against.locator("option").all_inner_texts()
    assert "bot at level easy (30 iterations per move)" in texts and "bot at full strength" in texts
    assert "bot:mcts" in texts and "bot:amaf" not in texts
    against.select_option("bot:mcts")
    tab.get_by_label("which game").select_option("dots")
    assert "bot:amaf" in against.locator("option").all_inner_texts()
    assert against.input_value() == "broken"  # mcts is no preset of this game: the first that is offered
    against.select_option(label="bot at level easy (30 iterations per move)")
    tab.locator(".new-game").get_by_role("button", name="Play").click()
    tab.get_by_role("heading", name="Against bot at level easy").wait_for()
    assert tab.locator(".player .who").all_inner_texts() == ["you", "bot at level easy"]


def test_a_bot_by_its_path_and_what_is_wrong_with_it(tabs, watched):
    tab = tabs()
    form = tab.locator(".new-game form")
    against, path = form.get_by_label("opponent").first, form.get_by_label("path of the bot", exact=True)
    assert not path.is_visible()
    against.select_option(label="another bot, given by its path")
    path.fill("../players.toml")
    form.get_by_role("button", name="Play").click()
    tab.get_by_text(
        "'../players.toml' is neither a player in the list nor a path in the folders of --bots (bots)"
    ).wait_for()
    path.fill("src:broken")
    form.get_by_role("button", name="Play").click()
    tab.wait_for_url("**/play/*")
    told = tab.locator(".notice.trouble")
    told.get_by_text("your opponent cannot be started: ").wait_for()
    assert "nonsense" in told.inner_text() and "\n" in told.inner_text()
    without_noise(watched)  # of the answer 422


def walk_to_a_choice(tab):
    """By arrow keys to a corner, and from there row by row until a place that can be taken has the focus."""
    for key in ["ArrowUp"] * LONGEST + ["ArrowLeft"] * LONGEST:
        tab.keyboard.press(key)
    for key in (["ArrowRight"] * LONGEST + ["ArrowDown"] + ["ArrowLeft"] * LONGEST + ["ArrowDown"]) * LONGEST:
        if tab.evaluate("document.activeElement.classList.contains('allowed')"):
            return
        tab.keyboard.press(key)


@pytest.mark.parametrize("game", ["reversi", "dots"])
def test_a_game_by_keys_and_clicks_that_is_resigned(served, tabs, game):
    tab = tabs(served.table(game, first="player", **SMALL[game]))
    await_turn(tab)
    assert plies(tab) > 0
    assert tab.locator(".board svg").get_attribute("role") == "grid"
    assert tab.evaluate("document.activeElement === document.body")
    assert "Keys that you can use: arrow keys and Enter" in tab.locator(".help").inner_text()
    tab.keyboard.press("4")  # no column makes a move here
    walk_to_a_choice(tab)
    assert "can be taken" in tab.evaluate("document.activeElement.getAttribute('aria-label')")
    answered(tab, lambda: tab.keyboard.press("Enter"))
    click(tab, tab.locator(".board .allowed").count() // 2)
    resign(tab)
    record = served.latest()
    assert (record.game, record.first, record.winner) == (game, "B", "B")
    assert record.termination is Termination.RESIGNATION and disagreements(record) == []
    assert [str(move.move) for move in record.moves] == moves(tab)
    assert codes_of(tab, record) == codes_at_end(record)
    assert f"after {len(record.moves)} plies: RESIGNATION: " in tab.locator(".reason").inner_text()
    assert tab.title() == f"You lost · Against first-{game} · dropfour"
    tab.reload()
    tab.locator(".result .outcome").wait_for()


def test_keys_of_columns_need_no_focus(served, tabs):
    tab = tabs(served.table("connect_four", rows=9, cols=12, forbidden="0,8"))
    await_turn(tab)
    keys = (
        "0 to 9 drop a stone in the column with this number, a drops a stone in column 10, b drops a stone in column 11"
    )
    assert keys in tab.locator(".help").inner_text()
    for key in ("5", "b", "a"):
        answered(tab, lambda key=key: tab.keyboard.press(key))
    assert moves(tab)[::2] == ["5", "11", "10"]
    tab.get_by_label("language").focus()
    tab.keyboard.press("9")  # is the list's
    tab.get_by_role("button", name="take back your last move").click()
    await_plies(tab, 4)
    answered(tab, lambda: tab.keyboard.press("9"))  # the button that has the focus is no field
    assert moves(tab)[::2] == ["5", "11", "9"]
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate("document.activeElement.getAttribute('role')") == "gridcell"
    narrow = tabs(served.table("connect_four", **SMALL["connect_four"]))
    await_turn(narrow)
    assert "0 to 8 drop a stone in the column with this number, arrow keys" in narrow.locator(".help").inner_text()
    narrow.keyboard.press("9")
    narrow.keyboard.press("a")
    answered(narrow, lambda: narrow.keyboard.press("8"))
    assert moves(narrow) == ["8", "0"]


@slow
@pytest.mark.parametrize("game", SMALL)
@pytest.mark.parametrize("first", ["human", "player"])
def test_a_whole_game_by_clicks(served, tabs, game, first):
    tab = tabs(served.table(game, first=first, **SMALL[game]))
    await_turn(tab)
    while not is_over(tab):
        click(tab, tab.locator(".board .allowed").count() // 2)
    record = served.latest()
    assert record.termination is Termination.NORMAL and disagreements(record) == []
    assert [str(move.move) for move in record.moves] == moves(tab)
    assert codes_of(tab, record) == codes_at_end(record)


def test_a_player_that_thinks_can_be_resigned_to(served, tabs):
    tab = tabs(served.table("connect_four", player="slow", **SMALL["connect_four"]))
    await_turn(tab)
    point_at(tab.locator(".board [data-row='0'][data-col='4']"))
    tab.locator(".doing").get_by_text("slow-connect_four is thinking:").wait_for()
    assert tab.locator(".player.to-move .who").inner_text() == "slow-connect_four"
    resign(tab)
    assert [str(move.move) for move in served.latest().moves] == ["4"]


@pytest.mark.parametrize("wished, language", [("zh-Hans-CN", "zh"), ("fr-FR", "en"), ("zh-TW", "zh")])
def test_the_page_speaks_the_browsers_language_until_another_is_chosen(served, browser, wished, language):
    with contextlib.closing(browser.new_context(locale=wished)) as context:
        page = context.new_page()
        page.goto(served.address)
        page.wait_for_selector("html[data-ready]", state="attached")
        assert page.evaluate("document.documentElement.lang") == language
        other = {"en": "zh", "zh": "en"}[language]
        page.locator(".tools select").first.select_option(other)
        page.reload()
        page.wait_for_selector("html[data-ready]", state="attached")
        assert page.evaluate("document.documentElement.lang") == other


def test_refused_places_and_values_of_ones_own_moves(served, tabs):
    tab = tabs(served.table("reversi", **SMALL["reversi"]))
    await_turn(tab)
    point_at(tab.locator(".board [data-row='0'][data-col='0']"))
    tab.get_by_text("a1 is not a legal move: choose a marked place.").wait_for()
    assert plies(tab) == 0
    tab.get_by_role("button", name="what each of your moves is worth").click()
    tab.locator(".board .value").first.wait_for()
    assert tab.locator(".board .value").count() == 4
    assert tab.locator(".board .value.best").count() == 1
    assert "best move: " in tab.locator(".thought").inner_text()
    assert "value " in tab.locator(".board .allowed").first.get_attribute("aria-label")
    tab.get_by_role("button", name="what each of your moves is worth").click()
    tab.locator(".board .value").first.wait_for(state="detached")


def test_nothing_is_wider_than_a_phone(served, tabs):
    tab = tabs(size=PHONE)
    assert tab.evaluate(NARROW)
    tab.goto(served.address + served.table("connect_four", cols=12))
    await_turn(tab)
    tab.get_by_role("button", name="Resign", exact=True).click()
    assert tab.evaluate(NARROW)
    cells = tab.eval_on_selector_all(".board .cell", "all => all.map((cell) => cell.getBoundingClientRect().width)")
    assert min(cells) > 20  # pixels; any cell of a column will do
    record = record_of("dots")
    with LiveRun(served.records / "phone.jsonl") as run:
        run.begin("g1", record)
        run.move("g1", record.moves[0])
        tab.goto(f"{served.address}/watch/phone.jsonl")
        tab.locator(".live-game .move").wait_for()
        assert tab.evaluate(NARROW)
    tab.goto(f"{served.address}/position")
    tab.locator(".board").wait_for()
    assert tab.evaluate(NARROW)


# The board's width and height, and where it ends.
BOARDS_MEASURES = """() => {
    const board = document.querySelector(".board svg").getBoundingClientRect();
    return [board.width, board.height, board.bottom];
}"""


@pytest.mark.parametrize("width, height", [(1280, 800), (390, 844)])
def test_the_board_is_the_largest_thing_and_its_numbers_can_be_read(served, tabs, width, height):
    tab = tabs(served.table("connect_four", rows=12, cols=12, forbidden="0,8"), size=(width, height))
    await_turn(tab)
    name = f"measured-{width}.jsonl"
    with LiveRun(served.records / name) as run:
        for number in range(2):
            record = record_of("connect_four", f"g{number}", number)
            run.begin(f"g{number}", record, number)
            run.move(f"g{number}", record.moves[0])
        for address in (tab.url, f"{served.address}/position", f"{served.address}/watch/{name}"):
            tab.goto(address)
            tab.locator(".board .name").first.wait_for()
            assert tab.evaluate(SMALLEST, ".board .name") >= 12, address
            wide, high, bottom = tab.evaluate(BOARDS_MEASURES)
            if width > height:
                assert high > 0.55 * height and bottom <= height, address
                if "/watch/" not in address:
                    assert tab.evaluate("document.documentElement.scrollHeight <= innerHeight"), address
            else:
                assert wide > 0.85 * width, address


def hostile(game_id, index):
    record = samples.hostile(samples.game_of("connect_four"))
    return structs.replace(record, extra={**record.extra, "id": game_id, "index": index})


def test_a_run_is_watched_from_before_its_beginning_until_after_its_end(served, tabs, watched):
    early = tabs("/watch/match.jsonl")
    early.get_by_text("This record file does not exist now, and the page looks for it again.").wait_for()
    games = [with_id(samples.game_of("connect_four", seed=seed), f"g{seed}", seed) for seed in range(4)]
    with LiveRun(served.records / "match.jsonl") as run:
        run.begin("g0", games[0])
        for move in games[0].moves[:4]:
            run.move("g0", move)
        early.wait_for_function(STONES, arg=4, polling=POLL_MS)
        assert early.locator(".trouble").count() == 0
        tab = tabs()
        tab.get_by_role("link", name="watch the running games").click()
        tab.wait_for_url("**/watch/match.jsonl")
        tab.locator(".badge.live").wait_for()
        tab.wait_for_function(STONES, arg=4, polling=POLL_MS)
        for move in games[0].moves[4:6]:
            run.move("g0", move)
        tab.wait_for_function(STONES, arg=6, polling=POLL_MS)  # moves come by themselves
        card = tab.locator(".live-game")
        assert card.locator(".worth").first.inner_text() != ""
        assert card.locator(".clock").count() == 2
        assert "plays column" in card.locator(".move").inner_text()
        run.record("g0", games[0])
        tab.wait_for_function(ROWS, arg=1, polling=POLL_MS)  # the list grows
        for number, record in enumerate(games[1:], start=1):
            run.begin(f"g{number}", record, number)
            for move in record.moves:
                run.move(f"g{number}", move)
            run.record(f"g{number}", record)
        tab.wait_for_function(ROWS, arg=4, polling=POLL_MS)
        assert fact(tab, "pace") != "–"
        evil = hostile("g4", 4)
        run.begin("g4", evil, 4)
        for move in evil.moves:
            run.move("g4", move)
        run.record("g4", evil)
        tab.wait_for_function(ROWS, arg=5, polling=POLL_MS)
    tab.locator(".badge", has_text="no run is going on").wait_for()
    assert fact(tab, "number") == "5"
    tab.locator("table.games", has_text=samples.SCRIPT).wait_for()
    assert tab.locator("main script, main img, [onload], [onerror]").count() == 0
    tab.locator(".games tbody tr", has_text=samples.SCRIPT).click()
    tab.wait_for_url("**/records/match.jsonl#g5*")
    without_noise(watched)  # of the time when there was no record


def test_verdict_pace_and_ratings_are_there_for_who_comes_late(served, tabs):
    now = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() - 60))
    game = structs.replace(samples.game_of("dots"), finished=now)
    sprt = as_json(Hypotheses(0.0, 300.0))
    won = [
        structs.replace(
            samples.between(game, "one", "two", pair, **{SPRT_KEY: sprt}),
            first=first,
            winner="A",
            moves=game.moves[: len(game.moves) - pair],  # no pair repeats another
        )
        for pair, first in itertools.product(range(12), "AB")
    ]
    test = SequentialTest(Hypotheses(0.0, 300.0))
    for record in won:
        test.add(record)
    append_records(served.records / "sprt.jsonl", won)
    tab = tabs("/watch/sprt.jsonl")
    tab.get_by_text("H1 is accepted").wait_for()
    tab.locator(f".llr[aria-label$='after {test.pairs} pairs']").wait_for()
    assert float(fact(tab, "llr-now").split(" ", 1)[0]) > 2.94  # log(0.95 / 0.05)
    assert (fact(tab, "number"), fact(tab, "score")) == ("24", "24 / 0 / 0")
    assert tab.evaluate(SMALLEST, ".llr text") >= 12
    tab.set_viewport_size({"width": 390, "height": 844})
    assert tab.evaluate(SMALLEST, ".llr text") >= 12
    assert fact(tab, "elo") == strength_in_words([0, 0, 0, 0, 12]).elo.replace("+-", "±")
    append_records(served.records / "sprt.jsonl", [structs.replace(game, finished="")])
    tab.wait_for_function(ROWS, arg=25, polling=POLL_MS)
    append_records(served.records / "tournament.jsonl", samples.tournament(("ada", "bob", "cyd"), loser="cyd"))
    tab.goto(f"{served.address}/watch/tournament.jsonl")
    tab.locator(".ratings tbody tr").first.wait_for()
    places = tab.locator(".ratings tbody th").all_inner_texts()
    assert len(places) == 3 and places[-1].split() == ["3", "cyd"]


def test_a_record_is_looked_at_as_in_the_page_of_view(served, tabs):
    path = "a folder/with blanks.jsonl"
    records = [samples.game_of("connect_four"), samples.game_of("dots"), hostile("g1", 0)]
    append_records(served.records / path, records)
    tab = tabs()
    entry = tab.locator(".files li", has_text=path)
    entry.get_by_text("3 recorded games of several kinds").wait_for()
    assert "<script>alert(1)</script>" in entry.inner_text()
    entry.get_by_role("link").click()
    tab.get_by_text("Game 1 of 3").wait_for()
    assert ply_of(tab) == len(records[0].moves)
    tab.keyboard.press("n")
    tab.get_by_text("Game 2 of 3").wait_for()
    tab.keyboard.press("Home")
    tab.keyboard.press("ArrowRight")
    tab.wait_for_url("**#g2m1")
    tab.reload()
    tab.get_by_text("Game 2 of 3").wait_for()
    assert ply_of(tab) == 1
    tab.keyboard.press("n")
    tab.get_by_text("Game 3 of 3").wait_for()
    text = tab.locator("body").inner_text()
    assert all(part in text for part in ("<script>alert(1)</script>", "\\x1b[31mred", samples.DIGITS))
    assert "\x1b" not in text and tab.locator("main script, main img, [onload], [onerror]").count() == 0
    tab.get_by_role("button", name="Statistics").click()
    tab.get_by_role("heading", name="Scores when moving first and second").wait_for()


def test_the_list_of_records_tells_who_has_played(served, tabs):
    game = samples.game_of("connect_four")
    won = [structs.replace(samples.between(game, "ada", "bob"), winner="A") for _ in range(3)]
    append_records(served.records / "told.jsonl", won)
    (served.records / "wrong.jsonl").write_text("{}\n")
    tab = tabs()
    entry = tab.locator(".files li", has_text="told.jsonl")
    entry.get_by_text("ada – bob").wait_for()
    assert entry.locator(".score").inner_text() == "3 / 0 / 0"
    assert entry.locator(".note").inner_text().startswith("3 games of connect four · ")
    wrong = tab.locator(".files li", has_text="wrong.jsonl")
    assert wrong.get_by_role("link").inner_text() == "wrong.jsonl"
    assert tab.locator(".records").get_by_text("Not all folders were searched").count() == 0


def test_the_list_of_records_says_what_it_lacks(served, tabs):
    tab = tabs()
    cut = {"files": [], "left_out": 3, "is_complete": False}
    tab.route("**/api/records", lambda route: route.fulfill(json=cut))
    tab.locator(".records").get_by_text("Not all folders were searched").wait_for()
    tab.locator(".records").get_by_text("and 3 more record files, which the list leaves out").wait_for()
    assert "The records folder has no recorded game" not in tab.locator(".records").inner_text()
    tab.unroute("**/api/records")  # other tests have the same tab


def test_a_file_is_added_removed_and_put_back(served, tabs, watched):
    tab = tabs()
    tab.locator(".adding input").set_input_files(
        [
            {"name": "replay.json", "mimeType": "application/json", "buffer": CAPTURED.encode()},
            {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"<b>hello</b>"},
            {"name": "large.bin", "mimeType": "", "buffer": b" " * (8 * 2**20 + 1)},
        ]
    )
    news = tab.locator(".records .news")
    news.get_by_text("replay.json: 1 game, read as a connect four replay of Saiblo → replay.jsonl").wait_for()
    assert "notes.txt: the format of the file is unknown" in news.inner_text()
    assert "large.bin has 8.4 MB, and the server takes files of at most 8.4 MB" in news.inner_text()
    entry = tab.locator(".files li", has_text="replay.jsonl")
    entry.get_by_text("unknown-A – unknown-B").wait_for()
    entry.get_by_role("button", name="Remove replay.jsonl").click()
    entry.get_by_role("button", name="No, keep the file").click()
    assert (served.records / "replay.jsonl").exists()
    entry.get_by_role("button", name="Remove replay.jsonl").click()
    entry.get_by_role("button", name="Yes, remove").click()
    entry.wait_for(state="detached")
    assert not (served.records / "replay.jsonl").exists()
    news.get_by_role("button", name="Put replay.jsonl back").click()
    entry.wait_for()
    drop = """([name, text]) => {
        const data = new DataTransfer();
        data.items.add(new File([text], name));
        document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
    }"""
    tab.evaluate(drop, ["replay.json", CAPTURED])
    tab.locator(".files li", has_text="replay-2.jsonl").wait_for()
    without_noise(watched)  # of the answer 422


def test_what_is_not_there_is_said_to_be_missing(tabs, watched):
    assert "none.jsonl" in tabs("/records/none.jsonl").locator(".trouble").inner_text()
    gone = tabs("/play/AAAAAAAAAAAAAAAAAAAAAA")
    gone.get_by_text("The server does not have this game any more").wait_for()
    assert not gone.locator(".game").is_visible()  # its buttons would be of no use
    without_noise(watched)


def test_pages_go_on_after_the_server_was_away(watched, tmp_path):
    lost = "The connection to the server is lost"
    record = record_of("connect_four")
    with Site(tmp_path) as site, LiveRun(site.records / "match.jsonl") as run:
        playing = watched.go(site.address + site.table("connect_four", **SMALL["connect_four"]), site.is_own)
        await_turn(playing)
        drop(playing, 4)
        assert len(site.bots()) == 1
        run.begin("g1", record)
        watching = watched.go(f"{site.address}/watch/match.jsonl", site.is_own)
        watching.locator(".badge.live").wait_for()
        site.end(signal.SIGKILL)
        for tab in (playing, watching):
            tab.get_by_text(lost).wait_for()
        assert moves(playing) == ["4", "0"]  # what was played still stands there
        wait_until(lambda: site.bots() == [])
        site.start(site.port)
        playing.get_by_text("The server does not have this game any more").wait_for()
        watching.get_by_text(lost).wait_for(state="detached")
        run.record("g1", record)
        watching.wait_for_function(ROWS, arg=1, polling=POLL_MS)
        assert fact(watching, "number") == "1"
        without_noise(watched)


@slow
def test_a_match_of_another_process_is_watched(served, tabs):
    match = playing_match(served, "process.jsonl", games=4, allowed=2)
    wait_until((served.records / "process.jsonl.live").exists)
    tab = tabs("/watch/process.jsonl")
    tab.locator(".badge.live").wait_for()
    tab.wait_for_function(STONES, arg=4, timeout=PATIENCE_MS)
    allow(served, 3)
    tab.wait_for_function(STONES, arg=6, timeout=PATIENCE_MS)
    allow(served)
    assert match.wait(PATIENCE_S) == 0
    tab.wait_for_function(ROWS, arg=4, timeout=PATIENCE_MS)
    tab.locator(".badge", has_text="no run is going on").wait_for()
    points = sum(record.winner == "A" for record in read_records(served.records / "process.jsonl")[0])
    tab.wait_for_function(f"() => document.querySelector('[data-fact=score] dd').textContent.startsWith('{points} /')")


def use(tab, tool):
    tab.get_by_label(tool).check()


def put(tab, *cells):
    for row, column in cells:
        point_at(tab.locator(f".board .cell[data-row='{row}'][data-col='{column}']"))
    settle(tab)


def settle(tab):
    """Wait until the server has said what it knows of the position."""
    tab.locator(".game[aria-busy='false']").wait_for()


def choose(tab, label, value):
    tab.get_by_label(label).first.select_option(value)
    settle(tab)


def await_values(tab):
    """Wait until there are no more values to come."""
    tab.locator(".board .value").first.wait_for()
    tab.wait_for_function(
        "() => { const text = document.querySelector('.best-move').textContent; "
        "return text.includes('best move:') && !text.includes('thinking'); }",
        polling=POLL_MS,
    )


def values(tab):
    """{move: value} of the list."""
    texts = "rows => rows.map((row) => [...row.children].map((cell) => cell.textContent))"
    rows = tab.locator(".values tbody tr").evaluate_all(texts)
    return {row[0]: row[1] for row in rows}


def test_a_position_is_set_up_by_stones_and_has_values(tabs):
    tab = tabs("/position")
    use(tab, "puts a stone of the first player")
    put(tab, (8, 2), (8, 3))
    tab.get_by_text("The side to move has 2 stones and the other side 0").wait_for()
    put(tab, (8, 4))
    use(tab, "puts a stone of the second player")
    put(tab, (8, 5), (7, 2), (7, 3))
    tab.get_by_role("button", name="Show what the moves are worth").click()
    await_values(tab)
    assert values(tab)["1"] == "win"  # completes four; on the other side lies a stone
    headings = tab.locator(".values thead th").all_inner_texts()
    assert headings[-2:] == ["value by the network", "probability by the policy"]
    priors = tab.locator(".values tbody td:last-child").all_inner_texts()
    assert all(text.endswith(" %") for text in priors) and sum(int(text[:-2]) for text in priors) in range(95, 106)
    best = tab.locator(".board .value.best")
    assert best.evaluate("mark => mark.closest('.cell').dataset.col + mark.closest('.cell').dataset.row") == "18"
    assert "best move: 1 · value win" in tab.locator(".best-move").inner_text()
    assert tab.locator(".expected").inner_text().startswith("expected moves: 1")
    put(tab, (6, 6))
    tab.get_by_text("The stone in column 6 (row 6) has nothing below it.").wait_for()
    assert tab.locator(".board .value").count() == 0
    tab.get_by_role("button", name="undo the last change").click()
    await_values(tab)
    tab.reload()
    tab.locator(".board .cell.taken").first.wait_for()
    assert tab.locator(".board .cell.taken").count() == 6
    choose(tab, "which game", "reversi")
    use(tab, "empties the cell")
    put(tab, (3, 3), (4, 4))
    tab.get_by_text("Neither side has a legal move: the game is over.").wait_for()


@slow
def test_reversi_and_dots_have_values_too(tabs):
    tab = tabs("/position")
    tab.get_by_label("time").select_option("3")
    choose(tab, "which game", "reversi")
    choose(tab, "rows and columns", "6")
    tab.get_by_role("button", name="Show what the moves are worth").click()
    await_values(tab)
    assert tab.locator(".board .value").count() == len(values(tab)) == 4
    choose(tab, "which game", "dots")
    choose(tab, "rows", "2")
    choose(tab, "columns", "2")
    use(tab, "draws an edge, or gives a box to the second player")
    for edge in ("AAA", "ABA", "BAA", "BBA", "AAB", "ABB"):
        point_at(tab.locator(f"[data-edge='{edge}']"))
    settle(tab)
    assert tab.locator(".board .cell[data-code='1']").count() == 1
    await_values(tab)
    assert tab.locator(".board [data-edge='BCA'] .value").count() == 1


def test_positions_are_played_by_clicks_and_kept_by_the_address(tabs, watched):
    tab = tabs("/position")
    choose(tab, "which game", "reversi")
    assert tab.locator(".board .allowed").count() == 4
    put(tab, (2, 3), (0, 0), (2, 2))  # the second one is no move
    assert tab.evaluate("location.hash").endswith("/d3,c3")
    labels = "all => all.map((cell) => cell.getAttribute('aria-label'))"
    shown = tab.eval_on_selector_all(".board .cell", labels)
    tab.reload()
    tab.locator(".board .cell").first.wait_for()
    assert tab.eval_on_selector_all(".board .cell", labels) == shown
    assert tab.locator(".board [data-code='1']").count() == 3
    choose(tab, "which game", "dots")
    choose(tab, "rows", "1")
    choose(tab, "columns", "1")
    for edge in ("AAA", "ABA", "BAA", "BBA"):
        point_at(tab.locator(f"[data-edge='{edge}']"))
    settle(tab)
    assert tab.locator(".board .cell").get_attribute("data-code") == "1"
    tab.get_by_text("The game is over.").first.wait_for()
    tab.get_by_role("button", name="undo the last change").click()
    settle(tab)
    assert tab.locator(".board .allowed").count() == 1
    tab.goto(tab.url.split("#")[0] + "#chess/8x8/0/.../")
    assert tab.locator(".board .allowed").count() == 1  # it stands for no position
    tab.reload()
    tab.locator(".board svg[data-rows='9']").wait_for()
    tab.evaluate("location.hash = '#reversi/3x3/0/........./'")
    tab.get_by_text("size is 3, expected 4..10").wait_for()
    put(tab, (8, 0))
    assert tab.locator(".troubles").inner_text() == "" and tab.locator(".board .taken").count() == 1
    without_noise(watched)  # of the answer that was none


def test_a_game_begins_from_a_position(tabs):
    tab = tabs("/position")
    use(tab, "sets the forbidden cell")
    put(tab, (0, 8))
    use(tab, "makes the next move")
    put(tab, (0, 4), (0, 4), (0, 3))
    tab.get_by_role("link", name="Play from this position").click()
    form = tab.locator(".new-game form")
    assert "The game begins from the position after 3 moves: 4 4 3" in form.inner_text()
    form.get_by_label("opponent").first.select_option("first-connect_four")
    form.get_by_label("who begins").select_option("player")
    form.get_by_role("button", name="Play").click()
    tab.wait_for_url("**/play/*")
    await_turn(tab)
    assert moves(tab)[:3] == ["4", "4", "3"]


def test_clocks_paces_and_values_in_figures(tabs):
    tab = tabs("/position")
    script = (
        f"async (all) => {{ const {{ clockText }} = await import('{PARTS}/clock.js'); return all.map(clockText); }}"
    )
    times = [0, 0.05, 7.3, 59.99, 60, 61.5, 3599.9, 3600, 7384]
    expected = ["0:00.0", "0:00.0", "0:07.3", "0:59.9", "1:00", "1:01", "59:59", "1:00:00", "2:03:04"]
    assert tab.evaluate(script, times) == expected
    # Games a minute: of those that end from now on, and of those that ended so many seconds before the page came.
    script = f"""async ([ages, ends, times]) => {{
        const {{ Pace }} = await import("{PARTS}/pace.js");
        const pace = new Pace(0);
        pace.seed(ages, 0);
        ends.forEach((end) => pace.add(end));
        return times.map((now) => pace.perMinute(now));
    }}"""
    assert tab.evaluate(script, [[], [10], [30]]) == [None]  # one game is no pace
    assert tab.evaluate(script, [[], [10, 20, 30], [60, 120]]) == [3, 1.5]
    assert tab.evaluate(script, [[], [10, 20, 30], [312, 400]]) == [0.4, None]  # two in five minutes, none
    assert tab.evaluate(script, [[90, 60, 30, 0], [], [0, 30]]) == [2, 1.5]  # three games after the first
    assert tab.evaluate(script, [[301, 1000, -5], [], [0]]) == [None]  # long ago, or by another clock
    script = (
        f"async (all) => {{ const {{ valueText }} = await import('{PARTS}/values.js'); return all.map(valueText); }}"
    )
    expected = {
        (0.254, None, False): "+.25",
        (-0.1, None, True): "<−.10",
        (-0.001, None, False): ".00",
        (1, None, False): "+1.00",
        (1, "win", False): "win",
        (0, "draw", False): "draw",
        (-1, "loss", False): "loss",
        (0.4, "win", False): "+.40",
        (None, None, False): "–",
    }
    told = [{"value": value, "proven": proven, "at_most": is_bound} for value, proven, is_bound in expected]
    assert tab.evaluate(script, told) == list(expected.values())
    script = f"""async ([position, analysis]) => {{
        const {{ ranked, valuesByCell }} = await import("{PARTS}/values.js");
        const rows = ranked(analysis).map((row) => row.move);
        const cells = valuesByCell(position, [..."........."], analysis);
        return {{ rows, cells: [...cells].map(([cell, value]) => [cell, value.text]) }};
    }}"""
    position = {"game": "dots", "move_of_cell": list(RULES["dots"].cells.move_of_cell((1, 2)))}
    of_moves = {"AAA": 0.3, "AAB": 0.9, "BAA": -0.5, "BAAABA": 0.1}
    told = [{"move": move, "value": value, "proven": None, "at_most": False} for move, value in of_moves.items()]
    found = tab.evaluate(script, [position, {"best": "AAA", "moves": told}])
    assert found["rows"] == ["AAA", "AAB", "BAAABA", "BAA"]  # the best stands first
    assert found["cells"] == [[0, "+.30"], [1, "+.90"], [4, "+.10"]]  # a turn counts for the edge that it begins with


def without_empty(reports):
    return {key: values for key, values in reports.items() if any(value is not None for value in values)}


def test_games_and_lists_that_grow_are_the_whole_ones_at_their_end(tabs):
    tab = tabs("/position")
    script = f"""async ([game, messages]) => {{
        const {{ extend }} = await import("{PARTS}/live_game.js");
        const fits = messages.map((message) => extend(game, message));
        return {{ fits: fits.every(Boolean), missed: extend(game, messages[0]), game }};
    }}"""
    for game in GAMES:
        whole = game_json(samples.game_of(game))
        number = len(whole["moves"])
        messages = []
        for begun in range(0, number, 3):
            end = min(begun + 3, number)
            message = {
                "from": begun,
                "sides": whole["sides"][begun:end],
                "line": whole["line"] if end == number else [],
            }
            message["movers"] = whole["movers"][begun : end + 1]
            message.update({key: whole[key][begun:end] for key in ("moves", "wall", "changes")})
            message["reports"] = without_empty({key: of[begun:end] for key, of in whole["reports"].items()})
            messages.append(message)
        empty = {"moves": [], "sides": "", "wall": [], "changes": [], "reports": {}, "late": [], "line": []}
        found = tab.evaluate(script, [{**whole, **empty, "movers": whole["movers"][0]}, messages])
        assert (found["fits"], found["missed"]) == (True, False)
        assert without_empty(found["game"].pop("reports")) == without_empty(whole.pop("reports"))
        assert found["game"] == whole
    boards = [{**samples.SMALL["dots"], "rows": 3 + seed % 2} for seed in range(4)]
    records = [samples.game_of("dots", seed=seed, board=board) for seed, board in enumerate(boards)]
    records[3] = samples.forfeited(samples.between(records[3], "third", "two"))
    rows = Rows()
    grown = [rows.add(Source(0, number, record)) for number, record in enumerate(records, start=1)]
    whole = {**rows.json(), "columns": list(rows.json()["columns"])}
    script = f"""async ([list, grown]) => {{
        const {{ addRow }} = await import("{PARTS}/live_game.js");
        grown.forEach((message) => addRow(list, message));
        return list;
    }}"""
    found = tab.evaluate(script, [{**whole, "rows": [], "players": [], "boards": []}, grown])
    assert found == whole


SOCKET = """address => new Promise((resolve) => {
    const socket = new WebSocket(address);
    socket.onopen = () => resolve("open");
    socket.onclose = () => resolve("closed");
})"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Says nothing of requests."""

    def log_message(self, *_):
        """Nothing."""


@pytest.fixture
def other_site(tmp_path):
    """The address of a page that another server of this machine has."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("<!DOCTYPE html><title>another site</title>", "utf-8")
    handler = functools.partial(Quiet, directory=str(tmp_path / "site"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def bare_tab(browser):
    """A page with nothing on it, and `status_of` an address: of its answer, be it allowed to read it or not."""
    with contextlib.closing(browser.new_context()) as context:
        page = context.new_page()
        statuses, addresses = {}, {}  # by the browser's numbers of requests, which come in any order
        wire = context.new_cdp_session(page)
        wire.send("Network.enable")
        wire.on("Network.requestWillBeSent", lambda sent: addresses.update({sent["requestId"]: sent["request"]["url"]}))
        wire.on(
            "Network.responseReceivedExtraInfo",
            lambda came: statuses.update({came["requestId"]: came["statusCode"]}),
        )

        def status_of(address):
            give_up = time.monotonic() + PATIENCE_S
            while time.monotonic() < give_up:
                for number in statuses:
                    if addresses.get(number) == address:
                        return statuses[number]
                page.wait_for_timeout(POLL_MS)
            raise AssertionError(f"no answer from {address}: {statuses} {addresses}")

        page.status_of = status_of
        yield page


def test_foreign_names_and_pages_of_other_sites_get_nothing_but_403(served, bare_tab, other_site):
    foreign = f"http://somebody.localhost:{served.port}"
    for place in ("/", "/api/tables", "/assets/serve/app.js"):
        assert bare_tab.goto(foreign + place).status == 403
    assert bare_tab.goto(f"http://localhost:{served.port}/").status == 200
    bare_tab.goto(other_site)
    for method, body in (("POST", "'{}'"), ("GET", "undefined")):
        answer = bare_tab.evaluate(
            f"address => fetch(address, {{ method: '{method}', body: {body} }}).then(() => 'read', () => 'refused')",
            f"{served.address}/api/tables?{method}",
        )
        assert answer == "refused"  # by the browser: no header lets another site read it
        assert bare_tab.status_of(f"{served.address}/api/tables?{method}") == 403
    sockets = f"ws://127.0.0.1:{served.port}/ws"
    assert bare_tab.evaluate(SOCKET, f"{sockets}/position") == "closed"
    assert bare_tab.goto(f"{served.address}/").status == 200
    assert bare_tab.evaluate(SOCKET, f"{sockets}/position") == "open"
