"""One game between two bot processes: clocks, legality, and a name for every ending.

The rules decide which side is asked: a side without a legal move is passed over, so the other may move twice in a row.
Only the clock of the side to move runs. It starts when the judge writes the message that asks for a move; for the first
mover without `free_start` it starts just before the process does. It ends when the last byte of the reply arrives. On a
wire that has questions on the rules, the judge answers them at once, while the clock runs.

Which fault decides when there are several:

* A move that ends the game ends it as NORMAL; nothing that comes after it is read.
* The bytes of the side to move count in the order in which they came: a legal frame with more bytes behind it is a
  BAD_FRAME, an illegal move with more bytes is an ILLEGAL_MOVE, a reply followed by an exit is a move.
* Once a clock has run out, its side loses on time. The ending is a TIME_FORFEIT if the side sends anything complete
  within the next second (a legal reply, an illegal one, garbage) or its process ends; otherwise it is a STALL.
* Any bytes from the side that is not to move are a BAD_FRAME of that side at once, unless the clock of the other side
  has already run out.
* An exit or a closed stdout of the side that is not to move is a CRASH when its turn comes. If the game ends
  before that turn, the exit does not count.
* The memory of both sides is checked every 50 ms of a turn (less often where the checks would take more than a
  hundredth of the time). The mover's memory is also checked at every reply, before the reply is played. A side that
  holds too much loses by MEMORY_LIMIT, whatever it replies. The kernel's peak of each process shows what was held and
  freed between two checks (processes/usage.py). Once a clock has run out, memory is no longer checked.
* A question is not a reply: if the clock runs out after a question and nothing else, that is a STALL. A question out
  of turn is a BAD_FRAME. A question that is complete only after the limit makes the loss a TIME_FORFEIT, like any other
  bytes.
* If neither command can be executed, the first mover is at fault.
* The mover's clock stands still while the machine does not run the mover, and until the judge has written a message
  that it writes late (clock.py). A reply is in time if the judge reads it late only because the judge itself woke late.
  If the judge wakes late by more than the limit, the game is VOID, unless the mover itself has used the cores. With
  `strict_clock` there is no such extra time, and the game is VOID as soon as the judge wakes more than LATE_WAKE_S
  late.
* With `freeze` a side's processes are stopped during the turn of the other side, and resumed just before its own clock
  begins. Without `free_start` the second mover is stopped as soon as it has the opening message: like the first mover,
  it starts up on its own clock. CPU time that a side uses between its reply and its next turn is taken off its next
  limit, except what it uses while the judge waits for its report.
"""

import contextlib
import threading
import time
import uuid
from collections.abc import Sequence
from typing import Any

from judge.games import GAMES, boards
from judge.games.positions import AnyMove, IllegalMove, Position
from judge.play.clock import PROMPT_S, Turn, TurnClock
from judge.play.observer import EventSink, Observer, ObserverGroup
from judge.play.sandbox import Sandboxes, sandboxes_for
from judge.play.scoresheet import GamePlan, Verdict, in_order, make_record, opponent, utc_now, verdict_on_board
from judge.play.seat import Forfeit, Seat
from judge.players.players import Contestant
from judge.processes import usage
from judge.processes.process import BotProcess, end_all, pump
from judge.processes.start import JudgeFailure
from judge.reasons import JUDGE_FAILED, NO_REPLY
from protocol.records.record import GameRecord, Move, Termination

MEMORY_PERIOD_S = 0.05
# The pause after a memory check is at least this many times the duration of the check, as bots play on the same cores:
# with a game on every core, pauses of 20 times the duration took from a third of the moves 5 % of their time.
MEMORY_SHARE = 100
REPORT_WAIT_S = 0.02  # a bot may write its report just after its reply
KNOWN_REPORT_WAIT_S = 0.25  # the wait for a bot that is known to write reports: it may have to wait for a core
REPORT_STEP_S = 0.01  # how often the judge looks meanwhile what the bot has computed
REPORT_CPU_S = 0.05  # a bot that has computed for so long since its reply does not lack a core to write its report
IDLE_S = 0.15  # a bot that is asleep and uses no CPU time for this long has finished starting
IDLE_CAP_S = 20.0  # for so long a free start is awaited at most, as some bots never look idle
IDLE_POLL_S = 0.02


class Interrupted(Exception):
    """The caller asked to stop; the game is discarded."""


def play_game(
    contestants: Sequence[Contestant],
    plan: GamePlan,
    observer: Observer | None = None,
    stop: threading.Event | None = None,
    events: EventSink | None = None,
) -> GameRecord:
    """Play one game between the two `contestants`, sides A and B, and return its GameRecord.

    `observer` shows the game; None shows nothing. `events` receives details that the record does not hold; None
    discards them. Once `stop` is set, the game is discarded and Interrupted is raised. All processes of the game have
    ended when this returns or raises.
    """
    observers = ObserverGroup([] if observer is None else [observer])
    return _Session(contestants, plan, observers, stop or threading.Event(), events or EventSink()).play()


