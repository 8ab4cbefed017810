"""The zips of all games: what is in them, and how they play, unpacked as Saiblo has them and as they are.

Whatever is refused to a bundle, and whatever is wrong with its engines, a move leaves.
"""

import binascii
import os
import re
import signal
import subprocess
import sys
import zipfile

import pytest

from bot.backends import native
from bot.games import NAMES
from bundle import archive, boards, games
from bundle.contents import CHECKOUT, bundled_modules, source_of
from protocol.botzone import Requests
from protocol.games import dots, reversi
from tests.scripts.helpers.bundles import (
    BEST,
    GAMES,
    LIMIT_S,
    PYTHON,
    SEARCH_S,
    WITH_OPTIONS,
    built,
    command,
    engine_line,
    facts_of,
    first_reply,
    program,
    soon,
)

NOT_IN_IT = "analyze|bench|interface|record|strategy|native_build"
BOTZONE_WIRES = ("botzone", "botzone-simple")


@pytest.fixture(params=[NAMES[0], *(pytest.param(name, marks=pytest.mark.slow) for name in NAMES[1:])])
def game(request):
    return request.param


def check_contents(zip_file, game, levels):
    """What the zip holds and how large it is; levels: the engines, at least."""
    with zipfile.ZipFile(zip_file) as content:
        names = set(content.namelist())
        facts, engines = facts_of(content.read("manifest.txt").decode("ascii"))
        start = content.read("main.py").decode()
    assert set(levels) <= engines <= set(native.NAMES)
    sources = {source_of(module).relative_to(CHECKOUT).as_posix() for module in bundled_modules(game)}
    data = {path.relative_to(CHECKOUT).as_posix() for path in (CHECKOUT / "bot" / "games" / game).rglob("*.bin")}
    byte_code = {name for name in names if name.endswith(f".{sys.implementation.cache_tag}.pyc")}
    libraries = {f"engines/{name}.so" for name in engines}
    assert names == sources | data | libraries | byte_code | {"main.py", "__main__.py", "manifest.txt"}
    assert names.issuperset(GAMES[game].files) and len(byte_code) > 20
    assert f'GAME, FOLDER = "{game}"' in start
    assert not [name for name in names if re.search(NOT_IN_IT, name)]
    assert not [name for name in names for other in NAMES if other != game and f"games/{other}/" in name]
    assert zip_file.stat().st_size < GAMES[game].most_bytes
    assert {"version", "revision", "sources", "compilers", "self_test", "engine", "entry_point", "game"} == facts
    assert not re.search(rb"/work/|/home/|/root/|/tmp/", zip_file.read_bytes())


def test_it_holds_what_it_needs_and_nothing_else(zips, game, tmp_path):
    """Connect four's has the engines of all CPUs; the others' take longer to compile: the next test."""
    check_contents(zips(game), game, native.NAMES if game == "connect_four" else [BEST])
    for path in games.unpack(zips(game), tmp_path / "unpacked").rglob("*"):
        if path.is_file():
            assert str(CHECKOUT).encode() not in path.read_bytes(), path


@pytest.mark.slow
def test_the_whole_zip_has_the_engines_of_all_cpus(tmp_path, game):
    check_contents(built(tmp_path / "whole.zip", game), game, native.NAMES)


def test_every_game_has_a_zip_of_its_own_and_boards_to_be_tried_on():
    assert set(boards.BOARDS) == set(NAMES) == set(GAMES)
    assert archive.default_target("dots").name == "dropfour-dots.zip"
    assert len(set(map(archive.default_target, boards.BOARDS))) == len(boards.BOARDS)


@pytest.mark.slow
def test_the_same_sources_make_the_same_bytes(zips, tmp_path):
    assert built(tmp_path / "again.zip", "connect_four").read_bytes() == zips("connect_four").read_bytes()


def test_a_judged_game_with_the_unpacked_zip(zips, game, tmp_path):
    bundle = games.unpack(zips(game), tmp_path / "unpacked")
    board, options = boards.BOARDS[game][boards.SMALL], soon(game, "{limit}", 0.01)
    case = games.Case("smoke", PYTHON, board, LIMIT_S, BEST, options)
    outcome = games.play(case, game, bundle, seed=1)
    assert outcome.fault == "" and GAMES[game].least_plies <= outcome.plies <= GAMES[game].most_plies


@pytest.mark.slow
def test_a_game_with_the_plain_search(bundle):
    python = program(bundle, call=WITH_OPTIONS, search_s=0.01)
    options = ("--backend", "python", "--limit", "{limit}")
    case = games.Case("python", python, "--rows 9 --cols 9", LIMIT_S, "python", options)
    outcome = games.play(case, "connect_four", bundle, seed=3)
    assert outcome.fault == "" and outcome.plies > 6


