"""Turns the text that names a player on the command line into a Contestant: the command that starts it, and its name.

A player is one of
    NAME                                 a name in the players file, see below
    bot[@REVISION][:PRESET] [OPTIONS]    this repository's bot (see own_bot)
    src:FOLDER [OPTIONS]                 a C++ project, built as the platform does (see source_player)
    lib:PATH.so                          a strategy library of the course
    a folder                             its main.py or its C++ project, if it holds only one of these players
    a file                               a lib: or src: player by its suffix, otherwise a program to run
    any command                          run as given, with values in place of {limit} and {seed}

The players file is TOML. Each table defines one player: its header is the player's name, its content has one of these
forms:

    [old]
    revision = "v0.1"
    preset = "puct-basic"
    iterations = 4000
    set = { exploration = 1.2 }
    options = ["--memory", "400"]

    [course]
    library = "samples/100.so"

    [mine]
    source = "../connect4/v8"

    [mover]
    command = "python random_mover.py --seed {seed}"

The first, [old], is this repository's bot; each of its keys may be left out. Paths are relative to the file, and a
command runs in the file's folder.

The names that are shown are short. If two players would have the same name, their names are made different. Names are
for display only: records and --resume identify a player by its whole command.
"""

import codecs
import dataclasses
import os
import re
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge import files
from judge.games import DEFAULT_GAME
from judge.language import _
from judge.players import library_player, opponents, own_bot, source_player, versions
from judge.players.launch import BadCommand, PlayerError, path_of
from judge.players.own_bot import is_own_bot
from judge.players.source_player import MAIN_SCRIPT, SOURCE_SUFFIXES, files_below, kinds_of
from judge.players.versions import own_version
from judge.processes.bubblewrap import OFF, Sandbox
from judge.processes.folders import Copy
from judge.processes.start import Launch
from judge.reasons import EMPTY_COMMAND, WRONG_COMMAND
from judge.terminal import printable
from protocol.records.json_lines import RecordError
from protocol.records.values import check

LONGEST_NAME = 40  # characters of a name
PREFIX = re.compile(r"(src|lib):")
ELLIPSIS = "..."

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DEFAULT = Path("players.toml")
KINDS: dict[str, type[Any]] = {
    "command": str,
    "library": str,
    "source": str,
    "preset": str,
    "revision": str,
    "iterations": int,
    "set": dict,
    "options": list,
}
PREFIXES = (library_player.PREFIX, source_player.PREFIX)
MOST_NESTED = 8  # levels of tables and lists; a player's options take three
EXCLUSIVE_KEYS = ("command", "library", "source")  # a table with one of these has no other key
__all__ = ["OWN_BOT", "BadCommand", "Contestant", "PlayerError", "contestant", "contestants", "own_version"]

OWN_BOT = own_bot.OWN_BOT
PREFIXES_BY_SUFFIX = {
    library_player.SUFFIX: library_player.PREFIX,
    **dict.fromkeys(SOURCE_SUFFIXES, source_player.PREFIX),
}


def short_name_of_command(command: str) -> str:
    """Return a name for a command line: the file name of its program, or of the script that an interpreter runs."""
    words = _split_command(command)
    return short_name(os.path.basename(words[_program_index(words)]) if words else command)


def short_name(name: str) -> str:
    """Return the name, with "..." in place of its middle if it has more than LONGEST_NAME characters."""
    half = (LONGEST_NAME - len(ELLIPSIS)) // 2
    return name if len(name) <= LONGEST_NAME else name[:half] + ELLIPSIS + name[-half:]


def distinct_names(commands: Sequence[str]) -> list[str]:
    """Return a name for each of the `commands`, which all have the same short name, so that different commands differ.

    A name is the file name of the program and what distinguishes its command from the others: a folder of the program's
    path, or the words that not all of the commands have. Equal commands get equal names.
    """
    names: dict[str, str] = {}
    labels = _path_labels(commands)
    for label in set(labels.values()):
        alike = [command for command in labels if labels[command] == label]
        names.update(zip(alike, _names_by_words(alike, label), strict=True))
    return [short_name(names[command]) for command in commands]


