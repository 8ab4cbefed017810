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
from judge.play.scoresheet import Conditions, GamePlan, Verdict, make_record, utc_now
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
    """Return the probability, 0 to 1, that a fault which occurs once in FAULTS moves occurs in this many `moves`."""
    return 1 - (1 - 1 / FAULTS) ** moves


def moves_needed(wanted: float) -> int:
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


USUAL = Effort(USUAL_S, moves_needed(USUAL_ODDS), hurries=True)
QUICK = Effort(QUICK_S, moves_needed(USUAL_ODDS), hurries=True, is_quick=True, sanitized_s=SANITIZED_QUICKLY_S)
THOROUGH = Effort(math.inf, moves_needed(THOROUGH_ODDS), hurries=False)


def is_python(pid: int) -> bool:
    """Return whether the process runs Python, to judge by the name of its program."""
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe")).startswith(PYTHONS)
    except OSError:
        return False


def _reason_for_record(forfeit: Forfeit) -> str:
    """Return the reason of a forfeit as a record of the game has it: with PLAYER as the name of the side.

    The reasons of a trial name the player in another way.
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

    _bytes_to_skip = 64 * 1024  # the bytes that _skip_replies() may still read
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
        """Start the player; if it cannot be started, call on_fault() and raise Forfeit."""
        try:
            return super().__enter__()
        finally:
            if self.forfeit is not None:
                self.on_fault(self._record(self.forfeit))

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """End the player, store its costs, and call on_fault() or on_print() as the class says."""
        self.seat.exit_status = self.process.exit_status
        if self.forfeit is not None and self.forfeit.termination is Termination.STALL and not self._replies_late():
            self._ask_for_backtrace()
        super().__exit__(kind, error, trace)
        if not self._input_ended:
            self._store_measurements()
        self._store_print(self.process.prints.first)
        if self.forfeit is not None:
            self._store_print(self.seat.stray_output)
            self.on_fault(self._record(self.forfeit))
        else:
            self._skip_replies()
            if self._bytes_to_skip:  # if it is 0, reading stopped early, maybe within a reply
                self._store_print(self.seat.wire.replies.unread, late=True)
            if self.costs.printed:
                self.seat.stray_output = self.costs.printed
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

    def handle_move(self, move: AnyMove, wall_s: float, cpu_s: float) -> None:
        """Store a move that the player has just made, with its times; see Driver.handle_move()."""
        self._moves.append((None, Move(PLAYER, move, round(wall_s, 6), round(cpu_s, 3))))
        self._held_bytes.append(self.process.memory())
        if (over_s := wall_s - self.plan.conditions.limit_s) > 0:
            self.seat.overtime_s[len(self._moves)] = over_s

    def _record(self, forfeit: Forfeit) -> GameRecord:
        """Return the record of the game up to the fault. Precondition: all processes of the game have ended."""
        player_limit_s, seed = self.limit_and_seed
        # follow() has stored the moves that the check made for the player as moves of the opponent.
        moves = [structs.replace(move, side=PLAYER) if by == self.player else move for by, move in self._moves]
        plan = dataclasses.replace(self.plan, first=PLAYER if self.player == 0 else OPPONENT, seed=seed)
        self.seat.side = PLAYER
        verdict = Verdict(forfeit.termination, OPPONENT, PLAYER, _reason_for_record(forfeit), forfeit.cell)
        seats = [self.seat, Seat(OPPONENT, Contestant("check", "check"))]
        record = make_record(self.marker, plan, seats, moves, verdict, self._started)
        # The player got the seed itself, and maybe a shorter limit than its clock.
        extra = {**record.extra, "player_limit_s": player_limit_s}
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
        deadline = time.monotonic() + BACKTRACE_WAIT_S
        while asked and not all(map(usage.is_dead, asked)) and time.monotonic() < deadline:
            pump([self.process], BACKTRACE_POLL_S)
            self.process.read_stderr()

    def send_bytewise(self, data: bytes) -> None:
        """Send the bytes one at a time."""
        for number in range(len(data)):
            self.process.send(data[number : number + 1])
            time.sleep(0.0002)  # so that the player can read each byte alone

    def send_in_parts(self, data: bytes, parts: int, pause_s: float) -> None:
        """Send the bytes in `parts` parts of about the same length, with pauses of `pause_s` seconds between them."""
        bounds = [len(data) * part // parts for part in range(parts + 1)]
        for start, end in itertools.pairwise(bounds):
            self.process.send(data[start:end])
            if end < len(data):
                self.expect_silence(pause_s)

    def await_exit(self, within_s: float) -> float | None:
        """Close the player's input, and wait at most `within_s` seconds for its exit. left_behind() may follow.

        What the player prints in this time is stored. Return the seconds until the exit, None if the player did not end
        in time or held too much memory: a player that outlives its input may repeat a turn for ever. Raises Interrupted
        once the check is stopped.
        """
        limit_bytes = self.plan.conditions.memory_limit_bytes or math.inf
        self.process.read_stderr()
        self.process.memory()
        self._store_measurements()
        self._input_ended = True
        self.process.hold_end()
        self.process.stdin.close()
        began = time.monotonic()
        while time.monotonic() - began < within_s and self.process.memory() <= limit_bytes:
            self._check_stop()
            if self.process.has_ended():
                return time.monotonic() - began
            self.process.read_stdout(time.monotonic())
            self._skip_replies()
            self.process.read_stderr()
            self.process.read_prints()
            time.sleep(0.005)
        return None

    def _skip_replies(self) -> None:
        """Read the bytes that came although no reply was due: skip replies, and store other text as printed."""
        received = self.process.received
        self._bytes_to_skip = max(0, self._bytes_to_skip - sum(len(data) for _, data in received))
        try:
            while self._bytes_to_skip and self.seat.take_reply() is not None:
                pass
        except Forfeit:
            self._store_print(self.seat.stray_output, late=True)
        received.clear()

    def _store_print(self, data: bytes, late: bool = False) -> None:
        """Store bytes in the costs if they are printed text, up to the first byte that may begin a reply.

        Only the first text of a trial is stored. `late` says that the bytes came after the last reply.
        """
        if not self.costs.printed and is_print(data):
            self.costs.printed, self.costs.printed_late = data.partition(FRAME_BEGINS)[0], late

    def _store_measurements(self) -> None:
        """Store the player's memory and its bytes on stderr until now in the costs."""
        self.costs.peak_rss_bytes = self.process.peak_rss_bytes
        self.costs.stderr_bytes = self.process.stderr_log.total

    def left_behind(self) -> list[int]:
        """Return the ids of the processes that the player has started and that live on after its exit.

        Precondition: await_exit() has returned. The processes may end afterwards.
        """
        left = [pid for pid in self.process.bot_pids() if pid != self.process.pid and not usage.is_dead(pid)]
        self.process.let_end()
        return left
