"""Answers a shell that asks how a line for `dropfour` may go on, by argcomplete's protocol.

The shell starts the program as it stands on the line, with the line in the environment (`completion` prints what makes
it do so). The first word is answered here. For the rest the command is started as ever: the first thing that it does is
to have its Parser read its words, and the Parser answers instead. Nothing else may be printed meanwhile, nor more
imported than is needed: somebody waits with a finger on the key.
"""

import argparse
import importlib
import os
from collections.abc import Mapping
from typing import Any

from judge import program
from judge.command_table import module_of

COMMAND_PLACE = "2"  # on the line, where the program's name is 1
FAILURE = 1  # the shell shows nothing then


def answer_for_program(purposes: Mapping[str, str], commands: Mapping[str, str]) -> int:
    """Answer for the whole line. Ends the process, or returns FAILURE.

    purposes: {first word: what it is for}; commands: those of them that are commands of the judge.
    """
    try:
        from argcomplete.lexers import split_line

        _, _, _, words, _ = split_line(os.environ["COMP_LINE"], int(os.environ["COMP_POINT"]))  # before the cursor's
        if len(words) == 1:
            _answer_first_word(purposes)
        elif words[1] in commands:
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


def answer(parser: argparse.ArgumentParser) -> None:
    """Answer for the words of a command, which this parser reads, and end the process."""
    from judge.command_line.words_to_come import COMPLETERS

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
