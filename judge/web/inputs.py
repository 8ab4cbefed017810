"""Checks all input from browsers. Its functions convert a request to typed values, or raise Refused if it is wrong."""

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from judge.games import GAMES
from judge.games.boards import Board
from judge.games.game import FORBIDDEN, FREE, OF_OPENING, OF_PLAYER
from judge.games.positions import AnyMove, IllegalMove
from judge.language import marked
from judge.players.players import PlayerError
from judge.web.answers import MALFORMED, NOT_ALLOWED, NOT_FOUND, Refused, made, refusal
from judge.web.bot_folders import BotFolders
from protocol.records.json_lines import RecordError
from protocol.records.values import decoded

LEAST_S, MOST_S = 0.05, 600.0  # the range of a player's limit for a move, and of the time of an analysis
LARGEST_MESSAGE = 64 * 1024  # the most bytes of a request's body, and the most characters of a socket's message
MOST_NESTED = 4  # the most levels of brackets in a JSON text
LONGEST_TEXT = 200  # the most characters of a name, of an option's value or of a move
LONGEST_PATH = 1000
MOST_MOVES = 1000  # moves of an opening; no game has so many moves
MOST_CELLS = 400  # characters of a position; no board has so many cells
LARGEST_SIDE = 100
DIGITS = re.compile("[0-9]{1,9}")
TRASH_NAME = re.compile("[0-9]{8}T[0-9]{6}Z-[0-9a-f]{8}")
CODES = frozenset((FREE, FORBIDDEN, OF_OPENING, *OF_PLAYER))
NOBODY = "-"  # stands for the mover if the game is over
RECORD_SUFFIX = ".jsonl"

MISSING_KEY = marked("the key {name!r} is missing")
WRONG_KIND = marked("{name} is {value}, expected {expected}")
NO_NUMBER = marked("{name} is {value}, expected a number from {least} to {most}")
# Values of the field `expected` of refusal().
A_TEXT = marked("a text")
A_LIST = marked("a list")

Content = Mapping[str, Any]


@dataclass(frozen=True)
class NewTable:
    """The settings of a new game against a player.

    `player` is the text with which a page names the opponent. `limit_s` is the opponent's time limit per move in
    seconds. `moves` are the moves of the opening, with which the game begins.
    """

    game: str
    board: Board
    player: str
    is_human_first: bool
    limit_s: float
    moves: tuple[AnyMove, ...] = ()


@dataclass(frozen=True)
class Command:
    """A command to a table. `kind` is one of KINDS.

    For MOVE, `text` is the move. For EVALUATE, `is_on` says whether evaluations are to be switched on or off.
    """

    kind: str
    text: str = ""
    is_on: bool = False


MOVE, UNDO, HINT, RESIGN, EVALUATE = KINDS = ("move", "undo", "hint", "resign", "evaluate")


@dataclass(frozen=True)
class SetUp:
    """A position that a page sets up.

    `size` is (rows, columns). `cells` are the characters of the cells (see judge/games/game.py), or None for the cells
    with which a game begins. `mover` is the player to move, "0" or "1", or "-" if the game is over. `moves` are the
    moves that led from the beginning of the game to the position, or None if the user set up the position by hand.
    `move` is a move to be made in the position, or None.
    """

    game: str
    size: tuple[int, int]
    cells: str | None
    mover: str
    moves: tuple[str, ...] | None
    move: str | None


@dataclass(frozen=True)
class Query:
    """A position to analyse for `seconds` seconds.

    `size` is (rows, columns), `cells` are the characters of the cells (see judge/games/game.py), and `mover` is the
    player to move, 0 or 1.
    """

    game: str
    size: tuple[int, int]
    cells: str
    mover: int
    seconds: float


def parsed(data: str | bytes) -> Content:
    """Return the JSON object that the message `data` contains. Raises Refused if `data` is no JSON object."""
    try:
        return decoded(data, dict[str, Any], MOST_NESTED)
    except RecordError as error:
        raise refusal(MALFORMED, marked("this is no JSON object: {error}"), error=str(error)) from None


def new_table(content: Content, players: Collection[str], seed: int, folders: BotFolders | None = None) -> NewTable:
    """Return the settings of the new game that `content` describes. Raises Refused if they are wrong.

    Missing board options are drawn from `seed`. The opponent must be one of the texts `players`, or a path in one of
    `folders`, the folders of --bots. If `folders` is None, paths are refused.
    """
    _check_keys(content, ("game", "board", "player", "first", "limit_s"), ("moves",))
    game = _choice(content, "game", tuple(GAMES))
    given = _of_kind(content, "board", dict, marked("an object"))
    board = _board(game, given, seed)
    return NewTable(
        game=game,
        board=board,
        player=_player(content, players, folders),
        is_human_first=_choice(content, "first", ("human", "player")) == "human",
        limit_s=_number(content, "limit_s", LEAST_S, MOST_S),
        moves=_moves(game, board, _of_kind(content, "moves", list, A_LIST) if "moves" in content else []),
    )


