"""`scripts/build_bundle`: makes the ladder's zip and plays with it what it made."""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from bot import games
from bot.backends import native
from bundle.archive import BundleError, build, default_target, interpreters
from bundle.boards import BOARDS, SMALL, ZIP_NAMES
from bundle.games import WITHOUT_SITE_PACKAGES, Case, play, unpack
from bundle.proof import prove

SMOKE_LIMIT_S = 0.3


def main(words):
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="scripts/build_bundle",
        description="Make the zip for the ladder, then play a short game with it.",
        epilog='PYTHONS="python3.8 /path/to/python3.13" names the interpreters to make byte code for and to prove it '
        "with; default: every python3.8 .. python3.14 on PATH.",
    )
    parser.add_argument("--prove", action="store_true", help="play the whole matrix of games instead (some 10 minutes)")
    parser.add_argument("--game", choices=games.NAMES, default=games.NAMES[0], help="default: %(default)s")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help=f"default: in dist/, {', '.join(ZIP_NAMES.values())}"
    )
    options = parser.parse_args(words)
    try:
        pythons = interpreters(os.environ.get("PYTHONS", "").split())
        target = options.output or default_target(options.game)
        build(target, options.game, pythons, lambda text: print(text, flush=True))
    except (BundleError, OSError) as error:
        print(f"scripts/build_bundle: {error}", file=sys.stderr)
        return 1
    versions = ", ".join(f"{major}.{minor}" for major, minor in pythons)
    print(f"{target}: {target.stat().st_size:,} bytes, byte code for Python {versions}", flush=True)
    return 0 if (prove(target, options.game, pythons) if options.prove else _smoke(target, options.game)) else 1


def _smoke(target, game):
    """Play one short game with the zip; True when it went as it should."""
    with tempfile.TemporaryDirectory() as place:
        bundle = unpack(target, place)
        best = native.runnable()[0]
        outcome = play(
            Case(
                "smoke",
                (sys.executable, *WITHOUT_SITE_PACKAGES),
                BOARDS[game][SMALL],
                SMOKE_LIMIT_S,
                best,
                ("--limit", "{limit}"),
            ),
            game,
            bundle,
            seed=1,
        )
    if outcome.fault:
        print(f"scripts/build_bundle: a game with it went wrong: {outcome.fault}", file=sys.stderr)
        return False
    print(
        f"played a game of {outcome.plies} plies with it: engine {outcome.engines}, slowest move "
        f"{outcome.slowest_s:.3f} s of {SMOKE_LIMIT_S} s, peak {outcome.peak_mb:.0f} MB"
    )
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
