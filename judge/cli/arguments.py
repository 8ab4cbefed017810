"""Arguments and options that several commands share, and the types of their values."""

import argparse
import itertools
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


def record_file(text: str) -> Path:
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
        message = _("{text!r} cannot be written: {nearest} does not allow it")
        raise argparse.ArgumentTypeError(message.format(text=text, nearest=nearest))
    return path


def folder_to_fill(text: str) -> Path:
    """Return the path of a folder that may not exist yet. Raises ArgumentTypeError if a file has this path."""
    path = Path(text)
    if path.exists() and not path.is_dir():
        raise argparse.ArgumentTypeError(_("{text!r} is a file, expected a folder").format(text=text))
    return path


def folder_to_look_into(text: str) -> Path:
    """Return the path of an existing folder. Raises ArgumentTypeError if the path is not a folder."""
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(_("{text!r}: expected a folder").format(text=shortened(text)))
    return path


def add_players_option(parser: argparse.ArgumentParser) -> None:
    """Add the option --players, which takes the path of a players file."""
    parser.add_argument(
        "--players",
        type=Path,
        metavar="FILE",
        completer=completers.of_players_file,
        help=_("names players once, in TOML (default: players.toml, if the current folder has one)"),
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
        help=_("seconds per move of the player (default: 3)"),
    )
    parser.add_argument(
        "--memory-limit",
        type=memory_limit,
        default=DEFAULT_MEMORY_LIMIT,
        metavar="MB",
        help=_("10^6 bytes, 0 for no limit (default: {limit})").format(limit=DEFAULT_MEMORY_LIMIT),
    )


def add_flags(parser: argparse.ArgumentParser, of: Any) -> None:
    """Add an option for each field of the dataclass `of` that flag() declares."""
    for name, text in flags(of).items():
        parser.add_argument(f"--{name.replace('_', '-')}", action="store_true", help=_(text))


def add_jobs_option(parser: argparse.ArgumentParser) -> None:
    """Add --jobs (how many games are played at a time) and --no-machine-check."""
    parser.add_argument("--jobs", type=count, default=1, metavar="J", help=_("games at a time (default: 1)"))
    parser.add_argument(
        "--no-machine-check",
        dest="machine_check",
        action="store_false",
        help=_("do not look for half a second, before the games, at how busy the machine is"),
    )


def add_record_option(parser: argparse.ArgumentParser, default: Path) -> None:
    """Add the option --record for commands that append a single game to a record file.

    `default` is the path of the record file if the option is not given.
    """
    in_words = _("default: {value}").format(value=default)
    parser.add_argument(
        "--record",
        type=record_file,
        default=default,
        metavar="FILE",
        completer=completers.of_record_file,
        help=in_words,
    )


def add_record_options(parser: argparse.ArgumentParser, default_name: str) -> None:
    """Add --record, the flags of RunConfig, --verbose and --keep-going.

    `default_name` only appears in the help, as part of the name that a record file has by default.
    """
    default = _("default: {value}").format(value=f"records/{default_name}-TIME.jsonl")
    parser.add_argument("--record", type=record_file, metavar="FILE", completer=completers.of_record_file, help=default)
    add_flags(parser, RunConfig)
    parser.add_argument(
        "--verbose", action="store_true", help=_("tell times, endings and the state of the machine too")
    )
    parser.add_argument(
        KEEP_GOING,
        action="store_true",
        help=_("play on with a player that cannot be started or crashes in {number} games in a row").format(
            number=LONGEST_STREAK
        ),
    )


def fresh_record_file(name: str) -> Path:
    """Return the path of a record file that does not exist yet. The file's name contains `name`, a command's name."""
    now = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    endings = itertools.chain([""], (f"-{number}" for number in itertools.count(2)))
    paths = (Path("records") / f"{name}-{now}-{os.getpid()}{ending}.jsonl" for ending in endings)
    return next(path for path in paths if not path.exists())


def seed_or_random(asked: int | None) -> int:
    """Return the seed `asked`, or a random seed if `asked` is None."""
    return secrets.randbelow(boards.LARGEST_SEED + 1) if asked is None else asked


def players_help() -> str:
    """Return the help text on the names of players."""
    return _(
        "A player is a name of the players file; bot, bot:PRESET, bot@REVISION or bot@REVISION:PRESET, this "
        'repository\'s bot, in quotes with options of its own ("bot --iterations 1000"); src:FOLDER, a C++ project, '
        "built as the platform does, in quotes with --without NAME, --sanitize or --debug; a folder with a main.py; "
        "lib:PATH.so, a strategy library; or a command in quotes, run as given but for {limit} and {seed}, which are "
        "replaced by the limit in seconds and the player's seed."
    )


def exit_help() -> str:
    """Return the help text on the exit status of a single game."""
    return _("Exit status: 0 for a judged game, 2 for bad arguments, 3 for VOID (the judge's or the machine's fault).")


def exit_help_of_runs() -> str:
    """Return the help text on the exit status of a run of many games."""
    of_runs = _(
        "A run with a VOID game in it exits with 3, and one that a player has stopped, which could not be started or "
        "crashed in {number} games in a row, with 4."
    )
    return paragraph(exit_help(), of_runs.format(number=LONGEST_STREAK))


def paragraph(text: str, *sentences: str) -> str:
    """Join `text` and `sentences` to one text. Between them is a space in languages that put one between sentences."""
    for sentence in sentences:
        text = _("{text} {sentence}").format(text=text, sentence=sentence)
    return text


