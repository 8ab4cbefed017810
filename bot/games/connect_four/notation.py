"""Positions as text: a list of columns, or a drawn board. Rows count from the top here. Standard library only."""

import argparse

from .adapter import ImpossiblePosition, Opening, Turn, position_of
from .board import MAX_COLUMNS, MAX_ROWS, MIN_SIZE, cell
from .plain import empty_position

# The characters that a drawing may use for each kind of cell. The judge's drawings use the first character of each.
FIRST_MOVER, SECOND_MOVER, EMPTY, FORBIDDEN = "XA", "OB", ".", "#"
# Widths in the board that `drawn` makes, in characters: of the margin before the cells, and of each cell.
_MARGIN, _STEP = 7, 6


class NotationError(ValueError):
    """A position cannot be read, or its game is over. The message says what is wrong and what was expected."""


def add_position_options(parser):
    """Add the options that name a position to an argparse parser."""
    parser.add_argument("--rows", type=_size(MAX_ROWS), metavar="R", help=f"{MIN_SIZE}..{MAX_ROWS}")
    parser.add_argument("--cols", type=_size(MAX_COLUMNS), metavar="C", help=f"{MIN_SIZE}..{MAX_COLUMNS}")
    parser.add_argument("--forbidden", metavar="r,c", help="the forbidden cell, row 0 on top (default: none)")
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--moves", metavar="4,4,3", nargs="?", const="", default="", help="columns played so far (default: none)"
    )
    how.add_argument(
        "--board",
        action="store_true",
        help=f"read a drawn board from stdin: one line a row, '{FIRST_MOVER[0]}' first mover, "
        f"'{SECOND_MOVER[0]}' second, '.' empty, '#' forbidden; size and forbidden cell come from the drawing",
    )


def _size(largest):
    def size(text):
        if not text.isdigit() or not MIN_SIZE <= int(text) <= largest:
            raise argparse.ArgumentTypeError(f"expected {MIN_SIZE} to {largest}, got {text!r}")
        return int(text)

    return size


def position_from(arguments, read_drawing):
    """Returns the Position that the parsed options name. Raises NotationError.

    read_drawing() returns the text of stdin, where a drawing is read from.
    """
    if arguments.board:
        if (arguments.rows, arguments.cols, arguments.forbidden) != (None, None, None):
            raise NotationError(
                "--board: the drawing says size and forbidden cell; leave --rows, --cols, --forbidden out"
            )
        return position_from_drawing(read_drawing())
    if arguments.rows is None or arguments.cols is None:
        raise NotationError("expected --rows and --cols, or --board")
    forbidden = _forbidden_from(arguments.forbidden, arguments.rows, arguments.cols)
    return position_from_moves(arguments.rows, arguments.cols, forbidden, arguments.moves)


def _forbidden_from(text, rows, columns):
    """Parse `text`, the value of the option for the forbidden cell. Raises NotationError.

    Returns (row from the top, column), or None if `text` is None.
    """
    if text is None:
        return None
    parts = text.split(",")
    if len(parts) != 2 or not all(part.strip().isdigit() for part in parts):
        raise NotationError(f"--forbidden: expected r,c such as 0,3, got {text!r}")
    row, column = int(parts[0]), int(parts[1])
    if row >= rows or column >= columns:
        raise NotationError(f"--forbidden: {row},{column} is not on a board of {rows} rows and {columns} columns")
    return row, column


def position_from_moves(rows, columns, forbidden, text):
    """Returns the Position after the columns in `text` ("4,4,3") are played. Raises NotationError.

    `forbidden` is (row from the top, column) or None.
    """
    forbidden_cell = None if forbidden is None else (rows - 1 - forbidden[0], forbidden[1])
    position = empty_position(rows, columns, forbidden_cell)
    for number, part in enumerate(text.replace(",", " ").split(), 1):
        if not part.isdigit() or int(part) not in position.legal_moves():
            legal = ", ".join(map(str, position.legal_moves()))
            raise NotationError(f"--moves: move {number} is {part!r}; expected one of the columns {legal}")
        position = position.play(int(part))
        if position.opponent_has_won():
            raise NotationError(f"--moves: the game is over after move {number} ({part} completes four)")
    if not position.floor:
        raise NotationError("--moves: the game is over, the board is full")
    return position


def mover_of(arguments, position):
    """Returns the side to move in `position`, which options name: 0 for the first mover, 1 for the second."""
    return position.plies() % 2


