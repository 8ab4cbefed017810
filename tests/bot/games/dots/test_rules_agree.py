"""The bot's rules of dots and boxes, plain and compiled, against the judge's, and turns against edges."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.games.dots.move_names import edge_name, edge_named
from bot.games.dots.plain import by_edges_drawn, complete, start_position, takeable
from bot.games.dots.plain_search import double_cross
from bot.games.dots.rules import perft, turns
from bot.games.dots.rules.board import VERTICAL, boxes_mask, turn_of
from bot.games.dots.rules.turn_decoder import TurnDecoder
from judge.games.dots.rules import Dots
from tests.bot.games.dots.helpers import probes as dots_probes
from tests.bot.games.dots.helpers.counts import Exact, all_turns, drawn, drawn_position
from tests.bot.helpers.probe import called

EVERY_SIZE = [(rows, columns) for rows in range(1, 8) for columns in range(1, 8)]


@pytest.fixture(scope="module")
def decoder():
    return TurnDecoder(dots_probes)


def as_numbers(words):
    """The six words of a stored state, the margin signed."""
    return [int(word) for word in words.view(np.uint64)][:2] + [int(words.view(np.int64)[2])]


def expected_numbers(position):
    return [position.edges & 2**VERTICAL - 1, position.edges >> VERTICAL, position.margin]


@pytest.mark.parametrize("size", EVERY_SIZE)
def test_random_games_edge_by_edge(size):
    generator = random.Random(str(size))
    for _ in range(1 + (size[0] * size[1] < 16)):
        judge, plain = Dots(*size), start_position(*size)
        words, after = dots_probes.as_words(plain), np.zeros(24, np.uint16)
        while not judge.over:
            side = judge.to_move
            assert sorted(judge.legal_moves()) == sorted(map(edge_name, plain.legal_edges()))
            name = generator.choice(judge.legal_moves())
            judge.play(name)
            plain, captured = plain.draw(edge_named(name))
            assert (captured > 0) == (judge.to_move == side)
            assert plain.margin == judge.counts[judge.to_move] - judge.counts[1 - judge.to_move]
            dots_probes.draw_one(words, edge_named(name), after)
            assert as_numbers(after) == expected_numbers(plain)
            words = after.copy()
        assert plain.is_over()


@given(st.integers(0, 2**32))
def test_boxes_by_their_edges(seed):
    position = drawn(seed, least_free=0)
    boxes = boxes_mask(position.rows, position.columns)
    assert dots_probes.by_edges_drawn(dots_probes.as_words(position)) == (
        *by_edges_drawn(position.edges, boxes),
        complete(position.edges, boxes),
    )


@given(st.integers(0, 2**32))
def test_the_kernels_turns_are_legal_turns_that_lead_where_they_say(decoder, seed):
    position = drawn(seed)
    codes, after = np.zeros(room(), np.int16), np.zeros(24, np.uint16)
    count = dots_probes.list_turns(dots_probes.as_words(position), codes)
    assert 0 < count <= turns.MOST_TURNS and len(set(codes[:count].tolist())) == count
    for code in codes[:count].tolist():
        turn = decoder.turn(position, code)
        assert position.allows(turn)
        dots_probes.play(dots_probes.as_words(position), code, after)
        assert as_numbers(after) == expected_numbers(position.play(turn))


def room():
    return turns.MOST_TURNS + 7


@given(st.integers(0, 2**32))
def test_a_double_cross_is_listed_where_there_is_one(seed):
    position = drawn(seed)
    codes = np.zeros(room(), np.int16)
    count = dots_probes.list_turns(dots_probes.as_words(position), codes)
    assert (codes[count - 1] & turns.DOUBLE_CROSS != 0) == bool(double_cross(position))
    assert not any(codes[: count - 1] & turns.DOUBLE_CROSS)


@given(st.integers(0, 2**32))
def test_the_turns_worth_trying_are_some_of_all(seed):
    position = drawn(seed)
    tried, listed = np.zeros(room(), np.int16), np.zeros(room(), np.int16)
    words = dots_probes.as_words(position)
    chosen = tried[: dots_probes.list_moves(words, tried)].tolist()
    assert set(chosen) <= set(listed[: dots_probes.list_turns(words, listed)].tolist())
    assert len(set(chosen)) == len(chosen) > 0


@pytest.mark.parametrize("count", [60, pytest.param(200, marks=pytest.mark.slow)])
@pytest.mark.parametrize("size", [(3, 3), (2, 5)])
def test_no_turn_is_better_than_those_worth_trying(decoder, size, count):
    """Of all legal turns, and of all that take everything and then draw any edge."""
    exact, codes = Exact(), np.zeros(room(), np.int16)
    for seed in range(count):
        generator = random.Random(seed)
        position = drawn_position(generator, size, generator.randint(1, 12), safely=seed % 2)
        count = dots_probes.list_moves(dots_probes.as_words(position), codes)
        values = [exact.value_after(position, decoder.turn(position, code)) for code in codes[:count].tolist()]
        assert max(values) == exact.value(position)


def turn_games(position, depth):
    """Games of so many merged turns: everything taken, then any edge or none; or a double-cross."""
    quiet = position
    while takeable(quiet):
        quiet, _ = quiet.draw((takeable(quiet) & -takeable(quiet)).bit_length() - 1)
    afters = [quiet.draw(edge)[0] for edge in quiet.legal_edges()] or ([quiet] if position.free() else [])
    left = double_cross(position)
    if left:
        afters.append(position.play(turn_of(left)))
    return len(afters) if depth == 1 else sum(turn_games(after, depth - 1) for after in afters)


@pytest.mark.parametrize("size, free, depth", [((2, 2), 12, 5), ((3, 3), 12, 4), ((2, 4), 12, 4), ((1, 4), 8, 5)])
def test_games_of_turns_are_counted(size, free, depth):
    position = drawn_position(random.Random(9), size, free, safely=True)
    expected = [turn_games(position, plies) for plies in range(1, depth + 1)]
    assert [
        dots_probes.perft(position, plies, called(perft.count_turn_games)) for plies in range(1, depth + 1)
    ] == expected
    assert expected[-1] > 10


def judged_edge_games(size, opening, depth):
    """(all games of so many edges, those after which the side that began is to move), by the judge's rules."""
    rules = Dots(*size, opening)
    begins = rules.to_move
    if depth == 0:
        return 1, 1
    games = back = 0
    for name in rules.legal_moves():
        after = Dots(*size)
        for drawn_before in (*opening, name):
            after.play(drawn_before)
        if after.over:
            below = (1, 1) if depth == 1 else (0, 0)
        else:
            below = judged_edge_games(size, (*opening, name), depth - 1)
        games += below[0]
        back += below[1] if after.to_move == begins else below[0] - below[1]
    return games, back