def _path_labels(commands: Iterable[str]) -> dict[str, str]:
    """Return {command: a short form of the path of its program}.

    It is one folder of the path, "..." if more folders follow, and the file name. All begin at the same number of
    folders from the end: the smallest at which the paths of the `commands` differ most.
    """
    paths = {command: _path_of(command) for command in commands}
    depths = range(1, max(map(len, paths.values())) + 1)
    depth = max(depths, key=lambda depth: len({tuple(path[-depth:]) for path in paths.values()}))
    labels = {}
    for command, path in paths.items():
        end = path[-depth:]
        labels[command] = os.sep.join(end if len(end) < 3 else (end[0], ELLIPSIS, end[-1]))
    return labels


def _path_of(command: str) -> list[str]:
    """Return the parts of the path of a command's program. If the file exists, the path is made absolute."""
    words = _split_command(command)
    path = PREFIX.sub("", words[_program_index(words)], count=1) if words else command
    if os.path.exists(path):
        path = os.path.abspath(path)
    return [part for part in path.split(os.sep) if part] or [path]


def _names_by_words(commands: Sequence[str], label: str) -> list[str]:
    """Return a name for each command: the `label` and the words that only some of the commands have.

    The label stands in place of the program. If a word is the value of an option, the option is added before it.
    """
    all_words = [_split_command(command) for command in commands]
    common = set(all_words[0]).intersection(*all_words[1:])
    names = []
    for words in all_words:
        program = _program_index(words) if words else 0
        chosen = {program}
        for index, word in enumerate(words):
            if word not in common and index != program:
                chosen.add(index)
                if index and words[index - 1].startswith("-") and not word.startswith("-"):
                    chosen.add(index - 1)
        names.append(" ".join(label if index == program else words[index] for index in sorted(chosen)))
    return names


def _program_index(words: Sequence[str]) -> int:
    """Return the index of the word that names the program, or the script if the program is an interpreter."""
    program = 0
    for index, word in enumerate(words):
        if word.startswith("-") or (index and re.fullmatch(r"\w+=.*", word)):  # an option, or a variable for env
            continue
        if index and words[index - 1] == "-c":  # the word is code, not a script
            break
        program = index
        if not re.fullmatch(r"(python|pypy)[\d.]*|node|java|sh|bash|env", os.path.basename(word)):
            break
    return program


def _split_command(command: str) -> list[str]:
    """Return the words of a command line. If it cannot be split, return the whole line as one word."""
    try:
        return shlex.split(command)
    except ValueError:
        return [command]


@dataclass(frozen=True)
class Entry:
    """A player in the players file: `text` is what a user would write on the command line for the same player.

    `folder` is the folder in which a command runs; it is None for players that are no command.
    """

    text: str
    folder: Path | None = None


def read_players_file(path: str | Path | None = None) -> dict[str, Entry]:
    """Return {name: Entry} of the players file `path`.

    If `path` is None, read players.toml in the current folder, and return {} if it does not exist. Raises PlayerError,
    whose text names the file, the player and the key that is wrong.
    """
    if path is None and not DEFAULT.exists():
        return {}
    path = Path(path or DEFAULT)
    try:
        content = tomllib.loads(_text_in(path))
        check(content, MOST_NESTED)
    except (OSError, ValueError, RecordError, RecursionError) as error:  # ValueError: also for a number of 5000 digits
        raise PlayerError(_("players file {path}: {error}").format(path=path, error=error)) from error
    place = _("players file {path}, table [{name}]")
    return {
        name: _entry(place.format(path=path, name=printable(name)), name, entry, path)
        for name, entry in content.items()
    }


def _text_in(path: Path) -> str:
    """Return the text of a file in UTF-8, with or without the byte order mark that editors on Windows write.

    Raises OSError if the file cannot be read, ValueError if it is not UTF-8. The ValueError names the encoding that the
    file seems to have.
    """
    try:
        return files.content(path, most_bytes=2**20).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        is_wide = error.object.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        encoding = "UTF-16" if is_wide else _("GBK or another encoding")
        message = _("the file's encoding is {found}, expected UTF-8: save the file as UTF-8")
        raise ValueError(message.format(found=encoding)) from None


