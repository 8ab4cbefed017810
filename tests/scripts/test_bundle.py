"""The ladder's zip: what is in it, how it starts, and that whatever is refused to it a move leaves in time."""

import binascii
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / "scripts"))

from bot import native  # noqa: E402
from bundle import archive, games, start_up  # noqa: E402
from bundle.contents import CHECKOUT, bundled_modules, source_of  # noqa: E402
from protocol.connect_four import ReplyDecoder  # noqa: E402

GAME = "connect_four"
LIMIT_S = 1.0
UNKNOWN_INSTRUCTION, FOR_EVER = b"\x0f\x0b", b"\xeb\xfe"  # ud2; jmp to itself
BEST = native.runnable()[0]
# Refusals, each as a program that runs before main.py's.
REFUSALS = {
    "ctypes that cannot be imported": "import builtins\nreal = builtins.__import__\ndef load(name, *rest, **more):\n"
    "    if name == 'ctypes': raise MemoryError('refused')\n"
    "    return real(name, *rest, **more)\nbuiltins.__import__ = load",
    "no ctypes": "sys.modules['ctypes'] = sys.modules['_ctypes'] = None",
    "no mmap": "sys.modules['mmap'] = None",
    "no fork": "def fork(): raise OSError(1, 'refused')\nos.fork = fork",
    "no fork at all": "del os.fork",
    "no pipe": "def pipe(): raise OSError(24, 'refused')\nos.pipe = pipe",
    "no memfd": "del os.memfd_create",
    "no thread": "import _thread\ndef start(*a): raise RuntimeError('refused')\n_thread.start_new_thread = start",
    "no /proc": "import builtins\nreal = builtins.open\ndef opened(path, *rest, **names):\n"
    "    if str(path).startswith('/proc'): raise FileNotFoundError(2, 'refused')\n"
    "    return real(path, *rest, **names)\nbuiltins.open = opened",
    "children are not waited for": "import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)",
}
ENGINE_AFTER = {"ctypes that cannot be imported": "python", "no ctypes": "python", "no mmap": "python"}
# The ladder's own way, without arguments, at another limit.
PRELUDE = (
    "import os, sys\n%s\nsys.path.insert(0, %r)\nimport main\nmain.end(main.main(main.GAME, main.FOLDER, limit=1.0))"
)


@pytest.fixture(scope="session")
def zip_file(tmp_path_factory):
    target = tmp_path_factory.mktemp("zip") / "bundle.zip"
    archive.build(target, GAME, {sys.version_info[:2]: sys.executable}, lambda text: None)
    return target


@pytest.fixture
def bundle(zip_file, tmp_path):
    """An unpacked bundle of the test's own."""
    return games.unpack(zip_file, tmp_path / "unpacked")


def first_reply(command, patience_s=LIMIT_S + 5):
    """(Reply, seconds since the process was started, stderr) of a first mover; its stdin ends after its first turn."""
    started = time.monotonic()
    done = subprocess.run(command, input=start_up.first_messages(), capture_output=True, timeout=patience_s)
    decoder = ReplyDecoder()
    decoder.feed(done.stdout)
    reply = decoder.next_reply()
    assert decoder.next_reply() is None and not decoder.partial
    assert done.returncode == 0, done.stderr
    return reply, time.monotonic() - started, done.stderr.decode()


def command(bundle, *options):
    return [sys.executable, *games.WITHOUT_SITE_PACKAGES, str(bundle / "main.py"), *options]


def engine_line(stderr):
    """(name, reason) of the only line on stderr."""
    [line] = stderr.splitlines()
    return games.ENGINE_LINE.fullmatch(line).groups()


