"""`scripts/build_wheel`: the wheel for any Python from 3.10 on, on Linux and x86-64, tried without any package."""

import argparse
import sys
from pathlib import Path

from checkout import CHECKOUT
from wheel_build.archive import WheelError, build
from wheel_build.trial import missing_engines


def main(words):
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="scripts/build_wheel", description=__doc__.partition(": ")[2])
    parser.add_argument(
        "--output", type=Path, default=CHECKOUT / "dist", metavar="DIR", help="where it goes (default: dist)"
    )
    options = parser.parse_args(words)
    try:
        wheel = build(options.output, lambda text: print(text, flush=True))
    except (WheelError, OSError) as error:
        print(f"scripts/build_wheel: {error}", file=sys.stderr)
        return 1
    missing = missing_engines(wheel)
    if missing:
        print(f"scripts/build_wheel: {wheel} does not work without numba: {missing}", file=sys.stderr)
        return 1
    print(f"{wheel}: {wheel.stat().st_size:,} bytes, its engines work without numba")
    print(f"to install it: python3 -m pip install {wheel}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
