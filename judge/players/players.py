"""From what the command line calls a player to the command that starts it.

A player is one of
    NAME                                 of the players file (see players_file)
    bot[@REVISION][:PRESET] [OPTIONS]    this repository's bot (see own_bot)
    src:FOLDER [OPTIONS]                 a C++ project, built as the platform does (see source_player)
    lib:PATH.so                          a strategy library of the course
    a folder, or a file                  main.py in it, else src:, as far as only one of them fits
    any command                          run as given, {limit} and {seed} replaced
"""

import dataclasses
import os
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from judge.games import DEFAULT_GAME
from judge.language import _, recorded
from judge.players import content, library_player, names, own_bot, players_file, source_player
from judge.players.checkout import own_version
from judge.players.launch import BadCommand, Launch, PlayerError
from judge.players.players_file import Entry
from judge.players.source_tree import MAIN_SCRIPT, SOURCE_SUFFIXES, files_below, kinds_of
from judge.terminal import printable

__all__ = ["OWN_BOT", "BadCommand", "Contestant", "PlayerError", "contestant", "contestants", "own_version"]

OWN_BOT = own_bot.OWN_BOT
PREFIXES_BY_SUFFIX = {
    library_player.SUFFIX: library_player.PREFIX,
    **dict.fromkeys(SOURCE_SUFFIXES, source_player.PREFIX),
}
# Reasons, as records keep them.
BAD_QUOTES = recorded("{command}: {error}")
EMPTY_COMMAND = recorded("the command is empty, expected a program and its arguments")
OF_QUOTES = recorded("No closing quotation"), recorded("No escaped character")  # what shlex says


@dataclasses.dataclass(frozen=True)
class Contestant:
    """A player: `command` tells it from others, `wire` is one that its game's codec takes.

    `prepared` is what starts it; without it, `command` is a command line that runs in `folder` (None: the judge's own).
    `is_tried` if it was started already on the way here; `is_library` where it is a strategy library: how that is going
    to be uploaded is not known; `is_named` where the players file names it: contestants() may change other names;
    `lack` says why it plays weaker than it should, "" if it does not.
    """

    name: str
    command: str
    version: str | None = None
    wire: str = "saiblo"
    prepared: Launch | None = None
    folder: str | None = None
    is_tried: bool = False
    is_library: bool = False
    is_named: bool = False
    lack: str = ""

    @property
    def keeps_prints_apart(self) -> bool:
        """Whether what it prints is kept apart from its replies, as Launch has it."""
        return self.prepared is not None and self.prepared.keeps_prints_apart

    def launch(self, limit_s: float, seed: int) -> Launch:
        """How to start it for a game with this limit (seconds per move) and seed.

        Raises BadCommand if the command line is empty or wrongly quoted.
        """
        return (self.prepared or _command_line(self.command, self.folder)).filled(limit_s, seed)


def contestants(
    texts: Iterable[str], players_path: str | Path | None = None, game: str = DEFAULT_GAME
) -> list[Contestant]:
    """The players of this game that the command line's words stand for.

    Where several would have the same name, theirs tell them apart; none holds what a terminal obeys. players_path is
    the players file; None takes players.toml of the current folder where there is one. Raises PlayerError naming what
    is wrong with the first that is none.
    """
    named = players_file.read(players_path)
    players = _told_apart([contestant(text, named, game) for text in texts])
    return [dataclasses.replace(player, name=printable(player.name)) for player in players]


def with_folders_opened(texts: Iterable[str]) -> list[str]:
    """The same texts, but for a folder of strategy libraries, or lib:FOLDER: that stands for all in it."""
    expanded: list[str] = []
    for text in texts:
        path = Path(text.removeprefix(library_player.PREFIX))
        is_named_so = text.startswith(library_player.PREFIX) and os.path.isdir(path)
        is_so_alone = os.path.isdir(text) and kinds_of(path) == ["lib"]
        expanded += library_player.in_folder(path) if is_named_so or is_so_alone else [text]
    return expanded


def _told_apart(players: Sequence[Contestant]) -> list[Contestant]:
    """The players with different names, where those that they were given by their commands are the same."""
    commands: dict[str, list[str]] = {}
    for player in players:
        if not player.is_named:
            commands.setdefault(player.name, []).append(player.command)
    apart = {
        (name, command): shown
        for name, alike in commands.items()
        if len(set(alike)) > 1
        for command, shown in zip(alike, names.told_apart(alike), strict=True)
    }
    return [
        dataclasses.replace(player, name=apart[player.name, player.command])
        if not player.is_named and (player.name, player.command) in apart
        else player
        for player in players
    ]


