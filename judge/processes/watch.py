"""The judge's side of its watcher (watcher.py): started before the first program, told of bots, sent away at the end.

Whatever this process starts carries a variable that names this judge, compilers and git included; bots and what was
seen below them are told by their numbers as well, as a program may have cleared its environment. The watcher holds the
reading end of a pipe; no program gets the writing end (it is closed on exec), so the kernel closes it with the judge,
however that ends. A parent-death signal would not do: it comes when the thread ends that started a program, and only to
that program.
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
READY_S = 5.0  # for its interpreter to start; after that the judge goes on without waiting
END_S = 2.0

_lock = threading.Lock()
_process: subprocess.Popen[bytes] | None = None
_owner: int | None = None  # the process id that has tried to start one; a fork has no watcher of its own
_told: dict[int, int] = {}  # process id -> when it started


def begin() -> bool:
    """Start the watcher unless this process has one; returns at once, False where there can be none."""
    global _process, _owner
    with _lock:
        if _owner != os.getpid():
            _owner, _process = os.getpid(), None
            if sys.platform.startswith("linux"):
                with contextlib.suppress(OSError):
                    _process = _start()
        return _process is not None


def begin_and_wait() -> None:
    """Have the watcher ready, so that its start takes nothing from whoever is to move."""
    if begin():
        with _lock:
            if _process is not None and _process.stdout is not None and not _process.stdout.closed:
                select.select([_process.stdout], [], [], READY_S)
                _process.stdout.close()


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
    """The process id of this process's watcher, None if there is none."""
    return _process.pid if _process is not None and _owner == os.getpid() else None


def tell(pid: int) -> None:
    """Name a process that is to end with this judge."""
    process = watcher.read_process(pid)
    if process is not None and _told.get(pid) != process.started:
        _told[pid] = process.started
        _say(b"+ %d %d" % (pid, process.started))


def forget_ended() -> None:
    """Take back the names of all that are gone: their numbers may belong to others."""
    for pid, started in list(_told.items()):
        process = watcher.read_process(pid)
        if (process is None or process.started != started) and _told.pop(pid, None) is not None:
            _say(b"- %d" % pid)


def _say(line: bytes) -> None:
    process = _process
    if process is None or process.stdin is None or _owner != os.getpid():
        return
    with contextlib.suppress(OSError, ValueError):  # it was killed, or stopped: the judge goes on without it
        os.write(process.stdin.fileno(), line + b"\n")


def _end() -> None:
    """This process ends by itself: send the watcher away."""
    global _process
    process = _process
    if process is None or process.stdin is None or _owner != os.getpid():
        return
    _say(watcher.END)
    _process = None
    with contextlib.suppress(OSError):
        process.stdin.close()
    try:
        process.wait(END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
