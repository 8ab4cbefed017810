"""Loads the kernels that numba has compiled from its disk cache. A separate process fills the cache when it is empty.

If a cached function calls a function in another file, numba's cache does not notice that the other file has changed. So
the cache directory is named by a hash of everything that the machine code depends on: the sources, where they lie, the
interpreter, numba, and the CPU. A marker file in the directory says that it holds every kernel.

`python -m bot.backends.jit [--nice]` fills the cache. A bot that starts with an empty cache and without a native engine
runs that command beside its first moves, which it plays without compiled code. Compiling in the bot's own process could
keep it busy past a deadline.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from ..games import NAMES, part_of
from .sources import PACKAGE, cache_root, drop_old_versions, lock_exclusively, source_files

MARKER = "complete"
PR_SET_PDEATHSIG = 1  # linux/prctl.h
# Seconds to allow from `import numba` to callable kernels with a full cache: measured 0.35-0.5 s on an idle machine.
LOAD_S = 0.6


def is_available() -> bool:
    """Returns whether numba is installed, without importing it."""
    return importlib.util.find_spec("numba") is not None


def cache_key(game: str) -> str:
    """Returns a hex digest of everything that the machine code of a game's kernels depends on."""
    digest = hashlib.sha256()
    for path in source_files(game):
        path = os.path.join(PACKAGE, path)
        with open(path, "rb") as source:
            digest.update(path.encode() + b"\0" + str(os.stat(path).st_mtime_ns).encode() + b"\0" + source.read())
    numba_spec = importlib.util.find_spec("numba")
    numba_origin = numba_spec.origin if numba_spec else None
    numba_stat = os.stat(numba_origin) if numba_origin else None
    numba_settings = sorted(
        item for item in os.environ.items() if item[0] in ("NUMBA_BOUNDSCHECK", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")
    )
    digest.update(
        repr(
            (
                sys.version,
                sys.executable,
                numba_origin,
                numba_stat and (numba_stat.st_mtime_ns, numba_stat.st_size),
                _cpu(),
                numba_settings,
            )
        ).encode()
    )
    return digest.hexdigest()[:32]


def _cpu() -> str:
    """Returns a text that differs between CPUs for which numba would compile differently."""
    try:
        with open("/proc/cpuinfo", "rb") as cpuinfo:
            first_cpu = cpuinfo.read(8192).split(b"\n\n")[0].splitlines()
    except OSError:
        return repr(os.uname())
    return repr([line for line in first_cpu if line.split(b"\t")[0] in (b"model name", b"flags", b"Features")])


def cache_directory(game: str) -> str:
    """Returns the cache directory for a game's kernels as they are now on this machine. It need not exist yet."""
    return os.path.join(cache_root(), cache_key(game))


class JitKernels:
    """The kernels of one game, compiled by numba: says whether they are ready, makes them ready, and loads them."""

    def __init__(self, game: str) -> None:
        """`game` is the name of a package in bot.games."""
        self._game = game
        self._directory = cache_directory(game) if is_available() else None
        self._compiler: subprocess.Popen[bytes] | None = None

    def available(self) -> bool:
        """Returns whether the kernels can ever be ready on this machine."""
        return self._directory is not None

    def ready(self) -> bool:
        """Returns whether loading the kernels needs no compiling."""
        return self._directory is not None and os.path.exists(os.path.join(self._directory, MARKER))

    def start_compiling(self) -> None:
        """Start a process that fills the cache, unless this method has started one before.

        On Linux the new process is killed when this process ends, even if this process crashes.
        """
        if self._directory is None or self._compiler is not None:
            return
        try:
            self._compiler = subprocess.Popen(
                [sys.executable, "-m", "bot.backends.jit", "--nice", self._game],
                cwd=os.path.dirname(PACKAGE),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except OSError:
            self._directory = None  # no process may be started: play without compiled code

    def has_failed_to_compile(self) -> bool:
        """Returns whether the process of start_compiling() has ended without filling the cache."""
        return self._compiler is not None and self._compiler.poll() not in (None, 0) and not self.ready()

    def stop_compiling(self) -> None:
        """Kill the process of start_compiling() if it still runs."""
        if self._compiler is not None and self._compiler.poll() is None:
            self._compiler.kill()
            self._compiler.wait()

    def load(self) -> Any:
        """Returns the module of entry points. If the cache is empty, compiles them first, in this process."""
        for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ.setdefault(variable, "1")  # numpy must not start threads: the platform allows one
        directory = self._directory or os.path.join(tempfile.gettempdir(), "dropfour-unused")
        os.environ["NUMBA_CACHE_DIR"] = directory
        from numba.core import config

        config.CACHE_DIR = directory  # numba reads the variable once, and there is more than one game
        module = part_of(self._game, "kernels")
        part_of(self._game, "self_test").self_test(module)
        return module

    def compile(self, report: Callable[[str], None] = lambda text: None) -> bool:
        """Fill the cache unless it holds every kernel already. Returns True if this call has filled it.

        Raises OSError if the cache cannot be written.
        """
        directory = self._directory
        if directory is None:
            raise OSError("numba is not installed, or no process may be started")
        if self.ready():
            return False
        os.makedirs(directory, exist_ok=True)
        with open(os.path.join(directory, "lock"), "w") as lock:
            lock_exclusively(lock)
            if self.ready():
                return False
            report("compiling the search kernels (once for this version and machine) ..")
            self.load()
            with open(os.path.join(directory, MARKER), "w") as marker:
                marker.write(time.strftime("%Y-%m-%dT%H:%M:%SZ\n", time.gmtime()))
        drop_old_versions([cache_directory(game) for game in NAMES], MARKER)
        return True


def _end_with_parent() -> None:
    """Ask Linux to kill this process when its parent process ends, even if the parent crashes."""
    import ctypes
    import signal

    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):
        pass  # this system has no such call: then only a bot that ends normally stops its compiler


def main(words: list[str]) -> None:
    """Fill the cache.

    `words` are the command line: the option `--nice` and the name of a game, by default the first game.
    """
    if "--nice" in words:
        os.nice(5)  # low, so that the bots' turns come first; not lowest, so that it also ends on a busy machine
        _end_with_parent()
    game = next((word for word in words if word != "--nice"), NAMES[0])
    started = time.monotonic()
    kernels = JitKernels(game)
    if not kernels.available():
        sys.exit("bot.backends.jit: numba is not installed; the bot plays without compiled code")
    try:
        compiled = kernels.compile(report=lambda text: print(text, flush=True))
    except OSError as error:
        sys.exit(f"bot.backends.jit: the kernel cache cannot be written: {error}")
    if compiled:
        print(f"compiled in {time.monotonic() - started:.1f} s")
    else:
        print("the search kernels are ready")


if __name__ == "__main__":
    main(sys.argv[1:])