def verdict_on(forfeit: Forfeit) -> Verdict:
    """Return the Verdict on a game that ended by this forfeit: the other side wins."""
    return Verdict(forfeit.termination, opponent(forfeit.side), forfeit.side, str(forfeit), forfeit.cell)


class _Session:
    """One game while it is played; the arguments are those of play_game()."""

    def __init__(
        self,
        contestants: Sequence[Contestant],
        plan: GamePlan,
        observer: Observer,
        stop: threading.Event,
        events: EventSink,
    ) -> None:
        self.game = game = GAMES[plan.game]
        self.plan, self.conditions = plan, plan.conditions
        self.observer = observer
        self.stop = stop
        self.events = events
        self.position: Position = game.new_position(plan.board)
        by_side = dict(zip("AB", contestants, strict=True))
        self.seats = [
            Seat(side, by_side[side], game.wire(by_side[side].wire, self.position)) for side in in_order(plan.first)
        ]
        self.sandboxes: Sandboxes | None = None
        self.marker = uuid.uuid4().hex
        self.moves: list[Move] = []
        self.memory_due = 0.0

    @property
    def processes(self) -> list[BotProcess]:
        return [seat.process for seat in self.seats if seat.process is not None]

    def play(self) -> GameRecord:
        """Play the game and return its record; see play_game()."""
        started = utc_now()
        self.events.begin()
        with contextlib.ExitStack() as ending:  # its callbacks run in reverse order, even if one of them fails
            ending.callback(self._close_sandboxes)
            ending.callback(lambda: end_all(self.processes))
            for seat in self.seats:
                ending.callback(seat.thaw)  # a stopped process sees neither the game's end nor SIGTERM
            self._check_stop()
            verdict = self._verdict()
            for seat in self.seats:
                if seat.process is not None:
                    seat.exit_status = seat.process.exit_status
                    seat.process.send(seat.wire.game_over())
        record = make_record(self.marker, self.plan, self.seats, self.moves, verdict, started)
        self.events.conclude(record, self.seats)
        return record

    def _close_sandboxes(self) -> None:
        if self.sandboxes is not None:
            self.sandboxes.close()

    def _verdict(self) -> Verdict:
        """Start the players, let them move until the game ends, and return the Verdict."""
        try:
            self._start_players()
            while not self.position.over:
                self._take_turn()
        except Forfeit as forfeit:
            return verdict_on(forfeit)
        except (JudgeFailure, OSError) as failure:
            return Verdict(Termination.VOID, None, None, JUDGE_FAILED.format(error=failure))
        return verdict_on_board(self.plan, self.position)

    def _start_players(self) -> None:
        """Start both players and send their opening messages; without `free_start`, ask the first mover for its move.

        Raises Forfeit for the first mover if it cannot be started, else for the other side.
        """
        self.observer.begun(self.marker)
        self.observer.started(self.plan, self.position)
        mover = self.seats[self.position.to_move]
        waiter = self.seats[1 - self.position.to_move]
        if not self.conditions.free_start:
            self.observer.thinking(mover.side)
        failures: list[Forfeit] = []
        self.sandboxes = sandboxes_for(self.conditions.sandbox, [seat.contestant for seat in self.seats])
        for seat in (waiter, mover):  # the first mover comes last, as its clock starts with its process
            try:
                seed = boards.player_seed(self.plan.seed, self.plan.pair, seat.side)
                player = self.seats.index(seat)
                seat.start(
                    self.conditions.limit_s,
                    seed,
                    self.marker,
                    not self.conditions.undrained_stderr,
                    self.sandboxes.of(player),
                    self.conditions.memory_limit_bytes,
                )
                self.events.process_started(seat)
                seat.send_opening(self.position, player)
                if seat is waiter and self.conditions.freeze and not self.conditions.free_start:
                    waiter.freeze()  # no clock runs yet
            except Forfeit as failure:
                failures.append(failure)
        if failures:
            raise failures[-1]
        if self.conditions.free_start:
            self._wait_until_idle()
            for seat in self.seats:
                seat.free_until_cpu_s = seat.bot.sample()
        else:
            mover.send_turn(self.position)

    def _wait_until_idle(self) -> None:
        """Wait until both bots have been asleep for IDLE_S, but at most IDLE_CAP_S. Raises Forfeit as during a turn."""
        now = idle_since = time.monotonic()
        deadline = now + IDLE_CAP_S
        ticks: dict[int, int] = {}  # {process id: the CPU time at the last look, in the kernel's ticks}
        while now < deadline and now - idle_since < IDLE_S:
            now = pump(self.processes, IDLE_POLL_S)
            self._check_stop()
            for seat in self.seats:
                seat.check_silent()
            self._check_memory(now)
            running = [process for process in self.processes if not process.closed]
            for process in running:
                before, ticks[process.pid] = ticks.get(process.pid), int(process.sample() / usage.TICK_S)
                if ticks[process.pid] != before or not usage.is_asleep(process.pid):
                    idle_since = now
                    process.start_up.set_ready(now)

    def _take_turn(self) -> None:
        """Ask the side to move, await its reply, and play the moves of it. Raises Forfeit for a side's fault."""
        mover = self.seats[self.position.to_move]
        waiter = self.seats[1 - self.position.to_move]
        if self.moves or self.conditions.free_start:
            pump(self.processes, 0.0)
            for seat in (waiter, mover):  # the waiter's bytes may lie behind the reply it just gave
                seat.check_silent()
            if self.conditions.freeze:
                waiter.freeze()
            self.observer.thinking(mover.side)
            mover.bot.stderr_log.begin_turn()
            clock = TurnClock(mover.bot, self.conditions.limit_s)
            overdrawn_s = max(0.0, clock.ran_before_s - mover.free_until_cpu_s) if self.conditions.freeze else 0.0
            mover.thaw()
            mover.send_turn(self.position)
            started = mover.bot.sent_at
        else:  # _start_players() sent the turn as soon as the bot ran
            overdrawn_s = 0.0
            clock = TurnClock(mover.bot, self.conditions.limit_s, is_new=True)
            started = max(mover.bot.spawned, mover.bot.sent_at - PROMPT_S)
        try:
            reply, arrived = Turn(self.conditions, mover, waiter, clock, started, overdrawn_s).await_reply(
                self.position, self._check_stop, self._check_memory
            )
        finally:
            used = clock.usage()
            mover.waits_s.append(used.waited_s)
            self.events.turn(mover.side, len(self.moves) + 1, started, time.monotonic(), used)
        over_s = arrived - started - self.conditions.limit_s
        if over_s > 0:
            mover.overtime_s[len(self.moves) + 1] = over_s
        cpu_s = max(0.0, mover.bot.sample() - clock.ran_before_s)
        first = len(self.moves)
        try:
            for move in mover.wire.play(self.position, reply):
                self._add_move(mover, move, arrived - started, cpu_s, is_first=len(self.moves) == first)
        except IllegalMove as error:
            reason = NO_REPLY.format(side=mover.side, error=error)
            raise Forfeit(mover.side, Termination.ILLEGAL_MOVE, reason, error.cell) from error

    def _add_move(self, mover: Seat, move: AnyMove, wall_s: float, cpu_s: float, is_first: bool) -> None:
        """Add a move that has just been played to the game's moves, and show it.

        `wall_s` and `cpu_s` are the seconds of the reply. The first move of a reply (`is_first`) has these times and
        the bot's report, the others have times of 0.
        """
        played = (
            Move(mover.side, move, round(wall_s, 6), round(cpu_s, 3), self._await_report(mover))
            if is_first
            else Move(mover.side, move, 0.0, 0.0)
        )
        self.moves.append(played)
        self.observer.moved(mover.side, self.position, played)

    def _check_memory(self, now: float) -> None:
        """Check the memory of both sides if a check is due. Raises Forfeit if a side holds too much."""
        if now >= self.memory_due:
            began_s = time.thread_time()
            for seat in self.seats:
                seat.check_memory()
            spent_s = time.thread_time() - began_s
            self.memory_due = now + max(MEMORY_PERIOD_S, MEMORY_SHARE * spent_s)

    def _await_report(self, seat: Seat) -> dict[str, Any] | None:
        """Return the bot's report on the move just made, None if it writes none.

        Wait a moment for the report of a bot that writes reports, and of a bot that has not moved before. With `freeze`
        the CPU time that the bot uses meanwhile does not count on its next clock, and the wait ends once that time is
        REPORT_CPU_S.
        """
        log = seat.bot.stderr_log
        report = log.report()
        is_first_move = all(move.side != seat.side for move in self.moves)
        may_report = seat.bot.drains_stderr and (log.has_reported or is_first_move)
        now = time.monotonic()
        # A first report that comes later is recognised as late. That of a frozen bot would be taken for a report on its
        # next move.
        deadline = now + (KNOWN_REPORT_WAIT_S if log.has_reported or self.conditions.freeze else REPORT_WAIT_S)
        replied_cpu_s = seat.bot.cpu_s
        while report is None and may_report and now < deadline and not seat.bot.closed:
            now = pump(self.processes, min(REPORT_STEP_S, deadline - now))
            report = log.report()
            if self.conditions.freeze and seat.bot.sample() - replied_cpu_s >= REPORT_CPU_S:
                break
        if self.conditions.freeze:
            seat.free_until_cpu_s = seat.bot.sample()
        return report

    def _check_stop(self) -> None:
        """Raise Interrupted once `stop` is set."""
        if self.stop.is_set():
            raise Interrupted
