"""Games of reversi between processes, and what only they have: passes, and a first move by either player."""

import json
import re

from judge.games.reversi.board import Board, draw_board
from judge.games.reversi.rules import Reversi
from judge.play import referee
from judge.play.recheck import disagreements
from judge.play.referee import play_game
from judge.reasons import reason_of
from protocol.records.record import read_records
from tests.judge.helpers.scripted import (
    PLIES_OF_FIRST_LEGAL_PLAY,
    WIDE_LIMIT_S,
    bot,
    command,
    moves_of,
    plan,
    run_judge,
)

GAME = "reversi"
REVERSI = ("--game", GAME, "--seed", 9, "--free-start", "--limit", WIDE_LIMIT_S, "--json")
FIRST = command("first_legal", game=GAME)


def first_legal(*words):
    return bot("first_legal", *words, game=GAME)


def test_a_side_is_asked_again_while_the_other_has_to_pass_and_each_move_has_its_time_and_report(monkeypatch):
    for name in ("REPORT_WAIT_S", "KNOWN_REPORT_WAIT_S"):
        monkeypatch.setattr(referee, name, 4.0)  # on a busy machine they come late
    players = first_legal(), first_legal("--report", "--delay", 0.01)
    record = play_game(players, plan(game=GAME, first="B"))
    position, movers = Reversi(8), []
    while not position.over:
        movers.append(position.to_move)
        position.play(position.legal_moves()[0])
    assert (record.game, record.board, record.first) == (GAME, {"size": 8, "opening": []}, "B")
    assert [move.side for move in record.moves] == ["BA"[mover] for mover in movers]
    assert "1111" in "".join(map(str, movers))  # white moves four times running
    assert len(record.moves) == PLIES_OF_FIRST_LEGAL_PLAY[GAME]
    assert moves_of(record)[:3] == ["d3", "c3", "b3"]
    assert (record.termination, record.winner, record.at_fault) == ("NORMAL", "A", None)
    assert reason_of(record) == "A has 45 discs to 19"
    assert disagreements(record) == []
    own = [move for move in record.moves if move.side == "B"]
    assert min(move.wall_s for move in own) >= 0.01
    assert [move.report for move in own] == [{"value": n / 100, "move": move.move} for n, move in enumerate(own)]
    assert all(move.report is None for move in record.moves if move.side == "A")


def test_the_first_clock_belongs_to_who_moves_first():
    players = first_legal(), first_legal("--startup", 0.3)
    record = play_game(players, plan(board=Board(4, ("b1",)), game=GAME, free_start=False))
    assert (record.first, [move.side for move in record.moves][:2]) == ("A", ["B", "A"])
    assert record.board["opening"] == ["b1"]
    assert record.moves[0].wall_s >= 0.3
    assert record.moves[0].cpu_s >= 0.25
    assert disagreements(record) == []


def test_a_game_is_shown_recorded_told_as_json_and_replayed(tmp_path):
    done = run_judge(tmp_path, "play", *REVERSI, FIRST, FIRST)
    outcome, lines = json.loads(done.stdout.splitlines()[-1]), done.stdout.splitlines()
    assert (done.returncode, lines[0]) == (0, f"8 x 8, seed 9, limit {WIDE_LIMIT_S:g} s")
    assert (outcome["winner"], outcome["termination"], outcome["plies"]) == ("B", "NORMAL", 60)
    assert (outcome["size"], outcome["opening"], outcome["moves"][:3]) == (8, [], ["d3", "c3", "b3"])
    assert lines.count("     a  b  c  d  e  f  g  h ") == 2 * 61  # above and below every board
    passes = [line for line in lines if re.search(r"B plays [a-h][1-8], the other side has no move  \d\.\d\d s$", line)]
    assert [line.split(":")[0] for line in passes[:3]] == ["ply 18", "ply 19", "ply 20"]
    assert "    X 19    O 45" in lines
    assert "B (first_legal.py) wins after 60 plies: B has 45 discs to 19" in lines
    ((record,), _) = read_records(tmp_path / "records" / "play.jsonl")
    assert (record.game, moves_of(record)) == (GAME, outcome["moves"])
    replayed = run_judge(tmp_path, "replay", "records/play.jsonl", "--number", 1)
    assert replayed.returncode == 0
    assert "A moves first" in replayed.stdout and "ply 60: B plays" in replayed.stdout
    assert replayed.stdout.endswith("The rules agree with the record.\n")


def test_size_and_opening_are_wished_for_and_say_who_moves_first(tmp_path):
    words = ("play", *REVERSI, FIRST, FIRST, "--size", 4, "--opening-plies", 5)
    done = run_judge(tmp_path, *words)
    outcome = json.loads(done.stdout.splitlines()[-1])
    board = draw_board(9, 0, 4, 5)
    assert (outcome["size"], outcome["opening"]) == (4, list(board.opening))
    assert done.stdout.startswith(f"4 x 4 after the opening {' '.join(board.opening)}, seed 9, ")
    assert f"{'AB'[Reversi(4, board.opening).to_move]} moves first" in done.stdout
