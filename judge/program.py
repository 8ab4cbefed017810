"""The name under which this program was started, and the commands that start it again or start the bot.

This module uses only the standard library.
"""

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

COMMAND = "dropfour"
MODULE = ("-m", "judge")
# A Python program that starts the bot of this checkout. `-m bot` would prefer a package `bot` in the current folder.
START_BOT = (
    f"import runpy, sys; sys.path[0] = {str(Path(__file__).resolve().parents[1])!r}; "
    "runpy.run_module('bot', run_name='__main__', alter_sys=True)"
)
NAME_VARIABLE = "DROPFOUR_PROGRAM"  # tells the bot's command `analyze` the program's name, which its help shows
COMPLETION_VARIABLE = "_ARGCOMPLETE"  # argcomplete puts into it the position of the program's name on the line, from 1


def is_command() -> bool:
    """Return True if the program was started as `dropfour`, and False if it was started as `python -m judge`."""
    return os.path.basename(sys.argv[0]) == COMMAND


def is_asked_to_complete() -> bool:
    """Return True if a shell has started the program for completions, so that no command must run."""
    return COMPLETION_VARIABLE in os.environ


def name() -> str:
    """Return the program's name for messages."""
    return COMMAND if is_command() else "python -m judge"


def again() -> str:
    """Return the shell command that starts this program from any folder, such as "dropfour" or "python -m judge"."""
    argv = [sys.argv[0]] if is_command() else [sys.executable, *MODULE]
    short_name = COMMAND if is_command() else "python"
    path = shutil.which(short_name)
    if path is not None and os.path.abspath(path) == os.path.abspath(argv[0]):
        argv[0] = short_name
    return shlex.join(argv)


def bot_command(arguments: Sequence[str]) -> list[str]:
    """Return the argv that starts this checkout's bot with `arguments`."""
    return [sys.executable, "-c", START_BOT, *arguments]
