"""What a page marks on a board, in a real browser: against the rules, and against what bots reported."""

import dataclasses

from judge.games.reversi.rules import cells_to_play
from tests.judge.helpers.random_games import LARGEST
from tests.judge.pages.helpers import samples
from tests.judge.pages.helpers.browser import at_ply, tick

HINTS = """() => [...document.querySelectorAll('.board [data-hint]')].map((hint) => [
    Number(hint.closest('.cell').dataset.row), Number(hint.closest('.cell').dataset.col), hint.dataset.hint,
    hint.textContent, hint.querySelector('.now') !== null])"""


def completed(position):
    """{(row, column, player)}: free cells that complete a line for a player."""
    found = set()
    for row, column in ((row, column) for row in range(position.rows) for column in range(position.cols)):
        if position.owner[row][column] is None and (row, column) != position.forbidden:
            for player in (0, 1):
                position.owner[row][column] = player
                if position.completes_line(row, column):
                    found.add((row, column, str(player)))
                position.owner[row][column] = None
    return found


def test_threats_are_those_that_the_rules_find(pages):
    boards = (LARGEST["connect_four"], samples.SMALL["connect_four"], {"rows": 9, "cols": 9, "forbidden": None})
    records = [samples.game_of("connect_four", seed=seed, board=board) for seed, board in enumerate(boards)]
    tab = pages.open(records, "#g1m0")
    tick(tab, "threats")
    found = 0
    for number, record in enumerate(records, start=1):
        for ply, position in samples.positions(record):
            if ply % 7 == 0 or position.over:
                expected = completed(position)
                tab.evaluate("place => { location.hash = place; }", f"#g{number}m{ply}")
                tab.get_by_text(f"Game {number} of 3").wait_for()
                at_ply(tab, ply)
                hints = tab.evaluate(HINTS)
                assert {(row, column, player) for row, column, player, *_ in hints} == expected
                now = {(row, column) for row, column, _player, _text, is_now in hints if is_now}
                landing = {(position.landing_row(column), column) for column in range(position.cols)}
                assert now == {(row, column) for row, column, _ in expected} & landing
                found += len(expected)
    assert found > 10


def test_legal_moves_are_those_that_the_rules_find(pages):
    record = samples.game_of("reversi", seed=5, board={"size": 8, "opening": []})
    tab = pages.open([record], "#g1m0")
    tick(tab, "legal moves")
    for ply, position in samples.positions(record):
        if ply % 3 == 0:
            tab.evaluate("place => { location.hash = place; }", f"#g1m{ply}")
            at_ply(tab, ply)
            expected = [] if position.over else cells_to_play(position.owner, position.to_move)
            assert sorted((row, column) for row, column, *_ in tab.evaluate(HINTS)) == sorted(expected)


def chains(position):
    """{box: (whether one edge is left, boxes in its chain)}, found by flooding, box by box."""
    left = {
        (row, column): [edge for edge in _edges(row, column) if edge not in position.drawn]
        for row in range(position.rows)
        for column in range(position.columns)
    }
    part = {box: edges for box, edges in left.items() if 1 <= len(edges) <= 2}
    found = {}
    for start in part:
        reached, waiting = set(), [start]
        while waiting:
            box = waiting.pop()
            if box not in reached:
                reached.add(box)
                waiting += [other for other in part if set(part[other]) & set(part[box])]
        found[start] = (len(part[start]) == 1, len(reached))
    return found


def _edges(row, column):
    letters = "ABCDEFGH"
    across = ["A" + letters[line] + letters[column] for line in (row, row + 1)]
    return across + ["B" + letters[line] + letters[row] for line in (column, column + 1)]


def test_chains_are_those_that_flooding_finds(pages):
    record = samples.game_of("dots", seed=2, board={"rows": 5, "columns": 6, "opening": []})
    tab = pages.open([record], "#g1m0")
    tick(tab, "chains")
    longest = 0
    for ply, position in samples.positions(record):
        if ply % 4 == 0:
            tab.evaluate("place => { location.hash = place; }", f"#g1m{ply}")
            at_ply(tab, ply)
            expected = chains(position)
            shown = {(row, column): (kind == "now", int(text)) for row, column, kind, text, _ in tab.evaluate(HINTS)}
            assert shown == expected
            longest = max([longest, *(length for _, length in expected.values())])
    assert longest > 3


def test_what_a_bot_expected_is_drawn_as_numbered_stones(pages):
    record = samples.game_of("connect_four")
    first = dataclasses.replace(record.moves[0], report={"value": 0.1, "pv": [record.moves[0].move, 0, 0, 9]})
    tab = pages.open([dataclasses.replace(record, moves=(first, *record.moves[1:]))], "#g1m1")
    assert tab.locator(".board .ghost").count() == 0
    tick(tab, "expected moves")
    ghosts = tab.eval_on_selector_all(
        ".board .ghost",
        "all => all.map((one) => [one.closest('.cell').dataset.col, one.textContent, one.classList.contains('p1')])",
    )
    assert sorted(ghosts) == [["0", "1", True], ["0", "2", False], ["9", "3", True]]


def test_a_turn_of_dots_that_a_bot_expected_is_drawn_edge_by_edge(pages):
    """It names whole turns, the one that it plays too; a record has an edge for each ply."""
    record = samples.game_of("dots", seed=3)
    names = [move.move for move in record.moves]
    sides = "".join(move.side for move in record.moves)
    ply = next(ply for ply in range(1, len(sides) - 3) if sides[ply - 1] == sides[ply] != sides[ply + 1])
    pv = ["".join(names[ply - 1 : ply + 1]), *names[ply + 1 : ply + 3]]
    told = dataclasses.replace(record.moves[ply - 1], report={"pv": pv})
    moves = [dataclasses.replace(move, report=None) for move in record.moves]
    moves[ply - 1] = told
    tab = pages.open([dataclasses.replace(record, moves=tuple(moves))], f"#g1m{ply}")
    tick(tab, "expected moves")
    ghosts = tab.eval_on_selector_all(
        ".board .ghost",
        "all => all.map((one) => [one.closest('.edge').dataset.edge, one.textContent, one.classList.contains('p0')])",
    )
    expected = [(names[later], str(later + 1 - ply), sides[later] == "A") for later in range(ply, ply + 3)]
    assert sorted(map(tuple, ghosts)) == sorted(expected)


def test_a_disc_after_a_pass_that_a_bot_expected_is_its_movers(pages):
    """Lines of reversi leave passes out: whose a disc is, is by the rules."""
    record, passing = next(
        (record, ply)
        for record in (samples.game_of("reversi", seed=seed) for seed in range(1, 100))
        for ply in range(2, len(record.moves) - 2)
        if record.moves[ply].side == record.moves[ply - 1].side
    )
    ply = passing - 1  # the bot's own move is the one before the pass
    shown = record.moves[ply - 1 : ply + 4]
    told = dataclasses.replace(record.moves[ply - 1], report={"pv": [*(move.move for move in shown), "z9", "a1"]})
    moves = [dataclasses.replace(move, report=None) for move in record.moves]
    moves[ply - 1] = told
    tab = pages.open([dataclasses.replace(record, moves=tuple(moves))], f"#g1m{ply}")
    tick(tab, "expected moves")
    ghosts = tab.eval_on_selector_all(
        ".board .ghost",
        "all => all.map((one) => [Number(one.textContent), one.classList.contains('p0') ? 'A' : 'B'])",
    )
    assert sorted(ghosts) == [[number, move.side] for number, move in enumerate(shown[1:], start=1)]
