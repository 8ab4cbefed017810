"""Alpha-beta's leaf value: runs as a slow count sees them, ends that are shut, forbidden or far off."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.games.connect_four.alphabeta import evaluation
from bot.games.connect_four.alphabeta.evaluation import THREE_WEIGHT, TWO_WEIGHT
from bot.games.connect_four.plain import Position, empty_position
from bot.games.connect_four.rules.board import COLUMN, COLUMN_BITS, cell
from bot.games.connect_four.rules.position import load_root
from tests.bot.games.connect_four.helpers.exhaustive import position_from_picture
from tests.bot.games.connect_four.helpers.probes import as_words
from tests.bot.games.connect_four.helpers.run_counts import slow_value
from tests.bot.helpers.probe import probe

KINDS = ("runs", "open_runs")


@probe
def evaluate(words, open_runs_only):
    return evaluation.evaluate(load_root(words, 0), open_runs_only)


@probe
def stored(words, copy):
    evaluation.store(load_root(words, 0), copy, 0)


def fast_value(position, kind):
    """What the kernels say of a position."""
    return evaluate(as_words(position), int(kind == "open_runs"))


@st.composite
def positions(draw):
    """Any stage of a random game, on any board, played on after a four too: runs then are longer."""
    rows, columns = draw(st.integers(4, 12)), draw(st.integers(4, 12))
    forbidden_cell = draw(st.none() | st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1)))
    position = empty_position(rows, columns, forbidden_cell)
    generator = random.Random(draw(st.integers(0, 2**32)))
    for _ in range(draw(st.integers(0, rows * columns - 1))):
        position = position.play(generator.choice(position.legal_moves()))
        if not position.floor:
            break
    return position


@given(positions(), st.sampled_from(KINDS))
def test_the_value_is_the_slow_counts(position, kind):
    assert fast_value(position, kind) == slow_value(position, kind)


@given(positions())
def test_a_stored_position_is_the_same(position):
    words = as_words(position)
    copy = words.copy()
    copy[:] = 0
    stored(words, copy)
    assert (copy == words).all()


# x is to move, # is the forbidden cell.
@pytest.mark.parametrize(
    "picture, runs, open_runs",
    [
        (
            """......
        ......
        .xx...""",
            TWO_WEIGHT,
            2 * TWO_WEIGHT,
        ),
        (
            """......
        ......
        xx....""",
            TWO_WEIGHT,
            0,
        ),
        (
            """......
        ......
        .xx#..""",
            TWO_WEIGHT,
            0,
        ),
        (
            """......
        ......
        .xxo..""",
            TWO_WEIGHT,
            0,
        ),
        (
            """......
        ......
        .xxx..""",
            2 * TWO_WEIGHT + THREE_WEIGHT,
            2 * THREE_WEIGHT,
        ),
        (
            """......
        .x....
        .x....""",
            TWO_WEIGHT,
            TWO_WEIGHT,
        ),
        (
            """.x....
        .x....
        .x....""",
            2 * TWO_WEIGHT + THREE_WEIGHT,
            0,
        ),
        (
            """.#....
        .x....
        .x....""",
            TWO_WEIGHT,
            0,
        ),
    ],
)
def test_runs_and_their_ends(picture, runs, open_runs):
    position = position_from_picture(picture)
    assert fast_value(position, "runs") == runs
    assert fast_value(position, "open_runs") == open_runs


@pytest.mark.parametrize("left_floor, right_floor, ends", [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 3, 2)])
def test_an_end_counts_within_two_cells_of_the_floor(left_floor, right_floor, ends):
    """Two stones in row 3, and the floors of the columns beside them: what lies below is of no matter."""
    start = empty_position(6, 6)
    ends_columns = COLUMN | COLUMN << 3 * COLUMN_BITS
    floor = cell(left_floor, 0) | cell(right_floor, 3) | start.floor & ~ends_columns
    position = Position(6, 6, start.board, 0, cell(3, 1) | cell(3, 2), 0, floor)
    assert fast_value(position, "open_runs") == ends * TWO_WEIGHT
    assert fast_value(position, "runs") == TWO_WEIGHT