def _entry(where: str, name: str, entry: object, path: Path) -> Entry:
    """Return the Entry of a table of the players file `path`; `entry` is its content, `where` its place for errors.

    Raises PlayerError if the name or the content is wrong.
    """
    if not isinstance(entry, dict):
        raise PlayerError(_("{place}: expected a table of options, got {value!r}").format(place=where, value=entry))
    if is_own_bot(name) or name.startswith(PREFIXES):
        message = _("{place}: this name already means another player, choose another name")
        raise PlayerError(message.format(place=where))
    for key, value in entry.items():
        _require_value(where, key, value)
    if len(entry) > 1 and any(key in EXCLUSIVE_KEYS for key in entry):
        message = _("{place}: expected one of {choices} alone, or only options of the bot, got {keys}")
        raise PlayerError(
            message.format(place=where, choices=", ".join(EXCLUSIVE_KEYS), keys=printable(", ".join(entry)))
        )
    if "command" in entry:
        return Entry(entry["command"], path.parent)
    if "library" in entry:
        return Entry(f"{library_player.PREFIX}{path.parent / os.path.expanduser(entry['library'])}")
    if "source" in entry:
        return Entry(f"{source_player.PREFIX}{path.parent / os.path.expanduser(entry['source'])}")
    return Entry(_bot_text(entry))


def _require_value(where: str, key: str, value: Any) -> None:
    """Raise PlayerError, which begins with `where`, if the key is unknown or the value does not fit it."""
    if key not in KINDS:
        message = _("{place}: unknown key {key!r}, expected one of {choices}")
        raise PlayerError(message.format(place=where, key=key, choices=", ".join(KINDS)))
    kind = KINDS[key]
    fits = isinstance(value, kind)
    if kind is int:
        fits = fits and not isinstance(value, bool) and value >= 1
    if kind is list:
        fits = fits and all(isinstance(word, str) for word in value)
    if fits and "\0" in _text_of(value):
        message = _("{place}: {key} is {value!r}, expected a value without a null character")
        raise PlayerError(message.format(place=where, key=printable(key), value=value))
    if not fits or value == "":
        expected = {
            str: _("a text in quotes"),
            int: _("an integer of at least 1"),
            dict: _("a table such as {example}").format(example="{ exploration = 1.2 }"),
            list: _("a list of texts in quotes, such as {example}").format(example='["--memory", "400"]'),
        }[kind]
        message = _("{place}: {key} is {value!r}, expected {expected}")
        raise PlayerError(message.format(place=where, key=key, value=value, expected=expected))


def _text_of(value: Any) -> str:
    """Return all texts in a value of the players file, joined.

    This includes the keys and values of nested tables and lists.
    """
    if isinstance(value, dict):
        return "".join(map(_text_of, [*value, *value.values()]))
    return "".join(map(_text_of, value)) if isinstance(value, list) else str(value)


def _bot_text(entry: dict[str, Any]) -> str:
    """Return the text that names our bot with the options in a table of the players file."""
    word = "bot"
    if "revision" in entry:
        word += f"@{entry['revision']}"
    if "preset" in entry:
        word += f":{entry['preset']}"
    words = [word]
    if "iterations" in entry:
        words += ["--iterations", str(entry["iterations"])]
    for key, value in entry.get("set", {}).items():
        words += ["--set", f"{key}={str(value).lower() if isinstance(value, bool) else value}"]
    return shlex.join([*words, *entry.get("options", [])])


@dataclasses.dataclass(frozen=True)
class Contestant:
    """A player that is ready to be started.

    `name` is for display; `command` is the text that identifies the player. `wire` names the protocol that it speaks,
    one of the wires of its game. `prepared` is the Launch that starts it; if it is None, `command` is a command line
    that runs in `folder` (None: the judge's current folder). `is_tried` says that the player was already started as a
    test. `is_library` says that it is a strategy library, of which nobody knows in what form it will be uploaded.
    `is_named` says that its name is from the players file, so that contestants() does not change the name. `lack` says
    why it plays weaker than it should, "" if it does not.
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
        """Whether the player's prints go to a separate pipe (see Launch)."""
        return self.prepared is not None and self.prepared.keeps_prints_apart

    def launch(self, limit_s: float, seed: int) -> Launch:
        """Return the Launch for a game with this limit (seconds per move) and seed.

        Raises BadCommand if the command line is empty or has an open quote.
        """
        return (self.prepared or _launch_of_command(self.command, self.folder)).with_limit_and_seed(limit_s, seed)


