"""The turn loop: reads messages and sends one reply to each turn in time.

Only its Inbox reads stdin, and only its Guard writes to stdout. Standard library only, Python 3.8 syntax. All that
depends on the game is in `adapter`, the game's adapter.py.
"""

from __future__ import annotations

import os
import sys
import time

from protocol.errors import RemoteProtocolError

from .guard import END, STDIN, STDOUT, Budget, Guard, Inbox, OpenTurn, process_start
from .player import EngineUnavailable, Player

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..backends.compiled import Kernels
    from ..games.interface import Adapter, Settings
    from ..search.engine import Decision
    from .player import Log

    # Called after each reply with: the turn's number, the move, the Decision (None if the guard chose the move), and
    # the seconds since the turn began.
    Report = Callable[[int, int, Decision | None, float], None]

# Defaults of build_session: the platform's time limit for a move, and how much of that time is left unused.
DEFAULT_LIMIT_S = 3.0
DEFAULT_MARGIN_S = 0.4
DEFAULT_FIRST_MARGIN_S = 1.0
MALFORMED_INPUT = 2
NO_ENGINE = 1
# Python's default is 5 ms: too long for the guard's thread to wait for a main thread that runs Python code.
_SWITCH_INTERVAL_S = 0.0005


class Session:
    """One game on stdin and stdout.

    * wire: name of the protocol generation.
    * budgets: (Budget of the first turn, Budget of later turns).
    * iterations: None to play by the clock. A number makes each turn search that many iterations, without the guard.
    * report: None, or a Report.
    * clock: returns the monotonic time in seconds.
    * began: returns the time, by `clock`, at which the process began.
    * descriptors: file descriptors of (stdin, stdout).
    """

    def __init__(
        self,
        adapter: Adapter,
        wire: str,
        player: Player,
        budgets: tuple[Budget, Budget],
        log: Log,
        iterations: int | None = None,
        report: Report | None = None,
        clock: Callable[[], float] = time.monotonic,
        began: Callable[[], float] = process_start,
        descriptors: tuple[int, int] = (STDIN, STDOUT),
    ) -> None:
        self._adapter, self._player, self._budgets = adapter, player, budgets
        self._log, self._iterations, self._report, self._clock = log, iterations, report, clock
        self._dialogue = adapter.Dialogue(wire)
        self._began = began
        self._inbox = Inbox(self._dialogue.decoder, descriptors[0], clock)
        self._guard = Guard(self._inbox, self._budget, self._stand_in, log, descriptors[1], clock)
        self._turns = 0
        self._guarded = False

    def run(self) -> int:
        """Play until the game or the input ends. Returns the process's exit status."""
        sys.setswitchinterval(_SWITCH_INTERVAL_S)
        try:
            self._guard.send(self._dialogue.greeting())
            return self._play()
        except RemoteProtocolError as error:
            self._log.report(f"malformed input: {error}")
            return MALFORMED_INPUT
        except EngineUnavailable as error:
            self._log.report(str(error))
            return NO_ENGINE
        except OSError as error:
            self._log.report(f"stdin or stdout is gone: {error}")
            return 0
        finally:
            self._player.close()

    def _play(self) -> int:
        """Handle messages until the game or the input ends. Returns the exit status."""
        self._start_guard()
        if not self._dialogue.HAS_OPENING:
            self._prepare()
        while True:
            message, arrived = self._inbox.next_message()
            if message is END or self._dialogue.is_over(message):
                return 0
            if self._dialogue.handle(message):
                self._answer(message, self._turn_start(arrived))
            else:
                self._guard.send(self._dialogue.reply_without_turn(message))
            self._prepare()

    def _start_guard(self) -> None:
        """Start the guard, unless it runs already or turns are limited by iterations instead of the clock.

        The first attempt may fail while the bot has a child process, because the child counts against the limit of
        threads. Loading the engine ends the child, so each turn tries again after it has loaded the engine. Before
        that, only the engine's own clock keeps a first turn in time.
        """
        if self._iterations is None and not self._guarded:
            self._guarded = self._guard.start()
            if not self._guarded and self._turns == 1:
                self._log.report("no thread may be started: the engine's own clock is the guard")

    def _prepare(self) -> None:
        """Prepare the engine between turns, unless the next turn's clock is already running."""
        if self._iterations is not None:
            self._player.prepare(compile_here=True)
        elif not self._inbox.has_started_message():
            self._guard.leave()
            try:
                self._player.prepare()
            except Exception as error:  # the plain search needs no preparing
                self._log.report(f"no engine: {type(error).__name__}: {error}")
            self._guard.come_back()

    def _budget(self) -> Budget:
        """Returns the Budget of the turn that is due or running."""
        return self._budgets[0] if self._turns == 0 else self._budgets[1]

    def _turn_start(self, arrived: float) -> float:
        """Returns the time at which the clock of a turn began, given the arrival time of its message.

        If the first turn's message was already waiting at the bot's first read, its clock began when the process began.
        """
        if self._turns == 0 and arrived == self._inbox.first_read:
            return self._began()
        return arrived

    def _answer(self, message: object, started: float) -> None:
        """Reply to one turn."""
        turn = self._open(message, started)
        if turn is None:
            return
        decision = self._decide(turn)
        move = turn.safe_move() if decision is None else decision.move
        # The reply first: a report must not wait for a stalled stderr on the turn's clock.
        if self._guard.reply(turn, move):
            self._report_turn(turn.number, move, decision, started)
        self._guard.come_back()

    def _open(self, message: object, started: float, in_place: bool = False) -> OpenTurn | None:
        """Returns the OpenTurn that a message asks for, or None if its position is impossible.

        An impossible position is answered here at once. `in_place` says whether the guard's thread calls this because
        the main thread is busy with the turn before.
        """
        deadline = self._budget().deadline(started)
        self._turns += 1
        number = self._turns
        try:
            position = self._dialogue.position_of(message)
        except self._adapter.ImpossiblePosition as error:
            self._log.report(f"turn {number} is impossible: {error}")
            self._guard.send(self._dialogue.answer_to_impossible(message, error))
            return None

        def safe_move() -> int:  # in place, the engine is busy with the turn before, and so its best move is no use
            return self._adapter.safe_move(position) if in_place else self._player.move_now(position)

        def guarded(move: int) -> None:
            why = "is still busy" if in_place else f"had not by {deadline.hard - started:.2f} s"
            self._log.report(f"turn {number}: the guard answered, the engine {why}")
            self._report_turn(number, move, None, started)

        return OpenTurn(
            number,
            position,
            deadline,
            safe_move=safe_move,
            encode=lambda move: self._dialogue.answer(position, move),
            sent=lambda move: self._dialogue.sent(position, move),
            guarded=guarded,
        )

    def _report_turn(self, number: int, move: int, decision: Decision | None, started: float) -> None:
        """Call the session's `report`, unless it is None, for a turn that has been answered."""
        if self._report is not None:
            self._report(number, move, decision, self._clock() - started)

    def _decide(self, turn: OpenTurn) -> Decision | None:
        """Returns the Decision for a turn, or None if every search failed, so that only the emergency reply is left."""
        if self._iterations is not None:
            return self._player.think_counted(turn.position, self._iterations)
        self._guard.open(turn)
        try:
            self._player.prepare(deadline=turn.deadline)
            self._start_guard()
            return self._player.think(turn.position, turn.deadline)
        except Exception as error:  # a turn that has begun is answered, whatever happens
            self._log.report(f"turn {turn.number}: {type(error).__name__}: {error}")
            return None

    def _stand_in(self) -> OpenTurn | None:
        """Read and handle a message in the guard's thread, in the main thread's place.

        Returns the OpenTurn that the message asks for, or None if it asks for none. Ends the process for malformed
        input and at the end of the game or the input.
        """
        try:
            found = self._inbox.next_message_at_hand()
        except RemoteProtocolError as error:
            self._log.report(f"malformed input: {error}")
            os._exit(MALFORMED_INPUT)
        if found is None:
            return None
        message, arrived = found
        if message is END or self._dialogue.is_over(message):
            os._exit(0)
        if not self._dialogue.handle(message):
            self._guard.send(self._dialogue.reply_without_turn(message))
            return None
        return self._open(message, self._turn_start(arrived), in_place=True)


