"""The referee's rules of reversi: counted, solved on 4 x 4, seen in a second way, and case by case."""

import copy
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.games.positions import IllegalMove
from judge.games.reversi.board import draw_board, most_opening_plies
from judge.games.reversi.rules import LARGEST_SIZE, SMALLEST_SIZE, Reversi, cell_name, cell_of
from tests.judge.games.reversi.examples import FORCED_PASS
from tests.judge.helpers.reversi_perft import COUNTS, VALUE_OF_4

MOST_LEAVES = 8_000  # deeper counts are for faster rules
SIZES = range(SMALLEST_SIZE, LARGEST_SIZE + 1)


def after(position, cell):
    """A position as it is after one more move."""
    following = copy.copy(position)
    following.owner = [list(row) for row in position.owner]
    following.moves = list(position.moves)
    following.play_cell(*cell)
    return following


def leaves(position, depth):
    """The number of ways to go on by so many plies, passes counted as plies."""
    if depth <= 0 or position.over:
        return 1
    if depth == 1:
        return len(position.legal_cells())
    followings = [after(position, cell) for cell in position.legal_cells()]
    return sum(leaves(following, depth - 1 - following.passed) for following in followings)


@pytest.mark.parametrize("size", COUNTS)
def test_counts_from_the_start(size):
    expected = [count for count in COUNTS[size] if count <= MOST_LEAVES]
    assert [leaves(Reversi(size), depth) for depth in range(1, len(expected) + 1)] == expected


@pytest.mark.slow
def test_the_value_of_the_smallest_board():
    values = {}

    def value(position):
        if position.over:
            first, second = position.counts
            return first - second
        key = position.cells(), position.to_move
        if key not in values:
            best = max if position.to_move == 0 else min
            values[key] = best(value(after(position, cell)) for cell in position.legal_cells())
        return values[key]

    assert value(Reversi(4)) == VALUE_OF_4


class ByRays:
    """The same rules seen otherwise: a board as text, and in it the eight rays of a cell matched as words."""

    def __init__(self, position):
        self.size = position.size
        self.text = "".join(map(str, position.cells()))

    def rays(self, row, column):
        for down, right in ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)):
            ray = []
            r, c = row + down, column + right
            while r in range(self.size) and c in range(self.size):
                ray.append(r * self.size + c)
                r, c = r + down, c + right
            yield ray

    def turned(self, player, row, column):
        found = set()
        if self.text[row * self.size + column] == "2":
            for ray in self.rays(row, column):
                line = re.match(f"({1 - player}+){player}", "".join(self.text[cell] for cell in ray))
                found.update(ray[: len(line.group(1))] if line else [])
        return found

    def cells(self, player):
        cells = [divmod(cell, self.size) for cell in range(self.size**2)]
        return [cell for cell in cells if self.turned(player, *cell)]


@settings(max_examples=10)
@given(size=st.sampled_from(SIZES), choices=st.lists(st.integers(0, 2**16), min_size=100, max_size=100))
def test_random_games_obey_the_rules_seen_otherwise(size, choices):
    position = Reversi(size)
    for choice in choices:
        seen = ByRays(position)
        mover, discs = position.to_move, seen.text
        assert position.legal_cells() == seen.cells(mover)
        row, column = cell = position.legal_cells()[choice % len(position.legal_cells())]
        turned = {row * size + column} | seen.turned(mover, row, column)
        assert len(turned) >= 2
        assert position.play(cell_name(*cell)) == cell == position.last
        # Exactly those changed hands: nothing vanishes, nothing else appears.
        assert "".join(map(str, position.cells())) == "".join(
            str(mover) if cell in turned else disc for cell, disc in enumerate(discs)
        )
        stuck = [not ByRays(position).cells(player) for player in (0, 1)]
        assert position.over == all(stuck)
        if position.over:
            first, second = position.counts
            assert position.winner == (None if first == second else int(second > first))
            assert position.legal_moves() == []
            break
        assert position.winner is None
        assert position.passed == stuck[1 - mover]
        assert position.to_move == (mover if position.passed else 1 - mover)
    assert position.over
    assert len(position.moves) <= size * size - 4


def test_the_start_and_the_names_of_cells():
    for size in SIZES:
        position = Reversi(size)
        lower, upper = (size - 1) // 2, (size - 1) // 2 + 1
        discs = {divmod(cell, size): owner for cell, owner in enumerate(position.cells()) if owner != 2}
        assert discs == {(lower, lower): 1, (upper, upper): 1, (lower, upper): 0, (upper, lower): 0}
        assert (position.to_move, position.over, position.last, position.passed) == (0, False, None, False)
        assert len(position.legal_moves()) == 4
        names = [cell_name(row, column) for row in range(size) for column in range(size)]
        assert len(set(names)) == size * size
        assert [cell_of(name) for name in names] == [divmod(cell, size) for cell in range(size * size)]
    assert (cell_name(0, 0), cell_name(9, 9), cell_name(7, 3)) == ("a1", "j10", "d8")
    position = Reversi(8)
    assert position.legal_moves() == ["d3", "c4", "f5", "e6"]
    assert position.play("d3") == (2, 3)
    assert position.counts == (4, 1)


def test_a_player_without_a_move_is_passed_over():
    position = Reversi(8, FORCED_PASS)
    assert (position.to_move, position.legal_moves()) == (1, ["a2"])
    position.play("a2")
    assert (position.to_move, position.passed, position.over) == (1, True, False)
    position.play(position.legal_moves()[0])
    assert not position.passed


def test_an_opening_is_no_part_of_the_game():
    position = Reversi(8, ["d3", "c3"])
    assert (position.moves, position.last, position.to_move) == ([], None, 0)
    position.play("c4")
    assert (position.moves, position.last) == ([(3, 2)], (3, 2))


@pytest.mark.parametrize("row, column, cell", [(0, 0, 0), (3, 4, 28), (0, 8, None), (-1, 0, None)])
def test_an_illegal_move_names_its_cell(row, column, cell):
    with pytest.raises(IllegalMove) as refused:
        Reversi(8).play_cell(row, column)
    assert refused.value.cell == cell


def test_cells_off_the_board_are_no_moves():
    for cell in ((-1, 3), (8, 0), (9, 9), (3, -5)):
        with pytest.raises(IllegalMove, match=f"row {cell[0]}, column {cell[1]} is off the board"):
            Reversi(8).play_cell(*cell)


def test_openings_are_drawn_move_by_move_and_leave_a_game_to_play():
    long = draw_board(5, 2, 8, 20).opening
    assert [draw_board(5, 2, 8, plies).opening for plies in (0, 4, 13)] == [long[:0], long[:4], long[:13]]
    for size, pairs in ((4, 12), (5, 4), (6, 2), (10, 1)):
        for plies in (0, most_opening_plies(size) // 2, most_opening_plies(size)):
            for pair in range(pairs):
                board = draw_board(3, pair, size, plies)
                assert (board.size, len(board.opening)) == (size, plies)
                assert not Reversi(size, board.opening).over
    assert [most_opening_plies(size) for size in SIZES] == [6, 10, 16, 22, 30, 38, 48]
