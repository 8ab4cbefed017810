"""A recorded game as its first position and what every move changed: what a page needs to draw it without the rules."""

from typing import Any

from judge.games import GAMES
from judge.games.positions import AnyMove, IllegalMove, Position
from judge.language import _, shown
from judge.pages.languages import Texts, in_each
from judge.play.recheck import new_position
from judge.play.scoresheet import in_order
from protocol.records.record import GameRecord


class Course:
    """A game's positions as JSON, move by move. Raises ValueError where the rules do not know its game or board.

    `position` is the latest. changes and movers are as positions_of() has them, of the moves added so far.
    """

    def __init__(self, record: GameRecord) -> None:
        self.position = new_position(record)
        self._cells = GAMES[record.game].cells
        self.start = self._latest = self._cells.codes(self.position)
        self.changes: list[list[str | int]] = []
        self.movers = ""

    def add(self, move: AnyMove) -> None:
        """Make a move. Raises IllegalMove, ValueError."""
        mover = self.position.to_move
        self.position.play(move)
        codes = self._cells.codes(self.position)
        self.changes.append(_change(self._latest, codes, self._cells.last(self.position)))
        self.movers += str(mover)
        self._latest = codes

    @property
    def size(self) -> list[int]:
        """[rows, columns]."""
        return list(self._cells.size(self.position))

    def after(self, ply: int) -> dict[str, Any]:
        """The `changes` and `movers` from behind that ply on, and the `line`."""
        next_mover = "-" if self.position.over else str(self.position.to_move)
        return {
            "changes": self.changes[ply:],
            "movers": self.movers[ply:] + next_mover,
            "line": self._cells.line(self.position),
        }


def positions_of(record: GameRecord) -> tuple[dict[str, Any], Position | None]:
    """The positions of a record as JSON; where the rules do not know its game or board, `refusal` alone.

    With it the last position, None unless all moves are legal and by the side that was to move.

    `size` is [rows, columns], `start` has the first position's characters (judge/games/cells.py); of each move
    `changes` holds a list: a character, then the numbers of the cells that have it now, the move's own cell first, and
    so on with the next character. `movers` are who moved, 0 or 1, by the rules, and behind them who is to move next,
    "-" if nobody; `line` are the cells that have won. `refusal` says in each language why there are less changes than
    moves, {} where there are not.
    """
    try:
        course = Course(record)
    except ValueError as error:
        sentence = str(error)
        return {"refusal": in_each(lambda: _("cannot be shown: {error}").format(error=shown(sentence)))}, None
    refusal: Texts = {}
    for ply, move in enumerate(record.moves, start=1):
        try:
            course.add(move.move)
        except (ValueError, IllegalMove) as error:
            refusal = _refusal(ply, str(error))
            break
    content = {"size": course.size, "start": course.start, **course.after(0), "refusal": refusal}
    sides = in_order(record.first)
    movers = zip(record.moves, course.movers, strict=not refusal)
    is_sound = not refusal and all(move.side == sides[int(mover)] for move, mover in movers)
    return content, course.position if is_sound else None


def _refusal(ply: int, sentence: str) -> Texts:
    return in_each(lambda: _("ply {ply} cannot be shown: {error}").format(ply=ply, error=shown(sentence)))


def _change(before: str, after: str, moved: int) -> list[str | int]:
    """The change from one text to the next, as positions_of() has it."""
    numbers = [moved, *(n for n in range(len(after)) if after[n] != before[n] and n != moved)]
    change: list[str | int] = []
    latest = None
    for number in numbers:
        if after[number] != latest:
            latest = after[number]
            change.append(latest)
        change.append(number)
    return change
