"""Repeats a game that ended by a fault of the player, with a witness that tells where the player was.

The witness is gdb, or watched.py for a Python program; a `src:` player's build with sanitizers is tried before gdb. gdb
starts the player and is its parent: the player asks to be traced, so that no process has to be allowed to attach to
another. The player is sent the same bytes as before, question by question. Its replies are ignored, as a player that
draws moves at random may reply differently now. If it hangs again, it is interrupted; if it crashes, gdb stops it. gdb
also stops it where it writes text that is no reply, and where getPoint is called for the illegal move, and goes on line
by line until it returns. watched.py tells the line of Python that wrote the text, or that sent the illegal move. Where
memory ran out, heap.cpp counts what each call allocates, and gdb stops in the first that holds much.
"""

import contextlib
import dataclasses
import itertools
import os
import platform
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from judge.checks import builds, watched
from judge.checks.causes import is_slow
from judge.checks.trial import PLAYER, PYTHONS, CheckConditions, Trial
from judge.games import GAMES
from judge.games.positions import IllegalMove
from judge.language import Sentence, marked
from judge.play.backtraces import FROM_DEBUGGER, backtrace_of, place_in
from judge.play.clock import Turn, TurnClock
from judge.play.scoresheet import in_order
from judge.play.seat import Forfeit
from judge.players import source_player, versions
from judge.players.launch import BadCommand
from judge.players.players import Contestant
from judge.processes.process import FRAME_BEGINS, pump
from judge.processes.start import JudgeFailure, Launch
from judge.reasons import PRINTED, PRINTED_OUT_OF_TURN, reason_of
from protocol.records.record import Fault, GameRecord, Termination

GDB = "gdb"
HOW_TO_GET_IT = marked(
    "{program} can show where the player failed: install it (Debian and Ubuntu: `sudo apt install {program}`)"
)
ELF = b"\x7fELF"
SHELL = "/bin/sh"
WRAPPER = f'exec-wrapper {SHELL} -c \'%s exec "$0" "$@" <&5 >&6 5<&- 6>&-\''
GDB_SETTINGS = ("auto-load no", "width 0", "style enabled off")

# The registers that hold the arguments of a system call: the descriptor, the address of the bytes, their number.
REGISTERS = {"x86_64": ("$rdi", "$rsi", "$rdx"), "aarch64": ("$x0", "$x1", "$x2")}
STEPS_SCRIPT = str(Path(__file__).with_name("lines.gdb"))
PENDING = "set breakpoint pending on"  # for functions of a library, which is loaded later
PYTHON, SANITIZERS = "Python", "sanitizers"
SCRIPT, MODULE = "file", "module"


def witness_of(contestant: Contestant, game: GameRecord) -> str | None:
    """Return the witness that can tell where the player failed in this game, GDB or PYTHON.

    Return None if there is no such witness, or if the record has a backtrace already.
    """
    if backtrace_of(game, PLAYER) is not None:
        return None
    has_crashed = game.termination is Termination.CRASH and (game.kept(PLAYER).get("exit_status") or 0) < 0
    if has_crashed or game.termination in (Termination.STALL, Termination.TIME_FORFEIT, Termination.MEMORY_LIMIT):
        return GDB if _is_native(contestant) else None
    is_illegal = game.termination is Termination.ILLEGAL_MOVE
    if is_illegal or _fatal_print(game):
        if _python_program(contestant.launch(1.0, 0)) is not None:
            return PYTHON
        # gdb stops at getPoint, which `src:` players have, or at a system call, whose registers it has to know.
        can_stop = (
            contestant.command.startswith(source_player.PREFIX) if is_illegal else platform.machine() in REGISTERS
        )
        return GDB if can_stop and _is_native(contestant) else None
    return None


