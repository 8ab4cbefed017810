"""The board with the best turns beside it, as lines of text. Standard library only."""

from .move_names import LETTERS, name_of
from .plain import complete, count
from .rules.board import ROW_BITS, VERTICAL, boxes_mask, edges_of

MARGIN, STEP, GAP = 6, 4, 4
LEAST_LISTED = 10  # beside a low board
LONGEST_NAME = 24


def drawn(position, mover, labels, strong):
    """The lines. mover: 0 or 1, of no interest here: whose boxes are whose nobody has noted; labels: {turn: Label}, the
    best first; strong(text): the text, marked as the best.

    The edges of the best turn stand on the board as stars.
    """
    best = {edge for turn, label in labels.items() if label.is_best for edge in edges_of(turn)}
    board = _board(position, best, strong)
    listed = _turns(labels, strong, max(LEAST_LISTED, len(board))) if labels else []
    board += [("", 0)] * (len(listed) - len(board))
    listed += [""] * (len(board) - len(listed))
    width = MARGIN + STEP * position.columns + 1 + GAP
    lines = [(line + " " * (width - shown) + turn).rstrip() for (line, shown), turn in zip(board, listed)]
    taken = count(complete(position.edges, boxes_mask(position.rows, position.columns)))
    left = f"{position.boxes_left()} left"
    return [*lines, f"{' ' * MARGIN}boxes: {taken} taken, {left}, {position.margin:+d} for the side to move"]


def _board(position, best, strong):
    """[(a line, how many columns it takes)]: dots and edges, margins as the judge's pictures have them."""
    rows, columns = position.rows, position.columns
    places = "".join(f"{letter:<{STEP}}" for letter in LETTERS[:columns])
    names = "".join(f"B{letter:<{STEP - 1}}" for letter in LETTERS[: columns + 1]).rstrip()
    top = [" " * (MARGIN + STEP // 2) + places.rstrip(), " " * MARGIN + names]
    lines = [(line, len(line)) for line in top]
    for row in range(rows + 1):
        pieces = [f"{'A' + LETTERS[row]:>{MARGIN - 2}}  "]
        for column in range(columns):
            pieces += ["."] + [_edge(position, ROW_BITS * row + column, "-" * (STEP - 1), best, strong)]
        lines.append(("".join([*pieces, "."]), MARGIN + STEP * columns + 1))
        if row < rows:
            pieces = [f"{LETTERS[row]:>{MARGIN - 2}}  "]
            for column in range(columns + 1):
                pieces.append(_edge(position, VERTICAL + ROW_BITS * row + column, "|", best, strong))
                pieces += [" " * (STEP - 1)] * (column < columns)
            lines.append(("".join(pieces), MARGIN + STEP * columns + 1))
    return lines


def _edge(position, edge, line, best, strong):
    if edge in best:
        return strong("*" * len(line))
    return line if position.edges >> edge & 1 else " " * len(line)


def _turns(labels, strong, most):
    """A line for each of the first turns with what is known of it, at most so many and one that names the columns."""
    lines = [f"  {'turn':<{LONGEST_NAME}} {'value':>6} {'visits':>6}".rstrip()]
    for turn, label in list(labels.items())[: most - 1]:
        name = name_of(turn)
        if len(name) > LONGEST_NAME:
            name = name[: LONGEST_NAME - 2] + ".."
        line = f"{'*' if label.is_best else ' '} {name:<{LONGEST_NAME}} {label.text:>6} {label.visits:>6}"
        lines.append(strong(line) if label.is_best else line)
    if len(labels) >= most:
        lines[-1:] = [f"  and {len(labels) - most + 2} more"]
    return lines
