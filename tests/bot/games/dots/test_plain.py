"""The plain rules of dots and boxes and the small search on them."""

import functools
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.games.dots.board import edge_count, edges_of, turn_of
from bot.games.dots.notation import edge_name, edge_named, edges_named, name_of
from bot.games.dots.plain import (
    PlainSearch,
    Position,
    double_cross,
    numbers_of,
    openings,
    safe_edges,
    safe_move,
    start_position,
    takeable,
    worthwhile_turns,
)
from tests.bot.games.dots.helpers.counts import (
    TINY_VALUES,
    Exact,
    all_turns,
    box_edges,
    boxes_completed,
    drawn,
    drawn_position,
)
from tests.bot.helpers.engine_trials import overrun_s


def played(size, names):
    """The position after edges' names on a new board."""
    position = start_position(*size)
    for edge in edges_named(names):
        position, _ = position.draw(edge)
    return position


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_an_edge_completes_the_boxes_of_which_it_is_the_fourth(seed):
    generator = random.Random(seed)
    position, margins, side = start_position(generator.randint(1, 7), generator.randint(1, 7)), [0, 0], 0
    while not position.is_over():
        edge = generator.choice(position.legal_edges())
        expected = boxes_completed(position.rows, position.columns, set(numbers_of(position.edges)), edge)
        after, captured = position.draw(edge)
        assert captured == expected
        assert after.edges == position.edges | 1 << edge
        margins[side] += captured
        side ^= not captured
        assert after.margin == margins[side] - margins[1 - side]
        position = after
    assert sum(margins) == position.rows * position.columns and position.boxes_left() == 0
    assert position.plies() == edge_count(position.rows, position.columns)


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_what_can_be_taken_and_what_is_safe_by_counting(seed):
    position = drawn(seed, least_free=0)
    lines = set(numbers_of(position.edges))
    boxes = [box_edges(row, column) for row in range(position.rows) for column in range(position.columns)]
    for edge in position.legal_edges():
        around = [len(box & lines) for box in boxes if edge in box]
        assert (takeable(position) >> edge & 1) == (3 in around)
        assert (safe_edges(position) >> edge & 1) == (max(around) < 2)
    assert takeable(position) | safe_edges(position) == (takeable(position) | safe_edges(position)) & position.free()
    assert position.boxes_left() == sum(not box <= lines for box in boxes)


def test_the_smallest_boards_have_their_known_values():
    """By which the counting here is itself tried."""
    assert {size: Exact().value(start_position(*size)) for size in TINY_VALUES} == TINY_VALUES


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_exactly_the_whole_turns_are_allowed(seed):
    generator = random.Random(seed)
    position = drawn_position(generator, (2, 3), generator.randint(1, 6))
    legal = set(all_turns(position))
    for edges in legal:
        turn = turn_of(edges)
        assert edges_of(turn) == list(edges) and position.allows(turn)
        after = position
        for edge in edges:
            after, captured = after.draw(edge)
        assert position.play(turn).key() == (2, 3, after.edges, -after.margin if captured else after.margin)
        assert tuple(edges[:-1]) in legal or not position.allows(turn_of(edges[:-1]))
        for more in (*position.legal_edges(), edges[0], 127, 7):
            longer = turn_of((*edges, more))
            assert not position.allows(longer)
            with pytest.raises(ValueError):
                position.play(longer)
    assert not position.allows(1) and not position.allows(0)


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_legal_moves_are_a_legal_turn_for_every_free_edge(seed):
    position = drawn(seed)
    moves = position.legal_moves()
    assert [edges_of(move)[0] for move in moves] == position.legal_edges()
    assert all(position.allows(move) for move in moves)


def test_edges_that_are_not_free_are_refused():
    position = played((2, 2), "AAA")
    for edge in (edge_named("AAA"), edge_named("AAC"), edge_named("BDA"), 127, 128, -1):
        with pytest.raises(ValueError):
            position.draw(edge)


