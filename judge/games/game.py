"""The interface between the judge and a game. Each game's package builds a Game from its modules.

A position has three formats: `Cells`, a text of one character per cell, from which it can be drawn without the rules;
`Notation`, the boards and moves that people write in files and in `analyze --moves`; and `AnalysisInput`, the options
and the stdin of `bot analyze`.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from rich.text import Text

from judge.games.boards import Board, BoardOption
from judge.games.check_cases import CheckCase
from judge.games.positions import AnyMove, Owners, Position, check_range
from judge.language import _, recorded

PositionT = TypeVar("PositionT", bound=Position)

# The characters of cells.
FREE = "."
FORBIDDEN = "#"  # no player may take it
OF_OPENING = "-"  # taken in the opening, without an owner
OF_PLAYER = ("0", "1")  # owned by player 0, by player 1
CODE_OF = {None: FREE, 0: OF_PLAYER[0], 1: OF_PLAYER[1]}  # {owner: character}
PASS = "pass"  # no move of a record; people name it
OPENING = re.compile(r"opening\s+(?P<moves>.+)", re.IGNORECASE)
WHAT_ELSE = recorded("{found} follows the size of the board, expected text such as: {example}")
BoardT = TypeVar("BoardT", bound=Board)
AnalysisArguments = tuple[list[str], bytes]  # options and stdin (a drawn board, or b"") of `bot analyze`
MARKS = ("X", "O")  # the characters of the first and the second mover in boards drawn for the bot
DRAWING = "--board"  # the option that announces a drawn board on stdin
AskedPositionT = TypeVar("AskedPositionT", bound=Position, contravariant=True)


def codes_of(owner: Owners) -> str:
    """Return the characters of a board's cells, row by row. `owner[row][column]` is player 0 or 1, None for FREE."""
    return "".join(map(CODE_OF.__getitem__, itertools.chain.from_iterable(owner)))


class CellHint(NamedTuple):
    """A hint for the reader of a drawing: the `sign` to show on a cell.

    `cell` is the number of the cell. `is_now` says whether the hint concerns the next move.
    """

    cell: int
    sign: str
    is_now: bool


def put_on_cell(_size: tuple[int, int], codes: str, cell: int, tool: str) -> str:
    """Return the characters of all cells after a click on the cell number `cell` (see `put` of Cells).

    The cell gets the character `tool`, or becomes FREE if it has that character. A new forbidden cell replaces the old
    one. The board's size does not matter.
    """
    others = codes.replace(FORBIDDEN, FREE) if tool == FORBIDDEN else codes
    return others[:cell] + (FREE if codes[cell] == tool else tool) + others[cell + 1 :]


@dataclass(frozen=True)
class Cells(Generic[PositionT]):
    """A position as numbered cells, for drawing; each game numbers its cells from 0 in its own order.

    size(position) returns (rows, columns). codes(position) returns for each cell one of the characters FREE, FORBIDDEN,
    OF_OPENING and OF_PLAYER. last(position) returns the number of the cell of the last move (precondition: a move was
    made). line(position) returns the numbers of the cells of a winning line, [] if there is no such line.

    move_of_cell(size) returns for each cell the text of the move that takes the cell, None if no move takes it. Several
    cells may have the same move, such as the cells of a column: the move takes the last of them that is free.
    hints(position) returns the game's CellHints, in the order of the cells. movers(position, moves) yields for each of
    the moves the player (0 or 1) who makes it, and stops before the first illegal move; a move after a win may count as
    legal.

    position(size, codes, mover) returns the position with these characters and player `mover` (0 or 1) to move. It
    raises ValueError if the position is impossible, or if the game is over in it.

    put(size, codes, cell, tool) returns the characters of all cells after a user who sets up a position has clicked on
    the cell number `cell` to put the character `tool` there.
    """

    size: Callable[[PositionT], tuple[int, int]]
    codes: Callable[[PositionT], str]
    last: Callable[[PositionT], int]
    line: Callable[[PositionT], list[int]]
    move_of_cell: Callable[[tuple[int, int]], Sequence[str | None]]
    hints: Callable[[PositionT], list[CellHint]]
    movers: Callable[[PositionT, Iterable[AnyMove]], Iterator[int]]
    position: Callable[[tuple[int, int], str, int], PositionT]
    put: Callable[[tuple[int, int], str, int, str], str] = put_on_cell


