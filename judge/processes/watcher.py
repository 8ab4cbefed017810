"""Kills the processes of a judge that was killed: a program that outlives the judge by a moment.

    python -I -S watcher.py MARKER

`watch.py` starts it and writes a line per process to its stdin: "+ PID START" adds a process, with START as in
`Process.started`, and "- PID" removes one. The line "end" says that the judge has ended normally, and the watcher ends
without killing anything. If the input ends without it, the watcher kills every process that

* was added, and still has the same start time,
* is in a session or process group that one of these leads or has led,
* has the MARKER, a NAME=VALUE, in the environment that it was started with,
* or descends from one of those.

It runs in its own session and reads only /proc. Its imports take 10 ms; dataclasses would take longer. Standard library
only.
"""

import contextlib
import os
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

READY = b"."  # written to stdout when the watcher is ready
END = b"end"
READ_BYTES = 64 * 1024
PATIENCE_S = 10.0  # a killed process ends within milliseconds; one that takes longer is unkillable
QUIET_S = 3.0  # the watcher ends when it has found no process to kill for this long
PAUSE_S, LONGEST_PAUSE_S = 0.01, 0.5  # between two looks
DEAD_STATES = ("Z", "X")


class Process:
    """A process as `/proc/PID/stat` describes it: ids of its parent, process group and session, and its start.

    `started` is in clock ticks after boot. `is_dead` is True for a process that has ended but is not reaped.
    """

    __slots__ = ("group", "is_dead", "parent", "session", "started")

    def __init__(self, parent: int, group: int, session: int, started: int, is_dead: bool = False) -> None:
        self.parent, self.group, self.session, self.started, self.is_dead = parent, group, session, started, is_dead


def read_process(pid: int) -> "Process | None":
    """Return the Process with this id, None if there is none."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            state, parent, group, session, *others = stat.read().rpartition(b")")[2].decode().split()
    except (OSError, ValueError):
        return None
    return Process(int(parent), int(group), int(session), int(others[15]), state in DEAD_STATES)


def processes() -> dict[int, Process]:
    """Return {process id: Process} of all processes in /proc."""
    numbers = (int(name) for name in os.listdir("/proc") if name.isdecimal())
    return {pid: process for pid in numbers if (process := read_process(pid)) is not None}


def is_marked(pid: int, marker: bytes) -> bool:
    """Return whether the process was started with the marker in its environment; False if that cannot be read."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as environment:
        return marker in environment.read().split(b"\0")
    return False


def to_be_ended(table: "Mapping[int, Process]", registered: "Mapping[int, int]", marker: bytes) -> set[int]:
    """Return the ids of all living processes of the table that are to end with the judge, without this process.

    registered: {process id: its start in ticks} of the processes that the judge has reported. An id that belongs to a
    new process by now is ignored.
    """
    own = os.getpid()
    leaders = {pid for pid, started in registered.items() if pid not in table or table[pid].started == started}
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
    """Kill the process if the id still belongs to it; ids are not reused between this check and the signal."""
    now = read_process(pid)
    if now is not None and now.started == process.started:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def end_all(registered: "Mapping[int, int]", marker: bytes) -> None:
    """Kill all processes that are to end, again and again, until none was found for QUIET_S.

    The processes may start others meanwhile. Besides, a program that the judge was starting when it was killed is a
    copy of the judge at first: it gets the marker only when it begins, which may be later on a busy machine.
    """
    last_seen = began = time.monotonic()
    pause_s = PAUSE_S
    while (now := time.monotonic()) < began + PATIENCE_S and now <= last_seen + QUIET_S:
        table = processes()
        victims = to_be_ended(table, registered, marker)
        for pid in victims:
            kill(pid, table[pid])
        last_seen, pause_s = (now, PAUSE_S) if victims else (last_seen, min(2 * pause_s, LONGEST_PAUSE_S))
        time.sleep(pause_s)


def listen(descriptor: int) -> dict[int, int] | None:
    """Read the input to its end; return {process id: start in ticks} of the reported processes to kill.

    Return None as soon as the line "end" comes.
    """
    registered: dict[int, int] = {}
    unread = b""
    while data := os.read(descriptor, READ_BYTES):
        *lines, unread = (unread + data).split(b"\n")
        for line in lines:
            if line == END:
                return None
            sign, pid, *started = line.split()
            if sign == b"+":
                registered[int(pid)] = int(started[0])
            else:
                registered.pop(int(pid), None)
    return registered


def main(marker: str) -> None:
    """Wait for the judge's end; unless it ended normally, kill the processes that it has left. Never returns."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # these are for the judge, whose end the watcher sees anyway
    os.write(sys.stdout.fileno(), READY)
    registered = listen(sys.stdin.fileno())
    if registered is not None:
        end_all(registered, os.fsencode(marker))
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
