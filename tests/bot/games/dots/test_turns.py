"""Whole turns as kernels list and play them, against edges drawn one by one."""

import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.games.dots.move_names import edge_name, edge_named, edges_named, name_of
from bot.games.dots.rules import boxes, turns
from bot.games.dots.rules.board import (
    EDGE_BITS,
    VERTICAL,
    boxes_mask,
    edge_count,
    edges_of,
    horizontal_mask,
    turn_of,
    vertical_mask,
)
from tests.bot.helpers.probe import called

SMALL = ((1, 1), (1, 2), (1, 4), (2, 2), (2, 3), (3, 2), (3, 3))

complete, with_three, with_two = map(called, (boxes.complete, boxes.with_three, boxes.with_two))
list_turns, play_turn, turn_edges = map(called, (turns.list_turns, turns.play_turn, turns.turn_edges))
load_root, store = called(turns.load_root), called(turns.store)


class Board:
    """A board as dots and boxes is explained to a child: a set of edges, and boxes with four each."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.all = [8 * row + column for row in range(rows + 1) for column in range(columns)]
        self.all += [VERTICAL + 8 * row + column for row in range(rows) for column in range(columns + 1)]
        self.around = [
            {box, box + 8, VERTICAL + box, VERTICAL + box + 1}
            for box in (8 * row + column for row in range(rows) for column in range(columns))
        ]

    def completed(self, drawn, edge):
        """How many boxes an edge completes that is not drawn yet."""
        return sum(edge in box and box - {edge} <= drawn for box in self.around)

    def counts(self, drawn):
        """{box bit: edges drawn}."""
        return {min(box): len(box & drawn) for box in self.around}

    def state(self, drawn, margin=0):
        """The kernels' state."""
        words = [0, 0]
        for edge in drawn:
            words[edge >= VERTICAL] |= 1 << edge % VERTICAL
        masks = (horizontal_mask, vertical_mask, boxes_mask)
        return (
            np.uint64(words[0]),
            np.uint64(words[1]),
            np.int64(margin),
            *(np.uint64(mask(self.rows, self.columns)) for mask in masks),
        )

    def drawn_in(self, state):
        return frozenset(
            [bit for bit in range(64) if int(state[0]) >> bit & 1]
            + [VERTICAL + bit for bit in range(64) if int(state[1]) >> bit & 1]
        )


@st.composite
def positions(draw, sizes=SMALL, most_free=None):
    """(Board, drawn edges) of any position, reached or not."""
    board = Board(*draw(st.sampled_from(sizes)))
    order = draw(st.permutations(board.all))
    least = 0 if most_free is None else max(0, len(order) - most_free)
    return board, frozenset(order[: draw(st.integers(least, len(order)))])


def listed(state):
    codes = np.zeros(turns.MOST_TURNS, np.int16)
    return [int(code) for code in codes[: list_turns(state, codes, 0)]]


def edges_drawn(state, code):
    edges = np.zeros(128, np.int16)
    return [int(edge) for edge in edges[: turn_edges(state, code, edges, 0)]]


def test_the_largest_board_has_the_bits_that_the_constants_say():
    assert edge_count(7, 7) + 1 == turns.MOST_TURNS
    assert len(Board(7, 7).all) == edge_count(7, 7)
    assert max(Board(7, 7).all) < turns.NOTHING_LEFT < 1 << EDGE_BITS


@settings(deadline=None)
@given(positions(sizes=(*SMALL, (7, 7), (5, 5), (1, 7), (7, 1))))
def test_boxes_are_counted_by_their_edges(position):
    board, drawn = position
    state = board.state(drawn)
    counts = board.counts(drawn)
    for function, number in ((complete, 4), (with_three, 3), (with_two, 2)):
        expected = sum(1 << box for box, count in counts.items() if count == number)
        assert int(function(state[0], state[1], state[5])) == expected


@given(st.lists(st.integers(0, 119), min_size=1, max_size=30))
def test_turns_are_numbers_and_back(edges):
    assert edges_of(turn_of(edges)) == edges


def test_names_are_the_platforms():
    assert [edge_name(edge) for edge in (0, 1, 8, VERTICAL, VERTICAL + 1, VERTICAL + 8)] == [
        "AAA",
        "AAB",
        "ABA",
        "BAA",
        "BBA",
        "BAB",
    ]
    assert name_of(turn_of([9, VERTICAL + 11])) == "ABBBDB"
    for board in (Board(5, 5), Board(7, 7), Board(1, 7)):
        assert [edge_named(edge_name(edge).lower()) for edge in board.all] == board.all
    assert edges_named("AABBBA") == [1, VERTICAL + 1]
    for text in ("AAH", "CAA", "AIA", "AA", "AABB", "A B", "1AA"):
        assert edges_named(text) is None


