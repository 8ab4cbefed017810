"""Repeats a game that ended by a fault of the player, with the player under gdb, to find where the player was.

gdb starts the player and is its parent: the player asks to be traced, so that no process has to be allowed to attach to
another. The player is sent the bytes that it was sent before, question by question. Its replies are ignored, as a
player that draws moves at random may reply differently now. If it hangs again, it is interrupted; if it crashes, gdb
stops it.
"""

import contextlib
import dataclasses
import os
import re
import shutil
import signal
import time
from collections.abc import Iterator

from judge.checks.trial import PLAYER, PYTHONS, CheckConditions, Trial
from judge.games import GAMES
from judge.language import marked
from judge.play.backtraces import FROM_DEBUGGER, backtrace_of
from judge.play.clock import Turn, TurnClock
from judge.play.scoresheet import in_order
from judge.play.seat import Forfeit
from judge.players import source_player
from judge.players.launch import BadCommand, Launch
from judge.players.players import Contestant
from judge.processes.process import pump
from judge.processes.start import JudgeFailure
from protocol.records.record import GameRecord, Termination

GDB = "gdb"
HOW_TO_GET_IT = marked("{program} would say where it was: install it (Debian and Ubuntu: `sudo apt install {program}`)")
START_S = 10.0  # for gdb to read the program on a busy machine
INTERRUPTED_S = 10.0  # for gdb to print the backtrace of an interrupted player
FRAMES = 20
FRAME = re.compile(r"^#\d+ ")
OF_A_HOST = re.compile(r" from .*libffi| in ffi_call")  # from the first such frame on, all frames are our host's
ELF = b"\x7fELF"
# The player gets stdin and stdout; gdb reads nothing, and writes to stderr.
SHELL = "/bin/sh"
APART = 'exec 5<&0 6>&1 </dev/null >&2; exec "$@"'
TOGETHER = f'{SHELL} -c \'exec "$0" "$@" <&5 >&6 5<&- 6>&-\''
SETTINGS = ("auto-load no", "width 0", "style enabled off", f"exec-wrapper {TOGETHER}")
OPTIONS = ("-q", "-nx", "-batch", *(word for setting in SETTINGS for word in ("-iex", f"set {setting}")))
VARIABLES = {"SHELL": SHELL, "DEBUGINFOD_URLS": ""}


def is_wanted(contestant: Contestant, game: GameRecord) -> bool:
    """Return whether a debugger may find where the player failed in this game, and no backtrace of it is known yet."""
    crashed = game.termination is Termination.CRASH and (game.kept(PLAYER).get("exit_status") or 0) < 0
    failed = game.termination is Termination.STALL or crashed
    return failed and backtrace_of(game, PLAYER) is None and _is_native(contestant)


def _is_native(contestant: Contestant) -> bool:
    """Return whether the player is a program or library of machine code, as the file that its command names shows."""
    try:
        launch = contestant.launch(1.0, 0)
    except BadCommand:
        return False
    program = shutil.which(os.path.join(launch.folder or "", launch.argv[0])) or shutil.which(launch.argv[0])
    if program is None or (os.path.basename(os.path.realpath(program)).startswith(PYTHONS)):
        return program is not None and launch.keeps_prints_apart
    with open(program, "rb") as file:
        return file.read(len(ELF)) == ELF


def with_backtrace(player: Contestant, game: GameRecord, conditions: CheckConditions) -> GameRecord:
    """Repeat the game under gdb. If the fault comes again, return the game with gdb's backtrace, else the game itself.

    A `src:` player is first built with --debug, so that the backtrace has line numbers. If the fault does not come with
    that build, the player's own build is tried. Raises Interrupted when conditions.stop is set. Precondition: gdb is
    installed.
    """
    for candidate in _builds(player, game.game, conditions):
        frames: list[str] = []
        with contextlib.suppress(JudgeFailure):  # on too busy a machine nothing is learnt of the player
            frames = _frames(candidate, game, conditions)
        if frames:
            kept = {**game.kept(PLAYER), FROM_DEBUGGER: "\n".join(frames)}
            return dataclasses.replace(game, extra={**game.extra, PLAYER: kept})
    return game


def _builds(player: Contestant, game: str, conditions: CheckConditions) -> Iterator[Contestant]:
    project = source_player.prepare_with_lines(player.command, game, conditions.sandbox)
    if project is not None:
        yield dataclasses.replace(player, version=project.version, prepared=project.launch)
    yield player


def _frames(player: Contestant, game: GameRecord, conditions: CheckConditions) -> list[str]:
    """Repeat the game; return the frames of the player's backtrace, innermost first, [] if it does not fail again."""
    told = game.extra["player_limit_s"], game.seed or 0
    board = GAMES[game.game].read_board(game.board)
    trial = _DebuggedTrial(_under_gdb(player, *told), conditions, board, told=told)
    with contextlib.suppress(Forfeit), trial:
        trial.play_again(game)
        return []
    frames = [line for line in trial.process.stderr_log.text().splitlines() if FRAME.match(line)]
    own = next((place for place, line in enumerate(frames) if OF_A_HOST.search(line)), len(frames))
    return frames[:own]


def _under_gdb(player: Contestant, limit_s: float, seed: int) -> Contestant:
    """Return the player with gdb as its parent."""
    launch = player.launch(limit_s, seed)
    # The player's arguments stay separate arguments, because its sandbox shows the files that they name.
    gdb = (GDB, *OPTIONS, "-ex", "run", "-ex", f"bt {FRAMES}", "--args", *launch.argv)
    argv = (SHELL, "-c", APART, SHELL, *gdb)
    again = Launch(argv, {**launch.environment, **VARIABLES}, launch.folder, launch.keeps_prints_apart)
    return dataclasses.replace(player, prepared=again)


class _DebuggedTrial(Trial):
    """A Trial of a player under gdb."""

    def play_again(self, game: GameRecord) -> None:
        """Send the player what it was sent in the game, and await a reply to each question.

        Raises Forfeit if the player fails.
        """
        wire, is_own = self.seat.wire, False
        self.send(self.opening(in_order(game.first).index(PLAYER)))
        started_s = START_S
        for move in game.moves:
            if move.side == PLAYER and not (wire.has_whole_turns and is_own):
                self._await_reply(started_s)
                started_s = 0.0
            is_own = move.side == PLAYER
            wire.repeat(self.position, move.move, is_own=is_own)
        self._await_reply(started_s)

    def _await_reply(self, started_s: float) -> None:
        """Ask for a move, and await any reply; the player's clock starts in started_s seconds."""
        self.send(self.turn())
        turn = Turn(
            self.plan, self.seat, None, TurnClock(self.process, self.plan.limit_s), time.monotonic() + started_s
        )
        with self._blamed():
            turn.reply(self.position, self._check_stop, lambda now: None)
            self.process.received.clear()

    def _ask_for_backtrace(self) -> None:
        """Interrupt the player, and wait until gdb has printed its backtrace."""
        for pid in self.process.bot_pids():
            if pid != self.process.pid and not _is_gdb(pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGINT)
        give_up = time.monotonic() + INTERRUPTED_S
        while not self.process.closed and time.monotonic() < give_up:
            pump([self.process], 0.05)


def _is_gdb(pid: int) -> bool:
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe")) == GDB
    except OSError:
        return True
