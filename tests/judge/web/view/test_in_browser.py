"""The page of `view` in a real browser: what stands on it, where keys, clicks and links lead, hostile records."""

import pytest
from msgspec import structs

from judge.games import GAMES as RULES
from judge.review.marks import ReviewedGame, review_game
from judge.statistics import score
from judge.statistics.sprt import SPRT_KEY, Hypotheses, SequentialTest, as_json
from page_screenshots import browser as browsers
from page_screenshots.shots import SHOTS, taken
from protocol.records.record import Termination
from protocol.records.review import Answer
from tests.contracts.games import GAMES
from tests.judge.helpers.chinese import HAN
from tests.judge.helpers.random_games import LARGEST
from tests.judge.web.view.helpers import samples
from tests.judge.web.view.helpers.browser import CI, NARROW, PHONE, leave_out, ply_of, show, tick
from tests.judge.web.view.helpers.samples import CLOSING, DIGITS, SCRIPT

# Every ply of a game from its beginning, by the key that leads on.
EVERY_PLY = """(plies) => {
    const all = (name, make) => [...document.querySelectorAll(name)].map(make);
    const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    const found = [];
    press("Home");
    for (let ply = 0; ply <= plies; ply += 1) {
        found.push({
            ply: Number(document.querySelector(".jump").value),
            cells: all(".board .cell", ({ dataset }) => [`${dataset.row} ${dataset.col}`, dataset.code]),
            edges: all(".board .edge", ({ dataset }) => [dataset.edge, dataset.code]),
            counts: all(".player .count", (count) => Number(count.textContent)),
            hints: all(".board [data-hint]", (hint) => {
                const { row, col } = hint.closest(".cell").dataset;
                const isNow = hint.closest(".cell").querySelector(".now") !== null;
                return [Number(row), Number(col), hint.dataset.hint, isNow];
            }),
        });
        press("ArrowRight");
    }
    return found;
}"""
NUMBERS = "all => all.map((row) => Number(row.dataset.index) + 1)"
TEXTS = "all => all.map((row) => [...row.children].map((cell) => cell.textContent))"
HINTS = {"connect_four": "threats", "reversi": "legal moves", "dots": "chains"}
SIGNS = {"mistake": "?", "blunder": "??", "gave_away_win": "✗", "gave_away_draw": "½", "last_chance": "⚑"}
MARKS = ("mistake", "blunder", "gave away a win", "gave away a draw", "last chance")


def owners(record, position):
    """{"row column": character} of the cells as a page has them, and {edge: character} in dots and boxes."""
    text = samples.codes(record, position)
    edges = getattr(position, "_edges", [])
    columns = getattr(position, "columns", None) or getattr(position, "cols", None) or position.size
    boxes = enumerate(text[len(edges) :])
    cells = {f"{number // columns} {number % columns}": code for number, code in boxes}
    return cells, dict(zip(edges, text, strict=False))


def hinted(game, position, shown):
    """The hints that a page shows, as the rules have them."""
    _, columns = RULES[game].cells.size(position)
    boxes = len(getattr(position, "_edges", []))
    return [(boxes + row * columns + column, sign, is_now) for row, column, sign, is_now in shown]


slow = pytest.mark.slow