def contestants(
    texts: Iterable[str],
    players_path: str | Path | None = None,
    game: str = DEFAULT_GAME,
    sandbox: Sandbox | None = None,
) -> list[Contestant]:
    """Return the players that `texts` of the command line name, prepared for this game.

    If different players would have the same name, their names are made different. Control characters in names are
    escaped. `players_path` is the players file; None means players.toml in the current folder, if it exists. `sandbox`
    holds the options with which projects are built and players play, None for the defaults. Raises PlayerError for the
    first invalid player.
    """
    named, sandbox = read_players_file(players_path), sandbox or Sandbox()
    players = _with_distinct_names([contestant(text, named, game, sandbox) for text in texts])
    return [dataclasses.replace(player, name=printable(player.name)) for player in players]


def _with_level(text: str, game: str) -> str:
    """Return the text of our bot at the level NAME if `text` is opponents:NAME, else `text` itself.

    Raises PlayerError if the game has no level of that name.
    """
    if not text.startswith(opponents.ALL) or text == opponents.ALL:
        return text
    known = {level.name: level.player for level in opponents.levels(game)}
    name = text.removeprefix(opponents.ALL)
    if name not in known:
        message = _("unknown opponent {name!r}, expected one of {names}")
        raise PlayerError(message.format(name=name, names=", ".join(known)))
    return known[name]


def with_groups_expanded(texts: Iterable[str], game: str) -> list[str]:
    """Return the players' texts, with the texts of its players in place of a text that stands for several.

    opponents.ALL stands for the levels of our bot for `game`. A folder of strategy libraries, named as FOLDER or as
    lib:FOLDER, stands for the libraries in it, each of which is named as lib:PATH.
    """
    expanded: list[str] = []
    for text in texts:
        if text == opponents.ALL:
            expanded += [level.player for level in opponents.levels(game)]
            continue
        path = path_of(text.removeprefix(library_player.PREFIX))
        has_prefix = text.startswith(library_player.PREFIX) and os.path.isdir(path)
        holds_libraries_only = os.path.isdir(text) and kinds_of(path) == ["lib"]
        expanded += library_player.libraries_in(path) if has_prefix or holds_libraries_only else [text]
    return expanded


def _with_distinct_names(players: Sequence[Contestant]) -> list[Contestant]:
    """Return the players, with distinct_names() in place of a name that several different commands have.

    Players that the players file names keep their names.
    """
    renamed = []
    for player in players:
        alike = [other.command for other in players if other.name == player.name and not other.is_named]
        if not player.is_named and len(set(alike)) > 1:
            new_name = distinct_names(alike)[alike.index(player.command)]
            renamed.append(dataclasses.replace(player, name=new_name))
        else:
            renamed.append(player)
    return renamed


def require_engines(players: Iterable[Contestant]) -> None:
    """Raise PlayerError if one of the players is this repository's bot without its compiled engine."""
    for player in players:
        if player.lack:
            without = f"{player.command} {own_bot.BACKEND} {own_bot.NO_BACKEND}"
            message = _(
                "player {name!r} has no compiled engine and would play weaker; to play without the engine, write "
                "{without!r}"
            )
            raise PlayerError(message.format(name=player.name, without=without))


def known_names(players_path: str | Path | None = None) -> list[str]:
    """Return the names that mean a player: the names in the players file, and the name of this repository's bot.

    `players_path` is the players file; None means players.toml in the current folder, if it exists. Raises PlayerError
    if the file is invalid.
    """
    return [*read_players_file(players_path), OWN_BOT]


