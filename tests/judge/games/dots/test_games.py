"""Games of dots and boxes between processes: whole turns in one reply, what is recorded of them, and the commands."""

import json

import pytest
from msgspec import structs

from judge.games.dots import checks as dots_checks
from judge.games.dots.board import Board, draw_board
from judge.games.dots.rules import Dots
from judge.play import referee
from judge.play.recheck import disagreements
from judge.play.referee import play_game
from judge.players.players import Contestant
from judge.reasons import reason_of
from judge.reports import phases
from protocol.records.record import append_record, read_records
from tests.judge.helpers.scripted import (
    REPOSITORY,
    WIDE_LIMIT_S,
    bot,
    command,
    moves_of,
    plan,
    play_unless_void,
    replies_of,
    run_judge,
)
from tests.places import PYTHON

GAME = "dots"
DOTS = ("--game", GAME, "--limit", WIDE_LIMIT_S, "--json")
ONE_BOX_OPEN = Board(1, 2, ("AAA", "ABA", "BAA"))  # player 1 is to move, and may complete a box with BBA
ODD = Board(2, 2, ("AAB",))
FIRST, GREEDY = (command(script, game=GAME) for script in ("first_legal", "greedy_mover"))


def first_legal(*words):
    return bot("first_legal", *words, game=GAME)


def greedy(seed=1):
    return bot("greedy_mover", "--seed", seed, game=GAME)


def trouble(mode, at=0):
    return bot("misbehave", mode, "--at", at, game=GAME)


def replayed(record):
    position = Dots(record.board["rows"], record.board["columns"], record.board["opening"])
    sides = []
    for move in record.moves:
        sides.append(position.to_move)
        position.play(move.move)
    return position, sides


def test_a_turn_of_many_edges_has_one_time_and_one_report(monkeypatch):
    for name in ("REPORT_WAIT_S", "KNOWN_REPORT_WAIT_S"):
        monkeypatch.setattr(referee, name, 4.0)  # on a busy machine they come late
    record = play_game((first_legal("--report"), first_legal("--delay", 0.02)), plan(game=GAME))
    position, sides = replayed(record)
    assert [move.side for move in record.moves] == ["AB"[side] for side in sides]
    assert (position.counts, reason_of(record)) == ((10, 15), "B has 15 boxes to 10")
    assert (record.game, record.board) == (GAME, {"rows": 5, "columns": 5, "opening": []})
    begins = [ply == 0 or sides[ply] != sides[ply - 1] for ply in range(len(sides))]
    assert not all(begins)
    for ply, (move, begins_turn) in enumerate(zip(record.moves, begins, strict=True)):
        assert (move.wall_s > 0) == begins_turn
        assert (move.report is not None) == (begins_turn and move.side == "A")
        if move.report is not None:
            assert move.report["move"] == move.move
        if begins_turn and move.side == "B":
            assert move.wall_s >= 0.02, ply
    later_times = phases.phases([record], "B")["later_moves"].walls_s
    assert replies_of(record, "B") == 1 + len(later_times)
    assert min(later_times) >= 0.02
    assert disagreements(record) == []


def test_as_many_boxes_each_are_a_draw():
    record = play_game((first_legal(), first_legal()), plan(board=Board(4, 4), game=GAME))
    assert (record.termination, record.winner, reason_of(record)) == ("NORMAL", None, "each player has 8 boxes")


def test_who_takes_boxes_beats_who_does_not_behind_an_opening_too():
    board = draw_board(3, 0, "4x5", 12)
    record = play_game((bot("random_mover", "--seed", 2, game=GAME), greedy()), plan(board=board, game=GAME))
    assert (record.winner, record.board["opening"], len(record.moves)) == ("B", list(board.opening), 49 - 12)
    assert disagreements(record) == []


def test_where_the_second_player_moves_first_the_clock_and_the_fault_are_its_own():
    broken = (Contestant("broken", "no-such-program-a"), Contestant("broken", "no-such-program-b"))
    record = play_game(broken, plan(board=ODD, game=GAME))
    assert (record.termination, record.at_fault) == ("STARTUP_FAILURE", "B")
    slow = (first_legal(), first_legal("--startup", 600))
    record = play_unless_void(slow, plan(0.3, board=ODD, game=GAME, free_start=False))
    assert (record.first, record.termination, record.at_fault, record.moves) == ("A", "STALL", "B", ())


def test_a_bot_that_names_itself_late_is_heard_in_silence():
    """Its answer to `name?` comes while the other side thinks."""
    players = (first_legal("--delay", 0.2), first_legal("--startup", 0.1))
    record = play_game(players, plan(board=Board(1, 1), free_start=False, game=GAME))
    assert record.termination == "NORMAL", record.extra


