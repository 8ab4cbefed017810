"""The kernels by numba's compiler and its disk cache, filled by a process of its own when it is cold.

numba's cache does not notice that a function called from a cached one changed in another file, so its
directory is named by a hash of everything that the machine code depends on: the sources, where they lie,
the interpreter, numba, and the CPU. A marker in the directory says that every kernel is in it.

`python -m bot.backends.jit [--nice]` fills the cache; a bot that starts cold and without a native engine runs it beside
its first moves, which it plays without compiled code. Compiling in the bot's own process could hold it past a deadline.
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
# From `import numba` to kernels that can be called, warm cache: 0.35-0.5 s on an idle machine.
LOAD_S = 0.6


def is_available() -> bool:
    """Whether numba can be imported here (it is not imported to find out)."""
    return importlib.util.find_spec("numba") is not None


def cache_key(game: str) -> str:
    """Hex digest of all that decides the machine code."""
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
    """Text that differs between CPUs for which numba would compile differently."""
    try:
        with open("/proc/cpuinfo", "rb") as cpuinfo:
            first_cpu = cpuinfo.read(8192).split(b"\n\n")[0].splitlines()
    except OSError:
        return repr(os.uname())
    return repr([line for line in first_cpu if line.split(b"\t")[0] in (b"model name", b"flags", b"Features")])


def cache_directory(game: str) -> str:
    """The directory for this code on this machine; it need not exist yet."""
    return os.path.join(cache_root(), cache_key(game))


class JitKernels:
    """One game's kernels through numba: whether they are ready, how to get them ready, and the loaded module."""

    def __init__(self, game: str) -> None:
        """game: name of a package in bot.games."""
        self._game = game
        self._directory = cache_directory(game) if is_available() else None
        self._compiler: subprocess.Popen[bytes] | None = None

    def available(self) -> bool:
        """Whether they can ever be ready on this machine."""
        return self._directory is not None

    def ready(self) -> bool:
        """Whether loading them compiles nothing."""
        return self._directory is not None and os.path.exists(os.path.join(self._directory, MARKER))

    def start_compiling(self) -> None:
        """Start a process that fills the cache, once. On Linux it ends with this process, however that ends."""
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
        """Whether the process started above has ended without filling the cache."""
        return self._compiler is not None and self._compiler.poll() not in (None, 0) and not self.ready()

    def stop_compiling(self) -> None:
        """End the process started above if it still runs."""
        if self._compiler is not None and self._compiler.poll() is None:
            self._compiler.kill()
            self._compiler.wait()

    def load(self) -> Any:
        """The module of entry points; compiles first, here, where the cache is cold."""
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
        """Fill the cache unless it is full; True when this call did the work. OSError where that is impossible."""
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
        drop_old_versions(os.path.dirname(directory), MARKER)
        return True


def _end_with_parent() -> None:
    """Ask Linux to kill this process when the one that started it ends, by whatever signal."""
    import ctypes
    import signal

    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):
        pass  # no such call on this system: the bot ends its compiler when it ends in order


def main(words: list[str]) -> None:
    """Fill the cache; words: `--nice` and the game's name, both optional."""
    if "--nice" in words:
        os.nice(5)  # beside a game the bots' own time comes first, but it must end on a full machine too
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