@pytest.mark.parametrize(
    "game, board, seed",
    [
        *((game, None, 1) for game in GAMES),
        pytest.param("connect_four", LARGEST["connect_four"], 0, marks=slow),
        pytest.param("connect_four", {"rows": 9, "cols": 9, "forbidden": None}, 2, marks=slow),
        pytest.param("reversi", {"size": 8, "opening": []}, 5, marks=slow),
        pytest.param("dots", {"rows": 5, "columns": 6, "opening": []}, 2, marks=slow),
    ],
)
def test_a_page_shows_every_position_of_a_game_its_hints_and_its_charts(pages, game, board, seed):
    record = samples.game_of(game, seed=seed, board=board)
    plies = len(record.moves)
    tab = pages.open([record])
    assert ply_of(tab) == plies  # the board stands when the page opens
    assert tab.locator(".move").inner_text().startswith(f"ply {plies}: {record.moves[-1].side} plays")
    tick(tab, HINTS[game])
    hints = 0
    for shown, (ply, position) in zip(tab.evaluate(EVERY_PLY, plies), samples.positions(record), strict=True):
        assert shown["ply"] == ply
        assert (dict(shown["cells"]), dict(shown["edges"])) == owners(record, position)
        assert shown["counts"] == list(getattr(position, "counts", []))
        expected = RULES[game].cells.hints(position)
        assert sorted(hinted(game, position, shown["hints"])) == sorted(expected)
        hints += len(expected)
    assert hints > 3
    points = tab.eval_on_selector_all(".charts .curve", "paths => paths.map((path) => Number(path.dataset.points))")
    assert sum(points) == sum("guard" not in move.report for move in record.moves)
    assert tab.locator(".charts .bar").count() == plies
    assert tab.locator(".charts .guard").count() == plies // 7
    tab.locator(".charts .bar[data-ply='9']").click()
    assert ply_of(tab) == 9
    assert tab.locator(".charts .cursor").get_attribute("data-ply") == "9"
    swing = tab.locator(".charts .swing").first
    swing.click()
    assert ply_of(tab) == int(swing.get_attribute("data-ply"))


def test_keys_buttons_clicks_and_links_lead_through_games(pages):
    record = samples.game_of("connect_four")
    plies = len(record.moves)
    tab = pages.open([record, samples.game_of("reversi")], "#g1m3")
    # What is read out to who does not see it.
    assert tab.locator(".board svg[role='table'] g[role='row']").count() == 9
    assert tab.locator(".board g[role='cell']").count() == 90
    assert tab.locator(".board .last").get_attribute("aria-label").endswith(": A one, taken by move 3, the last move")
    assert tab.locator("[data-row='3'][data-col='4']").get_attribute("aria-label") == "column 4 (row 3): forbidden cell"
    assert tab.locator("[aria-live='polite']").inner_text().startswith("ply 3: A plays column")
    unnamed = "all => all.filter((each) => !each.getAttribute('aria-label') && !each.textContent.trim()).length"
    assert tab.eval_on_selector_all("button", unnamed) == 0
    assert ply_of(tab) == 3
    assert tab.get_by_text("link to this position").get_attribute("href") == "#g1m3"
    for key, ply in (("Home", 0), ("ArrowRight", 1), ("End", plies), ("ArrowLeft", plies - 1)):
        tab.keyboard.press(key)
        assert ply_of(tab) == ply
    tab.get_by_role("button", name="last position").click()
    assert ply_of(tab) == plies
    # The line that won and the last move are marked by shapes.
    *_, (_, position) = samples.positions(record)
    won = tab.eval_on_selector_all(
        ".board .won", "all => all.map((g) => [Number(g.dataset.row), Number(g.dataset.col)])"
    )
    assert {tuple(cell) for cell in won} == position.winning_cells()
    assert tab.locator(".board .star").count() == len(won)
    assert tab.locator(".board .last .mark").count() == 1
    assert tab.locator(".board .p1 rect.stone").count() > 0 and tab.locator(".board .p0 circle.stone").count() > 0
    tab.keyboard.press("m")
    tab.keyboard.type("4")
    tab.keyboard.press("Enter")
    assert ply_of(tab) == 4
    tab.wait_for_url("**#g1m4")
    tab.locator(".board .cell.taken.last").click()
    assert ply_of(tab) == 4
    tab.locator(".moves button[data-ply='6']").click()
    assert ply_of(tab) == 6
    tab.locator("body").click(position={"x": 2, "y": 2})
    tab.keyboard.press(" ")
    tab.locator(".charts .cursor[data-ply='7']").wait_for(state="attached")
    tab.keyboard.press(" ")
    assert tab.get_by_role("button", name="replay the moves", exact=True).count() == 1
    tab.keyboard.press("n")
    tab.wait_for_selector(".game[data-face='squares']")
    tab.wait_for_url(f"**#g2m{ply_of(tab)}")
    show(tab, 1, 5)
    tab.goto("about:blank")
    tab.go_back()
    tab.get_by_text("Game 1 of 2").wait_for()
    assert ply_of(tab) == 5


