"""Positions with the end they came to, in files that only grow."""

import zlib
from pathlib import Path

import numpy as np

from bot.games.connect_four.board import COLUMN_BITS, MAX_COLUMNS
from bot.games.connect_four.plain import Position, empty_position

SUFFIX = ".games2"  # of the files; those of before 28 November 2026, without values of the moves, were .games
WORDS = 3  # uint64 words of a set of cells: 12 columns of 16 bits, as board.py draws them
NO_CELL = 255

# One position, for its side to move. result: of the game, -1, 0 or 1; is_exact: whether it is certain; value: the
# search's, the result where that is certain; visits: of the columns, by the search that played, in parts of
# VISITS, all 0 where it was not asked; move_values: of the columns, by the same search, NaN where it knows none; game:
# a number for all positions of a game in a file.
POSITION = np.dtype(
    [
        ("own", "<u8", (WORDS,)),
        ("opponent", "<u8", (WORDS,)),
        ("rows", "u1"),
        ("columns", "u1"),
        ("forbidden_row", "u1"),
        ("forbidden_column", "u1"),
        ("result", "i1"),
        ("is_exact", "u1"),
        ("value", "<f4"),
        ("visits", "<u2", (MAX_COLUMNS,)),
        ("move_values", "<f4", (MAX_COLUMNS,)),
        ("game", "<u4"),
    ]
)
BOARD_BYTES = POSITION.fields["result"][1]  # of the fields that say what lies on which board
VISITS = 10_000
NO_MOVES = (0,) * MAX_COLUMNS, (np.nan,) * MAX_COLUMNS  # the fields `visits` and `move_values` where nothing searched


def words_of(cells: int) -> list[int]:
    """The uint64 words of a set of cells."""
    return [cells >> 64 * word & 0xFFFFFFFFFFFFFFFF for word in range(WORDS)]


def cells_of(words: np.ndarray) -> int:
    """What words_of was given."""
    return sum(int(word) << 64 * place for place, word in enumerate(words))


def shares_of(visits: dict[int, int]) -> tuple:
    """The field `visits` of {column: visits}."""
    total = max(1, sum(visits.values()))
    return tuple(visits.get(column, 0) * VISITS // total for column in range(MAX_COLUMNS))


def row_of(position: Position, result: int, is_exact: bool, value: float, game: int, moves: tuple = NO_MOVES) -> tuple:
    """POSITION's fields of a position. moves: its fields `visits` and `move_values`."""
    row, column = NO_CELL, NO_CELL
    if position.forbidden:
        column, row = divmod(position.forbidden.bit_length() - 1, COLUMN_BITS)
    cells = words_of(position.own), words_of(position.opponent)
    return (*cells, position.rows, position.columns, row, column, result, is_exact, value, *moves, game)


def append(path: Path, rows: list[tuple] | np.ndarray) -> None:
    """Add rows, POSITION[n] or tuples of its fields in its order, to the file at `path`.

    What a killed writer left of a record goes first.
    """
    with open(path, "ab") as file:
        file.truncate(file.tell() // POSITION.itemsize * POSITION.itemsize)
        file.write(np.array(rows, POSITION).tobytes())


def next_game(path: Path) -> int:
    """The number of the next game in the file at `path`."""
    rows = read([path]) if path.exists() else ()
    return int(rows["game"][-1]) + 1 if len(rows) else 0


def read(paths: list[Path]) -> np.ndarray:
    """All positions of the files, POSITION[n], games numbered on; a record that a writer was killed in is left out."""
    found, games = [], 0
    for path in paths:
        data = path.read_bytes()
        rows = np.frombuffer(data[: len(data) // POSITION.itemsize * POSITION.itemsize], POSITION).copy()
        rows["game"] += games
        games = int(rows["game"][-1]) + 1 if len(rows) else games
        found.append(rows)
    return np.concatenate(found) if found else np.empty(0, POSITION)


def lots_of(rows: np.ndarray) -> np.ndarray:
    """A lot for each of POSITION[n], uint32[n]: one for all positions of a game, drawn from the board of its first row.

    So a game has the same lot in every file and under every number. That of its mirror image is another.
    """
    _, first, of_game = np.unique(rows["game"], return_index=True, return_inverse=True)
    return np.array([zlib.crc32(row.tobytes()[:BOARD_BYTES]) for row in rows[first]], np.uint32)[of_game]


def board_of(row: np.void) -> Position:
    """The Position of one POSITION."""
    forbidden = None if row["forbidden_row"] == NO_CELL else (int(row["forbidden_row"]), int(row["forbidden_column"]))
    start = empty_position(int(row["rows"]), int(row["columns"]), forbidden)
    own, opponent = cells_of(row["own"]), cells_of(row["opponent"])
    floor = start.floor
    for _ in range(start.rows):
        filled = floor & (own | opponent)
        floor = (floor ^ filled) | start.cell_above(filled)
    return Position(start.rows, start.columns, start.board, start.forbidden, own, opponent, floor)
