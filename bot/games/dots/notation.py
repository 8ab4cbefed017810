"""The text forms of edges, turns and positions, for the contest platform and for people.

The name of an edge has three letters. The first is A for a horizontal edge and B for a vertical one. The second, A..H,
is the edge's line: the row of dots, from the top, for a horizontal edge, and the column of dots, from the left, for a
vertical one. The third, A..G, is the edge's place on this line, from the left or from the top. The name of a turn is
the names of its edges one after another.

A drawn board has a line of dots, one or more lines of boxes, a line of dots and so on. Each dot lies above one of the
next line of dots:

    +---+   +        dots: + or .
    | X |            drawn between two dots: - or #
    +---+---+        drawn below a dot: | or #
                     a box's owner: X the first mover, O the second

Everything else is ignored, such as letters beside the board. Lines above the first line of dots and below the last one
are ignored too. The judge's drawings can be read.

This module is on the start path, so argparse is imported where it is used. Standard library only.
"""

from .board import DEFAULT_SIZE, LARGEST, ROW_BITS, SMALLEST, VERTICAL, boxes_mask, edges_of, turn_of
from .plain import Position, complete, count, start_position

LETTERS = "ABCDEFGH"

DOTS, ACROSS, DOWN = "+.", "-#", "|#"
OWNERS = "XO"  # a box's owner: the first mover, the second
# Widths in the board that `drawn` makes, in characters: before the dots, of a box, and between the board and the turns.
_MARGIN, _STEP, _GAP = 6, 4, 4
_LEAST_LISTED = 10  # lines for turns beside a board of few rows
_LONGEST_NAME = 24


class NotationError(ValueError):
    """A position cannot be read, or its game is over. The message says what is wrong and what was expected."""


def edge_name(edge):
    """Returns the name of an edge, such as "AAB"."""
    row, column = divmod(edge % VERTICAL, ROW_BITS)
    return "B" + LETTERS[column] + LETTERS[row] if edge >= VERTICAL else "A" + LETTERS[row] + LETTERS[column]


def name_of(turn):
    """Returns the name of a turn, such as "AABBCD"."""
    return "".join(map(edge_name, edges_of(turn)))


def edge_named(text):
    """Returns the number of the edge whose name is `text`, or None if `text` is no edge's name.

    The edge may be off the board.
    """
    text = text.upper()
    if len(text) != 3 or text[0] not in "AB" or text[1] not in LETTERS or text[2] not in LETTERS[:LARGEST]:
        return None
    line, place = LETTERS.index(text[1]), LETTERS.index(text[2])
    return VERTICAL + ROW_BITS * place + line if text[0] == "B" else ROW_BITS * line + place


def edges_named(text):
    """Returns a list of the edges whose names `text` joins, as "AABBCD" does.

    Returns None if a part is no edge's name.
    """
    edges = [edge_named(text[start : start + 3]) for start in range(0, len(text), 3)]
    return None if None in edges else edges


def add_position_options(parser):
    """Add the options that name a position to an argparse parser."""
    parser.add_argument(
        "--size",
        type=_size,
        metavar="RxC",
        help=f"rows and columns of boxes, {SMALLEST}..{LARGEST} each (default {DEFAULT_SIZE[0]}x{DEFAULT_SIZE[1]})",
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--moves",
        metavar="AAB,BCD",
        nargs="?",
        const="",
        default="",
        help="edges drawn so far, or turns (AABBCD), in their order (default: none): A for a horizontal "
        "edge and the letters of its row of dots and of its place there, B for a vertical one and "
        "the letters of its column of dots and of its place",
    )
    how.add_argument(
        "--board",
        action="store_true",
        help="read a drawn board from stdin: a line of dots '+' with '-' between them for edges, a line of "
        "boxes with '|' for edges and perhaps owners, X the first mover and O the second, and so on",
    )
    parser.add_argument(
        "--to-move",
        choices=tuple(OWNERS),
        default=None,
        help=f"whose turn it is on the drawn board (default: {OWNERS[0]})",
    )


def _size(text):
    sides = text.lower().split("x")
    if len(sides) != 2 or not all(side.isdigit() and SMALLEST <= int(side) <= LARGEST for side in sides):
        import argparse

        raise argparse.ArgumentTypeError(f"expected RxC, {SMALLEST} to {LARGEST} boxes each, got {text!r}")
    return int(sides[0]), int(sides[1])


