"""The boards of dots and boxes (a size and an opening, from a seed or a record), notation and rendering.

The notation of a board is `5x5`, which may be followed by an opening. The notation of moves is an edge, or the edges of
a whole turn, such as AABBCD. Cells are the edges in the order of rules.edges_of_board(), then the boxes row by row from
the top.
"""

import argparse
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from judge.games.boards import BoardOption, check_keys, is_list_of_texts, number_below, opening_plies_option
from judge.games.dots.rules import (
    EDGES_OF_A_BOX,
    LARGEST_SIDE,
    LETTERS,
    SMALLEST_SIDE,
    Dots,
    edges_of_board,
    edges_of_box,
    horizontal,
    vertical,
)
from judge.games.game import (
    DRAWING,
    FREE,
    MARKS,
    OF_OPENING,
    OF_PLAYER,
    AnalysisArguments,
    AnalysisInput,
    CellHint,
    Cells,
    Notation,
    PageDescription,
    check_codes,
    check_size,
    check_word,
    codes_of,
    drawing,
    moves_option,
    opening_of,
    owners_of,
    rows_of,
    with_opening,
)
from judge.games.positions import AnyMove, Cell, IllegalMove
from judge.language import _, marked, recorded

DEFAULT_SIZE = "5x5"
_SIDES = range(SMALLEST_SIDE, LARGEST_SIDE + 1)
SIZES = tuple(f"{rows}x{columns}" for rows in _SIDES for columns in _SIDES)
DEFAULT_OPENING_PLIES = 6  # in matches: without an opening, two deterministic bots would always play the same game
WORD = re.compile(r"(?:[ab][a-h][a-h])+", re.IGNORECASE)
LETTERS_OF_AN_EDGE = 3
MOVE_EXAMPLE = "AAB"
REST_EXAMPLE = "opening AAB,BCD"
DOT, ACROSS, DOWN = "+", "---", "|"
NO_EDGE_ACROSS, NO_EDGE_DOWN = " " * len(ACROSS), " " * len(DOWN)
OWNERS = ("X", "O")  # the first mover's and the second mover's boxes
STYLES = ("bold bright_green", "bold bright_white")
MARGIN = 6  # screen columns left of the first dot
STEP = 4  # screen columns from one dot to the next
# Endings, as records store them.
DRAW = recorded("each player has {boxes} boxes", "dots.draw")
DRAW_OF_ONE = recorded("each player has {boxes} box", "dots.draw_of_one")
WIN = recorded("has {boxes} boxes to {others}", "dots.win")


