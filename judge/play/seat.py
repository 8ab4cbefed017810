"""One player in a game: its process, its wire, and the checks of the bytes that it sends."""

import signal
import time
from dataclasses import replace

from judge.games.game import AnyWire
from judge.games.positions import Position
from judge.players.players import BadCommand, Contestant
from judge.processes.bubblewrap import BotSandbox
from judge.processes.freezing import Freezer
from judge.processes.process import FRAME_BEGINS, BotProcess, decoded, is_print, pump
from judge.processes.start import CannotStart
from judge.reasons import (
    BY_NAMED_SIGNAL,
    BY_SIGNAL,
    CLOSED_STDOUT,
    ENDED,
    NO_REPLY,
    PRINTED,
    PRINTED_OUT_OF_TURN,
    SENT_OUT_OF_TURN,
    TOO_MUCH_MEMORY,
    WITH_STATUS,
    protocol_error_in_words,
)
from judge.terminal import MEGABYTE, shortened
from protocol.errors import FrameTooLong, RemoteProtocolError
from protocol.records.record import Termination

EXIT_WAIT_S = 1.0  # a process that ends closes its stdout before it can be reaped; on a busy machine long before
KEPT_BYTES = 1024  # the most that is stored of the bytes on stdout that are not a reply
OUT_OF_TURN = "out of turn"


class Forfeit(Exception):
    """A player has lost by a fault, such as an illegal move or a crash. str() is the reason in words.

    `side` is the side at fault. `cell` is the cell of an illegal move (see IllegalMove), None for other faults.
    """

    def __init__(self, side: str, termination: Termination, reason: str, cell: int | None = None) -> None:
        super().__init__(reason)
        self.side = side
        self.termination = termination
        self.cell = cell


