"""`@probe`: a kernel of the tests' own, through which they look at the bot's. Compiled once, kept for later runs.

numba keeps it below .cache/kernels/probes, in a folder named by a hash of the bot's sources: numba notices a change of
the probe's own file, but none of what that calls. So of the tests' own kernels a probe calls those of its file alone.
"""

import functools
import hashlib
from pathlib import Path

from numba import njit
from numba.core import config

from bot.backends.jit import cache_key
from bot.backends.sources import cache_root, drop_old_versions
from bot.games import NAMES

MARKER = "in-use"
FOLDER = Path(cache_root()) / "probes" / hashlib.sha256("".join(map(cache_key, NAMES)).encode()).hexdigest()[:32]
FOLDER.mkdir(parents=True, exist_ok=True)
(FOLDER / MARKER).touch()
drop_old_versions([str(FOLDER)], MARKER)


def probe(function):
    """Compile a function of the tests when it is called, or take what an earlier run compiled."""
    config.CACHE_DIR = str(FOLDER)  # bot.backends.jit has it elsewhere for the entry points
    return njit(cache=True, nogil=True, error_model="numpy")(function)


@functools.cache
def called(kernel):
    """A kernel as Python can call it: compiled anew in every process, so for small ones."""

    @njit(error_model="numpy")
    def call(*arguments):
        return kernel(*arguments)

    return call
