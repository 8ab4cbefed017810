"""Where the compiled kernels come from: numba's disk cache, filled by a process of its own when it is cold.

numba's cache does not notice that a function called from a cached one changed in another file, so its
directory is named by a hash of everything that the machine code depends on: the sources, where they lie,
the interpreter, numba, and the CPU. A marker in the directory says that every kernel is in it.

`python -m bot.compiled [--nice]` fills the cache; set-up runs it, and a bot that starts cold runs it beside its first
moves, which it plays without compiled code. Compiling in the bot's own process could hold it past a deadline.

Environment: DROPFOUR_CACHE_DIR overrides where the directories lie.
"""
import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import time

MARKER = "complete"
KEPT_CACHES = 8
PR_SET_PDEATHSIG = 1        # linux/prctl.h
# From `import numba` to kernels that can be called, warm cache: 0.35-0.5 s on an idle machine.
LOAD_S = 0.6

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def is_available():
    """Whether numba can be imported here (it is not imported to find out)."""
    return importlib.util.find_spec("numba") is not None


def cache_key():
    """Hex digest of all that decides the machine code."""
    digest = hashlib.sha256()
    for path in _source_files():
        with open(path, "rb") as source:
            digest.update(path.encode() + b"\0" + str(os.stat(path).st_mtime_ns).encode() + b"\0" + source.read())
    numba_spec = importlib.util.find_spec("numba")
    numba_stat = os.stat(numba_spec.origin) if numba_spec else None
    digest.update(repr((sys.version, sys.executable, numba_spec and numba_spec.origin,
                        numba_stat and (numba_stat.st_mtime_ns, numba_stat.st_size), _cpu())).encode())
    return digest.hexdigest()[:32]


def _source_files():
    """Every file that kernels are made of, in a fixed order."""
    found = []
    for folder in ("search", "games"):
        for directory, _, names in os.walk(os.path.join(_PACKAGE, folder)):
            found += [os.path.join(directory, name) for name in names if name.endswith(".py")]
    return sorted(found)


def _cpu():
    """Text that differs between CPUs for which numba would compile differently."""
    try:
        with open("/proc/cpuinfo", "rb") as cpuinfo:
            first_cpu = cpuinfo.read(8192).split(b"\n\n")[0].splitlines()
    except OSError:
        return repr(os.uname())
    return repr([line for line in first_cpu if line.split(b"\t")[0] in (b"model name", b"flags", b"Features")])


def cache_directory():
    """The directory for this code on this machine; it need not exist yet."""
    return os.path.join(_cache_root(), cache_key())


def _cache_root():
    chosen = os.environ.get("DROPFOUR_CACHE_DIR")
    if chosen:
        return chosen
    checkout = os.path.dirname(_PACKAGE)
    if os.path.exists(os.path.join(checkout, "pyproject.toml")) and os.access(checkout, os.W_OK):
        return os.path.join(checkout, ".cache", "kernels")
    for home in (os.environ.get("XDG_CACHE_HOME"), os.path.join(os.path.expanduser("~"), ".cache")):
        if home and os.access(home if os.path.isdir(home) else os.path.dirname(home) or ".", os.W_OK):
            return os.path.join(home, "dropfour")
    return os.path.join(tempfile.gettempdir(), "dropfour-%d" % os.getuid())


class KernelsUnavailable(RuntimeError):
    """There is no compiled search to be had; str() says why."""


