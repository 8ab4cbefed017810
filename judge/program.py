"""How this program was called, and how its user calls it again. Standard library only."""

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

COMMAND = "dropfour"
MODULE = ("-m", "judge")
# Starts the bot of this checkout as -m bot does, but for a `bot` of the current folder, which would come first.
START_BOT = (
    f"import runpy, sys; sys.path[0] = {str(Path(__file__).resolve().parents[1])!r}; "
    "runpy.run_module('bot', run_name='__main__', alter_sys=True)"
)
COMPLETION_VARIABLE = "_ARGCOMPLETE"  # argcomplete's: the place of the program's name on the line, from 1


def is_command() -> bool:
    """True if it was started as `dropfour`, False if as `python -m judge`."""
    return os.path.basename(sys.argv[0]) == COMMAND


def is_asked_to_complete() -> bool:
    """True if a shell asks how a line may go on, and nothing is to be run."""
    return COMPLETION_VARIABLE in os.environ


def name() -> str:
    """What messages call it."""
    return COMMAND if is_command() else "python -m judge"


def again() -> str:
    """The words that start this very program in the caller's shell, from any folder."""
    words = [sys.argv[0]] if is_command() else [sys.executable, *MODULE]
    short = COMMAND if is_command() else "python"
    found = shutil.which(short)
    if found is not None and os.path.abspath(found) == os.path.abspath(words[0]):
        words[0] = short
    return shlex.join(words)


def bot_command(words: Sequence[str]) -> list[str]:
    """The command line of this checkout's bot with these words: a process of its own, as the judge imports no bot."""
    return [sys.executable, "-c", START_BOT, *words]
