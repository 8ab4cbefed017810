"""What is in a native engine's library, which sources decide it, and what is said where none can be built."""

import ctypes
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
import zlib
from pathlib import Path

import pytest
from numba import njit

from bot.backends import jit, native, native_build, prepare
from bot.backends import sources as kernel_sources
from bot.backends.jit import cache_key
from bot.backends.sources import drop_old_versions, entry_points, source_files, source_hash
from bot.games.connect_four import adapter
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


@pytest.fixture
def libraries(engines):
    """The Paths of all engines' libraries; none of them is run here."""
    return [engines / f"{name}.so" for name in native.NAMES]


def test_a_library_asks_for_nothing_but_what_every_process_has(libraries):
    for library in libraries:
        undefined = {line.split()[-1].partition("@")[0] for line in words_of("nm", "-D", "-u", library).splitlines()}
        assert undefined <= ALLOWED_SYMBOLS, library
        assert "NEEDED" not in words_of("readelf", "-d", library), library


def test_a_library_offers_the_entry_points_alone(libraries):
    for library in libraries:
        defined = {line.split()[-1] for line in words_of("nm", "-D", "--defined-only", library).splitlines()}
        assert defined == {"dropfour_" + name for name in entry_points(adapter.GAME)}, library


def test_a_library_can_lie_anywhere_and_no_memory_of_it_is_both_written_and_run(libraries):
    for library in libraries:
        relocations = re.findall(r"R_X86_64_\w+", words_of("readelf", "-rW", library))
        assert set(relocations) <= ALLOWED_RELOCATIONS and relocations, library
        assert "TEXTREL" not in words_of("readelf", "-d", library), library
        segments = [line.split() for line in words_of("readelf", "-lW", library).splitlines()]
        flags = [(words[0], "".join(words[6:-1])) for words in segments if words and words[0] in ("LOAD", "GNU_STACK")]
        assert ("GNU_STACK", "RW") in flags and ("LOAD", "RE") in flags, library
        assert not any("W" in flag and "E" in flag for _, flag in flags), library


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
    expected += [f"entry_point {name} {count}" for name, count in entry_points(adapter.GAME).items()]
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
    words_of(native_build.linker(), "-shared", "-fPIC", "-nostdlib", "-o", strange, source)
    assert native_build.undefined_symbols(strange) == {"puts"}


def test_code_with_an_address_of_the_compiling_process_is_refused():
    absolute = ctypes.CDLL(None).llabs
    absolute.argtypes, absolute.restype = [ctypes.c_int64], ctypes.c_int64
    function = njit("int64(int64)")(lambda number: absolute(number))
    assert function(-3) == 3
    code = native_build._visible_alone(function, "strange")
    with pytest.raises(native_build.BuildError, match="strange has addresses of the compiling process in it"):
        native_build._object_code("x86-64", "strange", code)


def test_what_the_kernels_have_imported_counts():
    program = (
        "import sys, bot.games.connect_four.kernels\n"
        "print(*[module.__file__ for name, module in sys.modules.items() if name.startswith('bot.')], sep='\\n')"
    )
    files = {Path(word).relative_to(BOT).as_posix() for word in words_of(sys.executable, "-c", program).splitlines()}
    assert files - set(source_files(adapter.GAME)) == {"games/__init__.py"}


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """The Path of a copy of the bot, whose sources count from now on."""
    shutil.copytree(BOT, tmp_path / "bot", ignore=shutil.ignore_patterns("__pycache__"))
    for module in (kernel_sources, jit):
        monkeypatch.setattr(module, "PACKAGE", str(tmp_path / "bot"))
    return tmp_path / "bot"


def change(copy, *names):
    for name in names:
        with open(copy / name, "a") as source:
            source.write("# changed\n")


def test_the_hash_of_the_sources_is_the_same_wherever_they_lie(copy, monkeypatch):
    change(copy, "shell/session.py", "backends/native.py", "backends/jit.py")  # which no engine is made of
    os.utime(copy / "search" / "uct/narrow_tree/search.py", (0, 0))
    of_copy = source_hash(adapter.GAME)
    monkeypatch.undo()
    assert of_copy == source_hash(adapter.GAME)


def test_the_hash_of_the_sources_changes_with_each_of_them(copy, monkeypatch):
    hashes = {source_hash(adapter.GAME), source_hash("dots")}
    for name in (
        "kernels/lanes.py",
        "games/connect_four/uct.py",
        "games/connect_four/uct_engine.py",
        "backends/native_build.py",
    ):
        change(copy, name)
        hashes.add(source_hash(adapter.GAME))
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert len({*hashes, source_hash(adapter.GAME)}) == 7


