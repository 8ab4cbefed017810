"""Who is told of a game as it goes, and that no fault of theirs is the game's."""

import sys
from collections.abc import Callable
from typing import Any

from judge.games.positions import Position
from judge.language import _
from judge.play.scoresheet import GamePlan
from judge.terminal import shortened
from protocol.records.record import Move


class Observer:
    """Is told of a game as it goes. Nothing here runs on a player's clock; all methods may be overridden."""

    def started(self, plan: GamePlan, position: Position) -> None:
        """The game is about to start."""

    def thinking(self, side: str) -> None:
        """The side's clock is about to start."""

    def moved(self, side: str, position: Position, move: Move) -> None:
        """A legal move (a record.Move) has been made."""


class Shelter:
    """Runs what shows something, until it fails for the first time: that is told in one line, and the games go on."""

    def __init__(self) -> None:
        self.has_failed = False

    def run(self, show: Callable[..., None], *arguments: Any) -> None:
        """Call it with the arguments, unless something has failed before."""
        if self.has_failed:
            return
        try:
            show(*arguments)
        except Exception as error:
            self.has_failed = True
            note = _("note: nothing more is shown, and the play goes on, as showing failed: {error}")
            reason = shortened(f"{type(error).__name__}: {error}")
            print(note.format(error=reason), file=sys.stderr, flush=True)


class Sheltered(Observer):
    """Passes all on to another observer, whose exceptions cost no game its record."""

    def __init__(self, observer: Observer) -> None:
        self._observer, self._shelter = observer, Shelter()

    def started(self, plan: GamePlan, position: Position) -> None:
        self._shelter.run(self._observer.started, plan, position)

    def thinking(self, side: str) -> None:
        self._shelter.run(self._observer.thinking, side)

    def moved(self, side: str, position: Position, move: Move) -> None:
        self._shelter.run(self._observer.moved, side, position, move)