@dataclass(frozen=True)
class Notation:
    """A game's notation of boards and moves.

    A board is written as ROWSxCOLUMNS, which may be followed by a rest such as `rest_example`. read_board(rows,
    columns, rest) returns the board as in records; write_board(board) returns its text. `own_rest` matches a rest that
    only this game has; it is None if the game has no such rest. A word of moves, such as `move_example`, matches
    `word`. read_word(word) returns the moves in the word, and PASS where people name a pass. The functions that read
    raise ValueError with a message for the user.
    """

    word: re.Pattern[str]
    move_example: str
    rest_example: str
    own_rest: re.Pattern[str] | None
    read_word: Callable[[str], list[AnyMove]]
    read_board: Callable[[int, int, str], dict[str, Any]]
    write_board: Callable[[dict[str, Any]], str]


@dataclass(frozen=True)
class PageDescription:
    """What pages need to draw a game and to speak of it. All texts are marked() messages.

    `name` is the game's name. `face` names the drawing in judge/web/assets/view/faces. The columns of a board are named
    by `letters` in their order, or by numbers from 0 if there are none; the rows by numbers from `first_row`. `cell` is
    the name of a cell, with the fields {row} and {column}, numbers from 0, and {name}, the names of column and row.

    `move` is a move in words, with the fields {move}, {row} and {column}. `again` is used instead of it if the same
    side is to move again, unless it is "". more[n - 1] is used instead if the move changes n more cells than its own;
    the last one also stands for a larger n. `hints` is the name of what Cells.hints() shows. `counts` says whether the
    cells of each player count, which are the last rows x columns of a board's cells.

    For positions that a user sets up: the least and the most number of `sides`, whether boards are square, the
    `usual_size`, and the `tools`, each a character of a cell and a text. `board` has the board options of a game that
    begins there, with the fields {rows}, {columns} and {forbidden}, the row and the column of the forbidden cell.
    """

    name: str
    face: str
    cell: str
    move: str
    hints: str
    sides: tuple[int, int]
    usual_size: tuple[int, int]
    tools: tuple[tuple[str, str], ...]
    board: dict[str, str]
    letters: str = ""
    first_row: int = 0
    again: str = ""
    more: tuple[str, ...] = ()
    counts: bool = True
    is_square: bool = False


def split_words(text: str) -> list[str]:
    """Return the words of a text, which are separated by blanks, commas or semicolons."""
    return [word for word in re.split(r"[\s,;]+", text) if word]


def check_word(word: str, pattern: re.Pattern[str], game: str, example: str) -> None:
    """Raise ValueError unless `word` matches `pattern`, the pattern of a game's words of moves.

    `game` is the game's name, and `example` a valid word; both are for the message.
    """
    if not pattern.fullmatch(word):
        raise ValueError(
            recorded("{found} is no move of {game}, expected a move such as {example}").format(
                found=quoted(word), game=game, example=example
            )
        )


def opening_of(rest: str, read_word: Callable[[str], list[AnyMove]], example: str) -> list[AnyMove]:
    """Return the moves of an opening; `rest` is the notation of a board without its size. Return [] for an empty rest.

    Raise ValueError if the rest is no opening. read_word(word) returns the moves in a word; `example` is a valid rest,
    for the message.
    """
    if not rest:
        return []
    match = OPENING.fullmatch(rest)
    if match is None:
        raise ValueError(WHAT_ELSE.format(found=quoted(rest), example=example))
    return [move for word in split_words(match["moves"]) for move in read_word(word)]


def with_opening(size: str, opening: Sequence[str]) -> str:
    """Return a board's notation: its size, and its opening if there is one."""
    return f"{size} opening {','.join(opening)}" if opening else size


def quoted(text: str) -> str:
    """Return the first 40 characters of a text, in quotes."""
    return repr(text[:40])


@dataclass(frozen=True)
class AnalysisInput(Generic[BoardT]):
    """The options and the stdin of `bot analyze` for a game's positions.

    after_moves(board, moves) returns (options, stdin) for the position after the moves of a record on its board.
    of_cells(size, codes, mover) returns them for a position of cells: `size` is (rows, columns), `codes` are the
    characters of the cells, and player `mover` (0 or 1) is to move. It raises ValueError for a position that cannot be
    drawn. The bot itself checks whether a position is possible.
    """

    after_moves: Callable[[BoardT, Sequence[AnyMove]], AnalysisArguments]
    of_cells: Callable[[tuple[int, int], str, int], AnalysisArguments]


def moves_option(moves: Iterable[AnyMove]) -> list[str]:
    """Return ["--moves=..."], which is one word so that no move is parsed as an option.

    Return [] if there are no moves.
    """
    text = ",".join(map(str, moves))
    return [f"--moves={text}"] if text else []


def drawing(lines: Iterable[str]) -> bytes:
    """Return the bytes of a drawn board, in ASCII with a newline after each line."""
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def check_size(size: tuple[int, int], least: int, most: int) -> None:
    """Raise ValueError unless rows and columns are both in least..most."""
    for name, value in zip(("rows", "columns"), size, strict=True):
        check_range(name, value, least, most)


