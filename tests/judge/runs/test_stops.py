"""What stops a run before its end: a player that fails in game after game, and signals."""

import io
import json
import signal
import sys
import threading

import pytest

from judge.__main__ import main
from judge.cli import playing
from judge.runs.interruption import ignore_signals, raise_on_signals, stop_event
from judge.runs.schedule import LONGEST_STREAK, FailureStreaks
from protocol.records.record import Termination, read_records
from tests.judge.helpers.records import ended
from tests.judge.helpers.scripted import command
from tests.judge.runs.helpers.at_once import ADA, BOB, CRASHING, ILLEGAL, AtOnce, run_at_once, stopped_before

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
        ([CRASH_OF_A] * LONGEST_STREAK, "A"),
        ([LATE] * 5, None),
    ],
)
def test_failures_in_a_row_are_counted(games, found):
    streaks = FailureStreaks()
    *earlier, reasons = [dict(streaks.add(game)) for game in games]
    assert reasons == ({found: f"player {found} ({found.lower()}) failed in 3 games in a row: "} if found else {})
    assert not any(earlier)


def run(folder, *words, play):
    return run_at_once(folder, *words, "--record", "games.jsonl", play=play)


def games_in(folder):
    return read_records(folder / "games.jsonl")[0]


@pytest.mark.parametrize(
    "words, side",
    [
        (("match", ADA, CRASHING, "--games", 20), "B"),
        (("sprt", CRASHING, ADA, "--elo0", 0, "--elo1", 5, "--games", 20), "A"),
    ],
)
def test_a_match_and_an_sprt_stop_and_can_go_on(tmp_path, words, side):
    done = run(tmp_path, *words, play=AtOnce(before=stopped_before(LONGEST_STREAK)))
    assert done.returncode == 4
    assert f"error: player {side} (crashing) failed in 3 games in a row: {side} was ended by signal 6" in done.stderr
    assert done.stdout.count("run the same command with") == 1
    assert "the same command with --record games.jsonl --resume --keep-going" in done.stdout
    assert len(games_in(tmp_path)) == LONGEST_STREAK
    going_on = [*words[:-1], 8, "--resume", "--keep-going"]
    again = run(tmp_path, *going_on, play=AtOnce())
    assert again.returncode == 0, again.stderr
    assert len(games_in(tmp_path)) == 8


def test_a_third_failure_in_the_last_game_stops_nothing(tmp_path):
    done = run(tmp_path, "match", ADA, CRASHING, "--games", 3, play=AtOnce())
    assert done.returncode == 0
    assert "error" not in done.stderr


def test_other_losses_stop_nothing(tmp_path):
    assert run(tmp_path, "match", ADA, ILLEGAL, "--games", 8, play=AtOnce()).returncode == 0
    assert len(games_in(tmp_path)) == 8


def test_a_batch_skips_the_rest_of_an_opponent(tmp_path):
    words = ("batch", ADA, "--against", CRASHING, ILLEGAL, "--rounds", 4)
    done = run(tmp_path, *words, "--json", play=AtOnce())
    assert done.returncode == 0
    crashing, illegal = json.loads(done.stdout.splitlines()[-1])["opponents"]
    assert crashing["judged"] == LONGEST_STREAK + 1  # one was given out before the third was written down
    assert illegal["judged"] == 8
    assert "failed in 3 games in a row: B was ended by signal 6; 4 of its games were not played" in done.stdout
    assert "--resume --keep-going" in done.stdout
    again = run(tmp_path, *words, "--resume", "--keep-going", "--json", play=AtOnce())
    assert json.loads(again.stdout.splitlines()[-1])["judged"] == 16


def test_a_batch_ends_with_a_bot_that_fails(tmp_path):
    words = ("batch", CRASHING, "--against", ADA, ILLEGAL, "--rounds", 4)
    done = run(tmp_path, *words, play=AtOnce(before=stopped_before(LONGEST_STREAK)))
    assert done.returncode == 4
    assert "error: player A (crashing) failed in 3 games in a row" in done.stderr
    assert len(games_in(tmp_path)) == LONGEST_STREAK


class InterruptedAtTheSeed(io.StringIO):
    """An output whose reader presses Ctrl-C once the seed is told."""

    def write(self, text):
        if "seed " in text and "seed " not in self.getvalue():
            signal.raise_signal(signal.SIGINT)
        return super().write(text)


@pytest.mark.parametrize(
    "words, status, ignored",
    [
        (("match", ADA, BOB, "--games", "4", "--json"), 0, True),
        (("sprt", ADA, BOB, "--elo0", "0", "--elo1", "5", "--games", "4"), 0, False),
        (("batch", ADA, "--against", BOB), 0, False),
        (("tournament", ADA, BOB), 0, False),
        (("play", command("first_legal"), command("first_legal")), 130, True),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else None,
)
def test_what_is_announced_can_be_stopped(tmp_path, monkeypatch, words, status, ignored):
    """A shell starts what runs in its background with SIGINT ignored; the judge hears it all the same."""
    record, output = tmp_path / "games.jsonl", InterruptedAtTheSeed()
    monkeypatch.setattr(sys, "stdout", output)
    monkeypatch.setattr(playing, "require_start", lambda *_: None)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN if ignored else signal.default_int_handler)
    try:
        assert main([*words, "--record", str(record)]) == status
    finally:
        signal.signal(signal.SIGINT, before)
    assert "seed " in output.getvalue()
    assert not record.exists()


def test_a_signal_while_the_last_one_is_heard_waits_for_no_lock(monkeypatch):
    class HeardTwice(threading.Event):
        def set(self):
            with self._cond:  # as set() itself does
                signal.raise_signal(signal.SIGTERM)
            super().set()

    monkeypatch.setattr(threading, "Event", HeardTwice)
    with stop_event() as stop:
        signal.raise_signal(signal.SIGINT)
        assert stop.is_set()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_interrupt_until_they_are_heard_no_more(number):
    before = signal.getsignal(number)
    with raise_on_signals():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        with stop_event() as stop:
            signal.raise_signal(number)
            assert stop.is_set()
        ignore_signals()
        signal.raise_signal(number)
    assert signal.getsignal(number) == before


def test_what_nohup_started_does_not_hear_that_its_terminal_was_closed():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with raise_on_signals():
            signal.raise_signal(signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
