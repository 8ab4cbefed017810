"""What the judge needs of a game. Each game's package makes a Game of its modules.

Beside it three ways to write a position: `Cells`, a text of one character for each cell, for whoever draws it without
knowing the rules; `Notation`, how people write boards and moves down, in files and as `analyze --moves` takes them; and
`AnalysisInput`, the options and the stdin of `bot analyze`.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from rich.text import Text

from judge.games.boards import Board, BoardOption
from judge.games.check_cases import CheckCase
from judge.games.positions import AnyMove, Position
from judge.language import _, recorded

PositionT = TypeVar("PositionT", bound=Position)

FREE = "."
FORBIDDEN = "#"  # nobody may ever take it
OF_OPENING = "-"  # taken before the game, nobody's
OF_PLAYER = ("0", "1")
SEPARATORS = re.compile(r"[\s,;]+")
OPENING = re.compile(r"opening\s+(?P<moves>.+)", re.IGNORECASE)
# Problems, as JSON keeps them.
NO_MOVE = recorded("{found} is no move of {game}, expected such as {example}")
WHAT_ELSE = recorded("{found} behind the size of the board, expected such as: {example}")
BoardT = TypeVar("BoardT", bound=Board)
Words = tuple[list[str], bytes]  # options, and a drawing or nothing
MARKS = ("X", "O")  # of the bot's drawings: what the first mover has, and the second
DRAWING = "--board"  # there is one on stdin
AskedPositionT = TypeVar("AskedPositionT", bound=Position, contravariant=True)


def code(owner: int | None) -> str:
    """The character of a cell that player 0, player 1 or nobody (None) has."""
    return FREE if owner is None else OF_PLAYER[owner]


@dataclass(frozen=True)
class Cells(Generic[PositionT]):
    """What draws a game's positions has of them; cells are numbered from 0 in an order of the game's own.

    size(position) is (rows, columns); codes(position) has a character for each cell, of those above; last(position) is
    the number of the cell that the last move took (there was one); line(position) are the numbers of the cells that
    have won by where they lie, [] before and in games without such a line.
    """

    size: Callable[[PositionT], tuple[int, int]]
    codes: Callable[[PositionT], str]
    last: Callable[[PositionT], int]
    line: Callable[[PositionT], list[int]]


@dataclass(frozen=True)
class Notation:
    """A game's way to write boards and moves.

    A board is ROWSxCOLUMNS with what `rest_example` shows behind it, or nothing: read_board(rows, columns, rest) is the
    board as records have it, write_board(board) the text. `own_rest` matches a rest that no other game has. A word of
    moves, such as move_example, matches `word`; read_word(word) are its moves. The functions raise ValueError with a
    problem's text.
    """

    word: re.Pattern[str]
    move_example: str
    rest_example: str
    own_rest: re.Pattern[str] | None
    read_word: Callable[[str], list[AnyMove]]
    read_board: Callable[[int, int, str], dict[str, Any]]
    write_board: Callable[[dict[str, Any]], str]


def words_of(text: str) -> list[str]:
    """The words between commas and blanks."""
    return [word for word in SEPARATORS.split(text) if word]


def opening_of(rest: str, read_word: Callable[[str], list[AnyMove]], example: str) -> list[AnyMove]:
    """The moves of an opening behind a board's size. Raises ValueError where something else stands there."""
    if not rest:
        return []
    found = OPENING.fullmatch(rest)
    if found is None:
        raise ValueError(WHAT_ELSE.format(found=quoted(rest), example=example))
    return [move for word in words_of(found["moves"]) for move in read_word(word)]


def with_opening(size: str, opening: Sequence[str]) -> str:
    """A board's text."""
    return f"{size} opening {','.join(opening)}" if opening else size


def quoted(text: str) -> str:
    """The beginning of a text, in quotes."""
    return repr(text[:40])


@dataclass(frozen=True)
class AnalysisInput(Generic[BoardT]):
    """A game's way to name positions.

    after_moves(board, moves): the one that the moves of a record lead to from its board. of_cells(size, codes, mover):
    the one of so many (rows, columns) with these characters (OF_PLAYER and so on), where player 0 or 1 is to move; it
    raises ValueError for what cannot be drawn. Both leave it to the bot whether there is a game with such a position.
    """

    after_moves: Callable[[BoardT, Sequence[AnyMove]], Words]
    of_cells: Callable[[tuple[int, int], str, int], Words]


def moves_option(moves: Iterable[AnyMove]) -> list[str]:
    """--moves with these, in one word: whatever stands there is no option."""
    text = ",".join(map(str, moves))
    return [f"--moves={text}"] if text else []


