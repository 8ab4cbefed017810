"""One turn of one side: waits for its reply, judges a missing or late one, and stops its clock while it lacks a core.

Linux counts for every thread how long it ran and how long it waited for a core although it could have run
(`/proc/PID/task/TID/schedstat`, Documentation/scheduler/sched-stats.rst: nanoseconds run, nanoseconds waited, slices).
A side's allowance is the longest wait of one of its threads in the turn, but at most the turn's time less the
processor time of all its processes: threads that compete with each other for a core get no allowance for it. Time in
which a side sleeps, or waits for a disk or a lock, counts against it. A side that has asked a question in its turn
waits for the judge as well: the time that the judge's own thread waited for a core in such a turn is added to the
side's wait.

Where the system does not count these times, the allowance is 0.
"""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from judge.games.positions import Position
from judge.play.scoresheet import GamePlan
from judge.play.seat import Forfeit, Seat
from judge.processes import descendants
from judge.processes.process import pump
from judge.processes.start import JudgeFailure
from judge.reasons import (
    JUDGE_WAS_LATE,
    NOT_RUN,
    SAID_NOTHING,
    SAID_NOTHING_BY_CLOCK,
    TOOK_TOO_LONG,
    TOOK_TOO_LONG_BY_CLOCK,
)
from protocol.records.record import Termination

NANOSECOND = 1e-9

ThreadTimes = dict[tuple[int, int], tuple[float, float]]  # (process, thread) -> seconds run, seconds waited
STALL_AFTER_S = 1.0  # past the limit
POLL_S = 0.05  # the longest sleep, so that an exit behind open pipes, or a stop, is noticed soon
START_POLL_S = 0.01  # the same until the mover has started, to measure the start more exactly
MOST_ALLOWANCE_LIMITS = 10  # allowance of a side that does not reply, in limits; beyond it the game is VOID
KEPT_TOLD_S = 0.05  # a reason names the time that the machine took if it is at least so long
LATE_WAKE_S = 0.25  # a scheduler delay that makes a verdict by the strict clock unsafe


def thread_times(pids: Iterable[int], proc: str = "/proc") -> ThreadTimes:
    """Return how long every live thread of these processes has run and has waited for a core."""
    found: ThreadTimes = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"{proc}/{pid}/task"):
                with contextlib.suppress(OSError, ValueError):
                    found[pid, int(thread)] = _times_of(f"{proc}/{pid}/task/{thread}")
    return found


def _times_of(thread_folder: str) -> tuple[float, float]:
    """Return the seconds that a thread ran and waited for a core. Raises OSError, ValueError if they cannot be read."""
    with open(f"{thread_folder}/schedstat") as file:
        run_ns, waited_ns, _ = file.read().split()
    return int(run_ns) * NANOSECOND, int(waited_ns) * NANOSECOND


def tree_times(pid: int) -> ThreadTimes:
    """Return the thread_times() of a process and all its descendants."""
    return thread_times(descendants.process_tree(pid))


def own_wait_s() -> float:
    """Return the seconds that the calling thread has waited for a core since it began, 0 where that is not counted."""
    with contextlib.suppress(OSError, ValueError):
        return _times_of(f"/proc/self/task/{threading.get_native_id()}")[1]
    return 0.0


@dataclass(frozen=True)
class TurnUsage:
    """A side's use of its turn, in seconds: the longest wait of one of its threads, and the time that all have run."""

    waited_s: float = 0.0
    ran_s: float = 0.0

    def allowance_s(self, wall_s: float, judge_waited_s: float = 0.0) -> float:
        """Return the seconds to add to the side's limit, for the time in which it lacked a core.

        wall_s is the time since the turn began; judge_waited_s the time in which the judge lacked a core while the side
        waited for it.
        """
        return max(0.0, min(self.waited_s + judge_waited_s, wall_s - self.ran_s))


class TurnClock:
    """Measures a side's threads during its turn.

    pid: the id of the side's process; is_new: whether its clock began with the process, so that all its time counts.
    read: tree_times, or a substitute in tests.
    """

    def __init__(self, pid: int, is_new: bool = False, read: Callable[[int], ThreadTimes] = tree_times) -> None:
        self._pid, self._read = pid, read
        self._before: ThreadTimes = {} if is_new else read(pid)
        self._latest: ThreadTimes = dict(self._before)

    def usage(self) -> TurnUsage:
        """Return the side's TurnUsage of this turn until now; threads that have ended count as last measured."""
        self._latest.update(self._read(self._pid))
        spent = [self._since_the_start(thread, times) for thread, times in self._latest.items()]
        return TurnUsage(max((waited_s for _, waited_s in spent), default=0.0), sum(ran_s for ran_s, _ in spent))

    def _since_the_start(self, thread: tuple[int, int], times: tuple[float, float]) -> tuple[float, float]:
        ran_s, waited_s = self._before.get(thread, (0.0, 0.0))
        return times[0] - ran_s, times[1] - waited_s


