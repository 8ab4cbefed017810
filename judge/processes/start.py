"""Starts programs below a keeper (keeper.py), and measures how long a bot takes to start.

A keeper has one bot at a time. When all processes of that bot have ended, the keeper serves another one, so that only
the first games of a judge have to wait for the start of their keepers, some 25 ms.
"""

import atexit
import contextlib
import errno
import fcntl
import marshal
import os
import resource
import select
import shutil
import socket
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import IO

from judge.processes import keeper
from judge.reasons import KEEPER_GONE, NO_PROCESS, WRONG_COMMAND

# Descriptors that the judge needs for a game (two bots, their sandboxes, a few files of /proc at a time), and besides.
DESCRIPTORS_OF_A_GAME, OTHER_DESCRIPTORS = 32, 128
# Errors for which the machine is to blame, not the program.
JUDGE_AT_FAULT = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC)
ANSWER_LIMIT_S = 30.0  # a keeper answers within milliseconds; it may have to wait for a core


class CannotStart(Exception):
    """The command cannot be executed: not found, not executable, wrong format."""


class JudgeFailure(Exception):
    """The machine or the judge failed, so the game says nothing about either player."""


@dataclass(frozen=True)
class Launch:
    """A command to start: its arguments, the environment variables to add, and the folder in which it runs.

    A `folder` of None means the judge's current folder. `only` are the names of the files in the folder that belong to
    the player, None for all files: the folder of a player that is a single source file may hold unrelated files.
    `keeps_prints_apart` is True for our host of a strategy library, which sends only replies to stdout, and the
    library's prints to a separate pipe (protocol/strategy_library.py).
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: str | None = None
    keeps_prints_apart: bool = False
    only: tuple[str, ...] | None = None

    def filled(self, limit_s: float, seed: int) -> "Launch":
        """Return a copy whose arguments have `limit_s` (seconds per move) and `seed` in place of {limit} and {seed}."""
        words = (word.replace("{limit}", f"{limit_s:g}").replace("{seed}", str(seed)) for word in self.argv)
        return replace(self, argv=tuple(words))


class KeeperConnection:
    """The judge's side of the connection to a keeper.

    `pid` is the keeper's process id: all processes of the bot, orphans included, are below it. `status` is the exit
    status of the bot's own process as subprocess has it, None while the process runs; `used_s` are the CPU seconds of
    all processes that have ended. Raises JudgeFailure if the keeper cannot be started.
    """

    def __init__(self) -> None:
        self._socket, other = socket.socketpair()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", keeper.__file__],
                stdin=other.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ},
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            self._socket.close()
            raise JudgeFailure(NO_PROCESS.format(error=error.strerror)) from error
        finally:
            other.close()
        self.pid = self._process.pid
        self.status: int | None = None
        self.used_s = 0.0

    def fileno(self) -> int:
        """Return the descriptor on which the end of the bot's process can be awaited."""
        return self._socket.fileno()

    def start(
        self, argv: Sequence[str], variables: Mapping[str, str], folder: str, descriptors: Mapping[int, int]
    ) -> tuple[int, float]:
        """Start a program in the folder, with exactly these environment variables; return (its process id, when).

        `descriptors` is {number of a descriptor in the program: a descriptor of this process}. The moment, in seconds
        of time.monotonic(), is just before the start. Raises CannotStart if the command cannot be executed,
        JudgeFailure if the machine is at fault.
        """
        self.status, self.used_s = None, 0.0
        words = as_bytes(argv)
        environment = dict(zip(as_bytes([*variables]), as_bytes([*variables.values()]), strict=True))
        content = marshal.dumps((words, environment, os.fsencode(folder), list(descriptors)))
        try:
            socket.send_fds(self._socket, [keeper.REQUEST.pack(keeper.START, len(content))], [*descriptors.values()])
            self._socket.sendall(content)
        except OSError as error:
            raise JudgeFailure(KEEPER_GONE) from error
        kind, number, seconds = self._answer((keeper.STARTED, keeper.FAILED))
        if kind == keeper.FAILED and number in JUDGE_AT_FAULT:
            raise JudgeFailure(NO_PROCESS.format(error=os.strerror(number)))
        if kind == keeper.FAILED:
            raise CannotStart(WRONG_COMMAND.format(command=argv[0], error=os.strerror(number)))
        return number, seconds

    def has_ended(self, limit_s: float = 0.0) -> bool:
        """Wait at most `limit_s` seconds for the end of the bot's own process. Return whether it has ended.

        `status` then says how. Raises JudgeFailure if the keeper is gone.
        """
        give_up = time.monotonic() + limit_s
        while self.status is None and await_input(self._socket.fileno(), max(0.0, give_up - time.monotonic())):
            self._read()
        return self.status is not None

    def hold(self) -> None:
        """Let what the bot leaves at its end live until end(). Raises JudgeFailure if the keeper is gone."""
        try:
            self._socket.sendall(keeper.REQUEST.pack(keeper.HOLD, 0))
        except OSError as error:
            raise JudgeFailure(KEEPER_GONE) from error

    def end(self) -> None:
        """End all processes of the bot, and let another bot have this keeper.

        If one of them does not end, or the keeper is gone, the keeper is left to itself.
        """
        try:
            self._socket.sendall(keeper.REQUEST.pack(keeper.END, 0))
            _, left, _ = self._answer((keeper.ALL_ENDED,))
        except (OSError, JudgeFailure):
            left = 1
        if left:
            self._socket.close()
        else:
            with _lock:
                _idle.append(self)

    def close(self) -> None:
        """Let the keeper end, and with it all that is still below it. Wait for its end."""
        self._socket.close()
        self._process.wait()

    def _answer(self, kinds: Sequence[bytes]) -> tuple[bytes, int, float]:
        while await_input(self._socket.fileno(), ANSWER_LIMIT_S):
            answer = self._read()
            if answer[0] in kinds:
                return answer
        raise JudgeFailure(KEEPER_GONE)

    def _read(self) -> tuple[bytes, int, float]:
        try:
            data = self._socket.recv(keeper.REPLY.size, socket.MSG_WAITALL)
        except OSError:
            data = b""
        if len(data) < keeper.REPLY.size:
            raise JudgeFailure(KEEPER_GONE)
        kind, number, seconds = keeper.REPLY.unpack(data)
        if kind != keeper.STARTED:
            self.used_s = max(self.used_s, seconds)
        if kind == keeper.ENDED:
            self.status = os.waitstatus_to_exitcode(number)
        return kind, number, seconds