def add_game_choice(parser: argparse.ArgumentParser) -> None:
    """Add --game, whose value is the name of a game in GAMES."""
    default = _("default: {value}").format(value=DEFAULT_GAME)
    parser.add_argument("--game", choices=tuple(GAMES), default=DEFAULT_GAME, help=default)


def add_board_options(parser: argparse.ArgumentParser) -> None:
    """Add the board options of all games. The help groups them by the games that have them.

    Several games may have an option with the same flag. The value of a board option is therefore stored as text;
    board_options() converts it as the chosen game requires.
    """
    options: dict[str, dict[str, boards.BoardOption]] = {}
    for name, game in GAMES.items():
        for option in game.board_options:
            options.setdefault(option.flag, {})[name] = option
    groups: dict[str, argparse._ArgumentGroup] = {}
    for flag, of_games in options.items():
        names = _(" and ").join(of_games)
        if names not in groups:
            groups[names] = parser.add_argument_group(_("boards of {games}").format(games=names))
        helps = [_("{game}: {help}").format(game=name, help=option.help()) for name, option in of_games.items()]
        if len(of_games) == 1:
            helps = [option.help() for option in of_games.values()]
        metavars = dict.fromkeys(option.settings["metavar"] for option in of_games.values())
        groups[names].add_argument(flag, metavar="|".join(metavars), help=_("; ").join(helps))


def board_options(parser: argparse.ArgumentParser, options: argparse.Namespace, for_one_game: bool) -> dict[str, Any]:
    """Return the keyword arguments for draw_board() of the chosen game, taken from the parsed options.

    `for_one_game` says whether the command plays a single game. Ends the program with a message if the user gives a
    board option that the chosen game does not have, or a value that the option does not allow.
    """
    game = GAMES[options.game]
    own = {option.flag: option for option in game.board_options}
    owners: dict[str, tuple[boards.BoardOption, list[str]]] = {}
    for name, other in GAMES.items():
        for option in other.board_options:
            owners.setdefault(option.flag, (option, []))[1].append(name)
    given = {}
    for flag, (option, names) in owners.items():
        text = getattr(options, option.name, None)
        if text is not None and flag not in own:
            message = _("{flag} is an option of {games}, and the game is {game}")
            parser.error(message.format(flag=flag, games=_(" and ").join(names), game=options.game))
        if text is not None:
            given[option.name] = _converted(parser, own[flag], text)
    try:
        return game.complete_board_options(given, for_one_game)
    except ValueError as error:
        parser.error(str(error))


def _converted(parser: argparse.ArgumentParser, option: boards.BoardOption, text: str) -> Any:
    """Convert `text` to a value of `option`. Ends the program with a message if `option` does not allow the value."""
    try:
        return option.read(text)
    except ValueError as error:
        parser.error(f"argument {option.flag}: {error}")  # worded as argparse does


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
            completer=completers.of_any_file,
            help=_(
                "play on these boards, over and over: those of a file, one a line (9x12 forbidden 0,8) or of the games "
                "of a record, or N that are drawn from SEED (default: others in every pair of games)"
            ),
        )
    add_players_option(parser)
    parser.add_argument("--seed", type=seed, metavar="N", help=_("fixes boards and players' seeds (default: random)"))
    parser.add_argument(
        "--limit",
        type=seconds,
        default=limit_s,
        metavar="S",
        help=_("seconds per move (default: {number:g})").format(number=limit_s),
    )
    add_memory_option(parser)
    add_flags(parser, Conditions)
    parser.add_argument(
        "--forensics",
        type=folder_to_fill,
        metavar="DIR",
        completer=completers.of_folder,
        help=_("keep what is known of each game that does not end as it should, in a folder of its own there"),
    )
    add_sandbox_option(parser)
    parser.add_argument("--json", action="store_true", help=_("end the output with one JSON object on a line"))


def add_memory_option(parser: argparse.ArgumentParser) -> None:
    """Add the option --memory-limit, which takes a number of megabytes."""
    parser.add_argument(
        "--memory-limit",
        type=memory_limit,
        default=DEFAULT_MEMORY_LIMIT,
        metavar="MB",
        help=_("memory of a bot's processes together, in 10^6 bytes, 0 for no limit (default: {limit})").format(
            limit=DEFAULT_MEMORY_LIMIT
        ),
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
            "a sandbox of namespaces around each bot, by bubblewrap: where it can be had, or an error where it cannot, "
            "or none (default: auto)"
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
        help=_("keep what a bot in a sandbox writes into its own folder, but for hidden files"),
    )


def add_cluster_options(parser: argparse.ArgumentParser) -> None:
    """Add --cluster and the options that say how to connect to the cluster."""
    group = parser.add_argument_group(_("a cluster (its danger: docs/cluster.md)"))
    group.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help=_("play on the workers of this dask scheduler, or on local[:N] of this machine (default: here)"),
    )
    group.add_argument(
        "--worker-timeout",
        type=seconds,
        metavar="S",
        help=_("with local: give up a worker after so many seconds without an answer (default: {value:g})").format(
            value=WORKER_TIMEOUT_S
        ),
    )
    group.add_argument("--tls-ca", metavar="FILE", help=_("the certificate that signs those of the cluster"))
    group.add_argument("--tls-cert", metavar="FILE", help=_("this program's own certificate"))
    group.add_argument("--tls-key", metavar="FILE", help=_("its key"))
    group.add_argument("--insecure", action="store_true", help=_("allow a foreign address without TLS"))
