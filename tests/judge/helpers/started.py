"""The judge as a process of its own, on pipes or on a terminal, whatever surrounds the tests."""

import subprocess

import pexpect

from tests.judge.helpers.scripted import PATIENCE_S, judge_command, judge_environment


def started(folder, *words, **variables):
    """Its Popen, with text on stdout and stderr; variables: of the environment."""
    return subprocess.Popen(
        judge_command(*words),
        cwd=folder,
        env=judge_environment(**variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def terminal_environment(environment=None, **variables):
    """An environment with a usual terminal, in English unless another one is given."""
    found = {**(environment or judge_environment(LANG="C.UTF-8")), "TERM": "xterm-256color", **variables}
    for name in {"COLUMNS", "LINES", "NO_COLOR", "COLORTERM"} - variables.keys():
        found.pop(name, None)
    return found


def in_terminal(folder, *words, size=(24, 80), environment=None, **variables):
    """pexpect's process of the judge on a terminal of so many rows and columns."""
    program, *others = judge_command(*words)
    return pexpect.spawn(
        program,
        others,
        cwd=str(folder),
        env=terminal_environment(environment, **variables),
        encoding="utf-8",
        timeout=PATIENCE_S,
        dimensions=size,
    )
