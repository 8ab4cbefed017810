"""Starts the watcher (watcher.py) before the first program, sends it process ids, and ends it with the judge.

Every program that this process starts, compilers and git included, has an environment variable that names this judge.
The ids of bots and their descendants are sent to the watcher as well, because a program may clear its environment. The
watcher reads from a pipe. No program gets the writing end of the pipe (it is closed on exec), so the kernel closes the
pipe when the judge ends, however it ends. A parent-death signal is not enough: it is sent when the thread that started
a program ends, and only to that program.
"""

import atexit
import contextlib
import os
import select
import subprocess
import sys
import threading
import uuid

from judge.processes import watcher

MARKER = "DROPFOUR_JUDGE"  # the environment variable; its value is unique to one judge
READY_S = 5.0  # the longest wait for the watcher's interpreter to start
END_S = 2.0  # the longest wait for the watcher's end

_lock = threading.Lock()
_process: subprocess.Popen[bytes] | None = None
_owner: int | None = None  # the id of the process that has tried to start a watcher; a fork of it has no watcher
_registered: dict[int, int] = {}  # process id -> when it started


def begin() -> bool:
    """Start the watcher unless this process has a watcher, and do not wait for it.

    Return False if it cannot be started.
    """
    global _process, _owner
    with _lock:
        if _owner != os.getpid():
            _owner, _process = os.getpid(), None
            if sys.platform.startswith("linux"):
                with contextlib.suppress(OSError):
                    _process = _start()
        return _process is not None


def begin_and_wait() -> None:
    """Start the watcher and wait until it is ready, so that its start uses no CPU time during a turn."""
    if begin():
        with _lock:
            if _process is not None and _process.stdout is not None and not _process.stdout.closed:
                await_input(_process.stdout.fileno(), READY_S)
                _process.stdout.close()


def await_input(descriptor: int, limit_s: float) -> bool:
    """Wait at most `limit_s` seconds until something can be read from the descriptor, or its end is reached.

    Return whether that is so. select.select() takes no descriptor from 1024 on.
    """
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(limit_s * 1000))


def _start() -> subprocess.Popen[bytes]:
    value = uuid.uuid4().hex
    started = subprocess.Popen(
        [sys.executable, "-I", "-S", watcher.__file__, f"{MARKER}={value}"],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ},
        cwd="/",
        start_new_session=True,
    )
    assert started.stdin is not None
    os.set_blocking(started.stdin.fileno(), False)
    os.environ[MARKER] = value
    atexit.register(_end)
    return started


def watcher_pid() -> int | None:
    """Return the process id of this process's watcher, None if this process has no watcher."""
    return _process.pid if _process is not None and _owner == os.getpid() else None


def register(pid: int) -> None:
    """Report to the watcher a process that is to end with this judge."""
    process = watcher.read_process(pid)
    if process is not None and _registered.get(pid) != process.started:
        _registered[pid] = process.started
        _send(b"+ %d %d" % (pid, process.started))


def forget_ended() -> None:
    """Report to the watcher which processes have ended, because new processes may get their ids."""
    for pid, started in list(_registered.items()):
        process = watcher.read_process(pid)
        if (process is None or process.started != started) and _registered.pop(pid, None) is not None:
            _send(b"- %d" % pid)


def _send(line: bytes) -> None:
    process = _process
    if process is None or process.stdin is None or _owner != os.getpid():
        return
    with contextlib.suppress(OSError, ValueError):  # a killed or stopped watcher does not disturb the judge
        os.write(process.stdin.fileno(), line + b"\n")


def _end() -> None:
    """End the watcher at the normal end of this process."""
    global _process
    process = _process
    if process is None or process.stdin is None or _owner != os.getpid():
        return
    _send(watcher.END)
    _process = None
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        process.wait(END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