def test_it_holds_what_it_needs_and_nothing_else(zip_file):
    with zipfile.ZipFile(zip_file) as content:
        names = set(content.namelist())
        manifest = content.read("manifest.txt").decode("ascii")
    sources = {source_of(module).relative_to(CHECKOUT).as_posix() for module in bundled_modules(GAME)}
    engines = {f"engines/{name}.so" for name in native.NAMES}
    byte_code = {name for name in names if name.endswith(f".{sys.implementation.cache_tag}.pyc")}
    assert names == sources | engines | byte_code | {"main.py", "__main__.py", "manifest.txt"}
    assert not [
        name for name in names if re.search("analyze|bench|interfaces|notation|record|strategy|native_build", name)
    ]
    assert len(byte_code) > 20
    assert zip_file.stat().st_size < 500_000
    facts = [line.split(" ")[0] for line in manifest.splitlines()]
    assert {"version", "revision", "sources", "compilers", "exercise", "engine", "game"} == set(facts)
    assert not re.search(rb"/work/|/home/|/root/|/tmp/", zip_file.read_bytes())


def test_no_path_of_this_machine_is_in_it(bundle):
    for path in bundle.rglob("*"):
        if path.is_file():
            assert str(REPOSITORY).encode() not in path.read_bytes(), path


def test_the_same_sources_make_the_same_bytes(zip_file, tmp_path):
    again = tmp_path / "again.zip"
    archive.build(again, GAME, {sys.version_info[:2]: sys.executable}, lambda text: None)
    assert again.read_bytes() == zip_file.read_bytes()


def test_the_start_imports_nothing_slow(bundle):
    """Neither before the first reply nor after it."""
    program = PRELUDE % ("", str(bundle))
    program = program.replace(
        "main.end(main.main(main.GAME, main.FOLDER, limit=1.0))",
        "main.main(main.GAME, main.FOLDER, iterations=50)\nprint(*sys.modules, file=sys.stderr)",
    )
    done = subprocess.run(
        [sys.executable, *games.WITHOUT_SITE_PACKAGES, "-c", program],
        capture_output=True,
        input=start_up.first_messages(),
        check=True,
    )
    loaded = set(done.stderr.decode().split())
    assert "bot.games.connect_four.engine" in loaded and len(done.stdout) > 4
    assert loaded.isdisjoint(
        {
            "dataclasses",
            "typing",
            "json",
            "argparse",
            "threading",
            "re",
            "inspect",
            "numba",
            "numpy",
            "subprocess",
            "hashlib",
            "tempfile",
        }
    )


@pytest.mark.parametrize("flags", [games.WITHOUT_SITE_PACKAGES, ("-I",), ()])
def test_it_runs_from_anywhere(bundle, tmp_path, flags):
    os.chdir(tmp_path)
    words = [sys.executable, *flags, os.path.relpath(bundle / "main.py", tmp_path), "--limit", str(LIMIT_S)]
    reply, seconds, stderr = first_reply(words)
    assert (reply.row in (10, 11)) and seconds < LIMIT_S
    assert engine_line(stderr)[0] == BEST


def test_the_first_move_uses_its_budget(bundle):
    _, seconds, _ = first_reply(command(bundle, "--limit", str(LIMIT_S)))
    assert 0.75 * LIMIT_S <= seconds < LIMIT_S


@pytest.mark.parametrize("refusal", REFUSALS)
def test_every_refusal_is_survived(bundle, refusal):
    program = PRELUDE % (REFUSALS[refusal], str(bundle))
    reply, seconds, stderr = first_reply([sys.executable, *games.WITHOUT_SITE_PACKAGES, "-c", program])
    assert 0 <= reply.col < 12 and seconds < LIMIT_S
    lines = games.ENGINE_LINE.findall(stderr)
    expected = ENGINE_AFTER.get(refusal, BEST)
    if refusal == "no /proc" and expected != native.NAMES[-1]:
        assert lines[0][0] in native.NAMES  # the child's word is enough
    else:
        assert [name for name, _ in lines] == [expected]


def damage(bundle, name, instruction):
    """Put an instruction where a function of the engine begins; the manifest agrees, so only running it can tell."""
    path = bundle / "engines" / f"{name}.so"
    listed = subprocess.run(["nm", "-D", path], capture_output=True, text=True, check=True)
    address = int(re.search(r"(\w+) T dropfour_steps", listed.stdout)[1], 16)
    code = bytearray(path.read_bytes())
    code[address : address + len(instruction)] = instruction
    path.write_bytes(code)
    manifest = bundle / "manifest.txt"
    text = re.sub(
        rf"(engine {name} \S+) \d+ [0-9a-f]+", rf"\1 {len(code)} {binascii.crc32(code):08x}", manifest.read_text()
    )
    manifest.write_text(text)


