"""Checks all input from browsers: the types of messages are declared here, and what does not fit is Refused."""

import re
from collections.abc import Collection, Mapping
from typing import Annotated, Literal, TypeVar

from msgspec import Meta, Struct

from judge.games import GAMES
from judge.games.boards import Board
from judge.games.game import FORBIDDEN, FREE, OF_OPENING, OF_PLAYER
from judge.games.positions import AnyMove, IllegalMove
from judge.language import marked
from judge.players.players import PlayerError
from judge.web.answers import MALFORMED, NOT_ALLOWED, Refused, call_or_refuse, refusal
from judge.web.bot_folders import BotFolders
from protocol.records.json_lines import RecordError
from protocol.records.values import Integer, converted, decoded

LEAST_S, MOST_S = 0.05, 600.0  # the range of a player's limit for a move, and of the time of an analysis
LARGEST_MESSAGE = 64 * 1024  # the most bytes of a request's body, and the most characters of a socket's message
MOST_NESTED = 4  # the most levels of brackets in a JSON text
LONGEST_TEXT = 200  # the most characters of a name, of an option's value or of a move
CODES = frozenset((FREE, FORBIDDEN, OF_OPENING, *OF_PLAYER))
NOBODY = "-"  # stands for the mover if the game is over
RECORD_SUFFIX = ".jsonl"

Message = TypeVar("Message")
Text = Annotated[str, Meta(max_length=LONGEST_TEXT)]
Game = Annotated[str, Meta(pattern=f"^({'|'.join(GAMES)})\\Z")]
Side = Annotated[int, Meta(ge=1, le=100)]
Limit = Annotated[float, Meta(ge=LEAST_S, le=MOST_S)]
MOST_CELLS = 400  # no board has so many cells
Cells = Annotated[str, Meta(max_length=MOST_CELLS, pattern=f"^[{re.escape(''.join(sorted(CODES)))}]*\\Z")]
MOST_MOVES = Meta(max_length=1000)  # no game has so many moves


class AskedTable(Struct, forbid_unknown_fields=True):
    """A page asks for a new game against a player.

    `board` has options of the game's boards. `player` is the text with which a page names the opponent. `limit_s` is
    the opponent's time limit per move in seconds. `moves` are the moves of the opening, with which the game begins.
    """

    game: Game
    board: dict[str, Integer | Text]
    player: Text
    first: Literal["human", "player"]
    limit_s: Limit
    moves: Annotated[list[Integer | Text], MOST_MOVES] = []


class Command(Struct, forbid_unknown_fields=True):
    """A command to a table. `move` is the move of a "move"; `on` says whether "evaluate" switches evaluations on."""

    type: Literal["move", "undo", "hint", "resign", "evaluate"]
    move: Text = ""
    on: bool = False


class Query(Struct, forbid_unknown_fields=True, tag_field="type", tag="analyse"):
    """A position to analyse for `seconds` seconds.

    `size` is (rows, columns), `cells` has a character for each cell, and `mover` is the number of the player to move.
    """

    game: Game
    size: tuple[Side, Side]
    cells: Cells
    mover: Literal["0", "1"]
    seconds: Limit


class Stop(Struct, forbid_unknown_fields=True, tag_field="type", tag="stop"):
    """No position is to be analysed any more."""


class SetUp(Struct, forbid_unknown_fields=True):
    """A position that a page sets up.

    `size` is (rows, columns). `cells` is None for the cells with which a game begins. `mover` is the player to move, or
    NOBODY if the game is over. `moves` are the moves that led from the beginning of the game to the position, or None
    if the user set up the position by hand. `move` is a move to be made in the position, or None. `put` is (the number
    of a cell, the character that a click puts there), or None.
    """

    game: Game
    size: tuple[Side, Side]
    mover: Literal["0", "1", "-"]
    cells: Cells | None = None
    moves: Annotated[tuple[Text, ...], MOST_MOVES] | None = None
    move: Text | None = None
    put: tuple[Annotated[int, Meta(ge=0, lt=MOST_CELLS)], Literal[".", "#", "-", "0", "1"]] | None = None