@pytest.mark.parametrize(
    "mode, at_fault, moves, reason",
    [
        ("stops_short", "B", ["BBA"], "B: the turn stops at BBA, which completed a box: an edge has to follow"),
        ("goes_on", "A", [], "A: AAB was sent though AAA ended the turn"),
    ],
)
def test_a_turn_that_is_not_whole_is_illegal_and_what_was_legal_of_it_is_recorded(mode, at_fault, moves, reason):
    players = (first_legal(), trouble(mode)) if at_fault == "B" else (trouble(mode), first_legal())
    record = play_game(players, plan(board=ONE_BOX_OPEN if at_fault == "B" else Board(5, 5), game=GAME))
    assert (record.termination, record.at_fault, moves_of(record)) == ("ILLEGAL_MOVE", at_fault, moves)
    assert reason_of(record) == reason
    assert disagreements(record) == []


def test_nothing_is_read_behind_the_turn_that_ends_the_game():
    last = Board(1, 1, ("AAA", "ABA", "BAA"))
    record = play_game((first_legal(), trouble("extra_bytes")), plan(board=last, game=GAME))
    assert (record.termination, record.winner) == ("NORMAL", "B")


def test_the_projects_own_bot_plays_a_whole_game(monkeypatch):
    """Without compiled kernels, which are others' to test."""
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    words = f"{PYTHON} -m bot --game dots --backend python --limit 0.2 --seed 1"
    record = play_game((Contestant("bot", words), greedy()), plan(board=Board(2, 2), first="B", game=GAME))
    assert record.termination == "NORMAL", record.extra
    assert {move.side for move in record.moves} == {"A", "B"}


def test_a_game_is_shown_recorded_told_as_json_and_replayed(tmp_path):
    done = run_judge(tmp_path, "play", *DOTS, FIRST, FIRST, "--seed", 4, "--free-start")
    outcome, lines = json.loads(done.stdout.splitlines()[-1]), done.stdout.splitlines()
    assert (done.returncode, lines[0]) == (0, f"5 x 5 boxes, seed 4, limit {WIDE_LIMIT_S:g} s")
    assert (outcome["winner"], outcome["termination"], outcome["plies"]) == ("B", "NORMAL", 60)
    assert (outcome["rows"], outcome["columns"], outcome["opening"]) == (5, 5, [])
    assert outcome["moves"][:3] == ["AAA", "AAB", "AAC"]
    assert lines.count("        A   B   C   D   E   ") == 61  # above every board
    assert sum(", which completes a box  " in line for line in lines) == 25
    assert "      X 10      O 15" in lines
    assert "B (first_legal.py) wins after 60 plies: B has 15 boxes to 10" in lines
    ((record,), _) = read_records(tmp_path / "records" / "play.jsonl")
    assert (record.game, moves_of(record)) == (GAME, outcome["moves"])
    shown = run_judge(tmp_path, "replay", "records/play.jsonl", "--number", 1)
    assert shown.returncode == 0
    assert shown.stdout.endswith("The rules agree with the record.\n")


def test_a_match_has_the_boards_wished_for_and_is_resumed_on_them_alone(tmp_path):
    words = (
        "match",
        *DOTS,
        FIRST,
        GREEDY,
        "--seed",
        8,
        "--size",
        "2x1",
        "--opening-plies",
        2,
        "--free-start",
        "--record",
    )
    done = run_judge(tmp_path, *words, "run.jsonl", "--games", 4)
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert (outcome["games"], outcome["terminations"]) == (4, {"NORMAL": 4})
    records = sorted(read_records(tmp_path / "run.jsonl")[0], key=lambda record: record.extra["index"])
    assert [record.board for record in records] == [draw_board(8, pair, "2x1", 2).as_json() for pair in (0, 0, 1, 1)]
    assert [record.first for record in records] == ["A", "B", "A", "B"]
    for record in records:
        opening = record.board["opening"][:-2]
        append_record(tmp_path / "other.jsonl", structs.replace(record, board={**record.board, "opening": opening}))
    for file, change, message in (
        ("run.jsonl", ("--size", "1x2"), "was played with size '2x1', but this command has '1x2'"),
        ("run.jsonl", ("--opening-plies", 0), "was played with opening_plies 2, but this command has 0"),
        ("other.jsonl", (), "has another board"),
    ):
        done = run_judge(tmp_path, *words, file, *change, "--games", 6, "--resume")
        assert done.returncode == 2, change
        assert message in done.stderr, change
    words = (
        "match",
        "--game",
        "reversi",
        FIRST,
        GREEDY,
        "--seed",
        8,
        "--free-start",
        "--record",
        "run.jsonl",
        "--resume",
    )
    done = run_judge(tmp_path, *words, "--games", 6)
    assert "was played with game 'dots', but this command has 'reversi'" in done.stderr


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
