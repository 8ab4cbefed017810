"""A check's Trial: drives a player with input in pieces and with pauses, and watches its output and its exit.

Also the Effort of a check, and the odds() that it finds a rare fault.
"""

import itertools
import math
import os
import time
from dataclasses import dataclass

import psutil

from judge.play.driver import Conditions, Driver
from judge.play.seat import Forfeit
from judge.processes import descendants, measure
from judge.processes.process import FRAME_BEGINS, is_print

FAULTS = 200  # odds() are those of a fault that occurs once in so many moves
USUAL_ODDS, THOROUGH_ODDS = 0.99, 0.999
USUAL_S = 155.0  # at the platform's limit, so that a check stays below three minutes
PLATFORM_LIMIT_S = 3.0
SIFTED_BYTES = 64 * 1024  # the most that is read of what comes after the last reply that was due
BYTE_PAUSE_S = 0.0002  # between single bytes: time for the player to read each
EXIT_POLL_S = 0.005


def odds(moves: int) -> float:
    """Return the probability, 0 to 1, that a fault in one of FAULTS moves shows in so many moves."""
    return 1 - (1 - 1 / FAULTS) ** moves


def moves_for(wanted: float) -> int:
    """Return the least number of moves whose odds() are at least `wanted`."""
    return math.ceil(math.log(1 - wanted) / math.log(1 - 1 / FAULTS))


@dataclass(frozen=True)
class Effort:
    """The most seconds that a check takes, at PLATFORM_LIMIT_S per move, and the number of moves that it wants to see.

    With `hurries` a player that takes a limit is given a short one in most games, for more moves in the same time.
    """

    seconds: float
    moves: int
    hurries: bool

    def seconds_at(self, limit_s: float) -> float:
        """Return the most seconds that a check takes with this limit, in seconds per move."""
        return self.seconds * max(1.0, limit_s / PLATFORM_LIMIT_S)


USUAL = Effort(USUAL_S, moves_for(USUAL_ODDS), hurries=True)
THOROUGH = Effort(math.inf, moves_for(THOROUGH_ODDS), hurries=False)


@dataclass(frozen=True)
class CheckConditions(Conditions):
    """The conditions of all trials of a check: `jobs` cases run at a time, with this `effort`."""

    jobs: int = 1
    effort: Effort = USUAL


class Trial(Driver):
    """A Driver that can also cut the input into pieces, wait for the player's exit and find what it left behind."""

    _unsifted = SIFTED_BYTES  # bytes that _sift() may still skip
    _input_ended = False

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        super().__exit__(kind, error, trace)
        if not self._input_ended:
            self._measure()
        self._note(self.process.prints.first)
        if isinstance(error, Forfeit):
            self._note(self.seat.last_heard)
        else:
            self._sift()
            if self._unsifted:  # else reading stopped early, maybe within a reply
                self._note(self.seat.wire.replies.unread, late=True)

    def send_bytewise(self, data: bytes) -> None:
        """Send the bytes one at a time."""
        for number in range(len(data)):
            self.process.send(data[number : number + 1])
            time.sleep(BYTE_PAUSE_S)

    def send_in_parts(self, data: bytes, parts: int, pause_s: float) -> None:
        """Send so many parts of about the same length, with pauses between them."""
        bounds = [len(data) * part // parts for part in range(parts + 1)]
        for start, end in itertools.pairwise(bounds):
            self.process.send(data[start:end])
            if end < len(data):
                self.expect_silence(pause_s)

    def await_exit(self, within_s: float) -> float | None:
        """Close the player's input and wait for its exit, without reaping it; store what it prints meanwhile.

        Return the seconds until the exit, None if the player did not end in time or held too much memory: one that
        outlives its input may repeat a turn for ever.
        """
        limit_bytes = self.conditions.memory_limit_bytes or math.inf
        self.process.read_stderr()
        self.process.memory(self.conditions.memory_limit_bytes)
        self._measure()
        self._input_ended = True
        self.process.stdin.close()
        began = time.monotonic()
        while time.monotonic() - began < within_s and self.process.memory(limit_bytes) <= limit_bytes:
            self._check_stop()
            if self.process.exit_status is not None:  # it ended with its last reply, and was reaped then
                return time.monotonic() - began
            if self.process.has_ended():
                return time.monotonic() - began
            self.process.read_stdout(time.monotonic())
            self._sift()
            self.process.read_stderr()
            self.process.prints.read()
            time.sleep(EXIT_POLL_S)
        return None

    def _sift(self) -> None:
        """Read what has come though no reply was due: skip replies, and store anything else as printed."""
        received = self.process.received
        self._unsifted = max(0, self._unsifted - sum(len(data) for _, data in received))
        try:
            while self._unsifted and self.seat.take_reply() is not None:
                pass
        except Forfeit:
            self._note(self.seat.last_heard, late=True)
        received.clear()

    def _note(self, heard: bytes, late: bool = False) -> None:
        """Store the first text that was printed, up to the byte that may begin a reply."""
        if not self.costs.printed and is_print(heard):
            self.costs.printed, self.costs.printed_late = heard.partition(FRAME_BEGINS)[0], late

    def _measure(self) -> None:
        self.costs.peak_rss_bytes = self.process.peak_rss_bytes
        self.costs.stderr_bytes = self.process.stderr_log.total

    def left_behind(self) -> list[int]:
        """Return the ids of the live processes that the player has started."""
        if self.process.is_sandboxed:
            return [pid for pid in self.process.bot_pids() if pid != self.process.pid and not measure.is_dead(pid)]
        return [process.pid for process in psutil.process_iter() if self._is_left(process)]

    def _is_left(self, process: psutil.Process) -> bool:
        own = self.process.pid
        try:
            if process.pid == own or process.status() == psutil.STATUS_ZOMBIE:
                return False
            in_group = os.getpgid(process.pid) == own
            return in_group or process.environ().get(descendants.MARKER) == self.marker
        except (psutil.Error, ProcessLookupError):
            return False  # it has just ended, or belongs to another user
