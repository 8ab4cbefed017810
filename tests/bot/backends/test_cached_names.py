"""Machine code that several processes have put into numba's cache: each function calls its own closures."""

import os
import subprocess
import sys

from tests.places import REPOSITORY

# Two closures of one factory, too long to be inlined. `double` calls one, `triple` the other.
CLOSURES = """
import numpy as np
from bot.kernels.kernel import entry_point, kernel

def make(factor):
    @kernel
    def multiplied(number):
LONG
        return factor * number
    return multiplied

two, three = make(2), make(3)

@entry_point
def double(number):
    return two(number) - two(0)

@entry_point
def triple(number):
    return three(number) - three(0)
"""
# What the kernel does first. It does not change a number below 2**20.
LONG = "\n".join(f"        number ^= (number >> {20 + place % 40}) * {2 * place + 3}" for place in range(80))


def printed(code, folder):
    """What a new process prints that runs `code`. It keeps what it compiles in the folder."""
    return subprocess.run(
        [sys.executable, "-c", f"import closures\n{code}"],
        env={**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{REPOSITORY}", "NUMBA_CACHE_DIR": str(folder / "cache")},
        check=True,
        text=True,
        capture_output=True,
    ).stdout.split()


def test_code_that_two_processes_compiled_works_in_one(tmp_path):
    (tmp_path / "closures.py").write_text(CLOSURES.replace("LONG", LONG))
    assert printed("print(closures.double(5))", tmp_path) == ["10"]
    assert printed("print(closures.triple(5))", tmp_path) == ["15"]
    loaded = "*[sum(function.stats.cache_hits.values()) for function in (closures.double, closures.triple)]"
    assert printed(f"print(closures.double(5), closures.triple(5), {loaded})", tmp_path) == ["10", "15", "1", "1"]