def test_changed_sources_have_a_cache_of_their_own(copy, monkeypatch):
    """numba itself would not notice: it looks at the file of the outermost function alone."""
    key = cache_key(adapter.GAME)
    change(copy, "shell/session.py", "backends/jit.py", "backends/native_build.py")  # which no kernel is made of
    assert cache_key(adapter.GAME) == key
    keys = {key}
    for name in ("search/scores.py", "games/connect_four/uct.py", "kernels/lanes.py"):
        change(copy, name)
        keys.add(cache_key(adapter.GAME))
    os.utime(copy / "kernels" / "lanes.py", (0, 0))
    keys.add(cache_key(adapter.GAME))
    for name, value in (("NUMBA_BOUNDSCHECK", "1"), ("NUMBA_CPU_NAME", "generic")):
        monkeypatch.setenv(name, value)
        keys.add(cache_key(adapter.GAME))
    for module, name, value in ((jit.sys, "executable", "/another"), (jit, "_cpu", lambda: "another")):
        monkeypatch.setattr(module, name, value)
        keys.add(cache_key(adapter.GAME))
    monkeypatch.undo()
    assert len({*keys, cache_key(adapter.GAME)}) == 10


def test_where_compiled_code_is_kept(tmp_path, monkeypatch):
    """In the place that is asked for, else in a checkout that can be written, else at home, else for a while."""
    monkeypatch.delenv("DROPFOUR_CACHE_DIR", raising=False)
    assert kernel_sources.cache_root() == str(REPOSITORY / ".cache" / "kernels")
    monkeypatch.setattr(kernel_sources, "PACKAGE", str(tmp_path / "bot"))
    home = tmp_path / "home"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "there"))
    monkeypatch.setenv("HOME", str(home))
    assert kernel_sources.cache_root() == str(tmp_path / "there" / "dropfour")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "not" / "there"))
    home.mkdir()
    assert kernel_sources.cache_root() == str(home / ".cache" / "dropfour")
    home.rmdir()
    assert kernel_sources.cache_root() == os.path.join(tempfile.gettempdir(), f"dropfour-{os.getuid()}")
    monkeypatch.setenv("DROPFOUR_CACHE_DIR", str(tmp_path / "asked for"))
    assert kernel_sources.cache_root() == str(tmp_path / "asked for")


def test_engines_of_the_package_count_where_none_are_built(tmp_path, monkeypatch):
    packed, cache = tmp_path / "bot" / "engines" / "dots", tmp_path / "cache"
    monkeypatch.setattr(kernel_sources, "PACKAGE", str(tmp_path / "bot"))
    (tmp_path / "bot" / "backends").mkdir(parents=True)
    (tmp_path / "bot" / "backends" / "native_build.py").touch()
    monkeypatch.setenv("DROPFOUR_CACHE_DIR", str(cache))
    built = kernel_sources.native_folder("dots")
    assert built == str(cache / "native" / f"dots-{source_hash('dots')}") == kernel_sources.engines_folder("dots")
    packed.mkdir(parents=True)
    assert kernel_sources.engines_folder("dots") == str(packed)
    os.makedirs(built)
    assert kernel_sources.engines_folder("dots") == built


def test_old_versions_are_dropped_and_unfinished_ones_are_not(tmp_path):
    kept = kernel_sources.KEPT_VERSIONS
    for number in range(kept + 3):
        folder = tmp_path / f"version-{number}"
        folder.mkdir()
        if number != 1:
            (folder / native.MANIFEST).touch()
        os.utime(folder, (number, number))
    current = [str(tmp_path / "version-0"), str(tmp_path / "of a game that was never built")]
    drop_old_versions(current, native.MANIFEST)
    assert {path.name for path in tmp_path.iterdir()} == {
        f"version-{number}" for number in range(kept + 3) if number != 2
    }


