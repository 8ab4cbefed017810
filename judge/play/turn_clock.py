"""What of a turn's time a side could use: the clock stands still while the machine runs other programs instead.

Linux counts for every thread how long it ran and how long it waited for a core although it could have run
(`/proc/PID/task/TID/schedstat`, Documentation/scheduler/sched-stats.rst: nanoseconds run, nanoseconds waited, slices).
A side is given back the longest wait of one of its threads in the turn, but no more than the turn's time less the
processor time of all its processes: threads that crowd each other out have run meanwhile, and earn nothing. Time in
which a side sleeps, or waits for a disk or a lock, is its own. A side that has asked a question in its turn waits for
the judge as well: what the judge's own thread waited for a core in such a turn counts as the side's wait.

Where the system counts nothing of the kind, nothing is given back.
"""

import contextlib
import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from judge.processes import descendants

NANOSECOND = 1e-9

ThreadTimes = dict[tuple[int, int], tuple[float, float]]  # (process, thread) -> seconds run, seconds waited


def thread_times(pids: Iterable[int], proc: str = "/proc") -> ThreadTimes:
    """How long every thread of these processes has run and has waited for a core; ended ones are left out."""
    found: ThreadTimes = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"{proc}/{pid}/task"):
                with contextlib.suppress(OSError, ValueError):
                    found[pid, int(thread)] = _times_of(f"{proc}/{pid}/task/{thread}")
    return found


def _times_of(thread_folder: str) -> tuple[float, float]:
    """Seconds that a thread ran and waited for a core. OSError or ValueError where that is not told."""
    with open(f"{thread_folder}/schedstat") as file:
        run_ns, waited_ns, _ = file.read().split()
    return int(run_ns) * NANOSECOND, int(waited_ns) * NANOSECOND


def tree_times(pid: int) -> ThreadTimes:
    """thread_times() of a process and all that it started."""
    return thread_times(descendants.process_tree(pid))


def own_wait_s() -> float:
    """How many seconds the calling thread has waited for a core since it began, 0 where that is not counted."""
    with contextlib.suppress(OSError, ValueError):
        return _times_of(f"/proc/self/task/{threading.get_native_id()}")[1]
    return 0.0


@dataclass(frozen=True)
class Used:
    """What a side made of a turn so far, in seconds: the longest wait of one of its threads, and the time that all of
    them ran.
    """

    waited_s: float = 0.0
    ran_s: float = 0.0

    def allowance_s(self, wall_s: float, judge_waited_s: float = 0.0) -> float:
        """What of wall_s, the time since the turn began, the machine kept from the side, and from the judge while the
        side waited for that.
        """
        return max(0.0, min(self.waited_s + judge_waited_s, wall_s - self.ran_s))


class TurnClock:
    """Watches a side's threads during its turn.

    pid: of the side's program; is_new: whether its clock began with the program, so that all since its start counts.
    read: tree_times, or what stands for it.
    """

    def __init__(self, pid: int, is_new: bool = False, read: Callable[[int], ThreadTimes] = tree_times) -> None:
        self._pid, self._read = pid, read
        self._before: ThreadTimes = {} if is_new else read(pid)
        self._latest: ThreadTimes = dict(self._before)

    def used(self) -> Used:
        """What the side has made of the turn until now; threads that have ended count as when last looked at."""
        self._latest.update(self._read(self._pid))
        spent = [self._since_the_start(thread, times) for thread, times in self._latest.items()]
        return Used(max((waited_s for _, waited_s in spent), default=0.0), sum(ran_s for ran_s, _ in spent))

    def _since_the_start(self, thread: tuple[int, int], times: tuple[float, float]) -> tuple[float, float]:
        ran_s, waited_s = self._before.get(thread, (0.0, 0.0))
        return times[0] - ran_s, times[1] - waited_s