@pytest.mark.parametrize(
    "size, opening, depth", [((1, 2), "", 4), ((2, 2), "AAABAABBA", 4), ((1, 1), "", 3), ((2, 3), "AAABAABBAABBACB", 3)]
)
def test_games_of_edges_by_who_is_to_move(size, opening, depth):
    names = [opening[place : place + 3] for place in range(0, len(opening), 3)]
    position = start_position(*size)
    for name in names:
        position, _ = position.draw(edge_named(name))
    games, back = judged_edge_games(size, tuple(names), depth)
    assert games == math.perm(position.free_edges(), depth)
    assert dots_probes.perft(position, depth, called(perft.count_edge_games)) == back


@given(st.integers(0, 2**32))
def test_every_turn_of_a_small_board_is_known_to_the_plain_rules(seed):
    generator = random.Random(seed)
    position = drawn_position(generator, (2, 2), generator.randint(1, 5))
    for edges in all_turns(position):
        judge, plain = Dots(2, 2), start_position(2, 2)
        for edge in range(128):
            if position.edges >> edge & 1:
                judge.play(edge_name(edge))
                plain, _ = plain.draw(edge)
        assert plain.allows(turn_of(edges))
        side = judge.to_move
        for edge in edges:
            assert judge.to_move == side
            judge.play(edge_name(edge))
        assert judge.over or judge.to_move != side
        after = plain.play(turn_of(edges))
        assert after.margin == judge.counts[1 - side] - judge.counts[side]


def test_where_nothing_can_be_taken_separate_chains_are_worth_what_they_are():
    """Chains in a board's rows, with every edge between them drawn: the value of opening them one after another."""
    exact, checked = Exact(), 0
    for seed in range(100):
        generator = random.Random(seed)
        position = start_position(3, 4)
        for row in range(4):
            for column in range(4):
                position, _ = position.draw(8 * row + column)
        for row in range(3):
            for column in generator.sample(range(1, 4), generator.randint(0, 2)):
                if not takeable(position.draw(VERTICAL + 8 * row + column)[0]):
                    position, _ = position.draw(VERTICAL + 8 * row + column)
        if not takeable(position):
            checked += 1
            assert dots_probes.quiet_value(dots_probes.as_words(position)) == exact.rest(position)
    assert checked > 30
