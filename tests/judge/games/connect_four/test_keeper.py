"""The opponent of connect four that keeps a game going, and the boards that are nearly full, against the rules."""

import random

import pytest

from judge.games.boards import number_below
from judge.games.connect_four import checks
from judge.games.connect_four.checks import keeper
from judge.games.connect_four.rules import ConnectFour

SEEDS = range(12)


def position_after(*columns, rows=9, cols=9, forbidden=(0, 0)):
    position = ConnectFour(rows, cols, forbidden)
    for column in columns:
        position.play(column)
    return position


def wins(position, column):
    """Whether the side to move makes four there."""
    return checks._makes_line(position, column, position.to_move)


def game(player, seed, rows, cols, forbidden):
    """A game of player(position, seed), which moves first or second, against the keeper; its keeper's wins are none."""
    position = ConnectFour(rows, cols, forbidden)
    opponent = keeper(seed)
    while not position.over:
        if position.to_move == seed % 2:
            position.play(player(position, seed))
        else:
            column = opponent(position, None)
            if wins(position, column):
                assert all(wins(position, other) for other in position.legal_moves())
            position.play(column)
    return position


def greedy(position, seed):
    legal = position.legal_moves()
    winning = [column for column in legal if wins(position, column)]
    return (winning or [legal[number_below(len(legal), seed, len(position.moves))]])[0]


@pytest.mark.parametrize(
    "columns, answers", [((3, 0, 3, 0, 3), (3,)), ((0, 8, 1, 8, 2), (3,)), ((2, 8, 3, 8, 4), (1, 5))]
)
def test_a_line_of_four_is_stopped(columns, answers):
    """In the last one, both ends are free: the player may overlook the other."""
    for seed in SEEDS:
        assert keeper(seed)(position_after(*columns), columns[-1]) in answers


def test_two_in_the_open_are_stopped_before_they_are_three():
    assert keeper(1)(position_after(4, 0, 5), 5) in (2, 3, 6, 7)


def test_the_cell_below_a_line_of_four_is_left_alone():
    """The player has columns 1 to 3 of the second row; both of its ends are free, and the cells below them too."""
    position = position_after(2, 1, 1, 3, 3, 8, 2)
    assert position.to_move == 1
    assert _completes_above(position, 0)
    for seed in SEEDS:
        assert keeper(seed)(position, 2) not in (0, 4)


def _completes_above(position, column):
    copy = ConnectFour(position.rows, position.cols, position.forbidden)
    for _row, played in position.moves:
        copy.play(played)
    copy.play(column)
    return column in copy.legal_moves() and wins(copy, column)


def test_it_does_not_win_while_there_is_another_move():
    position = position_after(3, 0, 4, 0, 7, 0, 8)
    assert wins(position, 0)
    assert keeper(1)(position, 8) != 0


SIZES = [(9, 9), (12, 9), *(pytest.param(*size, marks=pytest.mark.slow) for size in ((12, 12), (10, 11)))]


@pytest.mark.parametrize("rows, cols", SIZES)
def test_games_with_it_are_long(rows, cols):
    """Of a player that takes what wins, and otherwise anything: half of the board is filled in the median game."""
    lengths = []
    for seed in SEEDS:
        forbidden = seed % rows, seed * 5 % cols
        lengths.append(len(game(greedy, seed, rows, cols, forbidden).moves))
    assert sorted(lengths)[len(lengths) // 2] > rows * cols / 2
    assert max(lengths) > 0.8 * rows * cols


def test_the_same_seed_is_the_same_opponent():
    played = [game(greedy, 5, 9, 12, (3, 3)).moves for _ in range(2)]
    assert played[0] == played[1]


def test_a_random_beginning_is_random_and_does_not_lose_at_once():
    openings = set()
    for seed in SEEDS:
        position = position_after(4)
        openings.add(keeper(seed, random_plies=10)(position, 4))
    assert len(openings) > 3
    threatened = position_after(3, 0, 3, 0, 3)
    assert {keeper(seed, random_plies=10)(threatened, 3) for seed in SEEDS} == {3}


@pytest.mark.parametrize("seed", [*SEEDS[:5], *(pytest.param(seed, marks=pytest.mark.slow) for seed in SEEDS[5:])])
def test_boards_nearly_full_are(seed):
    board, moves = checks.nearly_full(seed)
    position = ConnectFour(board.rows, board.cols, board.forbidden)
    for column in moves:
        position.play(column)
    assert not position.over
    free = board.rows * board.cols - 1 - len(moves)
    assert 1 <= free <= 2 * checks.MOST_FREE_CELLS


def test_there_are_games_on_boards_of_every_size():
    sizes = {(case.board.rows, case.board.cols) for case in checks.CASES if case.kind is checks.Kind.WHOLE_GAME}
    assert sizes == {(rows, cols) for rows in range(9, 13) for cols in range(9, 13)}


def test_random_positions_agree_with_the_rules():
    """What the keeper takes for a line of four is one, on boards with the forbidden cell anywhere."""
    generator = random.Random(7)
    seen = 0
    for seed in range(30):
        position = ConnectFour(9, 10, (generator.randrange(9), generator.randrange(10)))
        while not position.over:
            legal = position.legal_moves()
            threatened = [column for column in legal if checks._makes_line(position, column, 1 - position.to_move)]
            quiet = not any(wins(position, column) for column in legal)
            if quiet and len(threatened) == 1 and not _completes_above(position, threatened[0]):
                seen += 1
                assert keeper(seed)(position, None) == threatened[0]
            position.play(generator.choice(legal))
    assert seen > 10


def test_the_blocker_blocks_and_does_not_win():
    position = ConnectFour(9, 9, (0, 0))
    for column in (3, 0, 3, 0, 3):
        position.play(column)
    assert checks.blocker(position, 3) == 3
    position.play(3)
    for column in (5, 0, 6):
        position.play(column)
    assert checks.blocker(position, 6) != 0  # would be its own fourth there
