"""The board with what a search says of the squares that may be played, as lines of text. Standard library only."""

from .board import cell, number_of
from .move_names import COLUMN_LETTERS
from .notation import EMPTY, FIRST_MOVER, SECOND_MOVER

MARGIN, STEP = 4, 7


def drawn(position, mover, labels, strong):
    """The lines. mover: who is to move, 0 or 1; labels: {cell: Label}; strong(text): the text, marked as the best."""
    own, other = (FIRST_MOVER[0], SECOND_MOVER[0]) if mover == 0 else (SECOND_MOVER[0], FIRST_MOVER[0])
    letters = " " * MARGIN + "".join(f"{letter:^{STEP}}" for letter in COLUMN_LETTERS[: position.size]).rstrip()
    lines = [letters]
    for row in range(position.size):
        marks = []
        for column in range(position.size):
            here, label = cell(row, column), labels.get(number_of(row, column))
            mark = own if position.own & here else other if position.opponent & here else EMPTY[0]
            is_best = label is not None and label.is_best
            text = mark if label is None else f"[{label.text}]" if is_best else label.text
            marks.append(strong(f"{text:^{STEP}}") if is_best else f"{text:^{STEP}}")
        lines.append(f"{row + 1:>{MARGIN - 1}} " + "".join(marks).rstrip())
    return [*lines, letters]