class Turn:
    """The turn of `mover`, whose clock began at `started` (time.monotonic()); `clock` measures its threads.

    `waiter` is the other side, None where there is none, as in a check of a single player. overdrawn_s is the time that
    the mover has computed before its turn, though it was to be stopped.
    """

    def __init__(
        self,
        plan: GamePlan,
        mover: Seat,
        waiter: Seat | None,
        clock: TurnClock,
        started: float,
        overdrawn_s: float = 0.0,
    ) -> None:
        self.plan, self.mover, self.waiter, self.clock, self.started = plan, mover, waiter, clock, started
        self.overdrawn_s = overdrawn_s

    def reply(
        self, position: Position, check_stop: Callable[[], None], check_memory: Callable[[float], None]
    ) -> tuple[object, float]:
        """Return the mover's reply and the moment of time.monotonic() at which it was read.

        Raises Forfeit if a side breaks the rules, JudgeFailure if the judge woke too late or the mover lacked a core
        for too long. check_stop() and check_memory(now) are called at every look; what they raise ends the turn.
        """
        mover, started, strict_clock = self.mover, self.started, self.plan.strict_clock
        limit_s = max(0.0, self.plan.limit_s - self.overdrawn_s)
        deadline = started + limit_s
        watched = [mover.bot] if self.waiter is None else [mover.bot, self.waiter.bot]
        now = started  # not time.monotonic(): the judge may have been stopped since
        waited_before_s, has_asked = own_wait_s(), False
        asked = False  # whether a question was just answered: more may be buffered, but the clock is checked between
        while True:
            nap_s = 0.0 if asked else START_POLL_S if mover.bot.start_up.is_watched else POLL_S
            moments = (deadline, deadline + STALL_AFTER_S)
            wake = min([now + nap_s, *(moment for moment in moments if moment > now)])
            before, now = now, pump(watched, wake - time.monotonic())
            check_stop()
            late_look_s = max(0.0, now - wake)
            if before <= deadline < now and late_look_s > (LATE_WAKE_S if strict_clock else limit_s):
                raise JudgeFailure(JUDGE_WAS_LATE.format(late=f"{late_look_s:.2f}", side=mover.side))
            if now > deadline and not strict_clock:
                judge_waited_s = own_wait_s() - waited_before_s if has_asked else 0.0
                allowance_s = self.clock.usage().allowance_s(now - started, judge_waited_s)
                if allowance_s > MOST_ALLOWANCE_LIMITS * limit_s:
                    raise JudgeFailure(not_run(mover.side, allowance_s))
                deadline = max(deadline, started + limit_s + allowance_s)
            if now > deadline and (strict_clock or late_look_s < now - deadline):
                kept_s = deadline - started - limit_s
                spent_s = now - started + self.overdrawn_s
                self._check_late(spent_s, kept_s, now >= deadline + STALL_AFTER_S)
                asked = False
                continue
            reply = mover.take_reply()
            asked = reply is not None and mover.answer(position, reply)
            has_asked |= asked
            if reply is not None and not asked:
                mover.check_memory(self.plan.memory_limit_bytes)
                return reply, now
            if mover.bot.closed and not asked:
                raise mover.crash()
            if self.waiter is not None:
                self.waiter.check_silent()
                self.waiter.keep_frozen()
            check_memory(now)

    def _check_late(self, elapsed_s: float, kept_s: float, stalled: bool) -> None:
        """Raise the Forfeit of a clock that has run out; return if it is too early to tell TIME_FORFEIT from STALL.

        The clock stood still for kept_s of the elapsed seconds.
        """
        mover = self.mover
        try:
            complete = mover.take_reply() is not None or mover.bot.closed
        except Forfeit:
            complete = True
        is_kept = kept_s >= KEPT_TOLD_S
        told = {"side": mover.side, "elapsed": f"{elapsed_s:.3f}", "limit": f"{self.plan.limit_s:g}"}
        told |= {"counted": f"{elapsed_s - kept_s:.3f}", "kept": f"{kept_s:.3f}"}
        if complete:
            late = TOOK_TOO_LONG_BY_CLOCK if is_kept else TOOK_TOO_LONG
            raise Forfeit(mover.side, Termination.TIME_FORFEIT, late.format(**told))
        if stalled:
            silent = SAID_NOTHING_BY_CLOCK if is_kept else SAID_NOTHING
            raise Forfeit(mover.side, Termination.STALL, silent.format(**told))


def not_run(side: str, kept_s: float) -> str:
    """Return the reason of a game that is VOID because the side lacked a core for kept_s seconds."""
    return NOT_RUN.format(side=side, kept=f"{kept_s:.2f}")
