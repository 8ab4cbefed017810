"""`python -m judge COMMAND ...`: hands the words to the command's module."""

import importlib
import os
import sys

from judge.commands.exits import INTERRUPTED_STATUS
from judge.play import descendants

COMMANDS = {
    "play": "one judged game, shown as it goes",
    "match": "many games on paired boards, and who is stronger",
    "sprt": "paired games until it is clear which of two hypotheses on strength holds",
    "batch": "one player against many, once per side on every board",
    "check": "what an upload would be refused or beaten for, found before it",
    "human": "a game at the console against a player",
    "replay": "a recorded game shown and judged again",
    "elo": "ratings from counts of results",
    "llr": "the likelihood ratio of two hypotheses from counts of results",
}


def main(words: list[str]) -> int:
    """Run one command; returns the exit status."""
    try:
        if not words or words[0] not in COMMANDS:
            return _usage(words)
        descendants.adopt_orphans()
        return importlib.import_module(f"judge.commands.{words[0]}").main(words[1:])
    except KeyboardInterrupt:
        return INTERRUPTED_STATUS
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has gone: end without a word
        return 1


def _usage(words: list[str]) -> int:
    """Say which commands there are; returns the exit status."""
    wants_help = words[:1] in (["-h"], ["--help"])
    stream = sys.stdout if wants_help else sys.stderr
    print("usage: python -m judge COMMAND ... (COMMAND --help tells more)", file=stream)
    for name, purpose in COMMANDS.items():
        print(f"  {name:8}{purpose}", file=stream)
    if words and not wants_help:
        print(f"error: there is no command {words[0]!r}", file=stream)
    stream.flush()
    return 0 if wants_help else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