@settings(deadline=None)
@given(positions(), st.randoms(use_true_random=False))
def test_every_listed_turn_is_what_the_rules_allow(position, chance):
    """Its edges are free, all but the last complete a box, and the state after it is what they lead to."""
    board, drawn = position
    state = board.state(drawn, margin=chance.randrange(-5, 6))
    found = listed(state)
    assert len(found) == len(set(found))
    assert bool(found) == (len(drawn) < len(board.all))
    for code in found:
        now, taken = set(drawn), 0
        edges = edges_drawn(state, code)
        for place, edge in enumerate(edges):
            assert edge in board.all and edge not in now
            completed = board.completed(now, edge)
            now.add(edge)
            taken += completed
            is_last = place == len(edges) - 1
            assert (completed > 0) != is_last or is_last and len(now) == len(board.all), (sorted(drawn), code, edges)
        after = play_turn(state, code)
        assert board.drawn_in(after) == now
        assert int(after[2]) == -(int(state[2]) + taken)


@settings(deadline=None)
@given(positions())
def test_states_are_stored_and_loaded(position):
    board, drawn = position
    state = board.state(drawn, margin=-3)
    halves = np.zeros(turns.STATE_HALVES + 2, np.uint16)
    store(state, halves, 2)
    assert load_root(halves, 2) == state


def value_edge_by_edge(board, drawn):
    """Boxes of the side to move less the other's from here on, every edge tried."""

    @cache
    def value(drawn):
        best = None
        for edge in board.all:
            if edge not in drawn:
                completed, after = board.completed(drawn, edge), drawn | {edge}
                found = completed + value(after) if completed else -value(after)
                best = found if best is None else max(best, found)
        return best or 0

    return value(frozenset(drawn))


def value_by_turns(state):
    """The same by the listed turns alone."""

    @cache
    def value(across, beside):
        start = (across, beside, np.int64(0), *state[3:])
        values = [
            -value(after[0], after[1]) - int(after[2]) for after in (play_turn(start, code) for code in listed(start))
        ]
        return max(values, default=0)

    return value(state[0], state[1])


@settings(deadline=None, max_examples=150)
@given(positions(most_free=12))
def test_the_turns_that_are_left_out_are_not_needed(position):
    board, drawn = position
    state = board.state(drawn)
    assert value_by_turns(state) == value_edge_by_edge(board, drawn)


@pytest.mark.parametrize("rows, columns, value", [(1, 1, -1), (1, 2, 0), (1, 3, -1), (2, 2, 2)])
def test_known_values_of_whole_boards(rows, columns, value):
    """The smallest of those that Barker and Korf (AAAI 2012) and Wilson give."""
    assert value_by_turns(Board(rows, columns).state(())) == value


def _drawn_but(board, *free):
    return frozenset(board.all) - {edge_named(name) for name in free}


def test_a_double_cross_leaves_two_of_an_open_chain():
    """A corridor of three boxes, its left end takeable and its right end open to the border."""
    board = Board(1, 3)
    state = board.state(_drawn_but(board, "BBA", "BCA", "BDA"))
    (take, cross) = listed(state)
    assert [edge_name(edge) for edge in edges_drawn(state, take)] == ["BBA", "BCA", "BDA"]
    assert [edge_name(edge) for edge in edges_drawn(state, cross)] == ["BBA", "BDA"]
    assert take == turns.NOTHING_LEFT and cross & turns.DOUBLE_CROSS


def test_a_double_cross_leaves_four_of_an_opened_loop_as_two_pairs():
    """The ring of a 2 x 2 board, opened by an edge of it: the two boxes beside that edge are takeable."""
    board = Board(2, 2)
    state = board.state(_drawn_but(board, "BBA", "ABA", "BBB"))
    (take, cross) = listed(state)
    assert len(edges_drawn(state, take)) == 3
    assert [edge_name(edge) for edge in edges_drawn(state, cross)] == ["ABA"]
    after = play_turn(state, cross)
    assert int(with_three(after[0], after[1], after[5])).bit_count() == 4


def test_random_turns_end_every_game_with_all_boxes_taken():
    chance = random.Random(5)
    for rows, columns in ((1, 1), (3, 4), (5, 5), (7, 7)):
        state = Board(rows, columns).state(())
        sign = 1
        while listed(state):
            state = play_turn(state, chance.choice(listed(state)))
            sign = -sign
        assert complete(state[0], state[1], state[5]) == state[5]
        assert abs(int(state[2])) <= rows * columns and (int(state[2]) - rows * columns) % 2 == 0
