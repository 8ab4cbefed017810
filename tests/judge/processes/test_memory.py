"""What counts as a bot's memory: private, shared, mapped or held by a descriptor, each page once."""

import dataclasses
import functools
import os
import platform
import subprocess
import sys
import time
import uuid

import pytest

from judge.play.recheck import disagreements
from judge.play.referee import play_game
from judge.play.sandbox import Sandbox
from judge.processes import measure
from judge.processes.descendants import process_tree
from judge.processes.measure import MemoryMeter
from tests.judge.helpers.sandboxes import UNSANDBOXED, needs_sandbox
from tests.judge.helpers.scripted import bot, plan

MEGABYTE = 10**6
INTERPRETERS_BYTES = 40 * MEGABYTE  # more than three of them take beside what they hold
needs_shared_memory = pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="no /dev/shm")


@pytest.fixture
def shared_file():
    """A place for a file in shared memory, empty again afterwards."""
    path = f"/dev/shm/dropfour-{uuid.uuid4().hex}"
    yield path
    if os.path.exists(path):
        os.unlink(path)


@needs_shared_memory
@pytest.mark.parametrize(
    "way, side",
    [
        ("memfd", "A"),
        ("unlinked", "B"),
        ("shared", "B"),
        ("daemon", "A"),
        *(pytest.param(way, "B", marks=pytest.mark.slow) for way in ("named", "child_memfd", "daemon")),
    ],
)
def test_memory_of_every_kind_counts(way, side, shared_file):
    hoarder = bot("hoarder", way, "--megabytes", 100, "--path", shared_file)
    players = (hoarder, bot("first_legal"))
    sandbox = UNSANDBOXED if "memfd" in way or way == "daemon" else Sandbox()  # a sandbox refuses a memfd
    game = plan(memory_limit_bytes=90 * MEGABYTE, sandbox=sandbox)
    record = play_game(players if side == "A" else players[::-1], game)
    assert (record.termination, record.at_fault) == ("MEMORY_LIMIT", side)
    assert 90 * MEGABYTE < record.extra[side]["peak_rss_bytes"] < 100 * MEGABYTE + INTERPRETERS_BYTES
    assert disagreements(record) == []


def test_what_is_shared_counts_once():
    """Counted for each process it would be twice the limit."""
    hoarder = bot("hoarder", "forked", "--megabytes", 100)
    limit_bytes = 100 * MEGABYTE + INTERPRETERS_BYTES
    record = play_game((hoarder, bot("first_legal")), plan(memory_limit_bytes=limit_bytes))
    assert record.termination == "NORMAL"
    assert 100 * MEGABYTE <= record.extra["A"]["peak_rss_bytes"] < limit_bytes


WALL = ("bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid", "--die-with-parent")
EXIT_OF_A_THREAD = {"x86_64": 60, "aarch64": 93}.get(platform.machine())  # the system call, as glibc ends the process


HOLDERS = {
    "private": "held = b'x' * 50_000_000",
    "memfd": "held = fill(os.memfd_create('held'))",
    "memfd, mapped": "held = touched(mmap.mmap(fill(os.memfd_create('held')), 50_000_000))",
    "memfd, one half mapped": "held = touched(mmap.mmap(fill(os.memfd_create('held')), 25_001_984))",
    "memfd, its copy private": (
        "held = touched(mmap.mmap(fill(os.memfd_create('held'), 25), 25_000_000, mmap.MAP_PRIVATE))"
    ),
    "memfd, two descriptors": "held = os.dup(fill(os.memfd_create('held')))",
    "memfd, not filled": "held = b'x' * 50_000_000; os.truncate(os.memfd_create('held'), 10**9)",
    "memfd, mapped by parent and child": (
        "held = mmap.mmap(fill(os.memfd_create('held')), 50_000_000); touched(held); os.fork(); touched(held)"
    ),
    "memfd, closed and mapped": (
        "file = fill(os.memfd_create('held')); held = touched(mmap.mmap(file, 50_000_000)); os.close(file)"
    ),
    "given back and taken again": "held = b'x' * 50_000_000; del held; held = b'x' * 50_000_000",
    "read-only from a descriptor": (
        "held = mmap.mmap(fill(os.memfd_create('held')), 50_000_000, prot=mmap.PROT_READ); held.find(b'y')"
    ),
}
TOOLS = """
import mmap, os, sys
def fill(file, megabytes=50):
    for _ in range(megabytes):
        os.write(file, b"x" * 1_000_000)
    return file
def touched(held):
    for place in range(0, len(held), mmap.PAGESIZE):
        held[place] = 1
    return held
"""


@pytest.fixture
def holder():
    """A function that starts a process with what it is to hold; it has it when the function returns its id.

    By the system's Python: one of an environment may lie in a folder that is hidden in a sandbox.
    """
    started = []

    def start(code, wall=()):
        python = os.path.realpath(sys.executable)
        words = [*wall, python, "-S", "-c", f"{TOOLS}\n{code}\nos.write(1, b'.')\nsys.stdin.read()"]
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        started.append(process)
        for _ in range(2 if "os.fork()" in code else 1):
            assert process.stdout.read(1) == b"."
        return process.pid

    yield start
    for process in started:
        process.stdin.close()
        process.wait()
        process.stdout.close()


@pytest.mark.parametrize("what", HOLDERS)
def test_each_page_counts_once(what, holder):
    pid = holder(HOLDERS[what])
    held = MemoryMeter().measure(process_tree(pid), limit_bytes=1)
    assert 50 * MEGABYTE <= held < 75 * MEGABYTE


