"""One turn of one side: waits for its reply, judges a missing or late one, and stops its clock while it lacks a core.

Linux counts for every thread how long it ran and how long it waited for a core although it could have run
(`/proc/PID/task/TID/schedstat`, Documentation/scheduler/sched-stats.rst: nanoseconds run, nanoseconds waited, slices).
A side's allowance is the time to add to its limit. It is the smaller of

* the longest time that one of the side's threads waited for a core in the turn, as far as the threads of other programs
  explain that wait;
* the duration of the turn less the CPU time of all processes of the side. A side whose threads compete with each other
  for a core therefore gets no time for that.

How long a wait other programs explain: if N cores serve the thread and R threads of other programs, E = R + 1 - N
threads have no core. A thread that gets an equal share then waits E / N times as long as it runs. Schedulers share
badly for a while, so the clock allows for 2 E / N times. R is the mean of several counts during the turn
(processes/rivals.py). A thread that yields its core all the time, or hardly uses one, therefore gains nothing by
waiting, and on a machine that has a core for every thread the allowance is 0. A side gets no allowance if its CPU time
in the turn is above the limit, or if that CPU time is not known because processes of the side end unseen.

Until it reads its first message, a side may be a chain of scripts that run dozens of programs (pyenv). Such processes
may end unseen as long as their parents wait for them: the kernel then adds their CPU time to that of their parents, but
it does not add the time that they waited for a core. Therefore, if processes of the side have ended, the clock looks at
random moments whether any thread of the side wants a core, which says for how long in all. That time, less the CPU time
of the side, counts like the wait of a single thread that used all this CPU time. It is an estimate: a thread whose
sleeps are shorter than a look seems to want a core all the time.

A side could read its first message and write it back into its own stdin between two looks at the pipe, to seem to be
starting, and then compute in programs that run for less than a millisecond and whose parents ignore their end. So the
CPU time of a side in a sandbox counts as unknown if it has started more than MOST_STARTED programs.

Time in which a side sleeps, or waits for a disk or a lock, counts against it. A side also waits for the judge:

* if the judge wrote the message of the turn more than PROMPT_S after the clock began, the time beyond PROMPT_S is added
  to the allowance, even if no other program explains it;
* if the side has asked a question, the time that the judge's own thread waited for a core in the turn is added to the
  side's wait.

Where the system does not count these times, the allowance is 0.
"""

import contextlib
import functools
import math
import os
import random
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from judge.games.positions import Position
from judge.machine.facts import read_cores
from judge.play.scoresheet import Conditions
from judge.play.seat import Forfeit, Seat
from judge.processes import descendants, measure, rivals
from judge.processes.delays import own_wait_s
from judge.processes.process import BotProcess, pump
from judge.processes.start import JudgeFailure
from judge.reasons import (
    JUDGE_WAS_LATE,
    SAID_NOTHING,
    SAID_NOTHING_BY_CLOCK,
    TOOK_TOO_LONG,
    TOOK_TOO_LONG_BY_CLOCK,
)
from protocol.records.record import Termination

ThreadTimes = dict[tuple[int, int], tuple[float, float]]  # (process, thread) -> seconds run, seconds waited
STALL_AFTER_S = 1.0  # a side that is silent for this long after its deadline has stalled
POLL_S = 0.05  # the longest sleep, so that an exit behind open pipes, or a stop, is noticed soon
START_POLL_S = 0.01  # the longest sleep until the mover has started, to measure the start more exactly
KEPT_TOLD_S = 0.05  # a reason names the time that the machine took if it is at least this long
LATE_WAKE_S = 0.25  # a scheduler delay that makes a verdict by the strict clock unsafe
LOOKS = 20  # how often the mover's processes are measured in the time of its limit, at moments that it cannot foresee
LOOK_SHARE = 100  # the pause after such a measurement is at least this many times the measurement's duration
RIVALS_SHARE = 50  # like LOOK_SHARE, for counts of other programs' threads; an idle machine needs no counts
# Other programs' threads are counted only if the side has waited longer than these seconds, and than this share of the
# turn's time.
LEAST_WAIT_S, LEAST_WAIT_SHARE = 0.005, 0.01
# A turn's CPU time counts as incomplete if processes that nobody waited for used more than MOST_LOST_S seconds of it
# (rounding alone loses some), or if more than MOST_ENDED processes ended in the turn, as these may hide any number of
# others.
MOST_LOST_S = 0.03
MOST_ENDED = 4
MOST_STARTED = 250  # processes and threads in a sandbox until the bot reads its first message; pyenv starts some 40
PROMPT_S = 0.05  # the judge usually starts a program and writes its first message in this time
OWN_DOING_SHARE = 0.75  # a mover that used more than this share of all cores has kept the judge from running

