"""The strength suite lies beside the scripts: tests import it from there."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "scripts"))