def random_seed() -> int:
    """Returns an unpredictable seed of 56 bits."""
    return int.from_bytes(os.urandom(7), "little")


def build_session(
    adapter: Adapter,
    kernels: Kernels | None,
    log: Log,
    settings: Settings | None = None,
    wire: str | None = None,
    limit: float = DEFAULT_LIMIT_S,
    margin: float = DEFAULT_MARGIN_S,
    first_margin: float = DEFAULT_FIRST_MARGIN_S,
    memory_mb: int | None = None,
    seed: int | None = None,
    iterations: int | None = None,
    report: Report | None = None,
    patient: bool = False,
) -> Session:
    """Returns the Session of one game.

    `adapter` is the game's adapter.py. For `settings`, `wire` and `memory_mb`, None stands for the game's default. For
    `seed`, None stands for a random seed. `limit` and `margin` make the Budget of each turn, in seconds; `first_margin`
    is the margin of the first turn. `iterations` and `report` are described in Session, `kernels` and `patient` in
    Player.
    """
    memory_mb = adapter.DEFAULT_MEMORY_MB if memory_mb is None else memory_mb
    settings = adapter.preset("default") if settings is None else settings
    seed = random_seed() if seed is None else seed
    player = Player(adapter, settings, kernels, memory_mb, seed, log, patient)
    budgets = (Budget(limit, first_margin), Budget(limit, margin))
    return Session(adapter, adapter.WIRES[0] if wire is None else wire, player, budgets, log, iterations, report)
