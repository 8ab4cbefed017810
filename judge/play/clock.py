"""One turn of one side: waits for its reply, judges a missing or late one, and does not charge what the machine took.

    charged time = wall time - min(wait for a core, wall time - CPU time)

The wait is the longest time that one of the side's threads waited in the turn for a core although it could have run
(processes/usage.py). Threads are looked at during the turn, so that those that have ended count. The CPU time is that
of all processes of the side, so a side is charged at least what it has computed, and one whose threads compete with
each other for the cores gains nothing. Time in which a side sleeps, or waits for a disk or a lock, is charged. A side
is late if its charged time is above the limit. Where the system does not count waiting (`dropfour doctor` says so), the
charged time is the wall time.

A start may be a chain of scripts that run dozens of programs (pyenv), each too short for a look. So until the side
reads its first message, its wait is at least the time in which looks found one of its processes running or ready to
run, less its CPU time.

The clock begins when the message is written. For a new process it begins just before its start, but never more than
PROMPT_S before the message. If the side has asked a question, the time that the judge's own thread waited for a core
adds to the side's wait. If the judge read a reply late only because it woke late, the reply is in time. If it woke late
by a whole limit, the game is VOID, unless the side itself had used the cores.
"""

import functools
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from judge.games.positions import Position
from judge.machine.facts import read_cores
from judge.play.scoresheet import Conditions
from judge.play.seat import Forfeit, Seat
from judge.processes import usage
from judge.processes.process import BotProcess, pump
from judge.processes.start import JudgeFailure
from judge.processes.usage import ThreadTimes, own_wait_s
from judge.reasons import (
    JUDGE_WAS_LATE,
    SAID_NOTHING,
    SAID_NOTHING_BY_CLOCK,
    TOOK_TOO_LONG,
    TOOK_TOO_LONG_BY_CLOCK,
)
from protocol.records.record import Termination

STALL_AFTER_S = 1.0  # a side that is silent for this long after its deadline has stalled
POLL_S = 0.05  # the longest sleep, so that an exit behind open pipes, or a stop, is noticed soon
START_POLL_S = 0.01  # the longest sleep until the mover has started, to measure the start more exactly
LATE_WAKE_S = 0.25  # a scheduler delay that makes a verdict by the strict clock unsafe
PROMPT_S = 0.05  # the judge usually starts a program and writes its first message in this time


@functools.cache
def usable_cores() -> float:
    """Return the number of cores that this process may use."""
    return read_cores().usable


@dataclass(frozen=True)
class TurnUsage:
    """The seconds that one of a side's threads waited for a core in the turn, and the CPU seconds of the whole side."""

    waited_s: float = 0.0
    ran_s: float = 0.0

    def allowance_s(self, wall_s: float, judge_waited_s: float = 0.0) -> float:
        """Return the part of the `wall_s` seconds since the turn began that the side is not charged.

        `judge_waited_s` is the time in which the judge lacked a core while the side waited for the judge.
        """
        return max(0.0, min(self.waited_s + judge_waited_s, wall_s - self.ran_s))


class TurnClock:
    """Measures what the processes of a side use during its turn.

    `is_new` says that the turn began with the process, so that all its time counts. read(pids) returns the ThreadTimes
    of processes. `ran_before_s` are the CPU seconds that the bot had used before the turn. `due` is the moment at which
    usage() should be called next, in seconds of time.monotonic().
    """

    def __init__(
        self,
        bot: BotProcess,
        limit_s: float,
        is_new: bool = False,
        read: Callable[[Iterable[int]], ThreadTimes] = usage.thread_times,
    ) -> None:
        self._bot, self._pause_s, self._read = bot, min(POLL_S, limit_s / 20), read
        pids = [] if is_new else bot.bot_pids()
        self._before = read(pids)
        self._waits_s = dict.fromkeys(self._before, 0.0)
        self._is_new, self._called_at, self._wanted_s = is_new, time.monotonic(), 0.0
        self.ran_before_s = 0.0 if is_new else bot.measure_cpu(pids)
        self.due = time.monotonic() + self._pause_s

    def usage(self) -> TurnUsage:
        """Return the side's TurnUsage from the start of the turn until now, and set `due` for the next call.

        The wait of a thread that has ended is that of the last call in which it still lived.
        """
        began_s = time.thread_time()
        pids = self._bot.bot_pids()
        for thread, (_, waited_s) in self._read(pids).items():
            self._waits_s[thread] = waited_s - self._before.get(thread, (0.0, 0.0))[1]
        ran_s = self._bot.measure_cpu(pids) - self.ran_before_s
        now = time.monotonic()
        # Until the bot has read its first message, it counts as waiting whenever it wants a core and does not compute.
        if self._is_new and self._bot.start_up.is_watched and any(map(usage.wants_a_core, pids)):
            self._wanted_s += now - self._called_at
        self._called_at = now
        # The calls take at most 1 % of the time, as bots play on the same cores.
        self.due = now + max(self._pause_s, 100 * (time.thread_time() - began_s))
        return TurnUsage(max([self._wanted_s - ran_s, *self._waits_s.values(), 0.0]), ran_s)


