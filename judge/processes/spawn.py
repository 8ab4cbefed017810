"""Starting a program with pipes to it, in a session of its own."""

import contextlib
import errno
import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

from judge.language import recorded

# Reasons, as records keep them, and what Linux says of programs.
NO_PROCESS = recorded("cannot start a process: {error}")
NOT_EXECUTED = recorded("{command}: {error}")
OF_PROGRAMS = (recorded("Exec format error"), recorded("No such file or directory"), recorded("Permission denied"))
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
        raise CannotStart(NOT_EXECUTED.format(command=argv[0], error=error.strerror)) from error
    except ValueError as error:  # a null byte in an argument
        raise CannotStart(NOT_EXECUTED.format(command=repr(argv[0]), error=error)) from error


def own_environment() -> dict[str, str]:
    """A copy of this process's variables; another thread may take one away meanwhile, as pytest's does."""
    while True:
        with contextlib.suppress(KeyError):
            return dict(os.environ)
