"""The exact endgame: right against trying everything, stable discs that stay, published positions."""

import random

import pytest

from bot.games.reversi.config import DEFAULT
from bot.games.reversi.pvs_engine import ReversiEngine
from bot.search.limits import PROCESS_MB
from tests.bot.games.reversi.helpers import pvs_probes
from tests.bot.games.reversi.helpers import slow_rules as slow_reversi
from tests.bot.games.reversi.helpers.pvs_probes import EVERY_SQUARE, words

# Endgames of the fforum suite by number: x is to move; the moves that reach the score.
PUBLISHED = [
    ("o..oooox.ooooooxooxxoooxooxoooxxooooooxx...oooox....o..x........", "a2", 38),  # 40
    (".ooooo....oooox..oooooo.xxxxxoo..xxoox..ooxoxx....oxxo...ooo..o.", "h4", 0),  # 41
    ("..ooo.......xx.ooooooxoo.ooooxoox.oooxxo...ooxoo...oooxo..oooo..", "g2", 6),  # 42
    ("..ooooo...oooo...xxxoo...xxoooo..xxooox.xxxxoxx....oxo....ooooo.", "g3 c7", -12),  # 43
    ("..x.o.x...x.ox.x.xxoooxxxxxxoooxxxxxoo..ooxxox....oooo.....ooo..", "d2 b8", -14),  # 44
]


def windows(score):
    return [alpha for alpha in (score - 3, score - 1, score, score + 1, -1, 0) if -64 <= alpha < 64]


@pytest.fixture(scope="module")
def memory():
    return pvs_probes.Memory()


POSITIONS = {1: 12, 2: 20, 3: 20, 4: 16, 5: 10, 6: 4, 7: 1}


@pytest.mark.parametrize("times", [1, pytest.param(6, marks=pytest.mark.slow)])
def test_every_null_window_is_answered_as_trying_everything_answers_it(memory, times):
    for empty_squares, positions in POSITIONS.items():
        check_null_windows(memory, empty_squares, times * positions)


def check_null_windows(memory, empty_squares, positions):
    generator = random.Random(empty_squares)
    for _ in range(positions):
        own, opponent = slow_reversi.drawn_position(generator, empty_squares)
        score = slow_reversi.best_score(own, opponent)
        empty = EVERY_SQUARE & ~(own | opponent)
        for alpha in windows(score):
            found = pvs_probes.solve_small(memory.address, *words(own, opponent), alpha, *words(empty), empty_squares)
            assert alpha < found <= score if score > alpha else score <= found <= alpha
        for alpha, beta in ((-64, 64), (score - 2, score + 2), (score, score + 4), (score - 4, score), (-1, 1)):
            found = pvs_probes.solve_window(
                memory.address, *words(own, opponent), alpha, beta, *words(empty), empty_squares
            )
            if alpha < score < beta:
                assert found == score
            else:
                assert found <= alpha if score <= alpha else found >= beta


def late_positions_without_a_move(generator, games):
    """(own, opponent) with at most 8 empty squares of random games, where the mover has to pass or the game is over."""
    for _ in range(games):
        own, opponent = slow_reversi.START
        while slow_reversi.legal_squares(own, opponent) or slow_reversi.legal_squares(opponent, own):
            moves = slow_reversi.legal_squares(own, opponent)
            if moves:
                own, opponent = slow_reversi.play(own, opponent, generator.choice(moves))
            else:
                own, opponent = opponent, own
            if slow_reversi.count(own | opponent) >= 56 and not slow_reversi.legal_squares(own, opponent):
                yield own, opponent


def test_a_side_without_a_move_passes_and_two_end_the_game(memory):
    passes = ends = 0
    for own, opponent in late_positions_without_a_move(random.Random(12), 30):
        over = not slow_reversi.legal_squares(opponent, own)
        passes, ends = passes + (not over), ends + over
        empty = EVERY_SQUARE & ~(own | opponent)
        score = slow_reversi.best_score(own, opponent)
        for alpha in windows(score):
            found = pvs_probes.solve_small(
                memory.address, *words(own, opponent), alpha, *words(empty), slow_reversi.count(empty)
            )
            assert (found > alpha) == (score > alpha)
            assert found == score or not over
    assert passes > 8 and ends > 8


def test_stable_discs_are_never_turned():
    """Random games are played out from positions: what was stable keeps its side."""
    generator, seen = random.Random(3), 0
    for _ in range(60):
        own, opponent = slow_reversi.drawn_position(generator, generator.randrange(2, 40))
        empty = EVERY_SQUARE & ~(own | opponent)
        stable = [int(pvs_probes.stable_discs(*words(side, empty))) for side in (own, opponent)]
        assert stable[0] & ~own == 0 and stable[1] & ~opponent == 0
        seen += slow_reversi.count(stable[0] | stable[1])
        for _ in range(2):
            sides, mover = [own, opponent], 0
            while True:
                moves = slow_reversi.legal_squares(sides[mover], sides[1 - mover])
                if not moves:
                    mover = 1 - mover
                    moves = slow_reversi.legal_squares(sides[mover], sides[1 - mover])
                if not moves:
                    break
                sides[1 - mover], sides[mover] = slow_reversi.play(
                    sides[mover], sides[1 - mover], generator.choice(moves)
                )
                mover = 1 - mover
                assert stable[0] & ~sides[0] == 0 and stable[1] & ~sides[1] == 0
    assert seen > 200


def test_a_corner_and_full_lines_are_stable():
    column, row = sum(1 << 8 * place for place in range(8)), 0xFF
    assert pvs_probes.stable_discs(*words(1, EVERY_SQUARE & ~1)) == 1
    assert pvs_probes.stable_discs(*words(row, EVERY_SQUARE & ~row)) == row
    assert pvs_probes.stable_discs(*words(row & ~0x81, EVERY_SQUARE & ~row)) == row & ~0x81  # a full edge of two sides
    assert pvs_probes.stable_discs(*words(0x7E, EVERY_SQUARE & ~0x7E)) == 0
    assert pvs_probes.stable_discs(*words(row | column | 0x0200, EVERY_SQUARE & ~(row | column | 0x0200))) == (
        row | column | 0x0200
    )
    assert pvs_probes.stable_discs(*words(EVERY_SQUARE, 0)) == EVERY_SQUARE


@pytest.mark.parametrize(
    "picture, best, score", [PUBLISHED[0], *[pytest.param(*case, marks=pytest.mark.slow) for case in PUBLISHED[1:]]]
)
def test_published_endgames(picture, best, score):
    engine = ReversiEngine(pvs_probes, DEFAULT, PROCESS_MB + 64, seed=1)
    sides = [sum(1 << square for square, mark in enumerate(picture) if mark == side) for side in "xo"]
    solution = engine.solve(pvs_probes.as_position(*sides), exact=True)
    assert solution.score == score
    assert "abcdefgh"[solution.move % 16] + "12345678"[solution.move // 16] in best.split()
