"""Where things lie that tests of several rooms need."""

import shlex
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
ENGINES = REPOSITORY / "tests" / "engines"
POSITIONS = REPOSITORY / "tests" / "positions"
PYTHON = shlex.quote(sys.executable)  # as a word of a command line
