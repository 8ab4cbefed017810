"""Reversi's boards, a size and an opening, drawn from a seed or read from a record; how positions are written and
drawn.

People write `8x8`, perhaps with an opening, and cells such as d3. Cells go row by row from the top.
"""

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from judge.games.boards import BoardOption, is_list_of_texts, number_below, opening_plies_option
from judge.games.game import (
    DRAWING,
    FREE,
    MARKS,
    NO_MOVE,
    OF_PLAYER,
    AnalysisInput,
    Cells,
    Notation,
    Words,
    check_codes,
    check_size,
    code,
    drawing,
    moves_option,
    opening_of,
    quoted,
    rows_of,
    with_opening,
)
from judge.games.positions import AnyMove, Cell
from judge.games.reversi.rules import LARGEST_SIZE, LETTERS, SMALLEST_SIZE, Reversi, cell_name, cell_of
from judge.language import _, recorded

DEFAULT_SIZE = 8
DEFAULT_OPENING_PLIES = 8  # of matches: two bots that know no chance would play but one game
WORD = re.compile(r"[a-zA-Z]\d{1,2}")
MOVE_EXAMPLE = "d3"
REST_EXAMPLE = "opening d3,c3"
NOT_SQUARE = recorded("{found} is no board of reversi, expected as many rows as columns")
DISCS = ("X", "O")  # the first mover's and the second mover's
STYLES = ("bold bright_green", "bold bright_white")
LEGAL = "+"
# Endings, as records keep them.
DRAW = recorded("{discs} discs each", "reversi.draw")
WIN = recorded("has {discs} discs to {others}", "reversi.win")


@dataclass(frozen=True)
class Board:
    """The start of a game: the size, and the moves ("d3", ...) made before the players are asked."""

    size: int
    opening: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The board as a record holds it."""
        return {"size": self.size, "opening": list(self.opening)}

    def in_words(self) -> str:
        """The board in a few words."""
        if not self.opening:
            return f"{self.size} x {self.size}"
        return _("{size} x {size} after {opening}").format(size=self.size, opening=" ".join(self.opening))


def read_board(content: dict[str, Any]) -> Board:
    """The Board of a record's JSON object. Raises ValueError naming what is wrong with it."""
    if set(content) != {"size", "opening"}:
        raise ValueError(
            _("board has {keys}, expected {expected}").format(
                keys=", ".join(content) or _("nothing"), expected="size, opening"
            )
        )
    size, opening = content["size"], content["opening"]
    if type(size) is not int or not is_list_of_texts(opening):
        message = _("board is {board!r}, expected a size and an opening, a list of moves")
        raise ValueError(message.format(board=content))
    return Board(size, tuple(opening))


def most_opening_plies(size: int) -> int:
    """How long an opening on a board of this size may be: half of the game."""
    return (size * size - 4) // 2


