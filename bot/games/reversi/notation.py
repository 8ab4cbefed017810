"""Positions as people write them: moves such as d3, or a drawn board. Rows count from the top, and from 1.

Standard library only.
"""

import argparse

from .move_names import COLUMN_LETTERS, move_named, name_of
from .plain import Position, start_position
from .rules.board import MAX_SIZE, MIN_SIZE, PASS, cell

# What a drawing may use for each kind of cell; the judge's pictures use the first of each.
FIRST_MOVER, SECOND_MOVER, EMPTY = "X*B", "OW", ".-+"


class NotationError(ValueError):
    """A position that cannot be read or played on; the message says what is wrong and what was expected."""


def add_position_options(parser):
    """The options that name a position, on an argparse parser."""
    parser.add_argument("--size", type=_size, metavar="N", help=f"{MIN_SIZE}..{MAX_SIZE} (default 8)")
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--moves",
        metavar="d3,c5",
        nargs="?",
        const="",
        default="",
        help="moves played so far, column letter and row number from the top (default: none); sides "
        "without a move are passed over",
    )
    how.add_argument(
        "--board",
        action="store_true",
        help=f"read a drawn board from stdin: one line a row, '{FIRST_MOVER[0]}' first mover, "
        f"'{SECOND_MOVER[0]}' second, '{EMPTY[0]}' empty",
    )
    parser.add_argument(
        "--to-move",
        choices=(FIRST_MOVER[0], SECOND_MOVER[0]),
        default=None,
        help=f"whose turn it is on the drawn board (default: {FIRST_MOVER[0]})",
    )


def _size(text):
    if not text.isdigit() or not MIN_SIZE <= int(text) <= MAX_SIZE:
        raise argparse.ArgumentTypeError(f"expected {MIN_SIZE} to {MAX_SIZE}, got {text!r}")
    return int(text)


def position_from(arguments, read_drawing):
    """The Position that parsed options name; read_drawing() returns stdin's text. Raises NotationError."""
    if arguments.board:
        if arguments.size is not None:
            raise NotationError("--board: the drawing says the size; leave --size out")
        position = position_from_drawing(read_drawing(), arguments.to_move or FIRST_MOVER[0])
    else:
        if arguments.to_move is not None:
            raise NotationError("--to-move: only for --board; after --moves it is clear")
        position = position_after(start_position(arguments.size or 8), arguments.moves)
    if not position.legal_moves():
        raise NotationError("the game is over: neither side has a move")
    return position


def position_after(position, text):
    """The position after the moves in `text` ("d3,c5"); sides without a move are passed over. Raises NotationError."""
    for number, name in enumerate(filter(None, text.split(",")), 1):
        if position.must_pass():
            position = position.play(PASS)
        move = move_named(name)
        if move not in position.legal_moves():
            legal = ", ".join(map(name_of, position.legal_moves())) or "nothing: the game is over"
            raise NotationError(f"--moves: move {number} is {name.strip()!r}; expected one of {legal}")
        position = position.play(move)
    return position.play(PASS) if position.must_pass() else position


def position_from_drawing(text, to_move):
    """The position of a drawn board with that side to move.

    Row and column names and brackets are allowed, lines without a cell are left out. Raises NotationError.
    """
    drawn = []
    for line in text.splitlines():
        marks = line.upper().replace("[", " ").replace("]", " ").split()
        if marks and marks[0].isdigit():
            marks = marks[1:]
        cells = "".join(marks)
        if not cells or set(cells) <= set(COLUMN_LETTERS.upper()) and cells == COLUMN_LETTERS.upper()[: len(cells)]:
            continue
        others = set(cells) - set(FIRST_MOVER + SECOND_MOVER + EMPTY)
        if others:
            found = "".join(sorted(others))
            raise NotationError(f"--board: unexpected {found!r}; expected X, O, '.'")
        drawn.append(cells)
    size = len(drawn)
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise NotationError(f"--board: expected {MIN_SIZE} to {MAX_SIZE} rows, got {size}")
    for number, cells in enumerate(drawn, 1):
        if len(cells) != size:
            raise NotationError(f"--board: row {number} has {len(cells)} cells, expected {size}")
    first, second = (
        sum(cell(row, column) for row in range(size) for column in range(size) if drawn[row][column] in marks)
        for marks in (FIRST_MOVER, SECOND_MOVER)
    )
    return Position(size, *((first, second) if to_move in FIRST_MOVER else (second, first)))
