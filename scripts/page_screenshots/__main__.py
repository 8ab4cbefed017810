"""`scripts/screenshots`: the pictures of pages that the documentation shows, taken anew."""

import argparse
import sys
from pathlib import Path

from checkout import CHECKOUT
from page_screenshots.browser import running_browser
from page_screenshots.shots import SHOTS, take

PICTURES = CHECKOUT / "docs" / "pictures"


def main(words):
    """Run the command with its words; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="scripts/screenshots",
        description="Take the pictures of `dropfour view` that the documentation shows, in a browser without a window, "
        "of the games in docs/results.",
    )
    parser.add_argument(
        "--output", type=Path, default=PICTURES, metavar="DIR", help="where they go (default: docs/pictures)"
    )
    options = parser.parse_args(words)
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        with running_browser() as browser:
            for shot in SHOTS:
                path = take(browser, shot, options.output)
                print(f"{path}: {path.stat().st_size:,} bytes", flush=True)
    except (ImportError, OSError) as error:
        print(f"scripts/screenshots: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