class Seat:
    """A player in one game; `side` is "A" or "B". `process` is None until start().

    A human, a function, or the opponent in a check has neither a process nor a `wire`.

    `waits_s` holds for each of the player's turns the longest wait of one of its threads for a core, in seconds.
    `overtime_s` is {ply: seconds past the limit} of the replies that were late but counted as in time. `freezer` stops
    and resumes the player's processes. `exit_status` is that of its process at the moment of the verdict, None if it
    still ran then. `free_until_cpu_s` is the total CPU time of these processes up to the end of the last turn and of
    the wait for its report. With `freeze`, the CPU time that they use from then until the next turn counts on their
    next clock. `variables` are environment variables that the process gets in addition to those of its Launch.
    """

    wire: AnyWire

    def __init__(self, side: str, contestant: Contestant, wire: AnyWire | None = None) -> None:
        self.side = side
        self.contestant = contestant
        if wire is not None:
            self.wire = wire
        self.process: BotProcess | None = None
        self.freezer: Freezer | None = None
        self.exit_status: int | None = None
        self.free_until_cpu_s = 0.0
        self.waits_s: list[float] = []
        self.overtime_s: dict[int, float] = {}
        self.variables: dict[str, str] = {}
        self.stray_output = b""  # the first KEPT_BYTES of the last bytes on stdout that were not a reply

    @property
    def bot(self) -> BotProcess:
        """The player's process. Precondition: start() has returned."""
        assert self.process is not None
        return self.process

    def start(
        self,
        limit_s: float,
        seed: int,
        marker: str,
        drain_stderr: bool = True,
        sandbox: BotSandbox | None = None,
        memory_limit_bytes: int | None = None,
    ) -> None:
        """Start the bot, in `sandbox` unless that is None. All its processes carry the game's `marker`.

        The command of the bot gets `limit_s` (seconds per move) and `seed`. With `drain_stderr` the judge reads the
        bot's stderr all the time. A `memory_limit_bytes` of None means no limit. Raises Forfeit if the command cannot
        be executed, JudgeFailure if the machine fails.
        """
        try:
            launch = self.contestant.launch(limit_s, seed)
            launch = replace(launch, environment={**self.variables, **launch.environment})
            self.process = BotProcess(launch, marker, sandbox, drain_stderr, memory_limit_bytes)
        except (BadCommand, CannotStart) as error:
            raise Forfeit(self.side, Termination.STARTUP_FAILURE, str(error)) from error
        self.freezer = Freezer(self.process)

    def freeze(self) -> None:
        """Stop the player's processes until thaw()."""
        if self.freezer is not None:
            self.freezer.freeze()

    def thaw(self) -> None:
        """Resume the player's processes if they are stopped."""
        if self.freezer is not None:
            self.freezer.thaw()

    def send_opening(self, position: Position, player: int) -> None:
        """Send the game's first message to the bot, which is player 0 or 1 of the rules."""
        self.bot.send(self.wire.opening(position, player))

    def send_turn(self, position: Position) -> None:
        """Send the message that asks for a move."""
        self.bot.send(self.wire.turn(position))

    def take_reply(self) -> object | None:
        """Return the next complete reply among the received bytes, None if there is none yet.

        Raises Forfeit with OUTPUT_LIMIT for a frame that is too long, BAD_FRAME for other malformed bytes.
        """
        received = self.bot.received
        try:
            reply = self._next_reply()
            while reply is None and received:  # the rest stays in `received`, so that a flood is not copied
                data = received.pop(0)[1]
                self.stray_output += data[: KEPT_BYTES - len(self.stray_output)]
                self.wire.replies.feed(data)
                reply = self._next_reply()
            return reply
        except FrameTooLong as error:
            fields = {"side": self.side, "error": protocol_error_in_words(error)}
            is_text = is_print(self.stray_output)  # printed text, whose first bytes were read as a length
            reason = PRINTED.format(**fields, text=_quoted(self.stray_output)) if is_text else NO_REPLY.format(**fields)
            raise Forfeit(self.side, Termination.OUTPUT_LIMIT, reason) from error
        except RemoteProtocolError as error:
            reason = NO_REPLY.format(side=self.side, error=protocol_error_in_words(error))
            raise Forfeit(self.side, Termination.BAD_FRAME, reason) from error

    def _next_reply(self) -> object | None:
        """Return the next complete reply that was fed to the wire, None if there is none; set `stray_output`."""
        reply = self.wire.replies.next_reply()
        self.stray_output = self.wire.replies.unread[:KEPT_BYTES]
        return reply

    def answer(self, position: Position, reply: object) -> bool:
        """Answer the reply if it is a question to the judge. Return whether it is a question."""
        answer = self.wire.answer(position, reply)
        if answer is not None:
            self.bot.send(answer)
        return answer is not None

    def check_silent(self) -> None:
        """Raise Forfeit with BAD_FRAME if any bytes have been received, malformed or not.

        On a wire that has a greeting, the greeting may come at any time before the first reply, and is no fault.
        """
        # What came in one read with the last reply is in `stray_output`.
        output = b"".join([self.stray_output, *(data for _, data in self.bot.received)])[:KEPT_BYTES]
        is_reply = False
        try:
            is_reply = self.take_reply() is not None
            has_sent = is_reply or self.wire.replies.partial
        except Forfeit:
            has_sent = True
        if has_sent:
            self.stray_output = output
            reason = SENT_OUT_OF_TURN.format(side=self.side)
            if is_print(self.stray_output) and not is_reply:
                reason = PRINTED_OUT_OF_TURN.format(side=self.side, text=_quoted(self.stray_output))
            raise Forfeit(self.side, Termination.BAD_FRAME, reason)

    def check_memory(self) -> None:
        """Raise Forfeit with MEMORY_LIMIT if the bot's processes hold more memory than the limit of the bot."""
        limit_bytes = self.bot.memory_limit_bytes
        if limit_bytes is None:
            return
        held_bytes = self.bot.memory()
        if held_bytes > limit_bytes:
            megabytes = {"held": f"{held_bytes / MEGABYTE:.0f}", "limit": f"{limit_bytes / MEGABYTE:.0f}"}
            raise Forfeit(self.side, Termination.MEMORY_LIMIT, TOO_MUCH_MEMORY.format(side=self.side, **megabytes))

    def crash(self) -> Forfeit:
        """Return the Forfeit of a process that has closed its stdout: a CRASH, whose reason states the exit status.

        This waits for the exit, see await_exit(). A program that its sandbox could not execute is a STARTUP_FAILURE.
        """
        await_exit(self.bot)
        if self.bot.why_not_started:
            return Forfeit(self.side, Termination.STARTUP_FAILURE, self.bot.why_not_started)
        reason = ENDED.format(side=self.side, end=describe_exit(self.bot.exit_status))
        return Forfeit(self.side, Termination.CRASH, reason)


def _quoted(output: bytes) -> str:
    """Return the beginning of a printed text, with escapes, up to the byte that may begin a reply."""
    return shortened(decoded(output.partition(FRAME_BEGINS)[0]), 60)


def await_exit(process: BotProcess) -> None:
    """Wait at most EXIT_WAIT_S for the exit status of a process that has closed its stdout."""
    deadline = time.monotonic() + EXIT_WAIT_S
    while process.exit_status is None and time.monotonic() < deadline:
        pump([process], 0.01)


def describe_exit(status: int | None) -> str:
    """Return a text for records that says how a process ended.

    `status` is the exit status as subprocess has it, None while the process runs.
    """
    if status is None:
        return CLOSED_STDOUT
    if status >= 0:
        return WITH_STATUS.format(status=status)
    try:
        name = signal.Signals(-status).name
    except ValueError:
        return BY_SIGNAL.format(number=-status)
    return BY_NAMED_SIGNAL.format(number=-status, name=name, meaning=signal.strsignal(-status))