@pytest.mark.slow
def test_links_to_what_is_not_there_lead_to_what_is(pages):
    records = [samples.game_of("connect_four", seed=seed) for seed in range(1, 41)]
    assert ply_of(pages.open(records, "#g33m7")) == 7
    wrong = pages.open(records, "#g99999m99999")
    assert "Game 40 of 40" in wrong.locator(".heading").inner_text()
    assert ply_of(wrong) == len(records[-1].moves)
    assert "Game 1 of 40" in pages.open(records, "#<script>").locator(".heading").inner_text()


def test_odd_games_say_what_is_odd(pages):
    record = samples.game_of("connect_four")
    late = [structs.replace(record.moves[ply - 1], wall_s=3.2) for ply in (7, 8)]  # every seventh is the guard's
    report = {"extra": 7, "pv": [3, 4], "proven": "win", "iterations": 12_000, "depth": 21, "value": 0.25}
    told = structs.replace(record.moves[2], report=report)
    illegal = structs.replace(record.moves[4], move=77)
    tab = pages.open(
        [
            structs.replace(record, moves=(*record.moves[:2], told, *record.moves[3:6], *late, *record.moves[8:])),
            structs.replace(record, moves=(*record.moves[:4], illegal)),
            structs.replace(record, game="chess", board={"fen": 1}),
            structs.replace(record, moves=(), winner=None, termination=Termination.VOID),
            samples.forfeited(record, stderr="starting\ncolumn 7 is high\n", stdout="your move?\x1b"),
        ],
        "#g1m3",
    )
    signs = "all => all.map((one) => [one.dataset.ply, one.firstChild.textContent])"
    found = tab.eval_on_selector_all(".charts .late, .charts .guard", signs)
    assert [sign for ply, sign in found if ply == "7"] == ["!", "◆"]
    assert [sign for ply, sign in found if ply == "8"] == ["!"]
    boxes = [tab.locator(f".charts .{name}[data-ply='7']").bounding_box() for name in ("late", "guard")]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"] + 1
    names = tab.locator(".report dt").all_inner_texts()
    texts = dict(zip(names, tab.locator(".report dd").all_inner_texts(), strict=True))
    searched = ["search depth", "iterations of the search"]
    assert names == ["value", "proven result", *searched, "expected moves", "other values of the bot's report"]
    assert (texts["value"], texts["proven result"], texts["search depth"]) == ("+0.25", "win", "21")
    assert "".join(filter(str.isdigit, texts["iterations of the search"])) == "12000"
    assert (texts["expected moves"], texts["other values of the bot's report"]) == ("3 4", "extra 7")
    show(tab, 2, 4)
    outcome = tab.locator(".outcome")
    assert "the moves from ply 5 on cannot be shown: column 77 is off the board" in outcome.inner_text()
    assert "The record disagrees with the rules" in outcome.inner_text()
    tab.keyboard.press("n")
    tab.wait_for_selector(".board .refusal")
    assert "cannot be shown" in tab.locator(".board").inner_text()
    tab.keyboard.press("n")
    tab.get_by_text("Game 4 of 5").wait_for()
    assert "VOID" in tab.locator(".reason").inner_text()
    tab.keyboard.press("n")
    tab.get_by_text("Game 5 of 5").wait_for()
    assert outcome.get_attribute("class") == "outcome fault"
    assert "A (one) wins after 8 plies: CRASH by B (two): B was ended by signal 11 (SIGSEGV" in outcome.inner_text()
    assert 'B printed "your move?\\x1b" on stdout where a reply was due' in outcome.inner_text()
    assert "the last lines that B wrote to stderr:\n  starting\n  column 7 is high" in outcome.inner_text()
    outcome.locator("summary").first.click()
    assert outcome.locator("pre.bytes").first.inner_text() == "your move?\\x1b"
    outcome.locator("summary").last.click()
    assert "starting\ncolumn 7 is high" in outcome.locator("pre.bytes").last.inner_text()


def reporting(record, ply, pv):
    """The record with one report alone: what a bot expected after its move."""
    moves = [structs.replace(move, report=None) for move in record.moves]
    moves[ply - 1] = structs.replace(moves[ply - 1], report={"pv": pv})
    return structs.replace(record, moves=tuple(moves))


