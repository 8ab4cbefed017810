"""Boards and seeds that follow from the match's seed."""

import pytest

from judge.games import GAMES
from judge.games.boards import LARGEST_SEED, player_seed
from judge.games.connect_four.board import Board, draw_board
from judge.runs.schedule import paired_games

GOLDEN_BOARDS = [Board(9, 11, (4, 0)), Board(10, 9, (2, 7)), Board(10, 11, (8, 5))]
GOLDEN_SEEDS = [231152462, 2090823270]


def test_the_same_boards_in_every_version():
    """Records name only a seed: a change here would make old matches impossible to repeat."""
    assert [draw_board(1, pair) for pair in range(3)] == GOLDEN_BOARDS
    assert [player_seed(1, 0, side) for side in "AB"] == GOLDEN_SEEDS


def test_every_size_and_every_edge_occurs():
    boards = [draw_board(11, pair) for pair in range(600)]
    assert {(board.rows, board.cols) for board in boards} == {
        (rows, cols) for rows in range(9, 13) for cols in range(9, 13)
    }
    assert {board.forbidden[0] for board in boards} == set(range(12))
    assert {board.forbidden[1] for board in boards} == set(range(12))
    bottom = [board for board in boards if board.forbidden[0] == board.rows - 1]
    assert 30 < len(bottom) < 90


def test_what_is_given_is_kept_and_the_rest_drawn_alike():
    drawn = draw_board(5, 0)
    assert draw_board(5, 0, rows=12) == Board(12, drawn.cols, draw_board(5, 0, 12, drawn.cols).forbidden)
    assert draw_board(5, 0, 9, 10, (8, 9)) == Board(9, 10, (8, 9))


@pytest.mark.parametrize("seed", range(20))
def test_a_given_forbidden_cell_gets_a_board_that_holds_it(seed):
    board = draw_board(seed, 0, forbidden=(11, 10))
    assert board.rows == 12
    assert board.cols in (11, 12)


@pytest.mark.parametrize(
    "given, words",
    [
        ({"rows": 8}, "rows is 8, expected 9..12"),
        ({"cols": 13}, "cols is 13, expected 9..12"),
        ({"rows": 9, "forbidden": (9, 0)}, "forbidden cell 9,0 is off the board"),
        ({"forbidden": (0, 12)}, "forbidden cell 0,12 is off the board"),
    ],
)
def test_impossible_wishes_are_refused(given, words):
    with pytest.raises(ValueError, match=words):
        draw_board(1, 0, **given)


def test_seeds_differ_by_pair_and_side_and_fit_32_bits():
    seeds = [player_seed(3, pair, side) for pair in range(100) for side in "AB"]
    assert len(set(seeds)) == 200
    assert all(0 <= seed <= LARGEST_SEED for seed in seeds)


def test_the_schedule_pairs_its_games():
    plans = [game.plan for game in paired_games(("A", "B"), 5, 9, {"limit_s": 1.0}, {})]
    assert [plan.first for plan in plans] == ["A", "B", "A", "B", "A"]
    assert [plan.pair for plan in plans] == [0, 0, 1, 1, 2]
    assert [plan.index for plan in plans] == [0, 1, 2, 3, 4]
    assert [plan.board for plan in plans] == [draw_board(9, pair) for pair in (0, 0, 1, 1, 2)]
    other = paired_games(("A", "B"), 9, 9, {"limit_s": 2.0, "free_start": True}, {})[4].plan
    assert (other.board, other.limit_s, other.free_start) == (plans[4].board, 2.0, True)


def options():
    return [(name, option) for name, game in GAMES.items() for option in game.board_options]


@pytest.mark.parametrize("game, option", options(), ids=lambda value: getattr(value, "flag", value))
def test_what_an_option_says_of_its_values_holds(game, option):
    """For a form: its bounds over all boards, its choices, and what it is where nothing is chosen."""
    values = [*option.choices, *(option.bounds or ())]
    for value in values:
        assert str(option.read(str(value))) == str(value)
    if option.choices:
        with pytest.raises(ValueError, match="100x100"):
            option.read("100x100")
        for value in option.choices:
            board = GAMES[game].draw_board(1, 0, **GAMES[game].complete_wishes({option.name: value}, True))
            assert GAMES[game].new_position(board).legal_moves()
    if option.default is None:
        assert option.name not in GAMES[game].complete_wishes({}, True)
    else:
        assert GAMES[game].complete_wishes({}, True)[option.name] == option.default


@pytest.mark.parametrize("game, option", options(), ids=lambda value: getattr(value, "flag", value))
def test_beyond_its_bounds_an_option_is_refused_on_the_largest_board(game, option):
    sizes = [each for each in GAMES[game].board_options if each.name == "size"]
    largest = {each.name: each.read(str(each.bounds[1] if each.bounds else each.choices[-1])) for each in sizes}
    for value in () if option.bounds is None else (option.bounds[0] - 1, option.bounds[1] + 1):
        with pytest.raises(ValueError):
            wishes = {**largest, option.name: option.read(str(value))}
            GAMES[game].draw_board(1, 0, **GAMES[game].complete_wishes(wishes, True))
