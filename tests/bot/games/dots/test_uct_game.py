"""Dots and boxes as the tree search for many moves asks for it: moves, one of equals, results, and more."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.games.dots import rules
from bot.games.dots.board import VERTICAL
from bot.games.dots.plain import (
    boxes_mask,
    complete,
    edges_around,
    openings,
    safe_edges,
    start_position,
    takeable,
    taking,
)
from bot.games.dots.uct_engine import DOUBLE_CROSS_MOVES, MERGED, ONE_OF_EQUALS, SINGLE_EDGE
from tests.bot.games.dots.helpers.positions import cost, drawn_position, nested
from tests.bot.games.dots.helpers.uct_probes import SearchMemory

SIZES = [(1, 1), (1, 4), (2, 2), (3, 3), (2, 5), (5, 5), (7, 7)]
POSITIONS = {"size": st.sampled_from(SIZES), "seed": st.integers(0, 10**6), "share": st.floats(0.02, 1)}


def drawn(size, seed, share):
    edges = start_position(*size).free_edges()
    return drawn_position(random.Random(seed), *size, max(1, round(share * edges)))


@settings(max_examples=30, deadline=None)
@given(**POSITIONS)
def test_single_edges_are_all_free_ones(size, seed, share):
    position = drawn(size, seed, share)
    codes, preferred = SearchMemory(0).moves(position)
    assert sorted(code - SINGLE_EDGE for code in codes) == position.legal_edges() and preferred == len(codes)


@settings(max_examples=30, deadline=None)
@given(**POSITIONS)
def test_merged_moves_take_everything_and_draw_any_edge_left(size, seed, share):
    position = drawn(size, seed, share)
    _, rest = taking(position)
    last = rest.legal_edges() or [rules.NOTHING_IS_RUNNING]
    codes, _ = SearchMemory(MERGED).moves(position)
    assert sorted(codes) == last
    codes, _ = SearchMemory(MERGED | DOUBLE_CROSS_MOVES).moves(position)
    assert sorted(code for code in codes if not code & rules.DOUBLE_CROSS) == last
    assert len(codes) - len(last) in (0, 1)


@settings(max_examples=60, deadline=None)
@given(**POSITIONS)
def test_one_of_equals_leaves_every_kind_of_move(size, seed, share):
    position = drawn(size, seed, share)
    memory = SearchMemory(MERGED | DOUBLE_CROSS_MOVES | ONE_OF_EQUALS)
    codes, preferred = memory.moves(position)
    every, _ = SearchMemory(MERGED | DOUBLE_CROSS_MOVES).moves(position)
    assert set(codes) <= set(every) and len(set(codes)) == len(codes)
    assert double_crosses(codes) == double_crosses(every)
    _, rest = taking(position)
    edges = [code for code in codes if code < rules.NOTHING_IS_RUNNING]
    # Safe edges: all but equal ones, that is, border edges of a box of which another border edge is listed.
    safe = safe_edges(rest)
    inner = sum(1 << edge for edge in edges) & safe
    for edge in rest.legal_edges():
        if safe >> edge & 1 and not inner >> edge & 1:
            assert any(
                border_box(rest, other) == border_box(rest, edge) is not None for other in edges if inner >> other & 1
            )
    # Openings: of each set of boxes that can be given away, one edge at least, and the cheapest first.
    opened = [edge for edge in edges if not safe >> edge & 1]
    assert {given_away(rest, edge) for edge in opened} == {given_away(rest, edge) for edge in openings_of(rest)}
    costs = [cost(rest, edge) for edge in opened]
    assert costs == sorted(costs)
    listed_first = [code for code in codes[:preferred] if code < rules.NOTHING_IS_RUNNING]
    assert listed_first == (edges if not inner else [edge for edge in edges if safe >> edge & 1])


def double_crosses(codes):
    return [code for code in codes if code & rules.DOUBLE_CROSS]


def openings_of(position):
    return [edge for edge in position.legal_edges() if not safe_edges(position) >> edge & 1]


def given_away(position, edge):
    after, _ = position.draw(edge)
    return complete(taking(after)[1].edges, boxes_mask(position.rows, position.columns))


def border_box(position, edge):
    """The only box that an edge belongs to, None for an edge between two."""
    boxes = [8 * row + column for row in range(position.rows) for column in range(position.columns)]
    around = [box for box in boxes if edges_around(1 << box) >> edge & 1]
    return around[0] if len(around) == 1 else None


def test_a_chain_of_two_is_opened_in_its_middle():
    position = nested(2, 3)  # chains of 1, 2 and 3 boxes; the 2 runs down the last column
    codes, preferred = SearchMemory(MERGED | ONE_OF_EQUALS).moves(position)
    assert len(codes) == preferred == 3
    assert [cost(position, edge) for edge in codes] == [1, 2, 3]
    assert codes[1] == 8 + 2
    assert [edge for _, edge in openings(position)][1] == codes[1]


def test_an_empty_board_has_one_edge_of_each_corner():
    codes, preferred = SearchMemory(MERGED | ONE_OF_EQUALS).moves(start_position(5, 5))
    assert len(codes) == preferred == 60 - 4
    assert 0 in codes and VERTICAL not in codes


@pytest.mark.parametrize("size", [(1, 1), (2, 2)])
def test_the_last_turn_of_a_game_is_listed(size):
    start = start_position(*size)
    last = type(start)(*size, start.free() & ~(1 << 8), 0)
    assert takeable(last)
    for kind in (MERGED, MERGED | DOUBLE_CROSS_MOVES | ONE_OF_EQUALS):
        assert SearchMemory(kind).moves(last) == ([rules.NOTHING_IS_RUNNING], 1)