@dataclass(frozen=True)
class Board:
    """The start of a game: rows and columns of boxes, and an opening.

    The `opening` holds the edges ("AAB", ...) that are drawn before the players are asked.
    """

    rows: int
    columns: int
    opening: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the board as in a record."""
        return {"rows": self.rows, "columns": self.columns, "opening": list(self.opening)}

    def in_words(self) -> str:
        """Return a short description of the board."""
        if not self.opening:
            return _("{rows} x {columns} boxes").format(rows=self.rows, columns=self.columns)
        return _("{rows} x {columns} boxes after the opening {opening}").format(
            rows=self.rows, columns=self.columns, opening=" ".join(self.opening)
        )


def read_board(content: dict[str, Any]) -> Board:
    """Return the Board that the JSON object `content`, the field "board" of a record, describes.

    Raises ValueError, which says what is wrong, if the object is invalid.
    """
    check_keys(content, "rows", "columns", "opening")
    rows, columns, opening = content["rows"], content["columns"], content["opening"]
    if type(rows) is not int or type(columns) is not int or not is_list_of_texts(opening):
        message = _("the board is {board!r}, expected rows, columns, and an opening that is a list of edges")
        raise ValueError(message.format(board=content))
    return Board(rows, columns, tuple(opening))


def most_opening_plies(rows: int, columns: int) -> int:
    """Return an even number of plies for which an opening of safe edges always exists.

    A safe edge exists as long as less than a third of the edges is drawn. For if no free edge is safe, every free edge
    belongs to a box with two drawn and two free edges. A drawn edge belongs to at most two boxes, so there are at most
    two free edges for each drawn edge.
    """
    edges = (rows + 1) * columns + rows * (columns + 1)
    third = (edges + 2) // 3  # rounded up
    return third // 2 * 2


def complete_board_options(given: dict[str, Any], for_one_game: bool) -> dict[str, Any]:
    """Return the given options, completed by the defaults of the others.

    `for_one_game` says that a single game is to be played, which has no opening by default. Raise ValueError, which
    says what is wrong, for invalid options.
    """
    size = given.get("size", DEFAULT_SIZE)
    most = most_opening_plies(*sides_of(size))
    half = most // 4 * 2  # an even number
    plies = given.get("opening_plies", 0 if for_one_game else min(DEFAULT_OPENING_PLIES, half))
    if not 0 <= plies <= most or plies % 2:
        message = _("opening-plies is {plies}, expected an even number 0..{most} for size {size}")
        raise ValueError(message.format(plies=plies, most=most, size=size))
    return {"size": size, "opening_plies": plies}


def draw_board(seed: int, pair: int, size: str, opening_plies: int) -> Board:
    """Return the board of pair number `pair` (from 0) of the match with this seed, with random safe edges as opening.

    No box has three drawn edges, so that no box can be completed at once when the game begins. Precondition:
    complete_board_options() accepts `size`, a text such as "5x5", and `opening_plies`.
    """
    position = Dots(*sides_of(size))
    while len(position.drawn) < opening_plies:
        safe = [edge for edge in position.legal_moves() if position.is_safe(edge)]
        position.play(safe[number_below(len(safe), "edges", seed, pair, len(position.drawn))])
    return Board(position.rows, position.columns, tuple(position.drawn))


def sides_of(size: str) -> tuple[int, int]:
    """Return (rows, columns) of a size written as RxC."""
    rows, columns = size.split("x")
    return int(rows), int(columns)


def _size(text: str) -> str:
    """Return the size, such as "5x5", in a text of the command line.

    Raises argparse.ArgumentTypeError if the text is no size.
    """
    if text.lower() not in SIZES:
        message = _("{text!r} is no size, expected RxC such as 5x5: rows and columns of boxes, {least}..{most} each")
        raise argparse.ArgumentTypeError(message.format(text=text, least=SMALLEST_SIDE, most=LARGEST_SIDE))
    return text.lower()


def _help_on_size() -> str:
    return _("rows and columns of boxes, {least}..{most} each (default: {default})").format(
        least=SMALLEST_SIDE, most=LARGEST_SIDE, default=DEFAULT_SIZE
    )


def _help_on_opening() -> str:
    return _(
        "begin each game after this number of random edges, which must be even; they are drawn from "
        "the seed, are the same in both games of a pair, and leave no box with three edges (default: "
        "{default}, fewer on small boards; 0 for `play`)"
    ).format(default=DEFAULT_OPENING_PLIES)


OPTIONS = (
    BoardOption(
        "--size",
        marked("size"),
        {"type": _size, "metavar": "RxC"},
        _help_on_size,
        choices=SIZES,
        default=DEFAULT_SIZE,
    ),
    opening_plies_option(_help_on_opening, most_opening_plies(LARGEST_SIDE, LARGEST_SIDE)),
)


def codes(position: Dots) -> str:
    """Return the characters of all edges and boxes. For the characters see Cells."""
    code_of_edge = dict.fromkeys(edges_of_board(position.rows, position.columns), FREE)
    for edge, drawer in zip(position.drawn, position.drawers, strict=True):
        code_of_edge[edge] = OF_PLAYER[drawer]
    for edge in position.drawn[: len(position.drawn) - len(position.moves)]:
        code_of_edge[edge] = OF_OPENING
    return "".join(code_of_edge.values()) + codes_of(position.owner)


def hints(position: Dots) -> list[CellHint]:
    """Return a hint for each box of a chain. The sign is the number of the chain's boxes.

    `is_now` says whether the box can be completed by the next move. A chain is a group of boxes with one or two free
    edges each, joined by these edges.
    """
    edges = edges_of_board(position.rows, position.columns)
    free = set(edges).difference(position.drawn)
    free_edges: dict[Cell, set[str]] = {}  # of each box of a chain
    for row in range(position.rows):
        for column in range(position.columns):
            free_of_box = free.intersection(edges_of_box(row, column))
            if 0 < len(free_of_box) <= 2:
                free_edges[row, column] = free_of_box
    lengths: dict[Cell, int] = {}
    for start in free_edges:
        if start not in lengths:
            chain = [start]
            for box in chain:  # the loop also visits the boxes that it appends
                for edge in free_edges[box]:
                    beside = position.boxes_beside(edge)
                    chain += [other for other in beside if other in free_edges and other not in chain]
            lengths.update(dict.fromkeys(chain, len(chain)))
    return [
        CellHint(len(edges) + row * position.columns + column, str(lengths[row, column]), len(free_of_box) == 1)
        for (row, column), free_of_box in free_edges.items()
    ]


def movers(position: Dots, moves: Iterable[AnyMove]) -> Iterator[int]:
    """Yield for each of these moves the player who makes it, up to the first illegal one (see `movers` of Cells).

    A player who completes a box moves again.
    """
    free = set(edges_of_board(position.rows, position.columns)).difference(position.drawn)
    player = position.to_move
    for edge in moves:
        if edge not in free:
            return
        free.remove(edge)
        yield player
        completes_box = any(free.isdisjoint(edges_of_box(*box)) for box in position.boxes_beside(edge))
        if not completes_box:
            player = 1 - player


def position_of(size: tuple[int, int], codes: str, mover: int) -> Dots:
    """Return the position with these cells (see `position` of Cells). Raise ValueError if it cannot be played on."""
    drawers = {edge: int(code) if code in OF_PLAYER else None for edge, code in _drawn_edges(size, codes).items()}
    owners = owners_of(codes[len(edges_of_board(*size)) :], size[1])
    position = Dots(*size)
    position.set_up(drawers, owners, mover)
    if position.over:
        raise ValueError(_("Every edge is drawn: the game is over."))
    return position


def put(size: tuple[int, int], codes: str, cell: int, tool: str) -> str:
    """Return the characters of all edges and boxes after a click on the cell number `cell` (see `put` of Cells).

    A click on a free edge draws it, unless the tool is FREE; a click on a drawn edge removes it. A box gets the player
    `tool` as its owner with its last edge, and loses its owner with an edge. A click on a box with an owner gives it to
    the player `tool`.
    """
    edges = edges_of_board(*size)
    changed = list(codes)
    if cell >= len(edges):
        if codes[cell] != FREE and tool != FREE:
            changed[cell] = tool
        return "".join(changed)
    changed[cell] = OF_OPENING if codes[cell] == FREE and tool != FREE else FREE
    free = {edge for edge, code in zip(edges, changed, strict=False) if code == FREE}
    for row, column in Dots(*size).boxes_beside(edges[cell]):
        is_whole = free.isdisjoint(edges_of_box(row, column))
        changed[len(edges) + row * size[1] + column] = tool if is_whole else FREE
    return "".join(changed)


CELLS = Cells[Dots](
    size=lambda position: (position.rows, position.columns),
    codes=codes,
    last=lambda position: edges_of_board(position.rows, position.columns).index(position.moves[-1]),
    line=lambda position: [],
    move_of_cell=lambda size: [*edges_of_board(*size), *([None] * (size[0] * size[1]))],
    hints=hints,
    movers=movers,
    position=position_of,
    put=put,
)
ON_PAGES = PageDescription(
    name=marked("dots and boxes"),
    face="edges",
    letters=LETTERS,
    cell=marked("box in row {row}, column {column}"),
    move="{move}",
    more=(marked("{move}, which completes a box"), marked("{move}, which completes two boxes")),
    hints=marked("chains"),
    sides=(SMALLEST_SIDE, LARGEST_SIDE),
    usual_size=sides_of(DEFAULT_SIZE),
    tools=(
        (OF_PLAYER[0], marked("draws an edge, or gives a box to the first player")),
        (OF_PLAYER[1], marked("draws an edge, or gives a box to the second player")),
        (FREE, marked("removes an edge")),
    ),
    board={"size": "{rows}x{columns}"},
)


def _read_word(word: str) -> list[AnyMove]:
    """Return the edges in a word. Raise ValueError if the word does not consist of names of edges."""
    check_word(word, WORD, "dots", MOVE_EXAMPLE)
    return [word[start : start + LETTERS_OF_AN_EDGE].upper() for start in range(0, len(word), LETTERS_OF_AN_EDGE)]


def _read_board(rows: int, columns: int, rest: str) -> dict[str, Any]:
    """Return the board as in a record (see `read_board` of Notation). Raise ValueError if `rest` is invalid."""
    return {"rows": rows, "columns": columns, "opening": opening_of(rest, _read_word, REST_EXAMPLE)}


def _write_board(board: dict[str, Any]) -> str:
    """Return the notation of a record's board."""
    return with_opening(f"{board['rows']}x{board['columns']}", board["opening"])


