"""One table: a live game of a human against a player. Only the table's own thread changes the game.

Pages put messages into the table's inbox. After each change the whole state is published. The player's process runs
while the game goes on and a page shows it. If all pages have gone, the process is ended; when a page comes back, it is
started anew in the current position.
"""

import dataclasses
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from judge.games.positions import IllegalMove
from judge.language import _, marked, shown
from judge.play.human_game import HUMAN, PLAYER, HumanGame, Opponent, resigned
from judge.play.referee import Interrupted, verdict_on
from judge.play.scoresheet import Conditions, GamePlan, Verdict
from judge.play.seat import Forfeit
from judge.players.players import Contestant, PlayerError
from judge.processes.start import JudgeFailure
from judge.runs import record_file
from judge.runs.schedule import AGAIN
from judge.terminal import printable, printable_lines
from judge.web.answers import CONFLICT, NOT_ALLOWED, Refused, encoded, made, refusal
from judge.web.hints import AnalysisSlots, TableHints
from judge.web.inputs import Command, NewTable
from judge.web.opponents import Opponents
from judge.web.priority import Starter
from judge.web.table_state import SECONDS_DIGITS, Event, Message, Request, State, ThreadResult
from judge.web.texts import Texts, in_each, recorded_in_each
from protocol.records.record import GameRecord, Player

RECORD = "serve.jsonl"  # the record file, in the records folder
T = TypeVar("T")
LONGEST_REASON = 8000  # characters of an error; in a compiler's output the first characters say most
MOST_WAITING = 50  # messages in an inbox; while it has so many, further messages of pages are refused
LOOK_PERIOD_S = 1.0  # the interval at which a player that is not to move is checked
NOT_YOUR_TURN = marked("it is not your turn")
CANNOT_GO_ON = marked("the game cannot go on: {reason}")
FAILURES = (Forfeit, JudgeFailure, OSError)


@dataclasses.dataclass(frozen=True)
class TableService:
    """Everything that the tables of a server share.

    `records` is the path of the records folder. Each table has its own limit in place of that in `conditions`.
    `starter` starts the threads of the tables, report(line) reports a failure, and clock() returns a time in seconds.
    """

    records: Path
    opponents: Opponents
    conditions: Conditions
    starter: Starter
    report: Callable[[str], None]
    slots: AnalysisSlots = dataclasses.field(default_factory=AnalysisSlots)
    clock: Callable[[], float] = time.monotonic
    _one_at_a_time: threading.Lock = dataclasses.field(default_factory=threading.Lock)

    def contestant(self, wanted: NewTable) -> Contestant:
        """Return the player that a page asks for, ready to be started. Its program is compiled if necessary.

        Raises PlayerError if there is no such player or it cannot be compiled.
        """
        with self._one_at_a_time:
            self.conditions.sandbox.copies.forget()
            player = self.opponents.contestant(wanted.player, wanted.game, wanted.limit_s, self.conditions.sandbox)
        return dataclasses.replace(player, name=printable(player.name))

    def plan(self, wanted: NewTable, seed: int) -> GamePlan:
        """Return the plan of the game that a page asks for."""
        return GamePlan(
            board=wanted.board,
            seed=seed,
            conditions=dataclasses.replace(self.conditions, limit_s=wanted.limit_s),
            first=HUMAN if wanted.is_human_first else PLAYER,
            game=wanted.game,
        )

    def append_record(self, record: GameRecord) -> tuple[dict[str, Any] | None, Texts | None]:
        """Append a game to the record file.

        Returns (path of the file and number of the game as JSON, None). If that fails, returns (None, the error).
        """
        path = self.records / RECORD
        trouble = record_file.append(path, record)
        if trouble:
            return None, in_each(trouble)
        number = record_file.numbers_in_file(path).get(record.extra["id"])
        return {"path": RECORD, "number": number}, None


