"""What the rules of every game have in common: moves, cells, positions, and who leads where more cells win."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from judge.language import _, recorded, shown

Cell = tuple[int, int]  # row and column, from 0 at the top left
AnyMove = int | str  # a move of any game, as records hold it
AFTER_THE_END = recorded("{move} played after the end of the game", "after_the_end")  # a reason, as records keep it


class IllegalMove(Exception):
    """A move that the rules do not allow; str() says what was wrong and what would have been legal, for records too."""


class Position(Protocol):
    """What the position of every game has; players are 0 and 1. games/game.py says more."""

    @property
    def to_move(self) -> int: ...

    @property
    def over(self) -> bool: ...

    @property
    def winner(self) -> int | None: ...

    @property
    def moves(self) -> Sequence[object]: ...

    @property
    def last(self) -> object: ...

    def legal_moves(self) -> Sequence[AnyMove]: ...

    def play(self, move: AnyMove, /) -> object: ...


def play_opening(position: Position, opening: Iterable[AnyMove]) -> None:
    """Play the moves made before a game. Raises ValueError naming an illegal one, or if the game is over after them."""
    for ply, move in enumerate(opening, start=1):
        try:
            position.play(move)
        except IllegalMove as error:
            message = _("opening: ply {ply}: {error}")
            raise ValueError(message.format(ply=ply, error=shown(str(error)))) from error
    if position.over:
        raise ValueError(_("opening: the game is over after it"))


def counts_of(owner: Sequence[Sequence[int | None]]) -> tuple[int, int]:
    """How many cells players 0 and 1 own, on a board that holds row by row 0, 1 or None."""
    owners = [player for row in owner for player in row]
    return owners.count(0), owners.count(1)


def leader(counts: tuple[int, int]) -> int | None:
    """The player with more cells; None if both have as many."""
    first, second = counts
    if first == second:
        return None
    return 0 if first > second else 1