class Kernels:
    """The kernels of one game: whether they are ready, how to get them ready, and the loaded module.

    game: name of a package in bot.games whose module `kernels` has the entry points and `warm_up()`.
    """

    def __init__(self, game="connect_four"):
        self._game = game
        self._directory = cache_directory() if is_available() else None
        self._compiler = None

    def available(self):
        """Whether they can ever be ready on this machine."""
        return self._directory is not None

    def ready(self):
        """Whether loading them compiles nothing."""
        return self._directory is not None and os.path.exists(os.path.join(self._directory, MARKER))

    def start_compiling(self):
        """Start a process that fills the cache, once. On Linux it ends with this process, however that ends."""
        if self._directory is None or self._compiler is not None:
            return
        try:
            self._compiler = subprocess.Popen(
                [sys.executable, "-m", "bot.compiled", "--nice"], cwd=os.path.dirname(_PACKAGE),
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except OSError:
            self._directory = None      # no process may be started: play without compiled code

    def has_failed_to_compile(self):
        """Whether the process started above has ended without filling the cache."""
        return self._compiler is not None and self._compiler.poll() not in (None, 0) and not self.ready()

    def stop_compiling(self):
        """End the process started above if it still runs."""
        if self._compiler is not None and self._compiler.poll() is None:
            self._compiler.kill()
            self._compiler.wait()

    def load(self):
        """The module of entry points; compiles first, here, where the cache is cold."""
        for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ.setdefault(variable, "1")    # numpy must not start threads: the platform allows one
        os.environ["NUMBA_CACHE_DIR"] = self._directory or os.path.join(tempfile.gettempdir(), "dropfour-unused")
        module = importlib.import_module("bot.games.%s.kernels" % self._game)
        module.warm_up()
        return module

    def obtain(self, report=lambda text: None):
        """The module of entry points, compiled first if need be, for callers without a clock.

        report takes a line on what takes long. Raises KernelsUnavailable.
        """
        if not self.available():
            raise KernelsUnavailable("numba is not installed, and the compiled search needs it")
        try:
            self.compile(report)
            return self.load()
        except OSError as error:
            raise KernelsUnavailable("the kernel cache cannot be used: %s" % error) from error

    def compile(self, report=lambda text: None):
        """Fill the cache unless it is full; True when this call did the work."""
        if self.ready():
            return False
        os.makedirs(self._directory, exist_ok=True)
        with open(os.path.join(self._directory, "lock"), "w") as lock:
            _lock_exclusively(lock)
            if self.ready():
                return False
            report("compiling the search kernels (once for this version and machine) ..")
            self.load()
            with open(os.path.join(self._directory, MARKER), "w") as marker:
                marker.write(time.strftime("%Y-%m-%dT%H:%M:%SZ\n", time.gmtime()))
        self._drop_old_caches()
        return True

    def _drop_old_caches(self):
        """Remove all but the newest few directories of other versions."""
        import shutil
        root = os.path.dirname(self._directory)
        caches = [os.path.join(root, name) for name in os.listdir(root)]
        finished = [path for path in caches if os.path.exists(os.path.join(path, MARKER))]
        for path in sorted(finished, key=os.path.getmtime, reverse=True)[KEPT_CACHES:]:
            shutil.rmtree(path, ignore_errors=True)


def _lock_exclusively(file):
    """Wait for the file's lock, so that bots that start cold together compile once."""
    import fcntl
    fcntl.flock(file, fcntl.LOCK_EX)


def _end_with_parent():
    """Ask Linux to kill this process when the one that started it ends, by whatever signal."""
    import ctypes
    import signal
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):
        pass        # no such call on this system: the bot ends its compiler when it ends in order


def main():
    if "--nice" in sys.argv[1:]:
        os.nice(5)          # beside a game the bots' own time comes first, but it must end on a full machine too
        _end_with_parent()
    started = time.monotonic()
    kernels = Kernels()
    if not kernels.available():
        sys.exit("bot.compiled: numba is not installed; the bot plays without compiled code")
    try:
        compiled = kernels.compile(report=lambda text: print(text, flush=True))
    except OSError as error:
        sys.exit("bot.compiled: the kernel cache cannot be written: %s" % error)
    if compiled:
        print("compiled in %.1f s" % (time.monotonic() - started))
    else:
        print("the search kernels are ready")


if __name__ == "__main__":
    main()