class Inbox(Generic[T]):
    """A queue of a table's messages. Any thread may put items in, and only the table's thread takes them out.

    The inbox sets the event `stop` to interrupt the player's turn.
    """

    def __init__(self) -> None:
        self.stop = threading.Event()
        self._guard = threading.Condition()
        self._waiting: deque[T] = deque()
        self._is_asking = False
        self._is_closed = False

    @property
    def is_asking(self) -> bool:
        """Whether the player is being asked."""
        return self._is_asking

    @property
    def is_closed(self) -> bool:
        """Whether close() was called."""
        return self._is_closed

    def put(self, item: T, is_urgent: bool = False) -> None:
        """Append an item. If `is_urgent` is True, the player's turn is interrupted."""
        with self._guard:
            self._waiting.append(item)
            if is_urgent and self._is_asking:
                self.stop.set()
            self._guard.notify()

    @property
    def is_full(self) -> bool:
        """Whether at least MOST_WAITING items wait."""
        return len(self._waiting) >= MOST_WAITING

    def take(self, timeout_s: float | None) -> T | None:
        """Wait until the inbox has an item, and return the oldest item.

        Returns None if there is no item within `timeout_s` seconds, or if the inbox is closed. If `timeout_s` is None,
        the time is not limited.
        """
        with self._guard:
            self._guard.wait_for(lambda: self._waiting or self._is_closed, timeout_s)
            return None if self._is_closed or not self._waiting else self._waiting.popleft()

    def begin_asking(self) -> bool:
        """Note that the player's turn begins, and return True.

        Returns False, and does nothing, if items wait or the inbox is closed.
        """
        with self._guard:
            if self._waiting or self._is_closed:
                return False
            self._is_asking = True
            return True

    def end_asking(self) -> None:
        """Note that the player's turn has ended, and clear `stop` unless the inbox is closed."""
        with self._guard:
            self._is_asking = False
            if not self._is_closed:
                self.stop.clear()

    def close(self) -> None:
        """Make take() return None from now on, and interrupt the player's turn."""
        with self._guard:
            self._is_closed = True
            self.stop.set()
            self._guard.notify()