def check_codes(codes: str, expected: int, known: str) -> None:
    """Raise ValueError unless there are `expected` characters, all of them in `known`."""
    if len(codes) != expected:
        message = _("the position has {number} cells, expected {expected}")
        raise ValueError(message.format(number=len(codes), expected=expected))
    for character in codes:
        if character not in known:
            message = _("a cell is {value!r}, expected one of {choices}")
            raise ValueError(message.format(value=character, choices=" ".join(known)))


def rows_of(codes: str, columns: int) -> list[str]:
    """Return the characters of a board's cells, split into one text per row."""
    return [codes[start : start + columns] for start in range(0, len(codes), columns)]


def owners_of(codes: str, columns: int) -> list[list[int | None]]:
    """Return owner[row][column] of a board, 0, 1 or None, from the characters of its cells."""
    return [[int(code) if code in OF_PLAYER else None for code in row] for row in rows_of(codes, columns)]


class Replies(Protocol):
    """A decoder of replies. feed() takes bytes; next_reply() returns the next complete reply in them, or None.

    `unread` holds the bytes after the last returned reply; `partial` is True if they are not blank.
    """

    @property
    def partial(self) -> bool: ...

    @property
    def unread(self) -> bytes: ...

    def feed(self, data: bytes) -> None: ...

    def next_reply(self) -> object | None: ...


class Wire(Protocol[AskedPositionT]):
    """The judge's side of the protocol with one bot; Game documents the methods.

    `replies` decodes the bot's replies.
    """

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
    """The interface of a game.

    Name: `title` is the marked() name that Saiblo and its users have for the game.

    Boards: `board_options` (boards.BoardOption) are the options of the command line.
    complete_board_options(given, for_one_game) adds the defaults to the given options; the result holds the keyword
    arguments of draw_board(seed, pair, **completed). read_board(json) returns the board of a record. These functions
    raise ValueError for values out of range. The completed options are stored with the records, as JSON. A board has
    as_json() and in_words().

    Rules: new_position(board) returns a position with `to_move` (0 or 1; a player may move twice in a row, after a pass
    or by the rules), `over`, `winner` (0, 1 or None), `moves`, `last`, legal_moves(), and play(move), which takes a
    move as in records and raises positions.IllegalMove.

    Wire: wire(name, position) returns a codec such as ConnectFourWire. Its opening(position, player) returns the bytes
    to send to player 0 or 1 before the game; turn(position) returns the bytes that ask the side to move for a reply;
    game_over() returns the bytes to send after the game. If a reply is a question on the rules, answer(position, reply)
    returns the bytes that answer it, else None. play(position, reply) plays the moves of a reply, and returns or yields
    them; one reply may hold several moves of the same side. repeat(position, move, is_own) plays a move of a record
    instead; `is_own` says whether the bot made the move. `has_whole_turns` is True if one reply holds all moves of a
    turn.

    Rendering: rendering(position) returns a rich Text that marks the last moves and a winning line without relying on
    colours. `stones` are the letters for players 0 and 1 in it. `cells` gives the position to other renderings.
    move_in_words(position) describes the last move. ending(position) says what the winner has or why the game is a
    draw.

    Checks: `check_cases` are the cases of `judge check`; `most_turns` is a player's number of turns in the longest
    game.

    Console: read_move(text) returns the move that a user has typed, as in records; it raises ValueError or IllegalMove
    with a message that says what is expected. worth(position, player) returns an integer that estimates how well a
    player stands, None if the game has no such measure.

    Pages: `on_pages` describes the game to pages. Files: `notation` reads and writes boards and moves. Analysis:
    `analysis_input` describes a position to the bot.
    """

    title: str
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
    on_pages: PageDescription


AnyGame = Game[Any, Any]  # a game chosen at run time, by a name


def moves_in(game: AnyGame, words: Iterable[object]) -> Iterator[AnyMove]:
    """Yield the moves in `words` of the game's notation. Stop before the first word that is not in that notation."""
    for word in words:
        try:
            yield from game.notation.read_word(str(word))
        except ValueError:  # str() raises it too, for an integer of too many digits
            return


def movers_of(game: AnyGame, position: Position, moves: Iterable[AnyMove]) -> str:
    """Return the players who make these moves from `position` on, one digit (0 or 1) for each move.

    The text ends before the first illegal move; see `movers` of Cells. It is "" if the game is over.
    """
    return "" if position.over else "".join(map(str, game.cells.movers(position, moves)))


AnyWire = Wire[Any]
