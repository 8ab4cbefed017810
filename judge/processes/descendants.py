"""Finds, kills and reaps every process that a bot started, directly or through other processes.

A bot is started as the leader of its own session, with an environment variable that names its game. On Linux the judge
is a "subreaper" (orphans.py): a descendant whose parent dies becomes a direct child of the judge. So every process left
over from a game becomes a child of this process sooner or later, and only such children are killed, which makes the
kill safe against reused process ids. On other systems only the bot's own process group is killed.
"""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator

import psutil

from judge.processes import watch
from judge.processes.measure import stat_fields

MARKER = "DROPFOUR_GAME"  # the environment variable; its value is unique to one game
SWEEP_LIMIT_S = 1.0  # a killed process ends within milliseconds; a process that takes longer is unkillable
SWEEP_PAUSE_S = 0.002
END_LIMIT_S = 10.0  # may be long because no game is running

# The kernel's list of children per thread: reading it takes microseconds, searching all processes milliseconds.
HAS_CHILDREN_FILES = os.path.exists(f"/proc/self/task/{os.getpid()}/children")

# Held while starting, reaping or sweeping: otherwise one thread could take a bot that another thread has started but
# not yet registered for an orphan.
process_table = threading.Lock()
registered_bots: dict[int, str] = {}  # process id -> marker value of the game, for bots not yet reaped
own_programs: set[int] = set()  # process ids of the judge's own programs that have a session of their own
unswept_games: set[str] = set()  # marker values of games that have started a bot and were not swept since
unkillable: set[int] = set()  # process ids of bots that SIGKILL did not end in time
namespaces: dict[int, int] = {}  # process id of a sandboxed bot -> id of the first process in its namespace
busy_since: float | None = None  # seconds after boot when the first bot since the last complete sweep was started
CLOCK_STEP_S = 0.01  # the resolution of the kernel's start times
CLOCK_SLACK_S = 1.0
PF_EXITING = 0x4  # a flag of the kernel in field 9 of proc(5)


def child_processes(pid: int) -> list[int]:
    """Return the process ids of the direct children of the process `pid`; [] if it has ended."""
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
    """Return the process ids of this process's children, found by searching all processes; [] if psutil fails.

    Unlike the kernel's list of children, the search omits none: the list may lack some while others exit (proc(5)).
    """
    try:
        return [child.pid for child in psutil.Process().children()]
    except psutil.Error:
        return []


def process_tree(pid: int) -> list[int]:
    """Return `pid` and the ids of its descendants, parents first.

    If `pid` is a bot in a sandbox, orphaned processes in its sandbox are included.
    """
    found = dict.fromkeys([pid, *(child_processes(namespaces[pid]) if pid in namespaces else [])])
    waiting = list(found)
    for known in waiting:  # the list grows while it is walked
        new = [child for child in child_processes(known) if child not in found]
        found.update(dict.fromkeys(new))
        waiting += new
    return waiting


def seen_orphans(seen: Collection[int]) -> list[int]:
    """Return the process ids of one bot's orphans and of their descendants.

    `seen` holds every process id ever found in the bot's tree: an orphan in `seen` belongs to the bot. This function
    also reports every orphan, of any bot, to the watcher, so that the orphan ends with the judge.
    """
    found = []
    for orphan in adopted_orphans():
        watch.register(orphan)
        if orphan in seen:
            found += process_tree(orphan)
    return found


@contextlib.contextmanager
def registering(marker: str) -> Iterator[Callable[[int], None]]:
    """Hold the process table's lock while a bot is started. Yield a function to be called with the bot's process id."""
    global busy_since
    with process_table:
        if busy_since is None:
            busy_since = seconds_after_boot()

        def register(pid: int) -> None:
            registered_bots[pid] = marker
            watch.register(pid)
            unswept_games.add(marker)

        yield register


@contextlib.contextmanager
def own_program(start: Callable[[], subprocess.Popen[bytes]]) -> Iterator[subprocess.Popen[bytes]]:
    """Yield the process that start() starts, and is no bot. No game's end kills or reaps it inside the context."""
    with process_table:
        process = start()
        own_programs.add(process.pid)
    try:
        yield process
    finally:
        own_programs.discard(process.pid)


def sweep(marker: str, known: set[int]) -> int:
    """Kill and reap every child of the judge that belongs to an ended game; return how many were killed.

    Precondition: the game's own bots are reaped. `marker` is the game's marker value. `known` holds the process ids
    that were seen below its bots, and so identifies descendants that cleared their environment. A descendant that
    cleared its environment and was never seen cannot be attributed to one of several running games; the sweep of the
    last running game kills all of these.
    """
    global busy_since
    killed: set[int] = set()
    give_up = time.monotonic() + SWEEP_LIMIT_S
    while True:
        with process_table:
            remaining = [pid for pid in adopted_orphans() if _belongs(pid, marker, known)]
            if not remaining and (killed or not registered_bots):  # check again by the complete search
                remaining = [pid for pid in adopted_orphans(all_children()) if _belongs(pid, marker, known)]
            for pid in remaining:
                known.update(process_tree(pid))
                is_ending = _is_ending(pid)
                if not _reap(pid):
                    if not is_ending:
                        killed.add(pid)
                    kill(pid)
            ended = not remaining or time.monotonic() > give_up
            if ended:
                unswept_games.discard(marker)
                watch.forget_ended()
            if not remaining and not unswept_games:
                busy_since = None  # not before: a left-over of another game may still be below a process of that game
        if ended:
            return len(killed)
        time.sleep(SWEEP_PAUSE_S)


