"""Connect four's boards (from a seed, options or a record), notation and rendering.

The notation of a board is a text such as `9x12 forbidden 0,8`. The notation of a move is the number of its column,
counted from 0. Cells are numbered row by row from the top.
"""

import argparse
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from judge.games.boards import BoardOption, check_keys, number_below
from judge.games.connect_four import rules
from judge.games.connect_four.rules import ConnectFour
from judge.games.game import (
    DRAWING,
    FORBIDDEN,
    FREE,
    MARKS,
    OF_PLAYER,
    WHAT_ELSE,
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
    owners_of,
    quoted,
    rows_of,
)
from judge.games.positions import AnyMove, Cell, check_range
from judge.language import _, marked, recorded

SMALLEST_SIDE = 9  # the range of the protocol
LARGEST_SIDE = 12
SIDES = (SMALLEST_SIDE, LARGEST_SIDE)
WORD = re.compile(r"\d{1,3}")
REST = re.compile(r"forbidden\s+(?:(?P<none>none)|(?P<row>\d{1,3})\s*,\s*(?P<column>\d{1,3}))", re.IGNORECASE)
MOVE_EXAMPLE = "4"
REST_EXAMPLE = "forbidden 0,8"
BETWEEN_ROWS = " "
STONES = ("X", "O")  # the first mover's and the second mover's
STYLES = ("bold bright_red", "bold bright_yellow")
# Endings, as records store them.
FULL = recorded("the board is full", "connect_four.board_full")
FOUR_IN_A_LINE = recorded("has four in a line", "connect_four.four_in_a_line")


@dataclass(frozen=True)
class Board:
    """An empty board: its numbers of rows and columns, and its forbidden cell.

    `forbidden` is (row, column), row 0 on top; None if the board has no forbidden cell.
    """

    rows: int
    cols: int
    forbidden: Cell | None

    def as_json(self) -> dict[str, Any]:
        """Return the board as in a record."""
        forbidden = None if self.forbidden is None else list(self.forbidden)
        return {"rows": self.rows, "cols": self.cols, "forbidden": forbidden}

    def in_words(self) -> str:
        """Return a short description of the board."""
        if self.forbidden is None:
            return _("{rows} rows x {cols} columns, no forbidden cell").format(rows=self.rows, cols=self.cols)
        row, column = self.forbidden
        return _("{rows} rows x {cols} columns, forbidden cell {row},{column}").format(
            rows=self.rows, cols=self.cols, row=row, column=column
        )


def read_board(content: dict[str, Any]) -> Board:
    """Return the Board that the JSON object `content`, the field "board" of a record, describes.

    Raises ValueError, which says what is wrong, if the object is invalid.
    """
    check_keys(content, "rows", "cols", "forbidden")
    forbidden = content["forbidden"]
    for name in ("rows", "cols"):
        if type(content[name]) is not int:
            message = _("board: {name} is {value!r}, expected an integer")
            raise ValueError(message.format(name=name, value=content[name]))
    if forbidden is not None:
        if not isinstance(forbidden, list) or [type(part) for part in forbidden] != [int, int]:
            raise ValueError(_("board: forbidden is {value!r}, expected null or [row, column]").format(value=forbidden))
        forbidden = tuple(forbidden)
    return Board(content["rows"], content["cols"], forbidden)


def draw_board(
    seed: int, pair: int, rows: int | None = None, cols: int | None = None, forbidden: Cell | None = None
) -> Board:
    """Return the board of pair number `pair` (from 0) of the match with this seed.

    Values that are not None are used, the others are drawn. A drawn size is large enough for the given forbidden cell.
    Raise ValueError, which names the value that is out of range.
    """
    least_rows = least_cols = SMALLEST_SIDE
    if forbidden is not None:
        least_rows, least_cols = (min(max(SMALLEST_SIDE, coordinate + 1), LARGEST_SIDE) for coordinate in forbidden)
    if rows is None:
        rows = least_rows + number_below(LARGEST_SIDE - least_rows + 1, "rows", seed, pair)
    if cols is None:
        cols = least_cols + number_below(LARGEST_SIDE - least_cols + 1, "cols", seed, pair)
    check_range("rows", rows, SMALLEST_SIDE, LARGEST_SIDE)
    check_range("cols", cols, SMALLEST_SIDE, LARGEST_SIDE)
    if forbidden is None:
        forbidden = divmod(number_below(rows * cols, "forbidden", seed, pair), cols)
    row, column = forbidden
    if not (0 <= row < rows and 0 <= column < cols):
        message = _(
            "forbidden cell {row},{column} is off the board, expected rows 0..{last_row} and columns 0..{last_column}"
        )
        raise ValueError(message.format(row=row, column=column, last_row=rows - 1, last_column=cols - 1))
    return Board(rows, cols, (row, column))


