"""One way to drive one player: start it, ask it, hear its answer, end it; and what that has cost.

What is sent when is for the caller to say; what must come back is told here. A Forfeit says what the player did wrong,
under the name that the same fault has in a game.
"""

import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from judge.games import DEFAULT_GAME, GAMES
from judge.games.boards import Board
from judge.games.positions import AnyMove, IllegalMove, Position
from judge.play.clock import POLL_S, ThreadTimes, Turn, TurnClock, not_run, tree_times
from judge.play.referee import Interrupted
from judge.play.sandbox import Sandbox, sandboxes_for
from judge.play.scoresheet import GamePlan
from judge.play.seat import Forfeit, Seat
from judge.players.players import Contestant
from judge.processes.process import BotProcess, end_all, pump
from judge.processes.start import JudgeFailure
from judge.reasons import PLAYER
from protocol.records.record import Termination

AT_WORK_S = 0.05  # of a turn or a silence
LONG_SILENCE_S = 0.3  # from which on it is told whether the player computes meanwhile


@dataclass(frozen=True)
class Conditions:
    """How a player is driven: seconds per move, bytes of memory or None, seed, Event to stop at, game, sandbox."""

    limit_s: float
    memory_limit_bytes: int | None
    seed: int
    stop: threading.Event
    game: str = DEFAULT_GAME
    sandbox: Sandbox = Sandbox()


