"""Whether a wheel's engines and weights work where no package is installed."""

import os
import subprocess
import sys
import tempfile
import zipfile

from bot.games import NAMES


def missing_engines(wheel):
    """What the bot of an unpacked wheel says of an engine that does not load, "" where all do.

    The best engine for this CPU is tried in each game, with the standard library alone and an empty cache.
    """
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        with zipfile.ZipFile(wheel) as content:
            content.extractall(folder)
        done = subprocess.run(
            [sys.executable, "-S", "-s", "-m", "bot.compiled"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": folder, "DROPFOUR_CACHE_DIR": cache},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
    ready = all(f"{game}: the native engine" in done.stdout for game in NAMES)
    return "" if ready and done.returncode == 0 else (done.stdout + done.stderr).strip()
