"""The commands of a word of `scripts/measure`, and their options."""

import argparse
import sys

from judge.runs.interruption import INTERRUPTED_STATUS
from measurement.kept import MeasureError
from protocol.records.record import RecordError
from stopping import stop_like_ctrl_c

REFUSED = 2  # exit status


def option(name, kind=str, default=None, letter="N", text="", **others):
    """An option with a value, or an argument, as add_argument() takes it."""
    shown = text if default is None else f"{text} (default: %(default)s)"
    return name, {"type": kind, "default": default, "metavar": letter, "help": shown, **others}


def flag(name, text):
    """An option without a value."""
    return name, {"action": "store_true", "help": text}


def run(word, doc, commands, words, common=()):
    """Run the command that the words name; returns the exit status: its own, REFUSED or INTERRUPTED_STATUS.

    commands: {name: (function of the options, its options)}; what the function's docstring says is its help. common:
    options of all of them.
    """
    parser = argparse.ArgumentParser(
        prog=f"scripts/measure {word}", description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, (function, options) in commands.items():
        command = known.add_parser(name, help=function.__doc__, description=function.__doc__)
        command.set_defaults(function=function)
        for flag_or_name, details in (*options, *common):
            command.add_argument(flag_or_name, **details)
    options = parser.parse_args(words)
    options.words = words
    stop_like_ctrl_c()  # what has been found is kept; the judge's runs handle signals themselves
    try:
        return options.function(options) or 0
    except (MeasureError, RecordError, OSError) as error:
        print(f"scripts/measure: error: {error}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return INTERRUPTED_STATUS