@dataclass
class Costs:
    """What driving a player has cost; `walls_s`, `cpus_s` and `spans_s` have an entry for each reply, in seconds.

    A span lies between the looks at the processor time: before the turn is sent, and after the reply.
    Memory and stderr are those before the end of the input. `printed` is the beginning of what was printed beside
    replies, `printed_late` if that came after the last of them. `demands` has for each reply the processor time that
    its threads had or waited for, and how long that took; `silences` the same for each long silence after the first
    reply; `most_threads` those of all its processes together. It is `hurried` where it was told a shorter limit.
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
    """The processor time that all threads have had in between or, those that were at work, waited for, in seconds.

    A thread that only woke up does not count as waiting: on a busy machine it may wait for long to find nothing to do.
    """
    demand_s = 0.0
    for thread, (ran_s, waited_s) in after.items():
        ran_before_s, waited_before_s = before.get(thread, (0.0, 0.0))
        worked_s = ran_s - ran_before_s
        demand_s += worked_s + (waited_s - waited_before_s if worked_s > AT_WORK_S else 0.0)
    return demand_s


DriverT = TypeVar("DriverT", bound="Driver")


class Driver:
    """A player that is started and asked; use as a context manager. No process is left afterwards.

    `told` are the seconds per move and the seed that the player is told; its clock is that of the conditions all the
    same.
    """

    process: BotProcess  # from __enter__() on

    def __init__(
        self,
        contestant: Contestant,
        conditions: Conditions,
        board: Board,
        drain_stderr: bool = True,
        told: tuple[float, int] | None = None,
    ) -> None:
        game = GAMES[conditions.game]
        self.conditions = conditions
        self.plan = GamePlan(
            board=board,
            limit_s=conditions.limit_s,
            seed=conditions.seed,
            memory_limit_bytes=conditions.memory_limit_bytes,
            game=conditions.game,
        )
        self.position: Position = game.new_position(board)
        self.seat = Seat(PLAYER, contestant, game.wire(contestant.wire, self.position))
        self.sandboxes = sandboxes_for(conditions.sandbox, [contestant])
        self.marker = uuid.uuid4().hex
        self.costs = Costs()
        self._drain_stderr = drain_stderr
        self._told = told or (conditions.limit_s, conditions.seed)

    def __enter__(self: DriverT) -> DriverT:
        try:
            self.seat.start(*self._told, self.marker, self._drain_stderr, self.sandboxes.of(0))
        except BaseException as error:
            self.sandboxes.close()
            if isinstance(error, Forfeit):
                self.costs.fault = error.termination
            raise
        self.process = self.seat.bot
        return self

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        end_all([self.process], self.marker)
        self.sandboxes.close()
        if isinstance(error, Forfeit):
            self.costs.fault = error.termination

    def opening(self, player: int | None = None) -> bytes:
        """The bytes of the first message to the player, number 0 or 1 or the side to move; b"" where there is none."""
        return self.seat.wire.opening(self.position, self.position.to_move if player is None else player)

    def turn(self) -> bytes:
        """The bytes of the message that asks for a move now."""
        return self.seat.wire.turn(self.position)

    def send(self, data: bytes) -> None:
        """Send bytes at once."""
        self.process.send(data)

    def ask(self, send: Callable[[bytes], None] | None = None) -> list[AnyMove]:
        """Send the turn, by send(data) where that is given, and play the reply; returns its moves."""
        looked, cpu_before_s = time.monotonic(), self.process.sample()
        (send or self.send)(self.turn())
        return self._await_moves(time.monotonic(), looked, cpu_before_s)

    def await_first_moves(self) -> list[AnyMove]:
        """The moves of the reply to a first turn that has been sent: its clock runs from the start of the process."""
        spawned = self.process.spawned
        return self._await_moves(spawned, spawned, 0.0, is_new=True)

    def _await_moves(
        self, clock_start: float, looked: float, cpu_before_s: float, is_new: bool = False
    ) -> list[AnyMove]:
        """The moves of the reply to a turn that has been sent, after playing them; at least one.

        Its clock runs from clock_start, a moment of time.monotonic(), and as in a match: is_new if that is the start of
        the process. Its processor time was cpu_before_s when it was `looked` at.
        """
        clock = TurnClock(self.process.pid, is_new)
        before: ThreadTimes = {} if is_new else tree_times(self.process.pid)
        turn = Turn(self.plan, self.seat, None, clock, clock_start)
        reply, now = turn.reply(self.position, self._check_stop, self._check_memory)
        after = tree_times(self.process.pid)
        self.costs.demands.append((demand_s(before, after), time.monotonic() - clock_start))
        self.costs.most_threads = max(self.costs.most_threads, len(after))
        wall_s = now - clock_start
        if wall_s > 2 * self.conditions.limit_s:
            raise JudgeFailure(not_run(PLAYER, wall_s - self.conditions.limit_s))
        self.costs.walls_s.append(wall_s)
        self.costs.cpus_s.append(max(0.0, self.process.sample() - cpu_before_s))
        self.costs.spans_s.append(time.monotonic() - looked)
        if len(self.costs.walls_s) == 1:
            self.costs.stderr_bytes_at_first_reply = self.process.stderr_log.total
        try:
            return list(self.seat.wire.play(self.position, reply))
        except IllegalMove as error:
            raise Forfeit(self.seat.side, Termination.ILLEGAL_MOVE, str(error)) from error

    def expect_silence(self, duration_s: float) -> None:
        """Wait. Raises Forfeit if the player says anything meanwhile or ends."""
        now = began = time.monotonic()
        end = now + duration_s
        is_long = duration_s >= LONG_SILENCE_S and bool(self.costs.walls_s)
        before = tree_times(self.process.pid) if is_long else {}
        while True:
            now = self._pump(min(POLL_S, end - now))
            self.seat.check_silent()
            if self.process.closed:
                raise self.seat.crash()
            if now >= end:
                break
        if is_long:
            self.costs.silences.append((demand_s(before, tree_times(self.process.pid)), now - began))

    def _pump(self, timeout_s: float) -> float:
        now = pump([self.process], timeout_s)
        self._check_stop()
        self._check_memory(now)
        return now

    def _check_memory(self, now: float) -> None:
        self.seat.check_memory(self.conditions.memory_limit_bytes)

    def _check_stop(self) -> None:
        if self.conditions.stop.is_set():
            raise Interrupted
