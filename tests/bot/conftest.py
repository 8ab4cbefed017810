"""What the bot's tests rely on: compiled kernels in the cache, loaded once for the tests that call them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from bot.compiled import Kernels, cache_directory

REPOSITORY = Path(__file__).resolve().parents[2]

# numba reads this when it is imported, which test modules do before any fixture runs.
os.environ["NUMBA_CACHE_DIR"] = cache_directory()
# perft_counts.py is shared with the judge's tests.
sys.path.append(str(REPOSITORY / "tests" / "judge"))

# No time limit per example: these tests also run on machines that are busy.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")


@pytest.fixture(scope="session", autouse=True)
def warm_cache():
    """Every bot process of these tests finds its kernels compiled, unless it is given another cache."""
    command = [sys.executable, "-m", "bot.compiled"]
    subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL)


@pytest.fixture(scope="session")
def kernels(warm_cache):
    """The module of compiled entry points."""
    return Kernels("connect_four").load()
