"""The five leaf values of the seed's Othello program, as a slow count and as drawn boards say them."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.games.reversi.plain import Position
from bot.games.reversi.rules.board import EVALUATIONS, cell
from tests.bot.games.reversi.helpers.counts import drawn_position, position_from_picture, slow_value
from tests.bot.games.reversi.helpers.probes import as_words, evaluate


def fast_value(position, evaluation):
    return evaluate(as_words(position), EVALUATIONS.index(evaluation))


@given(st.integers(4, 10), st.integers(0, 2**32), st.sampled_from(EVALUATIONS))
def test_the_value_is_the_slow_counts(size, seed, evaluation):
    position = drawn_position(random.Random(seed), size)
    assert fast_value(position, evaluation) == slow_value(position.own, position.opponent, size, evaluation)


@given(st.integers(4, 10), st.integers(0, 2**32))
def test_only_restricting_is_not_the_others_loss(size, seed):
    position = drawn_position(random.Random(seed), size)
    other_way = Position(size, position.opponent, position.own)
    for evaluation in EVALUATIONS:
        both = fast_value(position, evaluation) + fast_value(other_way, evaluation)
        assert (both == 0) == (evaluation != "restricting" or not position.legal_cells() | other_way.legal_cells())


@pytest.mark.parametrize("size", range(4, 11))
def test_what_a_place_is_worth(size):
    """One in the middle; at an edge the size more, whichever edge; again the size where a first and a last one meet."""
    last = size - 1
    for row in range(size):
        for column in range(size):
            edges = (row == 0 or column == 0) + (row == last or column == last)
            assert fast_value(Position(size, cell(row, column), 0), "stable") == 1 + size * edges
    assert fast_value(Position(size, 0, cell(0, last)), "stable") == -1 - 2 * size
    assert fast_value(Position(size, cell(0, 0) | cell(last, last), 0), "stable") == 2 + 2 * size


# x is to move; the values are those of discs, stable, mobility, restricting, combined.
@pytest.mark.parametrize(
    "picture, values",
    [
        (".... .xo. .ox. ....", (0, 0, 0, -4, 0)),
        ("..... ..x.. .xxx. ..o.. .....", (3, 3, 0, -3, 3)),
        ("xo.. .... .... ....", (0, 0, 1, 1, 1)),
        ("xxo. .... .... o...", (0, -4, 1, 1, -3)),
        ("ooo. oxo. ooo. ....", (-7, -27, 3, 3, -24)),
    ],
)
def test_drawn_boards(picture, values):
    position = position_from_picture(picture)
    assert tuple(fast_value(position, evaluation) for evaluation in EVALUATIONS) == values
