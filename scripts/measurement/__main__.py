"""`scripts/measure WORD ..`: strength, speed, judge or pages.

strength   matches, batches and positions, kept in docs/results/, and docs/results.md made of them
speed      native engines beside numba, the bundle's start, rules and endgames of reversi, the solver of dots and boxes
judge      what the judge itself costs a bot and a match
pages      how large pages of many games are, and how soon a browser shows a board
"""

import importlib
import sys

WORDS = ("strength", "speed", "judge", "pages")


def main(words):
    """Run the module of the first word with the others; returns the exit status."""
    if words[:1] and words[0] in WORDS:
        return importlib.import_module(f"measurement.{words[0]}").main(words[1:])
    is_asked = words in (["-h"], ["--help"])
    print(__doc__, file=sys.stdout if is_asked else sys.stderr)
    return 0 if is_asked else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
