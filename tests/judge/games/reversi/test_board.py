"""Reversi's boards: openings that follow from the seed, and boards read from records."""

import argparse

import pytest

from judge.command_line import game_options
from judge.games import GAMES
from judge.games.reversi.board import Board, complete_wishes, draw_board, most_opening_plies, read_board
from judge.games.reversi.rules import Reversi
from judge.runs.schedule import paired_games

GOLDEN_OPENINGS = [
    "f5 f4 c3 e6 f3 g3 h3 b2",
    "c4 c3 f5 f4 e3 d6 g5 f3",
    "e6 f4 g3 e7 f3 c4 b4 e3",
]


def test_the_same_openings_in_every_version():
    """Records name only a seed: a change here would make old matches impossible to repeat."""
    assert [" ".join(draw_board(1, pair, 8, 8).opening) for pair in range(3)] == GOLDEN_OPENINGS


def test_a_longer_opening_begins_as_a_shorter_one():
    long = draw_board(5, 2, 8, 20).opening
    assert [draw_board(5, 2, 8, plies).opening for plies in (0, 4, 13)] == [long[:0], long[:4], long[:13]]


@pytest.mark.parametrize("size", range(4, 11))
@pytest.mark.parametrize("share", [0, 0.5, 1])
def test_openings_leave_a_game_to_play(size, share):
    plies = round(share * most_opening_plies(size))
    for pair in range(20):
        board = draw_board(3, pair, size, plies)
        assert (board.size, len(board.opening)) == (size, plies)
        assert not Reversi(size, board.opening).over


def test_openings_differ():
    assert len({draw_board(1, pair, 8, 8) for pair in range(200)}) > 195
    assert len({draw_board(seed, 0, 8, 8) for seed in range(200)}) > 195


@pytest.mark.parametrize(
    "wishes, for_one_game, complete",
    [
        ({}, True, {"size": 8, "opening_plies": 0}),
        ({}, False, {"size": 8, "opening_plies": 8}),
        ({"size": 10}, False, {"size": 10, "opening_plies": 8}),
        ({"size": 4}, False, {"size": 4, "opening_plies": 3}),
        ({"opening_plies": 0}, False, {"size": 8, "opening_plies": 0}),
        ({"opening_plies": 30}, True, {"size": 8, "opening_plies": 30}),
    ],
)
def test_what_is_not_wished_for_has_a_default(wishes, for_one_game, complete):
    assert complete_wishes(wishes, for_one_game) == complete


def test_an_opening_may_not_be_the_whole_game():
    with pytest.raises(ValueError, match="opening-plies is 31, expected 0..30 for size 8"):
        complete_wishes({"opening_plies": 31}, False)


def test_a_board_comes_back_from_its_record():
    board = draw_board(1, 0, 6, 5)
    assert read_board(board.as_json()) == board
    assert board.as_json() == {"size": 6, "opening": list(board.opening)}


@pytest.mark.parametrize(
    "content, words",
    [
        ({}, "board has nothing, expected size, opening"),
        ({"size": 8}, "board has size, expected size, opening"),
        ({"size": 8.0, "opening": []}, "expected a size and an opening, a list of moves"),
        ({"size": True, "opening": []}, "expected a size and an opening, a list of moves"),
        ({"size": 8, "opening": "d3"}, "expected a size and an opening, a list of moves"),
    ],
)
def test_what_is_no_board_is_refused(content, words):
    with pytest.raises(ValueError, match=words):
        read_board(content)


def test_a_board_in_words():
    assert Board(8).in_words() == "8 x 8"
    assert Board(8, ("d3", "c5")).in_words() == "8 x 8 after d3 c5"


def test_both_games_of_a_pair_begin_alike():
    conditions, wishes = {"limit_s": 1.0, "game": "reversi"}, {"size": 6, "opening_plies": 4}
    plans = [game.plan for game in paired_games(("A", "B"), 5, 9, conditions, wishes)]
    assert [plan.board for plan in plans] == [draw_board(9, pair, 6, 4) for pair in (0, 0, 1, 1, 2)]
    assert [plan.first for plan in plans] == ["A", "B", "A", "B", "A"]
    assert {plan.game for plan in plans} == {"reversi"}


def test_a_long_schedule_is_made_only_as_far_as_it_is_looked_at():
    conditions, wishes = {"limit_s": 1.0, "game": "reversi"}, {"size": 8, "opening_plies": 8}
    schedule = paired_games(("A", "B"), 10**9, 9, conditions, wishes)
    assert len(schedule) == 10**9
    assert [schedule[index].plan.index for index in (0, 7, 10**9 - 1)] == [0, 7, 10**9 - 1]
    with pytest.raises(IndexError):
        schedule[10**9]


@pytest.mark.parametrize("for_one_game", [True, False])
def test_the_command_line_has_the_options_of_every_game(for_one_game):
    parser = argparse.ArgumentParser()
    game_options.add_game_options(parser, for_one_game)
    options = parser.parse_args(["--game", "reversi", "--size", "6"])
    plies = 0 if for_one_game else 8
    assert game_options.board_wishes(parser, options, for_one_game) == {"size": 6, "opening_plies": plies}
    options = parser.parse_args([])
    assert game_options.board_wishes(parser, options, for_one_game) == {}
    assert set(GAMES) == {"connect_four", "reversi", "dots"}
