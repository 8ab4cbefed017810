"""The judge's commands with --game dots."""

import json

import pytest

from judge.__main__ import main
from judge.games.dots import checks as dots_checks
from judge.games.dots.board import draw_board
from judge.games.dots.rules import Dots
from protocol.records.record import read_records
from tests.judge.helpers.scripted import WIDE_LIMIT_S, command, moves_of, run_judge

DOTS = ("--game", "dots")
FIRST = command("first_legal", game="dots")
MOVER = command("random_mover", "--seed", "{seed}", game="dots")
GREEDY = command("greedy_mover", "--seed", "{seed}", game="dots")


def last_object(done):
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_game_is_shown_recorded_told_as_json_and_replayed(tmp_path):
    done = run_judge(tmp_path, "play", *DOTS, FIRST, FIRST, "--seed", 4, "--free-start", "--json")
    outcome = last_object(done)
    lines = done.stdout.splitlines()
    assert lines[0] == "5 x 5 boxes, seed 4, limit 3 s"
    assert (outcome["winner"], outcome["termination"], outcome["plies"]) == ("B", "NORMAL", 60)
    assert (outcome["rows"], outcome["columns"], outcome["opening"]) == (5, 5, [])
    assert outcome["moves"][:3] == ["AAA", "AAB", "AAC"]
    assert lines.count("        A   B   C   D   E   ") == 61  # above every board
    assert sum(", which completes a box  " in line for line in lines) == 25
    assert "      X 10      O 15" in lines
    assert "B (first_legal.py) wins after 60 plies: B has 15 boxes to 10" in lines
    ((record,), _) = read_records(tmp_path / "records" / "play.jsonl")
    assert (record.game, moves_of(record)) == ("dots", outcome["moves"])
    replayed = run_judge(tmp_path, "replay", "records/play.jsonl", "--game", 1)
    assert replayed.returncode == 0
    assert replayed.stdout.endswith("The rules agree with the record.\n")


def test_an_opening_and_a_size_are_wished_for(tmp_path):
    words = ("play", *DOTS, GREEDY, GREEDY, "--size", "3x6", "--opening-plies", 4, "--seed", 9, "--json", "--quiet")
    board = draw_board(9, 0, "3x6", 4)
    outcome = last_object(run_judge(tmp_path, *words))
    assert (outcome["rows"], outcome["columns"], outcome["opening"]) == (3, 6, list(board.opening))
    position = Dots(3, 6, board.opening)
    for move in outcome["moves"]:
        position.play(move)
    assert position.over
    assert last_object(run_judge(tmp_path, *words))["moves"] == outcome["moves"]


def played(folder, *words):
    """(JSON object, records in scheduled order) of a run with its record in run.jsonl."""
    done = run_judge(folder, *words, *DOTS, "--free-start", "--limit", WIDE_LIMIT_S, "--json", "--record", "run.jsonl")
    records = sorted(read_records(folder / "run.jsonl")[0], key=lambda record: record.extra["index"])
    return last_object(done), records


@pytest.mark.parametrize(
    "options, size, plies", [((), "5x5", 6), (("--size", "3X3"), "3x3", 4), (("--opening-plies", 0), "5x5", 0)]
)
def test_a_match_draws_an_opening_for_every_pair(tmp_path, options, size, plies):
    outcome, records = played(tmp_path, "match", MOVER, MOVER, "--games", 4, "--seed", 8, *options)
    assert (outcome["games"], outcome["terminations"]) == (4, {"NORMAL": 4})
    boards = [draw_board(8, pair, size, plies).as_json() for pair in (0, 0, 1, 1)]
    assert [record.board for record in records] == boards
    assert [record.first for record in records] == ["A", "B", "A", "B"]


def test_a_match_is_resumed_on_the_same_boards_alone(tmp_path):
    words = ("match", *DOTS, MOVER, GREEDY, "--seed", 8, "--free-start", "--record", "run.jsonl")
    assert run_judge(tmp_path, *words, "--games", 2).returncode == 0
    for change, message in (
        (("--size", "6x6"), "was played with size '5x5', this command has '6x6'"),
        (("--opening-plies", 4), "was played with opening_plies 6, this command has 4"),
        (("--game", "reversi"), "was played with game 'dots', this command has 'reversi'"),
    ):
        done = run_judge(tmp_path, *words, *change, "--games", 4, "--resume")
        assert done.returncode == 2
        assert message in done.stderr
    done = run_judge(tmp_path, *words, "--games", 4, "--resume")
    assert done.returncode == 0
    assert "resumed: 2 of 4 games are in the record" in done.stdout
    assert {record.winner for record in read_records(tmp_path / "run.jsonl")[0]} == {"B"}


def test_a_test_of_strength_finds_the_stronger(tmp_path):
    outcome, records = played(tmp_path, "sprt", GREEDY, MOVER, "--size", "3x3", "--elo0", 0, "--elo1", 300, "--seed", 3)
    assert outcome["verdict"] == "H1"
    assert all(record.game == "dots" for record in records)


def test_the_board_on_which_one_turn_takes_all_is_one():
    """Whatever the first mover draws, the other may take every box, and a player of the trial has to."""
    board = dots_checks.ONE_TURN_TAKES_ALL
    for edge in Dots(board.rows, board.columns, board.opening).legal_moves():
        position = Dots(board.rows, board.columns, board.opening)
        position.play(edge)
        while not position.over:
            assert position.to_move == 1
            position.play(dots_checks.greedy(position, edge))
        assert position.counts == (0, 7)


def test_opponents_of_the_check_are_what_they_are_called():
    position = Dots(2, 2)
    for edge in ("AAA", "ABA", "BAA"):
        position.play(edge)
    assert dots_checks.greedy(position, None) == "BBA"
    assert dots_checks.generous(position, None) != "BBA"


@pytest.mark.parametrize(
    "words, message",
    [
        (("play", *DOTS, "--size", "8x8"), "'8x8' is no size, expected RxC boxes, each 1..7"),
        (("play", *DOTS, "--forbidden", "1,1"), "--forbidden is an option of connect_four, and the game is dots"),
        (("play", *DOTS, "--opening-plies", "5"), "opening-plies is 5, expected an even number 0..20 for size 5x5"),
        (("check", "a", *DOTS, "--size", "3x3"), "unrecognized arguments: --size 3x3"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path, monkeypatch, capsys, words, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    assert ended.value.code == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