def from_record(board, moves, ply):
    """Returns (Position, side to move, the next column played) after the first `ply` moves of a record.

    The column is None if no move follows. `board` and `moves` are unchecked values from the record. Raises
    NotationError.
    """
    rows, columns, forbidden = (board.get(name) for name in ("rows", "cols", "forbidden"))
    for name, side, largest in (("rows", rows, MAX_ROWS), ("cols", columns, MAX_COLUMNS)):
        if type(side) is not int or not MIN_SIZE <= side <= largest:
            raise NotationError(f"the record's {name} is {side!r}, expected {MIN_SIZE} to {largest}")
    if forbidden is not None:
        is_pair = isinstance(forbidden, list) and [type(part) for part in forbidden] == [int, int]
        if not is_pair or not (0 <= forbidden[0] < rows and 0 <= forbidden[1] < columns):
            raise NotationError(f"the record's forbidden cell is {forbidden!r}, expected a cell of its board or null")
        forbidden = rows - 1 - forbidden[0], forbidden[1]
    position = empty_position(rows, columns, forbidden)
    for number, column in enumerate(moves[:ply], 1):
        if type(column) is not int or not position.allows(column) or position.opponent_has_won():
            raise NotationError(f"ply {number} of the record is {column!r}, which is no legal move there")
        position = position.play(column)
    if position.opponent_has_won() or not position.floor:
        raise NotationError(f"the game is over after ply {ply}")
    played = moves[ply] if ply < len(moves) else None
    return position, ply % 2, played if type(played) is int and position.allows(played) else None


def position_from_drawing(text):
    """Returns the Position of the drawn board in `text`. Raises NotationError.

    The side with fewer stones is to move, or the first mover if both have as many. Row numbers and brackets are
    allowed, and lines that hold no cells, such as column numbers, are skipped.
    """
    drawn = []
    for line in text.splitlines():
        cells = [mark for mark in line.upper() if mark in FIRST_MOVER + SECOND_MOVER + EMPTY + FORBIDDEN]
        others = set(line.upper()) - set(FIRST_MOVER + SECOND_MOVER + EMPTY + FORBIDDEN + "0123456789[] \t|")
        if others:
            found = "".join(sorted(others))
            raise NotationError(f"--board: unexpected {found!r}; expected X, O, '.', '#'")
        if cells:
            drawn.append(cells)
    rows, columns = len(drawn), len(drawn[0]) if drawn else 0
    if not (MIN_SIZE <= rows <= MAX_ROWS and MIN_SIZE <= columns <= MAX_COLUMNS):
        raise NotationError(
            f"--board: expected {MIN_SIZE} to {MAX_ROWS} rows and columns, got {rows} rows and {columns} columns"
        )
    ragged = [number for number, cells in enumerate(drawn) if len(cells) != columns]
    if ragged:
        raise NotationError(f"--board: row {ragged[0]} has {len(drawn[ragged[0]])} cells, row 0 has {columns}")
    return _position_of_cells(drawn, rows, columns)


def _position_of_cells(drawn, rows, columns):
    forbidden_cells = [
        (row, column) for row in range(rows) for column in range(columns) if drawn[row][column] in FORBIDDEN
    ]
    if len(forbidden_cells) > 1:
        raise NotationError(f"--board: expected at most one '#', got {len(forbidden_cells)}")
    flat = [mark for cells in drawn for mark in cells]
    first, second = sum(mark in FIRST_MOVER for mark in flat), sum(mark in SECOND_MOVER for mark in flat)
    if first - second not in (0, 1):
        raise NotationError(f"--board: expected as many X as O or one more, got {first} X and {second} O")
    mover = FIRST_MOVER if first == second else SECOND_MOVER
    board = tuple(0 if mark in EMPTY + FORBIDDEN else 2 if mark in mover else 1 for mark in flat)
    opening = Opening(rows, columns, forbidden_cells[0] if forbidden_cells else None)
    try:
        return position_of(opening, Turn(None, None, board))
    except ImpossiblePosition as error:
        raise NotationError(f"--board: {error}") from None


def drawn(position, mover, labels, strong):
    """Draw the board with a label for each column. Returns lines of text.

    `mover` is the side to move, 0 or 1. `labels` is {column: Label}. strong(text) returns the text in the form for the
    best move.
    """
    own, other = (FIRST_MOVER[0], SECOND_MOVER[0]) if mover == 0 else (SECOND_MOVER[0], FIRST_MOVER[0])
    numbers = " " * _MARGIN + "".join(f"{column:^{_STEP}}" for column in range(position.columns)).rstrip()
    lines = [numbers]
    for row in reversed(range(position.rows)):
        marks = []
        for column in range(position.columns):
            here = cell(row, column)
            mark = own if position.own & here else other if position.opponent & here else EMPTY
            marks.append(FORBIDDEN if position.forbidden & here else mark)
        cells = "".join(f"{mark:^{_STEP}}" for mark in marks).rstrip()
        lines.append(f"{position.rows - 1 - row:>{_MARGIN - 1}} {cells}")
    lines.append(numbers)
    for name, field in (("value", "text"), ("visits", "visits")):
        shown = []
        for column in range(position.columns):
            label = labels.get(column)
            text = getattr(label, field) if label else ""
            if label and label.is_best and field == "text":
                text = f"[{text}]"
            text = f"{text:^{_STEP}}"
            shown.append(strong(text) if label and label.is_best else text)
        if any(text.strip() for text in shown):
            lines.append(f"{name:<{_MARGIN}}" + "".join(shown).rstrip())
    return lines