NOTATION = Notation(WORD, MOVE_EXAMPLE, REST_EXAMPLE, None, _read_word, _read_board, _write_board)


def analysis_after_moves(board: Board, moves: Sequence[AnyMove]) -> AnalysisArguments:
    """Return (options, stdin) of `bot analyze` for the position after these moves on `board`."""
    return [f"--size={board.rows}x{board.columns}", *moves_option([*board.opening, *moves])], b""


def analysis_of_cells(size: tuple[int, int], codes: str, mover: int) -> AnalysisArguments:
    """Return (options, stdin) of `bot analyze` for the position with these cells (see AnalysisInput).

    Complete boxes may have no owner.
    """
    drawn = _drawn_edges(size, codes)
    rows, columns = size
    owners = rows_of(codes[len(edges_of_board(*size)) :], columns)
    lines = []
    for row in range(rows + 1):
        across = [ACROSS if horizontal(row, column) in drawn else NO_EDGE_ACROSS for column in range(columns)]
        lines.append(DOT + DOT.join(across) + DOT)
        if row == rows:
            break
        boxes = [
            NO_EDGE_ACROSS if owner == FREE else MARKS[OF_PLAYER.index(owner)].center(len(ACROSS))
            for owner in owners[row]
        ]
        down = [DOWN if vertical(row, column) in drawn else NO_EDGE_DOWN for column in range(columns + 1)]
        lines.append("".join(edge + box for edge, box in zip(down, [*boxes, ""], strict=True)))
    return [DRAWING, f"--to-move={MARKS[mover]}"], drawing(lines)


