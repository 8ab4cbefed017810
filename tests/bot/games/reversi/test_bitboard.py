"""The 8x8 rules as bit operations: right square by square, and the published numbers of games from the start."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bot.games.reversi.helpers import pvs_probes
from tests.bot.games.reversi.helpers import slow_rules as slow_reversi
from tests.bot.games.reversi.helpers.pvs_probes import EVERY_SQUARE, words

GAMES = {
    8: [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288],
    6: [4, 12, 56, 244, 1364, 7604, 47740],
    4: [4, 12, 44, 128, 424, 1256, 3624, 9116],
}
BOARDS = st.tuples(st.integers(0, EVERY_SQUARE), st.integers(0, EVERY_SQUARE)).map(
    lambda pair: (pair[0], pair[1] & ~pair[0])
)


def as_set(squares):
    return sum(1 << square for square in squares)


@settings(max_examples=80)
@given(BOARDS)
def test_moves_and_flips_of_any_board_are_those_found_step_by_step(board):
    own, opponent = board
    empty = EVERY_SQUARE & ~(own | opponent)
    assert pvs_probes.legal_moves(*words(own, opponent, empty)) == as_set(slow_reversi.legal_squares(own, opponent))
    for square in slow_reversi.SQUARES:
        if empty >> square & 1:
            assert pvs_probes.flips(*words(own, opponent), square) == slow_reversi.flips(own, opponent, square)


@settings(max_examples=60)
@given(st.integers(0, EVERY_SQUARE), st.sampled_from(slow_reversi.SQUARES))
def test_the_last_move_turns_what_it_would_turn(own, square):
    own &= ~(1 << square)
    opponent = EVERY_SQUARE & ~own & ~(1 << square)
    expected = slow_reversi.count(slow_reversi.flips(own, opponent, square))
    assert pvs_probes.count_last_flips(*words(own), square) == expected


@settings(max_examples=40)
@given(st.integers(0, EVERY_SQUARE))
def test_neighbours_touch_a_square_of_the_set(squares):
    found = int(pvs_probes.neighbours(*words(squares)))
    for square in slow_reversi.SQUARES:
        row, column = divmod(square, 8)
        touches = any(
            0 <= row + down < 8 and 0 <= column + right < 8 and squares >> 8 * (row + down) + column + right & 1
            for down, right in slow_reversi.STEPS
        )
        assert found >> square & 1 == touches or squares >> square & 1


def test_as_many_games_from_the_start_as_are_published():
    for size in GAMES:
        check_games(size)


def check_games(size):
    memory = pvs_probes.Memory(size=size)
    low = (size - 1) // 2
    light = as_set([8 * low + low, 8 * low + low + 9])
    dark = as_set([8 * low + low + 1, 8 * low + low + 8])
    found = []
    for depth in range(1, len(GAMES[size]) + 1):
        memory.ask(dark, light, 0, 0, 0, 1)
        found.append(pvs_probes.perft(memory.address, depth))
    assert found == GAMES[size]


def test_a_key_tells_positions_of_games_apart():
    generator = random.Random(6)
    positions = {slow_reversi.drawn_position(generator, generator.randrange(4, 60)) for _ in range(120)}
    positions |= {(opponent, own) for own, opponent in positions}
    for own, opponent in list(positions):
        for square in slow_reversi.legal_squares(own, opponent):
            positions.add(slow_reversi.play(own, opponent, square))
    assert len({int(pvs_probes.key_of(*words(*position))) for position in positions}) == len(positions) > 800
