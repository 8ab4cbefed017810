"""Native engines built apart from the usual ones, by `python -m bot.backends.native_build` as a user runs it."""

import os
import re
import subprocess
import sys
from pathlib import Path

from bot.backends import native
from tests.bot.helpers.bot_process import REPOSITORY

# The engines that this CPU can run, best first.
RUNNABLE = native.runnable()


def built_by_command(name, **variables):
    """Build one engine as a user does, with these environment variables; the Path of the folder it is in."""
    done = subprocess.run(
        [sys.executable, "-m", "bot.backends.native_build", name],
        cwd=REPOSITORY,
        text=True,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    (folder,) = re.findall("^in (.+):$", done.stdout, re.MULTILINE)
    return Path(folder)
