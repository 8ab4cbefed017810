"""`python -m judge match`, and the sums behind its report."""

import itertools
import json
import re
import signal
import uuid

import pytest
from msgspec.structs import replace

from judge.games.connect_four.board import draw_board
from judge.play.scoresheet import in_order
from judge.statistics import score
from protocol.records.record import GameRecord, Move, Player, Termination, read_records
from tests.judge.helpers.scripted import (
    PATIENCE_S,
    WIDE_LIMIT_S,
    command,
    moves_of,
    processes_with,
    run_judge,
    wait_until,
)
from tests.judge.helpers.started import started

MOVER = command("random_mover", "--seed", "{seed}")
CRASHING = command("misbehave", "exit_3", "--at", 2)


def played(folder, *words):
    """(JSON object, records in scheduled order, the process) of a match."""
    path = folder / "match.jsonl"
    done = run_judge(folder, "match", *words, "--record", path, "--json", "--free-start", "--limit", WIDE_LIMIT_S)
    records = sorted(read_records(path)[0], key=lambda record: record.extra["index"])
    return json.loads(done.stdout.splitlines()[-1]), records, done


def test_the_same_seed_plays_the_same_games_however_many_at_a_time(tmp_path):
    games = {}
    for jobs in (1, 2):
        folder = tmp_path / str(jobs)
        folder.mkdir()
        words = (MOVER, CRASHING, "--games", 3, "--seed", 8, "--jobs", jobs, "--oversubscribe")
        outcome, records, done = played(folder, *words)
        assert done.returncode == 0
        assert outcome["games"] == len(records) == 3
        games[jobs] = [moves_of(record) for record in records]
        assert [record.board for record in records] == [draw_board(8, index // 2).as_json() for index in range(3)]
        assert [record.first for record in records] == ["A", "B", "A"]
    assert games[1] == games[2]


def test_a_match_is_summed_up(tmp_path):
    outcome, records, done = played(tmp_path, MOVER, CRASHING, "--games", 4, "--keep-going", "--verbose")
    assert done.returncode == 0
    assert (outcome["games"], outcome["wins"], outcome["draws"], outcome["losses"]) == (4, 4, 0, 0)
    assert outcome["terminations"] == {"CRASH": 4}
    assert outcome["at_fault"] == {"A": {}, "B": {"CRASH": 4}}
    assert outcome["pairs"]["counts"] == [0, 0, 0, 0, 2]
    assert (outcome["elo"], outcome["elo_error"]) == (None, None)  # infinite: no game was lost
    assert outcome["elo_interval"][1] is None
    for words in ("A first", "A second", "first move", "later moves", "peak memory (MB)", "CRASH"):
        assert words in done.stdout
    assert done.stdout.splitlines()[:2] == [f"A = {MOVER}", f"B = {CRASHING}"]
    assert done.stdout.splitlines()[-2] == (
        "not decided: random_mover.py against misbehave.py: 4 of 4 points; at least 6 more games are needed to decide"
    )
    progress = done.stderr.splitlines()
    assert len(progress) == 4
    assert progress[-1].startswith("4/4 games  A 4 won 0 drawn 0 lost")


@pytest.mark.parametrize(
    "words",
    [
        ("match", CRASHING, CRASHING, "--games", 4),
        ("match", MOVER, CRASHING, "--games", 10),
        ("sprt", MOVER, CRASHING, "--games", 10),
        ("sprt", MOVER, CRASHING, "--elo1", 600),
    ],
    ids=["undecided", "decided", "no verdict", "verdict"],
)
def test_score_strength_and_answer_fit_the_last_24_rows(tmp_path, monkeypatch, words):
    """Of 80 columns, with whatever forfeits; times, endings and shares are told with --verbose alone."""
    monkeypatch.setenv("COLUMNS", "80")
    done = run_judge(tmp_path, *words, "--keep-going", "--seed", 1, "--free-start", "--limit", WIDE_LIMIT_S)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    rows = sum(1 + max(0, len(line) - 1) // 80 for line in lines[lines.index("Score of A") :])
    assert rows < 24  # the prompt takes one
    assert "Strength of A over B, from pairs" in lines
    assert re.match(r"(not decided: )?misbehave.py|(not decided: )?random_mover.py|(not decided: )?A \(", lines[-1])
    assert not any(text in done.stdout for text in ("later moves", "Endings", "moves slowed by other programs: "))


def test_a_signal_finishes_with_what_was_played(tmp_path):
    token = f"DROPFOUR_TEST={uuid.uuid4().hex}"
    name, _, value = token.partition("=")
    path = tmp_path / "match.jsonl"
    slow = command("first_legal", "--delay", 0.01)
    words = ("match", slow, slow, "--games", 500, "--jobs", 2, "--oversubscribe", "--limit", WIDE_LIMIT_S, "--json")
    judge = started(tmp_path, *words, "--record", path, **{name: value})
    for _ in range(2):
        judge.stderr.readline()
    judge.send_signal(signal.SIGTERM)
    output, _ = judge.communicate(timeout=PATIENCE_S)
    assert judge.returncode == 0
    outcome = json.loads(output.splitlines()[-1])
    assert 2 <= outcome["games"] < 500
    assert len(read_records(path)[0]) == outcome["games"]
    assert f"stopped: {outcome['games']} of 500 games were played" in output
    wait_until(lambda: processes_with(token) == [])


def record(pair, first, winner, termination="NORMAL", at_fault=None, walls=(1.0, 2.0, 3.0)):
    return GameRecord(
        game="connect_four",
        board={"rows": 9, "cols": 9, "forbidden": [0, 0]},
        players=[Player("a", "a"), Player("b", "b")],
        first=first,
        moves=[Move(side, 4, wall_s) for side, wall_s in zip(itertools.cycle(in_order(first)), walls)],
        winner=winner,
        termination=Termination(termination),
        at_fault=at_fault,
        started="2026-01-01T00:00:00+00:00",
        finished="2026-01-01T00:00:01+00:00",
        judge_version="1",
        pair=pair,
    )


def test_scores_pairs_and_faults_are_counted():
    records = [
        record(0, "A", "A"),
        record(0, "B", "A"),
        record(1, "A", "A"),
        record(1, "B", "B", "STALL", "A"),
        record(2, "A", None),
        record(2, "B", "B"),
        record(3, "A", "A"),
        record(3, "B", None, "VOID"),
        record(4, "A", "B"),
    ]
    assert tuple(score.score(records)) == (3, 1, 4)
    assert score.pair_counts(records) == [0, 1, 1, 0, 1]
    assert score.terminations(records) == {"NORMAL": 7, "STALL": 1, "VOID": 1}
    assert score.forfeits(records, "A") == {"STALL": 1}
    assert score.forfeits(records, "B") == {}


def test_repeated_games_are_counted():
    records = [
        record(0, "A", "A"),
        record(0, "B", "A"),  # the same moves with the sides swapped
        record(1, "A", "A"),
        record(1, "B", "A"),  # the pair as a whole again
        record(2, "A", "A", walls=(1.0, 2.0)),
        record(2, "B", "A"),
        record(3, "A", None, "VOID", walls=()),
    ]
    assert score.distinct_games(records) == 2
    assert tuple(score.games_that_count(records)) == (0, 0, 3)
    assert score.pairs_that_count(records) == [0, 0, 0, 0, 2]
    elsewhere = replace(records[0], board={"rows": 9, "cols": 9, "forbidden": [0, 1]})
    otherwise = replace(records[0], winner="B")  # a game without a move may end either way
    assert tuple(score.games_that_count([*records, elsewhere, otherwise])) == (1, 0, 4)


def test_a_match_states_its_duplicates_and_ratings_from_pairs(tmp_path):
    outcome, _, done = played(tmp_path, CRASHING, CRASHING, "--games", 4, "--seed", 1, "--keep-going")
    assert (outcome["duplicates"], outcome["effective_games"], outcome["pairs"]["effective"]) == (2, 2, 2)
    sentence = "2 of 4 games repeat the board and the moves of another game; different: 2 games, 2 of 2 pairs"
    assert sentence in done.stdout
    assert outcome["pairs"]["counts"] == [0, 0, 2, 0, 0]
    assert (outcome["pairs"]["elo"], outcome["pairs"]["nelo"], outcome["pairs"]["los"]) == (0.0, 0.0, 0.5)
    for words in ("nElo", "LOS", "Strength of A over B, from pairs"):
        assert words in done.stdout