def _fatal_print(game: GameRecord) -> bytes:
    """Return the first 256 bytes of the printed text that has ended the game, b"" if no printed text has ended it.

    A text with FRAME_BEGINS, with which a reply begins, is cut there.
    """
    reason, text = reason_of(game), game.kept(PLAYER).get("stdout")  # the bytes on stdout that were no reply
    is_print = isinstance(reason, Sentence) and reason.template in (PRINTED, PRINTED_OUT_OF_TURN)
    return text.encode().partition(FRAME_BEGINS)[0][:256] if is_print and isinstance(text, str) else b""


def _python_program(launch: Launch) -> tuple[int, str] | None:
    """Return (index in launch.argv, SCRIPT or MODULE) of the program that Python runs, None if there is none."""
    program = shutil.which(launch.argv[0])
    if launch.keeps_prints_apart or program is None or not _is_python(program):
        return None
    for index, word in enumerate(launch.argv[1:], start=1):
        if word == "-m":
            return (index + 1, MODULE) if index + 1 < len(launch.argv) else None
        if not word.startswith("-"):
            return index, SCRIPT
        if word in ("-c", "-W", "-X", "-"):  # no file, or the option's argument is a word of its own
            return None
    return None


def _is_native(contestant: Contestant) -> bool:
    """Return whether the program that the player's command starts is machine code, or the player is a library."""
    try:
        launch = contestant.launch(1.0, 0)
    except BadCommand:
        return False
    program = shutil.which(os.path.join(launch.folder or "", launch.argv[0])) or shutil.which(launch.argv[0])
    if program is None:
        return False
    if _is_python(program):
        return launch.keeps_prints_apart  # then Python only hosts a strategy library
    with open(program, "rb") as file:
        return file.read(len(ELF)) == ELF


def _is_python(program: str) -> bool:
    """Return whether a program is Python, to judge by its file name."""
    return os.path.basename(os.path.realpath(program)).startswith(PYTHONS)


def with_backtrace(player: Contestant, game: GameRecord, conditions: CheckConditions, witness: str) -> GameRecord:
    """Repeat the game with `witness`, GDB or PYTHON. Return it with a backtrace if the fault occurs again.

    Otherwise return it unchanged. With GDB, a `src:` player's build with sanitizers may be tried first; the backtrace
    is then the sanitizer's report. gdb gets its build with --debug, for line numbers, and then the player's own. Raises
    Interrupted when conditions.stop is set.
    """
    for candidate, used in [(player, PYTHON)] if witness == PYTHON else _candidates(player, game, conditions):
        frames: list[str] = []
        with contextlib.suppress(JudgeFailure):  # if the machine is too busy, nothing is learnt about the player
            frames = _backtrace_lines(candidate, game, conditions, used)
        if frames:
            measurements = {**game.kept(PLAYER), FROM_DEBUGGER: "\n".join(frames)}
            return game.changed(extra={**game.extra, PLAYER: measurements})
    return game


def _candidates(player: Contestant, game: GameRecord, conditions: CheckConditions) -> Iterator[tuple[Contestant, str]]:
    """Yield the pairs (build of the player, SANITIZERS or GDB) in the order in which they are tried."""
    if game.termination in (Termination.CRASH, Termination.ILLEGAL_MOVE, Termination.STALL) and not is_slow(game):
        sanitized_build = builds.sanitized_build(player, conditions)
        if sanitized_build is not None:
            yield sanitized_build, SANITIZERS
    if shutil.which(GDB) is not None:
        project = source_player.rebuilt(player.command, source_player.DEBUG, game.game, conditions.play.sandbox)
        if project is not None:
            yield dataclasses.replace(player, version=project.version, prepared=project.launch), GDB
        yield player, GDB


