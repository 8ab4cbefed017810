"""Tests that need a program of the system: skipped where it is missing, with the command that installs it."""

import shutil

import pytest

from judge.machine.packages import how_to_get


def needs(program):
    """Returns the mark of a test that needs the program."""
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"need {program}: {how_to_get(program)}")
