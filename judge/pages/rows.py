"""The list of games: of each what the list shows, sorts and filters by, in a few numbers."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from judge.pages.games import board_in_words, late_plies
from judge.reports import imports
from judge.review.marks import GameReview
from judge.terminal import printable
from protocol.records.record import GameRecord

COLUMNS = ("file", "number", "a", "b", "board", "first", "winner", "ending", "fault", "plies", "slowest", "late")


class Source(NamedTuple):
    """A game with where it comes from: the index of its file, and its number there, from 1. `review` is its own."""

    file: int
    number: int
    record: GameRecord
    review: GameReview | None = None


class Distinct:
    """Values as numbers: the first of them 0, and the same for the same. `values` are all so far, printable."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[Any, int] = {}

    def __contains__(self, key: Any) -> bool:
        return key in self._numbers

    def number(self, key: Any, value: Any) -> int:
        """The number of the value that this key stands for."""
        if key not in self._numbers:
            self._numbers[key] = len(self.values)
            self.values.append(value)
        return self._numbers[key]


class Rows:
    """The list, game by game; json() is as rows_json() has it."""

    def __init__(self, sources: Iterable[Source] = ()) -> None:
        self._players, self._boards = Distinct(), Distinct()
        self._rows: list[list[Any]] = []
        for source in sources:
            self.add(source)

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, source: Source) -> dict[str, Any]:
        """Add a game; its `row`, and `players` and `boards` that no game before had: the numbers of these go on."""
        known = len(self._players.values), len(self._boards.values)
        record = source.record
        names = [printable(player.name) for player in record.players]
        slowest = max((wall_s for wall_s in imports.walls_s(record) if wall_s is not None), default=None)
        row = [
            source.file,
            source.number,
            *(self._players.number(name, name) for name in names),
            self._board_of(record),
            record.first,
            record.winner,
            record.termination.value,
            record.at_fault,
            len(record.moves),
            slowest,
            len(late_plies(record)),
        ]
        self._rows.append(row)
        return {"row": row, "players": self._players.values[known[0] :], "boards": self._boards.values[known[1] :]}

    def _board_of(self, record: GameRecord) -> int:
        key = repr((record.game, record.board))
        return self._boards.number(key, None if key in self._boards else _board(record))

    def json(self) -> dict[str, Any]:
        """The whole list."""
        return {
            "columns": COLUMNS,
            "rows": self._rows,
            "players": self._players.values,
            "boards": self._boards.values,
        }


def rows_json(sources: Iterable[Source]) -> dict[str, Any]:
    """The list as JSON: `columns`, `rows` with a value for each, and what their numbers stand for.

    `a`, `b` are numbers of `players`, `board` is one of `boards`, which have the game's name, the board's size, such as
    "9 x 12", and the whole board in words; `slowest` is the longest time of a move in seconds, None where none
    is known; `late` counts plies beyond the limit.
    """
    return Rows(sources).json()


def _board(record: GameRecord) -> dict[str, Any]:
    return {"game": printable(record.game), "size": size_in_words(record.board), "words": board_in_words(record)}


def size_in_words(board: dict[str, Any]) -> str:
    """The size of a board as records have one, whatever the game, e.g. "9 x 12"; "?" where it tells none."""
    size = board.get("size")
    sides: Sequence[Any] = (board.get("rows", size), board.get("cols", board.get("columns", size)))
    return " x ".join(map(str, sides)) if all(type(side) is int and side < 100 for side in sides) else "?"
