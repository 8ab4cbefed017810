"""The opponents that the application offers.

They are the players that the players file names, our bot at several strengths, and the bots in the folders of --bots. A
page names an opponent by a text that Opponents.known() returns, or by a path in the folders of --bots. A text from a
page is never run as a command line.
"""

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judge.games import GAMES
from judge.language import _
from judge.play.sandbox import Sandbox
from judge.play.start_trial import require_programs
from judge.players import opponents, own_bot, players
from judge.players.players import OWN_BOT, Contestant, PlayerError
from judge.web.bot_folders import BotFolders
from judge.web.texts import marked_in_each

# The levels that every game has, but for our bot at full strength, which is a name of its own.
LEVELS = [level for level in opponents.LEVELS if level.iterations and not level.preset]
DEFAULT_PRESET = "default"


@functools.cache
def presets(game: str) -> tuple[str, ...]:
    """Return the texts that name, on a command line, our bot with each preset for `game` except the default preset."""
    return tuple(f"{OWN_BOT}:{name}" for name in own_bot.presets(game) if name != DEFAULT_PRESET)


def _own_bots(game: str) -> list[str]:
    """Return the texts that name our bot at each level and with each preset for `game`, without its plain name."""
    return [*(level.player for level in LEVELS), *presets(game)]


class Opponents:
    """The opponents that a server offers.

    `players` is the path of the players file, which is read anew at each call; None stands for the default players
    file. `folders` are the folders of --bots.
    """

    def __init__(self, players: Path | None, folders: Sequence[Path] = ()) -> None:
        self._players = players
        self.folders = BotFolders(folders)

    def names(self) -> list[str]:
        """Return the names in the players file and the name of our bot. Raises PlayerError if the file is wrong."""
        return players.known_names(self._players)

    def known(self, game: str) -> list[str]:
        """Return all texts, other than paths, that name an opponent in `game`.

        Raises PlayerError if the players file is wrong.
        """
        return [*self.names(), *_own_bots(game)]

    def as_json(self) -> dict[str, Any]:
        """Return, as JSON, the opponents that a form offers in addition to those of names().

        `bots` are the names of the bots in the folders of --bots, and `takes_paths` says whether there are such
        folders. `levels` are the levels of our bot, with the text `player` that names our bot at this level. `presets`
        is {name of a game: the texts that name our bot with a preset for this game}.
        """
        return {
            "bots": list(self.folders.offered()),
            "takes_paths": bool(self.folders),
            "levels": [
                {
                    "name": level.name,
                    "title": marked_in_each(level.name),
                    "player": level.player,
                    "iterations": level.iterations,
                }
                for level in LEVELS
            ],
            "presets": {game: presets(game) for game in GAMES},
        }

    def contestant(self, text: str, game: str, limit_s: float, sandbox: Sandbox) -> Contestant:
        """Return the player that the text of a page names, ready to be started.

        The player's program is built in `sandbox` if necessary. `limit_s` is the player's time limit per move in
        seconds. Raises PlayerError if `text` names no player, or if the player cannot be built or lacks a program.
        """
        players_file = players.read_players_file(self._players)
        if text in (*players_file, OWN_BOT, *_own_bots(game)):
            player = players.contestant(text, players_file, game, sandbox)
        elif self.folders:
            player = players.contestant(self.folders.player(text), game=game, sandbox=sandbox)
        else:
            raise PlayerError(
                _("the players file has no player {name!r} any more: reload the page, and choose another one").format(
                    name=text
                )
            )
        require_programs([player], limit_s, [*players_file, OWN_BOT], sandbox)
        return player
