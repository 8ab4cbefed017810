"""Tests that need a program of the system: skipped where it is missing, with the command that installs it."""

import shutil

import pytest

from judge.machine.packages import how_to_get


def needs(program):
    """Returns the mark of a test that needs the program."""
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"need {program}: {how_to_get(program)}")


def c_compiler():
    """Returns the path of a C compiler. Skips the test where there is none."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip(f"need a C compiler: {how_to_get('gcc')}")
    return compiler
