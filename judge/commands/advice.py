"""Commands as they are printed for the reader to run."""

import shlex
import shutil
import sys
from pathlib import Path


def replay_command(path: Path, number: int) -> str:
    """The command that replays game `number` of a record file, ready for the caller's shell and folder."""
    on_path = shutil.which("python")
    python = "python" if on_path == sys.executable else shlex.quote(sys.executable)
    return f"{python} -m judge replay {shlex.quote(str(path))} --game {number}"


def resume_advice(path: Path, more: str = "") -> str:
    """What the reader types to continue an unfinished run; `more` tells what else must change."""
    return f"to go on: the same command with --record {shlex.quote(str(path))} --resume{more}"
