"""Reversi's plain rules and the small search on them."""

import functools
import itertools
import random
import time

import pytest

from bot.games.reversi.plain import PlainSearch, Position, corners, count, safe_move, start_position
from bot.games.reversi.rules.board import PASS, cell
from tests.bot.helpers.engine_trials import overrun_s

LOOKS = 100  # at the clock, in a turn
# Number of games of so many plies, a finished one counting wherever it ends; 8x8: OEIS A124004.
PERFT = {
    8: (4, 12, 56, 244, 1396, 8200),
    6: (4, 12, 56, 244, 1364, 7604),
    4: (4, 12, 44, 128, 424, 1256, 3624, 9116),
}


def perft(position, depth):
    moves = position.legal_moves()
    if depth == 0 or not moves:
        return 1
    return sum(perft(position.play(move), depth - 1) for move in moves)


@pytest.mark.parametrize("size", PERFT)
def test_perft(size):
    assert tuple(perft(start_position(size), depth) for depth in range(1, len(PERFT[size]) + 1)) == PERFT[size]


def value_of(position, known, count_end=Position.disc_difference):
    """Exact value for the side to move, the ends counted in one way or another."""
    if position.key() not in known:
        moves = position.legal_moves()
        known[position.key()] = (
            max(-value_of(position.play(move), known, count_end) for move in moves) if moves else count_end(position)
        )
    return known[position.key()]


def discs_alone(position):
    return count(position.own) - count(position.opponent)


def test_the_smallest_board_is_a_win_by_eight_discs_for_the_second_mover():
    """3 to 11, and two cells stay free."""
    assert value_of(start_position(4), {}, discs_alone) == -8
    assert value_of(start_position(4), {}) == -10


def random_positions(wanted, size, seed=1):
    generator = random.Random(seed)
    while wanted:
        position = start_position(size)
        for _ in range(generator.randrange(size * size - 4)):
            if position.is_over():
                break
            position = position.play(generator.choice(position.legal_moves()))
        if not position.is_over():
            wanted -= 1
            yield position


@pytest.mark.parametrize("size", (4, 5, 6, 7, 8, 9, 10))
def test_moves_turn_discs_and_nothing_else(size):
    for position in random_positions(30, size):
        for move in position.legal_moves():
            after = position.play(move)
            if move == PASS:
                assert (after.own, after.opponent) == (position.opponent, position.own)
                continue
            turned = position.flips(move)
            assert turned and turned & position.own == 0 and turned & position.opponent == turned
            assert after.opponent == position.own | turned | 1 << move
            assert after.own == position.opponent ^ turned


def test_illegal_moves_are_refused():
    position = start_position(8)
    for move in (PASS, 0, 16 * 3 + 3, 16 * 3 + 9, -5):
        with pytest.raises(ValueError):
            position.play(move)


def test_a_win_is_given_the_free_cells():
    alone = Position(8, cell(0, 0) | cell(0, 1), 0)
    assert alone.is_over() and alone.disc_difference() == 64
    assert Position(8, 0, cell(0, 0)).disc_difference() == -64


def test_a_corner_is_taken_at_once():
    found = 0
    for position in random_positions(200, 8):
        if position.legal_cells() & corners(8):
            found += 1
            assert 1 << safe_move(position) & corners(8)
    assert found > 10


@pytest.mark.parametrize("positions", [20, pytest.param(60, marks=pytest.mark.slow)])
def test_the_small_search_plays_endgames_to_their_best_end(positions):
    settled = 0
    for position in random_positions(positions, 4, seed=5):
        known = {}
        decision = PlainSearch(1).think(position, time.monotonic() + 100)
        values = {move: -value_of(position.play(move), known) for move in position.legal_moves()}
        best = max(values.values())
        assert decision.move in values
        assert (values[decision.move] > 0) == (best > 0) and (values[decision.move] < 0) == (best < 0)
        if decision.proven is not None:
            settled += 1
            assert {"win": best > 0, "loss": best < 0}[decision.proven]
    assert settled > positions / 3


def test_the_small_search_keeps_to_its_time():
    for position in random_positions(4, 10, seed=2):
        deadline = time.monotonic() + 0.1
        decision, over_s = overrun_s(functools.partial(PlainSearch(1).think, position, deadline), 0.1)
        assert over_s < 0.1
        assert decision.move in position.legal_moves() and -1 <= decision.value <= 1


def test_the_small_search_beats_chance():
    generator, points = random.Random(4), 0
    for game in range(10):
        position, ply = start_position(6), 0
        while not position.is_over():
            if ply % 2 == game % 2:
                move = PlainSearch(1).think(position, LOOKS, itertools.count().__next__).move
            else:
                move = generator.choice(position.legal_moves())
            position, ply = position.play(move), ply + 1
        difference = position.disc_difference() * (1 if ply % 2 == game % 2 else -1)
        points += difference > 0
    assert points >= 9
