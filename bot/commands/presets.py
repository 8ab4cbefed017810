"""`python -m bot presets`: the names of a game's presets, one a line.

For programs that complete them, so it has to be quick. Standard library only.
"""

from __future__ import annotations

import argparse

from ..games import NAMES, part_of
from .options import MORE


def main(words: list[str], game: str) -> int:
    """Print the names; game: the one that --game among the words asks for, or the default. Returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m bot presets", description="List the presets of a game.", epilog=MORE
    )
    parser.add_argument("--game", choices=NAMES, default=game, help=f"default: {NAMES[0]}")
    print("\n".join(part_of(parser.parse_args(words).game, "presets").PRESETS))
    return 0
