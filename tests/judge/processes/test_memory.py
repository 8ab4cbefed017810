"""What counts as a bot's memory: the pages that its processes map, each once."""

import functools
import subprocess
import sys

import pytest

from judge.play.referee import play_game
from judge.processes import usage
from judge.processes.keeper import descendants_of
from judge.processes.usage import held_bytes
from tests.judge.helpers.scripted import bot, plan

MEGABYTE = 10**6
INTERPRETERS_BYTES = 40 * MEGABYTE  # more than three of them take beside what they hold


def test_what_is_shared_counts_once():
    """Counted for each process it would be twice the limit."""
    hoarder = bot("hoarder", "forked", "--megabytes", 100)
    limit_bytes = 100 * MEGABYTE + INTERPRETERS_BYTES
    record = play_game((hoarder, bot("first_legal")), plan(memory_limit_bytes=limit_bytes))
    assert record.termination == "NORMAL"
    assert 100 * MEGABYTE <= record.extra["A"]["peak_rss_bytes"] < limit_bytes


HOLDERS = {
    "private": "held = b'x' * 50_000_000",
    "shared": "held = touched(mmap.mmap(-1, 50_000_000))",
    "shared by parent and child": "held = mmap.mmap(-1, 50_000_000); touched(held); os.fork(); touched(held)",
    "shared after a fork": "held = b'x' * 50_000_000; os.fork()",
    "given back and taken again": "held = b'x' * 50_000_000; del held; held = b'x' * 50_000_000",
    "a file in memory, mapped": "held = touched(mmap.mmap(fill(os.memfd_create('held')), 50_000_000))",
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
    """A function that starts a process with what it is to hold; it has it when the function returns its id."""
    started = []

    def start(code):
        words = [sys.executable, "-S", "-c", f"{TOOLS}\n{code}\nos.write(1, b'.')\nsys.stdin.read()"]
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


def family(pid):
    """The process and all below it."""
    return [pid, *descendants_of(pid)]


@pytest.mark.parametrize("what", HOLDERS)
def test_each_page_counts_once(what, holder):
    pid = holder(HOLDERS[what])
    for limit_bytes in (1, None):
        assert 50 * MEGABYTE <= held_bytes(family(pid), limit_bytes) < 75 * MEGABYTE


def test_a_peak_counts_without_what_is_shared_with_others(holder):
    """Two processes map the same memory: the peak of each has all of it, by its share it has half."""
    pid = holder(HOLDERS["shared after a fork"])
    assert held_bytes([pid]) > 50 * MEGABYTE
    assert held_bytes([pid], limit_bytes=50 * MEGABYTE) < 50 * MEGABYTE
    assert held_bytes(family(pid), limit_bytes=50 * MEGABYTE) > 50 * MEGABYTE


def test_a_peak_that_was_given_back_counts(holder):
    pid = holder("held = b'x' * 50_000_000; del held")
    assert 50 * MEGABYTE < held_bytes([pid], limit_bytes=1) < 75 * MEGABYTE


def test_what_cannot_be_read_breaks_nothing(holder, monkeypatch):
    """As of another user's process: its resident size is all that is known."""
    pid = holder(HOLDERS["private"])

    def refusing(function, path, *words, **options):
        if str(path).endswith("smaps_rollup"):
            raise PermissionError(path)
        return function(path, *words, **options)

    monkeypatch.setattr("builtins.open", functools.partial(refusing, open))
    assert 50 * MEGABYTE < held_bytes([pid], limit_bytes=1) < 75 * MEGABYTE


def test_a_process_that_has_gone_holds_nothing():
    process = subprocess.Popen([sys.executable, "-S", "-c", ""])
    process.wait()
    assert held_bytes([process.pid], limit_bytes=1) == held_bytes([]) == 0


def test_little_is_looked_at_exactly(holder, monkeypatch):
    """Reading the shares of all pages takes the kernel milliseconds for each GB: only where it matters."""
    pid, exact = holder(HOLDERS["private"]), []
    monkeypatch.setattr(usage, "_proportional_bytes", lambda pid, resident_bytes: exact.append(pid) or resident_bytes)
    held_bytes([pid], limit_bytes=100 * MEGABYTE)
    held_bytes([pid])
    assert exact == []
    held_bytes([pid], limit_bytes=50 * MEGABYTE)
    assert set(exact) == {pid}
