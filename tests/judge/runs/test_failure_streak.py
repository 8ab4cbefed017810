"""A player that fails in game after game stops a match, and is skipped in a batch."""

import json

import pytest

from judge.runs.failure_streak import LONGEST, FailureStreaks
from protocol.records.record import Termination, read_records
from tests.judge.helpers.records import ended
from tests.judge.helpers.scripted import WIDE_LIMIT_S, command, run_judge

FIRST_LEGAL = command("first_legal")
CRASHING = command("misbehave", "abort_with_words")
ILLEGAL = command("misbehave", "off_board")
UNDER_WAY = 2  # games may end while the third failure is written down


CRASH, START = (ended(Termination(name), "B") for name in ("CRASH", "STARTUP_FAILURE"))
CRASH_OF_A = ended(Termination.CRASH, "A")
VOID, LATE, NORMAL = ended(Termination.VOID), ended(Termination.TIME_FORFEIT, "B"), ended(Termination.NORMAL)


@pytest.mark.parametrize(
    "games, found",
    [
        ([CRASH, CRASH], None),
        ([CRASH, START, CRASH], "B"),
        ([CRASH, VOID, CRASH, CRASH], "B"),
        ([CRASH, CRASH, NORMAL, CRASH, CRASH], None),
        ([CRASH, CRASH, LATE, CRASH], None),
        ([CRASH, CRASH, CRASH_OF_A, CRASH], None),
        ([CRASH_OF_A] * LONGEST, "A"),
        ([LATE] * 5, None),
    ],
)
def test_failures_in_a_row_are_counted(games, found):
    streaks = FailureStreaks()
    sides = [streaks.add(game) for game in games]
    assert sides[-1] == found
    assert set(sides[:-1]) <= {None}


def run(folder, *words):
    return run_judge(folder, *words, "--record", "games.jsonl", "--free-start", "--limit", WIDE_LIMIT_S)


@pytest.mark.parametrize(
    "words",
    [("match", FIRST_LEGAL, CRASHING, "--games", 20), ("sprt", CRASHING, FIRST_LEGAL, "--elo0", 0, "--elo1", 5)],
)
def test_a_match_and_an_sprt_stop_and_can_go_on(tmp_path, words):
    done = run(tmp_path, *words)
    side = "B" if words[0] == "match" else "A"
    assert done.returncode == 4
    assert f"error: {side} (misbehave.py) failed in 3 games in a row: {side} was ended by signal 6" in done.stderr
    assert done.stdout.count("to go on: ") == 1
    assert "the same command with --record games.jsonl --resume --keep-going" in done.stdout
    assert "Assertion `free[x]' failed." in done.stdout
    assert LONGEST <= len(read_records(tmp_path / "games.jsonl")[0]) <= LONGEST + UNDER_WAY
    going_on = [*words, "--games", 8] if words[0] == "sprt" else [*words[:-1], 8]
    again = run(tmp_path, *going_on, "--resume", "--keep-going")
    assert again.returncode == 0, again.stderr
    assert len(read_records(tmp_path / "games.jsonl")[0]) == 8


def test_a_third_failure_in_the_last_game_stops_nothing(tmp_path):
    done = run(tmp_path, "match", FIRST_LEGAL, CRASHING, "--games", 3)
    assert done.returncode == 0
    assert "error" not in done.stderr


def test_other_losses_stop_nothing(tmp_path):
    done = run(tmp_path, "match", FIRST_LEGAL, ILLEGAL, "--games", 8)
    assert done.returncode == 0
    assert len(read_records(tmp_path / "games.jsonl")[0]) == 8


def test_a_batch_skips_the_rest_of_an_opponent(tmp_path):
    words = ("batch", FIRST_LEGAL, "--against", CRASHING, ILLEGAL, "--rounds", 4)
    done = run(tmp_path, *words, "--json")
    assert done.returncode == 0
    crashing, illegal = json.loads(done.stdout.splitlines()[-1])["opponents"]
    assert LONGEST <= crashing["judged"] < 8
    assert illegal["judged"] == 8
    skipped = 8 - crashing["judged"]
    assert f"signal 6 (SIGABRT, Aborted); {skipped} games not played" in done.stdout
    assert "--resume --keep-going" in done.stdout
    again = run(tmp_path, *words, "--resume", "--keep-going", "--json")
    assert json.loads(again.stdout.splitlines()[-1])["judged"] == 16


def test_a_batch_ends_with_a_bot_that_fails(tmp_path):
    done = run(tmp_path, "batch", CRASHING, "--against", FIRST_LEGAL, ILLEGAL, "--rounds", 4)
    assert done.returncode == 4
    assert "error: A (misbehave.py abort_with_words) failed in 3 games in a row" in done.stderr
    assert LONGEST <= len(read_records(tmp_path / "games.jsonl")[0]) <= LONGEST + UNDER_WAY
