"""What all tests of the judge share."""

import contextlib
import os
import signal

import psutil
import pytest

from judge.play import sandbox
from judge.processes import descendants, watcher


@pytest.fixture(autouse=True)
def new_notes(monkeypatch):
    """A process tells each note once, and a test is to see its own."""
    monkeypatch.setattr(sandbox, "notes", sandbox.Notes())


@pytest.fixture(autouse=True)
def no_watchers():
    """The watcher of a judge that an earlier test has killed lives on for seconds, and would be an orphan more."""
    for pid in descendants.adopted_orphans():
        with contextlib.suppress(psutil.Error, OSError):
            if watcher.__file__ in psutil.Process(pid).cmdline():
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
