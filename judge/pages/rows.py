"""The list of games: of each what the list shows, sorts and filters by, in a few numbers."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from judge.pages.games import board_in_words, late_plies
from judge.terminal import printable
from protocol.records.record import GameRecord

COLUMNS = ("file", "number", "a", "b", "board", "first", "winner", "ending", "fault", "plies", "slowest", "ply", "late")


class Source(NamedTuple):
    """A game with where it comes from: the index of its file, and its number there, from 1."""

    file: int
    number: int
    record: GameRecord


class Distinct:
    """Values as numbers: the first of them 0, and the same for the same. `values` are all so far, printable."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[Any, int] = {}

    def number(self, key: Any, value: Any) -> int:
        """The number of the value that this key stands for."""
        if key not in self._numbers:
            self._numbers[key] = len(self.values)
            self.values.append(value)
        return self._numbers[key]


def rows_json(sources: Iterable[Source]) -> dict[str, Any]:
    """The list as JSON: `columns`, `rows` with a value for each, and what their numbers stand for.

    `a`, `b` are numbers of `players`, `board` is one of `boards`, which have the game's name, the board's size, such as
    "9 x 12", and the whole board in words; `slowest` is the longest time of a move in seconds and `ply` which it was,
    from 1, both None in a game without moves; `late` counts plies beyond the limit.
    """
    players, boards = Distinct(), Distinct()
    rows = []
    for source in sources:
        record = source.record
        names = [printable(player.name) for player in record.players]
        slowest, ply = max(((move.wall_s, -number) for number, move in enumerate(record.moves)), default=(None, None))
        rows.append(
            [
                source.file,
                source.number,
                *(players.number(name, name) for name in names),
                boards.number(repr((record.game, record.board)), _board(record)),
                record.first,
                record.winner,
                record.termination.value,
                record.at_fault,
                len(record.moves),
                slowest,
                None if ply is None else 1 - ply,
                len(late_plies(record)),
            ]
        )
    return {"columns": COLUMNS, "rows": rows, "players": players.values, "boards": boards.values}


def _board(record: GameRecord) -> dict[str, Any]:
    return {"game": record.game, "size": size_in_words(record.board), "words": board_in_words(record)}


def size_in_words(board: dict[str, Any]) -> str:
    """The size of a board as records have one, whatever the game, e.g. "9 x 12"; "?" where it tells none."""
    size = board.get("size")
    sides: Sequence[Any] = (board.get("rows", size), board.get("cols", board.get("columns", size)))
    return " x ".join(map(str, sides)) if all(type(side) is int and side < 100 for side in sides) else "?"