def position_from(arguments, read_drawing):
    """Returns the Position that the parsed options name. Raises NotationError.

    read_drawing() returns the text of stdin, where a drawing is read from.
    """
    if arguments.board:
        if arguments.size is not None:
            raise NotationError("--board: the drawing says the size; leave --size out")
        position = position_from_drawing(read_drawing(), arguments.to_move or OWNERS[0])
    else:
        if arguments.to_move is not None:
            raise NotationError("--to-move: only for --board; after --moves it is clear")
        position = position_after(start_position(*(arguments.size or DEFAULT_SIZE)), arguments.moves)
    if position.is_over():
        raise NotationError("the game is over: every edge is drawn")
    return position


def position_after(position, text):
    """Returns the Position after the edges and turns in `text` ("AAB,BCD") are drawn, seen by the side to move then.

    Raises NotationError.
    """
    return _drawn_out(position, _names(text), "--moves")[0]


def mover_of(arguments, position):
    """Returns the side to move in `position`, which options name: 0 for the first mover, 1 for the second."""
    if arguments.board:
        return int(arguments.to_move == OWNERS[1])
    start = start_position(*(arguments.size or DEFAULT_SIZE))
    return _drawn_out(start, _names(arguments.moves), "--moves")[1]


def from_record(board, moves, ply):
    """Returns (Position, side to move, turn played next or None) after the first `ply` moves of a record.

    A move of a record is an edge. The turn has the edges that were drawn from there until the turn was over, and is
    None if the record does not have them all. `board` and `moves` are unchecked values from the record. Raises
    NotationError.
    """
    rows, columns, opening = (board.get(name) for name in ("rows", "columns", "opening"))
    for name, side in (("rows", rows), ("columns", columns)):
        if type(side) is not int or not SMALLEST <= side <= LARGEST:
            raise NotationError(f"the record's {name} is {side!r}, expected {SMALLEST} to {LARGEST}")
    if not isinstance(opening, list):
        raise NotationError(f"the record's opening is {opening!r}, expected a list of edges")
    position, begins = _drawn_out(start_position(rows, columns), opening, "the record's opening")
    position, mover = _drawn_out(position, moves[:ply], "the record")
    if position.is_over():
        raise NotationError(f"the game is over after ply {ply}")
    return position, begins ^ mover, _turn_played(position, moves[ply:])


def _turn_played(position, names):
    """Returns the turn that the side to move in `position` plays if the edges in `names` are drawn.

    `names` may go on after the turn. Returns None if the names end before the turn is over, or if one of them is not
    the name of a free edge.
    """
    edges = []
    for name in names:
        edge = edge_named(name) if isinstance(name, str) else None
        if edge is None or not position.free() >> edge & 1:
            return None
        position, captured = position.draw(edge)
        edges.append(edge)
        if not captured or position.is_over():
            return turn_of(edges)
    return None


def _names(text):
    return text.replace(",", " ").split()


def _drawn_out(position, names, what):
    """Draw the edges and turns in `names` from `position`.

    Returns (the position after them, how often the side to move has changed, modulo 2). Raises NotationError, whose
    message begins with `what`, the source of the names.
    """
    drawn = changes = 0
    for name in names:
        for edge in (edges_named(name) if isinstance(name, str) else None) or [None]:
            drawn += 1
            if edge is None or not position.free() >> edge & 1:
                legal = ", ".join(map(edge_name, position.legal_edges())) or "none: the game is over"
                raise NotationError(f"{what}: edge {drawn}, in {name!r}: expected one of {legal}")
            position, captured = position.draw(edge)
            changes += not captured
    return position, changes % 2


def position_from_drawing(text, to_move):
    """Returns the Position of the drawn board in `text`. The side `to_move`, "X" or "O", is to move.

    Raises NotationError. The margin is computed from the owners that are drawn in the boxes.
    """
    lines = _lines_between_dots(text)
    places = [place for place, mark in enumerate(lines[0]) if mark in DOTS] if lines else []
    dots = [line for line in lines if _is_dots(line)]
    rows, columns = len(dots) - 1, len(places) - 1
    if not (SMALLEST <= rows <= LARGEST and SMALLEST <= columns <= LARGEST):
        raise NotationError(
            f"--board: expected 2 to {LARGEST + 1} lines of as many dots, "
            f"got {max(rows + 1, 0)} lines of {max(columns + 1, 0)} dots"
        )
    edges, row, margin = 0, -1, 0
    for line in lines:
        if _is_dots(line):
            row += 1
            if [place for place, mark in enumerate(line) if mark in DOTS] != places:
                raise NotationError(f"--board: line {row + 1} of dots: expected them below those of the first")
            between = [line[left + 1 : right] for left, right in zip(places, places[1:])]
            edges |= sum(
                1 << ROW_BITS * row + column
                for column, marks in enumerate(between)
                if any(mark in ACROSS for mark in marks)
            )
        else:
            below = [line[place : place + 1] for place in places]
            for column, mark in enumerate(below):
                if mark and mark in DOWN:
                    edges |= 1 << VERTICAL + ROW_BITS * row + column
            inside = line[places[0] :].upper()
            margin += inside.count(OWNERS[0]) - inside.count(OWNERS[1])
    owned = count(complete(edges, boxes_mask(rows, columns)))
    if abs(margin) > owned:
        raise NotationError(f"--board: {owned} boxes are complete; more have owners")
    return Position(rows, columns, edges, margin if to_move == OWNERS[0] else -margin)