def _drawn_edges(size: tuple[int, int], codes: str) -> dict[str, str]:
    """Return {drawn edge: its character}.

    Raise ValueError unless a board may have this size, `codes` has a valid character for each cell, and only complete
    boxes have owners.
    """
    check_size(size, SMALLEST_SIDE, LARGEST_SIDE)
    rows, columns = size
    edges = edges_of_board(rows, columns)
    check_codes(codes, len(edges) + rows * columns, FREE + OF_OPENING + "".join(OF_PLAYER))
    drawn = {edge: code for edge, code in zip(edges, codes, strict=False) if code != FREE}
    for row, owners in enumerate(rows_of(codes[len(edges) :], columns)):
        for column, owner in enumerate(owners):
            is_whole = all(edge in drawn for edge in edges_of_box(row, column))
            if owner != FREE and not (owner in OF_PLAYER and is_whole):
                message = _(
                    "the box in row {row}, column {column} is {value!r}: only a box with four drawn edges has an "
                    "owner, who is 0 or 1"
                )
                raise ValueError(message.format(row=row, column=column, value=owner))
    return drawn


ANALYSIS_INPUT = AnalysisInput[Board](analysis_after_moves, analysis_of_cells)


def rendering(position: Dots) -> Text:
    """Return the board as rich Text: drawn edges as lines, owners' letters in boxes, and the players' box counts below.

    The edges of the last turn, made by the side that moved last, are lines of #. Boxes that this turn has completed are
    in brackets.

    The margins show an edge's name: for a horizontal edge, the two letters left of its line and the letter above it;
    for a vertical edge, the two letters above its line and the letter left of it.

                  A   B
              BA  BB  BC
          AA  .---.   .      AAA is drawn, AAB is free
           A  |   #          BBA has been drawn last
          AB  .   .   .
    """
    drawn = Text(no_wrap=True)
    turn = position.last_turn(position.drawers[-1]) if position.moves else []
    captured = {
        box for edge in turn for box in position.boxes_beside(edge) if position.edges_drawn(*box) == EDGES_OF_A_BOX
    }
    letters_above_boxes = "".join(f"{letter:<{STEP}}" for letter in LETTERS[: position.columns])
    letters_above_dots = "".join(f"B{letter:<{STEP - 1}}" for letter in LETTERS[: position.columns + 1])
    drawn.append(f"{' ' * (MARGIN + STEP // 2)}{letters_above_boxes}\n", style="dim")
    drawn.append(f"{' ' * MARGIN}{letters_above_dots}\n", style="dim")
    for row in range(position.rows):
        _append_dots(drawn, position, row, turn)
        _append_boxes(drawn, position, row, turn, captured)
    _append_dots(drawn, position, position.rows, turn)
    for player, (letter, count) in enumerate(zip(OWNERS, position.counts, strict=True)):
        drawn.append(f"{' ' * MARGIN}{letter} {count}", STYLES[player])
    return drawn