@pytest.mark.parametrize("game", GAMES)
def test_the_cell_of_an_illegal_move_is_marked_where_the_game_ended(pages, game):
    record = samples.forfeited(samples.game_of(game))
    *_, (_, position) = samples.positions(record)
    cell = RULES[game].cells.last(position)
    extra = {**record.extra, "illegal_cell": cell}
    tab = pages.open([structs.replace(record, termination=Termination.ILLEGAL_MOVE, extra=extra)])
    marked = tab.locator(".board g[aria-label*='the illegal move']")
    assert (marked.count(), tab.locator(".board .illegal").count()) == (1, 1)
    assert "last move" in marked.get_attribute("aria-label")
    tab.keyboard.press("ArrowLeft")
    assert tab.locator(".board .illegal").count() == 0


def test_what_a_bot_expected_is_drawn_as_numbered_stones(pages):
    column = samples.game_of("connect_four")
    # In dots a bot names whole turns, the one that it plays too; a record has an edge for each ply.
    edges = samples.game_of("dots", seed=3)
    names, sides = [move.move for move in edges.moves], "".join(move.side for move in edges.moves)
    turn = next(ply for ply in range(1, len(sides) - 3) if sides[ply - 1] == sides[ply] != sides[ply + 1])
    # In reversi lines leave passes out: whose a disc is, is by the rules.
    disc, passing = next(
        (record, ply)
        for record in (samples.game_of("reversi", seed=seed) for seed in range(1, 100))
        for ply in range(2, len(record.moves) - 2)
        if record.moves[ply].side == record.moves[ply - 1].side
    )
    after_pass = disc.moves[passing - 2 : passing + 3]
    tab = pages.open(
        [
            reporting(column, 1, [column.moves[0].move, 0, 0, 9]),
            reporting(edges, turn, ["".join(names[turn - 1 : turn + 1]), *names[turn + 1 : turn + 3]]),
            reporting(disc, passing - 1, [*(move.move for move in after_pass), "z9", "a1"]),
        ],
        "#g1m1",
    )
    assert tab.locator(".board .ghost").count() == 0
    tick(tab, "expected moves")
    ghosts = """all => all.map((one) => [
        one.closest("[data-edge]")?.dataset.edge ?? one.closest(".cell").dataset.col, Number(one.textContent),
        one.classList.contains("p0") ? "A" : "B"])"""
    found = [sorted(tab.eval_on_selector_all(".board .ghost", ghosts))]
    for game, ply in ((2, turn), (3, passing - 1)):
        show(tab, game, ply)
        found.append(sorted(tab.eval_on_selector_all(".board .ghost", ghosts)))
    assert found[0] == [["0", 1, "B"], ["0", 2, "A"], ["9", 3, "B"]]
    assert found[1] == sorted([names[later], later + 1 - turn, sides[later]] for later in range(turn, turn + 3))
    by_number = sorted([number, side] for _place, number, side in found[2])
    assert by_number == [[number, move.side] for number, move in enumerate(after_pass[1:], start=1)]


def review_of(record):
    """A review with marks of every kind: values that go up and down, and at its beginning results given away."""
    game = ReviewedGame(1, record)
    answers = {
        ply: Answer((5 * ply % 21 - 10) / 10, None, str(record.moves[0].move), ("x",))
        for ply in range(1, len(game.movers) + 1)
        if ply % 11
    }
    answers[1] = Answer(1.0, "win", "other")
    answers[2] = Answer(0.0, "draw", "other")
    answers[3] = Answer(1.0, "win", "other")
    return review_game(game, "an engine </script>", answers)


def marks_of(review, move):
    names = [move.mark, "last_chance" if move.ply == review.last_chance else None]
    return [name for name in dict.fromkeys(names) if name]


