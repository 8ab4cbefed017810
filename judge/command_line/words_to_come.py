"""How a word that somebody has begun may go on: players, their presets and revisions, files.

Each function takes what is there of the word, and as `parsed_args` the options that are there already; what it takes
besides is not looked at. The shell shows those of the words returned that begin like what is there.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from judge.games import DEFAULT_GAME
from judge.players import library_player, source_player
from judge.players.checkout import CHECKOUT
from judge.players.launch import PlayerError
from judge.players.players import OWN_BOT, names_known
from judge.players.source_tree import SOURCE_SUFFIXES

PATIENCE_S = 10.0  # on a machine that is not full each takes a twentieth of a second


def of_player(prefix: str, parsed_args: argparse.Namespace | None = None, **_: Any) -> list[str]:
    """Words for a player."""
    game = getattr(parsed_args, "game", DEFAULT_GAME)
    if prefix.startswith(library_player.PREFIX):
        return _after(library_player.PREFIX, prefix, lambda path: _paths(path, (library_player.SUFFIX,)))
    if prefix.startswith(source_player.PREFIX):
        return _after(source_player.PREFIX, prefix, lambda path: _paths(path, SOURCE_SUFFIXES))
    bot, colon, _preset = prefix.partition(":")
    if colon and bot.partition("@")[0] == OWN_BOT:
        return [f"{bot}:{preset}" for preset in _presets(game)]
    if bot.startswith(f"{OWN_BOT}@"):
        return [f"{OWN_BOT}@{revision}" for revision in _revisions()]
    if " " in prefix:  # a command in quotes: its next file
        before, _space, last = prefix.rpartition(" ")
        return [f"{before} {path}" for path in _paths(last)]
    kinds = [f"{OWN_BOT}:", f"{OWN_BOT}@", source_player.PREFIX]
    if game == DEFAULT_GAME:
        kinds.append(library_player.PREFIX)
    return [*_names(getattr(parsed_args, "players", None)), *kinds, *_paths(prefix)]


def of_record_file(prefix: str, **_: Any) -> list[str]:
    """Paths of files with records."""
    return _paths(prefix, (".jsonl",))


def of_players_file(prefix: str, **_: Any) -> list[str]:
    """Paths of players files."""
    return _paths(prefix, (".toml",))


def of_any_file(prefix: str, **_: Any) -> list[str]:
    """Paths of files."""
    return _paths(prefix)


def of_folder(prefix: str, **_: Any) -> list[str]:
    """Paths of folders."""
    return _paths(prefix, ())


def _paths(prefix: str, suffixes: Sequence[str] | None = None) -> list[str]:
    """The folders, and the files with one of these suffixes (None: all files), whose paths begin so.

    Hidden ones are among them where the prefix asks for them. A folder ends in "/".
    """
    place, slash, start = prefix.rpartition("/")
    folder = os.path.expanduser(place + slash) or "."
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                is_wanted = entry.name.startswith(start) if start else not entry.name.startswith(".")
                if is_wanted and entry.is_dir():
                    found.append(f"{place}{slash}{entry.name}/")
                elif is_wanted and (suffixes is None or entry.name.endswith(tuple(suffixes))):
                    found.append(f"{place}{slash}{entry.name}")
    except OSError:
        return []
    return sorted(found)


def _after(kind: str, prefix: str, paths: Callable[[str], list[str]]) -> list[str]:
    """Paths as players of a kind, which is named before them."""
    return [f"{kind}{path}" for path in paths(prefix.removeprefix(kind))]


def _names(players_path: str | None) -> list[str]:
    """Names of the players file, and the bot's; a file that is wrong is told of when the command is run."""
    try:
        return names_known(players_path)
    except PlayerError:
        return [OWN_BOT]


def _presets(game: str) -> list[str]:
    """Presets of this checkout's bot, which only the bot knows: without site packages it says so in a moment."""
    return _lines([sys.executable, "-S", "-m", "bot", "presets", "--game", str(game)])


def _revisions() -> list[str]:
    """Branches and tags, and the last commit."""
    return ["HEAD", *_lines(["git", "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags"])]


def _lines(command: Sequence[str]) -> list[str]:
    """What a program prints, run in the checkout; [] where it fails."""
    try:
        done = subprocess.run(
            command,
            cwd=CHECKOUT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=PATIENCE_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return done.stdout.splitlines()


# What a value may be, by the name that its option or argument has in the Namespace; choices speak for themselves.
COMPLETERS: Mapping[str, Callable[..., list[str]]] = {
    **dict.fromkeys(("A", "B", "BOT", "PLAYER", "against", "engine"), of_player),
    **dict.fromkeys(("file", "record"), of_record_file),
    "players": of_players_file,
    **dict.fromkeys(("compete", "forensics", "records"), of_folder),
    **dict.fromkeys(("output", "logs", "moves", "html"), of_any_file),
}
