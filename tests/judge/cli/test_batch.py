"""`python -m judge batch`: one player against many."""

import csv
import json
import re
import signal
from pathlib import Path

import pytest
from scipy.stats import binomtest

from judge.cli import batch
from judge.games.connect_four.board import draw_board
from judge.play.scoresheet import Conditions
from judge.players.players import Contestant
from judge.reports import batch as batch_report
from judge.runs.config import RunConfig
from protocol.records.record import read_records
from tests.judge.helpers.rightmost_libraries import make_libraries
from tests.judge.helpers.scripted import PATIENCE_S, WIDE_LIMIT_S, command, run_judge
from tests.judge.helpers.started import started

MOVER = command("random_mover", "--seed", "{seed}")
FIRST = command("first_legal")
LOSER = command("misbehave", "off_board")
CRASHING = command("misbehave", "exit_3", "--at", 2)
CONFIG = RunConfig(Path("games.jsonl"), conditions=Conditions(1.0), seed=9)


def players(*names):
    return [Contestant(name, name) for name in names]


def batch_json(folder, *words):
    """(the JSON object, stdout) of a batch run in the folder."""
    done = run_judge(folder, "batch", *words, "--free-start", "--limit", WIDE_LIMIT_S, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done.stdout


def test_every_opponent_is_met_once_per_side_on_each_rounds_board():
    bot, *opponents = players("bot", "x", "y", "z")
    games = list(batch.schedule(bot, opponents, 2, CONFIG))
    assert [(game.contestants[1].name, game.plan.pair, game.plan.first) for game in games] == [
        (name, pair, first) for pair, name in enumerate(["x", "y", "z"] * 2) for first in "AB"
    ]
    assert all(game.contestants[0] is bot for game in games)
    assert [game.plan.index for game in games] == list(range(12))
    assert all(game.plan.board == draw_board(9, game.plan.pair // 3) for game in games)
    assert list(batch.schedule(bot, opponents, 3, CONFIG))[:12] == games


def test_a_batch_is_summed_up_and_written_for_compete(tmp_path):
    words = (MOVER, "--against", CRASHING, FIRST, "--rounds", 2, "--seed", 3, "--jobs", 2, "--oversubscribe")
    outcome, output = batch_json(tmp_path, *words, "--record", "batch.jsonl", "--compete", "results")
    crashing, first = outcome["opponents"]
    assert (crashing["wins"], crashing["losses"], crashing["draws"]) == (4, 0, 0)
    assert (crashing["judged"], crashing["total"], crashing["rate"]) == (4, 4, 1.0)
    assert (crashing["score"], crashing["most_score"]) == (8, 8)
    for name in ("wins", "losses", "draws", "judged", "total", "score", "most_score"):
        assert outcome[name] == crashing[name] + first[name]
    assert outcome["rate"] == round(outcome["wins"] / 8, 4)
    assert outcome["at_fault"] == {"A": {}, "B": {"CRASH": 4}}
    assert len(outcome["lost"]) == first["losses"]
    records = read_records(tmp_path / "batch.jsonl")[0]
    for game in outcome["lost"]:
        record = records[game["game"] - 1]
        assert (record.winner, record.players[1].name) == ("B", "first_legal.py")
        assert game["plies"] == len(record.moves)
    assert "Games that BOT lost or drew" in output
    assert outcome["compete"] == ["results/misbehave.py.txt", "results/first_legal.py.txt"]
    content = (tmp_path / "results" / "misbehave.py.txt").read_bytes()
    assert re.sub(rb"\t\d+", b"\tS", content) == (  # seconds depend on when they are counted
        b"0:\n5\tS\tS\n5\tS\tS\n\n1:\n5\tS\tS\n5\tS\tS\n\n"
        b"Stat:\nratio of A wins : 1\nratio of B wins : 0\nratio of Tie : 0\n\n"
        b"ratio of (A wins + tie) : 1\nratio of (B wins + tie) : 0\n"
    )


def test_the_table_for_a_report_has_a_rate_for_each_opponent_and_side(tmp_path):
    words = (MOVER, "--against", CRASHING, FIRST, "--rounds", 2, "--seed", 3, "--free-start", "--limit", WIDE_LIMIT_S)
    whole = run_judge(tmp_path, "batch", *words, "--record", "b.jsonl", "--csv")
    table = list(csv.DictReader(whole.stdout.splitlines()[-10:]))
    assert [(row["opponent"], row["side"]) for row in table] == [
        (name, side) for name in ("misbehave.py", "first_legal.py", "all") for side in ("first", "second", "both")
    ]
    records = read_records(tmp_path / "b.jsonl")[0]
    for row in table:
        games = [
            record
            for record in records
            if row["opponent"] in (record.players[1].name, "all")
            and row["side"] in ({"A": "first", "B": "second"}[record.first], "both")
        ]
        wins = sum(record.winner == "A" for record in games)
        assert (int(row["games"]), int(row["wins"])) == (len(games), wins)
        exact = binomtest(wins, len(games)).proportion_ci(method="wilson")
        shares = [float(row[name]) for name in ("rate", "lower", "upper")]
        assert shares == pytest.approx([wins / len(games), exact.low, exact.high], abs=1e-4)
    again = run_judge(tmp_path, "batch", *words, "--record", "b.jsonl", "--resume", "--markdown").stdout.splitlines()[
        -11:
    ]
    assert again[0] == "| opponent | BOT's side | games | won | drawn | lost | win rate | 95 % |"
    assert again[2] == "| misbehave\\.py | first | 2 | 2 | 0 | 0 | 100.0% | 34.2% .. 100.0% |"
    assert len({line.count(" | ") for line in again}) == 1


def test_a_game_has_one_number_and_who_moved_first_cannot_be_taken_for_another(tmp_path, monkeypatch):
    """With two jobs games end in another order than that of the schedule."""
    monkeypatch.setenv("COLUMNS", "200")
    slow = command("first_legal", "--delay", 0.2)
    words = (LOSER, "--against", slow, FIRST, "--jobs", 2, "--oversubscribe", "--limit", WIDE_LIMIT_S)
    done = run_judge(tmp_path, "batch", *words, "--record", "b.jsonl")
    records = read_records(tmp_path / "b.jsonl")[0]
    said = re.findall(r"\(game (\d): .*, (\d+) plies\)", done.stderr)
    assert said == [(str(number), str(len(record.moves))) for number, record in enumerate(records, start=1)]
    lost = done.stdout[done.stdout.index("Games that BOT lost or drew") :]
    rows = re.findall(r"^ +(\d) +first_legal\.py.* lost +(first|second) +(\d+) ", lost, re.MULTILINE)
    sides = {"A": "first", "B": "second"}
    assert sorted(rows) == [
        (str(number), sides[record.first], str(len(record.moves))) for number, record in enumerate(records, start=1)
    ]
    assert "BOT's side" in lost


def test_a_folder_stands_for_its_strategy_libraries(tmp_path):
    folder = tmp_path / "libraries"
    folder.mkdir()
    make_libraries(folder)
    outcome, _ = batch_json(tmp_path, FIRST, "--against", "lib:libraries", "--seed", 2, "--record", "b.jsonl")
    assert [opponent["name"] for opponent in outcome["opponents"]] == ["2.so", "10.so"]
    assert outcome["terminations"] == {"NORMAL": 4}
    for record in read_records(tmp_path / "b.jsonl")[0]:
        of_the_library = [move.move for move in record.moves if move.side == "B"]
        assert set(of_the_library[:4]) == {record.board["cols"] - 1}


def test_other_opponents_are_no_resumption(tmp_path):
    words = ("--free-start", "--limit", WIDE_LIMIT_S, "--seed", 6, "--record", "b.jsonl")
    assert run_judge(tmp_path, "batch", MOVER, "--against", LOSER, *words).returncode == 0
    for opponents in ((CRASHING,), (LOSER, MOVER)):
        done = run_judge(tmp_path, "batch", MOVER, "--against", *opponents, *words, "--resume")
        assert done.returncode == 2
        assert "b.jsonl" in done.stderr


def test_a_stopped_batch_has_no_compete_file_for_games_not_played(tmp_path):
    slow = command("first_legal", "--delay", 0.02)
    words = (*("--rounds", 20, "--record", "b.jsonl", "--compete", "results"), *("--limit", WIDE_LIMIT_S, "--json"))
    judge = started(tmp_path, "batch", slow, "--against", LOSER, FIRST, *words)
    judge.stderr.readline()
    judge.send_signal(signal.SIGINT)
    output, _ = judge.communicate(timeout=PATIENCE_S)
    assert judge.returncode == 0
    outcome = json.loads(output.splitlines()[-1])
    assert (outcome["total"], outcome["compete"]) == (80, [])
    assert 1 <= outcome["judged"] < 80
    assert "no Compete file is written for first_legal.py" in output
    assert f"stopped: {outcome['judged']} of 80 games were played" in output
    assert list((tmp_path / "results").iterdir()) == []


def test_a_compete_file_that_cannot_be_written_costs_no_result(tmp_path):
    (tmp_path / "results" / "first_legal.py.txt").mkdir(parents=True)
    words = (LOSER, "--against", LOSER, FIRST, "--record", "b.jsonl", "--compete", "results", "--json")
    done = run_judge(tmp_path, "batch", *words)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "error: results/first_legal.py.txt: Is a directory"
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert (outcome["judged"], outcome["compete"]) == (4, ["results/misbehave.py.txt"])


def test_bad_arguments_are_named(tmp_path):
    (tmp_path / "file").touch()
    for words, message in (
        ((MOVER,), "the following arguments are required: --against"),
        ((MOVER, "--against", "."), "folder '.' holds no player, expected main.py, C++ sources or strategy libraries"),
        ((MOVER, "--against", "lib:x.so"), "strategy library 'x.so': there is no such file"),
        ((MOVER, "--against", MOVER, "--resume"), "--resume needs --record"),
        ((MOVER, "--against", MOVER, "--rounds", "0"), "'0' is not an integer of at least 1"),
        ((MOVER, "--against", MOVER, "--compete", "file"), "'file' is a file, expected a folder"),
    ):
        done = run_judge(tmp_path, "batch", *words)
        assert done.returncode == 2, words
        assert message in done.stderr, words


def test_files_of_opponents_with_one_name_are_told_apart():
    results = [batch_report.Result(opponent, [], 2) for opponent in players("2.so", "a b/c", "2.so", "..", "2.so")]
    assert batch_report.file_names(results) == [
        "2.so.txt",
        "a_b_c.txt",
        "2.so-2.txt",
        "player.txt",
        "2.so-3.txt",
    ]