def _player(content: Content, players: Collection[str], folders: BotFolders | None) -> str:
    text = _text(content, "player")
    if text in players or not folders:
        return _choice(content, "player", players)
    made(lambda: folders.player(text), PlayerError)
    return text


def command(content: Content) -> Command:
    """Return the command that a page sends to its table. Raises Refused if `content` is no command."""
    kind = _type_of(content, KINDS)
    if kind == MOVE:
        _check_keys(content, ("type", "move"))
        return Command(kind, _text(content, "move"))
    if kind == EVALUATE:
        _check_keys(content, ("type", "on"))
        return Command(kind, is_on=_of_kind(content, "on", bool, marked("true or false")))
    _check_keys(content, ("type",))
    return Command(kind)


def query(content: Content) -> Query | None:
    """Return the position that a page asks to analyse, or None for the message "stop".

    Raises Refused if `content` is neither.
    """
    if _type_of(content, ("analyse", "stop")) == "stop":
        _check_keys(content, ("type",))
        return None
    _check_keys(content, ("type", "game", "size", "cells", "mover", "seconds"))
    return Query(
        game=_choice(content, "game", tuple(GAMES)),
        size=_size(content),
        cells=_cells(content),
        mover=int(_choice(content, "mover", OF_PLAYER)),
        seconds=_number(content, "seconds", LEAST_S, MOST_S),
    )


def set_up(content: Content) -> SetUp:
    """Return the position that a page sets up. Raises Refused if `content` describes no position."""
    _check_keys(content, ("game", "size", "mover"), ("cells", "moves", "move"))
    moves = _of_kind(content, "moves", list, A_LIST) if "moves" in content else None
    if moves is not None and (len(moves) > MOST_MOVES or not all(_is_text(move) for move in moves)):
        raise refusal(MALFORMED, WRONG_KIND, name="moves", value=str(moves), expected=A_LIST)
    return SetUp(
        game=_choice(content, "game", tuple(GAMES)),
        size=_size(content),
        cells=_cells(content) if "cells" in content else None,
        mover=_choice(content, "mover", (*OF_PLAYER, NOBODY)),
        moves=None if moves is None else tuple(moves),
        move=_text(content, "move") if "move" in content else None,
    )


def _size(content: Content) -> tuple[int, int]:
    size = _of_kind(content, "size", list, A_LIST)
    if len(size) != 2 or any(type(side) is not int or not 1 <= side <= LARGEST_SIDE for side in size):
        raise refusal(MALFORMED, WRONG_KIND, name="size", value=str(size), expected="[rows, columns]")
    return size[0], size[1]


def _cells(content: Content) -> str:
    cells = str(_of_kind(content, "cells", str, A_TEXT))
    if len(cells) > MOST_CELLS or not CODES.issuperset(cells):
        raise refusal(NOT_ALLOWED, WRONG_KIND, name="cells", value=repr(cells), expected=" ".join(sorted(CODES)))
    return cells


def record_path(text: str) -> str:
    """Return `text` if it can be the path of a record file relative to the records folder, else raise Refused.

    This function does not check whether the file exists.
    """
    parts = text.split("/")
    is_path = len(text) <= LONGEST_PATH and "\0" not in text and not any(part in ("", ".", "..") for part in parts)
    if not (is_path and text.endswith(RECORD_SUFFIX)):
        raise no_such_file(text)
    return text


def file_to_put_away(content: Content) -> str:
    """Return the path of the record file that a page asks to move to the trash.

    Raises Refused if `content` has no such path.
    """
    _check_keys(content, ("path",))
    return record_path(_of_kind(content, "path", str, A_TEXT))


def trash(content: Content) -> str:
    """Return the name, made by own_files.put_away(), of what a page asks to move back from the trash.

    Raises Refused if `content` has no such name.
    """
    _check_keys(content, ("trash",))
    name = _text(content, "trash")
    if not TRASH_NAME.fullmatch(name):
        raise refusal(MALFORMED, WRONG_KIND, name="trash", value=repr(name), expected="20261127T061742Z-0123abcd")
    return name