def test_a_review_stands_beside_its_game(pages):
    record = samples.game_of("connect_four")
    silent = structs.replace(record, moves=[structs.replace(move, report=None) for move in record.moves])
    review = review_of(record)
    tab = pages.open([record, silent, silent], "#g1m1", reviews=[review, review_of(silent)])
    expected = {move.ply: marks_of(review, move) for move in review.moves if marks_of(review, move)}
    assert {name for names in expected.values() for name in names} == set(SIGNS)
    in_list = tab.evaluate(
        """() => [...document.querySelectorAll('.moves button')].map((entry) => [Number(entry.dataset.ply),
            [...entry.querySelectorAll('.badge')].map((badge) => [badge.classList[1], badge.textContent])])"""
    )
    assert {ply: [name for name, _ in badges] for ply, badges in in_list if badges} == expected
    assert all(SIGNS[name] == sign for _, badges in in_list for name, sign in badges)
    in_chart = tab.evaluate(
        """() => [...document.querySelectorAll('.charts .review-mark')].map(
            (mark) => [Number(mark.dataset.ply), mark.classList[1], mark.firstChild.data])"""
    )
    assert sorted((ply, name) for ply, name, _ in in_chart) == sorted(
        (ply, name) for ply, names in expected.items() for name in names
    )
    assert all(SIGNS[name] == sign for _, name, sign in in_chart)
    assert all(words in tab.locator(".legend").inner_text() for words in MARKS)
    assert tab.locator(".charts .curve.of-review").get_attribute("data-points") == str(
        sum(move.before is not None for move in review.moves)
    )
    # A ply says what was better and what was lost.
    assert review.moves[0].mark == "gave_away_win"
    assert "· gave away a win · a better move: other" in tab.locator(".move").inner_text()
    facts = dict(
        zip(tab.locator(".report dt").all_inner_texts(), tab.locator(".report dd").all_inner_texts(), strict=True)
    )
    assert facts["value by the review"] == "+1.00 · win · gave away a win"
    assert (facts["best move by the review"], facts["value lost by the move"]) == ("other", "1.00")
    assert tab.locator(".review h3").inner_text() == "Review by an engine </script>"
    for side, name in (("A", "one"), ("B", "two")):
        total = review.sum_of(side)
        numbers = [*map(str, (total.mistakes, total.blunders, total.given_away)), f"{total.mean_lost:.3f}"]
        assert tab.locator(f".review tr[data-side='{side}'] > *").all_inner_texts() == [f"{side} {name}", *numbers]
    tab.get_by_label("language").select_option("zh")
    assert "送掉胜棋 · 更好的着法：other" in tab.locator(".move").inner_text()
    assert "大失误" in tab.locator(".review thead").inner_text()
    tab.get_by_label("语言").select_option("en")
    tab.locator(".charts .review-mark[data-ply='3']").click()
    assert "+1.00 · win · blunder" in tab.locator(".report").inner_text()
    tab.locator(".moves button[data-ply='11']").click()  # without an answer
    assert "best move" not in tab.locator(".report").inner_text()
    show(tab, 2, 0)  # a game without reports has the review's curve
    assert "Values and times of moves" in tab.locator(".legend").inner_text()
    assert tab.locator(".charts .axis", has_text="A wins").count() == 1
    show(tab, 3, 0)
    assert tab.locator(".review, .badge, .of-review, .review-mark").count() == 0
    assert "Values" not in tab.locator(".legend").inner_text()


def test_a_hostile_record_is_text(pages):
    records = [samples.hostile(samples.game_of(game)) for game in GAMES]
    tab = pages.open(records, files=(SCRIPT + CLOSING,))
    for number in range(1, len(records) + 1):
        show(tab, number, 3)
        for box in tab.locator(".ticks input").all():
            box.set_checked(True)
        for detail in tab.locator("summary").all():
            detail.click()
        text = tab.locator("body").inner_text()
        for part in ("<script>alert(1)</script>", "</script></style></title>", "\\x1b[31mred", "\\u202e", DIGITS):
            assert part in text
        assert "\x1b" not in text and "\u202e" not in text
    assert tab.locator("body script").count() == tab.evaluate("document.scripts.length")
    assert tab.locator("main script, main img, [onload], [onerror]").count() == 0
    assert tab.evaluate("({}).polluted") is None
    tab.get_by_label("language").select_option("zh")
    tab.get_by_role("button", name="统计").click()
    assert "alert(1)" in tab.locator("body").inner_text()
    assert pages.misdeeds == []  # nothing was asked for, said or run
    tab.evaluate(
        """() => {
            const script = document.createElement('script');
            script.textContent = 'document.documentElement.dataset.ran = 1';
            document.body.append(script);
        }"""
    )
    assert tab.evaluate("document.documentElement.dataset.ran") is None
    assert "Content Security Policy" in pages.misdeeds.pop()


