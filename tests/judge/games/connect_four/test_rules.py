"""The referee's rules: counted, compared with a second, different way to see the rules, and case by case."""

import copy
import itertools
import random
import re

import pytest

from judge.games.connect_four.board import rendering
from judge.games.connect_four.rules import ConnectFour
from judge.games.positions import IllegalMove
from tests.judge.helpers.perft_counts import COUNTS, COUNTS_AFTER

MOST_LEAVES = 20_000  # deeper counts are for faster rules


def position_after(rows, cols, forbidden, moves):
    position = ConnectFour(rows, cols, forbidden)
    for column in moves:
        position.play(column)
    return position


def leaves(position, depth):
    """The number of legal continuations of exactly this many plies."""
    columns = position.legal_moves()
    if depth == 1:
        return len(columns)
    found = 0
    for column in columns:
        following = copy.copy(position)
        following.owner = [list(row) for row in position.owner]
        following.moves = list(position.moves)
        following.play(column)
        found += leaves(following, depth - 1)
    return found


def test_counts_from_the_empty_board():
    for setup, counts in COUNTS.items():
        expected = [count for count in counts if count <= MOST_LEAVES]
        position = ConnectFour(*setup)
        assert [leaves(position, depth) for depth in range(1, len(expected) + 1)] == expected, setup


def test_counts_in_the_middle_of_a_game():
    for (*board, played), counts in COUNTS_AFTER.items():
        position = position_after(*board, [int(digit, 16) for digit in played])
        expected = [count for count in counts if count <= MOST_LEAVES / 10]
        assert [leaves(position, depth) for depth in range(1, len(expected) + 1)] == expected, board


class ByWindows:
    """The same game seen otherwise: columns as stacks of cells, wins as sets of four cells."""

    def __init__(self, rows, cols, forbidden):
        self.stacks = [
            [(row, column) for row in reversed(range(rows)) if (row, column) != forbidden] for column in range(cols)
        ]
        self.windows = []
        for row, column, (down, right) in itertools.product(
            range(rows), range(cols), ((0, 1), (1, 0), (1, 1), (1, -1))
        ):
            cells = {(row + step * down, column + step * right) for step in range(4)}
            if all(0 <= r < rows and 0 <= c < cols for r, c in cells):
                self.windows.append(cells)
        self.heights = [0] * cols
        self.owned = (set(), set())
        self.plies = 0

    def columns(self):
        if self.winner() is not None:
            return []
        return [column for column, stack in enumerate(self.stacks) if self.heights[column] < len(stack)]

    def play(self, column):
        self.owned[self.plies % 2].add(self.stacks[column][self.heights[column]])
        self.heights[column] += 1
        self.plies += 1

    def winner(self):
        for player, cells in enumerate(self.owned):
            if any(window <= cells for window in self.windows):
                return player
        return None


@pytest.mark.parametrize("numbers", [range(30), pytest.param(range(30, 400), marks=pytest.mark.slow)])
def test_random_games_agree_with_the_rules_seen_otherwise(numbers):
    for number in numbers:
        compare_a_game(number)


def compare_a_game(game):
    generator = random.Random(game)
    rows, cols = generator.randint(4, 12), generator.randint(4, 12)
    row = generator.choice([0, rows - 1, generator.randrange(rows)])
    forbidden = None if game % 5 == 0 else (row, generator.randrange(cols))
    position, other = ConnectFour(rows, cols, forbidden), ByWindows(rows, cols, forbidden)
    while True:
        assert position.legal_moves() == other.columns()
        assert position.winner == other.winner()
        assert position.over == (not other.columns())
        if position.over:
            break
        column = generator.choice(position.legal_moves())
        position.play(column)
        other.play(column)


def test_forbidden_bottom_cell_is_the_floor():
    position = ConnectFour(9, 10, (8, 3))
    assert position.tops() == (9, 9, 9, 8, 9, 9, 9, 9, 9, 9)
    assert position.play(3) == (7, 3)


def test_forbidden_cell_is_skipped():
    position = position_after(9, 9, (6, 2), [2, 2])
    assert position.moves == [(8, 2), (7, 2)]
    assert position.tops()[2] == 6
    assert position.play(2) == (5, 2)


