"""Answers a shell that asks how a line for `dropfour` may go on, by argcomplete's protocol.

The shell starts the program as it stands on the line, with the line in the environment (`completion` prints what makes
it do so). The first word is answered here. For the rest the command is started as ever: the first thing that it does is
to have its Parser read its words, and the Parser answers instead. Nothing else may be printed meanwhile, nor more
imported than is needed: somebody waits with a finger on the key.

A completer takes the beginning of a word, and as `parsed_args` the options that are there already. Of the words that it
returns, the shell shows those that begin like what is there.
"""

import argparse
import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from judge import program
from judge.cli.commands import COMMANDS, module_of

COMMAND_PLACE = "2"  # on the line, where the program's name is 1
FAILURE = 1  # the shell shows nothing then
PATIENCE_S = 10.0  # of a program that is asked; on a machine that is not full each takes a twentieth of a second


def answer_for_program(purposes: Mapping[str, str]) -> int:
    """Answer for the whole line. Ends the process, or returns FAILURE. purposes: {first word: what it is for}."""
    try:
        from argcomplete.lexers import split_line

        _, _, _, words, _ = split_line(os.environ["COMP_LINE"], int(os.environ["COMP_POINT"]))  # before the cursor's
        if len(words) == 1:
            _answer_first_word(purposes)
        elif words[1] in COMMANDS:
            os.environ[program.COMPLETION_VARIABLE] = COMMAND_PLACE
            importlib.import_module(module_of(words[1])).main([])
    except Exception:  # a library is missing, say: there is no place to tell that
        pass
    return FAILURE


def _answer_first_word(purposes: Mapping[str, str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", action="store_true")
    parser.add_argument("COMMAND").completer = lambda **_: purposes  # type: ignore[attr-defined]
    _answer(parser)


def answer_for_command(parser: argparse.ArgumentParser) -> None:
    """Answer for the words of a command, which this parser reads, and end the process."""
    for action in parser._actions:
        if action.choices is None and action.dest in COMPLETERS:
            action.completer = COMPLETERS[action.dest]  # type: ignore[attr-defined]
    _answer(parser)


def _answer(parser: argparse.ArgumentParser) -> None:
    import argcomplete

    # Options are shown once a "-" is there: before that they would hide the players.
    argcomplete.autocomplete(parser, always_complete_options=False, default_completer=_nothing)  # type: ignore[arg-type]


def _nothing(**_: Any) -> list[str]:
    """What a number may be, say: nobody knows."""
    return []


def of_player(prefix: str, parsed_args: argparse.Namespace | None = None, **_: Any) -> list[str]:
    """Words for a player."""
    from judge.games import DEFAULT_GAME
    from judge.players import library_player, source_player
    from judge.players.players import OWN_BOT
    from judge.players.source_player import SOURCE_SUFFIXES

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
    from judge.players.players import OWN_BOT, PlayerError, names_known

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
    from judge.players.versions import CHECKOUT

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