class Stopwatch:
    """A stopwatch that measures seconds by clock(). It is stopped at first."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._before_s = 0.0
        self._since: float | None = None

    @property
    def seconds(self) -> float:
        """The time measured so far."""
        return self._before_s + (0.0 if self._since is None else self._clock() - self._since)

    def run(self) -> None:
        """Start the stopwatch or let it go on. Does nothing if the stopwatch runs."""
        if self._since is None:
            self._since = self._clock()

    def rest(self) -> None:
        """Stop the stopwatch. It keeps the time measured so far."""
        self._before_s, self._since = self.seconds, None

    def reset(self) -> None:
        """Set the time to 0. A running stopwatch keeps running."""
        self._before_s, self._since = 0.0, None if self._since is None else self._clock()


class Table:
    """A live game with the id `table_id`, with the settings `wanted`.

    The table's thread calls publish() after each change of the state that pages show. `version` counts these changes.
    """

    def __init__(
        self, table_id: str, wanted: NewTable, seed: int, service: TableService, publish: Callable[[], None]
    ) -> None:
        self.id, self.wanted = table_id, wanted
        self._service, self._publish = service, publish
        self._inbox = Inbox[Message]()
        self._game = HumanGame(service.plan(wanted, seed), wanted.moves)
        self._state = State(table_id, Player(wanted.player, wanted.player), wanted.limit_s)
        self._watch = Stopwatch(service.clock)
        self._contestant: Contestant | None = None
        self._opponent: Opponent | None = None
        self._hints = TableHints(service.slots, self._inbox.put)
        self._is_deserted = False
        self._spoilt = 0  # how many times in a row a failure of the judge or the machine has prevented a reply
        self.version = 0
        self._content: dict[str, Any] = {}
        self._show()
        self._thread = threading.Thread(target=self._run, name="table", daemon=True)

    def start(self) -> None:
        """Make the service's Starter start the table's thread."""
        self._service.starter.start(self._thread)

    def close(self) -> None:
        """Ask the table's thread to end, together with all threads and processes that run for the table."""
        self._inbox.close()

    def join(self, timeout_s: float) -> None:
        """Wait at most `timeout_s` seconds until the table's thread has ended.

        Precondition: start() and close() were called.
        """
        self._thread.join(timeout_s)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended or cannot go on."""
        return self._state.is_settled

    @property
    def plies(self) -> int:
        """The number of moves made."""
        return len(self._game.moves)

    def as_text(self) -> str:
        """Return the state as JSON text, with the current time of this turn. Thread-safe."""
        content = self._content
        clock = {**content["clock"], "turn_s": round(self._watch.seconds, SECONDS_DIGITS)}
        return encoded({**content, "clock": clock})

    def request(self, request: Request) -> None:
        """Queue a page's command.

        The command is refused at once if too many messages wait, or if the player is being asked and the command is
        a move, an undo or a hint.
        """
        kind = request.command.type
        if self._inbox.is_asking and kind in ("move", "undo", "hint"):
            request.refuse(refusal(NOT_ALLOWED, NOT_YOUR_TURN).texts)
        elif self._inbox.is_full:
            request.refuse(refusal(CONFLICT, marked("too many messages at a time")).texts)
        else:
            self._inbox.put(request, is_urgent=kind == "resign")

    def put_event(self, event: Event) -> None:
        """Queue an event. DESERTED interrupts the player's turn."""
        self._inbox.put(event, is_urgent=event is Event.DESERTED)

    def _run(self) -> None:
        try:
            while not self._inbox.is_closed:
                item = self._inbox.take(self._patience_s())
                if item is not None:
                    self._take(item)
                elif not self._inbox.is_closed:
                    self._go_on()
        except Exception as error:
            self._service.report(f"{type(error).__name__}: {error}")
            self._stop_with(CANNOT_GO_ON, error)
        finally:
            self._end_all()
            self._hints.close()

    def _patience_s(self) -> float | None:
        """Return the time in seconds to wait for a message before _go_on(), or None for no limit."""
        if self._state.is_settled or self._is_deserted:
            return None
        return LOOK_PERIOD_S if self._is_ready and self._game.side_to_move == HUMAN else 0.0

    @property
    def _is_ready(self) -> bool:
        return self._opponent is not None and self._opponent.is_running

    def _go_on(self) -> None:
        if self._state.is_settled or self._is_deserted:
            return
        if not self._is_ready:
            self._prepare()
        elif self._game.side_to_move == PLAYER:
            self._ask_player()
        else:
            self._check_player()

    def _take(self, item: Message) -> None:
        if isinstance(item, Request):
            try:
                self._obey(item.command)
            except Refused as refused:
                item.refuse(refused.texts)
        elif isinstance(item, ThreadResult):
            if self._hints.take(item, self._state):
                self._show()
        elif item is Event.DESERTED:
            self._is_deserted = True
            self._end_all()
        elif item is Event.NOBODY_LOOKS:
            self._watch.rest()
        else:
            self._is_deserted = False
            self._run_watch()

    def _obey(self, command: Command) -> None:
        """Carry out a page's command. Raises Refused if the command is not possible now."""
        if self._state.is_settled:
            raise refusal(NOT_ALLOWED, marked("the game is over"))
        if command.type == "evaluate":
            self._hints.switch(command.on, self._game, self._state)
            self._show()
            return
        if self._opponent is None or (command.type != "resign" and not self._is_ready):
            raise refusal(NOT_ALLOWED, marked("the player is not ready yet"))
        if command.type == "resign":
            self._finish(resigned(HUMAN))
            return
        if self._game.side_to_move != HUMAN:
            raise refusal(NOT_ALLOWED, NOT_YOUR_TURN)
        if command.type == "move":
            self._move(command.move)
        elif command.type == "undo":
            if not self._game.undo():
                raise refusal(NOT_ALLOWED, marked("there is no move of yours to take back"))
            self._position_changed()
        elif self._contestant is not None:
            self._hints.hint(self._contestant, self._game, self._state)
            self._show()

    def _move(self, text: str) -> None:
        move = made(lambda: self._game.game.read_move(text), ValueError, IllegalMove)
        try:
            self._game.play(move, self._watch.seconds)
        except IllegalMove as error:
            raise Refused(NOT_ALLOWED, recorded_in_each(str(error))) from None
        self._position_changed()

    def _prepare(self) -> None:
        """Compile and start the player. If that fails, end the game and show the reason."""
        self._state.is_preparing = True
        self._show()
        try:
            if self._contestant is None:
                self._contestant = self._service.contestant(self.wanted)
                ready = self._contestant
                self._state.player = Player(ready.name, ready.command, ready.version)
            self._opponent = Opponent(self._contestant, self._inbox.stop)
            self._opponent.start(self._game)
        except (PlayerError, *FAILURES) as error:
            self._stop_with(marked("the player cannot be started: {reason}"), error)
            return
        self._state.is_preparing = False
        self._go_on_with_turn()

    def _ask_player(self) -> None:
        if self._opponent is None or not self._inbox.begin_asking():
            return
        try:
            moves = self._opponent.ask(self._game)
        except Interrupted:  # if the game goes on, a new process of the player is asked
            self._end_all()
            return
        except Forfeit as forfeit:
            self._finish(verdict_on(forfeit))
            return
        except FAILURES as failure:
            self._spoilt += 1
            if isinstance(failure, JudgeFailure) and self._spoilt <= AGAIN:  # if the machine failed, ask a new process
                self._end_all()
            else:
                self._stop_with(CANNOT_GO_ON, failure)
            return
        finally:
            self._inbox.end_asking()
        self._spoilt = 0
        self._game.add(moves)
        self._position_changed()

    def _check_player(self) -> None:
        """Check the player while it is not to move. If it breaks a rule, it forfeits and the game ends."""
        try:
            if self._opponent is not None:
                self._opponent.check()
        except Interrupted:
            pass
        except Forfeit as forfeit:
            self._finish(verdict_on(forfeit))

    def _position_changed(self) -> None:
        self._hints.drop(self._state)
        if self._game.position.over:
            self._finish(self._game.verdict())
        else:
            self._watch.reset()
            self._go_on_with_turn()

    def _go_on_with_turn(self) -> None:
        self._run_watch()
        if self._game.side_to_move == HUMAN:
            self._hints.evaluate(self._game, self._state)
        self._show()

    def _run_watch(self) -> None:
        if not self._state.is_settled and not self._state.is_preparing:
            self._watch.run()

    def _finish(self, verdict: Verdict) -> None:
        """End the game with `verdict`. This ends all processes of the table and records the game."""
        assert self._opponent is not None
        seat = self._opponent.driver.seat
        ended = seat.process.exit_status if seat.process is not None and self._opponent.is_running else None
        self._end_all()
        record = self._game.recorded(verdict, seat, ended)
        self._state.over, self._state.trouble = self._service.append_record(record)
        self._state.record = record
        self._show()

    def _stop_with(self, message: str, error: Exception) -> None:
        """End the game without a record and show the reason.

        `message` is a text of marked(). Its placeholder `reason` is replaced by the text of `error`.
        """
        self._end_all()
        self._state.trouble = in_each(lambda: _(message).format(reason=_reason_of(error)))
        self._show()

    def _end_all(self) -> None:
        """End the player's process and all hints and evaluations, and stop the watch."""
        self._watch.rest()
        self._hints.end(self._state)
        if self._opponent is not None:
            self._opponent.end()

    def _show(self) -> None:
        self._state.is_evaluating = self._hints.is_on
        self._content = self._state.as_json(self._game)
        self.version += 1
        self._publish()


def _reason_of(error: Exception) -> str:
    """Return a text about `error` for pages. About an internal error the text only says the error's type."""
    if isinstance(error, PlayerError):  # the text may have many lines from a compiler
        told = printable_lines(str(error))
        return told if len(told) <= LONGEST_REASON else f"{told[:LONGEST_REASON]} .."
    return printable(shown(str(error))) if isinstance(error, FAILURES) else type(error).__name__