def test_forbidden_top_cell_ends_its_column():
    position = position_after(4, 4, (0, 1), [1, 1, 1])
    assert position.tops()[1] == 0
    assert position.legal_moves() == [0, 2, 3]


def test_forbidden_cell_breaks_a_line():
    position = position_after(4, 5, (3, 2), [0, 0, 1, 1, 3, 3, 4])
    assert position.winner is None


def test_win_on_the_last_free_cell_is_no_draw():
    """Found by search: the last stone of a full board completes a line."""
    generator = random.Random(4)
    while True:
        position = ConnectFour(4, 4, (0, 0))
        while not position.over:
            position.play(generator.choice(position.legal_moves()))
        if position.full and position.winner is not None:
            break
    assert len(position.moves) == 15
    assert len(position.winning_cells()) >= 4
    assert position.last in position.winning_cells()


def test_draw_is_a_full_board_without_a_line():
    generator = random.Random(1)
    while True:
        position = ConnectFour(4, 4, (3, 3))
        while not position.over:
            position.play(generator.choice(position.legal_moves()))
        if position.winner is None:
            break
    assert position.full
    assert len(position.moves) == 15
    assert position.tops() == (0, 0, 0, 0)


def test_board_is_seen_from_the_receiver():
    position = position_after(4, 4, None, [0, 1])
    assert position.board_for(0)[12:] == (2, 1, 0, 0)
    assert position.board_for(1)[12:] == (1, 2, 0, 0)


@pytest.mark.parametrize(
    "row, column, cell, words",
    [
        (6, 0, 54, "row 6 in column 0 is in the air: a stone falls on to row 7 (row 0 is on top)"),
        (8, 0, 72, "row 8 in column 0 is taken: a stone in this column comes to rest in row 7"),
        (9, 0, None, "row 9 in column 0 is off the board, expected 0..8"),
        (-1, 0, None, "row -1 in column 0 is off the board, expected 0..8"),
        (4, 4, 40, "row 4 in column 4 is the forbidden cell: a stone in this column comes to rest in row 8"),
        (8, 9, None, "column 9 is off the board, expected 0..8"),
        (-1, -1, None, "column -1 is off the board, expected 0..8"),
        (0, 1, 1, "column 1 is full, expected one of [0, 2, 3, 4, 5, 6, 7, 8]"),
    ],
)
def test_illegal_cells_are_refused_and_named(row, column, cell, words):
    position = position_after(9, 9, (4, 4), [0, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    with pytest.raises(IllegalMove) as refused:
        position.play_cell(row, column)
    assert (str(refused.value), refused.value.cell) == (words, cell)
    assert len(position.moves) == 10
    for off in (-1, 9):
        with pytest.raises(IndexError, match=f"column {off} is off the board"):
            position.landing_row(off)


def test_a_forbidden_cell_on_top_fills_its_column():
    position = position_after(9, 9, (0, 4), [4] * 8)
    with pytest.raises(IllegalMove) as refused:
        position.play_cell(0, 4)
    assert str(refused.value) == (
        "row 0 in column 4 is the forbidden cell, and the rest of the column is full: expected one of "
        "[0, 1, 2, 3, 5, 6, 7, 8]"
    )


def test_every_cell_of_every_line_is_marked_and_no_other():
    for columns, count in [
        ((0, 1, 0, 1, 0, 1, 0), 4),  # upright
        ((0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3), 4),  # rising
        ((0, 0, 1, 1, 2, 2, 4, 4, 5, 5, 6, 6, 3), 7),  # seven in one line
        ((0, 4, 4, 5, 1, 5, 5, 6, 2, 6, 0, 6, 6, 1, 3), 7),  # four across and four rising meet
    ]:
        position = position_after(6, 7, None, columns)
        assert (position.over, position.legal_cells()) == (True, [])
        marked = {
            (row, (match.start() - 4) // 3)
            for row, line in enumerate(rendering(position).plain.split("\n")[1:-1])
            for match in re.finditer(r"\*[XO]\*", line)
        }
        assert marked == position.winning_cells()
        assert len(marked) == count
