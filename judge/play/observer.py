"""Observers of a running game, whose exceptions do not affect the game, and the interface for collecting its events."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from judge.play.clock import TurnUsage
from protocol.records.record import GameRecord

if TYPE_CHECKING:
    from judge.play.seat import Seat
import sys
from collections.abc import Callable, Iterable
from typing import Any

from judge.games.positions import Position
from judge.language import _, marked
from judge.play.scoresheet import GamePlan
from judge.terminal import shortened
from protocol.records.record import Move

SHOWS_NO_MORE = marked("note: nothing more is shown, and the play goes on, as showing failed: {error}")


class EventSink:
    """Receives the events of one game with their times; this base class ignores them.

    Subclasses may override all methods; an override must not raise. Moments are seconds of time.monotonic().
    """

    def begin(self) -> None:
        """Handle the start of the game, which is now."""

    def process_started(self, seat: "Seat") -> None:
        """Handle the start of the seat's process, which has just been started.

        Without free_start, the first mover's clock runs already when this is called for its seat.
        """

    def turn(self, side: str, ply: int, started: float, ended: float, used: TurnUsage) -> None:
        """Handle the end of a side's turn, with or without a reply; `used` is the side's use of its time."""

    def conclude(self, record: GameRecord, seats: "Sequence[Seat]") -> None:
        """Handle the record of the game; all its processes have ended."""


class Observer:
    """Receives the events of a game, for display; no method runs on a player's clock, all may be overridden."""

    def begun(self, game_id: str) -> None:
        """Handle the id of a new game, which its record will have. Called first."""

    def started(self, plan: GamePlan, position: Position) -> None:
        """Handle a game that is about to start."""

    def thinking(self, side: str) -> None:
        """Handle a turn of the side, whose clock is about to start."""

    def moved(self, side: str, position: Position, move: Move) -> None:
        """Handle a legal move (a record.Move), which led to the position."""


class SafeCaller:
    """Calls functions until one raises; prints that error in one line on stderr, and ignores further calls.

    note: the text of that line, marked() for translation, with a field {error}.
    """

    def __init__(self, note: str = SHOWS_NO_MORE) -> None:
        self.has_failed = False
        self._note = note

    def run(self, show: Callable[..., None], *arguments: Any) -> None:
        """Call show(*arguments), unless a call has failed before."""
        if self.has_failed:
            return
        try:
            show(*arguments)
        except Exception as error:
            self.has_failed = True
            reason = shortened(f"{type(error).__name__}: {error}")
            print(_(self._note).format(error=reason), file=sys.stderr, flush=True)


class SafeObserver(Observer):
    """Forwards all events to an observer until that raises an exception, which does not affect the game."""

    def __init__(self, observer: Observer) -> None:
        self._observer, self._safe_caller = observer, SafeCaller()

    def begun(self, game_id: str) -> None:
        self._safe_caller.run(self._observer.begun, game_id)

    def started(self, plan: GamePlan, position: Position) -> None:
        self._safe_caller.run(self._observer.started, plan, position)

    def thinking(self, side: str) -> None:
        self._safe_caller.run(self._observer.thinking, side)

    def moved(self, side: str, position: Position, move: Move) -> None:
        self._safe_caller.run(self._observer.moved, side, position, move)


class ObserverGroup(Observer):
    """Forwards all events to several observers; one that fails does not affect the others."""

    def __init__(self, observers: Iterable[Observer]) -> None:
        self._observers = [SafeObserver(observer) for observer in observers]

    def begun(self, game_id: str) -> None:
        for observer in self._observers:
            observer.begun(game_id)

    def started(self, plan: GamePlan, position: Position) -> None:
        for observer in self._observers:
            observer.started(plan, position)

    def thinking(self, side: str) -> None:
        for observer in self._observers:
            observer.thinking(side)

    def moved(self, side: str, position: Position, move: Move) -> None:
        for observer in self._observers:
            observer.moved(side, position, move)
