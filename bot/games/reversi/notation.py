"""Moves and positions as text: d3 is column d, row 3 from the top, with rows counted from 1.

This module is on the start path, so argparse is imported where it is used. Standard library only.
"""

from .board import MAX_SIZE, MIN_SIZE, PASS, ROW_BITS, cell, number_of
from .plain import Position, start_position

COLUMN_LETTERS = "abcdefghij"

# The characters that a drawing may use for each kind of cell. The judge's drawings use the first character of each.
FIRST_MOVER, SECOND_MOVER, EMPTY = "X*B", "OW", ".-+"
DEFAULT_SIZE = 8
# Widths in the board that `drawn` makes, in characters: of the margin before the cells, and of each cell.
_MARGIN, _STEP = 4, 7


class NotationError(ValueError):
    """A position cannot be read, or its game is over. The message says what is wrong and what was expected."""


def name_of(move):
    """Returns the name of a move: column letter and row number, or "pass"."""
    if move == PASS:
        return "pass"
    row, column = divmod(move, ROW_BITS)
    return f"{COLUMN_LETTERS[column]}{row + 1}"


def move_named(text):
    """Returns the move whose name is `text`, or None if `text` is no move's name. The cell may be off the board."""
    text = text.strip().lower()
    if text in ("pass", "pa"):
        return PASS
    if len(text) < 2 or text[0] not in COLUMN_LETTERS or not text[1:].isdigit() or not 1 <= int(text[1:]) <= MAX_SIZE:
        return None
    return ROW_BITS * (int(text[1:]) - 1) + COLUMN_LETTERS.index(text[0])


def add_position_options(parser):
    """Add the options that name a position to an argparse parser."""
    parser.add_argument("--size", type=_size, metavar="N", help=f"{MIN_SIZE}..{MAX_SIZE} (default {DEFAULT_SIZE})")
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--moves",
        metavar="d3,c5",
        nargs="?",
        const="",
        default="",
        help="moves played so far, column letter and row number from the top (default: none), also as f5d6c3 or "
        "1. f5 d6; a side without a move is passed over, and PA may say so",
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
        import argparse

        raise argparse.ArgumentTypeError(f"expected {MIN_SIZE} to {MAX_SIZE}, got {text!r}")
    return int(text)


def position_from(arguments, read_drawing):
    """Returns the Position that the parsed options name. Raises NotationError.

    read_drawing() returns the text of stdin, where a drawing is read from.
    """
    if arguments.board:
        if arguments.size is not None:
            raise NotationError("--board: the drawing says the size; leave --size out")
        position = position_from_drawing(read_drawing(), arguments.to_move or FIRST_MOVER[0])
    else:
        if arguments.to_move is not None:
            raise NotationError("--to-move: only for --board; after --moves it is clear")
        position = position_after(start_position(arguments.size or DEFAULT_SIZE), arguments.moves)
    if not position.legal_moves():
        raise NotationError("the game is over: neither side has a move")
    return position


def position_after(position, text):
    """Returns the Position after the moves in `text` ("d3,c5") are played from `position`. Raises NotationError.

    A side without a move passes. The text may name the pass as PA.
    """
    return _played_out(position, _names(text), "--moves: move")[0]


def mover_of(arguments, position):
    """Returns the side to move in `position`, which options name: 0 for the first mover, 1 for the second."""
    if arguments.board:
        return int(arguments.to_move == SECOND_MOVER[0])
    return _played_out(start_position(arguments.size or DEFAULT_SIZE), _names(arguments.moves), "--moves: move")[1]


def from_record(board, moves, ply):
    """Returns (Position, side to move, the next cell played or None) after the first `ply` moves of a record.

    `board` and `moves` are unchecked values from the record. Raises NotationError.
    """
    size, opening = board.get("size"), board.get("opening")
    if type(size) is not int or not MIN_SIZE <= size <= MAX_SIZE:
        raise NotationError(f"the record's size is {size!r}, expected {MIN_SIZE} to {MAX_SIZE}")
    if not isinstance(opening, list):
        raise NotationError(f"the record's opening is {opening!r}, expected a list of moves")
    position, begins = _played_out(start_position(size), opening, "the record's opening: move")
    position, mover = _played_out(position, moves[:ply], "the record: ply")
    if not position.legal_moves():
        raise NotationError(f"the game is over after ply {ply}")
    played = move_named(moves[ply]) if ply < len(moves) and isinstance(moves[ply], str) else None
    return position, begins ^ mover, played if played in position.legal_moves() else None


def _names(text):
    """Returns the names in a text of moves, such as "d3,c3", "F5D6 PA" or "1. f5 d6 2. c3"."""
    import re

    names = []
    for word in text.replace(",", " ").split():
        moves = re.fullmatch(r"(?:\d{1,3}\.)?((?:[a-z]\d{1,2}|pass|pa)*)", word, re.IGNORECASE)
        names += re.findall(r"[a-z]\d{1,2}|pass|pa", moves[1], re.IGNORECASE) if moves else [word]
    return names


def _played_out(position, names, what):
    """Play the moves `names` from `position`.

    Returns (the position after them, how often the side to move has changed, modulo 2). A side without a move passes;
    the names may say so. Raises NotationError, whose message begins with `what`, the source of the names.
    """
    changes = 0
    has_passed = False  # whether the latest move was a pass that no name has said yet
    for number, name in enumerate(names, 1):
        move = move_named(name) if isinstance(name, str) else None
        if move == PASS and has_passed:
            has_passed = False
            continue
        if move is None or move not in position.legal_moves():
            legal = ", ".join(map(name_of, position.legal_moves())) or "nothing: the game is over"
            shown = name.strip() if isinstance(name, str) else name
            raise NotationError(f"{what} {number} is {shown!r}; expected one of {legal}")
        position, changes = position.play(move), changes + 1
        has_passed = position.must_pass()
        if has_passed:
            position, changes = position.play(PASS), changes + 1
    return position, changes % 2


def position_from_drawing(text, to_move):
    """Returns the Position of the drawn board in `text`. The side `to_move` is to move. Raises NotationError.

    Names of rows and columns and brackets are allowed. Lines without a cell are skipped.
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


def drawn(position, mover, labels, strong):
    """Draw the board with a label on each cell that may be played. Returns lines of text.

    `mover` is the side to move, 0 or 1. `labels` is {cell: Label}. strong(text) returns the text in the form for the
    best move.
    """
    own, other = (FIRST_MOVER[0], SECOND_MOVER[0]) if mover == 0 else (SECOND_MOVER[0], FIRST_MOVER[0])
    letters = " " * _MARGIN + "".join(f"{letter:^{_STEP}}" for letter in COLUMN_LETTERS[: position.size]).rstrip()
    lines = [letters]
    for row in range(position.size):
        marks = []
        for column in range(position.size):
            here, label = cell(row, column), labels.get(number_of(row, column))
            mark = own if position.own & here else other if position.opponent & here else EMPTY[0]
            is_best = label is not None and label.is_best
            text = mark if label is None else f"[{label.text}]" if is_best else label.text
            marks.append(strong(f"{text:^{_STEP}}") if is_best else f"{text:^{_STEP}}")
        lines.append(f"{row + 1:>{_MARGIN - 1}} " + "".join(marks).rstrip())
    return [*lines, letters]
