"""Arguments and options that several commands share, and the types of their values."""

import argparse
import os
import secrets
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from judge.cli import completers
from judge.cli.exits import KEEP_GOING
from judge.cli.number_types import count, seconds, seed, whole_number
from judge.games import DEFAULT_GAME, GAMES, boards
from judge.language import _
from judge.play.sandbox import AUTO, MODES
from judge.play.scoresheet import Conditions, flags
from judge.runs.config import WORKER_TIMEOUT_S, RunConfig
from judge.runs.schedule import LONGEST_STREAK
from judge.terminal import MEGABYTE, shortened
from protocol.records.json_lines import other_kind

# The options of all runs of many games that --help shows.
COMMON = (
    *("--game", "--boards", "--seed", "--limit", "--jobs"),
    *("--record", "--resume", "--verbose", "--json"),
)
DEFAULT_LIMIT_S = 3.0  # the platform's limit per move
DEFAULT_MEMORY_LIMIT = "1000"  # the platform's limit in megabytes


def memory_limit(text: str) -> int | None:
    """Convert a text with a whole number of megabytes (10^6 bytes) to a number of bytes.

    Returns None, which means no limit, for 0. Raises ArgumentTypeError for any other text.
    """
    megabytes = whole_number(text)
    if megabytes is None:
        message = _("{text!r} is not a whole number of megabytes, expected 0 or more")
        raise argparse.ArgumentTypeError(message.format(text=shortened(text)))
    return megabytes * MEGABYTE or None


def record_path(text: str) -> Path:
    """Return the path of a record file. Raises ArgumentTypeError if it can be neither written nor created."""
    path = Path(text)
    try:
        kind = other_kind(os.stat(path))
    except (FileNotFoundError, NotADirectoryError):
        kind = ""  # a file that does not exist yet
    except OSError as error:  # such as a name too long, a loop of links, an unreadable folder
        raise argparse.ArgumentTypeError(f"{shortened(text)!r}: {error.strerror}") from error
    if kind:
        raise argparse.ArgumentTypeError(_("{text!r} is {kind}, expected a file").format(text=text, kind=_(kind)))
    nearest = next(place for place in (path, *path.absolute().parents) if place.exists())
    if not os.access(nearest, os.W_OK) or (nearest != path and not nearest.is_dir()):
        message = _("{text!r} cannot be written: {nearest} is write-protected or is not a folder")
        raise argparse.ArgumentTypeError(message.format(text=text, nearest=nearest))
    return path


def new_or_existing_folder(text: str) -> Path:
    """Return the path of a folder that may not exist yet. Raises ArgumentTypeError if a file has this path."""
    path = Path(text)
    if path.exists() and not path.is_dir():
        raise argparse.ArgumentTypeError(_("{text!r} is a file, expected a folder").format(text=text))
    return path


def existing_folder(text: str) -> Path:
    """Return the path of an existing folder. Raises ArgumentTypeError if the path is not a folder."""
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(
            _("{text!r} is not a folder, expected an existing folder").format(text=shortened(text))
        )
    return path


def add_players_option(parser: argparse.ArgumentParser) -> None:
    """Add the option --players, which takes the path of a players file."""
    parser.add_argument(
        "--players",
        type=Path,
        metavar="FILE",
        completer=completers.complete_players_file,
        help=_("a TOML file that gives names to players (default: players.toml, if the current folder has one)"),
    )


def add_one_player_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that run one player: --seed, --players, --limit and --memory-limit."""
    parser.add_argument("--seed", type=seed, metavar="N", help=_("the player's seed (default: random)"))
    add_limits_of_player(parser)


def add_limits_of_player(parser: argparse.ArgumentParser) -> None:
    """Add the options --players, --limit and --memory-limit. The two limits are for the command's only player."""
    add_players_option(parser)
    parser.add_argument(
        "--limit",
        type=seconds,
        default=DEFAULT_LIMIT_S,
        metavar="S",
        help=_("the player's time limit, in seconds per move (default: 3)"),
    )
    add_memory_option(parser)


def add_flags(parser: argparse.ArgumentParser, of: Any) -> None:
    """Add an option for each field of the dataclass `of` that flag() declares."""
    for name, text in flags(of).items():
        parser.add_argument(f"--{name.replace('_', '-')}", action="store_true", help=_(text))


def add_run_options(parser: argparse.ArgumentParser, limit_s: float = DEFAULT_LIMIT_S) -> None:
    """Add the options that all commands that play many games share, except those of add_record_options().

    `limit_s` is the default of --limit in seconds.
    """
    parser.add_argument(
        "--jobs", type=count, default=1, metavar="J", help=_("how many games are played at a time (default: 1)")
    )
    parser.add_argument(
        "--no-machine-check",
        dest="machine_check",
        action="store_false",
        help=_("do not measure, before the games, how busy the machine is (which takes half a second)"),
    )
    add_cluster_options(parser)
    add_game_options(parser, limit_s=limit_s)


