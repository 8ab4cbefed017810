"""A scheduler and workers as docs/cluster.md has a user start them."""

import contextlib
import re
import subprocess
import sys

from tests.judge.helpers.scripted import PATIENCE_S, judge_environment, wait_until
from tests.places import REPOSITORY

ONE_CORE = ("--resources", "core=1")
HOST = "127.0.0.1"
AT = re.compile(rb"Scheduler at: +(\S+)\n")


class ByHand:
    """A scheduler on loopback, its files in a folder; `tls` are the options for certificates. Use as a context."""

    def __init__(self, folder, tls=()):
        self.folder, self._tls = folder, tls
        self._stack = contextlib.ExitStack()
        self._logs = {}

    def __enter__(self):
        protocol = ("--protocol", "tls") if self._tls else ()
        # A port that the scheduler chooses: one chosen here might be another program's by the time it starts.
        self.scheduler = self._start("scheduler", "--host", HOST, "--port", "0", *protocol)
        wait_until(lambda: AT.search(self._said(self.scheduler)))
        self.address = AT.search(self._said(self.scheduler))[1].decode()
        return self

    def __exit__(self, *error):
        self._stack.close()

    def worker(self, *words):
        """Start a worker of one thread with these options; returns its process once the scheduler knows it."""
        found = self._start("worker", self.address, "--host", HOST, "--no-nanny", "--nthreads", "1", *words)
        wait_until(lambda: b"Registered to" in self._said(found))
        return found

    def _said(self, process):
        return self._logs[process.pid].read_bytes()

    def _start(self, *words):
        log = self.folder / f"{len(self._logs)}.log"
        with log.open("wb") as file:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *words, "--no-dashboard", *self._tls],
                cwd=self.folder,
                env=judge_environment(PYTHONPATH=str(REPOSITORY)),
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        self._logs[process.pid] = log
        self._stack.callback(_end, process)
        return process


def _end(process):
    process.terminate()
    try:
        process.wait(PATIENCE_S)
    finally:
        process.kill()
