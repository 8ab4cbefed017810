"""What a file tells of its games, before the rules are asked: the same for every format."""

from dataclasses import dataclass, field
from typing import Any

from judge.games.positions import AnyMove
from protocol.records.record import GameRecord, Player, Termination

DRAW = "draw"


def named(name: str) -> Player:
    """A player of whom a file tells the name alone. A record's command is one that starts a program: this is none."""
    return Player(name, f"imported:{name}")


@dataclass(frozen=True)
class Problem:
    """What is wrong with a file, and where. Both are texts of recorded() templates or data; "" is the whole file.

    A note is no fault: the file is as it may be, and the reader should know.
    """

    place: str
    text: str
    is_note: bool = False


@dataclass(frozen=True)
class Claim:
    """What a file says of a game's end; None and "" where it says nothing.

    result: "A", "B" or DRAW. termination: how it ended, as far as the file tells. at_fault: "A" or "B" where that is a
    forfeit. words: the file's own.
    """

    result: str | None = None
    termination: Termination | None = None
    at_fault: str | None = None
    words: str = ""


@dataclass(frozen=True)
class LoggedGame:
    """One game of a file, not judged yet.

    board and moves: as records have them, unchecked. sides: who made each move by the file, () where it does not say.
    move_places: where each of them stands, () for the game's own place. players: None where the file names none.
    times_s: seconds of each move, None where unknown; () where none is told. `started` is None where the file has no
    time. With `is_one_order` the file tells the last position and not the moves, which are one way to get there.
    """

    place: str
    game: str
    board: dict[str, Any]
    moves: tuple[AnyMove, ...]
    claim: Claim = Claim()
    first: str = "A"
    sides: tuple[str, ...] = ()
    move_places: tuple[str, ...] = ()
    players: tuple[Player | None, Player | None] = (None, None)
    times_s: tuple[float | None, ...] = ()
    started: str | None = None
    judge_version: str | None = None
    is_one_order: bool = False
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass
class Reading:
    """What was found in a file: games in its order, those of our own records as they are, and what is wrong with it."""

    games: list[LoggedGame | GameRecord] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def complain(self, place: str, text: str) -> None:
        """Add a Problem."""
        self.problems.append(Problem(place, text))

    def note(self, place: str, text: str) -> None:
        """Add a Problem that is none."""
        self.problems.append(Problem(place, text, is_note=True))