def add_record_option(parser: argparse.ArgumentParser, default: Path) -> None:
    """Add the option --record for commands that append a single game to a record file.

    `default` is the path of the record file if the option is not given.
    """
    parser.add_argument(
        "--record",
        type=record_path,
        default=default,
        metavar="FILE",
        completer=completers.complete_record_file,
        help=_("the record file to which the game is appended (default: {value})").format(value=default),
    )


def add_record_options(parser: argparse.ArgumentParser, default_name: str) -> None:
    """Add --record, the flags of RunConfig, --verbose and --keep-going.

    `default_name` only appears in the help, as part of the name that a record file has by default.
    """
    help_text = _("the record file to which the games are appended (default: {value})")
    parser.add_argument(
        "--record",
        type=record_path,
        metavar="FILE",
        completer=completers.complete_record_file,
        help=help_text.format(value=f"records/{default_name}-TIME.jsonl"),
    )
    add_flags(parser, RunConfig)
    parser.add_argument(
        "--verbose", action="store_true", help=_("also print times, endings and the state of the machine")
    )
    parser.add_argument(
        KEEP_GOING,
        action="store_true",
        help=_("go on even if a player cannot be started or crashes in {number} games in a row").format(
            number=LONGEST_STREAK
        ),
    )


def fresh_record_file(name: str) -> Path:
    """Return the path of a record file that does not exist yet. The file's name contains `name`, a command's name."""
    now = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    stem = f"records/{name}-{now}-{os.getpid()}"
    path, number = Path(f"{stem}.jsonl"), 2
    while path.exists():  # two runs of one process may begin in the same second
        path, number = Path(f"{stem}-{number}.jsonl"), number + 1
    return path


def seed_or_random(asked: int | None) -> int:
    """Return the seed `asked`, or a random seed if `asked` is None."""
    return secrets.randbelow(boards.LARGEST_SEED + 1) if asked is None else asked


def players_help() -> str:
    """Return the help text on the names of players."""
    return _(
        "A player is one of these: a name in the players file; bot, bot:PRESET, bot@REVISION or bot@REVISION:PRESET, "
        'which are this repository\'s bot (together with options of its own in quotes: "bot --iterations 1000"); '
        "src:FOLDER, a C++ project, which is built as the platform builds it (together with --without NAME, --sanitize "
        "or --debug in quotes); a folder with a main.py; lib:PATH.so, a strategy library; or a command in quotes, "
        "which is run as given, except that {limit} and {seed} are replaced by the limit in seconds and the player's "
        "seed."
    )


def exit_help() -> str:
    """Return the help text on the exit status of a single game."""
    return _(
        "Exit status: 0 for a judged game, 2 for bad arguments, 3 for a VOID game, which has no result because the "
        "judge or the machine failed."
    )


def exit_help_of_runs() -> str:
    """Return the help text on the exit status of a run of many games."""
    of_runs = _(
        "A run exits with 3 if one of its games is VOID, and with 4 if it was stopped because a player could not be "
        "started or crashed in {number} games in a row."
    )
    return paragraph(exit_help(), of_runs.format(number=LONGEST_STREAK))


def paragraph(text: str, *sentences: str) -> str:
    """Join `text` and `sentences` to one text, with spaces between them unless `text` is Chinese."""
    return ("" if text.endswith("。") else " ").join((text, *sentences))


def add_game_choice(parser: argparse.ArgumentParser) -> None:
    """Add --game, whose value is the name of a game in GAMES."""
    help_text = _("the game that is played (default: {value})").format(value=DEFAULT_GAME)
    parser.add_argument("--game", choices=tuple(GAMES), default=DEFAULT_GAME, help=help_text)


def _board_options_by_flag() -> dict[str, dict[str, boards.BoardOption]]:
    """Return {flag: {name of a game: the game's board option with this flag}}."""
    options: dict[str, dict[str, boards.BoardOption]] = {}
    for name, game in GAMES.items():
        for option in game.board_options:
            options.setdefault(option.flag, {})[name] = option
    return options


def add_board_options(parser: argparse.ArgumentParser) -> None:
    """Add the board options of all games. The help groups them by the games that have them.

    Several games may have an option with the same flag. The value of a board option is therefore stored as text;
    board_options() converts it as the chosen game requires.
    """
    groups: dict[str, argparse._ArgumentGroup] = {}
    for flag, option_of_game in _board_options_by_flag().items():
        names = ", ".join(option_of_game)
        if names not in groups:
            groups[names] = parser.add_argument_group(_("options for boards of {games}").format(games=names))
        helps = [option.help() for option in option_of_game.values()]
        if len(option_of_game) > 1:
            helps = [f"{name}: {text}" for name, text in zip(option_of_game, helps, strict=True)]
        metavars = dict.fromkeys(option.settings["metavar"] for option in option_of_game.values())
        groups[names].add_argument(flag, metavar="|".join(metavars), help="; ".join(helps))


