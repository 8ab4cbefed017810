"""Positions with the end they came to, in files that only grow."""

from pathlib import Path

import numpy as np

from bot.games.connect_four.plain import Position, empty_position
from bot.games.connect_four.rules.board import COLUMN_BITS

WORDS = 3  # uint64 words of a set of cells: 12 columns of 16 bits, as rules/board.py draws them
NO_CELL = 255

# One position, for its side to move. result: of the game, -1, 0 or 1; is_exact: whether it is
# certain; value: the search's, the result where that is certain; game: a number for all positions of a game in a file.
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
        ("game", "<u4"),
    ]
)


def words_of(cells: int) -> list[int]:
    """The uint64 words of a set of cells."""
    return [cells >> 64 * word & 0xFFFFFFFFFFFFFFFF for word in range(WORDS)]


def cells_of(words: np.ndarray) -> int:
    """What words_of was given."""
    return sum(int(word) << 64 * place for place, word in enumerate(words))


def row_of(position: Position, result: int, is_exact: bool, value: float, game: int) -> tuple:
    """POSITION's fields of a position."""
    row, column = NO_CELL, NO_CELL
    if position.forbidden:
        column, row = divmod(position.forbidden.bit_length() - 1, COLUMN_BITS)
    cells = words_of(position.own), words_of(position.opponent)
    return (*cells, position.rows, position.columns, row, column, result, is_exact, value, game)


def append(path: Path, rows: list[tuple]) -> None:
    """Add rows, with POSITION's fields in its order, to the file at `path`."""
    with open(path, "ab") as file:
        file.write(np.array(rows, POSITION).tobytes())


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
