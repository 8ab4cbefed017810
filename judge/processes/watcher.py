"""The process that outlives the judge by a moment: it ends what a judge has left running that was killed.

    python -I -S watcher.py MARKER

`watch.py` starts it and tells it of processes, a line each on its stdin: "+ PID START" of one that is to be ended,
START as `started` has it, and "- PID" of one that is not any more. "end" before the end of the input says that the
judge has ended by itself, and nothing is done. Without it everything is killed that

* it was told of, and that still is the process that it was,
* is in a session or process group that was begun by one of these,
* has the MARKER, a NAME=VALUE, in the environment that it was started with,
* or has been started by one of those, as far as that shows.

It is a program of its own, in a session of its own, and reads nothing but /proc. What it imports is there in 10 ms, as
dataclasses would not be. Standard library only.
"""

import contextlib
import os
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

READY = b"."  # what it says on its stdout once it listens
END = b"end"
READ_BYTES = 64 * 1024
PATIENCE_S = 10.0  # a killed process is gone in milliseconds; more means an unkillable one
PAUSE_S = 0.01
DEAD_STATES = ("Z", "X")


class Process:
    """What `/proc/PID/stat` says of a process: its parent, process group and session; when it started, in ticks."""

    __slots__ = ("group", "is_dead", "parent", "session", "started")

    def __init__(self, parent: int, group: int, session: int, started: int, is_dead: bool = False) -> None:
        self.parent, self.group, self.session, self.started, self.is_dead = parent, group, session, started, is_dead


def read_process(pid: int) -> "Process | None":
    """The Process of this number, None if there is none."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            state, parent, group, session, *others = stat.read().rpartition(b")")[2].decode().split()
    except (OSError, ValueError):
        return None
    return Process(int(parent), int(group), int(session), int(others[15]), state in DEAD_STATES)


def processes() -> dict[int, Process]:
    """All processes that this one sees, by their numbers."""
    numbers = (int(name) for name in os.listdir("/proc") if name.isdecimal())
    return {pid: process for pid in numbers if (process := read_process(pid)) is not None}


def is_marked(pid: int, marker: bytes) -> bool:
    """Whether the process was started with this in its environment; False where that cannot be read."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as environment:
        return marker in environment.read().split(b"\0")
    return False


def to_be_ended(table: "Mapping[int, Process]", told: "Mapping[int, int]", marker: bytes) -> set[int]:
    """The numbers of all living processes of the table that a judge is to take with it, but for this process.

    told: {number: when it started} of those that the judge has named. A number that another process has got since
    stands for nothing.
    """
    own = os.getpid()
    leaders = {pid for pid, started in told.items() if pid not in table or table[pid].started == started}
    found = {
        pid
        for pid, process in table.items()
        if pid in leaders or process.session in leaders or process.group in leaders or is_marked(pid, marker)
    }
    has_grown = True
    while has_grown:
        more = {pid for pid, process in table.items() if process.parent in found} - found
        found |= more
        has_grown = bool(more)
    return {pid for pid in found if pid != own and not table[pid].is_dead}


def kill(pid: int, process: Process) -> None:
    """Kill this very process, if it is still there: no number comes round again between the look and the signal."""
    now = read_process(pid)
    if now is not None and now.started == process.started:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def end_all(told: "Mapping[int, int]", marker: bytes) -> None:
    """Kill until nothing is left, as some may start others meanwhile."""
    give_up = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up:
        table = processes()
        victims = to_be_ended(table, told, marker)
        if not victims:
            return
        for pid in victims:
            kill(pid, table[pid])
        time.sleep(PAUSE_S)


def listen(descriptor: int) -> dict[int, int] | None:
    """Read to the end of the input; returns what is to be ended, None if nothing is."""
    told: dict[int, int] = {}
    unread = b""
    while data := os.read(descriptor, READ_BYTES):
        *lines, unread = (unread + data).split(b"\n")
        for line in lines:
            if line == END:
                return None
            sign, pid, *started = line.split()
            if sign == b"+":
                told[int(pid)] = int(started[0])
            else:
                told.pop(int(pid), None)
    return told


def main(marker: str) -> None:
    """Wait for the judge's end, whatever it may be."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # meant for the judge, it is heard here by its end
    os.write(sys.stdout.fileno(), READY)
    told = listen(sys.stdin.fileno())
    if told is not None:
        end_all(told, os.fsencode(marker))
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
