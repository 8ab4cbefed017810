"""Reversi's compiled rules against the judge's, cell by cell, on boards of every size; published counts of games."""

import functools
import random
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.games.reversi.board import MAX_SIZE, MIN_SIZE, PASS, ROW_BITS, cell, number_of
from bot.games.reversi.plain import PlainSearch, Position, corners, count, safe_move, start_position
from bot.search.alphabeta_engine import MOST_MOVES
from judge.games.reversi.rules import cells_to_play, turned
from tests.bot.games.reversi.helpers.probes import as_words, list_moves, perft, play
from tests.bot.helpers.engine_trials import overrun_s

SIZES = range(MIN_SIZE, MAX_SIZE + 1)
OWN, OTHER = 0, 1
STEPS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]


def owners(position):
    """The board as the judge has it: owner[row][column] is OWN, OTHER or None."""
    return [
        [
            OWN if position.own & cell(row, column) else OTHER if position.opponent & cell(row, column) else None
            for column in range(position.size)
        ]
        for row in range(position.size)
    ]


def compiled_moves(position):
    moves = np.zeros(MOST_MOVES, np.int16)
    return moves[: list_moves(as_words(position), moves)].tolist()


def compiled_play(position, move):
    played = np.zeros(48, np.uint16)
    play(as_words(position), move, played)
    own, opponent, board = (int.from_bytes(part.tobytes(), "little") for part in np.split(played, 3))
    assert board == sum(cell(row, column) for row in range(position.size) for column in range(position.size))
    return Position(position.size, own, opponent)


def assert_rules_agree(position):
    """The compiled and the plain rules say what the judge's say of a position, for every legal move."""
    owner = owners(position)
    legal = [number_of(*place) for place in cells_to_play(owner, OWN)]
    assert compiled_moves(position) == legal
    assert position.legal_moves() == (legal or ([PASS] if cells_to_play(owner, OTHER) else []))
    for move in legal:
        flipped = sum(cell(*place) for place in turned(owner, OWN, *divmod(move, ROW_BITS)))
        after = Position(position.size, position.opponent & ~flipped, position.own | flipped | 1 << move)
        assert compiled_play(position, move) == position.play(move) == after


@st.composite
def boards(draw):
    """Any discs on any board, few or many of them."""
    size = draw(st.sampled_from(SIZES))
    generator = random.Random(draw(st.integers(0, 2**32)))
    weights = [generator.random() for _ in range(3)]
    own = opponent = 0
    for row in range(size):
        for column in range(size):
            disc = generator.choices("xo.", weights)[0]
            own |= cell(row, column) * (disc == "x")
            opponent |= cell(row, column) * (disc == "o")
    return Position(size, own, opponent)


@settings(max_examples=50)
@given(boards())
def test_any_board(position):
    assert_rules_agree(position)


@pytest.mark.parametrize("games", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_whole_games(games):
    generator = random.Random(1)
    passes = 0
    for size in games * [*SIZES, 4, 4, 5]:
        position = start_position(size)
        while position.legal_moves():
            assert_rules_agree(position)
            move = generator.choice(position.legal_moves())
            passes += move == PASS
            position = position.play(move)
        assert compiled_moves(position) == []
    assert passes


@pytest.mark.parametrize("sizes", [(4, 8, 10), pytest.param(SIZES, marks=pytest.mark.slow)])
def test_the_longest_run_is_turned_and_nothing_beyond_the_edge(sizes):
    """From one edge of the board to the other, for every line in every direction."""
    for size in sizes:
        for down, right in STEPS:
            check_longest_runs(size, down, right)


def check_longest_runs(size, down, right):
    cells = [(row, column) for row in range(size) for column in range(size)]
    begins = [place for place in cells if (place[0] - down, place[1] - right) not in cells]
    for row, column in begins:
        line = []
        while (row, column) in cells:
            line.append(cell(row, column))
            row, column = row + down, column + right
        if len(line) >= 3:
            assert_rules_agree(Position(size, line[0], sum(line[1:-1])))
        assert_rules_agree(Position(size, line[0], sum(line[1:])))


# Games of so many plies, passes among them, a finished one counting wherever it ends; 8x8: OEIS A124004.
PERFT = {
    8: [4, 12, 56, 244, 1396, 8200, 55092],
    6: [4, 12, 56, 244, 1364, 7604, 47740],
    4: [4, 12, 44, 128, 424, 1256, 3624, 9116],
}
MOST_PLAIN_LEAVES = 2000


def plain_leaves(position, depth):
    moves = position.legal_moves()
    if depth == 0 or not moves:
        return 1
    return sum(plain_leaves(position.play(move), depth - 1) for move in moves)


def test_perft_counts():
    for size, counts in PERFT.items():
        words = as_words(start_position(size))
        assert [perft(words, depth) for depth in range(1, len(counts) + 1)] == counts, size
        few = [count for count in counts if count <= MOST_PLAIN_LEAVES]
        assert [plain_leaves(start_position(size), depth) for depth in range(1, len(few) + 1)] == few, size


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
    for position in random_positions(60, 8):
        if position.legal_cells() & corners(8):
            found += 1
            assert 1 << safe_move(position) & corners(8)
    assert found > 3


@pytest.mark.parametrize("positions", [8, pytest.param(60, marks=pytest.mark.slow)])
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
    for position in random_positions(1, 10, seed=2):
        deadline = time.monotonic() + 0.1
        decision, over_s = overrun_s(functools.partial(PlainSearch(1).think, position, deadline), 0.1)
        assert over_s < 0.2
        assert decision.move in position.legal_moves() and -1 <= decision.value <= 1
