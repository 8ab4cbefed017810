"""Tests of sandboxes: skipped where there is no bubblewrap that works, failed there under continuous integration."""

import os
import shutil
import sys

import pytest

from judge.machine.packages import how_to_get
from judge.play.sandbox import OFF, ON, Sandbox
from judge.processes.bubblewrap import BotSandbox, find_bubblewrap
from tests.places import REPOSITORY

SANDBOXED, UNSANDBOXED = Sandbox(ON), Sandbox(OFF)
needs_sandbox = pytest.mark.skipif(
    find_bubblewrap().program is None and not os.environ.get("CI"),
    reason=f"need bubblewrap: {find_bubblewrap().why_not if shutil.which('bwrap') else how_to_get('bubblewrap')}",
)


def bare_sandbox():
    """A sandbox with nothing behind it but the system, and what the tests need that may lie in a hidden folder."""
    found = find_bubblewrap()
    assert found.program, found.why_not
    places = (sys.prefix, sys.base_prefix, str(REPOSITORY))
    return BotSandbox(found.program, shown=(*places, *map(os.path.realpath, places)))
