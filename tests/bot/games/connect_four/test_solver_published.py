"""The solver against values that others published, and against the committed suite of exact positions.

Rows come first here. Sources: John Tromp's table of board sizes (https://tromp.github.io/c4/c4.html), found
again and continued by Christophe Steininger (https://github.com/ChristopheSteininger/c4), and positions of
Tromp's benchmark Fhourstones (https://tromp.github.io/c4/fhour.html), whose columns count from 1.
"""

import json

import pytest

from bot.games.connect_four.plain import empty_position, winning_cells
from bot.games.connect_four.solver_engine import SolverEngine
from bot.search.scores import outcome
from tests.bot.games.connect_four.helpers.exhaustive import Solver as ExhaustiveSearch
from tests.places import POSITIONS

SUITE = POSITIONS / "exact.jsonl"
SEEN_FROM_THE_OTHER_SIDE = {"win": "loss", "draw": "draw", "loss": "win"}
RESOLVED_EVERY = 40
FEW_EMPTY = 10
MOST_NODES = 400_000  # of one move; to the end some take minutes

# (rows, columns): what the first mover has.
BOARDS = {
    (4, 4): "draw",
    (4, 5): "draw",
    (4, 6): "loss",
    (5, 4): "draw",
    (5, 5): "draw",
    (5, 6): "draw",
    (6, 4): "draw",
    (6, 5): "draw",
    (7, 4): "draw",
    (8, 4): "draw",
    (9, 4): "draw",
}
LONG = {(5, 6), (6, 5), (9, 4)}
# On 6 rows and 7 columns, eight plies played: what the side to move has.
FHOURSTONES = {"45461667": "win", "35333571": "loss"}


@pytest.fixture(scope="module")
def solver(kernels):
    return SolverEngine(kernels, table_mb=256)


def entries():
    return [json.loads(line) for line in SUITE.read_text("ascii").splitlines()]


def position_of(entry):
    """The Position of an entry; every move is legal, and the game not over before it."""
    forbidden_cell = entry["forbidden"] and (entry["rows"] - 1 - entry["forbidden"][0], entry["forbidden"][1])
    position = empty_position(entry["rows"], entry["columns"], forbidden_cell)
    for column in entry["moves"]:
        assert not position.opponent_has_won()
        position = position.play(column)
    return position


@pytest.mark.parametrize(
    "rows, columns", [pytest.param(*size, marks=pytest.mark.slow if size in LONG else ()) for size in BOARDS]
)
def test_empty_boards_have_the_published_value(solver, rows, columns):
    assert solver.solve(empty_position(rows, columns)).outcome == BOARDS[rows, columns]


@pytest.mark.parametrize("moves", ["45461667", pytest.param("35333571", marks=pytest.mark.slow)])
def test_positions_of_the_benchmark_have_the_published_value(solver, moves):
    position = empty_position(6, 7)
    for column in moves:
        position = position.play(int(column) - 1)
    assert solver.solve(position).outcome == FHOURSTONES[moves]


def test_the_suite_is_what_its_description_says():
    suite = entries()
    assert len(suite) >= 300
    positions = [position_of(entry) for entry in suite]
    assert len({position.key() for position in positions}) == len(suite)
    for entry, position in zip(suite, positions, strict=True):
        values = entry["moves_values"]
        assert not position.opponent_has_won()
        assert not winning_cells(position.own) & position.floor
        assert [int(column) for column in values] == position.legal_moves()
        assert len(set(values.values())) > 1
        assert entry["value"] == min(values.values(), key=("win", "draw", "loss").index)
        cells = entry["rows"] * entry["columns"] - (entry["forbidden"] is not None)
        assert entry["empty"] == cells - len(entry["moves"])
    sizes = {kind: [one for one in suite if one["kind"] == kind] for kind in ("small", "6x7", "endgame")}
    assert sum(map(len, sizes.values())) == len(suite)
    assert any(not one["moves"] for one in sizes["small"])
    assert {one["forbidden"] is None for one in sizes["small"]} == {True, False}
    assert sum(8 <= len(one["moves"]) <= 24 for one in sizes["6x7"]) >= 200
    assert all((one["rows"], one["columns"], one["forbidden"]) == (6, 7, None) for one in sizes["6x7"])
    for one in sizes["endgame"]:
        assert 9 <= one["rows"] <= 12 and 9 <= one["columns"] <= 12
        assert one["forbidden"] and 24 <= one["empty"] <= 50


@pytest.mark.parametrize("every", [RESOLVED_EVERY, pytest.param(12, marks=pytest.mark.slow)])
def test_a_sample_of_the_suite_has_the_recorded_values(solver, every):
    sample = entries()[::every]
    settled = 0
    for entry in sample:
        position = position_of(entry)
        for column, value in entry["moves_values"].items():
            after = position.play(int(column))
            found = solver.solve(after, nodes=MOST_NODES).outcome if after.floor else "draw"
            if found is not None:
                settled += 1
                assert SEEN_FROM_THE_OTHER_SIDE[found] == value, (entry, column)
    assert settled > 0.6 * sum(len(entry["moves_values"]) for entry in sample)


def test_trying_everything_finds_the_recorded_values():
    late = [entry for entry in entries() if entry["empty"] <= FEW_EMPTY]
    assert len(late) >= 5
    for entry in late:
        scores = ExhaustiveSearch().move_scores(position_of(entry))
        assert {str(column): outcome(score) for column, score in scores.items()} == entry["moves_values"]