def test_without_a_limit_the_same_is_found(holder):
    pid = holder(HOLDERS["memfd, mapped by parent and child"])
    meter = MemoryMeter()
    meter.measure(process_tree(pid))
    meter.measure(process_tree(pid))
    assert 50 * MEGABYTE <= meter.peak_bytes < 75 * MEGABYTE


def test_a_peak_counts_without_what_is_shared_with_others(holder):
    """Two processes map the same memory: the peak of each has all of it, by its share it has half."""
    pid = holder("held = mmap.mmap(-1, 50_000_000); touched(held); os.fork(); touched(held)")
    assert measure.resident(pid).peak > 50 * MEGABYTE
    assert MemoryMeter().measure([pid], limit_bytes=50 * MEGABYTE) < 50 * MEGABYTE
    assert MemoryMeter().measure(process_tree(pid), limit_bytes=50 * MEGABYTE) > 50 * MEGABYTE


def test_a_peak_that_was_given_back_counts(holder):
    pid = holder("held = b'x' * 50_000_000; del held")
    assert measure.resident(pid).now < 50 * MEGABYTE
    assert 50 * MEGABYTE < MemoryMeter().measure([pid], limit_bytes=1) < 75 * MEGABYTE


@pytest.mark.skipif(EXIT_OF_A_THREAD is None, reason="system calls of this machine are not known here")
def test_a_process_whose_first_thread_has_ended_counts(holder):
    """The kernel tells nothing of it by its own number."""
    end = "import ctypes, threading; threading.Thread(target=sys.stdin.read).start(); os.write(1, b'.')"
    pid = holder(f"held = b'x' * 50_000_000; {end}; ctypes.CDLL(None).syscall({EXIT_OF_A_THREAD}, 0)")
    while measure.resident(pid).now:
        time.sleep(0.01)
    assert 50 * MEGABYTE < MemoryMeter().measure([pid], limit_bytes=1) < 75 * MEGABYTE


@needs_sandbox
@pytest.mark.parametrize(
    "place, tail",
    [("/tmp", ""), ("/dev/shm", "; held = touched(mmap.mmap(os.open(path, os.O_RDWR), 50_000_000))")],
    ids=["unmapped", "mapped"],
)
def test_files_of_its_own_tmpfs_count(holder, place, tail):
    path = f"{place}/held"
    code = f"path = {path!r}; os.close(fill(os.open(path, os.O_RDWR | os.O_CREAT)))"
    pid = holder(code + tail, [*WALL, "--tmpfs", place])
    held = MemoryMeter().measure(process_tree(pid), limit_bytes=1)
    assert 50 * MEGABYTE <= held < 75 * MEGABYTE


@pytest.fixture
def refusing(monkeypatch):
    """A function from ends of paths: files and folders with such an end cannot be opened, listed or followed."""

    def refuse(*ends):
        def unless_refused(function, path, *words, **options):
            if str(path).endswith(ends):
                raise PermissionError(path)
            return function(path, *words, **options)

        for place in ("builtins.open", "os.listdir", "os.readlink"):
            module, _, name = place.partition(".")
            function = getattr(sys.modules[module], name)
            monkeypatch.setattr(place, functools.partial(unless_refused, function))

    return refuse


def test_what_cannot_be_read_breaks_nothing(holder, refusing):
    """As of another user's process: its resident size is all that is known, and the room for its descriptors."""
    pid = holder(HOLDERS["private"])
    refusing("smaps_rollup", "smaps", "fd", "mountinfo")
    assert 50 * MEGABYTE < MemoryMeter().measure([pid], limit_bytes=1) < 75 * MEGABYTE


NUMBER = 600  # of descriptors
MANY = f"held = [os.dup(0) for _ in range({NUMBER})]"


@pytest.mark.parametrize("ends", [("/fd",), tuple(f"/fd/{number}" for number in range(NUMBER))])
def test_descriptors_that_cannot_be_read_count_as_pipes(holder, refusing, ends):
    """As an ordinary user cannot list those of a process whose program has no read permission."""
    pid = holder(MANY)
    refusing(*ends)
    assert MemoryMeter().measure([pid], limit_bytes=1) > (NUMBER - measure.FREE_PIPES) * measure.PIPE_BYTES


def test_a_process_that_is_ending_holds_no_pipes(holder, refusing, monkeypatch):
    """Its memory is gone before its descriptors, and meanwhile an ordinary user cannot list these."""
    pid, look = holder(MANY), measure.resident
    sizes = {pid: look(pid)}
    refusing("/fd")
    monkeypatch.setattr(measure, "resident", lambda pid: dataclasses.replace(look(pid), now=0))
    assert measure.held_files(sizes) == {}


def test_a_process_that_has_gone_holds_nothing():
    process = subprocess.Popen([sys.executable, "-S", "-c", ""])
    process.wait()
    assert MemoryMeter().measure([process.pid], limit_bytes=1) == 0


def test_little_is_looked_at_exactly(holder, monkeypatch):
    """Reading the shares of all pages takes the kernel milliseconds for each GB: only where it matters."""
    pid, meter = holder(HOLDERS["private"]), MemoryMeter()
    exact = []
    monkeypatch.setattr(measure, "proportional", lambda pid: exact.append(pid))
    meter.measure([pid], limit_bytes=100 * MEGABYTE)
    meter.measure([pid])
    assert exact == []
    meter.measure([pid], limit_bytes=50 * MEGABYTE)
    assert exact != []
