"""How this program was called, and how its user calls it again. Standard library only."""

import keyword
import os
import shlex
import shutil
import sys

COMMAND = "dropfour"
MODULE = ("-m", "judge")
COMPLETION_VARIABLE = "_ARGCOMPLETE"  # argcomplete's: the place of the program's name on the line, from 1


def module_of(command: str) -> str:
    """The module of a command: of its name in judge/commands, with "_" behind a name that Python keeps for itself."""
    return f"judge.commands.{command}{'_' * keyword.iskeyword(command)}"


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
