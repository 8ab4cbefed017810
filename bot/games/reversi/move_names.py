"""Moves as people write them: d3 is column d, row 3 from the top, rows counted from 1. Standard library only."""

from .board import MAX_SIZE, PASS, ROW_BITS

COLUMN_LETTERS = "abcdefghij"


def name_of(move):
    """A move's name: column letter and row number, or "pass"."""
    if move == PASS:
        return "pass"
    row, column = divmod(move, ROW_BITS)
    return f"{COLUMN_LETTERS[column]}{row + 1}"


def move_named(text):
    """The move of that name, on the board or off it; None for what is no name."""
    text = text.strip().lower()
    if text == "pass":
        return PASS
    if len(text) < 2 or text[0] not in COLUMN_LETTERS or not text[1:].isdigit() or not 1 <= int(text[1:]) <= MAX_SIZE:
        return None
    return ROW_BITS * (int(text[1:]) - 1) + COLUMN_LETTERS.index(text[0])