def test_language_and_colours_are_the_systems_until_the_reader_chooses(pages):
    background = "getComputedStyle(document.body).backgroundColor"
    tab = pages.open([samples.forfeited(samples.game_of("connect_four"))])
    light = tab.evaluate(background)
    tab.emulate_media(color_scheme="dark")
    dark = tab.evaluate(background)
    assert light != dark
    for chosen, found in (("light", light), ("", dark), ("dark", dark)):
        tab.get_by_label("colours").select_option(chosen)
        assert tab.evaluate(background) == found, chosen
    tab.emulate_media(color_scheme="light")
    assert tab.evaluate(background) == dark
    assert not HAN.search(tab.locator(".game").inner_text())
    tab.get_by_label("language").select_option("zh")
    assert tab.evaluate("document.documentElement.lang") == "zh"
    assert "第 8 手" in tab.locator(".move").inner_text()
    assert "崩溃" in tab.locator(".reason").inner_text()


@pytest.mark.parametrize("game", [GAMES[0], *(pytest.param(game, marks=slow) for game in GAMES[1:])])
def test_nothing_is_wider_than_a_phone(pages, game):
    name = "a-very-long-name-" * 6
    records = [samples.between(samples.game_of(game, board=LARGEST[game]), name, "b")] * 2
    tab = pages.open(records, size=PHONE)
    assert tab.evaluate(NARROW)
    cells = tab.eval_on_selector_all(".board .cell", "all => all.map((cell) => cell.getBoundingClientRect().width)")
    assert min(cells) > 12  # pixels: a finger's tip, or nearly
    tab.get_by_role("button", name="Statistics").click()
    assert tab.evaluate(NARROW)


# What of the list ends right of the space that the list has for it, and cells whose text is wider than they are.
CUT_OFF = """() => {
    const list = document.querySelector(".list");
    const right = list.getBoundingClientRect().right - parseFloat(getComputedStyle(list).paddingRight);
    const texts = [...list.querySelectorAll("*")].filter((each) => each.getBoundingClientRect().right > right + 0.5);
    const cells = [...list.querySelectorAll("td")].filter((cell) => cell.scrollWidth > cell.clientWidth + 1);
    return [...texts, ...cells].map((each) => each.textContent);
}"""


def test_nothing_of_the_list_is_cut_off(pages):
    records = [*map(samples.game_of, GAMES), samples.forfeited(samples.between(samples.game_of("dots"), "a" * 60, "b"))]
    tab = pages.open(records)
    for width in (320, 360, 390, 620, 760, 1000, 1180, 1280, 1366, 1440, 1920):
        tab.set_viewport_size({"width": width, "height": 800})
        assert (tab.evaluate(CUT_OFF), tab.evaluate(NARROW)) == ([], True), width


def shown(tab):
    """The numbers of the games in the list, from its top."""
    return tab.eval_on_selector_all(".games tbody tr", NUMBERS)


def table(tab, title):
    """The rows of a table of the statistics, below its heading."""
    part = tab.locator(".part", has=tab.get_by_role("heading", name=title, exact=True))
    return part.locator("tbody tr").evaluate_all(TEXTS)


