"""The folders of `--bots`: which players are found there, and which paths of a page lead to one.

Nothing outside these folders is a player: a path counts where its links lead to, and so do the main.py of a folder and
the sources of a project.
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
    """The players below some folders. They are looked for anew at every call, so that new ones need no restart."""

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self._folders: dict[str, Path] = {}  # by where they lead to
        for folder in folders:
            self._folders.setdefault(os.path.realpath(folder), folder)

    def __bool__(self) -> bool:
        return bool(self._folders)

    def offered(self) -> dict[str, str]:
        """Return {short name: the player as the command line takes it} of at most MOST_OFFERED players.

        A name is the path from its folder on. If two folders have the same, or it means something else on the command
        line, the folder itself is in front of it.
        """
        found: dict[str, str] = {}
        for folder in self._folders.values():
            players = (player for player in self._players_in(folder) if self._is_inside(player[1]))
            for name, text in itertools.islice(players, MOST_OFFERED - len(found)):
                is_taken = name in found or is_own_bot(name)
                found.setdefault(os.path.join(folder, name) if is_taken else name, text)
        return found

    def player(self, text: str) -> str:
        """Return the player, as the command line takes it, of a name of offered() or a path in one of the folders.

        A path is absolute, or relative to one of the folders; src: or lib: may stand before it, but no options behind
        it. Raises PlayerError, with the same words for a path outside and for one where nothing is.
        """
        offered = self.offered()
        if text in offered:
            return offered[text]
        prefix = next((prefix for prefix in PREFIXES if text.startswith(prefix)), "")
        for folder in self._folders.values():
            path = os.path.join(folder, text.removeprefix(prefix))
            if _is_path(path) and os.path.exists(path) and self._is_inside(prefix + path):
                return prefix + _as_path(path)
        places = ", ".join(map(str, self._folders.values()))
        message = _("{player!r} is neither a player that is offered nor in the folders of --bots ({folders})")
        raise PlayerError(message.format(player=text, folders=places))

    def _is_inside(self, text: str) -> bool:
        """Return whether the player's path, and each file that starts it, leads to a place in the folders."""
        prefix = next((prefix for prefix in PREFIXES if text.startswith(prefix)), "")
        path = Path(text.removeprefix(prefix))
        if not self._leads_inside(path):
            return False
        try:
            files = source_player.files_below(path) if path.is_dir() else []
        except PlayerError:  # it is too deep or has too many files
            return False
        starting = [file for file in files if file.suffix in SOURCE_SUFFIXES or file == Path(MAIN_SCRIPT)]
        return all(self._leads_inside(path / file) for file in starting)

    def _leads_inside(self, path: Path) -> bool:
        place = os.path.realpath(path)
        return any(place == root or place.startswith(root.rstrip(os.sep) + os.sep) for root in self._folders)

    def _players_in(self, folder: Path) -> Iterator[tuple[str, str]]:
        """Yield (name, player) of the folder if it is a player itself, and of all that lie directly in it.

        What may be several players is what the command line takes without a doubt: src: where there are sources, and a
        main.py where there is nothing else.
        """
        children = [child for child in _children(folder) if self._leads_inside(child) and child.exists()]
        if not {child.suffix for child in children}.isdisjoint(SOURCE_SUFFIXES):
            yield folder.resolve().name, f"{SOURCES}{folder}"
        for child in children:
            if child.suffix == library_player.SUFFIX:
                yield child.name, f"{LIBRARY}{child}"
            elif child.is_dir():
                yield from _players_of(child)
            elif child.name == MAIN_SCRIPT and _kinds_of(folder) == ["python"]:
                yield folder.resolve().name, _as_path(str(folder))


def _players_of(folder: Path) -> Iterator[tuple[str, str]]:
    kinds = _kinds_of(folder)
    if "src" in kinds:
        yield folder.name, f"{SOURCES}{folder}"
    elif kinds == ["python"]:
        yield folder.name, _as_path(str(folder))
    if "lib" in kinds:
        for library in library_player.in_folder(folder):
            yield os.path.join(folder.name, os.path.basename(library)), library


def _kinds_of(folder: Path) -> list[str]:
    """Return kinds_of() a folder; [] if it may not be read, is too deep or has too many files."""
    try:
        return kinds_of(folder)
    except (OSError, PlayerError):
        return []


def _children(folder: Path) -> list[Path]:
    """Return the entries of a folder that are not hidden and whose names are text, sorted; [] if it cannot be read."""
    try:
        return sorted(path for path in folder.iterdir() if path.name[:1] != "." and _is_path(path.name))
    except OSError:
        return []


def _is_path(text: str) -> bool:
    """Return whether a text can be a path: a name of a file may have bytes that are no text."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def _as_path(path: str) -> str:
    """Return a path as the command line takes it: one that begins like something else gets a folder before it."""
    return os.path.join(os.curdir, path) if path.startswith(PREFIXES) or is_own_bot(path) else path
