"""The installed command `dropfour`.

Its module has a name of its own, because a package `judge` or `protocol` of somebody else on PYTHONPATH would be found
before ours.
"""

import sys
from pathlib import Path


def main() -> int:
    """Run the command with the arguments of the command line and return the exit status."""
    sys.path.insert(0, str(Path(__file__).resolve().parent))  # workers of a cluster, which Python spawns, inherit this
    from judge.__main__ import main as run

    return run(sys.argv[1:])
