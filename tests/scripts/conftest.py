"""The strength suite lies beside the scripts, and libraries to meet are made as for the judge's tests."""

import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path += [str(REPOSITORY / "scripts"), str(REPOSITORY / "tests" / "judge")]
