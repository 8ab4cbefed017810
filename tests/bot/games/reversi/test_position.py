"""Reversi's compiled rules against the judge's, cell by cell, on boards of every size; published counts of games."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.games.reversi.plain import PASS, Position, start_position
from bot.games.reversi.rules.board import MAX_SIZE, MIN_SIZE, ROW_BITS, cell, number_of
from bot.search.alphabeta.layout import MOST_MOVES
from judge.games.reversi.rules import cells_to_play, turned
from tests.bot.games.reversi.helpers.probes import as_words, list_moves, perft, play

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


@given(boards())
def test_any_board(position):
    assert_rules_agree(position)


@pytest.mark.parametrize("size", SIZES)
def test_whole_games(size):
    generator = random.Random(size)
    passes = 0
    for _ in range(20):
        position = start_position(size)
        while position.legal_moves():
            assert_rules_agree(position)
            move = generator.choice(position.legal_moves())
            passes += move == PASS
            position = position.play(move)
        assert compiled_moves(position) == []
    assert passes


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("down, right", STEPS)
def test_the_longest_run_is_turned_and_nothing_beyond_the_edge(size, down, right):
    """From one edge of the board to the other, for every line in that direction."""
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


@pytest.mark.parametrize(
    "size, counts",
    [
        (8, [4, 12, 56, 244, 1396, 8200, 55092, 390216]),
        (6, [4, 12, 56, 244, 1364, 7604, 47740]),
        (4, [4, 12, 44, 128, 424, 1256, 3624, 9116]),
    ],
)
def test_perft_counts(size, counts):
    words = as_words(start_position(size))
    assert [perft(words, depth) for depth in range(1, len(counts) + 1)] == counts