def test_the_list_is_filtered_and_sorted(pages):
    records = samples.match()
    tab = pages.open(records)
    numbers = list(range(1, len(records) + 1))
    assert shown(tab) == numbers
    rows = tab.locator("table.games").get_by_role("row")
    assert rows.count() == len(records) + 1
    assert rows.nth(1).get_by_role("cell").count() == rows.first.get_by_role("columnheader").count() == 7
    assert rows.nth(1).locator(".first .began").inner_text() == "first"
    won = [n for n, record in zip(numbers, records, strict=True) if score.result(record) == score.WIN]
    tab.get_by_label("result").select_option("won")
    assert shown(tab) == won
    tab.get_by_label("player").select_option(label="two")
    lost = [n for n, record in zip(numbers, records, strict=True) if score.result(record) == score.LOSS]
    assert shown(tab) == lost  # by A, that is: two has won
    tab.get_by_label("first or second").select_option("first")
    assert shown(tab) == [n for n in lost if records[n - 1].first == "B"]
    for label in ("result", "player", "first or second"):
        tab.get_by_label(label).select_option("")
    tab.get_by_label("ending").select_option("CRASH")
    assert shown(tab) == [4]
    tab.get_by_label("ending").select_option("")
    # Words of another language than the page's are found too.
    for text in ("9 rows x 10", "9x10", "9 × 10", "9×10", "10 列"):
        tab.get_by_label("name or board").fill(text)
        assert shown(tab) == [n for n in numbers if records[n - 1].board["cols"] == 10]
    tab.get_by_label("name or board").fill("")
    tab.get_by_role("button", name="plies").click()
    assert shown(tab) == sorted(numbers, key=lambda n: len(records[n - 1].moves))
    tab.get_by_role("button", name="plies").click()
    assert shown(tab) == sorted(numbers, key=lambda n: -len(records[n - 1].moves))
    tab.locator(".games tbody tr").first.click()
    tab.get_by_text(f"Game {shown(tab)[0]} of {len(records)}").wait_for()


def test_the_statistics_are_what_the_judge_counts(pages):
    hypotheses = Hypotheses(-30.0, 30.0, model="normalized")
    records = samples.match(**{SPRT_KEY: as_json(hypotheses)})
    test = SequentialTest(hypotheses)
    for record in records:
        test.add(record)
    tab = pages.open(records, "#statistics")
    found = score.score(records)
    one = next(row for row in table(tab, "Crosstable") if row[0].endswith("one"))
    assert one[-1] == score.percent(found).replace("%", " %")
    assert one[-3] == str(found.games)
    assert float(one[-2].replace("½", ".5")) == found.wins + found.draws / 2
    first = score.score([record for record in records if record.first == "A"])
    sides = {row[0]: row[1:] for row in table(tab, "Scores when moving first and second")}
    assert sides["one"][0] == f"{first.wins} / {first.draws} / {first.losses}"
    assert {row[0]: int(row[1]) for row in table(tab, "Score by board size")} == {"9 × 9": 12, "9 × 10": 11}
    endings = {row[0]: row[1:] for row in table(tab, "Endings")}
    assert endings == {"NORMAL": ["22", "", ""], "CRASH": ["1", "", "1"], "VOID": ["1", "", ""]}
    times = sum(int(row[-1]) for row in table(tab, "Times of moves") if row[-1])
    assert times == sum(len(record.moves) for record in records)
    part = tab.locator(".part", has=tab.locator(".llr"))
    assert "H0: Elo -30, H1: Elo 30 (normalized)." in part.inner_text()
    assert f"LLR {test.llr:.2f} after {test.pairs} pairs" in part.inner_text()
    assert int(part.locator(".curve").get_attribute("data-points")) == test.pairs == 11
    tab.get_by_label("ending").select_option("CRASH")
    assert {row[0] for row in table(tab, "Endings")} == {"CRASH"}


def test_games_of_several_games_and_players_are_told_apart(pages):
    records = [samples.game_of("connect_four", board={"rows": 9, "cols": 9, "forbidden": None})]
    records += [samples.game_of("dots"), samples.between(samples.game_of("reversi"), "one", "one")]
    tab = pages.open(records, "#statistics")
    names = {"connect four 9 × 9", "dots and boxes 3 × 4", "reversi 6 × 6"}
    assert {row[0] for row in table(tab, "Score by board size")} == names
    (row,) = (row for row in table(tab, "Crosstable") if row[0].endswith("one"))
    assert row[-3] == "2"  # games against itself are not counted
    tab.get_by_role("button", name="Games").click()
    assert set(tab.locator(".games td.where").all_text_contents()) == names
    assert tab.locator(".heading p").inner_text().startswith("connect four · ")