def _backtrace_lines(player: Contestant, game: GameRecord, conditions: CheckConditions, witness: str) -> list[str]:
    """Repeat the game with the witness, and return the lines of the backtrace that it gives.

    They are frames, the innermost first, or lines of a sanitizer's report; [] if the player does not fail again. Raises
    JudgeFailure if the machine fails, Interrupted when conditions.stop is set.
    """
    limit_and_seed = game.extra["player_limit_s"], game.seed or 0
    board = GAMES[game.game].read_board(game.board)
    launch = player.launch(*limit_and_seed)
    if witness == PYTHON:
        launch = _under_watch(launch, game)
    elif witness == GDB:
        launch = _under_gdb(player, launch, game, conditions)
    if witness == SANITIZERS or game.termination in (Termination.MEMORY_LIMIT, Termination.ILLEGAL_MOVE):
        conditions = builds.patient_conditions(conditions)
    elif is_slow(game):  # gdb looks where the player is before its reply comes
        half = dataclasses.replace(conditions.play, limit_s=conditions.play.limit_s / 2, strict_clock=True)
        conditions = dataclasses.replace(conditions, play=half)
    trial = _WitnessedTrial(dataclasses.replace(player, prepared=launch), conditions, board, limit_and_seed)
    with contextlib.suppress(Forfeit), trial:
        trial.play_again(game)
    stderr = trial.process.stderr_log.text()
    if witness == SANITIZERS:
        reports = builds.reports_in(stderr, player.command)
        return next((text.strip().splitlines() for text, report in reports.items() if builds.matters(report)), [])
    if witness == GDB:
        return _frames_of_gdb(stderr, game, trial.forfeit)
    if trial.forfeit is None and not _fatal_print(game):  # watched.py reports every reply, also a legal one
        return []
    last_report = stderr.rpartition(watched.HEADING + "\n")[2]
    return [line for line in last_report.splitlines() if line.startswith("  File ")]


def _frames_of_gdb(stderr: str, game: GameRecord, forfeit: Forfeit | None) -> list[str]:
    """Return the frames of the player that gdb has printed, and the lines and loops around them, all as frames.

    `stderr` is the text that gdb wrote when `game` was repeated, and `forfeit` how that game ended.
    """
    frames = [line for line in stderr.splitlines() if re.match(r"#\d+ ", line)]
    # The frames from libffi on belong to our host of a strategy library.
    frames = list(itertools.takewhile(lambda line: not re.search(r" from .*libffi| in ffi_call", line), frames))
    if _fatal_print(game) or game.termination is Termination.MEMORY_LIMIT:
        # The frames without a line of the player's, which write or allocate, come first.
        return list(itertools.dropwhile(lambda line: not place_in([line]), frames))
    if forfeit is not None and forfeit.termination is Termination.ILLEGAL_MOVE:
        return [*_last_steps(stderr, place_in(frames[:1])), *frames]
    first = next((number for number, line in enumerate(frames) if place_in([line])), len(frames))
    return [*frames[: first + 1], *_loop_frames(stderr, place_in(frames[:1])), *frames[first + 1 :]]


def _last_steps(stderr: str, place: str) -> list[str]:
    """Return at most four of the last lines that getPoint ran before it returned, the last one first, as frames.

    `stderr` is the text that gdb wrote, `place` the FILE:LINE at which gdb stopped in getPoint. Return [] if no line
    has a `return`.
    """
    caller = re.search(r"^#1 .* in (\S+) \(", stderr, re.MULTILINE)
    inside = stderr.partition(f"\n{caller[1]} (")[0] if caller else stderr
    steps = re.compile(r"^(\d+)\t\s*(.*)$", re.MULTILINE).findall(inside)[::-1]
    before = itertools.dropwhile(lambda step: not re.search(r"\breturn\b", step[1]), steps)
    return [f"#0  {text} at {place.rpartition(':')[0]}:{line}" for line, text in [*dict.fromkeys(before)][:4]]