def test_the_start_imports_nothing_slow(bundle):
    """Neither before the first reply nor after it."""
    folder = str(bundle)
    text = (
        f"import sys\nsys.path.insert(0, {folder!r})\nimport main\n"
        "main.main(main.GAME, main.FOLDER, iterations=50)\nprint(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([*PYTHON, "-c", text], capture_output=True, input=games.first_messages(), check=True)
    loaded = set(done.stderr.decode().split())
    assert "bot.games.connect_four.uct_engine" in loaded and len(done.stdout) > 4
    slow = "dataclasses typing json argparse threading re inspect numba numpy subprocess hashlib tempfile"
    assert loaded.isdisjoint(slow.split())


def test_it_runs_from_anywhere_and_through_a_link(bundle, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "linked.py").symlink_to(bundle / "main.py")
    for flags, main in (((), os.path.relpath(bundle / "main.py", tmp_path)), (("-I",), str(tmp_path / "linked.py"))):
        reply, seconds, stderr = first_reply([sys.executable, *flags, main, *soon("connect_four")])
        assert (reply.row in (10, 11)) and seconds < LIMIT_S
        assert engine_line(stderr)[0] == BEST


@pytest.mark.slow
def test_the_first_move_uses_its_budget(bundle):
    """Most of the limit without a setting; with one that says less, no more than that and what starting takes."""
    limit_s = 1.0
    # The bot's clock may begin a tick too early: /proc says no more than in which one the process was started.
    earliest_s = 0.75 * limit_s - 1 / os.sysconf("SC_CLK_TCK")
    assert earliest_s <= first_reply(command(bundle, "--limit", str(limit_s)))[1] < LIMIT_S / 2
    assert SEARCH_S <= first_reply(command(bundle, *soon("connect_four")))[1] < LIMIT_S / 2


def test_other_arguments_are_ignored(bundle):
    done = subprocess.run([*command(bundle), "0", "saiblo"], input=b"", capture_output=True, timeout=LIMIT_S)
    assert (done.returncode, done.stdout) == (0, b"")


def run_as_it_is(zip_file, temporary, data, *options):
    """(What the zip writes to stdout for these bytes and the end of input, its stderr)."""
    done = subprocess.run(
        [*PYTHON, str(zip_file), *options],
        input=data,
        capture_output=True,
        timeout=2 * LIMIT_S,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr.decode()


def only_answer(decoder, output):
    """The Answer in the output of one that was asked once."""
    decoder.feed(output)
    return decoder.next_answer()


def test_the_zip_as_it_is_unpacks_itself_once(zips, tmp_path):
    for _ in range(2):  # the second process finds what the first has unpacked
        output, said = run_as_it_is(zips("connect_four"), tmp_path, games.first_messages(), *soon("connect_four"))
        assert len(output) > 4 and engine_line(said)[0] == BEST
        (folder,) = tmp_path.glob("dropfour-*")
        assert (folder / "main.py").exists()


@pytest.mark.slow
def test_the_zip_as_it_is_speaks_with_the_dots_platform(zips, tmp_path):
    """Without any option, as the platform starts it."""
    output, _ = run_as_it_is(zips("dots"), tmp_path, b"name?\nnew black\nquit\n")
    assert output.startswith(b"name dropfour\n")
    replies = dots.ReplyDecoder()
    replies.feed(output)
    assert len(replies.next_reply().edges) == 1
    assert replies.next_reply() is None and not replies.partial


@pytest.mark.slow
@pytest.mark.parametrize("wire", BOTZONE_WIRES)
def test_the_zip_as_it_is_answers_botzone_at_dots(zips, tmp_path, wire):
    asked = dots.botzone.encode_requests(Requests(((-1, -1, 0),), ()), wire)
    output, said = run_as_it_is(zips("dots"), tmp_path, asked, *soon("dots"))
    answer = only_answer(dots.botzone.answer_decoder(wire), output)
    assert len(dots.edge_at(*answer.move)) == 3 and answer.keep_running
    assert engine_line(said)[0] == BEST


@pytest.mark.slow
@pytest.mark.parametrize("wire", BOTZONE_WIRES)
def test_the_zip_as_it_is_answers_botzone_at_reversi(zips, tmp_path, wire):
    """Twice, the second time without options: the second process finds what the first has unpacked."""
    asked = reversi.botzone.encode_requests(Requests((None,), ()), wire)
    for options in (soon("reversi"), ()) if wire == "botzone" else (soon("reversi"),) * 2:
        output, said = run_as_it_is(zips("reversi"), tmp_path, asked, *options)
        answer = only_answer(reversi.botzone.answer_decoder(wire), output)
        assert answer.move in ((2, 3), (3, 2), (4, 5), (5, 4)) and answer.keep_running
        assert engine_line(said)[0] == BEST or not options
        assert len(list(tmp_path.glob("dropfour-*"))) == 1


def test_where_nothing_can_be_unpacked_the_plain_search_plays(zips, tmp_path):
    """A file where the folder for temporary files should be, and no others: nothing can be written."""
    (tmp_path / "file").write_text("")
    zip_file = str(zips("connect_four"))
    script = f"""
import runpy, sys, tempfile
tempfile.tempdir = {str(tmp_path / "file")!r}
sys.path.insert(0, {zip_file!r})
from bot.games.connect_four.plain import PlainSearch
think = PlainSearch.think
PlainSearch.think = lambda self, position, until, clock: think(self, position, clock() + {SEARCH_S}, clock)
sys.argv = [{zip_file!r}, "--limit", "60"]
runpy.run_path({zip_file!r}, run_name="__main__")
"""
    reply, _, stderr = first_reply([*PYTHON, "-c", script])
    assert 0 <= reply.col < 12 and engine_line(stderr)[0] == "python"


UNKNOWN_INSTRUCTION, FOR_EVER = b"\x0f\x0b", b"\xeb\xfe"  # ud2; jmp to itself
SEVERAL = pytest.mark.skipif(native.NAMES[-1] == BEST, reason="there is nothing to step down to")
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
IN_EVERY_RUN = ("ctypes that cannot be imported", "no thread")
# A child that is tried ends by itself only after longer than the bot waits, however late the bot wakes up.
LATE_ALARM = "import _signal\nalarm = _signal.alarm\n_signal.alarm = lambda seconds: alarm(60)"


@pytest.mark.parametrize(
    "refusal", [pytest.param(name, marks=() if name in IN_EVERY_RUN else pytest.mark.slow) for name in REFUSALS]
)
def test_every_refusal_is_survived(bundle, refusal):
    reply, seconds, stderr = first_reply(program(bundle, REFUSALS[refusal]))
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


@pytest.mark.slow
@SEVERAL
def test_an_engine_that_dies_is_stepped_down_from(bundle):
    damage(bundle, BEST, UNKNOWN_INSTRUCTION)
    _, seconds, stderr = first_reply(program(bundle))
    name, reason = engine_line(stderr)
    assert seconds < LIMIT_S and name == native.NAMES[native.NAMES.index(BEST) + 1]
    assert f"{BEST}: killed by signal {int(signal.SIGILL)}" in reason


@pytest.mark.slow
@SEVERAL
def test_an_engine_that_never_ends_is_stepped_down_from(bundle):
    damage(bundle, BEST, FOR_EVER)
    _, seconds, stderr = first_reply(program(bundle, LATE_ALARM, trial_s=1.5))
    name, reason = engine_line(stderr)
    assert seconds < LIMIT_S and name == native.NAMES[native.NAMES.index(BEST) + 1]
    assert f"{BEST}: does not end" in reason


@pytest.mark.slow
def test_a_trial_does_not_outlive_its_bot_for_long(bundle):
    """An engine that never ends, and a bot whose input has ended: the pipes close all the same."""
    damage(bundle, BEST, FOR_EVER)
    done = subprocess.run(command(bundle), input=b"", capture_output=True, timeout=LIMIT_S)
    assert done.returncode == 0


@pytest.mark.slow
def test_a_truncated_engine_is_stepped_down_from(bundle):
    for name in native.NAMES:
        path = bundle / "engines" / f"{name}.so"
        path.write_bytes(path.read_bytes()[:4000])
    _, seconds, stderr = first_reply(program(bundle))
    name, reason = engine_line(stderr)
    assert seconds < LIMIT_S and name == "python" and reason.count("damaged file") == len(native.runnable())


@pytest.mark.slow
def test_half_a_library_is_never_loaded(bundle):
    """The folder may hold no code, and a file may not be as long as a library: no crash, the plain search."""
    refusal = (
        "import ctypes\nreal = ctypes.CDLL\ndef opened(path):\n"
        f"    if path.startswith({str(bundle)!r}): raise OSError('noexec')\n"
        "    return real(path)\nctypes.CDLL = opened\n"
        "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))"
    )
    _, seconds, stderr = first_reply(program(bundle, refusal))
    assert seconds < LIMIT_S and engine_line(stderr)[0] == "python"


def test_little_memory_is_made_do_with(bundle):
    words = ["sh", "-c", 'ulimit -v 400000; exec "$@"', "sh", *command(bundle, *soon("connect_four"))]
    _, seconds, stderr = first_reply(words)
    assert seconds < LIMIT_S and engine_line(stderr)[0] == BEST
