"""Reversi's boards (a size and an opening, from a seed or a record), notation and rendering.

The notation of a board is `8x8`, which may be followed by an opening. The notation of a move is a cell such as d3.
Cells are numbered row by row from the top.
"""

import argparse
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from judge.games.boards import BoardOption, check_keys, is_list_of_texts, number_below, opening_plies_option
from judge.games.game import (
    DRAWING,
    FREE,
    MARKS,
    OF_PLAYER,
    PASS,
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
from judge.games.reversi.rules import LARGEST_SIZE, LETTERS, SMALLEST_SIZE, Reversi, cell_name, cell_of, turned
from judge.language import _, marked, recorded

DEFAULT_SIZE = 8
DEFAULT_OPENING_PLIES = 8  # in matches: without an opening, two deterministic bots would always play the same game
MOVE = re.compile(r"[a-z]\d{1,2}|pass|pa", re.IGNORECASE)
# Cells one behind the other, after the number of the move where it is told: F5D6C3, 1.f5d6, 12. or PA.
WORD = re.compile(rf"(?:\d{{1,3}}\.)?(?:{MOVE.pattern})*", re.IGNORECASE)
MOVE_EXAMPLE = "d3"
REST_EXAMPLE = "opening d3,c3"
DISCS = ("X", "O")  # the first mover's and the second mover's
STYLES = ("bold bright_green", "bold bright_white")
LEGAL = "+"
# Endings, as records store them.
DRAW = recorded("each player has {discs} discs", "reversi.draw")
WIN = recorded("has {discs} discs to {others}", "reversi.win")


@dataclass(frozen=True)
class Board:
    """The start of a game: the size, and an opening.

    The `opening` holds the moves ("d3", ...) that are made before the players are asked.
    """

    size: int
    opening: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the board as in a record."""
        return {"size": self.size, "opening": list(self.opening)}

    def in_words(self) -> str:
        """Return a short description of the board."""
        if not self.opening:
            return f"{self.size} x {self.size}"
        return _("{size} x {size} after the opening {opening}").format(size=self.size, opening=" ".join(self.opening))


def read_board(content: dict[str, Any]) -> Board:
    """Return the Board that the JSON object `content`, the field "board" of a record, describes.

    Raises ValueError, which says what is wrong, if the object is invalid.
    """
    check_keys(content, "size", "opening")
    size, opening = content["size"], content["opening"]
    if type(size) is not int or not is_list_of_texts(opening):
        message = _("the board is {board!r}, expected a size, and an opening that is a list of moves")
        raise ValueError(message.format(board=content))
    return Board(size, tuple(opening))


def most_opening_plies(size: int) -> int:
    """Return the largest number of plies of an opening on a board of this size: half of all plies of a game."""
    return (size * size - 4) // 2


def complete_board_options(given: dict[str, Any], for_one_game: bool) -> dict[str, Any]:
    """Return the given options, completed by the defaults of the others.

    `for_one_game` says that a single game is to be played, which has no opening by default. Raise ValueError, which
    says what is wrong, for invalid options.
    """
    size = given.get("size", DEFAULT_SIZE)
    most = most_opening_plies(size)
    plies = given.get("opening_plies", 0 if for_one_game else min(DEFAULT_OPENING_PLIES, most // 2))
    if not 0 <= plies <= most:
        message = _("opening-plies is {plies}, expected 0..{most} for size {size}")
        raise ValueError(message.format(plies=plies, most=most, size=size))
    return {"size": size, "opening_plies": plies}


def draw_board(seed: int, pair: int, size: int, opening_plies: int) -> Board:
    """Return the board of pair number `pair` (from 0) of the match with this seed, with random moves as opening.

    Precondition: complete_board_options() accepts `size` and `opening_plies`.
    """
    attempt = 0
    while True:  # in rare cases the game ends within the opening
        position = Reversi(size)
        opening: list[str] = []
        while len(opening) < opening_plies and not position.over:
            legal = position.legal_moves()
            opening.append(legal[number_below(len(legal), "opening", seed, pair, attempt, len(opening))])
            position.play(opening[-1])
        if not position.over:
            return Board(size, tuple(opening))
        attempt += 1


def _size(text: str) -> int:
    """Return the size in a text of the command line. Raises argparse.ArgumentTypeError if the text is no size."""
    if not (text.isascii() and text.isdecimal() and SMALLEST_SIZE <= int(text) <= LARGEST_SIZE):
        message = _("{text!r} is no size, expected {least}..{most}")
        raise argparse.ArgumentTypeError(message.format(text=text, least=SMALLEST_SIZE, most=LARGEST_SIZE))
    return int(text)


def _help_on_size() -> str:
    return _("number of rows of the board, and also of columns, {least}..{most} (default: {default})").format(
        least=SMALLEST_SIZE, most=LARGEST_SIZE, default=DEFAULT_SIZE
    )


def _help_on_opening() -> str:
    return _(
        "begin each game after this number of random moves, which are drawn from the seed and are "
        "the same in both games of a pair (default: {default}, fewer on small boards; 0 for `play`)"
    ).format(default=DEFAULT_OPENING_PLIES)


OPTIONS = (
    BoardOption(
        "--size",
        marked("size"),
        {"type": _size, "metavar": "N"},
        _help_on_size,
        bounds=(SMALLEST_SIZE, LARGEST_SIZE),
        default=DEFAULT_SIZE,
    ),
    opening_plies_option(_help_on_opening, most_opening_plies(LARGEST_SIZE)),
)


def last_cell(position: Reversi) -> int:
    """Return the number of the cell that was played last. Precondition: a move was made."""
    row, column = position.moves[-1]
    return row * position.size + column


def hints(position: Reversi) -> list[CellHint]:
    """Return a hint for each cell that the side to move may take. The sign is the digit of that side."""
    mover = OF_PLAYER[position.to_move]
    return [CellHint(row * position.size + column, mover, True) for row, column in position.legal_cells()]


def movers(position: Reversi, moves: Iterable[AnyMove]) -> Iterator[int]:
    """Yield for each of these moves the player who makes it, up to the first illegal one (see `movers` of Cells).

    A move that only the other side can make counts as a move after a pass. Whether the side to move really had no move
    is not checked.
    """
    owner = [list(row) for row in position.owner]
    player = position.to_move
    for move in moves:
        try:
            row, column = cell_of(move)
        except IllegalMove:
            return
        discs = turned(owner, player, row, column)
        if not discs:
            player = 1 - player
            discs = turned(owner, player, row, column)
        if not discs:
            return
        for disc_row, disc_column in [(row, column), *discs]:
            owner[disc_row][disc_column] = player
        yield player
        player = 1 - player


def position_of(size: tuple[int, int], codes: str, mover: int) -> Reversi:
    """Return the position with these cells (see `position` of Cells). Raise ValueError if it cannot be played on."""
    _check_size_and_codes(size, codes)
    position = Reversi(size[0])
    position.set_up(owners_of(codes, size[1]), mover)
    if position.over:
        raise ValueError(_("Neither side has a legal move: the game is over."))
    if position.to_move != mover:
        raise ValueError(_("The side to move has no legal move and must pass: let the other side move."))
    return position


CELLS = Cells[Reversi](
    size=lambda position: (position.size, position.size),
    codes=lambda position: codes_of(position.owner),
    last=last_cell,
    line=lambda position: [],
    move_of_cell=lambda size: [cell_name(row, column) for row in range(size[0]) for column in range(size[1])],
    hints=hints,
    movers=movers,
    position=position_of,
)
ON_PAGES = PageDescription(
    name=marked("reversi"),
    face="squares",
    letters=LETTERS,
    first_row=1,
    cell="{name}",
    move="{move}",
    again=marked("{move}, the other side has no move"),
    hints=marked("legal moves"),
    sides=(SMALLEST_SIZE, LARGEST_SIZE),
    is_square=True,
    usual_size=(DEFAULT_SIZE, DEFAULT_SIZE),
    tools=(
        (OF_PLAYER[0], marked("puts a disc of the first player")),
        (OF_PLAYER[1], marked("puts a disc of the second player")),
        (FREE, marked("empties the cell")),
    ),
    board={"size": "{rows}"},
)


def _read_word(word: str) -> list[AnyMove]:
    """Return the cells in a word, and PASS for each pass. Raise ValueError if the word has anything else."""
    check_word(word, WORD, "reversi", MOVE_EXAMPLE)
    moves = [move.lower() for move in MOVE.findall(word.rpartition(".")[2])]
    return [PASS if move == "pa" else move for move in moves]


def _read_board(rows: int, columns: int, rest: str) -> dict[str, Any]:
    """Return the board as in a record (see `read_board` of Notation).

    Raise ValueError if `rest` is invalid, or if there are not as many rows as columns.
    """
    if rows != columns:
        raise ValueError(
            recorded("{found} is no board of reversi, expected as many rows as columns").format(
                found=f"{rows}x{columns}"
            )
        )
    return {"size": rows, "opening": opening_of(rest, _read_word, REST_EXAMPLE)}


def _write_board(board: dict[str, Any]) -> str:
    """Return the notation of a record's board."""
    return with_opening(f"{board['size']}x{board['size']}", board["opening"])


NOTATION = Notation(WORD, MOVE_EXAMPLE, REST_EXAMPLE, None, _read_word, _read_board, _write_board)


def analysis_after_moves(board: Board, moves: Sequence[AnyMove]) -> AnalysisArguments:
    """Return (options, stdin) of `bot analyze` for the position after these moves on `board`.

    The bot itself derives where a side has to pass.
    """
    return [f"--size={board.size}", *moves_option([*board.opening, *moves])], b""


def analysis_of_cells(size: tuple[int, int], codes: str, mover: int) -> AnalysisArguments:
    """Return (options, stdin) of `bot analyze` for the position with these cells (see AnalysisInput)."""
    _check_size_and_codes(size, codes)
    drawn = codes.translate({ord(OF_PLAYER[player]): MARKS[player] for player in (0, 1)})
    return [DRAWING, f"--to-move={MARKS[mover]}"], drawing(rows_of(drawn, size[1]))


def _check_size_and_codes(size: tuple[int, int], codes: str) -> None:
    """Raise ValueError unless a board may have this size, and `codes` has a valid character for each of its cells."""
    check_size(size, SMALLEST_SIZE, LARGEST_SIZE)
    rows, columns = size
    if rows != columns:
        message = _("the board has {rows} rows and {columns} columns, expected as many rows as columns")
        raise ValueError(message.format(rows=rows, columns=columns))
    check_codes(codes, rows * columns, FREE + "".join(OF_PLAYER))


ANALYSIS_INPUT = AnalysisInput[Board](analysis_after_moves, analysis_of_cells)


def rendering(position: Reversi) -> Text:
    """Return the board as rich Text, with '+' for legal moves, the last disc in brackets, and the disc counts below."""
    legal = position.legal_cells()
    drawn = Text(no_wrap=True)
    letters = "".join(f"{letter:^3}" for letter in LETTERS[: position.size])
    drawn.append(f"    {letters}\n", style="dim")
    for row in range(position.size):
        drawn.append(f"{row + 1:>3} ", style="dim")
        for column in range(position.size):
            drawn.append(*_cell_text(position, row, column, legal))
        drawn.append("\n")
    drawn.append(f"    {letters}\n", style="dim")
    for player, (disc, count) in enumerate(zip(DISCS, position.counts, strict=True)):
        drawn.append(f"    {disc} {count}", STYLES[player])
    return drawn


def _cell_text(position: Reversi, row: int, column: int, legal: list[Cell]) -> tuple[str, str]:
    """Return (the three characters of a cell in the rendering, their rich style). `legal` are the legal cells."""
    player = position.owner[row][column]
    if player is None:
        return (f" {LEGAL} ", "dim green") if (row, column) in legal else (" . ", "dim")
    if (row, column) == position.last:
        return f"[{DISCS[player]}]", STYLES[player] + " reverse"
    return f" {DISCS[player]} ", STYLES[player]


def move_in_words(position: Reversi) -> str:
    """Return a description of the last move, which also says if the other side has to pass."""
    row, column = position.moves[-1]
    move = cell_name(row, column)
    return _("{move}, the other side has no move").format(move=move) if position.passed else move


def ending(position: Reversi) -> str:
    """Return a recorded() message that says what the winner has, or why the game is a draw."""
    first, second = position.counts
    if position.winner is None:
        return DRAW.format(discs=first)
    return WIN.format(discs=max(first, second), others=min(first, second))


def read_move(text: str) -> str:
    """Return the move that `text`, as a user has typed it, names: a cell such as d3.

    Raise IllegalMove if the text names no cell.
    """
    return cell_name(*cell_of(text))


def worth(position: Reversi, player: int) -> int:
    """Return the weighted discs of the player minus those of the opponent.

    A disc weighs 1. In the first row or column the board's size is added to its weight, and in the last row or column
    the size is added again. This is the measure of the Othello program in docs/references.md.
    """
    last = position.size - 1
    total = 0
    for row, owners in enumerate(position.owner):
        for column, owner in enumerate(owners):
            if owner is not None:
                edges = (0 in (row, column)) + (last in (row, column))
                weight = 1 + edges * position.size
                total += weight if owner == player else -weight
    return total
