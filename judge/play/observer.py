"""Who is told of a game as it goes, so that no fault of theirs is the game's, and what evidence of it is kept."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from judge.play.clock import Used
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


class Evidence:
    """Is shown one game as it goes, and keeps nothing of it. All methods may be overridden, and none may raise.

    Moments are seconds of time.monotonic().
    """

    def begin(self) -> None:
        """The game begins now."""

    def seated(self, seat: "Seat") -> None:
        """The seat's process has just been started; the first mover's clock runs already."""

    def turn(self, side: str, ply: int, started: float, ended: float, used: Used) -> None:
        """The side's turn has ended, with a reply or without one, and has used so much of it."""

    def conclude(self, record: GameRecord, seats: "Sequence[Seat]") -> None:
        """The game has been judged, and every process of it has ended."""


class Observer:
    """Is told of a game as it goes. Nothing here runs on a player's clock; all methods may be overridden."""

    def begun(self, game_id: str) -> None:
        """A game has begun whose record, if it comes to one, will have this id. Comes before all others."""

    def started(self, plan: GamePlan, position: Position) -> None:
        """The game is about to start."""

    def thinking(self, side: str) -> None:
        """The side's clock is about to start."""

    def moved(self, side: str, position: Position, move: Move) -> None:
        """A legal move (a record.Move) has been made."""


class Shelter:
    """Runs what shows something, until it fails for the first time: that is told in one line, and the games go on.

    note: that line, marked(), with a field for the error.
    """

    def __init__(self, note: str = SHOWS_NO_MORE) -> None:
        self.has_failed = False
        self._note = note

    def run(self, show: Callable[..., None], *arguments: Any) -> None:
        """Call it with the arguments, unless something has failed before."""
        if self.has_failed:
            return
        try:
            show(*arguments)
        except Exception as error:
            self.has_failed = True
            reason = shortened(f"{type(error).__name__}: {error}")
            print(_(self._note).format(error=reason), file=sys.stderr, flush=True)


class Sheltered(Observer):
    """Passes all on to another observer, whose exceptions cost no game its record."""

    def __init__(self, observer: Observer) -> None:
        self._observer, self._shelter = observer, Shelter()

    def begun(self, game_id: str) -> None:
        self._shelter.run(self._observer.begun, game_id)

    def started(self, plan: GamePlan, position: Position) -> None:
        self._shelter.run(self._observer.started, plan, position)

    def thinking(self, side: str) -> None:
        self._shelter.run(self._observer.thinking, side)

    def moved(self, side: str, position: Position, move: Move) -> None:
        self._shelter.run(self._observer.moved, side, position, move)


class Several(Observer):
    """Passes all on to several observers, each of which may fail without the others."""

    def __init__(self, observers: Iterable[Observer]) -> None:
        self._observers = [Sheltered(observer) for observer in observers]

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