_moments = random.SystemRandom()


def thread_times(pids: Iterable[int], proc: str = "/proc") -> ThreadTimes:
    """Return how long every live thread of the processes `pids` has run and has waited for a core.

    `proc` is the folder to read, a stand-in for /proc in tests.
    """
    found: ThreadTimes = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"{proc}/{pid}/task"):
                with contextlib.suppress(OSError, ValueError):
                    found[pid, int(thread)] = measure.run_and_wait_s(f"{proc}/{pid}/task/{thread}")
    return found


def tree_times(pid: int) -> ThreadTimes:
    """Return the thread_times() of a process and all its descendants."""
    return thread_times(descendants.process_tree(pid))


@functools.cache
def usable_cores() -> float:
    """Return the number of cores that this process may use."""
    return read_cores().usable


def waits_per_run(rivals: float, cores: float) -> float:
    """Return the seconds that a thread may have to wait for each second that it runs.

    `rivals` is the mean number of threads of other programs that want one of the `cores`. The module's docstring
    derives the formula.
    """
    return 2 * max(0.0, rivals + 1 - cores) / cores


@dataclass(frozen=True)
class TurnUsage:
    """The processor time that a side used in its turn, and the time that it waited for a core, in seconds.

    `waited_s` is the longest time that one of the side's threads waited for a core. `kept_s` is the longest part of
    such a wait that other programs explain. `ran_s` is the CPU time of all its processes, and `limit_s` the side's
    limit for the turn. `is_known` is False if this CPU time is incomplete.
    """

    waited_s: float = 0.0
    ran_s: float = 0.0
    kept_s: float = 0.0
    limit_s: float = math.inf
    is_known: bool = True

    def lacked_s(self, wall_s: float) -> float:
        """Return how long the side lacked a core in the `wall_s` seconds since the turn began; 0 if that is unknown."""
        return min(self.kept_s, wall_s - self.ran_s) if self.is_known else 0.0

    @property
    def is_within_limit(self) -> bool:
        """Whether the side's CPU time is known and is at most its limit."""
        return self.is_known and self.ran_s <= self.limit_s

    def allowance_s(self, wall_s: float, judge_waited_s: float = 0.0, asked_late_s: float = 0.0) -> float:
        """Return the seconds to add to the side's limit, for the time in which it lacked a core or its message.

        `wall_s` is the time since the turn began. `judge_waited_s` is the time in which the judge lacked a core while
        the side waited for the judge. `asked_late_s` is the time by which the judge wrote the message late.
        """
        if not self.is_within_limit:
            return 0.0
        waited_s = self.kept_s + judge_waited_s if self.kept_s else 0.0
        return max(0.0, min(waited_s + asked_late_s, wall_s - self.ran_s))


