"""The loader of native engines: of those in a folder it takes the best one that this CPU has and that is right.

Damage is real damage, to copies of the built engines.
"""

import os
import signal
import zlib

import pytest

from bot.backends import native
from bot.backends.compiled import Kernels, KernelsUnavailable
from bot.games.connect_four import adapter
from bot.games.connect_four.self_test import self_test
from tests.bot.helpers.engine_folders import RETURNS_AN_ERROR, RETURNS_NOTHING, UNKNOWN_INSTRUCTION, give_cpuinfo
from tests.bot.helpers.native_builds import RUNNABLE

BEST, LAST = RUNNABLE[0], native.NAMES[-1]
WORDS = 160  # of an error, in a reason


def test_each_engine_by_its_name(folder):
    for name in RUNNABLE:
        kernels = folder.load(name)
        assert (kernels.name, kernels.reason) == (name, "tried")
        assert folder.finds_what_is_expected(kernels), name


def test_the_best_engine_is_taken(folder):
    kernels = folder.load()
    above = native.NAMES[: native.NAMES.index(BEST)]
    assert kernels.name == BEST
    assert kernels.reason == "; ".join([f"{name}: not this CPU" for name in above] + ["tried"])


def cut(path):
    os.truncate(path, path.stat().st_size - 1)


def change_a_byte(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize(
    "damage, reason",
    [
        (cut, "damaged file"),
        (change_a_byte, "damaged file"),
        (lambda path: path.write_bytes(b""), "damaged file"),
        (lambda path: path.unlink(), "No such file or directory"),
        (lambda path: (path.unlink(), path.mkdir()), "Is a directory"),
    ],
    ids=["cut", "a changed byte", "empty", "missing", "a folder"],
)
def test_a_damaged_library_is_not_loaded(folder, second, damage, reason):
    damage(folder.library(BEST))
    kernels = folder.load()
    assert kernels.name == second
    assert kernels.reason.endswith(f"{BEST}: {reason}; tried")
    assert folder.refusal(BEST) == f"{BEST}: {reason}"


def test_a_file_that_is_no_library(folder, second):
    text = b"This is no machine code.\n"
    data = folder.library(BEST).read_bytes()
    folder.library(BEST).write_bytes(text)
    folder.edit_manifest(
        f"{BEST}.so {len(data)} {zlib.crc32(data):08x}", f"{BEST}.so {len(text)} {zlib.crc32(text):08x}"
    )
    kernels = folder.load()
    assert kernels.name == second
    assert f"{BEST}: OSError: " in kernels.reason


NO_NUMBER = "manifest.txt cannot be read: invalid literal for int() with base"
UNUSABLE_MANIFESTS = [
    (None, "no native engine here"),
    ("", "x86-64: not built"),
    ("engine\n", "manifest.txt cannot be read: list index out of range"),
    ("engine x86-64\n", "manifest.txt cannot be read: list index out of range"),
    ("engine x86-64 x86-64.so many 0\n", f"{NO_NUMBER} 10: 'many'"),
    ("engine x86-64 x86-64.so 5 wxyz\n", f"{NO_NUMBER} 16: 'wxyz'"),
    ("self_test\n", "manifest.txt cannot be read: list index out of range"),
    ("self_test one\n", f"{NO_NUMBER} 10: 'one'"),
    ("引擎\n", "manifest.txt cannot be read: 'ascii' codec can't decode byte"),
]


def test_a_manifest_that_cannot_be_used(folder):
    for text, reason in UNUSABLE_MANIFESTS:
        folder.manifest().unlink(missing_ok=True)
        if text is not None:
            folder.manifest().write_text(text, "utf-8")
        assert folder.refusal(LAST).startswith(reason), text


def test_lines_of_the_manifest_that_say_something_else_are_passed_over(folder):
    folder.edit_manifest("self_test ", "\nweather fine\nself_test ")
    assert folder.load().name == BEST


def test_an_engine_that_finds_something_else_is_wrong(folder):
    before = f"self_test {native.Manifest(str(folder.path)).self_test}\n"
    for expected in ("self_test 1\n", ""):
        folder.edit_manifest(before, expected)
        assert folder.refusal(BEST) == f"{BEST}: wrong results"
        before = expected
    assert folder.refusal().count("wrong results") == len(RUNNABLE)


@pytest.mark.parametrize(
    "entry_point, code, reason",
    [
        ("search", UNKNOWN_INSTRUCTION, f"killed by signal {signal.SIGILL:d}"),
        ("solve", RETURNS_AN_ERROR, "NativeError: solve ended with status 1"),
        ("steps", RETURNS_NOTHING, "wrong results"),
    ],
)
def test_an_engine_that_fails_its_trial_is_left_alone(folder, second, entry_point, code, reason):
    folder.replace_code(BEST, code, entry_point)
    kernels = folder.load()
    assert kernels.name == second
    assert kernels.reason.endswith(f"{BEST}: {reason}; tried")
    assert folder.finds_what_is_expected(kernels)


def test_no_engine_that_works(folder):
    for name in native.NAMES:
        folder.replace_code(name, UNKNOWN_INSTRUCTION)
    assert folder.refusal().count("killed by signal 4") == len(RUNNABLE)


def test_a_missing_function_is_named(folder):
    folder.edit_manifest("self_test ", "entry_point ponder 1\nself_test ")
    words = folder.refusal(BEST)
    expected = f"AttributeError: {folder.library(BEST)}: undefined symbol: dropfour_ponder"
    assert words == f"{BEST}: {expected[:WORDS]}"


BASE = "flags\t\t: fpu cx8 cmov mmx fxsr sse sse2 ht"
WITH_V2 = BASE + " pni ssse3 cx16 sse4_1 sse4_2 popcnt lahf_lm"
WITH_V3 = WITH_V2 + " fma movbe xsave avx f16c abm bmi1 avx2 bmi2"


LEVELS = [
    (BASE, native.NAMES[2:]),
    (WITH_V2, native.NAMES[1:]),
    (WITH_V3, native.NAMES),
    (WITH_V3.replace(" ssse3", ""), native.NAMES[2:]),  # without what v2 adds nothing above it counts
    (WITH_V3.replace(" fma", " fma4"), native.NAMES[1:]),
    (BASE.replace(" cmov", ""), ()),
    ("Features\t: fp asimd", None),
    ("", None),
    (None, None),
]


def test_levels_of_cpus(monkeypatch):
    for text, levels in LEVELS:
        give_cpuinfo(monkeypatch, text and f"processor\t: 0\n{text}\nbugs\t\t:\n")
        found = native.claimed_levels()
        assert found == levels or found == list(levels), text
        assert native.runnable() == list(levels or native.NAMES[2:])


def test_a_lesser_cpu_has_its_engine(folder, monkeypatch):
    give_cpuinfo(monkeypatch, BASE)
    kernels = folder.load()
    assert kernels.name == "x86-64"
    assert kernels.reason == "x86-64-v3: not this CPU; x86-64-v2: not this CPU; tried"
    assert folder.refusal("x86-64-v2") == "x86-64-v2: not this CPU"


def test_a_cpu_that_cannot_be_asked_is_tried_out(folder, monkeypatch):
    give_cpuinfo(monkeypatch, None)
    folder.replace_code("x86-64-v3", UNKNOWN_INSTRUCTION)
    folder.replace_code("x86-64-v2", UNKNOWN_INSTRUCTION)
    assert folder.load().reason == "x86-64-v3: killed by signal 4; x86-64-v2: killed by signal 4; tried"


@pytest.fixture
def forks(folder, monkeypatch):
    """The children that this process has had since, by their numbers."""
    children, fork = [], os.fork

    def counted_fork():
        children.append(fork())
        return children[-1]

    monkeypatch.setattr(os, "fork", counted_fork)
    return children


def wait_for_exit(child):
    """Wait until a child has ended; whoever began it still learns how."""
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)


