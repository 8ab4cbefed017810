"""Boards of dots and boxes: openings from the seed, boards from records, and the command line's options."""

import argparse

import pytest

from judge.command_line import game_options
from judge.games.dots.board import Board, complete_wishes, draw_board, most_opening_plies, read_board, sides_of
from judge.games.dots.rules import Dots
from judge.runs.schedule import paired_games

GOLDEN_OPENINGS = [
    "ABE ABA ACD ABB BBB BCD",
    "BFD BFB BCD ACB BEC AFD",
    "BAC BDA AED BFE BEC AFC",
]
SIZES = [f"{rows}x{columns}" for rows in range(1, 8) for columns in range(1, 8)]


def test_the_same_openings_in_every_version():
    """Records name only a seed: a change here would make old matches impossible to repeat."""
    assert [" ".join(draw_board(1, pair, "5x5", 6).opening) for pair in range(3)] == GOLDEN_OPENINGS


def test_a_longer_opening_begins_as_a_shorter_one():
    long = draw_board(5, 2, "5x5", 20).opening
    assert [draw_board(5, 2, "5x5", plies).opening for plies in (0, 4, 12)] == [long[:0], long[:4], long[:12]]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(4))
def test_openings_give_nothing_away_however_long(size, seed):
    plies = most_opening_plies(*sides_of(size))
    board = draw_board(seed, 0, size, plies)
    assert f"{board.rows}x{board.columns}" == size
    assert len(board.opening) == plies
    position = Dots(board.rows, board.columns, board.opening)
    assert (position.to_move, position.counts, position.over) == (0, (0, 0), False)
    drawn = [position.edges_drawn(row, column) for row in range(board.rows) for column in range(board.columns)]
    assert max(drawn) <= 2


def test_openings_differ():
    assert len({draw_board(1, pair, "5x5", 6) for pair in range(60)}) == 60
    assert len({draw_board(seed, 0, "5x5", 6) for seed in range(60)}) == 60


@pytest.mark.parametrize(
    "wishes, for_one_game, complete",
    [
        ({}, True, {"size": "5x5", "opening_plies": 0}),
        ({}, False, {"size": "5x5", "opening_plies": 6}),
        ({"size": "7x7"}, False, {"size": "7x7", "opening_plies": 6}),
        ({"size": "3x3"}, False, {"size": "3x3", "opening_plies": 4}),
        ({"size": "1x1"}, False, {"size": "1x1", "opening_plies": 0}),
        ({"opening_plies": 0}, False, {"size": "5x5", "opening_plies": 0}),
        ({"opening_plies": 20}, True, {"size": "5x5", "opening_plies": 20}),
        ({"size": "1x1", "opening_plies": 2}, True, {"size": "1x1", "opening_plies": 2}),
    ],
)
def test_what_is_not_wished_for_has_a_default(wishes, for_one_game, complete):
    assert complete_wishes(wishes, for_one_game) == complete


@pytest.mark.parametrize("plies", [22, 7, 1])
def test_an_opening_is_even_and_leaves_a_game(plies):
    with pytest.raises(ValueError, match=f"opening-plies is {plies}, expected an even number 0..20 for size 5x5"):
        complete_wishes({"opening_plies": plies}, False)


def test_a_board_comes_back_from_its_record():
    board = draw_board(1, 0, "3x4", 4)
    assert read_board(board.as_json()) == board
    assert board.as_json() == {"rows": 3, "columns": 4, "opening": list(board.opening)}


@pytest.mark.parametrize(
    "content, words",
    [
        ({}, "board has nothing, expected rows, columns, opening"),
        ({"size": 5, "opening": []}, "board has size, opening, expected rows, columns, opening"),
        ({"rows": 5.0, "columns": 5, "opening": []}, "expected rows, columns and an opening, a list of edges"),
        ({"rows": 5, "columns": True, "opening": []}, "expected rows, columns and an opening, a list of edges"),
        ({"rows": 5, "columns": 5, "opening": "AAA"}, "expected rows, columns and an opening, a list of edges"),
    ],
)
def test_what_is_no_board_is_refused(content, words):
    with pytest.raises(ValueError, match=words):
        read_board(content)


def test_a_board_in_words():
    assert Board(5, 5).in_words() == "5 x 5 boxes"
    assert Board(2, 3, ("AAA", "BCA")).in_words() == "2 x 3 boxes after AAA BCA"


def test_both_games_of_a_pair_begin_alike():
    conditions, wishes = {"limit_s": 1.0, "game": "dots"}, {"size": "4x3", "opening_plies": 4}
    plans = [game.plan for game in paired_games(("A", "B"), 5, 9, conditions, wishes)]
    assert [plan.board for plan in plans] == [draw_board(9, pair, "4x3", 4) for pair in (0, 0, 1, 1, 2)]
    assert [plan.first for plan in plans] == ["A", "B", "A", "B", "A"]


@pytest.fixture
def parser():
    parser = argparse.ArgumentParser()
    game_options.add_game_options(parser, for_one_game=True)
    return parser


def wishes(parser, *words):
    return game_options.board_wishes(parser, parser.parse_args(words), for_one_game=True)


def test_one_option_is_read_as_the_game_chosen_has_it(parser):
    assert wishes(parser, "--game", "dots", "--size", "2X3") == {"size": "2x3", "opening_plies": 0}
    assert wishes(parser, "--game", "reversi", "--size", "6") == {"size": 6, "opening_plies": 0}
    assert wishes(parser, "--rows", "9") == {"rows": 9}


@pytest.mark.parametrize(
    "words, message",
    [
        (("--game", "dots", "--size", "6"), "argument --size: '6' is no size, expected RxC boxes, each 1..7"),
        (("--game", "dots", "--size", "8x5"), "argument --size: '8x5' is no size, expected RxC boxes"),
        (("--game", "dots", "--size", "5x"), "argument --size: '5x' is no size, expected RxC boxes"),
        (("--game", "dots", "--size", "5x5x5"), "argument --size: '5x5x5' is no size"),
        (("--game", "reversi", "--size", "5x5"), "argument --size: '5x5' is no size, expected 4..10"),
        (("--game", "dots", "--opening-plies", "x"), "argument --opening-plies: 'x' is no number of plies"),
        (("--game", "dots", "--opening-plies", "3"), "opening-plies is 3, expected an even number 0..20"),
        (("--game", "dots", "--rows", "9"), "--rows is an option of connect_four, and the game is dots"),
        (("--size", "5x5"), "--size is an option of reversi and dots, and the game is connect_four"),
        (("--rows", "nine"), "argument --rows: invalid int value: 'nine'"),
    ],
)
def test_what_does_not_fit_the_game_is_named(parser, capsys, words, message):
    with pytest.raises(SystemExit) as ended:
        wishes(parser, *words)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err
