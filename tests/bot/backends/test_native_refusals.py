"""The loader of native engines in a process that is refused things: children, ctypes, a folder that may hold code.

The refusals are those of this process, put in place for one test. Engines are copies of the built ones.
"""

import ctypes
import os
import signal
import sys
import time
import types

import pytest

from bot.backends import native
from bot.games.connect_four.self_test import self_test
from tests.bot.helpers.engine_folders import RETURNS_AN_ERROR, RETURNS_NOTHING, UNKNOWN_INSTRUCTION, give_cpuinfo
from tests.bot.helpers.native_builds import RUNNABLE

BEST = RUNNABLE[0]
BY_ITS_WORD = "not tried in a child"
WORDS = 160  # of an error, in a reason


def refuse_fork(monkeypatch):
    def refuse():
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", refuse)


def refuse_pipe(monkeypatch):
    def refuse():
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(os, "pipe", refuse)


@pytest.fixture
def refuse_children(monkeypatch):
    """A function after which this process can have no child."""
    return lambda: refuse_fork(monkeypatch)


def open_files():
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.parametrize(
    "refuse",
    [refuse_fork, refuse_pipe, lambda monkeypatch: monkeypatch.delattr(os, "fork")],
    ids=["fork refused", "pipe refused", "no fork"],
)
def test_without_a_child_the_cpus_word_has_to_do(folder, monkeypatch, refuse):
    refuse(monkeypatch)
    before = open_files()
    kernels = folder.load()
    assert kernels.name == BEST
    assert kernels.reason.endswith(BY_ITS_WORD)
    assert open_files() == before


@pytest.mark.parametrize(
    "code, reason", [(RETURNS_NOTHING, "wrong results"), (RETURNS_AN_ERROR, "NativeError: steps ended with status 1")]
)
def test_without_a_child_results_are_looked_at_all_the_same(folder, second, refuse_children, code, reason):
    folder.replace_code(BEST, code)
    refuse_children()
    kernels = folder.load()
    assert kernels.name == second
    assert kernels.reason.endswith(f"{BEST}: {reason}; {BY_ITS_WORD}")


def test_without_an_answer_in_time_the_cpus_word_has_to_do(folder, monkeypatch):
    """The child, which gets no time in these 50 ms, is gone afterwards."""
    children, own, fork = [], os.getpid(), os.fork

    def watched_fork():
        children.append(fork())
        return children[-1]

    def slow_self_test(kernels):
        if os.getpid() != own:
            time.sleep(60)
        return self_test(kernels)

    monkeypatch.setattr(os, "fork", watched_fork)
    monkeypatch.setattr(native, "_TRIAL_S", 0.05)
    before = open_files()
    kernels = native.load(str(folder.path), slow_self_test, BEST)
    assert kernels.reason == BY_ITS_WORD
    assert open_files() == before
    (child,) = children
    with pytest.raises(ChildProcessError):
        os.waitpid(child, os.WNOHANG)


def test_a_cpu_that_can_be_neither_asked_nor_tried_gets_what_all_have(folder, monkeypatch, refuse_children):
    give_cpuinfo(monkeypatch, None)
    refuse_children()
    kernels = folder.load()
    assert kernels.name == "x86-64"
    words = "cannot be tried in a child, and the CPU cannot be asked"
    assert kernels.reason == f"x86-64-v3: {words}; x86-64-v2: {words}; {BY_ITS_WORD}"


def test_without_ctypes_there_is_no_engine(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "ctypes", None)
    assert folder.refusal(BEST).startswith(f"{BEST}: ModuleNotFoundError: import of ctypes halted")


@pytest.fixture
def ignored_children():
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGCHLD, before)


def test_a_child_that_nobody_may_wait_for(folder, ignored_children):
    assert (folder.load(BEST).name, folder.load(BEST).reason) == (BEST, "tried")


def test_the_death_of_a_child_that_nobody_may_wait_for(folder, second, ignored_children):
    folder.replace_code(BEST, UNKNOWN_INSTRUCTION)
    kernels = folder.load()
    assert kernels.name == second
    assert kernels.reason.endswith(f"{BEST}: failed in a child; tried")