def _is_dots(line):
    """Returns whether a line of a drawing is a line of dots, which means that it contains a dot."""
    return any(mark in DOTS for mark in line)


def _lines_between_dots(text):
    """Returns the lines of a drawing from the first to the last line of dots."""
    lines = text.splitlines()
    of_dots = [number for number, line in enumerate(lines) if _is_dots(line)]
    return lines[of_dots[0] : of_dots[-1] + 1] if of_dots else []


def drawn(position, mover, labels, strong):
    """Draw the board with the best turns beside it. Returns lines of text. Stars mark the edges of the best turn.

    `mover`, 0 or 1, is not used, because a Position does not know who owns which box. `labels` is {turn: Label}, the
    best first. strong(text) returns the text in the form for the best turn.
    """
    best = {edge for turn, label in labels.items() if label.is_best for edge in edges_of(turn)}
    board = _board(position, best, strong)
    listed = _turns(labels, strong, max(_LEAST_LISTED, len(board))) if labels else []
    board += [("", 0)] * (len(listed) - len(board))
    listed += [""] * (len(board) - len(listed))
    width = _MARGIN + _STEP * position.columns + 1 + _GAP
    lines = [(line + " " * (width - shown) + turn).rstrip() for (line, shown), turn in zip(board, listed)]
    taken = count(complete(position.edges, boxes_mask(position.rows, position.columns)))
    left = f"{position.boxes_left()} left"
    return [*lines, f"{' ' * _MARGIN}boxes: {taken} taken, {left}, {position.margin:+d} for the side to move"]


def _board(position, best, strong):
    """Returns [(line, number of its characters that are shown)] for the drawing of the dots and edges.

    strong() may add characters that are not shown. The margins are as in the judge's drawings.
    """
    rows, columns = position.rows, position.columns
    places = "".join(f"{letter:<{_STEP}}" for letter in LETTERS[:columns])
    names = "".join(f"B{letter:<{_STEP - 1}}" for letter in LETTERS[: columns + 1]).rstrip()
    top = [" " * (_MARGIN + _STEP // 2) + places.rstrip(), " " * _MARGIN + names]
    lines = [(line, len(line)) for line in top]
    for row in range(rows + 1):
        pieces = [f"{'A' + LETTERS[row]:>{_MARGIN - 2}}  "]
        for column in range(columns):
            pieces += ["."] + [_edge(position, ROW_BITS * row + column, "-" * (_STEP - 1), best, strong)]
        lines.append(("".join([*pieces, "."]), _MARGIN + _STEP * columns + 1))
        if row < rows:
            pieces = [f"{LETTERS[row]:>{_MARGIN - 2}}  "]
            for column in range(columns + 1):
                pieces.append(_edge(position, VERTICAL + ROW_BITS * row + column, "|", best, strong))
                pieces += [" " * (_STEP - 1)] * (column < columns)
            lines.append(("".join(pieces), _MARGIN + _STEP * columns + 1))
    return lines


def _edge(position, edge, line, best, strong):
    if edge in best:
        return strong("*" * len(line))
    return line if position.edges >> edge & 1 else " " * len(line)


def _turns(labels, strong, most):
    """Returns the lines of the table of turns beside the board, at most `most` of them.

    The first line is a heading. Each other line shows a turn with its value and visits.
    """
    lines = [f"  {'turn':<{_LONGEST_NAME}} {'value':>6} {'visits':>6}".rstrip()]
    for turn, label in list(labels.items())[: most - 1]:
        name = name_of(turn)
        if len(name) > _LONGEST_NAME:
            name = name[: _LONGEST_NAME - 2] + ".."
        line = f"{'*' if label.is_best else ' '} {name:<{_LONGEST_NAME}} {label.text:>6} {label.visits:>6}"
        lines.append(strong(line) if label.is_best else line)
    if len(labels) >= most:
        lines[-1:] = [f"  and {len(labels) - most + 2} more"]
    return lines
