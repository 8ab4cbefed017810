"""Command-line arguments that several of the judge's commands share."""

import argparse
import math
import os
import secrets
from pathlib import Path

from judge import boards

DEFAULT_LIMIT_S = 3.0  # the platform's


def seconds(text):
    """A positive, finite number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value


def count(text):
    """An integer of at least 1."""
    value = int(text) if text.isascii() and text.isdecimal() else 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer of at least 1")
    return value


def cell(text):
    """A cell "row,column", both from 0; whether it is on the board is checked with the size."""
    parts = text.split(",")
    if len(parts) != 2 or not all(part.strip().isascii() and part.strip().isdecimal() for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r} is not a cell, expected ROW,COLUMN counted from 0")
    return int(parts[0]), int(parts[1])


def record_file(text):
    """The path of a record file: no folder, and in a folder that can be written or made."""
    path = Path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is a folder, expected a file")
    nearest = next(place for place in (path, *path.absolute().parents) if place.exists())
    if not os.access(nearest, os.W_OK) or (nearest != path and not nearest.is_dir()):
        raise argparse.ArgumentTypeError(f"{text!r} cannot be written: {nearest} does not allow it")
    return path


def add_game_options(parser):
    """The options that play and match have in common."""
    parser.add_argument(
        "--seed", type=int, metavar="N", help="fixes boards and players' seeds (default: random)"
    )
    parser.add_argument(
        "--limit", type=seconds, default=DEFAULT_LIMIT_S, metavar="S", help="seconds per move (default: 3)"
    )
    parser.add_argument(
        "--free-start", action="store_true", help="do not charge starting up: wait until both bots are idle"
    )
    parser.add_argument("--json", action="store_true", help="end the output with one JSON object on a line")


def seed_or_random(options):
    """The seed asked for, or a fresh one."""
    return secrets.randbelow(boards.LARGEST_SEED + 1) if options.seed is None else options.seed


PLAYERS_HELP = (
    "A and B are commands in quotes, run as given but for {limit} and {seed}, which are replaced by the "
    "limit in seconds and the player's seed; the word bot stands for this checkout's bot."
)
EXIT_HELP = (
    "Exit status: 0 for a judged game, 2 for bad arguments, 3 for VOID (the judge's or the machine's fault)."
)
