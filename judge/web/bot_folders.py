"""Finds the players in the folders of `--bots`, and checks whether a path that a page sends is one of these players.

A page may only choose players inside these folders. All links are resolved before that is checked. The path of a player
must lead into one of the folders, and so must the main.py of a Python bot and the sources of a project.
"""

import itertools
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from judge.language import _
from judge.players import library_player, source_player
from judge.players.own_bot import is_own_bot
from judge.players.players import PREFIXES, PlayerError
from judge.players.source_player import MAIN_SCRIPT, SOURCE_SUFFIXES, kinds_of

MOST_OFFERED = 500
LIBRARY, SOURCES = library_player.PREFIX, source_player.PREFIX


class BotFolders:
    """The players in some folders. Each call searches the folders anew, so that a new player needs no restart."""

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self._folders: dict[str, Path] = {}  # {path with all links resolved: path as the user gave it}
        for folder in folders:
            self._folders.setdefault(os.path.realpath(folder), folder)

    def __bool__(self) -> bool:
        return bool(self._folders)

    def offered(self) -> dict[str, str]:
        """Return at most MOST_OFFERED players as {name: text that names the player on a command line}.

        A name is the end of the player's path. If another player has the name already, or if the name means our own
        bot on the command line, the path of the folder of --bots is put in front.
        """
        offered_players: dict[str, str] = {}
        for folder in self._folders.values():
            players = (player for player in self._players_in(folder) if self._is_inside(player[1]))
            for name, text in itertools.islice(players, MOST_OFFERED - len(offered_players)):
                is_taken = name in offered_players or is_own_bot(name)
                offered_players.setdefault(os.path.join(folder, name) if is_taken else name, text)
        return offered_players

    def player(self, text: str) -> str:
        """Return the text that names, on a command line, the player for which a page sends `text`.

        `text` is a name that offered() returns, or a path. A path is absolute, or relative to one of the folders, and
        must lead into one of them; the folder itself has a name if it is a player. "src:" or "lib:" may stand in front
        of the path, but no options may follow it.
        Raises PlayerError if there is no such player. The message does not tell whether a path leads outside the
        folders or does not exist.
        """
        offered = self.offered()
        if text in offered:
            return offered[text]
        prefix = next((prefix for prefix in PREFIXES if text.startswith(prefix)), "")
        for folder in self._folders.values():
            path = os.path.join(folder, text.removeprefix(prefix))
            is_there = is_text_path(path) and os.path.exists(path) and os.path.realpath(path) not in self._folders
            if is_there and self._is_inside(prefix + path):
                return prefix + _path_argument(path)
        folders = ", ".join(map(str, self._folders.values()))
        message = _("{player!r} is neither a player in the list nor a path in the folders of --bots ({folders})")
        raise PlayerError(message.format(player=text, folders=folders))

    def _is_inside(self, text: str) -> bool:
        """Return whether the path in `text`, which names a player, leads into one of the folders.

        If the path is that of a folder, its sources and its main.py must lead into one of the folders, too.
        """
        prefix = next((prefix for prefix in PREFIXES if text.startswith(prefix)), "")
        path = Path(text.removeprefix(prefix))
        if not self._leads_inside(path):
            return False
        try:
            files = source_player.files_below(path) if path.is_dir() else []
        except PlayerError:  # the folder is too deep or has too many files
            return False
        program_files = [file for file in files if file.suffix.lower() in SOURCE_SUFFIXES or file == Path(MAIN_SCRIPT)]
        return all(self._leads_inside(path / file) for file in program_files)

    def _leads_inside(self, path: Path) -> bool:
        """Return whether a path, with all links resolved, leads into one of the folders."""
        target = Path(os.path.realpath(path))
        return any(target.is_relative_to(root) for root in self._folders)

    def _players_in(self, folder: Path) -> Iterator[tuple[str, str]]:
        """Yield (name, player) for the folder if it is a player itself, and for each player directly in it.

        `player` is the text that names the player on a command line. A folder may contain several kinds of bots: with
        sources it is a player with "src:" in front, and each library in it is a player. A folder with a main.py is a
        player only if it contains no other kind of bot.
        """
        children = [child for child in _children(folder) if self._leads_inside(child) and child.exists()]
        if not {child.suffix.lower() for child in children}.isdisjoint(SOURCE_SUFFIXES):
            yield folder.resolve().name, f"{SOURCES}{folder}"
        for child in children:
            if child.suffix == library_player.SUFFIX:
                yield child.name, f"{LIBRARY}{child}"
            elif child.is_dir():
                yield from _players_in_subfolder(child)
            elif child.name == MAIN_SCRIPT and _kinds_of(folder) == ["python"]:
                yield folder.resolve().name, _path_argument(str(folder))


def _players_in_subfolder(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield (name, player) for a subfolder that is a player, and for each library in it; see _players_in()."""
    kinds = _kinds_of(folder)
    if "src" in kinds:
        yield folder.name, f"{SOURCES}{folder}"
    elif kinds == ["python"]:
        yield folder.name, _path_argument(str(folder))
    if "lib" in kinds:
        for library in library_player.libraries_in(folder):
            yield os.path.join(folder.name, os.path.basename(library)), library


def _kinds_of(folder: Path) -> list[str]:
    """Return source_player.kinds_of(folder), or [] if the folder cannot be read, is too deep or has too many files."""
    try:
        return kinds_of(folder)
    except (OSError, PlayerError):
        return []


def _children(folder: Path) -> list[Path]:
    """Return the sorted paths of the files and folders in a folder, or [] if the folder cannot be read.

    Hidden entries and entries whose names are no valid text are left out.
    """
    try:
        return sorted(path for path in folder.iterdir() if path.name[:1] != "." and is_text_path(path.name))
    except OSError:
        return []


def is_text_path(text: str) -> bool:
    """Return whether `text` can be a path that a page shows. A file's name may have bytes that are no valid text."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def _path_argument(path: str) -> str:
    """Return `path` as a text that the command line takes for a path.

    "./" is put in front of a path that would mean something else there, such as our own bot.
    """
    return os.path.join(os.curdir, path) if path.startswith(PREFIXES) or is_own_bot(path) else path
