"""Starting a program with pipes to it, in a session of its own, and how long it took to start."""

import contextlib
import errno
import fcntl
import os
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import IO

from judge.reasons import NO_PROCESS, WRONG_COMMAND

# Reasons, as records keep them, and what Linux says of programs.
JUDGE_AT_FAULT = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC)


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
    """The process, started in the context of `pipe`, which yields variables that name descriptors to pass on.

    `passed` are descriptors to pass on besides.
    """
    try:
        with pipe as descriptors:
            return subprocess.Popen(
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
    except OSError as error:
        if error.errno in JUDGE_AT_FAULT:
            raise JudgeFailure(NO_PROCESS.format(error=error.strerror)) from error
        raise CannotStart(WRONG_COMMAND.format(command=argv[0], error=error.strerror)) from error
    except ValueError as error:  # a null byte in an argument
        raise CannotStart(WRONG_COMMAND.format(command=repr(argv[0]), error=error)) from error


def own_environment() -> dict[str, str]:
    """A copy of this process's variables; another thread may take one away meanwhile, as pytest's does."""
    while True:
        with contextlib.suppress(KeyError):
            return dict(os.environ)


class StartUp:
    """`took_s`: seconds from just before the start (`spawned`, of time.monotonic()) until it was seen to be ready; None
    while it is not, or where that cannot be seen.

    A bot is ready when it first reads of what it was sent at its start (the judge looks every 10 ms of the first turn),
    or, with a free start, when it falls asleep: see ended(). `written` counts the bytes in its pipe so far; whoever
    stops the bot meanwhile adds to `stopped_s`. `is_watched` while looks may find something.
    """

    def __init__(self, spawned: float) -> None:
        self.spawned = spawned
        self.took_s: float | None = None
        self.written = 0
        self.stopped_s = 0.0
        self.is_watched = sys.platform.startswith("linux")

    def look(self, stdin: IO[bytes], now: float) -> None:
        """See whether the bot has read. The first look comes when it has been sent its opening, if there is one."""
        if not self.is_watched:
            return
        self.is_watched = self.written > 0 and not stdin.closed  # what comes much later says nothing of the start
        unread = _unread_bytes(stdin) if self.is_watched else None
        if unread is not None and unread < self.written:
            self.is_watched = False
            self.ended(now)

    def ended(self, now: float) -> None:
        """It was still starting until this moment."""
        self.took_s = max(0.0, now - self.spawned - self.stopped_s)


def _unread_bytes(pipe: IO[bytes]) -> int | None:
    with contextlib.suppress(OSError):
        (number,) = struct.unpack("i", fcntl.ioctl(pipe.fileno(), termios.FIONREAD, struct.pack("i", 0)))
        return int(number)
    return None
