"""Reads the value of the option --boards: a file that lists boards, or a number of boards to draw from a seed."""

import argparse
import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from judge import files
from judge.formats.reading import LARGEST_BYTES, Source
from judge.formats.text import HEADER, REMARK
from judge.games import GAMES
from judge.games.boards import Board
from judge.games.game import AnyGame
from judge.language import _, shown
from judge.play.recheck import WIRE
from judge.players.versions import DIGITS
from judge.runs import record_file
from judge.runs.config import BoardSet
from judge.terminal import printable, sentence, shortened
from protocol.errors import LocalProtocolError
from protocol.records.record import RecordError, read_records

DRAWN = re.compile(r"(?P<number>0*[1-9]\d{0,11}):(?P<seed>-?\d{1,18})")  # the ranges of --games and --seed


def read_boards_option(
    parser: argparse.ArgumentParser, options: argparse.Namespace, board_options: dict[str, Any]
) -> tuple[BoardSet | None, dict[str, Any]]:
    """Return (the boards that --boards names, the board options of the run). Without --boards the first item is None.

    `board_options` are the keyword arguments for draw_board() of the game. They are returned unchanged, except that
    they become {} if --boards names a file. Ends the program with a message if the file cannot be read, or if the user
    gives board options besides a file.
    """
    if options.boards is None:
        return None, board_options
    game, drawn = GAMES[options.game], DRAWN.fullmatch(options.boards)
    if drawn is not None:
        number, seed = int(drawn["number"]), int(drawn["seed"])
        name = f"{number}:{seed}"
        return BoardSet(name, number, lambda place: game.draw_board(seed, place, **board_options)), board_options
    for option in game.board_options:
        if getattr(options, option.name) is not None:
            message = _("{flag} cannot be combined with --boards {path}, which determines the boards")
            parser.error(message.format(flag=option.flag, path=printable(options.boards)))
    try:
        boards = read_boards(Path(options.boards), options.game)
    except (OSError, RecordError) as error:
        parser.error(f"--boards: {record_file.in_words(error)}")
    except ValueError as error:
        parser.error(f"--boards {printable(options.boards)}: {sentence(shown(str(error)))}")
    text = json.dumps([board.as_json() for board in boards])
    digest = hashlib.sha256(text.encode()).hexdigest()[:DIGITS]
    return BoardSet(digest, len(boards), boards.__getitem__), {}


def read_boards(path: Path, game: str) -> list[Board]:
    """Return the boards in a file. `game` is the name of the game for which the boards must be.

    A text file has one board in each line. From a record file every board is returned once, even if several games were
    played on it. Raises OSError or RecordError if the file cannot be read, and ValueError with the place of a wrong
    board.
    """
    text = Source(files.content(path, LARGEST_BYTES)).text
    boards = list(_boards_in_records(path, game) if text.startswith("{") else _boards_in_text(text, game))
    if not boards:
        raise ValueError(
            _("the file has no board, expected lines such as {example}").format(example=_example_line(game))
        )
    return boards


def _example_line(game: str) -> str:
    """Return a line that describes a board of the game, for messages."""
    return f"9x9 {GAMES[game].notation.rest_example}"


def _boards_in_text(text: str, game: str) -> Iterable[Board]:
    """Yield the board of each line that has one. Raises ValueError with the line's number for a wrong board."""
    notation = GAMES[game].notation
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition(REMARK)[0].strip()
        if not words:
            continue
        header = HEADER.fullmatch(words)
        try:
            if header is None:
                message = _("{found!r} is not a board, expected a line such as {example}")
                raise ValueError(message.format(found=shortened(words), example=_example_line(game)))
            if header["game"] and header["game"].lower() != game:
                raise ValueError(
                    _("the board is for {game}, expected a board for {own}").format(game=header["game"], own=game)
                )
            content = notation.read_board(int(header["rows"]), int(header["columns"]), header["rest"].strip())
            yield _read_playable_board(GAMES[game], content)
        except ValueError as error:
            raise ValueError(_("line {number}: {error}").format(number=number, error=shown(str(error)))) from error


def _boards_in_records(path: Path, game: str) -> Iterable[Board]:
    """Yield the boards of the games in a record file, each board once, in the order of the games.

    Raises ValueError with the game's number for a wrong board.
    """
    seen = set()
    for number, record in enumerate(read_records(path)[0], start=1):
        text = json.dumps(record.board, sort_keys=True)
        try:
            if record.game != game:
                raise ValueError(
                    _("the board is for {game}, expected a board for {own}").format(game=record.game, own=game)
                )
            if text not in seen:
                yield _read_playable_board(GAMES[game], record.board)
        except ValueError as error:
            raise ValueError(_("game {number}: {error}").format(number=number, error=shown(str(error)))) from error
        seen.add(text)


def _read_playable_board(game: AnyGame, content: dict[str, Any]) -> Board:
    """Return the board that the JSON object `content` describes.

    Raises ValueError if `content` describes no board of the game, or a board that cannot be sent to bots.
    """
    board: Board = game.read_board(content)
    position = game.new_position(board)
    try:
        game.wire(WIRE, position).opening(position, 0)
    except LocalProtocolError as error:
        raise ValueError(
            _("the platform's protocol cannot send this board to bots: {board}").format(board=board.in_words())
        ) from error
    return board