def complete_board_options(given: dict[str, Any], for_one_game: bool) -> dict[str, Any]:
    """Return the given options as JSON values. draw_board() draws the missing ones; `for_one_game` has no effect.

    Raise ValueError if an option is out of range.
    """
    draw_board(0, 0, **given)
    cell = given.get("forbidden")
    return given if cell is None else {**given, "forbidden": list(cell)}


def _cell(text: str) -> Cell:
    """Return the cell of a text "row,column", both from 0. Raises argparse.ArgumentTypeError for another text.

    draw_board() checks that the cell is on the board.
    """
    parts = text.split(",")
    if len(parts) != 2 or not all(part.strip().isascii() and part.strip().isdecimal() for part in parts):
        raise argparse.ArgumentTypeError(
            _("{text!r} is not a cell, expected ROW,COLUMN counted from 0").format(text=text)
        )
    return int(parts[0]), int(parts[1])


def _help_on_rows() -> str:
    text = _("number of rows of the board, {least}..{most} (default: drawn from the seed)")
    return text.format(least=SMALLEST_SIDE, most=LARGEST_SIDE)


def _help_on_columns() -> str:
    text = _("number of columns of the board, {least}..{most} (default: drawn from the seed)")
    return text.format(least=SMALLEST_SIDE, most=LARGEST_SIDE)


def _help_on_forbidden() -> str:
    return _("row and column of the forbidden cell, counted from 0 (default: drawn from the seed)")


OPTIONS = (
    BoardOption("--rows", marked("rows"), {"type": int, "metavar": "R"}, _help_on_rows, bounds=SIDES),
    BoardOption("--cols", marked("columns"), {"type": int, "metavar": "C"}, _help_on_columns, bounds=SIDES),
    BoardOption(
        "--forbidden", marked("forbidden cell"), {"type": _cell, "metavar": "R,C"}, _help_on_forbidden, example="4,5"
    ),
)


def codes(position: ConnectFour) -> str:
    """Return the characters of all cells. For the order and the characters see Cells."""
    text = codes_of(position.owner)
    if position.forbidden is None:
        return text
    number = _cell_number(position, position.forbidden)
    return text[:number] + FORBIDDEN + text[number + 1 :]


def _cell_number(position: ConnectFour, cell: Cell) -> int:
    """Return the number of a (row, column) in Cells."""
    return cell[0] * position.cols + cell[1]


def hints(position: ConnectFour) -> list[CellHint]:
    """Return the threats: a hint for each free cell in which a player's stone would complete a line.

    The sign is the player's digit. `is_now` says whether a stone would land in the cell now.
    """
    width = position.cols + len(BETWEEN_ROWS)
    board = BETWEEN_ROWS.join(rows_of(codes(position), position.cols))
    completing = {player: completing_cells(_bits(board, player), width) for player in OF_PLAYER}
    threats = []
    for place, character in enumerate(board):
        row, column = divmod(place, width)
        for player in OF_PLAYER:
            if character == FREE and completing[player] >> place & 1:
                is_now = position.landing_row(column) == row
                threats.append(CellHint(_cell_number(position, (row, column)), player, is_now))
    return threats


def _bits(text: str, character: str) -> int:
    """Return a number in which bit n, counted from the lowest, is 1 if text[n] is this character."""
    return sum(1 << place for place, other in enumerate(text) if other == character)