def _loop_frames(stderr: str, place: str) -> list[str]:
    """Return the first lines of at most three loops that an interrupted player ran after the interruption, as frames.

    They are the loops around the place of the interruption, in a slow player those of getPoint. `stderr` is the text
    that gdb wrote, and `place` is the FILE:LINE at which gdb stopped.
    """
    loops, file = dict[str, None](), place.rpartition(":")[0]
    steps = re.compile(r"^(?:\w.* at (\S+):\d+|(\d+)\t\s*(.*))$", re.MULTILINE)
    after_last_frame = stderr.rpartition("\n#")[2].partition("\n")[2]
    for entered, line, text in steps.findall(after_last_frame):
        file = entered or file
        frame = f"#0  loop: {text} at {file}:{line}"
        if re.match(r"(} )?(for|while|do)\b", text) and place_in([frame]):
            loops[frame] = None
    return [*loops][:3]


def _under_watch(launch: Launch, game: GameRecord) -> Launch:
    """Return `launch`, the start of a Python program, under watched.py, which reports the line that ended the game."""
    program = _python_program(launch)
    assert program is not None  # witness_of() has checked this
    index, kind = program
    what = _fatal_print(game).hex() or watched.REPLIES
    options = launch.argv[1 : index - 1 if kind == MODULE else index]  # -m stands before a module
    words = (launch.argv[0], *options, "-c", Path(watched.__file__).read_text(encoding="utf-8"), what, kind)
    return dataclasses.replace(launch, argv=(*words, *launch.argv[index:]))


def _under_gdb(player: Contestant, launch: Launch, game: GameRecord, conditions: CheckConditions) -> Launch:
    """Return `launch` with gdb as the player's parent."""
    # The player's arguments and the folder of its sources are separate arguments, because its sandbox shows what these
    # name.
    heap, preload = SHELL, ""
    if game.termination is Termination.MEMORY_LIMIT:
        heap = _heap_library()
        # The build for gdb is slower, so it may allocate less than the player did until the end of the game.
        preload = f"export LD_PRELOAD={heap} DROPFOUR_HEAP={(conditions.play.memory_limit_bytes or 0) // 8};"
    settings = [word for setting in (*GDB_SETTINGS, WRAPPER % preload) for word in ("-iex", f"set {setting}")]
    steps = _gdb_commands(game, launch.keeps_prints_apart)
    commands = [word for step in steps for word in ("-x" if step == STEPS_SCRIPT else "-ex", step)]
    options = ["-q", "-nx", "-batch", *settings, *commands]
    if player.command.startswith(source_player.PREFIX):
        options += ["-d", str(source_player.parse_text(player.command)[0].resolve())]
    # The player gets stdin and stdout; gdb reads nothing, and writes to stderr.
    return Launch(
        (SHELL, "-c", 'exec 5<&0 6>&1 </dev/null >&2; exec "$@"', heap, GDB, *options, "--args", *launch.argv),
        {**launch.environment, "SHELL": SHELL, "DEBUGINFOD_URLS": ""},
        launch.folder,
        launch.keeps_prints_apart,
    )


def _heap_library() -> str:
    """Return the path of the library of heap.cpp, which is built if the cache does not hold it."""
    source = Path(__file__).with_name("heap.cpp")
    digest = versions.digest([("", source)])[: versions.DIGITS]
    target = versions.cache_folder() / source_player.BUILDS / f"heap-{digest}.so"
    if not target.exists():
        with tempfile.TemporaryDirectory(dir=target.parent) as work, contextlib.suppress(OSError):
            flags = ("-O2", "-shared", "-fPIC", "-fno-builtin", str(source), "-o", f"{work}/heap.so")
            subprocess.run([source_player.COMPILER, *flags], check=False, capture_output=True)
            os.replace(f"{work}/heap.so", target)
    return str(target)