def adopted_orphans(children: Iterable[int] | None = None) -> list[int]:
    """Return the ids of the children that the judge has adopted.

    These are the children outside the judge's session, except registered bots, unkillable ones, the watcher and
    `own_programs`. `children` are the process ids of all children of this process; None looks them up.
    """
    own_session = os.getsid(0)
    found = []
    for pid in child_processes(os.getpid()) if children is None else children:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            is_known = pid in registered_bots or pid in unkillable or pid == watch.watcher_pid()
            if not is_known and pid not in own_programs and os.getsid(pid) != own_session:
                found.append(pid)
    return found


def await_end(pid: int, limit_s: float) -> None:
    """Wait until a child has ended, but at most `limit_s` seconds."""
    try:
        descriptor = os.pidfd_open(pid)
    except (AttributeError, OSError):  # another system, or it has been reaped
        time.sleep(min(limit_s, SWEEP_PAUSE_S))
        return
    try:
        watch.await_input(descriptor, limit_s)
    finally:
        os.close(descriptor)


def kill(pid: int) -> None:
    """Kill a process and its tracer: a process that is traced with PTRACE_O_TRACEEXIT waits for its tracer at its end.

    Only tracers that descend from this process are killed, not a debugger that the user has started.
    """
    killed: set[int] = set()
    while pid not in killed:
        killed.add(pid)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
        tracer = _tracer_of(pid)
        if not tracer or tracer == watch.watcher_pid() or not _is_descendant(tracer):
            return
        pid = tracer


def _tracer_of(pid: int) -> int:
    """Return the thread id of the process's tracer, 0 if there is none."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/status", "rb") as status:
        for line in status:
            if line.startswith(b"TracerPid:"):
                return int(line.split()[1])
    return 0


def _is_descendant(pid: int) -> bool:
    """Return whether the process with this id descends from the calling process."""
    while pid > 1:
        fields = stat_fields(pid)
        pid = int(fields[1]) if fields else 0
        if pid == os.getpid():
            return True
    return False


def end_since(moment_s: float) -> None:
    """Kill and reap all descendants of this process that started after the moment `moment_s`, in seconds after boot.

    Precondition: no other thread starts programs during the call.
    """
    give_up = time.monotonic() + END_LIMIT_S
    left = True
    while left and time.monotonic() < give_up:
        left, children = False, all_children()
        for pid in {*process_tree(os.getpid()), *children} - {os.getpid(), watch.watcher_pid()}:
            with contextlib.suppress(OSError):  # the process has ended
                if started_s(pid) >= moment_s - CLOCK_STEP_S and not (pid in children and _reap(pid)):
                    left = True
                    os.kill(pid, signal.SIGKILL)
        time.sleep(SWEEP_PAUSE_S if left else 0.0)


def _belongs(pid: int, marker: str, known: set[int]) -> bool:
    try:
        process = psutil.Process(pid)
        if pid in known or process.status() == psutil.STATUS_ZOMBIE or _is_ending(pid):
            return True  # any game may reap a dead orphan; an ending one has lost its environment and is dead soon
        value = None
        with contextlib.suppress(psutil.AccessDenied):  # a program that nobody may read hides its environment
            value = process.environ().get(MARKER)
        if value is not None:
            return value == marker
        # While no bot is running, every process that started since the last complete sweep counts as the game's.
        return busy_since is not None and not registered_bots and started_s(pid) >= busy_since - CLOCK_SLACK_S
    except (psutil.Error, OSError):
        return False


def _is_ending(pid: int) -> bool:
    """Return whether a process has begun to end, and so will be dead in a moment."""
    fields = stat_fields(pid)
    # If only its first thread has ended, the process goes on.
    return bool(fields) and bool(int(fields[6]) & PF_EXITING) and int(fields[17]) <= 1


def seconds_after_boot() -> float:
    """Return the time since boot on the clock that started_s() uses.

    On systems without that clock, return the time of a monotonic clock.
    """
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def started_s(pid: int) -> float:
    """Return when a process started, in seconds after boot (field 22 in proc(5)). Raises OSError if it has ended."""
    fields = stat_fields(pid)
    if not fields:
        raise ProcessLookupError(f"there is no process {pid}")
    return int(fields[19]) / os.sysconf("SC_CLK_TCK")


def _reap(pid: int) -> bool:
    """Reap the child if it has ended. Return whether it has ended."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True
