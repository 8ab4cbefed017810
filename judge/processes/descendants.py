"""Every process that a bot started, however far it ran: found, measured, killed and reaped.

A bot is started as the leader of a session of its own and carries an environment variable that names its game. On Linux
the judge is a "subreaper" (orphans.py): a descendant whose parent dies becomes a direct child of the judge. So whatever
is left of a game sooner or later is a child of this process, and only such children are ever killed, which makes the
kill safe against reused process numbers. Elsewhere than on Linux a bot's own process group is killed, and no more can
be promised.
"""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator

import psutil

from judge.processes import watch
from judge.processes.measure import stat_fields

MARKER = "DROPFOUR_GAME"  # the environment variable; its value is unique to one game
SWEEP_LIMIT_S = 1.0  # the kernel reaps a killed process in milliseconds; more means an unkillable one
SWEEP_PAUSE_S = 0.002
END_LIMIT_S = 10.0  # as nothing is played any more

# A list the kernel keeps per thread: reading it takes microseconds, searching all processes milliseconds.
HAS_CHILDREN_FILES = os.path.exists(f"/proc/self/task/{os.getpid()}/children")

# Starting, reaping and sweeping exclude each other, so that no thread takes a bot that another
# thread has just started, and not yet registered, for a stray.
process_table = threading.Lock()
registered_bots: dict[int, str] = {}  # process id -> marker value of the game, for bots not yet reaped
unswept_games: set[str] = set()  # marker values of games that have started a bot and are not swept yet
namespaces: dict[int, int] = {}  # process id of a bot in a sandbox -> of the first process in there, no part of it
busy_since: float | None = None  # seconds after boot when the first bot since the last complete sweep was started
CLOCK_STEP_S = 0.01  # in which the kernel counts start times
CLOCK_SLACK_S = 1.0  # more than that
# The shell ends at once: what it has started has another parent then.


def child_processes(pid: int) -> list[int]:
    """The process ids of the direct children of pid; [] if it is gone."""
    if not HAS_CHILDREN_FILES:
        try:
            return [child.pid for child in psutil.Process(pid).children()]
        except psutil.Error:
            return []
    children: list[int] = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with (
                contextlib.suppress(FileNotFoundError, ProcessLookupError),  # this thread has just ended
                open(f"/proc/{pid}/task/{thread}/children") as file,
            ):
                children += [int(child) for child in file.read().split()]
    return children


def all_children() -> list[int]:
    """The process ids of this process's children, by a look at every process there is.

    The kernel's list of children may leave some out while others of them exit (proc(5)).
    """
    try:
        return [child.pid for child in psutil.Process().children()]
    except psutil.Error:
        return []


def process_tree(pid: int) -> list[int]:
    """pid and all its descendants that are still attached to it, parents first; of a bot in a sandbox all in there."""
    found = [pid]
    if pid in namespaces:
        found += [child for child in child_processes(namespaces[pid]) if child != pid]
    for known in found:  # the list grows while it is walked
        found += [child for child in child_processes(known) if child not in found]
    return found


def adopted(seen: Collection[int]) -> list[int]:
    """Those of a bot's processes that have left its tree, and all below them; seen: what was ever in its tree.

    All that have left a tree, whosever it was, are to end with the judge.
    """
    found = []
    for stray in strays():
        watch.tell(stray)
        if stray in seen:
            found += process_tree(stray)
    return found


@contextlib.contextmanager
def registering(marker: str) -> Iterator[Callable[[int], None]]:
    """Hold the process table while a bot is started; yields the function to call with its process id."""
    global busy_since
    with process_table:
        if busy_since is None:
            busy_since = seconds_after_boot()

        def register(pid: int) -> None:
            registered_bots[pid] = marker
            watch.tell(pid)
            unswept_games.add(marker)

        yield register


def sweep(marker: str, known: set[int]) -> int:
    """Kill and reap every child of the judge that belongs to the ended game; returns how many were killed.

    Precondition: the game's own bots are reaped. `known` holds process ids seen below its bots, for
    descendants that cleared their environment. Such as were never seen cannot be told from those of other
    games that are running; the last of these takes them all.
    """
    global busy_since
    killed: set[int] = set()
    give_up = time.monotonic() + SWEEP_LIMIT_S
    while True:
        with process_table:
            remaining = [pid for pid in strays() if _belongs(pid, marker, known)]
            if not remaining and (killed or not registered_bots):  # the last look before these are forgotten
                remaining = [pid for pid in strays(all_children()) if _belongs(pid, marker, known)]
            for pid in remaining:
                known.update(process_tree(pid))
                if not _reap(pid):
                    killed.add(pid)
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            ended = not remaining or time.monotonic() > give_up
            if ended:
                unswept_games.discard(marker)
                watch.forget_ended()
            if not remaining and not unswept_games:
                busy_since = None  # not before: what another game leaves may still hide below a child of its own
        if ended:
            return len(killed)
        time.sleep(SWEEP_PAUSE_S)


def strays(children: Iterable[int] | None = None) -> list[int]:
    """The ids of adopted children: not bots of a running game, and outside the judge's own session.

    children: process ids of this process's children where they are known already.
    """
    own_session = os.getsid(0)
    found = []
    for pid in child_processes(os.getpid()) if children is None else children:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if pid not in registered_bots and pid != watch.watcher_pid() and os.getsid(pid) != own_session:
                found.append(pid)
    return found


def end_since(moment_s: float) -> None:
    """Kill and reap whatever this process, or what it started, has started since a moment in seconds after boot.

    Precondition: no other thread of it starts programs meanwhile.
    """
    give_up = time.monotonic() + END_LIMIT_S
    left = True
    while left and time.monotonic() < give_up:
        left, children = False, all_children()
        for pid in {*process_tree(os.getpid()), *children} - {os.getpid(), watch.watcher_pid()}:
            with contextlib.suppress(OSError):  # it is gone
                if started_s(pid) >= moment_s - CLOCK_STEP_S and not (pid in children and _reap(pid)):
                    left = True
                    os.kill(pid, signal.SIGKILL)
        time.sleep(SWEEP_PAUSE_S if left else 0.0)


def _belongs(pid: int, marker: str, known: set[int]) -> bool:
    try:
        process = psutil.Process(pid)
        if pid in known or process.status() == psutil.STATUS_ZOMBIE:
            return True  # a dead stray of any game may as well be reaped here
        value = process.environ().get(MARKER)
        if value is not None:
            return value == marker
        # Where nothing plays: whatever was started since the last complete sweep.
        return busy_since is not None and not registered_bots and started_s(pid) >= busy_since - CLOCK_SLACK_S
    except (psutil.Error, OSError):
        return False


def seconds_after_boot() -> float:
    """Now, on the clock of started_s, which nobody sets; elsewhere than on Linux any steady clock."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def started_s(pid: int) -> float:
    """When a process started, in seconds after boot (field 22 of /proc/PID/stat, proc(5)). OSError if it is gone."""
    fields = stat_fields(pid)
    if not fields:
        raise ProcessLookupError(f"there is no process {pid}")
    return int(fields[19]) / os.sysconf("SC_CLK_TCK")


def _reap(pid: int) -> bool:
    """True if the child was dead and is now gone."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True
