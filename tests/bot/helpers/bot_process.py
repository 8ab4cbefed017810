"""Bots as real processes: bytes in, replies out with their times, everything collected afterwards."""

import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from protocol.games.connect_four import ReplyDecoder
from tests.places import REPOSITORY

QUICK_BOT = ("-m", "tests.bot.helpers.quick_bot")
PATIENCE_S = 90.0  # six times what an idle machine may need
# Longer than a process that wants to run waits for its turn on a busy machine.
IDLE_S = 0.3
ASLEEP = "S"  # proc(5); what waits for a core is not
ENGINE_LINE = "dropfour: engine "


class BotProcess:
    """A running bot; a context manager that leaves no process behind.

    decoder: of the bot's replies; by default connect four's for the wire.
    started: seconds of time.monotonic() just before the process was made.
    last_words: all of its stderr, after the end.
    """

    def __init__(self, *arguments, wire="saiblo", command=("-m", "bot"), environment=None, decoder=None):
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 closed by __exit__
        self._decoder = ReplyDecoder(wire) if decoder is None else decoder
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, *command, *map(str, arguments)],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env={**os.environ, "PYTHONPATH": str(REPOSITORY), **(environment or {})},
        )

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.process.kill()
        self.process.wait()
        self.last_words = self.stderr()
        for stream in (self.process.stdin, self.process.stdout, self._stderr):
            with contextlib.suppress(BrokenPipeError):  # what the bot never read is of no interest any more
                stream.close()

    def send(self, data):
        """Write bytes to the bot at once; the time after the write."""
        self.process.stdin.write(data)
        self.process.stdin.flush()
        return time.monotonic()

    def reply(self, patience_s=PATIENCE_S):
        """(Reply, time it was complete); fails the test when none comes."""
        give_up = time.monotonic() + patience_s
        while True:
            reply = self._decoder.next_reply()
            if reply is not None:
                return reply, time.monotonic()
            data = self._read(give_up - time.monotonic())
            assert data, f"no reply: status {self.process.poll()}, stderr {self.stderr()!r}"
            self._decoder.feed(data)

    def _read(self, timeout_s):
        """What is on stdout, b"" at its end or when nothing comes in time."""
        descriptor = self.process.stdout.fileno()
        ready, _, _ = select.select([descriptor], [], [], max(0.0, timeout_s))
        return os.read(descriptor, 65536) if ready else b""

    def is_silent(self, for_s):
        """Whether nothing comes on stdout for so many seconds, and no reply is waiting already."""
        assert not self._decoder.partial and self._decoder.next_reply() is None
        return not select.select([self.process.stdout], [], [], for_s)[0]

    def stderr(self):
        """All that the bot has said until now."""
        size = os.fstat(self._stderr.fileno()).st_size
        return os.pread(self._stderr.fileno(), size, 0).decode()

    def words_but_for_the_engine(self):
        """The lines of all that the bot had said by the end, without those that say which engine plays."""
        return [line for line in self.last_words.splitlines() if not line.startswith(ENGINE_LINE)]

    def info_lines(self):
        """The objects that --info has written until the end."""
        return [json.loads(line) for line in self.last_words.splitlines() if line.startswith("{")]

    def wait_for_words(self, words):
        """Wait until the bot has said this on stderr."""
        give_up = time.monotonic() + PATIENCE_S
        while words not in self.stderr():
            assert time.monotonic() < give_up, f"{words!r} not in {self.stderr()!r}"
            time.sleep(0.005)

    def end_after_report(self, turn):
        """As end(), once --info's line of that turn is there: a guard that sees the end first would not wait for it."""
        self.wait_for_words(f'"turn": {turn},')
        return self.end()

    def wait_until_idle(self):
        """Wait until the bot has slept and used no processor time for a while: what it does between turns is done."""
        give_up = time.monotonic() + PATIENCE_S
        used, since = -1.0, time.monotonic()
        while time.monotonic() - since < IDLE_S:
            assert time.monotonic() < give_up
            time.sleep(0.02)
            times = psutil.Process(self.process.pid).cpu_times()
            if times.user + times.system != used or states(self.process.pid) != {ASLEEP}:
                used, since = times.user + times.system, time.monotonic()

    def end(self):
        """Close the bot's stdin and wait: (status, replies nobody asked for, seconds until it had ended)."""
        closed = time.monotonic()
        self.process.stdin.close()
        status = self.process.wait(PATIENCE_S)
        ended_after = time.monotonic() - closed
        extra = []
        while True:
            reply = self._decoder.next_reply()
            if reply is not None:
                extra.append(reply)
                continue
            data = self._read(0)
            if not data:
                assert not self._decoder.partial
                return status, extra, ended_after
            self._decoder.feed(data)


def states(pid):
    """The states of a process's threads."""
    found = set()
    for path in Path(f"/proc/{pid}/task").glob("*/stat"):
        with contextlib.suppress(OSError):  # a thread that has ended
            found.add(path.read_text().rpartition(")")[2].split()[0])
    return found


def waited_s(pid):
    """Seconds that one thread of a process, the one that waited longest, was ready to run and had no core."""
    waits = [int(path.read_text().split()[1]) for path in Path(f"/proc/{pid}/task").glob("*/schedstat")]
    return max(waits, default=0) / 1e9


def play_turns(bot, game, count):
    """Play so many turns with legal replies; the seconds each reply took from its turn's last byte."""
    times = []
    for _ in range(count):
        sent = bot.send(game.turn())
        reply, received = bot.reply()
        game.take(reply)
        times.append(received - sent)
    return times
