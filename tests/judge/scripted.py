"""What the judge's tests share: the scripted bots as contestants, a plain board, a search for leftovers."""

import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

from judge import descendants
from judge.boards import Board
from judge.players import Contestant
from judge.referee import Observer
from judge.scoresheet import GamePlan

descendants.adopt_orphans()

ENGINES = Path(__file__).resolve().parents[1] / "engines"
REPOSITORY = ENGINES.parents[1]

# The leftmost legal column from both sides: the second mover completes a diagonal with ply 28.
BOARD = Board(9, 9, (0, 8))
PLIES_OF_LEFTMOST_PLAY = 28


def command(script, *words):
    """The command line of a scripted bot, without the site packages it does not need."""
    return shlex.join([sys.executable, "-S", "-s", str(ENGINES / f"{script}.py"), *map(str, words)])


def bot(script, *words, wire="saiblo"):
    """A scripted bot as a contestant."""
    return Contestant(script, command(script, *words), wire=wire)


def plan(limit_s=1.0, board=BOARD, seed=1, **others):
    """A game whose clocks do not count the start of the interpreters, unless told otherwise."""
    return GamePlan(board=board, limit_s=limit_s, seed=seed, **{"free_start": True, **others})


class Stopwatch(Observer):
    """Remembers when the latest turn began, in seconds of time.monotonic()."""

    def __init__(self):
        self.turn_began = time.monotonic()

    def thinking(self, side):
        self.turn_began = time.monotonic()


def processes_with(variable):
    """The ids of the live processes that were started with the environment entry NAME=value."""
    found = []
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            if variable.encode() in (directory / "environ").read_bytes().split(b"\0"):
                found.append(int(directory.name))
        except OSError:
            pass  # it has ended, or belongs to somebody else
    return found


def judge_command(*words):
    """The judge's command line with these words, for a process of its own."""
    return [sys.executable, "-m", "judge", *map(str, words)]


def judge_environment(**variables):
    """The environment in which the judge of this checkout is found from any folder."""
    return {**os.environ, "PYTHONPATH": str(REPOSITORY), **variables}


def run_judge(folder, *words, **options):
    """Run the judge to its end with the folder as its current one; returns the CompletedProcess, in text."""
    return subprocess.run(
        judge_command(*words),
        cwd=folder,
        env=judge_environment(),
        capture_output=True,
        text=True,
        timeout=60,
        **options,
    )
