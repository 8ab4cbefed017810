"""Counts the rivals of a bot: threads of other programs and of other bots that want a core.

The judge's own threads do not count. A thread wants a core if it runs or is ready to run (state R of proc(5)). Bots
have the same priority as the judge. A thread with a higher priority counts as often as the scheduler prefers it
(sched-nice-design.rst of the kernel). What a bot does changes the count for other bots, never for itself: its orphaned
processes count for nobody.
"""

import contextlib
import os
import threading
import time
from collections.abc import Collection
from dataclasses import dataclass, field

from judge.processes import descendants
from judge.processes.measure import stat_fields

OF_THE_KERNEL = 0x00200000  # PF_KTHREAD among a process's flags
FRESH_S = 0.02  # games that ask within this time share a table
WANTS_A_CORE = "R"
NICE_STEP = 1.25  # a thread gets this many times the time of one whose nice value is higher by 1


@dataclass
class _Table:
    """All processes at the moment `taken` of time.monotonic(). The dictionaries have process ids as keys.

    `parents` and `sessions` hold ids, `ticks` the CPU time in clock ticks. `wanting` holds the number of threads that
    want a core, times their weight; processes without such threads are left out.
    """

    taken: float = -FRESH_S
    parents: dict[int, int] = field(default_factory=dict)
    sessions: dict[int, int] = field(default_factory=dict)
    wanting: dict[int, float] = field(default_factory=dict)
    ticks: dict[int, int] = field(default_factory=dict)


_lock = threading.Lock()
_latest = _Table()


def count(roots: Collection[int]) -> float:
    """Return the number of threads that want a core, without the threads of one bot and the judge's.

    `roots` are the ids of the processes from which the bot's other processes descend. Games that ask within FRESH_S
    share one look at the machine. A thread of higher priority counts more than once.
    """
    global _latest
    with _lock:
        if time.monotonic() - _latest.taken >= FRESH_S:
            _latest = _read(_latest)
        table = _latest
    return sum(number for pid, number in table.wanting.items() if _is_rival(pid, roots, table))


def _is_rival(pid: int, roots: Collection[int], table: _Table) -> bool:
    judge = os.getpid()
    while pid and pid != judge:
        if pid in roots:
            return False
        if pid in descendants.registered_bots:
            return True
        parent = table.parents.get(pid, 0)
        if parent == judge:  # a program that the judge has started, or an orphan of some bot
            return table.sessions[pid] == table.sessions.get(judge)
        pid = parent
    return pid != judge


def _read(before: _Table) -> _Table:
    table, own_nice = _Table(time.monotonic()), os.nice(0)
    for name in filter(str.isdecimal, os.listdir("/proc")):
        pid, fields = int(name), stat_fields(int(name))
        if not fields or int(fields[6]) & OF_THE_KERNEL:
            continue
        table.parents[pid], table.sessions[pid] = int(fields[1]), int(fields[3])
        ticks = table.ticks[pid] = int(fields[11]) + int(fields[12])
        if int(fields[17]) == 1:
            number = int(fields[0] == WANTS_A_CORE)
        else:  # if the process has not run lately, the state of its first thread stands for all
            has_run = fields[0] == WANTS_A_CORE or ticks != before.ticks.get(pid)
            number = wanting_threads(pid) if has_run else 0
        if number:
            table.wanting[pid] = number * NICE_STEP ** max(0, own_nice - int(fields[16]))
    return table


def wanting_threads(pid: int) -> int:
    """Return how many threads of the process want a core."""
    number = 0
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread}/stat", "rb") as stat:
                number += stat.read().rpartition(b") ")[2][:1] == WANTS_A_CORE.encode()
    return number