def board_options(parser: argparse.ArgumentParser, options: argparse.Namespace, for_one_game: bool) -> dict[str, Any]:
    """Return the keyword arguments for draw_board() of the chosen game, taken from the parsed options.

    `for_one_game` says whether the command plays a single game. Ends the program with a message if the user gives a
    board option that the chosen game does not have, or a value that the option does not allow.
    """
    given = {}
    for flag, option_of_game in _board_options_by_flag().items():
        name = next(iter(option_of_game.values())).name
        text = getattr(options, name, None)
        if text is None:
            continue
        if options.game not in option_of_game:
            message = _("{flag} is an option for {games}, but this game is {game}")
            parser.error(message.format(flag=flag, games=", ".join(option_of_game), game=options.game))
        try:
            given[name] = option_of_game[options.game].read(text)
        except ValueError as error:
            parser.error(f"argument {flag}: {error}")  # worded as argparse does
    try:
        return GAMES[options.game].complete_board_options(given, for_one_game)
    except ValueError as error:
        parser.error(str(error))


def add_game_options(
    parser: argparse.ArgumentParser, for_one_game: bool = False, limit_s: float = DEFAULT_LIMIT_S
) -> None:
    """Add the options that all commands that play games share.

    `for_one_game` is True for a command that plays a single game. `limit_s` is the default of --limit in seconds.
    """
    add_game_choice(parser)
    add_board_options(parser)
    if not for_one_game:
        parser.add_argument(
            "--boards",
            metavar="FILE|N:SEED",
            completer=completers.complete_path,
            help=_(
                "play on these boards only, and reuse them in turn: the boards in FILE (one on each line, such as 9x12 "
                "forbidden 0,8, or those of a record file), or N boards drawn from SEED (default: a new board for "
                "every pair of games)"
            ),
        )
    add_players_option(parser)
    parser.add_argument(
        "--seed",
        type=seed,
        metavar="N",
        help=_("the seed from which boards and players' seeds are drawn (default: random)"),
    )
    parser.add_argument(
        "--limit",
        type=seconds,
        default=limit_s,
        metavar="S",
        help=_("the time limit, in seconds per move (default: {number:g})").format(number=limit_s),
    )
    add_memory_option(parser)
    add_flags(parser, Conditions)
    parser.add_argument(
        "--forensics",
        type=new_or_existing_folder,
        metavar="DIR",
        completer=completers.complete_folder,
        help=_("write an incident report, in a folder of its own below DIR, for each game that ends abnormally"),
    )
    add_sandbox_option(parser)
    parser.add_argument(
        "--json", action="store_true", help=_("also print the results as a JSON object, in the last line of the output")
    )


def add_memory_option(parser: argparse.ArgumentParser) -> None:
    """Add the option --memory-limit, which takes a number of megabytes."""
    parser.add_argument(
        "--memory-limit",
        type=memory_limit,
        default=DEFAULT_MEMORY_LIMIT,
        metavar="MB",
        help=_(
            "the memory limit for all processes of a bot together, in megabytes (10^6 bytes), 0 for no limit "
            "(default: {limit})"
        ).format(limit=DEFAULT_MEMORY_LIMIT),
    )


def add_sandbox_option(parser: argparse.ArgumentParser) -> None:
    """Add --sandbox, --show and --keep-writes.

    They say whether bots play in a sandbox, which paths a bot sees there, and whether files written there are kept.
    """
    parser.add_argument(
        "--sandbox",
        choices=MODES,
        default=AUTO,
        help=_(
            "run each bot in a sandbox made by bubblewrap: auto does so if this machine can, on ends with an error if "
            "it cannot, off uses no sandbox (default: auto)"
        ),
    )
    parser.add_argument(
        "--show",
        action="append",
        default=[],
        metavar="PATH",
        help=_("let bots and builds in a sandbox read this file or folder too; may be given several times"),
    )
    parser.add_argument(
        "--keep-writes",
        action="store_true",
        help=_("keep the files that a bot in a sandbox writes into its own folder, except hidden files"),
    )


def add_cluster_options(parser: argparse.ArgumentParser) -> None:
    """Add --cluster and the options that say how to connect to the cluster."""
    group = parser.add_argument_group(_("options for a cluster (its dangers: docs/cluster.md)"))
    group.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help=_(
            "play the games on the workers of the dask scheduler at ADDRESS, or on N workers on this machine with "
            "local:N (default: without a cluster)"
        ),
    )
    group.add_argument(
        "--worker-timeout",
        type=seconds,
        metavar="S",
        help=_(
            "with --cluster local: give up a worker that has not answered for S seconds (default: {value:g})"
        ).format(value=WORKER_TIMEOUT_S),
    )
    group.add_argument(
        "--tls-ca", metavar="FILE", help=_("the file of the certificate that signs the cluster's certificates")
    )
    group.add_argument("--tls-cert", metavar="FILE", help=_("the file of this program's own certificate"))
    group.add_argument("--tls-key", metavar="FILE", help=_("the file of the private key that belongs to --tls-cert"))
    group.add_argument("--insecure", action="store_true", help=_("allow a cluster on another machine without TLS"))