def _gdb_commands(game: GameRecord, is_library: bool) -> Sequence[str]:
    """Return gdb's commands that run the player, stop it where it fails, and print a backtrace there.

    STEPS_SCRIPT among them is the path of a script of commands.
    """
    if game.termination is Termination.ILLEGAL_MOVE:
        asked_before = sum(move.side == PLAYER and move.wall_s > 0 for move in game.moves)
        stop = (PENDING, f"break {source_player.ENTRY}", f"ignore 1 {asked_before}")
        return [*stop, "run", "bt 20", "set $left = 1000000", STEPS_SCRIPT, "continue"]
    if game.termination.fault is Fault.TIME:  # in a slow player gdb waits until getPoint goes on
        slow = [f"frame function {source_player.ENTRY}", "tbreak", "continue"] if is_slow(game) else []
        return ["run", "bt 20", *slow, "set $left = 100", STEPS_SCRIPT]
    text = _fatal_print(game)
    if not text:
        return ["run", "bt 20"]
    descriptor, address, number = REGISTERS[platform.machine()]
    same = [
        f"({number} <= {place} || *(unsigned char *)({address} + {place}) == {byte})"
        for place, byte in enumerate(text[:8])
    ]
    condition = " && ".join([f"{descriptor} == 1", f"{number} > 0", *same])
    begin = source_player.ENTRY if is_library else source_player.MAIN
    catch = ["catch syscall write", f"condition 1 {condition}"]
    return [
        *(PENDING, *catch, f"tbreak {begin}", "run"),
        # Takes stdout's buffer away: text is then written by the line that prints it, not by the one that fills it.
        "print ((int (*)(void *, void *, int, long))setvbuf)(*(void **)&stdout, (void *)0, 2, (long)0)",
        *("continue", "bt 20"),
    ]


class _WitnessedTrial(Trial):
    """A Trial of a player with its witness."""

    def play_again(self, game: GameRecord) -> None:
        """Send the player the bytes that it was sent in the game, and await a reply to each question.

        Raises Forfeit if a reply does not come, or if the last reply is an illegal move.
        """
        wire, is_own = self.seat.wire, False
        self.send(self.opening(in_order(game.first).index(PLAYER)))
        for move in game.moves:
            # A move that took no time is one that the check has made, before it asked for the first.
            if move.side == PLAYER and move.wall_s and not (wire.has_whole_turns and is_own):
                self._await_reply()
            is_own = move.side == PLAYER
            wire.repeat(self.position, move.move, is_own=is_own)
        reply = self._await_reply()
        with self._storing_forfeit():
            try:
                for _move in wire.play(self.position, reply):
                    pass
            except IllegalMove as error:
                raise Forfeit(self.seat.side, Termination.ILLEGAL_MOVE, str(error), error.cell) from error

    def _await_reply(self) -> object:
        """Ask for a move, and return any reply. The player's clock starts once it has read its first message."""
        self.send(self.turn())
        deadline = time.monotonic() + 10.0  # for gdb to read the program on a busy machine
        while self.process.start_up.is_watched and not self.process.closed and time.monotonic() < deadline:
            pump([self.process], 0.01)
        turn = Turn(
            self.plan.conditions,
            self.seat,
            None,
            TurnClock(self.process, self.plan.conditions.limit_s),
            time.monotonic(),
        )
        with self._storing_forfeit():
            reply, _now = turn.await_reply(self.position, self._check_stop, lambda now: None)
            self.process.received.clear()
        return reply

    def _replies_late(self) -> bool:
        """Return False: the game's record says already whether the player replied late."""
        return False

    def _ask_for_backtrace(self) -> None:
        """Interrupt a player under gdb, and wait until gdb has printed its backtrace."""
        pids = [pid for pid in self.process.bot_pids() if pid != self.process.pid and not _is_gdb(pid)]
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGINT)
        deadline = time.monotonic() + 10.0  # for gdb on a busy machine
        while pids and not self.process.closed and time.monotonic() < deadline:
            pump([self.process], 0.05)


def _is_gdb(pid: int) -> bool:
    """Return whether the process runs gdb; True also if it has ended."""
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe")) == GDB
    except OSError:
        return True