def test_the_kernels_bytes():
    position = Position(2, 3, 0b111 | 0b1000 << 64, -3)
    words = [int.from_bytes(position.to_bytes()[place : place + 8], "little") for place in range(0, 48, 8)]
    assert words == [0b111, 0b1000, 2**64 - 3, 0x070707, 0x0F0F, 0x0707]


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_the_safe_move_takes_all_and_gives_as_little_as_it_must(seed):
    position = drawn(seed)
    turn = safe_move(position)
    assert position.allows(turn)
    *_, last = edges = edges_of(turn)
    quiet = position
    while takeable(quiet):
        assert takeable(quiet) >> edges[0] & 1
        quiet, _ = quiet.draw(edges.pop(0))
    if quiet.is_over():
        assert not edges
        return
    assert edges == [last]
    given_away = {edge: gift(quiet, edge) for edge in quiet.legal_edges()}
    assert given_away[last] == min(given_away.values())


def gift(position, edge):
    """How many boxes can be taken after an edge that completes none."""
    position, captured = position.draw(edge)
    count = 0
    while takeable(position):
        position, captured = position.draw(numbers_of(takeable(position))[0])
        count += captured
    return count


def test_of_two_boxes_the_edge_between_them_is_drawn():
    """A chain of two boxes beside one of a single box, which costs less."""
    position = played((1, 3), "AAAABAABBBCABDA")
    assert safe_edges(position) == takeable(position) == 0
    assert [(cost, edge_name(edge)) for cost, edge in openings(position)] == [(1, "AAC"), (2, "BBA")]
    assert name_of(safe_move(position)) == "AAC"


@pytest.mark.parametrize(
    "size, names, expected",
    [
        # A chain of four boxes that is opened at its left end.
        ((1, 4), "AAAAABAACAADABAABBABCABDBAA", "BBABCABEA"),
        ((1, 2), "AAAAABABAABBBAA", "BCA"),
        ((1, 2), "AAAAABABAABBBAABCA", ""),
        # A loop of four.
        ((2, 2), "AAAAABACAACBBAABABBCABCBABA", "ABB"),
    ],
)
def test_the_last_boxes_of_a_chain_are_left(size, names, expected):
    position = played(size, names)
    left = double_cross(position)
    assert "".join(map(edge_name, left)) == expected
    if left:
        assert turn_of(left) in worthwhile_turns(position)


@pytest.mark.parametrize("count", [24, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("safely", (False, True))
def test_worthwhile_turns_are_enough_for_the_best_margin(safely, count):
    exact, left = Exact(), 0
    for seed in range(count):
        generator = random.Random(seed)
        position = drawn_position(generator, (3, 3), generator.randint(1, 11), safely)
        turns = worthwhile_turns(position)
        assert all(position.allows(turn) for turn in turns)
        values = [exact.value_after(position, turn) for turn in turns]
        assert max(values) == exact.value(position)
        left += bool(double_cross(position)) and values[-1] > max(values[:-1])
    assert left > count / 60


@pytest.mark.parametrize("count", [6, pytest.param(60, marks=pytest.mark.slow)])
def test_the_small_search_plays_ends_to_their_best_end(count):
    exact, best = Exact(), 0
    for seed in range(count):
        position = drawn_position(random.Random(seed), (2, 3), 9, safely=True)
        decision = PlainSearch(1).think(position, time.monotonic() + 100)
        assert decision.proven in (None, "win" if exact.value(position) > 0 else "loss")
        best += exact.value_after(position, decision.move) == exact.value(position)
        assert decision.value == pytest.approx(exact.value(position) / 6)
    assert best == count


def test_the_small_search_keeps_to_its_time():
    for seed in range(1):
        position = drawn_position(random.Random(seed), (7, 7), 112 - 5 * seed, safely=True)
        deadline = time.monotonic() + 0.1
        decision, over_s = overrun_s(functools.partial(PlainSearch(1).think, position, deadline), 0.1)
        assert over_s < 0.2
        assert position.allows(decision.move) and -1 <= decision.value <= 1