class AskedFile(Struct, forbid_unknown_fields=True):
    """A page asks to move a record file to the trash. `path` is relative to the records folder."""

    path: str


class AskedTrash(Struct, forbid_unknown_fields=True):
    """A page asks to move back what own_files.move_to_trash() moved to the trash under the name `trash`."""

    trash: Annotated[str, Meta(pattern="^[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}\\Z")]


class AskedGame(Struct):
    """A page asks for a game of a record file. `index` is the game's index in the file, from 0."""

    index: Annotated[int, Meta(ge=0, le=10**9)]


class AskedImport(Struct):
    """A page asks to import the games of a file that it sends. `name` is the file's name."""

    name: Annotated[str, Meta(min_length=1, max_length=LONGEST_TEXT)]


def read(data: str | bytes, kind: type[Message]) -> Message:
    """Return the message `data`, which is JSON, as a value of the type `kind`, one of the types above.

    Raises Refused if the message is not of this type.
    """
    try:
        return decoded(data, kind, MOST_NESTED, allows_halves=False)
    except RecordError as error:
        raise _unreadable(error) from None


def read_query(query: Mapping[str, str], kind: type[Message]) -> Message:
    """Return the query of an address as a value of the type `kind`, one of the types above.

    Raises Refused if the query is not of this type.
    """
    try:
        return converted(dict(query), kind, is_text=True)
    except RecordError as error:
        raise _unreadable(error) from None


def _unreadable(error: RecordError) -> Refused:
    """Return the refusal of a message or query that is not of the declared type, for the reason `error`."""
    return refusal(
        MALFORMED,
        marked("the server cannot read a message of this page, load the page again: {error}"),
        error=str(error),
    )


def new_table(
    asked: AskedTable, players: Collection[str], seed: int, folders: BotFolders | None = None
) -> tuple[Board, tuple[AnyMove, ...]]:
    """Return (the board, the moves of the opening) of the new game that a page asks for.

    Missing board options are drawn from `seed`. Raises Refused if the board or a move is wrong, or if the opponent is
    neither one of the texts `players` nor a path in one of `folders`, the folders of --bots. If `folders` is None,
    paths are refused.
    """
    if asked.player not in players and folders:
        call_or_refuse(lambda: folders.player(asked.player), PlayerError)
    elif asked.player not in players:
        one_of = marked("{name} is {value!r}, expected one of {choices}")
        raise refusal(NOT_ALLOWED, one_of, name="player", value=asked.player, choices=", ".join(players))
    board = _board(asked, seed)
    return board, _moves(asked, board)


def _board(asked: AskedTable, seed: int) -> Board:
    """Return the board that a page asks for, with missing options drawn from `seed`. Raises Refused if it is wrong."""
    game = GAMES[asked.game]
    options = {option.name: option for option in game.board_options}
    for name in asked.board.keys() - options.keys():
        raise refusal(NOT_ALLOWED, marked("the boards of {game} have no option {name!r}"), name=name, game=asked.game)

    def draw() -> Board:
        values = {name: options[name].read(str(value)) for name, value in asked.board.items()}
        board: Board = game.draw_board(seed, 0, **game.complete_board_options(values, True))
        game.new_position(board)  # raises ValueError for a wrong size or opening
        return board

    return call_or_refuse(draw, ValueError)


def _moves(asked: AskedTable, board: Board) -> tuple[AnyMove, ...]:
    """Return the moves of the opening that a page asks for, as the game's read_move() returns them.

    Raises Refused if one of the moves is illegal, or if the game is over after the last of them.
    """
    game = GAMES[asked.game]

    def play() -> tuple[AnyMove, ...]:
        position = game.new_position(board)
        moves = tuple(game.read_move(str(move)) for move in asked.moves)
        for move in moves:
            position.play(move)
        if moves and position.over:
            raise ValueError(game.ending(position))
        return moves

    return call_or_refuse(play, ValueError, IllegalMove)
