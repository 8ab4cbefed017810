"""The options that every command playing games has: which game, its boards, its clock, what its players may use."""

import argparse
from typing import Any

from judge.command_line.arguments import (
    DEFAULT_LIMIT_S,
    DEFAULT_MEMORY_LIMIT,
    add_players_option,
    folder_to_fill,
    memory_limit,
)
from judge.command_line.number_types import seconds, seed
from judge.games import DEFAULT_GAME, GAMES, boards
from judge.language import _
from judge.play.walls import AUTO, MODES


def add_game_choice(parser: argparse.ArgumentParser) -> None:
    """--game, the name of a game in GAMES."""
    default = _("default: {value}").format(value=DEFAULT_GAME)
    parser.add_argument("--game", choices=tuple(GAMES), default=DEFAULT_GAME, help=default)


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
        names = _(" and ").join(of_games)
        if names not in groups:
            groups[names] = parser.add_argument_group(_("boards of {games}").format(games=names))
        helps = [_("{game}: {help}").format(game=name, help=option.help()) for name, option in of_games.items()]
        if len(of_games) == 1:
            helps = [option.help() for option in of_games.values()]
        metavars = dict.fromkeys(option.settings["metavar"] for option in of_games.values())
        groups[names].add_argument(flag, metavar="|".join(metavars), help=_("; ").join(helps))


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
            message = _("{flag} is an option of {games}, and the game is {game}")
            parser.error(message.format(flag=flag, games=_(" and ").join(names), game=options.game))
        if text is not None:
            wishes[option.name] = _converted(parser, own[flag], text)
    try:
        return game.complete_wishes(wishes, for_one_game)
    except ValueError as error:
        parser.error(str(error))


def _converted(parser: argparse.ArgumentParser, option: boards.BoardOption, text: str) -> Any:
    """What the option's type makes of a text; ends the program where that refuses it."""
    try:
        return option.read(text)
    except ValueError as error:
        parser.error(f"argument {option.flag}: {error}")  # in argparse's words


def add_game_options(
    parser: argparse.ArgumentParser, for_one_game: bool = False, limit_s: float = DEFAULT_LIMIT_S
) -> None:
    """The options that every command playing games has; `for_one_game` if it plays a single one.

    limit_s: the seconds per move without --limit.
    """
    add_game_choice(parser)
    add_board_options(parser, for_one_game)
    add_players_option(parser)
    parser.add_argument("--seed", type=seed, metavar="N", help=_("fixes boards and players' seeds (default: random)"))
    parser.add_argument(
        "--limit",
        type=seconds,
        default=limit_s,
        metavar="S",
        help=_("seconds per move (default: {number:g})").format(number=limit_s),
    )
    parser.add_argument(
        "--free-start", action="store_true", help=_("do not charge starting up: wait until both bots are idle")
    )
    add_memory_option(parser)
    parser.add_argument(
        "--undrained-stderr",
        action="store_true",
        help=_("leave the bots' stderr unread: a bot that writes more than the pipe holds, 64 KB, will block"),
    )
    parser.add_argument(
        "--strict-clock",
        action="store_true",
        help=_("let a player's clock run on while the machine does not run it, as the platform does"),
    )
    parser.add_argument(
        "--freeze",
        action="store_true",
        help=_("stop the player that is not to move, so that nobody thinks on the other's time"),
    )
    parser.add_argument(
        "--forensics",
        type=folder_to_fill,
        metavar="DIR",
        help=_("keep what is known of each game that does not end as it should, in a folder of its own there"),
    )
    add_sandbox_option(parser)
    parser.add_argument("--json", action="store_true", help=_("end the output with one JSON object on a line"))


def add_memory_option(parser: argparse.ArgumentParser) -> None:
    """--memory-limit, in megabytes."""
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
    """--sandbox, whether bots play behind walls."""
    parser.add_argument(
        "--sandbox",
        choices=MODES,
        default=AUTO,
        help=_(
            "a wall of namespaces around each bot, by bubblewrap: where it can be had, or an error where it cannot, or "
            "none (default: auto)"
        ),
    )