def completing_cells(stones: int, width: int) -> int:
    """Return the cells, free or taken, in which one more stone would make a line of four with `stones`.

    Stones and cells are bits of a number. In one direction neighbours are 1 bit apart, in the other they are `width`
    bits apart. Between two lines of cells lies one bit that never holds a stone. The result may have bits that are off
    the board.
    """
    cells = 0
    for step in (1, width - 1, width, width + 1):
        up1, up2, up3 = stones >> step, stones >> 2 * step, stones >> 3 * step
        down1, down2, down3 = stones << step, stones << 2 * step, stones << 3 * step
        cells |= (up1 & up2 & up3) | (down1 & up1 & up2) | (down1 & down2 & up1) | (down1 & down2 & down3)
    return cells


def movers(position: ConnectFour, columns: Iterable[AnyMove]) -> Iterator[int]:
    """Yield for each of these moves the player who makes it, up to the first illegal one (see `movers` of Cells)."""
    text = codes(position)
    free: dict[AnyMove, int] = {column: text[column :: position.cols].count(FREE) for column in range(position.cols)}
    player = position.to_move
    for column in columns:
        if not free.get(column):
            return
        free[column] -= 1
        yield player
        player = 1 - player


def position_of(size: tuple[int, int], codes: str, mover: int) -> ConnectFour:
    """Return the position with these cells (see `position` of Cells). Raise ValueError if it cannot be played on."""
    _check_size_and_codes(size, codes)
    rows, columns = size
    forbidden = divmod(codes.index(FORBIDDEN), columns) if FORBIDDEN in codes else None
    position = ConnectFour(rows, columns, forbidden)
    position.set_up(owners_of(codes, columns), mover)
    stones = [divmod(number, columns) for number, character in enumerate(codes) if character in OF_PLAYER]
    if any(position.completes_line(*cell) for cell in stones):
        raise ValueError(_("Somebody has four in a line: the game is over."))
    if position.full:
        raise ValueError(_("The board is full: the game is over."))
    for row, column in stones:
        landing = position.landing_row(column)
        if landing is not None and landing > row:
            message = _("The stone in column {column} (row {row}) has nothing below it.")
            raise ValueError(message.format(column=column, row=row))
    _first_mover(codes, mover)  # raises ValueError for impossible numbers of stones
    return position


CELLS = Cells[ConnectFour](
    size=lambda position: (position.rows, position.cols),
    codes=codes,
    last=lambda position: _cell_number(position, position.moves[-1]),
    line=lambda position: sorted(_cell_number(position, cell) for cell in position.winning_cells()),
    move_of_cell=lambda size: [str(column) for column in range(size[1])] * size[0],
    hints=hints,
    movers=movers,
    position=position_of,
)
ON_PAGES = PageDescription(
    name=marked("connect four"),
    face="holes",
    cell=marked("column {column} (row {row})"),
    move=marked("column {column} (row {row})"),
    hints=marked("threats"),
    counts=False,
    sides=(4, LARGEST_SIDE),
    usual_size=(SMALLEST_SIDE, SMALLEST_SIDE),
    tools=(
        (OF_PLAYER[0], marked("puts a stone of the first player")),
        (OF_PLAYER[1], marked("puts a stone of the second player")),
        (FORBIDDEN, marked("sets the forbidden cell")),
        (FREE, marked("empties the cell")),
    ),
    board={"rows": "{rows}", "cols": "{columns}", "forbidden": "{forbidden}"},
)


def _read_word(word: str) -> list[AnyMove]:
    """Return the only move in a word, a column from 0. Raise ValueError if the word is no number."""
    check_word(word, WORD, "connect_four", MOVE_EXAMPLE)
    return [int(word)]


def _read_board(rows: int, columns: int, rest: str) -> dict[str, Any]:
    """Return the board as in a record (see `read_board` of Notation). Raise ValueError if `rest` is invalid."""
    match = REST.fullmatch(rest)
    if rest and match is None:
        raise ValueError(WHAT_ELSE.format(found=quoted(rest), example=REST_EXAMPLE))
    cell = None if match is None or match["none"] else [int(match["row"]), int(match["column"])]
    return {"rows": rows, "cols": columns, "forbidden": cell}


def _write_board(board: dict[str, Any]) -> str:
    """Return the notation of a record's board."""
    cell = board["forbidden"]
    return f"{board['rows']}x{board['cols']} forbidden " + ("none" if cell is None else f"{cell[0]},{cell[1]}")


