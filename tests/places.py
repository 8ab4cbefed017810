"""Where things lie that tests of several rooms need."""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
ENGINES = REPOSITORY / "tests" / "engines"
POSITIONS = REPOSITORY / "tests" / "positions"
