"""`run_module.py MODULE [ARGUMENT ..]`: as `python -m MODULE`, for a module of this checkout or of its scripts.

`python -m` would look for it in the caller's folder first, where anything may carry its name.
"""

import runpy
import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent

if __name__ == "__main__":
    sys.path[:1] = [str(SCRIPTS.parent), str(SCRIPTS)]
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
