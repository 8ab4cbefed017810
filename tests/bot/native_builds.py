"""Native engines built apart from the usual ones, by `python -m bot.native_build` as a user runs it."""

import os
import subprocess
import sys
from pathlib import Path

from bot_process import REPOSITORY

from bot import native

# The engines that this CPU can run, best first.
RUNNABLE = native.runnable()


class Build:
    """A build of one engine into a cache of its own, running since it was made."""

    def __init__(self, name, cache, **variables):
        self._cache = cache
        self._output = None
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bot.native_build", name],
            cwd=REPOSITORY,
            text=True,
            env={**os.environ, "DROPFOUR_CACHE_DIR": str(cache), **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def folder(self):
        """Waits for the end; the Path of the folder with the engine."""
        if self._output is None:
            self._output, _ = self._process.communicate()
        assert self._process.returncode == 0, self._output
        (found,) = Path(self._cache, "native").iterdir()
        return found

    def stop(self):
        """End it if nobody has waited for it."""
        if self._output is None:
            self._process.kill()
            self._process.communicate()
