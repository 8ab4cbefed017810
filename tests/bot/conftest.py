"""What the bot's tests rely on: compiled kernels in the cache, loaded once for the tests that call them."""

import faulthandler
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot.backends import native, native_build
from bot.backends.jit import JitKernels
from bot.backends.sources import native_folder
from bot.games import NAMES
from bot.games.connect_four import adapter
from tests.bot.helpers.engine_folders import EngineFolder
from tests.bot.helpers.loaded_kernels import jit_kernels
from tests.bot.helpers.native_builds import RUNNABLE, built_by_command
from tests.places import REPOSITORY

COMPILING_S = 900.0


@pytest.fixture(scope="session", autouse=True)
def warm_cache():
    """Every bot process of these tests finds its kernels compiled, unless it is given another cache."""
    manifests = [Path(native_folder(game), native.MANIFEST) for game in NAMES]
    if JitKernels(adapter.GAME).ready() and all(manifest.exists() for manifest in manifests):
        return  # an earlier run has done it
    compilers = [
        subprocess.Popen([sys.executable, "-m", module], cwd=REPOSITORY, stdout=subprocess.DEVNULL)
        for module in ("bot.compiled", "bot.backends.jit")
    ]
    assert [compiler.wait(COMPILING_S) for compiler in compilers] == [0, 0]


@pytest.fixture(scope="session")
def kernels_of():
    """jit_kernels, so that a test of another game asks for them by name."""
    return jit_kernels


@pytest.fixture(scope="session")
def kernels(warm_cache):
    """The module of entry points as numba compiles them here."""
    return jit_kernels(adapter.GAME)


@pytest.fixture(scope="session")
def engines(warm_cache):
    """The folder of this version's native engines, all of them built."""
    reason = native_build.why_impossible()
    if reason is not None:
        pytest.skip(reason)
    return Path(native_build.build(native.NAMES, adapter.GAME))


@pytest.fixture
def folder(engines, tmp_path, monkeypatch):
    """An EngineFolder of the test's own; however busy the machine is, a trial in a child has the time that it needs."""

    def fork():
        child = real_fork()
        if child == 0:
            faulthandler.disable()  # pytest's, which would show the death of a child
        return child

    real_fork = os.fork
    monkeypatch.setattr(os, "fork", fork)
    monkeypatch.setattr(native, "_TRIAL_S", 60.0)
    return EngineFolder(engines, tmp_path)


@pytest.fixture
def second():
    """The name of the engine that is next to the best one here."""
    if len(RUNNABLE) < 2:
        pytest.skip("only one engine is for this CPU")
    return RUNNABLE[1]


@pytest.fixture(scope="session")
def checked_engine(engines):
    """The folder of an engine that checks the bounds of arrays; it is kept beside the usual ones."""
    return built_by_command(RUNNABLE[0], NUMBA_BOUNDSCHECK="1")