@pytest.mark.skipif(native.NAMES[-1] == BEST, reason="there is nothing to step down to")
def test_an_engine_that_dies_is_stepped_down_from(bundle):
    damage(bundle, BEST, UNKNOWN_INSTRUCTION)
    reply, seconds, stderr = first_reply(command(bundle, "--limit", str(LIMIT_S)))
    name, reason = engine_line(stderr)
    assert seconds < LIMIT_S and name == native.NAMES[native.NAMES.index(BEST) + 1]
    assert f"{BEST}: killed by signal {int(signal.SIGILL)}" in reason


def test_a_truncated_engine_is_stepped_down_from(bundle):
    for name in native.NAMES:
        path = bundle / "engines" / f"{name}.so"
        path.write_bytes(path.read_bytes()[:4000])
    _, seconds, stderr = first_reply(command(bundle, "--limit", str(LIMIT_S)))
    name, reason = engine_line(stderr)
    assert seconds < LIMIT_S and name == "python" and reason.count("damaged file") == len(native.runnable())


def test_half_a_library_is_never_loaded(bundle):
    """The folder may hold no code, and a file may not be as long as a library: no crash, the plain search."""
    refusal = (
        "import ctypes\nreal = ctypes.CDLL\ndef opened(path):\n"
        f"    if path.startswith({str(bundle)!r}): raise OSError('noexec')\n"
        "    return real(path)\nctypes.CDLL = opened\n"
        "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))"
    )
    _, seconds, stderr = first_reply(
        [sys.executable, *games.WITHOUT_SITE_PACKAGES, "-c", PRELUDE % (refusal, str(bundle))]
    )
    assert seconds < LIMIT_S and engine_line(stderr)[0] == "python"


def test_other_arguments_are_ignored(bundle):
    started = time.monotonic()
    done = subprocess.run([*command(bundle), "0", "saiblo"], input=b"", capture_output=True, timeout=10)
    assert (done.returncode, done.stdout) == (0, b"") and time.monotonic() - started < 5


def test_it_runs_through_a_link(bundle, tmp_path):
    (tmp_path / "linked.py").symlink_to(bundle / "main.py")
    for flags in ((), ("-I",)):
        words = [sys.executable, *flags, str(tmp_path / "linked.py"), "--limit", str(LIMIT_S)]
        assert engine_line(first_reply(words)[2])[0] == BEST


def test_a_trial_does_not_outlive_its_bot_for_long(bundle):
    """An engine that never ends, and a bot whose input has ended: the pipes close all the same."""
    damage(bundle, BEST, FOR_EVER)
    started = time.monotonic()
    done = subprocess.run(command(bundle), input=b"", capture_output=True, timeout=20)
    assert done.returncode == 0 and time.monotonic() - started < 5


@pytest.mark.skipif(native.NAMES[-1] == BEST, reason="there is nothing to step down to")
def test_an_engine_that_never_ends_is_stepped_down_from(bundle):
    damage(bundle, BEST, FOR_EVER)
    _, seconds, stderr = first_reply(command(bundle, "--limit", "2"))
    name, reason = engine_line(stderr)
    assert seconds < 2 and name == native.NAMES[native.NAMES.index(BEST) + 1] and f"{BEST}: does not end" in reason


def test_little_memory_is_made_do_with(bundle):
    words = ["sh", "-c", 'ulimit -v 400000; exec "$@"', "sh", *command(bundle, "--limit", str(LIMIT_S))]
    _, seconds, stderr = first_reply(words)
    assert seconds < LIMIT_S and engine_line(stderr)[0] == BEST


def test_a_game_with_the_plain_search(bundle):
    case = games.Case(
        "python",
        (sys.executable, *games.WITHOUT_SITE_PACKAGES),
        "--rows 9 --cols 9",
        0.2,
        "python",
        ("--backend", "python", "--limit", "{limit}"),
    )
    outcome = games.play(case, GAME, bundle, seed=3)
    assert outcome.fault == "" and outcome.plies > 6
