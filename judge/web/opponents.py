"""Who can be played against: names of the players file, our bot with its levels and presets, bots in some folders.

A page names an opponent by a text of known(), or by a path in the folders of `--bots`: no text of a page is ever taken
for a command line.
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

# Iterations of a move; the same on every machine, unlike a limit of time.
LEVELS = {"easy": 30, "medium": 300, "strong": 3000}
DEFAULT_PRESET = "default"


def level(iterations: int) -> str:
    """Return our bot with so many iterations a move, as the command line names it."""
    return f"{OWN_BOT} --iterations {iterations}"


@functools.cache
def presets(game: str) -> tuple[str, ...]:
    """Return our bot with each of its presets of a game but the default, as the command line names it."""
    return tuple(f"{OWN_BOT}:{name}" for name in own_bot.presets(game) if name != DEFAULT_PRESET)


def _own_bot(game: object) -> list[str]:
    """Return the texts of our bot in a game, other than its name."""
    return [*map(level, LEVELS.values()), *(presets(game) if isinstance(game, str) and game in GAMES else ())]


class Opponents:
    """The opponents that a server offers. players: the players file, which is read anew each time; folders: --bots."""

    def __init__(self, players: Path | None, folders: Sequence[Path] = ()) -> None:
        self._players = players
        self.folders = BotFolders(folders)

    def names(self) -> list[str]:
        """Return the names of the players file, and our bot's. Raises PlayerError where the file is wrong."""
        return players.names_known(self._players)

    def known(self, game: object) -> list[str]:
        """Return all texts that name an opponent in this game. Raises PlayerError where the players file is wrong."""
        return [*self.names(), *_own_bot(game)]

    def as_json(self) -> dict[str, Any]:
        """Return what a form offers, beside names().

        `bots` are those of the folders, `takes_paths` is whether there are such folders, `levels` are those of our
        bot, `presets` its presets by game.
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
        """Return the player of this text, ready to be started; built in the sandbox if need be. Raises PlayerError."""
        named = players.read(self._players)
        if text in (*named, OWN_BOT, *_own_bot(game)):
            player = players.contestant(text, named, game, sandbox)
        elif self.folders:
            player = players.contestant(self.folders.player(text), game=game, sandbox=sandbox)
        else:
            raise PlayerError(_("the players file names no {name!r} any more").format(name=text))
        require_programs([player], limit_s, [*named, OWN_BOT], sandbox)
        return player