class Turn:
    """The turn of `mover`, whose clock began at the moment `started` of time.monotonic().

    `clock` measures the mover's threads. `waiter` is the other side, None in a check of a single player. `overdrawn_s`
    are the CPU seconds that the mover used before its turn, while it should have been stopped; they shorten its limit.
    """

    def __init__(
        self,
        conditions: Conditions,
        mover: Seat,
        waiter: Seat | None,
        clock: TurnClock,
        started: float,
        overdrawn_s: float = 0.0,
    ) -> None:
        self.conditions, self.mover, self.waiter, self.clock, self.started = conditions, mover, waiter, clock, started
        self.overdrawn_s = overdrawn_s
        self._ran_s = 0.0  # the CPU time of the mover in this turn, as last measured

    def await_reply(
        self, position: Position, check_stop: Callable[[], None], check_memory: Callable[[float], None]
    ) -> tuple[object, float]:
        """Wait for the mover's reply. Return (reply, the moment of time.monotonic() at which it was read).

        `position` is the position in which the mover is asked. check_stop() and check_memory(now) are called each time
        that the judge wakes; an exception of theirs ends the turn. Raises Forfeit if a side breaks the rules or the
        mover's time is over, JudgeFailure if the judge woke too late.
        """
        mover, started, strict_clock = self.mover, self.started, self.conditions.strict_clock
        limit_s = max(0.0, self.conditions.limit_s - self.overdrawn_s)
        deadline = started + limit_s
        most_late_s = LATE_WAKE_S if strict_clock else self.conditions.limit_s  # whatever the mover has overdrawn
        watched = [mover.bot] if self.waiter is None else [mover.bot, self.waiter.bot]
        now = started  # not time.monotonic(): the judge may have been stopped since
        waited_before_s, has_asked = own_wait_s(), False
        # Whether the mover's last bytes were a question, which was answered. More bytes may be buffered then, but the
        # clock is checked before they are read.
        has_just_asked = False
        while True:
            nap_s = 0.0 if has_just_asked else START_POLL_S if mover.bot.start_up.is_watched else POLL_S
            moments = (deadline, deadline + STALL_AFTER_S, self.clock.due)
            wake = min([now + nap_s, *(moment for moment in moments if moment > now)])
            ran_before_s = self._ran_s
            previous, now = now, pump(watched, wake - time.monotonic())
            late_s = max(0.0, now - wake)
            check_stop()
            if now >= self.clock.due:
                self._measure_usage()
            if now > started + limit_s and not strict_clock:  # the deadline moves by what the mover is not charged
                judge_waited_s = own_wait_s() - waited_before_s if has_asked else 0.0
                deadline = started + limit_s + self._measure_usage().allowance_s(now - started, judge_waited_s)
            # The judge has slept past the deadline, so that nobody knows whether the reply came in time.
            if previous <= deadline < now and late_s > most_late_s:
                if not self._is_late_by_mover(late_s, ran_before_s):
                    raise JudgeFailure(JUDGE_WAS_LATE.format(late=f"{late_s:.2f}", side=mover.side))
                late_s = 0.0
            # A judge that was to wake before the deadline and woke late takes what it reads now as in time.
            if now > deadline and (strict_clock or late_s < now - deadline):
                uncharged_s = deadline - started - limit_s
                self._raise_if_lost(now - started + self.overdrawn_s, uncharged_s, now >= deadline + STALL_AFTER_S)
                has_just_asked = False
                continue
            reply = mover.take_reply()
            has_just_asked = reply is not None and mover.answer(position, reply)
            has_asked |= has_just_asked
            if reply is not None and not has_just_asked:
                mover.check_memory()
                return reply, now
            if mover.bot.closed and not has_just_asked:
                raise mover.crash()
            if self.waiter is not None:
                self.waiter.check_silent()
            check_memory(now)

    def _measure_usage(self) -> TurnUsage:
        """Return the mover's TurnUsage until now, and store its CPU time in `_ran_s`."""
        used = self.clock.usage()
        self._ran_s = used.ran_s
        return used

    def _is_late_by_mover(self, late_s: float, ran_before_s: float) -> bool:
        """Return whether the judge woke `late_s` seconds late because the mover used over three quarters of the cores.

        `ran_before_s` is the mover's CPU time in this turn, as measured before the judge slept.
        """
        return self._measure_usage().ran_s - ran_before_s > 0.75 * usable_cores() * late_s

    def _raise_if_lost(self, elapsed_s: float, uncharged_s: float, is_stall_due: bool) -> None:
        """Raise the Forfeit of a mover whose clock has run out, or return if its kind is not clear yet.

        It is a TIME_FORFEIT if the mover has sent anything complete or has ended. Else it is a STALL once
        `is_stall_due`: STALL_AFTER_S have passed, too. `elapsed_s` are the seconds since the clock began; the clock
        stood still for `uncharged_s` of them.
        """
        mover = self.mover
        try:
            has_sent_or_ended = mover.take_reply() is not None or mover.bot.closed
        except Forfeit:  # the bytes are malformed
            has_sent_or_ended = True
        names_clock = uncharged_s >= 0.05  # whether the reason states the time for which the clock stood still
        fields = {"side": mover.side, "elapsed": f"{elapsed_s:.3f}", "limit": f"{self.conditions.limit_s:g}"}
        fields |= {"counted": f"{elapsed_s - uncharged_s:.3f}", "kept": f"{uncharged_s:.3f}"}
        if has_sent_or_ended:
            late = TOOK_TOO_LONG_BY_CLOCK if names_clock else TOOK_TOO_LONG
            raise Forfeit(mover.side, Termination.TIME_FORFEIT, late.format(**fields))
        if is_stall_due:
            silent = SAID_NOTHING_BY_CLOCK if names_clock else SAID_NOTHING
            raise Forfeit(mover.side, Termination.STALL, silent.format(**fields))
