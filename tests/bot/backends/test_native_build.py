"""What is in a native engine's library, which sources decide it, and what is said where none can be built."""

import ctypes
import inspect
import os
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from numba import njit

from bot.backends import native, native_build, native_compile
from bot.backends import sources as kernel_sources
from bot.backends.jit import cache_directory
from bot.backends.sources import drop_old_versions, source_files, source_hash
from bot.games.connect_four import adapter
from bot.games.connect_four.entry_points import ENTRY_POINTS
from bot.games.connect_four.self_test import self_test
from tests.bot.helpers.bot_process import REPOSITORY
from tests.bot.helpers.native_builds import RUNNABLE, built_by_command

# Of the C library, all of it in every Linux that Python runs on.
ALLOWED_SYMBOLS = {"clock_gettime", "memcpy", "memmove", "memset"}
ALLOWED_RELOCATIONS = {"R_X86_64_JUMP_SLOT", "R_X86_64_GLOB_DAT", "R_X86_64_RELATIVE"}
BOT = REPOSITORY / "bot"


def words_of(*command):
    """What a program that must succeed prints."""
    return subprocess.run(
        list(map(str, command)), check=True, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}
    ).stdout


@pytest.fixture(params=native.NAMES)
def library(request, engines):
    """The Path of each engine's library; none of them is run here."""
    return engines / (request.param + ".so")


def test_a_library_asks_for_nothing_but_what_every_process_has(library):
    undefined = {line.split()[-1].partition("@")[0] for line in words_of("nm", "-D", "-u", library).splitlines()}
    assert undefined <= ALLOWED_SYMBOLS
    assert "NEEDED" not in words_of("readelf", "-d", library)


def test_a_library_offers_the_entry_points_alone(library):
    defined = {line.split()[-1] for line in words_of("nm", "-D", "--defined-only", library).splitlines()}
    assert defined == {"dropfour_" + name for name in ENTRY_POINTS}


def test_a_library_can_lie_anywhere(library):
    relocations = re.findall(r"R_X86_64_\w+", words_of("readelf", "-rW", library))
    assert set(relocations) <= ALLOWED_RELOCATIONS and relocations
    assert "TEXTREL" not in words_of("readelf", "-d", library)


def test_no_memory_of_a_library_is_both_written_and_run(library):
    segments = [line.split() for line in words_of("readelf", "-lW", library).splitlines()]
    flags = [(words[0], "".join(words[6:-1])) for words in segments if words and words[0] in ("LOAD", "GNU_STACK")]
    assert ("GNU_STACK", "RW") in flags and ("LOAD", "RE") in flags
    assert not any("W" in flag and "E" in flag for _, flag in flags)


@pytest.mark.slow
def test_two_builds_are_the_same_bytes(engines, tmp_path):
    """Addresses are drawn anew for every process: none of the compiler's own can be in the code."""
    name = RUNNABLE[0] + ".so"
    again = built_by_command(RUNNABLE[0], DROPFOUR_CACHE_DIR=str(tmp_path))
    assert again.name == engines.name
    assert (again / name).read_bytes() == (engines / name).read_bytes()


def test_the_manifest_tells_what_is_there(engines, kernels):
    facts = (engines / native.MANIFEST).read_text("ascii").splitlines()
    expected = [f"self_test {self_test(kernels)}", f"sources {source_hash(adapter.GAME)}"]
    for name in native.NAMES:
        code = (engines / (name + ".so")).read_bytes()
        expected.append(f"engine {name} {name}.so {len(code)} {zlib.crc32(code):08x}")
    compilers = sorted(set(facts) - set(expected))
    assert set(expected) <= set(facts)
    assert [line.split(" ")[1] for line in compilers] == sorted(native.NAMES)
    for line in compilers:
        assert re.fullmatch(r"compilers \S+ numba \S+, llvmlite \S+ \(LLVM \S+\), linked by .+", line)


def test_what_is_built_is_not_built_again(engines, monkeypatch):
    before = {path: path.stat().st_mtime_ns for path in engines.glob("*.*")}
    reports = []
    assert native_build.build(native.NAMES, adapter.GAME, report=reports.append) == str(engines)
    assert (reports, native_build.build_for_this_cpu(adapter.GAME)) == ([], None)
    monkeypatch.setattr(native, "claimed_levels", lambda: None)  # a CPU that cannot be asked
    assert native_build.build_for_this_cpu(adapter.GAME) is None
    assert {path: path.stat().st_mtime_ns for path in engines.glob("*.*")} == before


def test_what_a_library_asks_for_is_seen(engines, tmp_path):
    source, strange = tmp_path / "strange.c", tmp_path / "strange.so"
    source.write_text('int puts(const char *); int strange(void) { return puts(""); }\n')
    words_of(native_compile.linker(), "-shared", "-fPIC", "-nostdlib", "-o", strange, source)
    assert native_compile.undefined_symbols(strange) == {"puts"}