def contestant(
    text: str, named: Mapping[str, Entry] | None = None, game: str = DEFAULT_GAME, sandbox: Sandbox | None = None
) -> Contestant:
    """Return the player that `text` of the command line names; `named` is the result of read_players_file().

    All slow work is done in this call, before the first game: checking out, compiling, building. A `sandbox` of None
    means the default options. Raises PlayerError if the player is invalid or cannot be prepared.
    """
    sandbox = sandbox or Sandbox()
    if named and text in named:
        entry = named[text]
        player = (
            contestant(entry.text, None, game, sandbox)
            if entry.folder is None
            else command_in(entry.text, entry.folder, sandbox)
        )
        return dataclasses.replace(player, name=text, is_named=True)
    text = _with_level(text, game)
    if own_bot.is_own_bot(text):
        launch, version, lack = own_bot.prepare(text, game)
        return Contestant(short_name(text), text, version, prepared=launch, is_tried=True, lack=lack)
    if text.startswith(library_player.PREFIX):
        if game != DEFAULT_GAME:
            message = _("player {name!r}: strategy libraries play only {own_game}, but the game is {game}")
            raise PlayerError(message.format(name=text, own_game=DEFAULT_GAME, game=game))
        path = path_of(text.removeprefix(library_player.PREFIX))
        if path.is_dir():
            message = _(
                "player {name!r} is a folder of libraries, which only `batch --against` takes: name one library"
            )
            raise PlayerError(message.format(name=text))
        launch = library_player.prepare(path)
        library_version = versions.version_of_files([path])
        return Contestant(path.name, text, library_version, prepared=launch, is_library=True)
    if text.startswith(source_player.PREFIX):
        project = source_player.prepare(text, game, sandbox)
        return Contestant(project.name, text, project.version, prepared=project.launch)
    if os.path.exists(text):
        return _from_path(Path(text), game, sandbox)
    return command_in(text)


def command_in(text: str, folder: Path | None = None, sandbox: Sandbox | None = None) -> Contestant:
    """Return the player that a command line starts in a folder (None: the judge's current folder).

    `sandbox` holds the options of the sandbox in which the player plays; None means that it has no sandbox.
    """
    place = Path() if folder is None else _folder_or_copy(folder, sandbox or Sandbox(OFF))
    try:
        version = versions.version_of_command(shlex.split(text), place)
    except ValueError:
        version = None  # the fault is reported when the command is started
    return Contestant(
        short_name_of_command(text), text, version, folder=None if folder is None else str(folder.resolve())
    )


def _folder_or_copy(folder: Path, sandbox: Sandbox) -> Path:
    """Return the copy of `folder` that a player in a sandbox gets, or `folder` itself if it gets none."""
    real = os.path.realpath(folder)
    copy = None if sandbox.availability.program is None or real == str(versions.CHECKOUT) else sandbox.copy_of(real)
    return Path(copy.folder) if isinstance(copy, Copy) else folder


def _from_path(path: Path, game: str, sandbox: Sandbox) -> Contestant:
    """Return the player for the path of a folder or file.

    Raises PlayerError if a folder fits no kind of player, or fits several kinds.
    """
    text = str(path)
    if path.is_file():
        prefix = PREFIXES_BY_SUFFIX.get(path.suffix.lower())
        # A name without a folder before it would be looked up on PATH.
        program = text if os.sep in text else os.path.join(os.curdir, text)
        return contestant(prefix + text, None, game, sandbox) if prefix else command_in(shlex.quote(program))
    spellings = {
        "python": f'"python {path / MAIN_SCRIPT}"',
        "src": f"{source_player.PREFIX}{path}",
        "lib": f"{library_player.PREFIX}{path} (`batch --against`)",
    }
    kinds = kinds_of(path)
    if kinds == ["src"]:
        return contestant(source_player.PREFIX + text, None, game, sandbox)
    if kinds == ["python"]:
        launch = Launch((sys.executable, MAIN_SCRIPT), {}, str(path.resolve()))
        place = _folder_or_copy(path, sandbox)
        try:
            version = versions.digest((file.as_posix(), place / file) for file in files_below(place))[: versions.DIGITS]
        except OSError as error:
            raise PlayerError(_("player {name!r}: {error}").format(name=text, error=error)) from error
        return Contestant(path.resolve().name, text, version, prepared=launch)
    if not kinds:
        message = _("folder {path!r} holds no player, expected {script}, C++ sources or strategy libraries")
        raise PlayerError(message.format(path=text, script=MAIN_SCRIPT))
    choices = ", ".join(spellings[kind] for kind in kinds)
    message = _("folder {path!r} holds several players, name one of these players: {choices}")
    raise PlayerError(message.format(path=text, choices=choices))


def _launch_of_command(command: str, folder: str | None) -> Launch:
    """Return the Launch of a command line in a folder. Raises BadCommand if it is empty or has an open quote."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadCommand(WRONG_COMMAND.format(command=repr(command), error=error)) from error
    if not words:
        raise BadCommand(EMPTY_COMMAND)
    return Launch(tuple(words), folder=folder)
