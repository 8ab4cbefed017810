"""Positions set up by clicks in a real browser, and their values; the page's rules against the judge's."""

import random

import pytest

from judge.games import GAMES
from judge.games.connect_four.board import Board as ConnectFourBoard
from judge.games.dots.board import Board as DotsBoard
from judge.games.reversi.board import Board as ReversiBoard
from tests.judge.server.pages.helpers.site import await_turn, moves, point_at

BOARDS = {
    "connect_four": ConnectFourBoard(9, 10, (3, 4)),
    "reversi": ReversiBoard(6),
    "dots": DotsBoard(2, 3),
}
# Plays moves on a board that is set up, and returns of each position {choices, codes, mover}, at last its part of an
# address and what comes of that.
PLAYED = """async ([game, size, forbidden, moves]) => {
    const { asHash, BY_MOVES, changed, choices, fromHash, startOf } = await import("/assets/serve/setups/position.js");
    const { GAMES } = await import("/assets/view/board.js");
    const name = (position, cell) => GAMES[game].moveAt(position.size, cell);
    let position = startOf(game, size);
    if (forbidden !== null) {
        position = changed(position, forbidden, "#");
    }
    const found = [];
    for (const move of [...moves, null]) {
        const cells = choices(position);
        const { codes, mover } = position;
        found.push({ choices: cells.map((cell) => name(position, cell)), codes: codes.join(""), mover });
        if (move !== null) {
            position = changed(position, cells.find((cell) => name(position, cell) === move), BY_MOVES);
        }
    }
    const hash = asHash(position);
    return { found, moves: position.moves, isSame: asHash(fromHash(hash)) === hash };
}"""


@pytest.mark.parametrize("game", BOARDS)
@pytest.mark.parametrize("seed", range(3))
def test_the_page_plays_as_the_rules_do(tabs, game, seed):
    generator = random.Random(seed)
    position = GAMES[game].new_position(BOARDS[game])
    size, codes = GAMES[game].cells.size, GAMES[game].cells.codes
    expected, played = [], []
    while True:
        mover = "-" if position.over else str(position.to_move)
        expected.append({"choices": sorted(map(str, position.legal_moves())), "codes": codes(position), "mover": mover})
        if position.over:
            break
        move = generator.choice(position.legal_moves())
        played.append(str(move))
        position.play(move)
    forbidden = codes(GAMES[game].new_position(BOARDS[game])).find("#")
    told = [game, list(size(position)), forbidden if forbidden >= 0 else None, played]
    found = tabs("/position").evaluate(PLAYED, told)
    for entry in found["found"]:
        entry["choices"].sort()
    assert found["found"] == expected
    assert found["moves"] == played
    assert found["isSame"]


def use(tab, tool):
    tab.get_by_label(tool).check()


def put(tab, *cells):
    for row, column in cells:
        point_at(tab.locator(f".board .cell[data-row='{row}'][data-col='{column}']"))


def show_values(tab):
    """Ask for values, and wait until there are no more to come."""
    tab.get_by_role("button", name="Show what the moves are worth").click()
    await_values(tab)


def await_values(tab):
    tab.locator(".board .value").first.wait_for(timeout=120_000)
    tab.wait_for_function(
        "() => { const text = document.querySelector('.best-move').textContent; "
        "return text.includes('best:') && !text.includes('thinking'); }",
        timeout=120_000,
    )


def values(tab):
    """{move: value} of the list."""
    texts = "rows => rows.map((row) => [...row.children].map((cell) => cell.textContent))"
    rows = tab.locator(".values tbody tr").evaluate_all(texts)
    return {row[0]: row[1] for row in rows}


def test_connect_four_by_stones(tabs):
    tab = tabs("/position")
    tab.get_by_label("time").select_option("3")
    use(tab, "stones of the first player")
    put(tab, (8, 2), (8, 3), (8, 4))
    use(tab, "stones of the second player")
    put(tab, (8, 5), (7, 2), (7, 3))
    show_values(tab)
    assert values(tab)["1"] == "win"  # completes four; on the other side lies a stone
    assert tab.locator(".board .value.best").evaluate("mark => mark.closest('.cell').dataset.col") == "1"
    assert tab.locator(".board .value.best").evaluate("mark => mark.closest('.cell').dataset.row") == "8"
    assert "best: 1 · value win" in tab.locator(".best-move").inner_text()
    assert tab.locator(".expected").inner_text().startswith("expected: 1")
    put(tab, (6, 6))
    tab.get_by_text("The stone in column 6 (row 6) lies on nothing.").wait_for()
    assert tab.locator(".board .value").count() == 0
    tab.get_by_role("button", name="undo the last change").click()
    await_values(tab)
    tab.reload()
    tab.locator(".board .cell.taken").first.wait_for()
    assert tab.locator(".board .cell.taken").count() == 6


def test_a_position_that_the_rules_refuse_says_why(tabs):
    tab = tabs("/position")
    use(tab, "stones of the first player")
    put(tab, (8, 0), (8, 1))
    tab.get_by_text("The side to move has 2 stones and the other 0").wait_for()
    put(tab, (8, 2), (8, 3))
    tab.get_by_text("Somebody has four in a line: the game is over.").wait_for()
    tab.get_by_label("which game").select_option("reversi")
    use(tab, "take away")
    put(tab, (3, 3), (4, 4))
    tab.get_by_text("Nobody has a move here: the game is over.").wait_for()


def test_reversi_and_dots_have_values_too(tabs):
    tab = tabs("/position")
    tab.get_by_label("time").select_option("3")
    tab.get_by_label("which game").select_option("reversi")
    tab.get_by_label("rows and columns").select_option("6")
    show_values(tab)
    assert tab.locator(".board .value").count() == len(values(tab)) == 4
    tab.get_by_label("which game").select_option("dots")
    tab.get_by_label("rows").first.select_option("2")
    tab.get_by_label("columns").first.select_option("2")
    use(tab, "edges; boxes for the second player")
    for edge in ("AAA", "ABA", "BAA", "BBA", "AAB", "ABB"):
        point_at(tab.locator(f"[data-edge='{edge}']"))
    assert tab.locator(".board .cell[data-code='1']").count() == 1
    await_values(tab)
    assert tab.locator(".board [data-edge='BCA'] .value").count() == 1


def test_a_game_begins_from_a_position(tabs):
    tab = tabs("/position")
    use(tab, "the forbidden cell")
    put(tab, (0, 8))
    use(tab, "moves, in turn")
    put(tab, (0, 4), (0, 4), (0, 3))
    tab.get_by_role("link", name="Play from here").click()
    form = tab.locator(".new-game form")
    assert "From the position after 3 moves: 4 4 3" in form.inner_text()
    form.get_by_label("against").select_option("first-connect_four")
    form.get_by_label("who begins").select_option("player")
    form.get_by_role("button", name="Play").click()
    tab.wait_for_url("**/play/*")
    await_turn(tab)
    assert moves(tab)[:3] == ["4", "4", "3"]