def test_ratings_are_those_of_the_judge(pages):
    tab = pages.open(samples.tournament(loser="cyd"), "#statistics")
    shown = tab.locator(".ratings tbody tr").evaluate_all(TEXTS)
    assert len(shown) == 4 and shown[-1][0] == "4  cyd" and shown[-1][1].endswith("*")
    assert [row[4:6] for row in shown][-1] == ["18", "0"] and shown[-1][9] == "-"
    assert tab.locator(".rating circle").count() == 4 and tab.locator(".rating.held").count() == 1
    places = tab.locator(".rating circle").evaluate_all("all => all.map((dot) => Number(dot.getAttribute('cx')))")
    assert places == sorted(places, reverse=True)
    assert tab.locator(".cross").count() == 1
    part = tab.locator(".part", has=tab.locator(".ratings"))
    assert "won all games" in part.inner_text()
    tab.get_by_label("language").select_option("zh")
    assert "等级分" in part.inner_text()


@pytest.mark.slow
def test_twenty_players_are_a_crosstable_where_they_have_met_and_else_a_list(pages):
    tab = pages.open(samples.tournament([f"player {number}" for number in range(20)], rounds=1), "#statistics")
    assert tab.locator(".ratings tbody tr").count() == tab.locator(".cross tbody tr").count() == 20
    game = samples.game_of("connect_four")
    records = [samples.between(game, "mine", f"sample {number}", pair=number) for number in range(20)]
    tab = pages.open(records, "#statistics")
    rows = table(tab, "Players")
    assert len(rows) == 21
    assert next(row for row in rows if row[0] == "mine")[1] == "20"
    assert tab.locator(".llr").count() == 0
    alone = pages.open([samples.between(game, "same", "same")] * 2, "#statistics")
    assert alone.get_by_role("heading", name="Crosstable").count() == 0
    assert len(table(alone, "Scores when moving first and second")) == 1
    assumed = pages.open(samples.match(), "#statistics").locator(".statistics").inner_text()
    assert "The record has no hypotheses, so the page assumes H0: Elo 0, H1: Elo 30 (logistic)." in assumed


def test_a_long_list_is_shown_in_parts_and_what_had_the_focus_keeps_it(pages):
    records = [
        samples.game_of("dots", seed=seed, board={"rows": 1, "columns": 2, "opening": []}) for seed in range(120)
    ]
    tab = pages.open(records)
    assert len(shown(tab)) == 100
    tab.get_by_role("button", name="show all 120").click()
    assert shown(tab) == list(range(1, 121))
    for name in ("next game", "slowest", "Statistics"):
        tab.get_by_role("button", name=name).focus()
        tab.keyboard.press("Enter")
        tab.get_by_role("button", name=name).and_(tab.locator(":focus")).wait_for()
    language = tab.locator(".tools select").first
    language.focus()
    language.select_option("zh")
    tab.locator(".tools select").first.and_(tab.locator(":focus")).wait_for()


@pytest.mark.slow
def test_the_documentations_pictures_can_be_taken(browser, tmp_path):
    shot = next(shot for shot in SHOTS if "dots" in shot.name)
    assert taken(browser, shot, tmp_path).read_bytes().startswith(b"\x89PNG")


class NoBrowser:
    """Playwright's, of a program that does not start."""

    def launch(self, executable_path, **_options):
        from playwright.sync_api import Error

        raise Error(f"{executable_path} has ended\nand more")


def test_where_there_is_no_browser_the_reason_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OSError, match="none of chromium, chromium-browser, google-chrome is installed"):
        browsers.started(None).__enter__()
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(OSError, match=f"{program} does not start: {program} has ended$"):
        browsers.started(NoBrowser()).__enter__()


def test_tests_without_a_browser_are_skipped_and_fail_under_ci(monkeypatch):
    for name in CI:
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(pytest.skip.Exception, match="need a browser: why"):
        leave_out("why")
    for name in CI:
        with monkeypatch.context() as inner:
            inner.setenv(name, "1")
            with pytest.raises(pytest.fail.Exception, match="no browser: why"):
                leave_out("why")
