"""A browser for the tests of pages: installed where this process may, and where not the tests say that they lack it.

    browser.py FOLDER     FOLDER keeps a mark of an attempt, so that a machine without a network is asked once

Root on Debian, or a system made of it, may; everywhere else a line says what to do. Always exits with 0. Standard
library only.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")  # that scripts/page_screenshots/browser.py looks for
PACKAGE = "chromium"
PATIENCE_S = 600
TRIED, TRIED_S = "browser-tried", 86400.0  # a network may be there tomorrow


def say(text):
    """One line on what set-up is doing."""
    print(f"setup: {text}", file=sys.stderr, flush=True)


def make_ready(folder):
    """Install the browser unless there is one, it cannot be, or that was tried today."""
    tried = folder / TRIED
    if any(map(shutil.which, PROGRAMS)) or (tried.exists() and time.time() - tried.stat().st_mtime < TRIED_S):
        return
    folder.mkdir(parents=True, exist_ok=True)
    tried.touch()
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        say(f"there is no browser: tests of pages will be skipped (on Debian: apt install {PACKAGE})")
        return
    say("installing a browser for the tests of pages")
    if not any(_succeeds(["apt-get", *words]) for words in _attempts()):
        say(f"no browser could be installed: tests of pages will be skipped (apt-get install {PACKAGE} tells why)")


def _attempts():
    """Words for apt-get, the first of which may be enough."""
    install = ["install", "--yes", "--no-install-recommends", PACKAGE]
    yield install
    if _succeeds(["apt-get", "update"]):
        yield install


def _succeeds(command):
    """Whether the command, which asks nothing, ends well in time."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    try:
        return subprocess.run(command, env=environment, timeout=PATIENCE_S, check=False, **quiet).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


if __name__ == "__main__":
    make_ready(Path(sys.argv[1]))
