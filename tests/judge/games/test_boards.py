"""Seeds and schedules of a match, and the options for boards on the command line."""

from pathlib import Path

import pytest

from judge.__main__ import main
from judge.cli import arguments
from judge.cli.parser import Parser
from judge.games.boards import LARGEST_SEED, number_below, player_seed
from judge.games.connect_four.board import Board, draw_board
from judge.play.scoresheet import Conditions
from judge.runs.config import RunConfig
from judge.runs.schedule import paired_games
from tests.judge.helpers.rightmost_libraries import make_libraries
from tests.judge.helpers.scripted import command, run_judge

REVERSI, DOTS = ("--game", "reversi"), ("--game", "dots")
PAIR = ("match", "a", "b", "--games", "2")


def test_players_seeds_are_the_same_in_every_version_and_fit_32_bits():
    """Records name only a seed: a change here would make old matches impossible to repeat."""
    assert [player_seed(1, 0, side) for side in "AB"] == [231152462, 2090823270]
    seeds = [player_seed(3, pair, side) for pair in range(100) for side in "AB"]
    assert len(set(seeds)) == 200
    assert all(0 <= seed <= LARGEST_SEED == 2**31 - 1 for seed in seeds)
    assert {number_below(3, "part", number) for number in range(40)} == {0, 1, 2}


def test_every_size_and_every_edge_of_connect_four_occurs():
    boards = [draw_board(11, pair) for pair in range(600)]
    assert {(board.rows, board.cols) for board in boards} == {(r, c) for r in range(9, 13) for c in range(9, 13)}
    assert {board.forbidden[0] for board in boards} == {board.forbidden[1] for board in boards} == set(range(12))
    assert 30 < sum(board.forbidden[0] == board.rows - 1 for board in boards) < 90


def test_what_is_given_of_a_board_is_kept_and_the_rest_drawn_alike():
    drawn = draw_board(5, 0)
    assert draw_board(5, 0, rows=12) == Board(12, drawn.cols, draw_board(5, 0, 12, drawn.cols).forbidden)
    assert draw_board(5, 0, 9, 10, (8, 9)) == Board(9, 10, (8, 9))
    large = [draw_board(seed, 0, forbidden=(11, 10)) for seed in range(20)]
    assert {(board.rows, board.cols, board.forbidden) for board in large} == {(12, c, (11, 10)) for c in (11, 12)}


def test_a_long_schedule_is_made_only_as_far_as_it_is_looked_at():
    schedule = paired_games(
        ("A", "B"), 10**9, RunConfig(Path("games.jsonl"), conditions=Conditions(2.0, free_start=True), seed=9)
    )
    assert len(schedule) == 10**9
    assert [schedule[index].plan.index for index in (0, 7, 10**9 - 1)] == [0, 7, 10**9 - 1]
    plan = schedule[4].plan
    assert (plan.board, plan.pair, plan.conditions) == (draw_board(9, 2), 2, Conditions(2.0, free_start=True))
    with pytest.raises(IndexError):
        schedule[10**9]


def board_options(*words, for_one_game=True):
    """What the command line makes of these options."""
    parser = Parser("play")
    arguments.add_game_options(parser, for_one_game)
    return arguments.board_options(parser, parser.parse_args(words), for_one_game)


def test_one_option_is_read_as_the_game_chosen_has_it():
    assert board_options(*DOTS, "--size", "2X3") == {"size": "2x3", "opening_plies": 0}
    assert board_options(*REVERSI, "--size", "6") == {"size": 6, "opening_plies": 0}
    assert board_options(*REVERSI, "--size", "6", for_one_game=False) == {"size": 6, "opening_plies": 8}
    assert board_options("--rows", "9", "--forbidden", "1, 2") == {"rows": 9, "forbidden": [1, 2]}
    assert board_options() == board_options(for_one_game=False) == {}


def test_an_option_that_does_not_fit_the_game_is_named_and_nothing_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    of_both = "is an option for reversi, dots, but this game is connect_four"
    for words, message in [
        (("play", "--size", "6"), f"--size {of_both}"),
        (("play", "--opening-plies", "0"), f"--opening-plies {of_both}"),
        (("play", "--rows", "nine"), "argument --rows: invalid int value: 'nine'"),
        (("play", "--forbidden", "1"), "argument --forbidden: '1' is not a cell, expected ROW,COLUMN counted from 0"),
        (("play", "--forbidden", "1,x"), "argument --forbidden: '1,x' is not a cell"),
        (("play", *REVERSI, "--rows", "9"), "--rows is an option for connect_four, but this game is reversi"),
        (("play", *REVERSI, "--forbidden", "1,1"), "--forbidden is an option for connect_four"),
        (("play", *REVERSI, "--size", "3"), "argument --size: '3' is no size, expected 4..10"),
        (("play", *REVERSI, "--size", "x"), "argument --size: 'x' is no size, expected 4..10"),
        (("play", *REVERSI, "--size", "5x5"), "argument --size: '5x5' is no size, expected 4..10"),
        (("play", *REVERSI, "--opening-plies", "-1"), "argument --opening-plies: '-1' is no number of plies"),
        (("play", *REVERSI, "--opening-plies", "31"), "opening-plies is 31, expected 0..30 for size 8"),
        (
            ("play", *DOTS, "--size", "6"),
            "argument --size: '6' is no size, expected RxC such as 5x5: rows and columns of boxes, 1..7 each",
        ),
        (("play", *DOTS, "--size", "8x5"), "argument --size: '8x5' is no size"),
        (("play", *DOTS, "--size", "5x"), "argument --size: '5x' is no size"),
        (("play", *DOTS, "--size", "5x5x5"), "argument --size: '5x5x5' is no size"),
        (("play", *DOTS, "--opening-plies", "x"), "'x' is no number of plies, expected 0 or more"),
        (("play", *DOTS, "--opening-plies", "3"), "opening-plies is 3, expected an even number 0..20 for size 5x5"),
        (("play", "--game", "go"), "invalid choice: 'go'"),
        ((*PAIR, "--size", "6"), "--size is an option for reversi"),
        ((*PAIR, *REVERSI, "--rows", "9"), "--rows is an option for connect_four, but this game is reversi"),
        ((*PAIR, *REVERSI, "--opening-plies", "99"), "expected 0..30 for size 8"),
        (("batch", "a", "--against", "b", "--size", "6"), "--size is an option for reversi"),
        (
            ("batch", "a", "--against", "b", *REVERSI, "--compete", "results"),
            "Compete, which plays connect_four only, but this game is reversi",
        ),
        (("sprt", "a", "b", "--elo0", "0", "--elo1", "5", "--opening-plies", "2"), "--opening-plies is an option"),
        (("check", "a", *REVERSI, "--size", "6"), "unrecognized arguments: --size 6"),
    ]:
        with pytest.raises(SystemExit) as ended:
            main(list(words))
        assert ended.value.code == 2, words
        assert message in capsys.readouterr().err, words
    assert list(tmp_path.iterdir()) == []


def test_strategy_libraries_play_connect_four_alone(tmp_path):
    make_libraries(tmp_path)
    sound = command("first_legal", game="reversi")
    reason = "strategy libraries play only connect_four, but the game is reversi"
    for words in (
        ("play", "lib:2.so", sound),
        ("match", sound, "lib:2.so", "--games", 2),
        ("check", "lib:2.so"),
        ("batch", sound, "--against", "."),
    ):
        done = run_judge(tmp_path, *words, *REVERSI)
        assert done.returncode == 2, words
        assert reason in done.stderr, words
        assert words[0] == "batch" or f"player 'lib:2.so': {reason}" in done.stderr
