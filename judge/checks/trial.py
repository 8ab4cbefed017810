"""The Trial of a check: drives a player with input in pieces and with pauses, and watches its output and its exit.

This module also defines the Effort of a check, and computes the odds() that a check finds a rare fault.
"""

import contextlib
import dataclasses
import itertools
import math
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from msgspec import structs

from judge.games import DEFAULT_GAME
from judge.games.boards import Board
from judge.games.positions import AnyMove
from judge.language import Sentence
from judge.play.clock import STALL_AFTER_S
from judge.play.driver import Driver
from judge.play.referee import Interrupted
from judge.play.scoresheet import Conditions, GamePlan, Verdict, utc_now, write_up
from judge.play.seat import Forfeit, Seat
from judge.players.players import Contestant
from judge.processes import usage
from judge.processes.process import FRAME_BEGINS, decoded, is_print, pump
from judge.reasons import NO_REPLY, PRINTED_OUT_OF_TURN
from judge.terminal import shortened
from protocol.records.record import GameRecord, Move, Termination

FAULTS = 200  # odds() is the probability of finding a fault that occurs once in this many moves
USUAL_ODDS, THOROUGH_ODDS = 0.99, 0.999
# The time of a check with the platform's limit, and of its games with sanitizers: together below three minutes.
USUAL_S, QUICK_S = 145.0, 14.0
SANITIZED_S, SANITIZED_QUICKLY_S = 12.0, 5.0
PLATFORM_LIMIT_S = 3.0
PLAYER, OPPONENT = "A", "B"  # sides in the record of a trial
PYTHONS = ("python", "pypy")
BACKTRACE_WAIT_S = 1.0  # for the backtrace of a player that hangs
BACKTRACE_POLL_S = 0.02
LATE_REPLY_S = 5.0  # after a STALL, the time in which a reply shows that the player was slow and does not hang


def odds(moves: int) -> float:
    """Return the probability, 0 to 1, that a fault which occurs once in FAULTS moves shows in this many `moves`."""
    return 1 - (1 - 1 / FAULTS) ** moves


def moves_for(wanted: float) -> int:
    """Return the least number of moves whose odds() are at least `wanted`."""
    return math.ceil(math.log(1 - wanted) / math.log(1 - 1 / FAULTS))


@dataclass(frozen=True)
class Effort:
    """How much time a check takes, and how many moves it wants to observe.

    `seconds` is the most that a check takes with a limit of PLATFORM_LIMIT_S per move. `moves` is the number of moves
    that it wants. With `hurries` a player whose command takes a limit is told a short one in most games, so that it
    makes more moves in the same time. With `is_quick` only what most often loses is tried. `sanitized_s` are the
    seconds, whatever the limit, after which no game with sanitizers begins or goes on.
    """

    seconds: float
    moves: int
    hurries: bool
    is_quick: bool = False
    sanitized_s: float = SANITIZED_S

    def seconds_at(self, limit_s: float) -> float:
        """Return the most seconds that a check takes with a limit of `limit_s` seconds per move."""
        return self.seconds * max(1.0, limit_s / PLATFORM_LIMIT_S)


USUAL = Effort(USUAL_S, moves_for(USUAL_ODDS), hurries=True)
QUICK = Effort(QUICK_S, moves_for(USUAL_ODDS), hurries=True, is_quick=True, sanitized_s=SANITIZED_QUICKLY_S)
THOROUGH = Effort(math.inf, moves_for(THOROUGH_ODDS), hurries=False)


def is_python(pid: int) -> bool:
    """Return whether the process runs Python, to judge by the name of its program."""
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe")).startswith(PYTHONS)
    except OSError:
        return False


def _of_player(forfeit: Forfeit) -> str:
    """Return the reason of a forfeit as a record of the game has it.

    The trial's reasons have another name for the player; the result has PLAYER in its place.
    """
    reason = str(forfeit)
    if forfeit.termination is Termination.ILLEGAL_MOVE:
        return NO_REPLY.format(side=PLAYER, error=reason)
    if isinstance(reason, Sentence) and "side" in reason.fields:
        return reason.template.format(**{**reason.fields, "side": PLAYER})
    return reason


@dataclass(frozen=True)
class CheckConditions:
    """What all trials of a check share: the conditions of play, the seed and the game.

    `jobs` cases run at a time; `effort` limits the time of the check. Once `stop` is set, the check is interrupted.
    """

    play: Conditions
    seed: int
    stop: threading.Event
    game: str = DEFAULT_GAME
    jobs: int = 1
    effort: Effort = USUAL


