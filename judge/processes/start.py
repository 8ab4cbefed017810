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

# Descriptors that the judge needs for a game (two bots, their sandboxes, a few files of /proc at a time), and for all
# else.
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

    def with_limit_and_seed(self, limit_s: float, seed: int) -> "Launch":
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
        """Start a program in the folder, with exactly these environment variables; return (its process id, moment).

        `descriptors` is {number of a descriptor in the program: a descriptor of this process}. The moment, in seconds
        of time.monotonic(), is just before the start. Precondition: the variables come from an environment, so that
        they hold no null character. Raises CannotStart if the command cannot be executed, JudgeFailure if the machine
        is at fault.
        """
        self.status, self.used_s = None, 0.0
        environment = {os.fsencode(name): os.fsencode(value) for name, value in variables.items()}
        content = marshal.dumps((as_bytes(argv), environment, os.fsencode(folder), list(descriptors)))
        try:
            socket.send_fds(self._socket, [keeper.REQUEST.pack(keeper.START, len(content))], [*descriptors.values()])
            self._socket.sendall(content)
        except OSError as error:
            raise JudgeFailure(KEEPER_GONE) from error
        kind, number, seconds = self._await_answer((keeper.STARTED, keeper.FAILED))
        if kind == keeper.FAILED and number in JUDGE_AT_FAULT:
            raise JudgeFailure(NO_PROCESS.format(error=os.strerror(number)))
        if kind == keeper.FAILED:
            raise CannotStart(WRONG_COMMAND.format(command=argv[0], error=os.strerror(number)))
        return number, seconds

    def has_ended(self, limit_s: float = 0.0) -> bool:
        """Wait at most `limit_s` seconds for the end of the bot's own process. Return whether it has ended.

        `status` then says how. Raises JudgeFailure if the keeper is gone.
        """
        deadline = time.monotonic() + limit_s
        while self.status is None and await_input(self._socket.fileno(), max(0.0, deadline - time.monotonic())):
            self._read_answer()
        return self.status is not None

    def hold(self) -> None:
        """Let processes that outlive the bot's own process live until end().

        Raises JudgeFailure if the keeper is gone.
        """
        try:
            self._socket.sendall(keeper.REQUEST.pack(keeper.HOLD, 0))
        except OSError as error:
            raise JudgeFailure(KEEPER_GONE) from error

    def end(self) -> None:
        """End all processes of the bot, and make this keeper available to take_keeper().

        If one of the processes does not end, or the keeper is gone, no other bot gets this keeper.
        """
        try:
            self._socket.sendall(keeper.REQUEST.pack(keeper.END, 0))
            _, unended, _ = self._await_answer((keeper.ALL_ENDED,))
        except (OSError, JudgeFailure):
            unended = 1
        if unended:
            self._socket.close()
        else:
            with _lock:
                _idle.append(self)

    def close(self) -> None:
        """Let the keeper end all processes below it and itself, and wait for its end."""
        self._socket.close()
        self._process.wait()

    def _await_answer(self, kinds: Sequence[bytes]) -> tuple[bytes, int, float]:
        """Read the keeper's answers until one is of these kinds, and return it: a REPLY's kind, number and seconds.

        An answer of another kind only updates `status` and `used_s`. Raises JudgeFailure if the keeper is gone or
        silent for ANSWER_LIMIT_S.
        """
        while await_input(self._socket.fileno(), ANSWER_LIMIT_S):
            answer = self._read_answer()
            if answer[0] in kinds:
                return answer
        raise JudgeFailure(KEEPER_GONE)

    def _read_answer(self) -> tuple[bytes, int, float]:
        """Read one answer of the keeper, update `used_s` and `status`, and return its kind, number and seconds.

        Raises JudgeFailure if the keeper is gone.
        """
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
    """Return the connection to a keeper that has no bot: an idle one, or a new one.

    Raises JudgeFailure if a new one cannot be started.
    """
    with _lock:
        if _idle:
            return _idle.pop()
    return KeeperConnection()


def _close_idle() -> None:
    """End all idle keepers; called at the exit of this process."""
    while _idle:
        _idle.pop().close()


atexit.register(_close_idle)
os.register_at_fork(after_in_child=_idle.clear)


def as_bytes(argv: Sequence[str]) -> list[bytes]:
    """Return a program and its arguments as bytes. Raises CannotStart if one has a character that no command can have.

    These are null characters and halves of surrogate pairs.
    """
    try:
        if any("\0" in word for word in argv):
            raise ValueError("embedded null byte")
        return [os.fsencode(word) for word in argv]
    except ValueError as error:
        raise CannotStart(WRONG_COMMAND.format(command=repr(argv[0]), error=error)) from error


def start_errno(program: str, variables: Mapping[str, str], folder: str) -> int:
    """Return the errno that a start of the program in the folder would give; 0 if program and folder are usable.

    Only the existence of both and the permission to execute are checked: a wrong format shows when the program is
    started. `variables` is the program's environment, whose PATH is searched.
    """
    if not os.path.isdir(folder):
        return errno.ENOTDIR if os.path.exists(folder) else errno.ENOENT
    places = [""] if os.sep in program else variables.get("PATH", os.defpath).split(os.pathsep)
    paths = [os.path.join(folder, place, program) for place in places]
    if any(shutil.which(path) for path in paths):
        return 0
    return errno.EACCES if any(map(os.path.exists, paths)) else errno.ENOENT


def raise_file_limit(games: int) -> None:
    """Raise this process's limit on open files, as far as the hard limit allows, if `games` at a time need more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = games * DESCRIPTORS_OF_A_GAME + OTHER_DESCRIPTORS
    most = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
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
    """Wait at most `limit_s` seconds for input on the descriptor. Return whether bytes, or their end, can be read."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(limit_s * 1000))


class StartUp:
    """The start-up time of a bot: `took_s` is the seconds from `spawned` (of time.monotonic()) until the bot was ready.

    `took_s` is None before the bot is ready, or if the judge cannot see when it is. A bot is ready when it first reads
    bytes of its first message (the judge checks every 10 ms of the first turn), or, with a free start, when it falls
    asleep: see set_ready(). `written` counts the bytes written to its stdin. Code that stops the bot adds the time to
    `stopped_s`. `is_watched` is True while check() still has to check.
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
    """Return the number of bytes in a pipe that nobody has read yet, None if the system does not say."""
    with contextlib.suppress(OSError):
        (number,) = struct.unpack("i", fcntl.ioctl(pipe.fileno(), termios.FIONREAD, struct.pack("i", 0)))
        return int(number)
    return None
