"""Completes command lines of `dropfour` for a shell, by argcomplete's protocol.

When the user presses the completion key, the shell starts the program that the command line names and passes the line
in environment variables. The shell code that the command `completion` prints makes it do so. If the user is typing the
name of a command, this module prints the completions. Otherwise the command's main() is called as usual, and its Parser
prints completions where it would read the arguments. Until then nothing may be printed, and only what is needed may be
imported, because the user is waiting.

A completer is a function that takes the beginning of a word as `prefix` and the options given so far as `parsed_args`.
The shell shows the returned words that start with `prefix`. An option or argument is declared with its completer, as in
`parser.add_argument("--players", completer=completers.complete_players_file)`. An option with choices needs
no completer.

argcomplete has two completers of its own for paths, which are not used here. FilesCompleter starts bash up to four
times for an answer. DirectoriesCompleter returns folders only, shows hidden folders, and completes a path that begins
with ~ to a path that does not.
"""

import argparse
import functools
import importlib
import os
from collections.abc import Mapping, Sequence
from typing import Any

from judge import program
from judge.cli.commands import COMMANDS, module_of

FAILURE = 1  # the exit status with which the shell shows nothing


def complete_program_line(purposes: Mapping[str, str]) -> int:
    """Print completions for the command line in the environment and end the process. Returns FAILURE if that fails.

    `purposes` maps each word that may follow the program's name to its purpose, which some shells show.
    """
    try:
        from argcomplete.lexers import split_line

        _, _, _, words, _ = split_line(os.environ["COMP_LINE"], int(os.environ["COMP_POINT"]))
        if len(words) == 1:
            _complete_first_word(purposes)
        elif words[1] in COMMANDS:
            os.environ[program.COMPLETION_VARIABLE] = "2"  # the command's position on the line; the program's is 1
            importlib.import_module(module_of(words[1])).main([])
    except Exception:  # such as a missing library; no message can be shown here
        pass
    return FAILURE


def _complete_first_word(purposes: Mapping[str, str]) -> None:
    """Print completions for the word after the program's name, which are the keys of `purposes`. Ends the process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", action="store_true")
    parser.add_argument("COMMAND").completer = lambda **_: purposes  # type: ignore[attr-defined]
    print_completions(parser)


def print_completions(parser: argparse.ArgumentParser) -> None:
    """Print completions for the command line in the environment and end the process.

    `parser` is the parser of the arguments that follow the program's name, or the command's name, on that line.
    """
    import argcomplete

    # Options are shown only after a "-"; otherwise they would hide the players.
    # Values without a completer, such as numbers, have no completions.
    argcomplete.autocomplete(parser, always_complete_options=False, default_completer=lambda **_: [])  # type: ignore[arg-type]


def complete_player(prefix: str, parsed_args: argparse.Namespace | None = None, **_: Any) -> list[str]:
    """Return completions for an argument that names a player. `prefix` is the beginning of the argument.

    `parsed_args` are the options given so far, of which --game and --players are used.
    """
    from judge.games import DEFAULT_GAME
    from judge.players import library_player, own_bot, source_player
    from judge.players.players import OWN_BOT, PlayerError, known_names
    from judge.players.source_player import SOURCE_SUFFIXES

    game = getattr(parsed_args, "game", DEFAULT_GAME)
    suffixes_of_kind = {library_player.PREFIX: (library_player.SUFFIX,), source_player.PREFIX: SOURCE_SUFFIXES}
    for kind, suffixes in suffixes_of_kind.items():
        if prefix.startswith(kind):
            return [f"{kind}{path}" for path in complete_path(prefix.removeprefix(kind), suffixes)]
    bot, colon, _preset = prefix.partition(":")
    if colon and bot.partition("@")[0] == OWN_BOT:
        return [f"{bot}:{preset}" for preset in own_bot.presets(str(game))]
    if bot.startswith(f"{OWN_BOT}@"):
        list_branches_and_tags = ["git", "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags"]
        revisions = ["HEAD", *own_bot.printed_lines(list_branches_and_tags)]
        return [f"{OWN_BOT}@{revision}" for revision in revisions]
    if " " in prefix:  # a command in quotes: complete its last word as a path
        before, _space, last = prefix.rpartition(" ")
        return [f"{before} {path}" for path in complete_path(last)]
    kinds = [f"{OWN_BOT}:", f"{OWN_BOT}@", source_player.PREFIX]
    if game == DEFAULT_GAME:
        kinds.append(library_player.PREFIX)
    try:
        names = known_names(getattr(parsed_args, "players", None))
    except PlayerError:  # the command reports errors in the players file when it runs
        names = [OWN_BOT]
    return [*names, *kinds, *complete_path(prefix)]


def complete_path(prefix: str, suffixes: Sequence[str] | None = None, **_: Any) -> list[str]:
    """Return the paths of folders and files that begin with `prefix`. The path of a folder ends in "/".

    Only files whose names end in one of `suffixes` are returned, or all files if `suffixes` is None. Hidden files and
    folders are returned only if the last part of `prefix` begins with a dot.
    """
    place, slash, start = prefix.rpartition("/")
    try:
        entries = list(os.scandir(os.path.expanduser(place + slash) or "."))
    except OSError:
        return []
    paths = []
    for entry in entries:
        is_wanted = entry.is_dir() or suffixes is None or entry.name.endswith(tuple(suffixes))
        if is_wanted and (entry.name.startswith(start) if start else not entry.name.startswith(".")):
            paths.append(f"{place}{slash}{entry.name}{'/' * entry.is_dir()}")
    return sorted(paths)


complete_record_file = functools.partial(complete_path, suffixes=(".jsonl",))
complete_players_file = functools.partial(complete_path, suffixes=(".toml",))
complete_folder = functools.partial(complete_path, suffixes=())
