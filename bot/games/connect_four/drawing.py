"""The board with what a search says of its columns, as lines of text. Standard library only."""

from .notation import EMPTY, FIRST_MOVER, FORBIDDEN, SECOND_MOVER
from .rules.board import cell

MARGIN, STEP = 7, 6


def drawn(position, mover, labels, strong):
    """The lines. mover: who is to move, 0 or 1; labels: {column: Label}; strong(text): the text, marked as the best."""
    own, other = (FIRST_MOVER[0], SECOND_MOVER[0]) if mover == 0 else (SECOND_MOVER[0], FIRST_MOVER[0])
    numbers = " " * MARGIN + "".join(f"{column:^{STEP}}" for column in range(position.columns)).rstrip()
    lines = [numbers]
    for row in reversed(range(position.rows)):
        marks = []
        for column in range(position.columns):
            here = cell(row, column)
            mark = own if position.own & here else other if position.opponent & here else EMPTY
            marks.append(FORBIDDEN if position.forbidden & here else mark)
        cells = "".join(f"{mark:^{STEP}}" for mark in marks).rstrip()
        lines.append(f"{position.rows - 1 - row:>{MARGIN - 1}} {cells}")
    lines.append(numbers)
    for name, field in (("value", "text"), ("visits", "visits")):
        shown = []
        for column in range(position.columns):
            label = labels.get(column)
            text = getattr(label, field) if label else ""
            if label and label.is_best and field == "text":
                text = f"[{text}]"
            text = f"{text:^{STEP}}"
            shown.append(strong(text) if label and label.is_best else text)
        if any(text.strip() for text in shown):
            lines.append(f"{name:<{MARGIN}}" + "".join(shown).rstrip())
    return lines
