"""What the judge's tests share: the scripted bots as contestants, plain boards, a search for leftovers."""

import io
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from judge.__main__ import main
from judge.games import DEFAULT_GAME
from judge.games.connect_four.board import Board
from judge.games.dots import board as dots_boards
from judge.games.reversi import board as reversi_boards
from judge.play import seat
from judge.play.referee import Observer, play_game
from judge.play.sandbox import OFF
from judge.play.scoresheet import Conditions, GamePlan
from judge.players import waiting
from judge.players.players import Contestant
from judge.processes import keeper
from judge.processes.bubblewrap import find_bubblewrap
from judge.processes.descendants import adopt_orphans
from judge.reasons import reason_of
from tests.places import ENGINES, REPOSITORY

adopt_orphans()

seat.EXIT_WAIT_S = 5.0  # who has closed its stdout ends when it gets a core
# On a busy machine the look whether the bot's engine is compiled takes longer than the second after which it is shown.
waiting.SILENT_S = 60.0

WIDE_LIMIT_S = 20.0  # nobody reaches it on any machine
PATIENCE_S = 120  # for a whole command


BOARD = Board(9, 9, (0, 8))
BOARDS = {DEFAULT_GAME: BOARD, "reversi": reversi_boards.Board(8), "dots": dots_boards.Board(5, 5)}
# The first legal cell from both sides: the second mover wins, in connect four by a diagonal; in reversi it
# moves several times running, as the first has to pass; in dots it takes 15 boxes to 10.
PLIES_OF_FIRST_LEGAL_PLAY = {DEFAULT_GAME: 28, "reversi": 60, "dots": 60}


def command(script, *words, game=DEFAULT_GAME):
    """The command line of a scripted bot, without the site packages it does not need."""
    of_game = [] if game == DEFAULT_GAME else ["--game", game]
    script_words = [str(ENGINES / f"{script}.py"), *map(str, words), *of_game]
    return shlex.join([sys.executable, "-S", "-s", *script_words])


def bot(script, *words, wire="saiblo", game=DEFAULT_GAME):
    """A scripted bot as a contestant."""
    return Contestant(script, command(script, *words, game=game), wire=wire)


def with_conditions(**others):
    """Keyword arguments with the conditions of play among them as one, "conditions"."""
    names = [name for name in others if name in Conditions.__dataclass_fields__]
    return {"conditions": Conditions(**{name: others.pop(name) for name in names}), **others}


def plan(limit_s=WIDE_LIMIT_S, board=None, seed=1, game=DEFAULT_GAME, **others):
    """A game whose clocks do not count the start of the interpreters, unless told otherwise."""
    others = with_conditions(**{"free_start": True, "limit_s": limit_s, **others})
    return GamePlan(board or BOARDS[game], seed, game=game, **others)


def play_unless_void(contestants, plan, observer=None, **others):
    """The record of a game; one that is VOID because the machine did not run everybody is played again, a few times."""
    for _ in range(5):
        record = play_game(contestants, plan, observer, **others)
        if not any(words in reason_of(record) for words in ("the judge woke up", "the machine did not run")):
            break
    return record


def play_until_offence(contestants, plan, side, at, observer=None):
    """The same of a game in which this side is to be wrong at its move number `at`.

    Who gets no core for the whole of a short limit loses before that or in the other's place, and is given another try.
    """
    for _ in range(5):
        record = play_unless_void(contestants, plan, observer)
        is_late = record.termination in ("TIME_FORFEIT", "STALL")
        if not is_late or (record.at_fault == side and replies_of(record, side) >= at):
            break
    return record


def moves_of(record):
    """The moves of a record as its game writes them."""
    return [move.move for move in record.moves]


def replies_of(record, side):
    """How many replies the side has given: of several moves in one the first has the time of all."""
    return sum(move.side == side and move.wall_s > 0 for move in record.moves)


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


RUNS = ("match", "sprt", "batch", "tournament")
PLAYING = (*RUNS, "play", "human", "connect", "check", "review", "serve")  # they have --sandbox


def whatever_the_machine(words):
    """The judge's words as texts, with which it says the same of every machine: few tests are about the machine.

    A run of games does not look at it first. Where no sandbox can be had none is asked for, and no note tells of it.
    """
    texts = [*map(str, words)]
    command = texts[0] if texts else None
    plays = command in PLAYING and (command != "review" or "--engine" in texts)
    if plays and "--sandbox" not in texts and "--help" not in texts and find_bubblewrap().program is None:
        texts += ["--sandbox", OFF]
    if command in RUNS:
        texts.append("--no-machine-check")
    return texts


def judge_command(*words):
    """The judge's command line with these words, for a process of its own."""
    return [sys.executable, "-m", "judge", *whatever_the_machine(words)]


def judge_environment(**variables):
    """The environment in which the judge of this checkout is found from any folder."""
    return {**os.environ, "PYTHONPATH": str(REPOSITORY), **variables}


def run_judge(folder, *words, input=""):
    """Run the judge to its end in this process, with the folder as its current one; as a CompletedProcess, in text.

    Only from the main thread. A process of its own would spend most of its time on starting.
    """
    streams = {name: io.StringIO() for name in ("stdout", "stderr")}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "stdin", io.StringIO(input))
        for name, stream in streams.items():
            patch.setattr(sys, name, stream)
        try:
            status = main(whatever_the_machine(words))
        except SystemExit as ended:
            status = ended.code
    return subprocess.CompletedProcess(words, status, *(stream.getvalue() for stream in streams.values()))


def run_judge_process(folder, *words, **options):
    """The same in a process of its own."""
    return subprocess.run(
        judge_command(*words),
        cwd=folder,
        env=judge_environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        **options,
    )


def wait_until(holds, patience_s=PATIENCE_S):
    """Return as soon as holds() is true, however long other processes and threads take on a busy machine."""
    give_up = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < give_up, "this does not come about"
        time.sleep(0.02)


def keepers():
    """The ids of this process's keepers."""
    return [pid for pid in keeper.children(os.getpid()) if keeper.__file__ in command_line(pid)]


def command_line(pid):
    """The words that a process was started with; [] if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except OSError:
        return []


def running_bots():
    """The ids of the bots' processes that keepers of this process have started, and of what they have left behind."""
    return [pid for parent in keepers() for pid in keeper.children(parent)]
