"""Two interfaces for what happens in a game: an Observer shows the game, an EventSink collects events with their times.

An exception of an Observer does not affect the game.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from judge.games.positions import Position
from judge.language import _, marked
from judge.play.clock import TurnUsage
from judge.play.scoresheet import GamePlan
from judge.play.seat import Seat
from judge.terminal import shortened
from protocol.records.record import GameRecord, Move


class EventSink:
    """Receives the events of one game with their times; this base class ignores them.

    Subclasses may override all methods; an override must not raise. Moments are seconds of time.monotonic().
    """

    def begin(self) -> None:
        """Handle the start of the game, which is now."""

    def process_started(self, seat: Seat) -> None:
        """Handle the start of a process; called as soon as the process of `seat` has been started.

        Without `free_start` the clock of the first mover already runs when this is called for its seat.
        """

    def turn(self, side: str, ply: int, started: float, ended: float, used: TurnUsage) -> None:
        """Handle the end of a side's turn, with or without a reply; `used` is the TurnUsage of the side.

        `started` and `ended` are moments, and `ply` counts from 1.
        """

    def conclude(self, record: GameRecord, seats: Sequence[Seat]) -> None:
        """Handle the record of the game. All processes of the game have ended."""


class Observer:
    """Receives the events of a game, for display. Subclasses may override all methods.

    No method is called while a player's clock runs.
    """

    def begun(self, game_id: str) -> None:
        """Handle the start of a new game; `game_id` is the id of its record.

        This is called before all other methods.
        """

    def started(self, plan: GamePlan, position: Position) -> None:
        """Handle a game of this plan that is about to start at `position`."""

    def thinking(self, side: str) -> None:
        """Handle the start of a turn of the side; its clock starts after this call."""

    def moved(self, side: str, position: Position, move: Move) -> None:
        """Handle a legal move; `position` is the position after it."""


class SafeCaller:
    """Calls functions until one of them raises an exception.

    Then prints the error in one line on stderr, and ignores further calls. `note` is the text of that line, marked()
    for translation, with a field {error}.
    """

    def __init__(
        self, note: str = marked("note: showing the game failed, so no more of it is shown; the game goes on: {error}")
    ) -> None:
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


class ObserverGroup(Observer):
    """Forwards all events to several observers, to each until it raises an exception.

    The exception affects neither the game nor the other observers.
    """

    def __init__(self, observers: Iterable[Observer]) -> None:
        self._observers = [(observer, SafeCaller()) for observer in observers]

    def begun(self, game_id: str) -> None:
        for observer, caller in self._observers:
            caller.run(observer.begun, game_id)

    def started(self, plan: GamePlan, position: Position) -> None:
        for observer, caller in self._observers:
            caller.run(observer.started, plan, position)

    def thinking(self, side: str) -> None:
        for observer, caller in self._observers:
            caller.run(observer.thinking, side)

    def moved(self, side: str, position: Position, move: Move) -> None:
        for observer, caller in self._observers:
            caller.run(observer.moved, side, position, move)
