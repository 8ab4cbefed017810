"""The Driver of one player: starts it, asks it for moves, reads its replies, ends it, and stores the Costs.

The caller decides what is sent and when. The Driver judges what the player sends back, and raises a Forfeit for a
fault, with the same termination as in a game.
"""

import contextlib
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from judge.games import GAMES
from judge.games.positions import AnyMove, IllegalMove, Position
from judge.play.clock import POLL_S, Turn, TurnClock
from judge.play.referee import Interrupted
from judge.play.sandbox import Sandbox, sandboxes_for
from judge.play.scoresheet import GamePlan
from judge.play.seat import Forfeit, Seat
from judge.players.players import Contestant
from judge.processes.process import BotProcess, end_all, pump
from judge.processes.start import JudgeFailure
from judge.processes.usage import ThreadTimes, thread_times
from judge.reasons import NOT_RUN, PLAYER
from protocol.records.record import Move, Termination

AT_WORK_S = 0.05  # a thread that ran longer than this in a turn or a silence was at work
LONG_SILENCE_S = 0.3  # expect_silence() measures the processor time only if it waits at least this long


@dataclass
class Costs:
    """The measured costs of driving a player. `walls_s`, `cpus_s` and `spans_s` hold the seconds of each reply.

    A span is the time between the two samples of the processor time. One is taken before the turn is sent, the other
    after the reply. The fields `peak_rss_bytes` and `stderr_bytes` are measured before the player's stdin is closed.
    `fault` is the termination of a Forfeit that was raised. `printed` is the beginning of the text on stdout that was
    no reply; `printed_late` says that this text came after the last reply. `demands` holds for each reply the pair
    (demand_s() of the player's threads, wall seconds), `silences` the same pair for each silence of at least
    LONG_SILENCE_S after the first reply. `most_threads` is the largest number of threads of all the player's processes
    together. `hurried` says that the player was told a shorter limit than its clock has.
    """

    walls_s: list[float] = field(default_factory=list)
    cpus_s: list[float] = field(default_factory=list)
    spans_s: list[float] = field(default_factory=list)
    peak_rss_bytes: int = 0
    stderr_bytes: int = 0
    stderr_bytes_at_first_reply: int = 0
    charged_start: bool = False  # the first clock began with the process
    fault: Termination | None = None
    printed: bytes = b""
    printed_late: bool = False
    demands: list[tuple[float, float]] = field(default_factory=list)
    most_threads: int = 0
    hurried: bool = False
    silences: list[tuple[float, float]] = field(default_factory=list)


def demand_s(before: ThreadTimes, after: ThreadTimes) -> float:
    """Return the processor seconds that threads had or wanted between the measurements `before` and `after`.

    This is the time that all threads ran, plus the time that threads at work waited for a core. A thread is at work if
    it ran longer than AT_WORK_S. The wait of a thread that only woke up does not count: on a busy machine it may be
    long, though the thread has nothing to do.
    """
    total_s = 0.0
    for thread, (ran_s, waited_s) in after.items():
        ran_before_s, waited_before_s = before.get(thread, (0.0, 0.0))
        worked_s = ran_s - ran_before_s
        total_s += worked_s + (waited_s - waited_before_s if worked_s > AT_WORK_S else 0.0)
    return total_s


@contextlib.contextmanager
def started_process(
    contestant: Contestant, limit_s: float, seed: int, sandbox: Sandbox, others: Sequence[Contestant] = ()
) -> Iterator[BotProcess]:
    """Yield the process of a player for a caller that needs no Driver, and end all its processes at the exit.

    The sandbox of the player also hides the files of the players `others`. Raises BadCommand or CannotStart if the
    player's command cannot be executed, JudgeFailure if the machine fails.
    """
    marker, launch = uuid.uuid4().hex, contestant.launch(limit_s, seed)
    with contextlib.closing(sandboxes_for(sandbox, [contestant], others)) as sandboxes:
        process = BotProcess(launch, marker, sandboxes.of(0))
        try:
            yield process
        finally:
            end_all([process])


DriverT = TypeVar("DriverT", bound="Driver")