def require_engines(players: Iterable[Contestant]) -> None:
    """Raise PlayerError for a bot of this repository that has no compiled engine and is not told to do without."""
    for player in players:
        if player.lack:
            without = f"{player.command} {own_bot.BACKEND} {own_bot.NO_BACKEND}"
            message = _("player {name!r} has no compiled engine and would play weaker; {without!r} plays so on purpose")
            raise PlayerError(message.format(name=player.name, without=without))


def names_known(players_path: str | Path | None = None) -> list[str]:
    """What players may be called beside commands: the names of the players file, and the bot. Raises PlayerError."""
    return [*players_file.read(players_path), OWN_BOT]


def contestant(text: str, named: Mapping[str, Entry] | None = None, game: str = DEFAULT_GAME) -> Contestant:
    """The player that a command line's word or quoted command stands for; `named` is players_file.read()'s.

    Everything slow is done here, before the first game: checking out, compiling, trying to load.
    """
    if named and text in named:
        entry = named[text]
        player = contestant(entry.text, game=game) if entry.folder is None else command_in(entry.text, entry.folder)
        return dataclasses.replace(player, name=text, is_named=True)
    if own_bot.is_own_bot(text):
        launch, own, lack = own_bot.prepare(text, game)
        return Contestant(names.shortened(text), text, own, prepared=launch, is_tried=True, lack=lack)
    if text.startswith(library_player.PREFIX):
        if game != DEFAULT_GAME:
            message = _("player {name!r}: strategy libraries play {own_game}, and the game is {game}")
            raise PlayerError(message.format(name=text, own_game=DEFAULT_GAME, game=game))
        path = Path(text.removeprefix(library_player.PREFIX))
        if path.is_dir():
            message = _("player {name!r}: a folder of libraries is for `batch --against`; name one of them")
            raise PlayerError(message.format(name=text))
        launch = library_player.prepare(path)
        version = content.version_of_files([path])
        return Contestant(path.name, text, version, prepared=launch, is_tried=True, is_library=True)
    if text.startswith(source_player.PREFIX):
        project = source_player.prepare(text, game)
        return Contestant(project.name, text, project.version, prepared=project.launch, is_tried=project.is_tried)
    if os.path.exists(text):
        return _from_path(Path(text), game)
    return command_in(text)


def command_in(text: str, folder: Path | None = None) -> Contestant:
    """The player that a command line starts in a folder, None for the judge's own."""
    try:
        version = content.version_of_command(shlex.split(text), folder or Path())
    except ValueError:
        version = None  # what is wrong with it is said where it is started
    return Contestant(names.of_command(text), text, version, folder=None if folder is None else str(folder.resolve()))


def _from_path(path: Path, game: str) -> Contestant:
    """The player that a bare folder or file stands for. Raises PlayerError where that is none, or not clear."""
    text = str(path)
    if path.is_file():
        prefix = PREFIXES_BY_SUFFIX.get(path.suffix)
        # With a folder before it: a program of the same name on PATH is another.
        own = text if os.sep in text else os.path.join(os.curdir, text)
        return contestant(prefix + text, game=game) if prefix else command_in(shlex.quote(own))
    spellings = {
        "python": f'"python {path / MAIN_SCRIPT}"',
        "src": f"{source_player.PREFIX}{path}",
        "lib": _("{player} (after `batch --against`)").format(player=f"{library_player.PREFIX}{path}"),
    }
    kinds = kinds_of(path)
    if kinds == ["src"]:
        return contestant(source_player.PREFIX + text, game=game)
    if kinds == ["python"]:
        launch = Launch((sys.executable, MAIN_SCRIPT), {}, str(path.resolve()))
        version = content.digest((file.as_posix(), path / file) for file in files_below(path))[: content.DIGITS]
        return Contestant(path.resolve().name, text, version, prepared=launch)
    if not kinds:
        message = _("folder {path!r} holds no player, expected {script}, C++ sources or strategy libraries")
        raise PlayerError(message.format(path=text, script=MAIN_SCRIPT))
    choices = _(" or ").join(spellings[kind] for kind in kinds)
    raise PlayerError(_("folder {path!r}: name {choices}").format(path=text, choices=choices))


def _command_line(command: str, folder: str | None) -> Launch:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadCommand(BAD_QUOTES.format(command=repr(command), error=error)) from error
    if not words:
        raise BadCommand(EMPTY_COMMAND)
    return Launch(tuple(words), {}, folder)
