"""What the referee makes of a mover's clock: a side that the machine did not run is not late, one that slept is."""

import contextlib
import itertools
import subprocess
import sys

import pytest

from judge.play import core_shares, referee, turn
from judge.play.recheck import disagreements
from judge.play.referee import play_game
from judge.play.turn_clock import Used
from tests.judge.helpers.scripted import bot, plan

LIMIT_S = 3.0
SHORT_S = 0.1  # the late bot comes four times as late


class Clock:
    """In place of the mover's clock, of a machine in which a side waits for a core all the time, or never."""

    waited_s = 0.0

    def __init__(self, pid, is_new=False):
        pass

    def used(self):
        return Used(waited_s=self.waited_s)


def played(monkeypatch, limit_s, waited_s, **others):
    """The record of a game whose side A is late once."""
    monkeypatch.setattr(Clock, "waited_s", waited_s)
    monkeypatch.setattr(referee, "TurnClock", Clock)
    late = bot("misbehave", "late", "--at", 2, "--limit", limit_s)
    return play_game((late, bot("first_legal")), plan(limit_s, **others))


def test_a_side_that_the_machine_did_not_run_is_not_late(monkeypatch):
    record = played(monkeypatch, LIMIT_S, waited_s=60.0)
    assert record.termination == "NORMAL"
    ply, late = max(enumerate(record.moves, start=1), key=lambda numbered: numbered[1].wall_s)
    assert late.side == "A" and late.wall_s > LIMIT_S
    assert record.extra["A"]["overtime_s"][str(ply)] == pytest.approx(late.wall_s - LIMIT_S, abs=1e-5)
    assert set(record.extra["A"]["waits_s"]) == {60.0}
    assert disagreements(record) == []


def test_what_is_said_of_the_cores_is_what_the_record_says(monkeypatch):
    """Of a wait that is too long by less than its last digit."""
    monkeypatch.setattr(Clock, "waited_s", core_shares.LEAST_SHORTAGE_S + 0.0002)
    monkeypatch.setattr(referee, "TurnClock", Clock)
    record = play_game((bot("first_legal"), bot("first_legal")), plan(LIMIT_S))
    assert record.extra["short_of_core"] == core_shares.as_json(core_shares.in_all([record]))


@pytest.mark.parametrize("waited_s, strict", [(0.0, False), (60.0, True)])
def test_a_side_that_slept_is_late_and_by_the_strict_clock_every_one_is(monkeypatch, waited_s, strict):
    record = played(monkeypatch, LIMIT_S, waited_s, strict_clock=strict)
    assert (record.termination in ("TIME_FORFEIT", "STALL"), record.at_fault) == (True, "A")
    assert record.extra["strict_clock"] is strict


def test_a_reply_that_needed_a_second_limit_judges_nobody(monkeypatch):
    record = played(monkeypatch, SHORT_S, waited_s=60.0)
    assert (record.termination, record.winner, record.at_fault) == ("VOID", None, None)
    assert "the machine did not run " in record.extra["reason"]


@pytest.mark.parametrize("mode, ending", [("asks_and_is_late", "NORMAL"), ("late", "TIME_FORFEIT")])
def test_a_side_that_asked_is_not_charged_for_a_judge_that_did_not_run(monkeypatch, mode, ending):
    """The machine lets the judge's thread wait without end; the mover's own threads never wait."""
    monkeypatch.setattr(referee, "TurnClock", Clock)
    monkeypatch.setattr(turn, "own_wait_s", itertools.count(step=60.0).__next__)
    late = bot("misbehave", mode, "--at", 2, "--limit", LIMIT_S, game="reversi")
    record = play_game((late, bot("first_legal", game="reversi")), plan(LIMIT_S, game="reversi"))
    assert record.termination == ending


@contextlib.contextmanager
def busy_loops(number):
    """So many processes that want a core all the time."""
    loops = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


@pytest.mark.parametrize("loops", [0, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("mode", ["late", "late_by_a_lock", "late_by_work", "late_by_threads"])
def test_a_bot_that_is_late_by_its_own_doing_loses_however_busy_the_machine_is(mode, loops):
    """Nothing is in another's place here: what the machine did not give must not make up for what the bot did."""
    limit_s = 1.0
    players = bot("misbehave", mode, "--at", 1, "--limit", limit_s), bot("first_legal")
    with busy_loops(loops):
        record = play_game(players, plan(limit_s))
    assert (record.termination in ("TIME_FORFEIT", "STALL"), record.at_fault) == (True, "A")