class Driver:
    """A player that is started and asked for moves; use as a context manager, which ends all its processes.

    `limit_and_seed` is (the limit in seconds per move, the seed) that the player's command gets; None stands for the
    limit and the seed of `plan`. The player's clock always has the limit of `plan`. Entering raises Forfeit if the
    player cannot be started. Once `stop` is set, every method that waits raises Interrupted; all of them raise
    JudgeFailure if the machine fails. `forfeit` is the Forfeit that a method has raised, None if none has. `position`
    is the position after all moves, `costs` are the Costs so far.
    """

    process: BotProcess  # from __enter__() on

    def __init__(
        self,
        contestant: Contestant,
        plan: GamePlan,
        stop: threading.Event,
        limit_and_seed: tuple[float, int] | None = None,
    ) -> None:
        game = GAMES[plan.game]
        self.plan, self.stop = plan, stop
        self.position: Position = game.new_position(plan.board)
        self.seat = Seat(PLAYER, contestant, game.wire(contestant.wire, self.position))
        self.sandboxes = sandboxes_for(plan.conditions.sandbox, [contestant])
        self.marker = uuid.uuid4().hex
        self.costs = Costs()
        self.forfeit: Forfeit | None = None
        self.limit_and_seed = limit_and_seed or (plan.conditions.limit_s, plan.seed)

    def __enter__(self: DriverT) -> DriverT:
        """Start the player. Raises Forfeit if it cannot be started, JudgeFailure if the machine fails."""
        try:
            limit_bytes, drains = self.plan.conditions.memory_limit_bytes, not self.plan.conditions.undrained_stderr
            self.seat.start(*self.limit_and_seed, self.marker, drains, self.sandboxes.of(0), limit_bytes)
        except BaseException as error:
            self.sandboxes.close()
            if isinstance(error, Forfeit):
                self.forfeit, self.costs.fault = error, error.termination
            raise
        self.process = self.seat.bot
        return self

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        end_all([self.process])
        self.sandboxes.close()

    @contextlib.contextmanager
    def _storing_forfeit(self) -> Iterator[None]:
        """Store a Forfeit that is raised inside the context in `forfeit`, and raise it again.

        The costs get the termination of the Forfeit as their `fault`.
        """
        try:
            yield
        except Forfeit as forfeit:
            self.forfeit, self.costs.fault = forfeit, forfeit.termination
            raise

    def handle_move(self, move: AnyMove, wall_s: float, cpu_s: float) -> None:
        """Do nothing; a subclass may override this to handle a move that the player has just made.

        `wall_s` and `cpu_s` are seconds. If a reply holds several moves, the first has the times of the reply, and the
        others have 0.
        """

    def opening(self, player: int | None = None) -> bytes:
        """Return the bytes of the first message to player 0 or 1, b"" if the wire has no such message.

        A `player` of None stands for the side to move.
        """
        return self.seat.wire.opening(self.position, self.position.to_move if player is None else player)

    def turn(self) -> bytes:
        """Return the bytes of the message that asks for a move now."""
        return self.seat.wire.turn(self.position)

    def send(self, data: bytes) -> None:
        """Send bytes at once."""
        self.process.send(data)

    def ask(self, send: Callable[[bytes], None] | None = None) -> list[AnyMove]:
        """Ask the player for a move, play its reply, and return the moves of the reply, at least one.

        `send` is called with the bytes of the message; None stands for the Driver's own send(). Raises Forfeit if the
        player breaks the rules.
        """
        sampled, cpu_before_s = time.monotonic(), self.process.sample()
        (send or self.send)(self.turn())
        with self._storing_forfeit():
            return self._await_moves(time.monotonic(), sampled, cpu_before_s)

    def ask_for_record(self, side: str) -> list[Move]:
        """Ask the player for a move, play its reply, and return the moves of the reply as a record has them.

        `side` is the side that the record names. The first move has the times of the reply and the player's report, the
        others have times of 0 and no report. Raises Forfeit if the player breaks the rules.
        """
        log = self.process.stderr_log
        log.begin_turn()
        first, *others = self.ask()
        wall_s, cpu_s = round(self.costs.walls_s[-1], 6), round(self.costs.cpus_s[-1], 3)
        return [Move(side, first, wall_s, cpu_s, log.report()), *[Move(side, move, 0.0, 0.0) for move in others]]

    def await_first_moves(self) -> list[AnyMove]:
        """Await the reply to a first turn that has been sent, play it, and return its moves, at least one.

        The clock of this turn runs from the start of the process. Raises Forfeit if the player breaks the rules.
        """
        spawned = self.process.spawned
        with self._storing_forfeit():
            return self._await_moves(spawned, spawned, 0.0, is_new=True)

    def _await_moves(
        self, clock_start: float, sampled: float, cpu_before_s: float, is_new: bool = False
    ) -> list[AnyMove]:
        """Await the reply to a turn that has been sent, play it, store its costs, and return its moves, at least one.

        The clock runs from the moment `clock_start`. `is_new` says that this is the start of the process. The player
        had used `cpu_before_s` seconds of processor time at the moment `sampled`. Moments are seconds of
        time.monotonic(). Raises Forfeit if the player breaks the rules, JudgeFailure if a reply counts as in time, but
        came so late, by the machine's fault, that the game says nothing: after more than two limits.
        """
        limit_s = self.plan.conditions.limit_s
        clock = TurnClock(self.process, limit_s, is_new)
        before: ThreadTimes = {} if is_new else thread_times(self.process.bot_pids())
        turn = Turn(self.plan.conditions, self.seat, None, clock, clock_start)
        reply, now = turn.await_reply(self.position, self._check_stop, self._check_memory)
        after = thread_times(self.process.bot_pids())
        self.costs.demands.append((demand_s(before, after), time.monotonic() - clock_start))
        self.costs.most_threads = max(self.costs.most_threads, len(after))
        wall_s = now - clock_start
        if wall_s > 2 * limit_s:
            raise JudgeFailure(NOT_RUN.format(side=PLAYER, kept=f"{wall_s - limit_s:.2f}"))
        self.costs.walls_s.append(wall_s)
        self.costs.cpus_s.append(max(0.0, self.process.sample() - cpu_before_s))
        self.costs.spans_s.append(time.monotonic() - sampled)
        if len(self.costs.walls_s) == 1:
            self.costs.stderr_bytes_at_first_reply = self.process.stderr_log.total
        cpu_s = self.costs.cpus_s[-1]
        moves: list[AnyMove] = []
        try:
            for move in self.seat.wire.play(self.position, reply):
                self.handle_move(move, wall_s, cpu_s)
                moves.append(move)
                wall_s = cpu_s = 0.0  # the reply's times belong to its first move
        except IllegalMove as error:
            raise Forfeit(self.seat.side, Termination.ILLEGAL_MOVE, str(error), error.cell) from error
        return moves

    def expect_silence(self, duration_s: float) -> None:
        """Wait for `duration_s` seconds. Raises Forfeit if the player sends anything or ends in that time."""
        now = began = time.monotonic()
        end = now + duration_s
        is_long = duration_s >= LONG_SILENCE_S and bool(self.costs.walls_s)
        before = thread_times(self.process.bot_pids()) if is_long else {}
        while True:
            with self._storing_forfeit():
                now = self._pump(min(POLL_S, end - now))
                self.seat.check_silent()
                if self.process.closed:
                    raise self.seat.crash()
            if now >= end:
                break
        if is_long:
            self.costs.silences.append((demand_s(before, thread_times(self.process.bot_pids())), now - began))

    def _pump(self, timeout_s: float) -> float:
        """Exchange bytes with the player, waiting at most `timeout_s`. Return the moment as pump() does.

        Raises Interrupted once `stop` is set, Forfeit if the player holds too much memory.
        """
        now = pump([self.process], timeout_s)
        self._check_stop()
        self._check_memory(now)
        return now

    def _check_memory(self, now: float) -> None:
        """Raise Forfeit if the player holds too much memory. It is checked each time, whatever the moment `now`."""
        self.seat.check_memory()

    def _check_stop(self) -> None:
        """Raise Interrupted once `stop` is set."""
        if self.stop.is_set():
            raise Interrupted