@pytest.fixture
def no_code_here(folder, monkeypatch):
    """Nothing in the folder may be mapped as code, as on a file system mounted noexec; further folders can be added."""
    refused, real = [str(folder.path)], ctypes.CDLL

    def opened(path, *arguments, **named):
        if str(path).startswith(tuple(refused)):
            raise OSError(f"{path}: failed to map segment from shared object")
        return real(path, *arguments, **named)

    monkeypatch.setattr(ctypes, "CDLL", opened)
    return refused


def test_code_is_loaded_from_memory_where_the_folder_may_not_hold_it(folder, second, no_code_here):
    """A file in memory is nothing but its number: two engines must not have the same one."""
    folder.replace_code(BEST, RETURNS_NOTHING)
    kernels = folder.load()
    assert kernels.name == second
    assert kernels.reason.endswith(f"{BEST}: wrong results; tried")
    again = folder.load(second)
    for good in (kernels, again):
        assert good._library._name.startswith("/proc/self/fd/")
        assert folder.finds_what_is_expected(good)
    assert kernels._library._name != again._library._name


@pytest.mark.parametrize(
    "refuse_memory",
    [
        lambda monkeypatch, refused: monkeypatch.delattr(os, "memfd_create"),
        lambda monkeypatch, refused: refused.append("/proc/self/fd/"),
    ],
    ids=["no memfd_create", "memory refused"],
)
def test_code_is_loaded_from_another_folder_where_memory_is_refused(
    folder, no_code_here, monkeypatch, tmp_path, refuse_memory
):
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.setenv("TMPDIR", str(other))
    refuse_memory(monkeypatch, no_code_here)
    before = open_files()
    kernels = folder.load(BEST)
    assert kernels.reason == "tried"
    assert kernels._library._name.startswith(str(other))
    assert (list(other.iterdir()), open_files()) == ([], before)


def test_where_no_place_may_hold_code_the_folders_refusal_is_told(folder, no_code_here):
    no_code_here.append("/")
    before = open_files()
    expected = f"OSError: {folder.library(BEST)}: failed to map segment from shared object"
    assert folder.refusal(BEST) == f"{BEST}: {expected[:WORDS]}"
    assert open_files() == before


@pytest.mark.parametrize(
    "in_time, word, status, processor_s, verdict",
    [
        (True, b"+", 0, 0.0, "tried"),
        (True, b"-", 0, 0.0, "wrong results"),
        (True, b"OSError: no", 0, 0.0, "OSError: no"),
        (True, b"", 0, 0.0, "failed in a child"),
        (True, b"", signal.SIGSEGV, 0.0, "killed by signal 11"),
        (True, b"+", None, 0.0, "tried"),  # nobody may wait for it
        (False, b"", signal.SIGKILL, 0.11, "does not end"),
        (False, b"", signal.SIGKILL, 0.1, None),  # it waited for a full machine
        (False, b"", signal.SIGILL, 0.11, "killed by signal 4"),
        (False, b"", 0, 0.11, None),
        (False, b"", None, 0.11, None),
    ],
)
def test_what_a_trial_comes_to(monkeypatch, in_time, word, status, processor_s, verdict):
    """status: of the child, None where it cannot be had."""
    killed = []

    def waited(child, options):
        if status is None:
            raise ChildProcessError(10, "No child processes")
        return child, status, types.SimpleNamespace(ru_utime=processor_s)

    trial = object.__new__(native._Trial)
    trial._process, (trial._end, end) = 4711, os.pipe()
    os.write(end, word)
    os.close(end)
    monkeypatch.setattr(native.select, "select", lambda *words: ([trial._end] * in_time, [], []))
    monkeypatch.setattr(native.os, "kill", lambda *words: killed.append(words))
    monkeypatch.setattr(native.os, "wait4", waited)
    monkeypatch.setattr(native.os, "waitpid", lambda *words: waited(*words)[:2])
    assert trial.verdict() == verdict
    assert killed == ([] if in_time else [(4711, 9)])


def test_half_a_library_is_never_loaded(folder, monkeypatch, tmp_path):
    """A disk may be full."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    before = open_files(), set(os.listdir(tmp_path))
    monkeypatch.setattr(os, "write", lambda descriptor, code: len(code) - 1)
    assert native.open_elsewhere(folder.library(BEST).read_bytes()) is None
    assert (open_files(), set(os.listdir(tmp_path))) == before