def upload_name(text: str | None) -> str:
    """Return the name of a file that a page sends. Raises Refused if `text` is None or no valid name."""
    if text is None or not 0 < len(text) <= LONGEST_TEXT:
        raise refusal(MALFORMED, WRONG_KIND, name="name", value=repr(text), expected=A_TEXT)
    return text


def no_such_file(path: str) -> Refused:
    """Return the error for a record file that does not exist or may not be shown. It does not say which is the case."""
    return refusal(NOT_FOUND, marked("there is no record file {path!r} below the records folder"), path=path)


def index(text: str | None) -> int:
    """Return the index of a game in its file, counted from 0. Raises Refused if `text` is not such a number."""
    if text is None or not DIGITS.fullmatch(text):
        raise refusal(MALFORMED, WRONG_KIND, name="index", value=repr(text), expected="0, 1, 2 ...")
    return int(text)


def _board(game: str, given: Content, seed: int) -> Board:
    options = {option.name: option for option in GAMES[game].board_options}
    texts: dict[str, str] = {}
    for name, value in given.items():
        if name not in options:
            raise refusal(NOT_ALLOWED, marked("{name!r} is no option of the boards of {game}"), name=name, game=game)
        if type(value) not in (int, str) or len(str(value)) > LONGEST_TEXT:
            raise refusal(MALFORMED, WRONG_KIND, name=name, value=repr(value), expected=marked("a text or a number"))
        texts[name] = str(value)

    def draw() -> Board:
        read = {name: options[name].read(text) for name, text in texts.items()}
        board: Board = GAMES[game].draw_board(seed, 0, **GAMES[game].complete_board_options(read, True))
        GAMES[game].new_position(board)
        return board

    return made(draw, ValueError)


def _moves(game: str, board: Board, moves: list[Any]) -> tuple[AnyMove, ...]:
    """Return the moves of an opening, converted by the game's read_move().

    Raises Refused if one of the moves is illegal or the game is over after the last one.
    """
    if len(moves) > MOST_MOVES or any(type(move) not in (int, str) or len(str(move)) > LONGEST_TEXT for move in moves):
        raise refusal(MALFORMED, WRONG_KIND, name="moves", value=str(moves), expected=A_LIST)

    def play() -> tuple[AnyMove, ...]:
        position = GAMES[game].new_position(board)
        read = tuple(GAMES[game].read_move(str(move)) for move in moves)
        for move in read:
            position.play(move)
        if read and position.over:
            raise ValueError(GAMES[game].ending(position))
        return read

    return made(play, ValueError, IllegalMove)


def _type_of(content: Content, types: Collection[str]) -> str:
    kind = _of_kind(content, "type", str, A_TEXT)
    if kind not in types:
        raise refusal(MALFORMED, marked("there is no message of the type {name!r}"), name=kind)
    return str(kind)


def _check_keys(content: Content, required: Collection[str], optional: Collection[str] = ()) -> None:
    for name in required:
        if name not in content:
            raise refusal(MALFORMED, MISSING_KEY, name=name)
    for name in content:
        if name not in required and name not in optional:
            raise refusal(MALFORMED, marked("unknown key {name!r}"), name=name)


def _of_kind(content: Content, name: str, kind: type[Any], expected: str) -> Any:
    if name not in content:
        raise refusal(MALFORMED, MISSING_KEY, name=name)
    value = content[name]
    if type(value) is not kind:
        raise refusal(MALFORMED, WRONG_KIND, name=name, value=repr(value), expected=expected)
    return value


def _text(content: Content, name: str) -> str:
    value = _of_kind(content, name, str, A_TEXT)
    if not _is_text(value):
        raise refusal(MALFORMED, WRONG_KIND, name=name, value=repr(value), expected=A_TEXT)
    return str(value)


def _is_text(value: Any) -> bool:
    return type(value) is str and len(value) <= LONGEST_TEXT


def _choice(content: Content, name: str, choices: Collection[str]) -> str:
    value = _text(content, name)
    if value not in choices:
        raise refusal(
            NOT_ALLOWED,
            marked("{name} is {value!r}, expected one of {choices}"),
            name=name,
            value=value,
            choices=", ".join(choices),
        )
    return value


def _number(content: Content, name: str, least: float, most: float) -> float:
    value: Any = content.get(name)
    if type(value) not in (int, float) or not math.isfinite(value):
        raise refusal(MALFORMED, NO_NUMBER, name=name, value=repr(value), least=least, most=most)
    if not least <= value <= most:
        raise refusal(NOT_ALLOWED, NO_NUMBER, name=name, value=repr(value), least=least, most=most)
    return float(value)