@pytest.mark.parametrize(
    "there, reason",
    [((), "no C compiler (cc, gcc or clang) to link with"), (("cc",), "no nm (binutils) to check the result with")],
)
def test_without_tools_it_is_said_and_numba_has_to_do(there, reason, tmp_path, monkeypatch, capsys):
    for name in there:
        (tmp_path / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("DROPFOUR_CACHE_DIR", str(tmp_path / "cache"))
    assert native_build.why_impossible() == reason
    with pytest.raises(SystemExit, match=re.escape(f"bot.backends.native_build: {reason}")):
        native_build.main([])
    filled = []
    monkeypatch.setattr(jit, "main", filled.append)
    prepare.main([adapter.GAME])
    assert filled == [[adapter.GAME]]
    assert capsys.readouterr().out == f"connect_four: no native engine: {reason}\n"
    with pytest.raises(SystemExit, match=re.escape(f"connect_four: no native engine: {reason}")):
        prepare.main([adapter.GAME, "--backend", "native"])


def test_why_no_engine_can_be_built(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    assert native_build.why_impossible() is None
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert native_build.why_impossible().startswith("numba is not installed")
    for module, name, value in (
        (native_build.os, "uname", lambda: types.SimpleNamespace(machine="aarch64")),
        (native_build.sys, "platform", "darwin"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, value)
            assert native_build.why_impossible() == "native engines are for Linux on x86-64"


def test_getting_ready(engines, monkeypatch, capsys):
    """`python -m bot.compiled`: an engine that is there is told of; data are looked at first."""
    prepare.main([adapter.GAME])
    assert capsys.readouterr().out == f"connect_four: the native engine {RUNNABLE[0]} is ready\n"
    monkeypatch.setattr(prepare, "fault_in_data", lambda game: "damaged" if game == "dots" else "")
    with pytest.raises(SystemExit) as ended:
        prepare.main(["connect_four", "dots"])
    assert (ended.value.code, capsys.readouterr().err) == (prepare.DATA_STATUS, "dots: damaged\n")
    prepare.main(["dots", "--without-data"])
    for words, message in ((["chess"], "unknown game 'chess'"), (["--backend", "python"], "invalid choice: 'python'")):
        with pytest.raises(SystemExit):
            prepare.main(words)
        assert message in capsys.readouterr().err
    filled = []
    monkeypatch.setattr(jit, "main", filled.append)
    prepare.main(["--backend", "jit", "--without-data"])
    assert filled == [["connect_four"], ["reversi"], ["dots"]]


def test_getting_ready_builds_what_is_missing_and_tells_how_far_it_is(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DROPFOUR_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(native_build, "why_impossible", lambda: None)
    asked = []

    def build(names, game, folder=None, report=None, progress=None):
        asked.append((list(names), game))
        report("building ..")
        progress(0.5)
        if names == ["x86-64"]:
            raise native_build.BuildError("it fails")

    monkeypatch.setattr(native_build, "build", build)
    prepare.main([adapter.GAME])
    prepare.main([adapter.GAME, "--progress", "--backend", "native"])
    with pytest.raises(SystemExit, match="connect_four: no native engine: it fails"):
        prepare.main([adapter.GAME, "--backend", "x86-64"])
    assert asked == [(RUNNABLE[:1], adapter.GAME)] * 2 + [(["x86-64"], adapter.GAME)]
    ready = "connect_four: the native engine is ready"
    said = ["building ..", ready, "building ..", "progress connect_four 0.500", ready, "building .."]
    assert capsys.readouterr().out.splitlines() == said


def test_an_unknown_engine_is_named():
    expected = "expected one of connect_four, reversi, dots and then some of x86-64-v3, x86-64-v2, x86-64"
    with pytest.raises(SystemExit) as ended:
        native_build.main(["x86-64-v3", "x86-65"])
    assert ended.value.code == f"bot.backends.native_build: unknown game or engine x86-65; {expected}"


def test_the_command_builds_what_it_names_and_shows_the_manifest(engines, tmp_path, monkeypatch, capsys):
    asked = []

    def build(names, game, folder=None, report=None):
        asked.append((tuple(names), game))
        return str(engines)

    monkeypatch.setattr(native_build, "build", build)
    native_build.main(["dots", "x86-64"])
    native_build.main([])
    assert asked == [(("x86-64",), "dots"), (native.NAMES, "connect_four")]
    assert capsys.readouterr().out == 2 * f"in {engines}:\n{(engines / native.MANIFEST).read_text()}"


def test_entry_points_are_shared_out_so_that_all_processes_end_at_about_one_time():
    names = ["search", "alphabeta", "solve", "steps", "rollouts"]  # they cost 6, 2, 2, 1 and 1
    assert native_build._shares(names, 2) == [["search"], ["alphabeta", "solve", "steps", "rollouts"]]
    assert native_build._shares(names[:1], 4) == [["search"]]
    assert [len(share) for share in native_build._shares(["a", "b", "c"], 8)] == [1, 1, 1]
    assert (native_build.steps(native.NAMES), native_build.steps(["x86-64"])) == (4, 2)


class TestBuild:
    """native_build.build with compiling and linking in this process: what is compiled, kept, told and refused."""

    @pytest.fixture
    def compilers(self, monkeypatch):
        """What each process of the compiler was asked; they make files of one byte more each time."""
        asked = []

        def run(task, game, workshop, names, entry_points="", on_line=lambda line: None):
            asked.append((task, names, entry_points))
            if task == "emit":
                for entry_point in entry_points.split(","):
                    for _ in range(native_build.steps(names.split(","))):
                        on_line(entry_point)
                return []
            for name in names.split(","):
                Path(workshop, f"{name}.so").write_bytes(b"code" * len(asked))
            return ["self_test 7", "compilers of a test"]

        monkeypatch.setattr(native_build, "_run", run)
        monkeypatch.setattr(native, "load", lambda *words: None)
        return asked

    def test_what_is_missing_is_built_and_told(self, compilers, tmp_path):
        reports, shares = [], []
        where = native_build.build(["x86-64", "x86-64-v2"], adapter.GAME, str(tmp_path), reports.append, shares.append)
        assert where == str(tmp_path)
        assert reports == ["building the native engines of connect_four: x86-64, x86-64-v2 .."]
        assert shares == sorted(shares) and shares[-1] == 1.0
        assert compilers[-1] == ("link", "x86-64,x86-64-v2", "")
        emitted = [name for _, _, names in compilers[:-1] for name in names.split(",")]
        assert sorted(emitted) == sorted(entry_points(adapter.GAME))
        crc = zlib.crc32((tmp_path / "x86-64.so").read_bytes())
        lines = (tmp_path / native.MANIFEST).read_text().splitlines()
        size = (tmp_path / "x86-64.so").stat().st_size
        assert lines == sorted(lines) and f"engine x86-64 x86-64.so {size} {crc:08x}" in lines
        assert {"self_test 7", "compilers x86-64 of a test", f"sources {source_hash(adapter.GAME)}"} <= set(lines)

    def test_another_engine_joins_those_that_are_there(self, compilers, tmp_path):
        for names in (["x86-64"], ["x86-64"], ["x86-64", "x86-64-v2"]):
            native_build.build(names, adapter.GAME, str(tmp_path))
        assert [names for task, names, _ in compilers if task == "link"] == ["x86-64", "x86-64-v2"]
        (tmp_path / "x86-64.so").write_bytes(b"cut")
        native_build.build(["x86-64", "x86-64-v2"], adapter.GAME, str(tmp_path))
        assert compilers[-1][1] == "x86-64"
        assert set(native.Manifest(str(tmp_path)).engines) == {"x86-64", "x86-64-v2"}

    def test_engines_that_disagree_are_refused(self, compilers, tmp_path):
        native_build.build(["x86-64"], adapter.GAME, str(tmp_path))
        manifest = tmp_path / native.MANIFEST
        manifest.write_text(manifest.read_text().replace("self_test 7", "self_test 8"))
        with pytest.raises(native_build.BuildError, match="self_test is 7, and 8 for another engine"):
            native_build.build(["x86-64-v2"], adapter.GAME, str(tmp_path))

    def test_an_engine_that_does_not_work_is_forgotten(self, compilers, tmp_path, monkeypatch):
        def refuse(*words):
            raise native.NativeUnavailable("wrong results")

        monkeypatch.setattr(native, "load", refuse)
        with pytest.raises(native_build.BuildError, match="an engine does not work: wrong results"):
            native_build.build(RUNNABLE[:1], adapter.GAME, str(tmp_path))
        assert not (tmp_path / native.MANIFEST).exists()
        monkeypatch.setenv("DROPFOUR_CACHE_DIR", str(tmp_path))  # the usual one keeps its own
        assert native_build.build_for_this_cpu(adapter.GAME) == "an engine does not work: wrong results"


def test_a_process_of_the_compiler_that_fails_is_told_by_its_last_words(tmp_path):
    """Here the last line of a traceback."""
    with pytest.raises(native_build.BuildError, match="^ValueError: game 'chess': unknown"):
        native_build._run("link", "chess", str(tmp_path), "x86-64")