_idle: list[KeeperConnection] = []
_lock = threading.Lock()


def take_keeper() -> KeeperConnection:
    """Return a keeper that has no bot. Raises JudgeFailure if none can be started."""
    with _lock:
        if _idle:
            return _idle.pop()
    return KeeperConnection()


def _close_idle() -> None:
    while _idle:
        _idle.pop().close()


atexit.register(_close_idle)
os.register_at_fork(after_in_child=_idle.clear)


def as_bytes(words: Sequence[str]) -> list[bytes]:
    """Return words of a command or its environment as bytes. Raises CannotStart if the system cannot take one."""
    try:
        if any("\0" in word for word in words):
            raise ValueError("embedded null byte")
        return [os.fsencode(word) for word in words]
    except ValueError as error:
        raise CannotStart(WRONG_COMMAND.format(command=repr(words[0]), error=error)) from error


def why_not_executed(program: str, variables: Mapping[str, str], folder: str) -> int:
    """Return the errno with which the program will not start in the folder: it is not there or not executable; else 0.

    A program of a wrong format shows only when it is started.
    """
    if not os.path.isdir(folder):
        return errno.ENOTDIR if os.path.exists(folder) else errno.ENOENT
    search = variables.get("PATH", os.defpath).split(os.pathsep)
    places = [""] if os.sep in program else search
    paths = [os.path.join(folder, place, program) for place in places]
    if any(shutil.which(path) for path in paths):
        return 0
    return errno.EACCES if any(map(os.path.exists, paths)) else errno.ENOENT


def make_room_for(games: int) -> None:
    """Raise this process's limit on open files if it is too low for so many games at a time, as far as is allowed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = games * DESCRIPTORS_OF_A_GAME + OTHER_DESCRIPTORS
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def own_environment() -> dict[str, str]:
    """Return a copy of this process's environment.

    It is copied again if another thread, such as pytest's, deletes a variable at the same time.
    """
    while True:
        with contextlib.suppress(KeyError):
            return dict(os.environ)


def await_input(descriptor: int, limit_s: float) -> bool:
    """Wait at most `limit_s` seconds until something can be read from the descriptor, or its end is reached.

    Return whether that is so.
    """
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(limit_s * 1000))


class StartUp:
    """The start-up time of a bot: `took_s` is the seconds from `spawned` (of time.monotonic()) until the bot was ready.

    `took_s` is None before the bot is ready, or if that cannot be seen. A bot is ready when it first reads bytes of its
    first message (the judge checks every 10 ms of the first turn), or, with a free start, when it falls asleep: see
    set_ready(). `written` counts the bytes written to its stdin. Code that stops the bot adds the time to `stopped_s`.
    `is_watched` is True while check() still has to check.
    """

    def __init__(self, spawned: float) -> None:
        self.spawned = spawned
        self.took_s: float | None = None
        self.written = 0
        self.stopped_s = 0.0
        self.is_watched = sys.platform.startswith("linux")

    def check(self, stdin: IO[bytes], now: float) -> None:
        """Check whether the bot has read from its stdin; if so, call set_ready(now).

        The first check comes after the opening message. If a game has no opening message, the bot's start cannot be
        measured.
        """
        if not self.is_watched:
            return
        self.is_watched = self.written > 0 and not stdin.closed  # bytes written much later say nothing about the start
        unread = _unread_bytes(stdin) if self.is_watched else None
        if unread is not None and unread < self.written:
            self.is_watched = False
            self.set_ready(now)

    def set_ready(self, now: float) -> None:
        """Set `took_s`: the bot became ready at the moment `now`."""
        self.took_s = max(0.0, now - self.spawned - self.stopped_s)


def _unread_bytes(pipe: IO[bytes]) -> int | None:
    with contextlib.suppress(OSError):
        (number,) = struct.unpack("i", fcntl.ioctl(pipe.fileno(), termios.FIONREAD, struct.pack("i", 0)))
        return int(number)
    return None
