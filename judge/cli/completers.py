"""Completes command lines of `dropfour` for a shell, by argcomplete's protocol.

The shell starts the program that the line names, and puts the line into the environment; the code that `completion`
prints makes the shell do so. The first word is completed here. For the other words the command is started as usual:
its Parser would first read the arguments, and completes them instead. Until then nothing may be printed, and only what
is needed may be imported, because the user is waiting.

A completer takes the beginning of a word and, as `parsed_args`, the options given so far. The shell shows those of the
returned words that start with that beginning. An option or argument is declared with its completer, as in
`parser.add_argument("--players", completer=completers.of_players_file)`. An option with choices needs no completer.

argcomplete's own completers of files are of no use here. One starts bash up to four times for an answer. The other
returns folders only, shows hidden ones, and completes a path that begins with ~ to one that does not begin with ~.
"""

import argparse
import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from judge import program
from judge.cli.commands import COMMANDS, module_of

COMMAND_PLACE = "2"  # the command's position on the line; the program's is 1
FAILURE = 1  # the shell shows nothing then
REVISIONS = ("refs/heads", "refs/tags")


def answer_for_program(purposes: Mapping[str, str]) -> int:
    """Print completions for the line and end the process. Returns FAILURE only if that fails.

    `purposes` is {possible first word: its purpose}.
    """
    try:
        from argcomplete.lexers import split_line

        _, _, _, words, _ = split_line(os.environ["COMP_LINE"], int(os.environ["COMP_POINT"]))  # of the line
        if len(words) == 1:
            _answer_first_word(purposes)
        elif words[1] in COMMANDS:
            os.environ[program.COMPLETION_VARIABLE] = COMMAND_PLACE
            importlib.import_module(module_of(words[1])).main([])
    except Exception:  # such as a missing library; no message can be shown here
        pass
    return FAILURE


def _answer_first_word(purposes: Mapping[str, str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", action="store_true")
    parser.add_argument("COMMAND").completer = lambda **_: purposes  # type: ignore[attr-defined]
    answer(parser)


def answer(parser: argparse.ArgumentParser) -> None:
    """Print completions for a line whose arguments `parser` would read, and end the process."""
    import argcomplete

    # Options are shown only after a "-"; otherwise they would hide the players.
    argcomplete.autocomplete(parser, always_complete_options=False, default_completer=_nothing)  # type: ignore[arg-type]


def _nothing(**_: Any) -> list[str]:
    """Return no completions. This completer is for values such as numbers."""
    return []


def of_player(prefix: str, parsed_args: argparse.Namespace | None = None, **_: Any) -> list[str]:
    """Return completions for an argument that names a player."""
    from judge.games import DEFAULT_GAME
    from judge.players import library_player, own_bot, source_player
    from judge.players.players import OWN_BOT
    from judge.players.source_player import SOURCE_SUFFIXES

    game = getattr(parsed_args, "game", DEFAULT_GAME)
    if prefix.startswith(library_player.PREFIX):
        return _after(library_player.PREFIX, prefix, lambda path: _paths(path, (library_player.SUFFIX,)))
    if prefix.startswith(source_player.PREFIX):
        return _after(source_player.PREFIX, prefix, lambda path: _paths(path, SOURCE_SUFFIXES))
    bot, colon, _preset = prefix.partition(":")
    if colon and bot.partition("@")[0] == OWN_BOT:
        return [f"{bot}:{preset}" for preset in own_bot.presets(str(game))]
    if bot.startswith(f"{OWN_BOT}@"):
        return [f"{OWN_BOT}@{revision}" for revision in _revisions()]
    if " " in prefix:  # a command in quotes: complete its last word as a path
        before, _space, last = prefix.rpartition(" ")
        return [f"{before} {path}" for path in _paths(last)]
    kinds = [f"{OWN_BOT}:", f"{OWN_BOT}@", source_player.PREFIX]
    if game == DEFAULT_GAME:
        kinds.append(library_player.PREFIX)
    return [*_names(getattr(parsed_args, "players", None)), *kinds, *_paths(prefix)]


def of_record_file(prefix: str, **_: Any) -> list[str]:
    """Return paths of record files and of folders."""
    return _paths(prefix, (".jsonl",))


def of_players_file(prefix: str, **_: Any) -> list[str]:
    """Return paths of players files and of folders."""
    return _paths(prefix, (".toml",))


def of_any_file(prefix: str, **_: Any) -> list[str]:
    """Return paths of files and folders."""
    return _paths(prefix)


def of_folder(prefix: str, **_: Any) -> list[str]:
    """Return paths of folders."""
    return _paths(prefix, ())


def _paths(prefix: str, suffixes: Sequence[str] | None = None) -> list[str]:
    """Return the paths that begin with `prefix`: folders, and files with one of the suffixes, or all files if None.

    Hidden entries are returned only if the last part of `prefix` begins with a dot. The path of a folder ends in "/".
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
    """Return the results of paths(`prefix` without `kind`), with `kind`, such as "src:", put before each."""
    return [f"{kind}{path}" for path in paths(prefix.removeprefix(kind))]


def _names(players_path: str | None) -> list[str]:
    """Return the names in the players file and that of our bot.

    Errors in the file are ignored here: they are reported when the command runs.
    """
    from judge.players.players import OWN_BOT, PlayerError, names_known

    try:
        return names_known(players_path)
    except PlayerError:
        return [OWN_BOT]


def _revisions() -> list[str]:
    """Return HEAD and the names of branches and tags."""
    from judge.players import own_bot

    return ["HEAD", *own_bot.printed_lines(["git", "for-each-ref", "--format=%(refname:short)", *REVISIONS])]
