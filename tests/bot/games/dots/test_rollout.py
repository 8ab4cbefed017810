"""Games that compiled rollouts of dots and boxes play to the end: consistent with plain play, and chains by hand."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.games.dots.notation import edges_named
from bot.games.dots.plain import Position, numbers_of, safe_edges, start_position, takeable, taking
from bot.games.dots.uct_engine import CHAINS, MERGED
from bot.search.uct.control import FLAG_AMAF
from tests.bot.games.dots.helpers.positions import cost, drawn_position, nested, opened
from tests.bot.games.dots.helpers.uct_probes import SearchMemory

SIZES = [(1, 1), (1, 3), (2, 2), (3, 3), (2, 5), (5, 5), (7, 7), (4, 6)]


def replay(position, moves, merged):
    """The margin, for the side to move in `position`, after a rollout's traced moves [(edge, side)]."""
    side = 0
    if merged:
        _, position = taking(position)
    for edge, mover in moves:
        assert mover == side
        position, captured = position.draw(edge)
        if merged:
            assert not captured
            _, position = taking(position)
            side ^= 1
        else:
            side ^= not captured
    assert position.is_over()
    return position.margin if side == 0 else -position.margin


@pytest.mark.parametrize("rules", [0, MERGED])
@settings(max_examples=30, deadline=None)
@given(size=st.sampled_from(SIZES), seed=st.integers(0, 10**6), share=st.floats(0.02, 1))
def test_random_rollouts_are_games_to_the_end(rules, size, seed, share):
    generator = random.Random(seed)
    edges = start_position(*size).free_edges()
    position = drawn_position(generator, *size, max(1, round(share * edges)))
    memory = SearchMemory(rules, flags=FLAG_AMAF, seed=seed + 1)
    margin, moves = memory.rollout(position)
    assert margin == replay(position, moves, rules == MERGED)


@pytest.mark.parametrize("rules", [0, MERGED])
def test_random_rollouts_begin_with_every_edge_equally_often(rules):
    position, memory = start_position(2, 2), SearchMemory(rules, flags=FLAG_AMAF)
    counts = dict.fromkeys(position.legal_edges(), 0)
    for _ in range(2000):
        _, moves = memory.rollout(position)
        counts[moves[0][0]] += 1
    assert min(counts.values()) > 107 and max(counts.values()) < 227  # 167 each but for five deviations of 12


@settings(max_examples=30, deadline=None)
@given(size=st.sampled_from(SIZES), seed=st.integers(0, 10**6), share=st.floats(0.02, 1))
def test_rollouts_with_chains_draw_safe_edges_while_there_are_such_and_then_open_the_cheapest(size, seed, share):
    generator = random.Random(seed)
    edges = start_position(*size).free_edges()
    position = drawn_position(generator, *size, max(1, round(share * edges)))
    memory = SearchMemory(MERGED | CHAINS, flags=FLAG_AMAF, seed=seed + 1)
    margin, moves = memory.rollout(position)
    assert abs(margin - position.margin) <= position.boxes_left()
    _, position = taking(position)
    safe_before = bool(safe_edges(position))
    for place, (edge, side) in enumerate(moves):
        safe = safe_edges(position)
        assert safe >> edge & 1 or not safe
        if safe:
            assert side == place % 2
        if not safe:
            costs = [cost(position, other) for other in position.legal_edges()]
            assert cost(position, edge) == min(costs)
        position, captured = position.draw(edge)
        assert not captured
        assert not takeable(position) or not safe
        _, position = taking(position)
    assert position.is_over() or not (moves or safe_before)


# Rows, columns, chains that are complete, net boxes.
BY_THE_BOOK = [
    (1, 1, (), -1),
    (1, 2, (), 0),
    (1, 3, (), -1),
    (2, 2, (), 2),  # 1, 3: one is given and three are got
    (2, 2, (0,), -3),  # 3
    (2, 3, (), -2),  # 1, 2, 3: one given, two got, three given
    (2, 4, (), 2),  # 1, 2, 2, 3
    (3, 3, (), 3),  # 1, then who opens the 3 gets two of it and loses the 5: 1 for 1 + 5 - 2
    (3, 3, (0,), -4),  # 3, 5
    (3, 4, (), 2),  # 1, 3, 3, 5
    (3, 5, (), 1),  # 1, 3, 3, 3, 5
    (4, 4, (), 6),  # 1, 3, 5, 7
    (3, 5, (0, 2), -1),  # 3, 3, 3: two of each of the first two, then three
]


def test_chains_are_opened_and_controlled_by_the_book():
    for rows, columns, without, value in BY_THE_BOOK:
        position = nested(rows, columns, without)
        memory = SearchMemory(MERGED | CHAINS)
        assert not takeable(position) and not safe_edges(position)
        assert {memory.rollout(position)[0] for _ in range(5)} == {value}, (rows, columns, without)


def test_a_loop_is_left_four_boxes_at_a_time():
    # Two loops of four boxes: the border and the middle line of a 2 x 4 board are drawn.
    position = start_position(2, 4)
    edges = 0
    for edge in edges_named("AAAAABAACAADACAACBACCACDBAABABBEABEBBCABCB"):
        edges |= 1 << edge
    position = Position(2, 4, edges, 0)
    assert numbers_of(position.free()) and not takeable(position) and not safe_edges(position)
    # The first is taken whole: to leave four boxes of four would gain nothing before the last loop, 4 + 4 - 8 = 0.
    assert SearchMemory(MERGED | CHAINS).rollout(position)[0] == 0


def test_an_open_chain_is_left_its_last_boxes_where_the_rest_is_worth_it():
    # All of the 5 but two, which are lost like the first two of it gained: 3 - 2, then the other side opens the 3.
    assert SearchMemory(MERGED | CHAINS).rollout(opened(nested(3, 3, (0,)), "BAC"))[0] == 3 - 2 + 3
    # 3 and 7 behind it: of the 3 one more for the other side, and all of the 7.
    assert SearchMemory(MERGED | CHAINS).rollout(opened(nested(4, 4, (0,)), "BAC"))[0] == 3 - 2 + 1 - 2 + 7
    # 1, 3 and 5 behind a 7: whoever opens gets more than who does not, so nothing is left.
    assert SearchMemory(MERGED | CHAINS).rollout(opened(nested(4, 4), "BAD"))[0] == 7 + 3


def test_the_same_seed_gives_the_same_rollouts():
    position = start_position(4, 4)
    for rules in (0, MERGED, MERGED | CHAINS):
        found = [
            [SearchMemory(rules, flags=FLAG_AMAF, seed=seed).rollout(position) for _ in range(2)] for seed in (5, 5, 6)
        ]
        assert found[0] == found[1] != found[2]


def test_time_rollouts_sum_is_the_sum_of_rollouts():
    position, memory, other = start_position(3, 3), SearchMemory(0), SearchMemory(0)
    assert memory.sum_of_rollouts(position, 50) == sum(other.rollout(position)[0] for _ in range(50))
    assert np.sign(memory.sum_of_rollouts(position, 1)) != 0
