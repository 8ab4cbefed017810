"""`scripts/screenshots`: the pictures of pages that the documentation shows, taken anew."""

import argparse
import sys
from pathlib import Path

from checkout import CHECKOUT
from page_screenshots.application import take_all
from page_screenshots.browser import running_browser
from page_screenshots.shots import SHOTS, taken

PICTURES = CHECKOUT / "docs" / "pictures"


def main(words):
    """Run the command with its words; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="scripts/screenshots",
        description="Take the pictures of `view` and `serve` that the documentation shows, in a browser "
        "without a window: of the games in docs/results, and of games that are played for it, on two cores.",
    )
    parser.add_argument("--only", choices=("view", "serve"), help="the pictures of one of them alone")
    parser.add_argument(
        "--output", type=Path, default=PICTURES, metavar="DIR", help="where they go (default: docs/pictures)"
    )
    options = parser.parse_args(words)
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        with running_browser() as browser:
            for path in _pictures(browser, options):
                print(f"{path}: {path.stat().st_size:,} bytes", flush=True)
    except (ImportError, OSError) as error:
        print(f"scripts/screenshots: {error}", file=sys.stderr)
        return 1
    return 0


def _pictures(browser, options):
    """Take the pictures asked for, one after the other; yields their paths."""
    if options.only != "serve":
        yield from (taken(browser, shot, options.output) for shot in SHOTS)
    if options.only != "view":
        yield from take_all(browser, options.output)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