def _append_dots(drawn: Text, position: Dots, row: int, turn: list[str]) -> None:
    """Append a line of dots with the horizontal edges between them. `turn` has the edges of the last turn."""
    drawn.append(f"{'A' + LETTERS[row]:>{MARGIN - 2}}  ", style="dim")
    for column in range(position.columns):
        drawn.append(".", "dim")
        _append_edge(drawn, position, horizontal(row, column), "-" * (STEP - 1), turn)
    drawn.append(".\n", "dim")


def _append_boxes(drawn: Text, position: Dots, row: int, turn: list[str], captured: set[Cell]) -> None:
    """Append a line of boxes with the vertical edges between them.

    `turn` has the edges of the last turn, and `captured` the boxes that this turn has completed.
    """
    drawn.append(f"{LETTERS[row]:>{MARGIN - 2}}  ", style="dim")
    for column in range(position.columns):
        _append_edge(drawn, position, vertical(row, column), "|", turn)
        owner = position.owner[row][column]
        if owner is None:
            drawn.append(" " * (STEP - 1))
        elif (row, column) in captured:
            drawn.append(f"[{OWNERS[owner]}]", STYLES[owner] + " reverse")
        else:
            drawn.append(f" {OWNERS[owner]} ", STYLES[owner])
    _append_edge(drawn, position, vertical(row, position.columns), "|", turn)
    drawn.append("\n")


def _append_edge(drawn: Text, position: Dots, edge: str, line: str, turn: list[str]) -> None:
    """Append an edge: as `line` if it is drawn, as # if it belongs to the last `turn`, or as blanks if it is free."""
    if edge in turn:
        drawn.append("#" * len(line), "bold bright_yellow" + (" reverse" if edge == position.last else ""))
    elif edge in position.drawn:
        drawn.append(line, STYLES[position.drawers[position.drawn.index(edge)]])
    else:
        drawn.append(" " * len(line))


def move_in_words(position: Dots) -> str:
    """Return a description of the last move: the edge, and how many boxes the edge has completed."""
    last = position.moves[-1]
    completed = [box for box in position.boxes_beside(last) if position.edges_drawn(*box) == EDGES_OF_A_BOX]
    forms = ("{move}", _("{move}, which completes a box"), _("{move}, which completes two boxes"))
    return forms[len(completed)].format(move=last)


def ending(position: Dots) -> str:
    """Return a recorded() message that says what the winner has, or why the game is a draw."""
    first, second = position.counts
    if position.winner is None:
        return (DRAW_OF_ONE if first == 1 else DRAW).format(boxes=first)
    return WIN.format(boxes=max(first, second), others=min(first, second))


def read_move(text: str) -> str:
    """Return the move that `text`, as a user has typed it, names: an edge such as AAB or aab.

    Raise IllegalMove if no board has this edge.
    """
    if text.upper() not in edges_of_board(LARGEST_SIDE, LARGEST_SIDE):
        raise IllegalMove(
            recorded("{edge} is no edge, expected three letters such as AAB or BCA").format(edge=repr(text))
        )
    return text.upper()


def worth(position: Dots, player: int) -> int:
    """Return the player's number of boxes minus the opponent's."""
    return position.counts[player] - position.counts[1 - player]
