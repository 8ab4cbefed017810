"""--record FILE: which position of a recorded game is meant, and what was played there."""

from __future__ import annotations

import argparse
import importlib
import os
import sys

from protocol.value_types import ValueType

from ..games import NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from protocol.records.record import GameRecord

PROG = os.environ.get("DROPFOUR_PROGRAM", "python -m bot analyze")  # the judge's command starts this one
USAGE = f"{PROG} --record FILE [--number K] [--ply N] [other options]"


class Recorded(ValueType):
    """A recorded game, and where in it to look."""

    record: GameRecord
    number: int  # in its file, from 1
    ply: int  # the one that was due, from 1


class Looked(ValueType):
    """A position to look at."""

    position: Any
    mover: int  # who is to move, 0 or 1
    played: int | None  # the move played there, if one was


def add_options(parser: argparse.ArgumentParser) -> None:
    """--record, --number and --ply, for the help; requested() reads them, as the record decides about other options."""
    parser.add_argument(
        "--record",
        metavar="FILE",
        help="a position of a recorded game: what should have been played?",
    )
    parser.add_argument("--number", metavar="K", help="with --record: the file's K-th game, from 1 (default: the last)")
    parser.add_argument(
        "--ply", metavar="N", help="with --record: the position in which ply N was due (default: the last move)"
    )


def requested(words: list[str]) -> tuple[Recorded | None, list[str]]:
    """(what --record asks for, None without it; the other words). Ends the program where it cannot be had."""
    parser = argparse.ArgumentParser(prog=PROG, usage=USAGE, add_help=False, allow_abbrev=False)
    parser.add_argument("--record", metavar="FILE")
    parser.add_argument("--ply", metavar="N")
    parser.add_argument("--number", metavar="K")
    parser.add_argument("--game", action="append", default=[])
    options, others = parser.parse_known_args(words)
    if options.record is None:
        return None, words
    numbers = [text for text in options.game if text.isdecimal()]  # the former name of --number
    if numbers:
        print("note: --game K is called --number K now", file=sys.stderr)
    for text in options.game:
        if text not in [*NAMES, *numbers]:
            parser.error(f"--game {text}: expected one of {', '.join(NAMES)}")
    numbers += [] if options.number is None else [options.number]
    named = {text for text in options.game if text in NAMES}
    record, number = _chosen(parser, options.record, numbers)
    if record.game not in NAMES:
        parser.error(f"game {number} is of {record.game!r}, expected one of {', '.join(NAMES)}")
    if named - {record.game}:
        parser.error(f"--game {min(named - {record.game})}: game {number} of {options.record} is {record.game}")
    return Recorded(record, number, _ply(parser, options.ply, record)), others


def _chosen(parser: argparse.ArgumentParser, path: str, numbers: list[str]) -> tuple[GameRecord, int]:
    from protocol.records.record import (
        RecordError,
        read_records,  # takes long, and few ask for it
    )

    try:
        records, _ = read_records(path)
    except (OSError, RecordError) as error:
        parser.error(f"--record: {error}")
    if not records:
        parser.error(f"--record: {path} holds no game")
    text = numbers[-1] if numbers else str(len(records))
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= len(records)):
        parser.error(f"--number {text}: expected 1 to {len(records)}, as {path} holds so many games")
    return records[int(text) - 1], int(text)


def _ply(parser: argparse.ArgumentParser, text: str | None, record: GameRecord) -> int:
    """The number of the ply that was due; by default the last one, played or not."""
    played = len(record.moves)
    if text is None:
        return max(1, played) if record.termination.value == "NORMAL" else played + 1
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= played + 1):
        parser.error(f"--ply {text}: expected 1 to {played + 1}, as {played} plies were played")
    return int(text)


def position_of(recorded: Recorded, notation: Any) -> Looked:
    """The position. Raises the notation's error where the record is none of a game by the rules."""
    moves = [move.move for move in recorded.record.moves]
    return Looked(*notation.from_record(recorded.record.board, moves, recorded.ply - 1))


def check_alone(parser: argparse.ArgumentParser, arguments: argparse.Namespace, notation: Any) -> None:
    """Ends the program where options name another position beside the record's."""
    positions = argparse.ArgumentParser(add_help=False)
    notation.add_position_options(positions)
    usual = vars(positions.parse_args([]))
    for name, value in usual.items():
        if getattr(arguments, name) != value:
            parser.error(f"--{name.replace('_', '-')}: --record names the position")


def notation_of(game: str) -> Any:
    """A game's module notation.py."""
    return importlib.import_module(f"bot.games.{game}.notation")
