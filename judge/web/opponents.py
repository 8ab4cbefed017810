"""The opponents that the application offers: names in the players file, our bot at several strengths, bots in folders.

A page names an opponent by a text of known(), or by a path in the folders of `--bots`. No text from a page is ever
taken for a command line.
"""

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judge.games import GAMES
from judge.language import _
from judge.play.sandbox import Sandbox
from judge.play.start_trial import require_programs
from judge.players import own_bot, players
from judge.players.players import OWN_BOT, Contestant, PlayerError
from judge.web.bot_folders import BotFolders

# Iterations per move. They give the same strength on every machine, unlike a limit of time.
LEVELS = {"easy": 30, "medium": 300, "strong": 3000}
DEFAULT_PRESET = "default"


def level(iterations: int) -> str:
    """Return the command line's text for our bot with `iterations` iterations per move."""
    return f"{OWN_BOT} --iterations {iterations}"


@functools.cache
def presets(game: str) -> tuple[str, ...]:
    """Return the command line's texts for our bot with each preset for this game, except the default preset."""
    return tuple(f"{OWN_BOT}:{name}" for name in own_bot.presets(game) if name != DEFAULT_PRESET)


def _own_bot(game: object) -> list[str]:
    """Return the texts, other than its plain name, that name our bot in a game: its levels and its presets."""
    return [*map(level, LEVELS.values()), *(presets(game) if isinstance(game, str) and game in GAMES else ())]


class Opponents:
    """The opponents that a server offers.

    `players` is the path of the players file, which is read anew at each call; `folders` are those of --bots.
    """

    def __init__(self, players: Path | None, folders: Sequence[Path] = ()) -> None:
        self._players = players
        self.folders = BotFolders(folders)

    def names(self) -> list[str]:
        """Return the names in the players file and the name of our bot. Raises PlayerError if the file is wrong."""
        return players.names_known(self._players)

    def known(self, game: object) -> list[str]:
        """Return all texts that name an opponent in this game. Raises PlayerError if the players file is wrong."""
        return [*self.names(), *_own_bot(game)]

    def as_json(self) -> dict[str, Any]:
        """Return, as JSON, what a form offers besides names().

        `bots` are the bots in the folders of --bots, `takes_paths` says whether there are such folders, `levels` are
        the levels of our bot, and `presets` has its presets by game.
        """
        return {
            "bots": list(self.folders.offered()),
            "takes_paths": bool(self.folders),
            "levels": [
                {"name": name, "player": level(number), "iterations": number} for name, number in LEVELS.items()
            ],
            "presets": {game: presets(game) for game in GAMES},
        }

    def contestant(self, text: str, game: str, limit_s: float, sandbox: Sandbox) -> Contestant:
        """Return the player that `text` names, ready to be started. Its program is built in the sandbox if necessary.

        Raises PlayerError.
        """
        named = players.read(self._players)
        if text in (*named, OWN_BOT, *_own_bot(game)):
            player = players.contestant(text, named, game, sandbox)
        elif self.folders:
            player = players.contestant(self.folders.player(text), game=game, sandbox=sandbox)
        else:
            raise PlayerError(_("the players file names no {name!r} any more").format(name=text))
        require_programs([player], limit_s, [*named, OWN_BOT], sandbox)
        return player