def complete_board_options(given: dict[str, Any], for_one_game: bool) -> dict[str, Any]:
    """The options of a run's boards as they hold for it: those given, and for the others what they default to.

    Raises ValueError naming what does not fit.
    """
    size = given.get("size", DEFAULT_SIZE)
    usual = 0 if for_one_game else min(DEFAULT_OPENING_PLIES, most_opening_plies(size) // 2)
    plies = given.get("opening_plies", usual)
    if not 0 <= plies <= most_opening_plies(size):
        message = _("opening-plies is {plies}, expected 0..{most} for size {size}")
        raise ValueError(message.format(plies=plies, most=most_opening_plies(size), size=size))
    return {"size": size, "opening_plies": plies}


def draw_board(seed: int, pair: int, size: int, opening_plies: int) -> Board:
    """The board of pair number `pair` (from 0) of the match with this seed: random legal moves as its opening.

    Precondition: complete_board_options takes size and opening_plies.
    """
    attempt = 0
    while True:  # a game may be over early, though hardly ever
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
    if not (text.isascii() and text.isdecimal() and SMALLEST_SIZE <= int(text) <= LARGEST_SIZE):
        message = _("{text!r} is no size, expected {least}..{most}")
        raise argparse.ArgumentTypeError(message.format(text=text, least=SMALLEST_SIZE, most=LARGEST_SIZE))
    return int(text)


def _help_on_size() -> str:
    return _("rows and columns, {least}..{most} (default: {default})").format(
        least=SMALLEST_SIZE, most=LARGEST_SIZE, default=DEFAULT_SIZE
    )


def _help_on_opening() -> str:
    return _(
        "let games begin after so many random moves, drawn from the seed, the same for both games of a pair "
        "(default: {default}, less on small boards; 0 for `play`)"
    ).format(default=DEFAULT_OPENING_PLIES)


OPTIONS = (
    BoardOption(
        "--size",
        {"type": _size, "metavar": "N"},
        _help_on_size,
        bounds=(SMALLEST_SIZE, LARGEST_SIZE),
        default=DEFAULT_SIZE,
    ),
    opening_plies_option(_help_on_opening, most_opening_plies(LARGEST_SIZE)),
)


def last(position: Reversi) -> int:
    """The number of the cell that was played last."""
    row, column = position.moves[-1]
    return row * position.size + column


CELLS = Cells[Reversi](
    size=lambda position: (position.size, position.size),
    codes=lambda position: "".join(code(owner) for row in position.owner for owner in row),
    last=last,
    line=lambda position: [],
)


def _read_word(word: str) -> list[AnyMove]:
    if not WORD.fullmatch(word):
        raise ValueError(NO_MOVE.format(found=quoted(word), game="reversi", example=MOVE_EXAMPLE))
    return [word.lower()]


def _read_board(rows: int, columns: int, rest: str) -> dict[str, Any]:
    if rows != columns:
        raise ValueError(NOT_SQUARE.format(found=f"{rows}x{columns}"))
    return {"size": rows, "opening": opening_of(rest, _read_word, REST_EXAMPLE)}


def _write_board(board: dict[str, Any]) -> str:
    return with_opening(f"{board['size']}x{board['size']}", board["opening"])


NOTATION = Notation(WORD, MOVE_EXAMPLE, REST_EXAMPLE, None, _read_word, _read_board, _write_board)


def after_moves(board: Board, moves: Sequence[AnyMove]) -> Words:
    """As PositionWords has it; the bot knows who is passed over."""
    return [f"--size={board.size}", *moves_option([*board.opening, *moves])], b""


def of_cells(size: tuple[int, int], codes: str, mover: int) -> Words:
    """As PositionWords has it."""
    check_size(size, SMALLEST_SIZE, LARGEST_SIZE)
    rows, columns = size
    if rows != columns:
        message = _("the board has {rows} rows and {columns} columns, expected as many")
        raise ValueError(message.format(rows=rows, columns=columns))
    check_codes(codes, rows * columns, FREE + "".join(OF_PLAYER))
    drawn = codes.translate({ord(OF_PLAYER[player]): MARKS[player] for player in (0, 1)})
    return [DRAWING, f"--to-move={MARKS[mover]}"], drawing(rows_of(drawn, columns))


ANALYSIS_INPUT = AnalysisInput[Board](after_moves, of_cells)


def rendering(position: Reversi) -> Text:
    """The board as rich Text: the cells that the side to move may play '+', the last disc in brackets.

    Below it stands how many discs the two have.
    """
    legal = position.legal_cells()
    drawn = Text(no_wrap=True)
    letters = "".join(f"{letter:^3}" for letter in LETTERS[: position.size])
    drawn.append(f"    {letters}\n", style="dim")
    for row in range(position.size):
        drawn.append(f"{row + 1:>3} ", style="dim")
        for column in range(position.size):
            drawn.append(*_cell(position, row, column, legal))
        drawn.append("\n")
    drawn.append(f"    {letters}\n", style="dim")
    for player, (disc, count) in enumerate(zip(DISCS, position.counts, strict=True)):
        drawn.append(f"    {disc} {count}", STYLES[player])
    return drawn


def _cell(position: Reversi, row: int, column: int, legal: list[Cell]) -> tuple[str, str]:
    player = position.owner[row][column]
    if player is None:
        return (f" {LEGAL} ", "dim green") if (row, column) in legal else (" . ", "dim")
    if (row, column) == position.last:
        return f"[{DISCS[player]}]", STYLES[player] + " reverse"
    return f" {DISCS[player]} ", STYLES[player]


def move_in_words(position: Reversi) -> str:
    """The move that has just been made, and whether the other side has to pass."""
    row, column = position.moves[-1]
    move = cell_name(row, column)
    return _("{move}, the other side has no move").format(move=move) if position.passed else move


def ending(position: Reversi) -> str:
    """What ended a game, to be said of its winner or as the reason of a draw."""
    first, second = position.counts
    if position.winner is None:
        return DRAW.format(discs=first)
    return WIN.format(discs=max(first, second), others=min(first, second))


def read_move(text: str) -> str:
    """The cell that somebody has typed, such as d3. Raises IllegalMove for what is no cell."""
    return cell_name(*cell_of(text))


def worth(position: Reversi, player: int) -> int:
    """How the board stands for the player: discs, with so much more as the board is wide for those at an edge.

    That is the measure of the Othello program which the project's second seed documents: the size for a disc in the
    first row or column, and once more in the last row or column.
    """
    last = position.size - 1
    total = 0
    for row, discs in enumerate(position.owner):
        for column, owner in enumerate(discs):
            edges = (row == 0 or column == 0) + (row == last or column == last)
            if owner is not None:
                total += (1 + edges * position.size) * (1 if owner == player else -1)
    return total