NOTATION = Notation(WORD, MOVE_EXAMPLE, REST_EXAMPLE, REST, _read_word, _read_board, _write_board)


def analysis_after_moves(board: Board, moves: Sequence[AnyMove]) -> AnalysisArguments:
    """Return (options, stdin) of `bot analyze` for the position after these moves on `board`."""
    forbidden = [] if board.forbidden is None else [f"--forbidden={board.forbidden[0]},{board.forbidden[1]}"]
    return [f"--rows={board.rows}", f"--cols={board.cols}", *forbidden, *moves_option(moves)], b""


def analysis_of_cells(size: tuple[int, int], codes: str, mover: int) -> AnalysisArguments:
    """Return (options, stdin) of `bot analyze` for the position with these cells (see AnalysisInput).

    The bot derives the side to move from the numbers of stones: if they are equal, the first mover is to move.
    """
    _check_size_and_codes(size, codes)
    first = _first_mover(codes, mover)
    drawn = codes.translate({ord(OF_PLAYER[first]): MARKS[0], ord(OF_PLAYER[1 - first]): MARKS[1]})
    return [DRAWING], drawing(rows_of(drawn, size[1]))


def _check_size_and_codes(size: tuple[int, int], codes: str) -> None:
    """Raise ValueError unless a board may have this size, and `codes` has a valid character for each of its cells."""
    check_size(size, rules.SMALLEST_SIDE, rules.LARGEST_SIDE)
    check_codes(codes, size[0] * size[1], FREE + FORBIDDEN + "".join(OF_PLAYER))


def _first_mover(codes: str, mover: int) -> int:
    """Return the player who moved first, which follows from the numbers of stones and from the player to move, `mover`.

    Raise ValueError if the numbers of stones are impossible.
    """
    own, other = (codes.count(OF_PLAYER[player]) for player in (mover, 1 - mover))
    if other - own not in (0, 1):
        message = _(
            "The side to move has {own} stones and the other side {other}: the other side must have as "
            "many, or one more."
        )
        raise ValueError(message.format(own=own, other=other))
    return mover if own == other else 1 - mover


ANALYSIS_INPUT = AnalysisInput[Board](analysis_after_moves, analysis_of_cells)


def rendering(position: ConnectFour) -> Text:
    """Return the board as rich Text, with '#' for the forbidden cell and brackets around the last stone.

    Columns and rows are numbered. The stones of a completed line are between stars: "*X*".
    """
    winning = position.winning_cells()
    drawn = Text(no_wrap=True)
    numbers = "".join(f"{column:^3}" for column in range(position.cols))
    drawn.append(f"    {numbers}\n", style="dim")
    for row in range(position.rows):
        drawn.append(f"{row:>3} ", style="dim")
        for column in range(position.cols):
            drawn.append(*_drawn_cell(position, row, column, winning))
        drawn.append("\n")
    drawn.append(f"    {numbers}", style="dim")
    return drawn


def move_in_words(position: ConnectFour) -> str:
    """Return a description of the last move."""
    row, column = position.moves[-1]
    return _("column {column} (row {row})").format(column=column, row=row)


def ending(position: ConnectFour) -> str:
    """Return a recorded() message that says what the winner has, or why the game is a draw."""
    return FULL if position.winner is None else FOUR_IN_A_LINE


def _drawn_cell(position: ConnectFour, row: int, column: int, winning: set[Cell]) -> tuple[str, str]:
    """Return (the three characters of a cell in the rendering, their rich style). `winning` are the winning cells."""
    player = position.owner[row][column]
    if player is None:
        return (f" {FORBIDDEN} ", "bold") if (row, column) == position.forbidden else (" . ", "dim")
    if (row, column) in winning:
        return f"*{STONES[player]}*", STYLES[player] + " reverse"
    if (row, column) == position.last:
        return f"[{STONES[player]}]", STYLES[player] + " reverse"
    return f" {STONES[player]} ", STYLES[player]


def read_move(text: str) -> int:
    """Return the move that `text`, as a user has typed it, names: a column from 0.

    Raise ValueError if the text is not a number.
    """
    if not (text.isascii() and text.isdecimal()):
        raise ValueError(_("{text!r} is no column, expected a number").format(text=text))
    return int(text)