class Trial(Driver):
    """A Driver that can also cut the input into pieces, wait for the player's exit, and find processes left behind.

    `player` is the player's number, 0 or 1, once opening() has been called. If the game ends by a fault of the player,
    on_fault(record) is called with the record of the game. A Python program that hangs is asked for its backtrace
    first. If the game ends without a fault although the player has printed text, on_print(record) is called with the
    record of the game as that text would have ended it.
    """

    _unsifted = 64 * 1024  # bytes that _sift() may still skip
    _input_ended = False

    def __init__(
        self,
        contestant: Contestant,
        conditions: CheckConditions,
        board: Board,
        limit_and_seed: tuple[float, int] | None = None,
        on_fault: Callable[[GameRecord], object] = lambda record: None,
        on_print: Callable[[GameRecord], object] = lambda record: None,
    ) -> None:
        plan = GamePlan(board, conditions.seed, conditions.play, game=conditions.game)
        super().__init__(contestant, plan, conditions.stop, limit_and_seed)
        self.player = self.position.to_move
        if not contestant.keeps_prints_apart:  # else the backtrace would be that of our host
            self.seat.variables = {"PYTHONFAULTHANDLER": "1"}
        self.on_fault, self.on_print = on_fault, on_print
        self._started = utc_now()
        self._moves: list[tuple[int | None, Move]] = []  # (number of the side that made it, None for the player; move)
        self._held_bytes: list[int] = []  # what the player held after each of its moves
        self._late_s: float | None = None  # from the turn to a reply that came after a STALL

    def __enter__(self) -> "Trial":
        try:
            return super().__enter__()
        finally:
            if self.forfeit is not None:
                self.on_fault(self._record(self.forfeit))

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.seat.exit_status = self.process.exit_status
        if self.forfeit is not None and self.forfeit.termination is Termination.STALL and not self._replies_late():
            self._ask_for_backtrace()
        super().__exit__(kind, error, trace)
        if not self._input_ended:
            self._measure()
        self._note(self.process.prints.first)
        if self.forfeit is not None:
            self._note(self.seat.last_heard)
            self.on_fault(self._record(self.forfeit))
        else:
            self._sift()
            if self._unsifted:  # if it is 0, reading stopped early, maybe within a reply
                self._note(self.seat.wire.replies.unread, late=True)
            if self.costs.printed:
                self.seat.last_heard = self.costs.printed
                reason = PRINTED_OUT_OF_TURN.format(side=PLAYER, text=shortened(decoded(self.costs.printed)))
                self.on_print(self._record(Forfeit(PLAYER, Termination.BAD_FRAME, reason)))

    def opening(self, player: int | None = None) -> bytes:
        """Return the bytes of the first message to player 0 or 1, b"" if the wire has no such message.

        A `player` of None stands for the side to move.
        """
        self.player = self.position.to_move if player is None else player
        return super().opening(self.player)

    def follow(self, move: AnyMove) -> None:
        """Play a move of the other side, or a move that the check makes for the player."""
        self._moves.append((self.position.to_move, Move(OPPONENT, move, 0.0)))
        self.position.play(move)

    def played(self, move: AnyMove, wall_s: float, cpu_s: float) -> None:
        """Store a move that the player has just made, with its times; see Driver.played()."""
        self._moves.append((None, Move(PLAYER, move, round(wall_s, 6), round(cpu_s, 3))))
        self._held_bytes.append(self.process.memory())
        if (over_s := wall_s - self.plan.conditions.limit_s) > 0:
            self.seat.overtime_s[len(self._moves)] = over_s

    def _record(self, forfeit: Forfeit) -> GameRecord:
        """Return the record of the game up to the fault. Precondition: all processes of the game have ended."""
        told_limit_s, seed = self._told
        moves = [move if by != self.player else structs.replace(move, side=PLAYER) for by, move in self._moves]
        plan = dataclasses.replace(
            self.plan,
            first=PLAYER if self.player == 0 else OPPONENT,
            seed=seed,
        )
        self.seat.side = PLAYER
        verdict = Verdict(forfeit.termination, OPPONENT, PLAYER, _of_player(forfeit), forfeit.cell)
        seats = [self.seat, Seat(OPPONENT, Contestant("check", "check"))]
        record = write_up(self.marker, plan, seats, moves, verdict, self._started)
        # The player got the seed itself, and maybe a shorter limit than its clock.
        extra = {**record.extra, "player_limit_s": told_limit_s}
        if self._late_s is not None:
            extra["late_s"] = round(self._late_s, 3)
        if forfeit.termination is Termination.MEMORY_LIMIT and len(self._held_bytes) > 1:
            extra["growth_bytes"] = (self._held_bytes[-1] - self._held_bytes[0]) // (len(self._held_bytes) - 1)
        return record.changed(pair=None, extra=extra)

    def _replies_late(self) -> bool:
        """Wait at most LATE_REPLY_S for the reply that a STALL has missed. Return whether it came."""
        with contextlib.suppress(Forfeit, Interrupted):
            now = began = self._pump(0.0)
            while not self.process.closed and now - began < LATE_REPLY_S:
                now = self._pump(BACKTRACE_POLL_S)
                self.process.read_stderr()
                if self.seat.take_reply() is not None:
                    self._late_s = self.plan.conditions.limit_s + STALL_AFTER_S + now - began
                    return True
        return False

    def _ask_for_backtrace(self) -> None:
        """Send the player's Python processes a signal by which they write their backtraces to stderr and end."""
        asked = [pid for pid in self.process.bot_pids() if is_python(pid)]
        for pid in asked:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGABRT)
        give_up = time.monotonic() + BACKTRACE_WAIT_S
        while asked and not all(map(usage.is_dead, asked)) and time.monotonic() < give_up:
            pump([self.process], BACKTRACE_POLL_S)
            self.process.read_stderr()

    def send_bytewise(self, data: bytes) -> None:
        """Send the bytes one at a time."""
        for number in range(len(data)):
            self.process.send(data[number : number + 1])
            time.sleep(0.0002)

    def send_in_parts(self, data: bytes, parts: int, pause_s: float) -> None:
        """Send the bytes in `parts` parts of about the same length, with pauses of `pause_s` seconds between them."""
        bounds = [len(data) * part // parts for part in range(parts + 1)]
        for start, end in itertools.pairwise(bounds):
            self.process.send(data[start:end])
            if end < len(data):
                self.expect_silence(pause_s)

    def await_exit(self, within_s: float) -> float | None:
        """Close the player's input, and wait at most `within_s` seconds for its exit, which left_behind() needs.

        What the player prints in this time is stored. Return the seconds until the exit, None if the player did not end
        in time or held too much memory: a player that outlives its input may repeat a turn for ever.
        """
        limit_bytes = self.plan.conditions.memory_limit_bytes or math.inf
        self.process.read_stderr()
        self.process.memory()
        self._measure()
        self._input_ended = True
        self.process.hold_end()
        self.process.stdin.close()
        began = time.monotonic()
        while time.monotonic() - began < within_s and self.process.memory() <= limit_bytes:
            self._check_stop()
            if self.process.exit_status is not None:  # the player ended with its last reply, and was reaped then
                return time.monotonic() - began
            if self.process.has_ended():
                return time.monotonic() - began
            self.process.read_stdout(time.monotonic())
            self._sift()
            self.process.read_stderr()
            self.process.read_prints()
            time.sleep(0.005)
        return None

    def _sift(self) -> None:
        """Read the bytes that have come although no reply was due. Skip replies, and store anything else as printed."""
        received = self.process.received
        self._unsifted = max(0, self._unsifted - sum(len(data) for _, data in received))
        try:
            while self._unsifted and self.seat.take_reply() is not None:
                pass
        except Forfeit:
            self._note(self.seat.last_heard, late=True)
        received.clear()

    def _note(self, data: bytes, late: bool = False) -> None:
        """Store bytes if they are printed text, up to the first byte that may begin a reply.

        Only the first text of a trial is stored. `late` says that the bytes came after the last reply.
        """
        if not self.costs.printed and is_print(data):
            self.costs.printed, self.costs.printed_late = data.partition(FRAME_BEGINS)[0], late

    def _measure(self) -> None:
        self.costs.peak_rss_bytes = self.process.peak_rss_bytes
        self.costs.stderr_bytes = self.process.stderr_log.total

    def left_behind(self) -> list[int]:
        """Return the ids of the live processes that the player has started and not ended."""
        left = [pid for pid in self.process.bot_pids() if pid != self.process.pid and not usage.is_dead(pid)]
        self.process.let_end()
        return left