def drawing(lines: Iterable[str]) -> bytes:
    """The lines of a drawn board."""
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def check_size(size: tuple[int, int], least: int, most: int) -> None:
    """Raise ValueError unless a board may have so many rows and columns."""
    for name, value in zip(("rows", "columns"), size, strict=True):
        if not least <= value <= most:
            message = _("{name} is {value}, expected {least}..{most}")
            raise ValueError(message.format(name=name, value=value, least=least, most=most))


def check_codes(codes: str, expected: int, known: str) -> None:
    """Raise ValueError unless there are as many characters as expected, all of them among those known."""
    if len(codes) != expected:
        message = _("the position has {number} cells, expected {expected}")
        raise ValueError(message.format(number=len(codes), expected=expected))
    for character in codes:
        if character not in known:
            message = _("a cell is {value!r}, expected one of {choices}")
            raise ValueError(message.format(value=character, choices=" ".join(known)))


def rows_of(codes: str, columns: int) -> list[str]:
    """The characters row by row."""
    return [codes[start : start + columns] for start in range(0, len(codes), columns)]


class Replies(Protocol):
    """What makes replies of a bot's bytes; `partial` while some have come that belong to none handed out, `unread`."""

    @property
    def partial(self) -> bool: ...

    @property
    def unread(self) -> bytes: ...

    def feed(self, data: bytes) -> None: ...

    def next_reply(self) -> object | None: ...


class Wire(Protocol[AskedPositionT]):
    """The judge's half of one bot's wire, of which Game says more. A reply is what `replies` hands out."""

    @property
    def replies(self) -> Replies: ...

    @property
    def has_whole_turns(self) -> bool: ...

    def opening(self, position: AskedPositionT, player: int) -> bytes: ...

    def turn(self, position: AskedPositionT) -> bytes: ...

    def answer(self, position: AskedPositionT, reply: Any) -> bytes | None: ...

    def game_over(self) -> bytes: ...

    def play(self, position: AskedPositionT, reply: Any) -> Iterable[AnyMove]: ...

    def repeat(self, position: AskedPositionT, move: Any, is_own: bool) -> None: ...


@dataclass(frozen=True)
class Game(Generic[BoardT, PositionT]):
    """What the judge needs of a game.

    Boards: `board_options` (boards.BoardOption) are the command line's; complete_board_options(given, for_one_game)
    turns what was given of them into the keywords that draw_board(seed, pair, **given) takes; read_board(json)
    is the board of a record. These raise ValueError for what is out of range. What a wish turns into is kept with the
    records, as JSON. A board has as_json(), as records hold it, and in_words().

    Rules: new_position(board), a position with `to_move` (0 or 1, the same twice running where a player has
    no move, or another one), `over`, `winner` (0, 1 or None), `moves`, `last`, legal_moves(), and play(move), which
    takes a move as records hold it and raises rules.IllegalMove.

    Wire: wire(name, position), a codec like ConnectFourWire. Its opening(position, player) is sent to a player, number
    0 or 1, before the game; play(position, reply) gives the moves of a reply one by one, each when it has been made:
    where a side is to move twice running, one reply may hold both. repeat(position, move, is_own) makes a move of a
    record instead, the bot's own or the other side's; `has_whole_turns` where one reply holds all moves of a side until
    the other's turn.

    Rendering: rendering(position), a rich Text with the last moves and a line that has won marked, so that they are
    seen without colours; `stones`, how it draws players 0 and 1; `cells`, the position for whoever draws it
    elsewhere; and in words move_in_words(position), the move just made, and ending(position), what the winner has
    or why it is a draw.

    Checks: `check_cases`, what `judge check` puts a player through; `most_turns`, a player's turns in the longest game.

    Console: read_move(text), a typed move as records hold it (ValueError says what is expected); worth(position,
    player), an int that says at a glance how a player stands, None where the game has no such measure.

    Files: `notation`, how people write its boards and moves down. Our bot: `analysis_input`, how it is asked about
    one.
    """

    board_options: tuple[BoardOption, ...]
    complete_board_options: Callable[[dict[str, Any], bool], dict[str, Any]]
    draw_board: Callable[..., BoardT]
    read_board: Callable[[dict[str, Any]], BoardT]
    new_position: Callable[[BoardT], PositionT]
    wire: Callable[[str, PositionT], Wire[PositionT]]
    rendering: Callable[[PositionT], Text]
    cells: Cells[PositionT]
    stones: tuple[str, str]
    move_in_words: Callable[[PositionT], str]
    ending: Callable[[PositionT], str]
    read_move: Callable[[str], AnyMove]
    worth: Callable[[PositionT, int], int | None]
    notation: Notation
    analysis_input: AnalysisInput[BoardT]
    check_cases: tuple[CheckCase, ...]
    most_turns: int


AnyGame = Game[Any, Any]  # a name of the command line or a record tells which
AnyWire = Wire[Any]