@pytest.mark.parametrize(
    "code, children, said", [(None, 1, "tried"), (UNKNOWN_INSTRUCTION, 2, "killed by signal 4; tried")]
)
def test_a_child_tries_before_the_choice_is_asked_for(folder, second, forks, code, children, said):
    if code is not None:
        folder.replace_code(BEST, code)
    choice = native.Choice(str(folder.path), self_test)
    wait_for_exit(forks[0])
    kernels = choice.kernels()
    assert kernels.name == (BEST if code is None else second)
    assert kernels.reason.endswith(said)
    assert len(forks) == children
    assert folder.finds_what_is_expected(kernels)


def test_kernels_that_are_begun_early_are_tried_once(folder, forks):
    kernels = Kernels(adapter.GAME, "native", str(folder.path))
    kernels.begin()
    kernels.begin()
    wait_for_exit(forks[0])
    assert kernels.may_be_native()
    assert kernels.load().name == BEST
    assert len(forks) == 1


def test_what_cannot_be_begun_is_said_when_it_is_loaded(folder, forks):
    folder.manifest().unlink()
    kernels = Kernels(adapter.GAME, "native", str(folder.path))
    kernels.begin()
    assert kernels.may_be_native() and forks == []
    with pytest.raises(KernelsUnavailable, match="no native engine here"):
        kernels.load()
    assert not kernels.may_be_native()
