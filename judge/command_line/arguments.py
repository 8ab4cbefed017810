"""Command-line arguments that several of the judge's commands share."""

import argparse
import math
import os
import secrets
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from judge.command_line.exits import KEEP_GOING
from judge.games import DEFAULT_GAME, GAMES, boards
from judge.runs.failure_streak import LONGEST

DEFAULT_LIMIT_S = 3.0  # the platform's
DEFAULT_MEMORY_LIMIT = "1000"  # the platform's, in megabytes
MEGABYTE = 10**6


def seconds(text: str) -> float:
    """A positive, finite number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value


def count(text: str) -> int:
    """An integer of at least 1."""
    value = int(text) if text.isascii() and text.isdecimal() else 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer of at least 1")
    return value


def memory_limit(text: str) -> int | None:
    """A number of megabytes (10^6 bytes) as bytes; None for 0, which means no limit."""
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of megabytes, expected 0 or more")
    return int(text) * MEGABYTE or None


def record_file(text: str) -> Path:
    """The path of a record file: no folder, and in a folder that can be written or made."""
    path = Path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is a folder, expected a file")
    nearest = next(place for place in (path, *path.absolute().parents) if place.exists())
    if not os.access(nearest, os.W_OK) or (nearest != path and not nearest.is_dir()):
        raise argparse.ArgumentTypeError(f"{text!r} cannot be written: {nearest} does not allow it")
    return path


def add_players_option(parser: argparse.ArgumentParser) -> None:
    """--players, for players.contestants."""
    parser.add_argument(
        "--players",
        type=Path,
        metavar="FILE",
        help="names players once, in TOML (default: players.toml, if the current folder has one)",
    )


def add_game_choice(parser: argparse.ArgumentParser) -> None:
    """--game, the name of a game in GAMES."""
    parser.add_argument("--game", choices=tuple(GAMES), default=DEFAULT_GAME, help=f"default: {DEFAULT_GAME}")


def add_board_options(parser: argparse.ArgumentParser, for_one_game: bool) -> None:
    """Every game's options for its boards, grouped by the games that have them; board_wishes() reads them.

    Several games may have an option of the same flag: what is given for it is text until the game is known.
    """
    options: dict[str, dict[str, boards.BoardOption]] = {}
    for name, game in GAMES.items():
        for option in game.board_options:
            if for_one_game or not option.for_one_game:
                options.setdefault(option.flag, {})[name] = option
    groups: dict[str, argparse._ArgumentGroup] = {}
    for flag, of_games in options.items():
        names = " and ".join(of_games)
        if names not in groups:
            groups[names] = parser.add_argument_group(f"boards of {names}")
        settings = {name: option.settings for name, option in of_games.items()}
        helps = {name: ("" if len(of_games) == 1 else f"{name}: ") + each["help"] for name, each in settings.items()}
        metavars = dict.fromkeys(each["metavar"] for each in settings.values())
        groups[names].add_argument(flag, metavar="|".join(metavars), help="; ".join(helps.values()))


def board_wishes(parser: argparse.ArgumentParser, options: argparse.Namespace, for_one_game: bool) -> dict[str, Any]:
    """The keywords for draw_board of the game chosen, from a command line with the options of all games.

    Ends the program where another game's option is given, or one of this game's does not fit.
    """
    game = GAMES[options.game]
    own = {option.flag: option for option in game.board_options}
    owners: dict[str, tuple[boards.BoardOption, list[str]]] = {}
    for name, other in GAMES.items():
        for option in other.board_options:
            owners.setdefault(option.flag, (option, []))[1].append(name)
    wishes = {}
    for flag, (option, names) in owners.items():
        text = getattr(options, option.name, None)
        if text is not None and flag not in own:
            parser.error(f"{flag} is an option of {' and '.join(names)}, and the game is {options.game}")
        if text is not None:
            wishes[option.name] = _converted(parser, own[flag], text)
    try:
        return game.complete_wishes(wishes, for_one_game)
    except ValueError as error:
        parser.error(str(error))


def _converted(parser: argparse.ArgumentParser, option: boards.BoardOption, text: str) -> Any:
    """What the option's type makes of a text; ends the program where that refuses it."""
    convert = option.settings["type"]
    try:
        return convert(text)
    except argparse.ArgumentTypeError as error:
        parser.error(f"argument {option.flag}: {error}")
    except ValueError:
        parser.error(f"argument {option.flag}: invalid {convert.__name__} value: {text!r}")