def test_code_with_an_address_of_the_compiling_process_is_refused():
    absolute = ctypes.CDLL(None).llabs
    absolute.argtypes, absolute.restype = [ctypes.c_int64], ctypes.c_int64
    function = njit("int64(int64)")(lambda number: absolute(number))
    assert function(-3) == 3
    code = native_compile._visible_alone(function, "strange")
    with pytest.raises(native_compile.BuildError, match="strange has addresses of the compiling process in it"):
        native_compile._object_code("x86-64", "strange", code)


def test_the_entry_points_are_what_the_kernels_define(kernels):
    found = {
        name: len(inspect.signature(function.py_func).parameters)
        for name, function in vars(kernels).items()
        if hasattr(function, "py_func") and function.py_func.__module__ == kernels.__name__
    }
    assert found == ENTRY_POINTS


def test_what_the_kernels_have_imported_counts():
    program = (
        "import sys, bot.games.connect_four.kernels\n"
        "print(*[module.__file__ for name, module in sys.modules.items() if name.startswith('bot.')])"
    )
    files = {Path(word).relative_to(BOT).as_posix() for word in words_of(sys.executable, "-c", program).split()}
    assert files - set(source_files(adapter.GAME)) == {"games/__init__.py"}


@pytest.fixture
def checkout(tmp_path):
    """A copy of the bot; checkout.hash() of its sources."""
    for package in ("bot", "protocol"):
        shutil.copytree(BOT.parent / package, tmp_path / package)

    class Checkout:
        bot = tmp_path / "bot"

        def hash(self, **variables):
            program = "from bot.backends.sources import source_hash; print(source_hash('connect_four'))"
            return subprocess.run(
                [sys.executable, "-c", program],
                cwd=tmp_path,
                check=True,
                text=True,
                env={**os.environ, "PYTHONPATH": str(tmp_path), **variables},
                stdout=subprocess.PIPE,
            ).stdout.strip()

    return Checkout()


def test_the_hash_of_the_sources_is_the_same_wherever_they_lie(checkout):
    assert checkout.hash() == source_hash(adapter.GAME)
    for name in ("shell/session.py", "backends/native.py", "backends/jit.py"):
        with open(checkout.bot / name, "a") as source:
            source.write("# nothing that an engine is made of\n")
    os.utime(checkout.bot / "search" / "uct/edge_nodes/search.py", (0, 0))
    assert checkout.hash() == source_hash(adapter.GAME)


def test_the_hash_of_the_sources_changes_with_each_of_them(checkout):
    hashes = [checkout.hash(), checkout.hash(NUMBA_BOUNDSCHECK="1")]
    for name in (
        "kernels/lanes.py",
        "games/connect_four/uct/rollout.py",
        "games/connect_four/uct/engine.py",
        "backends/native_compile.py",
    ):
        with open(checkout.bot / name, "a") as source:
            source.write("# changed\n")
        hashes.append(checkout.hash())
    assert len(set(hashes)) == 6


def test_old_versions_are_dropped_and_unfinished_ones_are_not(tmp_path):
    kept = kernel_sources.KEPT_VERSIONS
    for number in range(kept + 2):
        folder = tmp_path / f"version-{number}"
        folder.mkdir()
        if number != 1:
            (folder / native.MANIFEST).touch()
        os.utime(folder, (number, number))
    drop_old_versions(tmp_path, native.MANIFEST)
    assert {path.name for path in tmp_path.iterdir()} == {f"version-{number}" for number in range(1, kept + 2)}


@pytest.fixture
def programs(tmp_path):
    """programs(names ..): a PATH on which there are only those."""

    def path_with(*names):
        for name in names:
            (tmp_path / name).symlink_to(shutil.which(name))
        return str(tmp_path)

    return path_with


@pytest.mark.parametrize(
    "there, reason",
    [
        ((), "no C compiler (cc, gcc or clang) to link with"),
        (("cc",), "no nm (binutils) to check the result with"),
    ],
)
def test_without_tools_it_is_said_and_numba_has_to_do(kernels, programs, there, reason, tmp_path):
    warm = Path(cache_directory(adapter.GAME))
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / warm.name).symlink_to(warm)  # with numba's code and without the native engines
    environment = {**os.environ, "PATH": programs(*there), "DROPFOUR_CACHE_DIR": str(tmp_path / "cache")}
    build = subprocess.run(
        [sys.executable, "-m", "bot.backends.native_build"],
        cwd=REPOSITORY,
        env=environment,
        text=True,
        capture_output=True,
    )
    assert (build.returncode, build.stdout, build.stderr) == (1, "", f"bot.backends.native_build: {reason}\n")
    best = subprocess.run(
        [sys.executable, "-m", "bot.compiled", adapter.GAME],
        cwd=REPOSITORY,
        env=environment,
        text=True,
        capture_output=True,
    )
    assert (best.returncode, best.stdout) == (
        0,
        f"connect_four: no native engine: {reason}\nthe search kernels are ready\n",
    )


def test_an_unknown_engine_is_named():
    done = subprocess.run(
        [sys.executable, "-m", "bot.backends.native_build", "x86-64-v3", "x86-65"],
        cwd=REPOSITORY,
        text=True,
        capture_output=True,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "bot.backends.native_build: unknown game or engine x86-65; expected one of connect_four, reversi, dots "
        "and then some of x86-64-v3, x86-64-v2, x86-64\n"
    )
