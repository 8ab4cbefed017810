"""Starts a program in its own session, with pipes and a stack of STACK_BYTES; measures how long it takes to start."""

import contextlib
import errno
import fcntl
import os
import resource
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import IO

from judge.reasons import NO_PROCESS, WRONG_COMMAND

# The stack of a bot's first thread, whatever `ulimit -s` says: otherwise the same game could end differently in another
# shell or on another machine. This is Linux's default; the platform's size is not published.
STACK_BYTES = 8 << 20
# Descriptors that the judge needs for a game (two bots, their sandboxes, a few files of /proc at a time), and besides.
DESCRIPTORS_OF_A_GAME, OTHER_DESCRIPTORS = 32, 128
# Errors for which the machine is to blame, not the program.
JUDGE_AT_FAULT = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC)


_descriptors: int | None = None  # the limit on open files that programs get, if this process has raised its own


class CannotStart(Exception):
    """The command cannot be executed: not found, not executable, wrong format."""


class JudgeFailure(Exception):
    """The machine or the judge failed, so the game says nothing about either player."""


def spawn(
    argv: Sequence[str],
    variables: Mapping[str, str],
    cwd: str | None,
    pipe: AbstractContextManager[dict[str, str]],
    passed: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start the command `argv` in the folder `cwd`, with exactly these environment variables, and return the process.

    A `cwd` of None means the judge's current folder. The command is started in the context of `pipe`, which yields
    environment variables whose values are descriptors to pass on; `passed` are further descriptors. Programs inherit
    this process's limit on the stack, which this call sets for good; they may raise it for their own children. Raises
    CannotStart if the command cannot be executed, JudgeFailure if the machine is at fault.
    """
    resource.setrlimit(resource.RLIMIT_STACK, (stack_bytes(), resource.getrlimit(resource.RLIMIT_STACK)[1]))
    try:
        with pipe as descriptors:
            program = subprocess.Popen(
                argv,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**variables, **descriptors},
                cwd=cwd,
                start_new_session=True,
                pass_fds=[*passed, *(int(descriptor) for descriptor in descriptors.values())],
            )
            _limit_descriptors(program.pid)
            return program
    except OSError as error:
        if error.errno in JUDGE_AT_FAULT:
            raise JudgeFailure(NO_PROCESS.format(error=error.strerror)) from error
        raise CannotStart(WRONG_COMMAND.format(command=argv[0], error=error.strerror)) from error
    except ValueError as error:  # a null byte in an argument
        raise CannotStart(WRONG_COMMAND.format(command=repr(argv[0]), error=error)) from error


def make_room_for(games: int) -> None:
    """Raise this process's limit on open files if it is too low for so many games at a time, as far as is allowed.

    spawn() starts programs with the limit that this process had.
    """
    global _descriptors
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = games * DESCRIPTORS_OF_A_GAME + OTHER_DESCRIPTORS
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most and sys.platform == "linux":  # elsewhere there is no prlimit()
        _descriptors = soft if _descriptors is None else _descriptors
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _limit_descriptors(pid: int) -> None:
    """Give a program that has just been started the limit on open files that this process had before it raised it."""
    if _descriptors is not None and sys.platform == "linux":
        with contextlib.suppress(OSError):  # it has ended, or runs as another user
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (_descriptors, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def stack_bytes() -> int:
    """Return the size of a bot's stack: STACK_BYTES, or the hard limit of this process if that is less."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    return STACK_BYTES if hard == resource.RLIM_INFINITY else min(STACK_BYTES, hard)


def own_environment() -> dict[str, str]:
    """Return a copy of this process's environment.

    It is copied again if another thread, such as pytest's, deletes a variable at the same time.
    """
    while True:
        with contextlib.suppress(KeyError):
            return dict(os.environ)


class StartUp:
    """The start-up time of a bot: `took_s` is the seconds from `spawned` (of time.monotonic()) until the bot was ready.

    `took_s` is None before the bot is ready, or if that cannot be seen. A bot is ready when it first reads bytes of its
    first message, or writes to its own stdin (the judge checks every 10 ms of the first turn), or, with a free start,
    when it falls asleep: see set_ready(). `written` counts the bytes written to its stdin. Code that stops the bot adds
    the time to `stopped_s`. `is_watched` is True while check() still has to check.
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
        if unread is not None and unread != self.written:  # more if the bot writes there itself, to hide that it reads
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