def add_game_options(parser: argparse.ArgumentParser, for_one_game: bool = False) -> None:
    """The options that every command playing games has; `for_one_game` if it plays a single one."""
    add_game_choice(parser)
    add_board_options(parser, for_one_game)
    add_players_option(parser)
    parser.add_argument("--seed", type=int, metavar="N", help="fixes boards and players' seeds (default: random)")
    parser.add_argument(
        "--limit", type=seconds, default=DEFAULT_LIMIT_S, metavar="S", help="seconds per move (default: 3)"
    )
    parser.add_argument(
        "--free-start", action="store_true", help="do not charge starting up: wait until both bots are idle"
    )
    parser.add_argument(
        "--memory-limit",
        type=memory_limit,
        default=DEFAULT_MEMORY_LIMIT,
        metavar="MB",
        help=f"resident memory of a bot's processes in 10^6 bytes, 0 for no limit (default: {DEFAULT_MEMORY_LIMIT})",
    )
    parser.add_argument(
        "--undrained-stderr",
        action="store_true",
        help="leave the bots' stderr unread: a bot that writes more than the pipe holds, 64 KB, will block",
    )
    parser.add_argument(
        "--strict-clock",
        action="store_true",
        help="let a player's clock run on while the machine does not run it, as the platform does",
    )
    parser.add_argument("--json", action="store_true", help="end the output with one JSON object on a line")


def add_one_player_options(parser: argparse.ArgumentParser) -> None:
    """The options of commands that set one player to work: its seed, its limits, the players file."""
    add_players_option(parser)
    parser.add_argument("--seed", type=int, metavar="N", help="the player's seed (default: random)")
    parser.add_argument(
        "--limit",
        type=seconds,
        default=DEFAULT_LIMIT_S,
        metavar="S",
        help="seconds per move of the player (default: 3)",
    )
    parser.add_argument(
        "--memory-limit",
        type=memory_limit,
        default=DEFAULT_MEMORY_LIMIT,
        metavar="MB",
        help=f"10^6 bytes, 0 for no limit (default: {DEFAULT_MEMORY_LIMIT})",
    )


def add_jobs_option(parser: argparse.ArgumentParser) -> None:
    """--jobs, how many games are played at a time."""
    parser.add_argument("--jobs", type=count, default=1, metavar="J", help="games at a time (default: 1)")


def add_record_option(parser: argparse.ArgumentParser, default: Path) -> None:
    """--record, for commands that append a game to a file."""
    parser.add_argument("--record", type=record_file, default=default, metavar="FILE", help=f"default: {default}")


def add_record_options(parser: argparse.ArgumentParser, default_name: str) -> None:
    """--record and --resume; `default_name` tells what file is written where none is named."""
    parser.add_argument(
        "--record", type=record_file, metavar="FILE", help=f"default: records/{default_name}-TIME.jsonl"
    )
    parser.add_argument(
        "--resume", action="store_true", help="play what the file of --record (needed) does not hold yet"
    )
    parser.add_argument(
        KEEP_GOING,
        action="store_true",
        help=f"play on with a player that cannot be started or crashes in {LONGEST} games in a row",
    )


def fresh_record_file(name: str) -> Path:
    """A path for the records of a command of this name that no other run has."""
    now = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    return Path("records") / f"{name}-{now}-{os.getpid()}.jsonl"


def seed_or_random(options: argparse.Namespace) -> int:
    """The seed asked for, or a fresh one."""
    return secrets.randbelow(boards.LARGEST_SEED + 1) if options.seed is None else options.seed


PLAYERS_HELP = (
    "A player is a name of the players file; bot, bot:PRESET, bot@REVISION or bot@REVISION:PRESET, this "
    'repository\'s bot, in quotes with options of its own ("bot --iterations 1000"); src:FOLDER, a C++ project, built '
    "as the platform does, in quotes with --without NAME, --sanitize or --debug; a folder with a main.py; lib:PATH.so, "
    "a strategy library; or a command in quotes, run as given but for {limit} and {seed}, which are replaced by the "
    "limit in seconds and the player's seed."
)
EXIT_HELP = "Exit status: 0 for a judged game, 2 for bad arguments, 3 for VOID (the judge's or the machine's fault)."
EXIT_HELP_OF_RUNS = (
    f"{EXIT_HELP} A run with a VOID game in it exits with 3, and one that a player has stopped, which could not be "
    f"started or crashed in {LONGEST} games in a row, with 4."
)