class TurnClock:
    """Measures a side's processes during its turn, and other programs if the side lacks a core.

    `limit_s` is the side's limit for the turn. `is_new` says that the clock began with the process, so that all time of
    the process counts. Tests pass `read`, `count_rivals`, `cores` and the other functions of their own in place of the
    machine's. `due` is the moment of the next measurement, in seconds of time.monotonic(). `ran_before_s` are the CPU
    seconds that the bot had used before the turn.
    """

    def __init__(
        self,
        bot: BotProcess,
        limit_s: float,
        is_new: bool = False,
        read: Callable[[Iterable[int]], ThreadTimes] = thread_times,
        count_rivals: Callable[[Collection[int]], float] = rivals.count,
        cores: float | None = None,
        wanting_threads: Callable[[int], int] = rivals.wanting_threads,
        number_in_namespace: Callable[[int], int] = measure.number_in_namespace,
    ) -> None:
        self._bot, self._limit_s, self._read, self._count_rivals = bot, limit_s, read, count_rivals
        self._wanting_threads, self._number_in_namespace = wanting_threads, number_in_namespace
        self._is_new = is_new
        self._cores = cores or usable_cores()
        self._before: ThreadTimes = {}
        self.ran_before_s = 0.0
        if not is_new:
            pids = bot.all_pids()
            self._before, self.ran_before_s = read(pids), bot.look_at_cpu(pids)
        self._lost_before_s, self._ended_before = bot.cpu_meter.lost_s, bot.cpu_meter.ended
        self._latest: ThreadTimes = dict(self._before)
        self._began = time.monotonic()
        self._rivals: list[float] = []
        self._rivals_due = 0.0
        # Until the bot reads its first message: the moment of the last sample, the time in which some thread wanted a
        # core, and what a chain of programs is given back in addition to the wait of one thread.
        self._sampled, self._wanted_s, self._kept_of_chain_s = self._began, 0.0, 0.0
        self._programs = 0  # started in the bot's sandbox until it reads its first message
        self.due = self._began
        self._schedule(0.0)

    def usage(self) -> TurnUsage:
        """Measure the side, and return its TurnUsage from the start of the turn until now.

        A thread that has ended counts with the times of its last measurement.
        """
        began_s, is_due = time.thread_time(), time.monotonic() >= self.due
        pids = self._bot.all_pids()
        self._latest.update(self._read(pids))
        spent = [self._since_the_start(thread, times) for thread, times in self._latest.items()]
        waited_s = max((waited_s for _, waited_s in spent), default=0.0)
        ran_s = self._bot.look_at_cpu(pids) - self.ran_before_s
        meter = self._bot.cpu_meter
        is_starting = self._is_new and self._bot.start_up.is_watched
        if is_starting:  # scripts end many processes, but wait for them
            self._ended_before = meter.ended
        if is_due:  # else the bot may have chosen the moment, by sending something
            if is_starting:
                self._sample(pids)
            self._schedule(time.thread_time() - began_s)
        is_known = (
            meter.lost_s - self._lost_before_s <= MOST_LOST_S
            and meter.ended - self._ended_before <= MOST_ENDED
            and self._programs <= MOST_STARTED
        )
        now = time.monotonic()
        if waited_s > max(LEAST_WAIT_S, LEAST_WAIT_SHARE * (now - self._began)) and now >= self._rivals_due:
            began_s = time.thread_time()
            self._rivals.append(self._count_rivals(self._bot.roots()))
            self._rivals_due = now + RIVALS_SHARE * (time.thread_time() - began_s)
        factor = waits_per_run(sum(self._rivals) / len(self._rivals), self._cores) if self._rivals else 0.0
        kept_s = max((min(waited_s, factor * ran_s) for ran_s, waited_s in spent), default=0.0)
        if is_starting and meter.ended:  # else all that it waited for a core is known
            self._kept_of_chain_s = max(0.0, min(self._wanted_s - ran_s, factor * ran_s) - kept_s)
        return TurnUsage(waited_s, ran_s, kept_s + self._kept_of_chain_s, self._limit_s, is_known)

    def _sample(self, pids: Iterable[int]) -> None:
        """Add the time since the last sample to the time in which the bot wanted a core, if one of its threads does.

        Count the programs that it has started.
        """
        now = time.monotonic()
        self._programs = max([self._programs, *map(self._number_in_namespace, pids)])
        if any(map(self._wanting_threads, pids)):
            self._wanted_s += now - self._sampled
        self._sampled = now

    def _since_the_start(self, thread: tuple[int, int], times: tuple[float, float]) -> tuple[float, float]:
        ran_s, waited_s = self._before.get(thread, (0.0, 0.0))
        return times[0] - ran_s, times[1] - waited_s

    def _schedule(self, cost_s: float) -> None:
        """Set a random moment for the next measurement, so that a bot cannot foresee it and behave differently then.

        `cost_s` are the CPU seconds that the last measurement took.
        """
        pause_s = max(min(POLL_S, self._limit_s / LOOKS), LOOK_SHARE * cost_s)
        self.due = time.monotonic() + pause_s * _moments.uniform(0.5, 1.5)


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

    def reply(
        self, position: Position, check_stop: Callable[[], None], check_memory: Callable[[float], None]
    ) -> tuple[object, float]:
        """Return the mover's reply and the moment of time.monotonic() at which it was read.

        `position` is the position in which the mover is asked. check_stop() and check_memory(now) are called each time
        that the judge wakes; an exception of theirs ends the turn. Raises Forfeit if a side breaks the rules,
        JudgeFailure if the judge woke too late.
        """
        mover, started, strict_clock = self.mover, self.started, self.conditions.strict_clock
        limit_s = max(0.0, self.conditions.limit_s - self.overdrawn_s)
        deadline = started + limit_s
        most_late_s = LATE_WAKE_S if strict_clock else self.conditions.limit_s  # whatever the mover has overdrawn
        watched = [mover.bot] if self.waiter is None else [mover.bot, self.waiter.bot]
        now = started  # not time.monotonic(): the judge may have been stopped since
        waited_before_s, has_asked = own_wait_s(), False
        asked_late_s = max(0.0, mover.bot.sent_at - started - PROMPT_S)
        used = TurnUsage()
        for seat in filter(None, (mover, self.waiter)):
            seat.take_cost()  # what was measured before the turn
            seat.bot.kept_s = 0.0
        # Whether a question was just answered. More bytes may be buffered then, but the clock is checked before they
        # are read.
        asked = False
        while True:
            nap_s = 0.0 if asked else START_POLL_S if mover.bot.start_up.is_watched else POLL_S
            moments = (deadline, deadline + STALL_AFTER_S, self.clock.due)
            wake = min([now + nap_s, *(moment for moment in moments if moment > now)])
            ran_before_s = self._ran_s
            # The judge may wake late because it measured processes: a player may have many, or keep the judge waiting.
            # Measuring the mover is at the mover's expense. Measuring the waiter, or reading its pipes, does not void
            # the game, and a reply that came in the meantime is in time.
            by_mover_s = mover.take_cost().by_player_s
            by_waiter_s = 0.0 if self.waiter is None else self.waiter.take_cost().wall_s + self.waiter.bot.kept_s
            woke = pump(watched, wake - time.monotonic())
            late_look_s = max(0.0, woke - wake - by_mover_s)
            before, now = now, woke + mover.bot.kept_s  # the last of what was read may have come so late
            check_stop()
            if now >= self.clock.due:
                self._look()
            if now > started + limit_s and not strict_clock:
                judge_waited_s = own_wait_s() - waited_before_s if has_asked else 0.0
                used = self._look()
                granted = started + limit_s + used.allowance_s(now - started, judge_waited_s, asked_late_s)
                deadline = max(deadline, granted) if used.is_within_limit else granted
            if before <= deadline < now and late_look_s - by_waiter_s > most_late_s:
                if not self._is_own_doing(late_look_s, ran_before_s):
                    raise JudgeFailure(JUDGE_WAS_LATE.format(late=f"{late_look_s:.2f}", side=mover.side))
                late_look_s = 0.0
            if now > deadline and ((strict_clock and by_waiter_s < now - deadline) or late_look_s < now - deadline):
                kept_s = deadline - started - limit_s
                # A mover whose CPU time alone is over the limit is granted nothing, but is told what it lacked.
                kept_s = max(kept_s, used.lacked_s(now - started))
                spent_s = now - started + self.overdrawn_s
                self._check_late(spent_s, kept_s, now >= deadline + STALL_AFTER_S)
                asked = False
                continue
            reply = mover.take_reply()
            asked = reply is not None and mover.answer(position, reply)
            has_asked |= asked
            if reply is not None and not asked:
                mover.check_memory()
                return reply, now
            if mover.bot.closed and not asked:
                raise mover.crash()
            if self.waiter is not None:
                self.waiter.check_silent()
                with self.waiter.measuring():
                    self.waiter.keep_frozen()
            check_memory(now)

    def _look(self) -> TurnUsage:
        with self.mover.measuring():
            used = self.clock.usage()
        self._ran_s = used.ran_s
        return used

    def _is_own_doing(self, late_s: float, ran_before_s: float) -> bool:
        """Return whether the judge woke `late_s` seconds late because the mover itself used the cores.

        `ran_before_s` is the mover's CPU time in this turn, as measured before the judge slept.
        """
        used = self._look()
        most_s = OWN_DOING_SHARE * usable_cores() * late_s
        return not used.is_within_limit or used.ran_s - ran_before_s > most_s

    def _check_late(self, elapsed_s: float, kept_s: float, stalled: bool) -> None:
        """Raise the Forfeit of a mover whose clock has run out, unless it may still become a TIME_FORFEIT.

        The Forfeit is a TIME_FORFEIT if the mover has sent anything complete or has ended. Otherwise it is a STALL if
        `stalled` is True, which says that the time for a late reply is over, too. If it is False, this returns. The
        clock stood still for `kept_s` of the `elapsed_s` seconds.
        """
        mover = self.mover
        try:
            complete = mover.take_reply() is not None or mover.bot.closed
        except Forfeit:
            complete = True
        is_kept = kept_s >= KEPT_TOLD_S
        told = {"side": mover.side, "elapsed": f"{elapsed_s:.3f}", "limit": f"{self.conditions.limit_s:g}"}
        told |= {"counted": f"{elapsed_s - kept_s:.3f}", "kept": f"{kept_s:.3f}"}
        if complete:
            late = TOOK_TOO_LONG_BY_CLOCK if is_kept else TOOK_TOO_LONG
            raise Forfeit(mover.side, Termination.TIME_FORFEIT, late.format(**told))
        if stalled:
            silent = SAID_NOTHING_BY_CLOCK if is_kept else SAID_NOTHING
            raise Forfeit(mover.side, Termination.STALL, silent.format(**told))
