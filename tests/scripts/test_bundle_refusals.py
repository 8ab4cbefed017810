"""Whatever is refused to connect four's unpacked zip, and whatever is wrong with its engines, a move leaves."""

import binascii
import re
import signal
import subprocess

import pytest

from bot.backends import native
from bundle import games
from tests.scripts.helpers.bundles import BEST, LIMIT_S, command, engine_line, first_reply, program, soon

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
# A child that is tried ends by itself only after longer than the bot waits, however late the bot wakes up.
LATE_ALARM = "import _signal\nalarm = _signal.alarm\n_signal.alarm = lambda seconds: alarm(60)"


@pytest.mark.parametrize("refusal", REFUSALS)
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


@SEVERAL
def test_an_engine_that_dies_is_stepped_down_from(bundle):
    damage(bundle, BEST, UNKNOWN_INSTRUCTION)
    _, seconds, stderr = first_reply(program(bundle))
    name, reason = engine_line(stderr)
    assert seconds < LIMIT_S and name == native.NAMES[native.NAMES.index(BEST) + 1]
    assert f"{BEST}: killed by signal {int(signal.SIGILL)}" in reason


@SEVERAL
def test_an_engine_that_never_ends_is_stepped_down_from(bundle):
    damage(bundle, BEST, FOR_EVER)
    _, seconds, stderr = first_reply(program(bundle, LATE_ALARM, trial_s=1.5))
    name, reason = engine_line(stderr)
    assert seconds < LIMIT_S and name == native.NAMES[native.NAMES.index(BEST) + 1]
    assert f"{BEST}: does not end" in reason


def test_a_trial_does_not_outlive_its_bot_for_long(bundle):
    """An engine that never ends, and a bot whose input has ended: the pipes close all the same."""
    damage(bundle, BEST, FOR_EVER)
    done = subprocess.run(command(bundle), input=b"", capture_output=True, timeout=LIMIT_S)
    assert done.returncode == 0


def test_a_truncated_engine_is_stepped_down_from(bundle):
    for name in native.NAMES:
        path = bundle / "engines" / f"{name}.so"
        path.write_bytes(path.read_bytes()[:4000])
    _, seconds, stderr = first_reply(program(bundle))
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
    _, seconds, stderr = first_reply(program(bundle, refusal))
    assert seconds < LIMIT_S and engine_line(stderr)[0] == "python"


def test_little_memory_is_made_do_with(bundle):
    words = ["sh", "-c", 'ulimit -v 400000; exec "$@"', "sh", *command(bundle, *soon("connect_four"))]
    _, seconds, stderr = first_reply(words)
    assert seconds < LIMIT_S and engine_line(stderr)[0] == BEST
