"""What a game shows to whoever looks into it afterwards, beside its record."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from judge.play.turn_clock import Used
from protocol.records.record import GameRecord

if TYPE_CHECKING:
    from judge.play.seat import Seat


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
