"""Native engines, which are kernels compiled ahead of time: chooses one for the CPU, tests it in a child, and loads it.

A folder of engines holds shared libraries and the text file MANIFEST, which has one fact on each line. This module
reads these facts:

    engine NAME FILE BYTES CRC32      a library: its CPU level, its file in the folder, size, checksum (hex)
    entry_point NAME COUNT             a function that each library has, and the number of its integer arguments
    self_test NUMBER                   the result of the game's `self_test` with every correct engine

A platform may refuse a bot anything: to fork, to read /proc, to map a library of the folder as code. After each refusal
the module tries the next way, and in the end it raises NativeUnavailable. Each entry point of a library has numba's own
calling convention (`native_build.py`). Standard library only, Python 3.8 syntax. The module is on the start path, so it
imports little, and imports it where it is used.
"""

from __future__ import annotations

import os
import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ctypes
    from collections.abc import Callable, Mapping

    from ..games.interface import LoadedKernels

    SelfTest = Callable[[LoadedKernels], int]  # runs all kernels for a moment; returns a checksum of their results

MANIFEST = "manifest.txt"
# (name in the x86-64 psABI, CPU flags that the level adds, as Linux names them), best level first.
LEVELS = (
    ("x86-64-v3", "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave"),
    ("x86-64-v2", "cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3"),
    ("x86-64", "cmov cx8 fpu fxsr mmx sse sse2"),
)
NAMES = tuple(name for name, _ in LEVELS)
# How long to wait for the child's verdict. A child needs some milliseconds to run every kernel. On a busy machine it
# may not get the processor in time; then the CPU's flags and a test in the bot's own process decide.
_TRIAL_S = 0.4
_RIGHT, _WRONG = b"+", b"-"
# A child that has used more processor time than this hangs: a trial needs 3 ms.
_LONG_S = 0.1
_KILLED = 9


class NativeUnavailable(RuntimeError):
    """No native engine can be used. str() says why, in a few words for each engine."""


class NativeError(RuntimeError):
    """A kernel returned an error status, which is a bug."""


class NativeKernels:
    """The entry points of one library. Each one is an attribute: a Python function from integers to an integer.

    `library` is a ctypes.CDLL, `entry_points` is {name: number of integer arguments}, and `name` is the engine's name.
    The attribute `reason` says why this engine was chosen; its chooser sets it. Raises AttributeError if the library
    lacks a function.
    """

    steps: Callable[[int, int], int]  # an entry point that every game has

    def __init__(self, library: ctypes.CDLL, entry_points: Mapping[str, int], name: str) -> None:
        self.name, self.reason = name, ""
        self._library = library
        for entry_point, count in entry_points.items():
            setattr(self, entry_point, _caller(getattr(library, "dropfour_" + entry_point), entry_point, count))


def _caller(function: ctypes._NamedFuncPointer, name: str, count: int) -> Callable[..., int]:
    """Returns a Python function that calls the native function `name`, which takes `count` integers.

    The native function is status f(result *, exception **, integers).

    The Python function returns the result, or raises NativeError if the status is not 0.
    """
    import ctypes

    function.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_int64] * count
    function.restype = ctypes.c_int32
    result = (ctypes.c_int64 * 2)()
    address = ctypes.addressof(result)

    def call(*numbers: int) -> int:
        status = function(address, address + 8, *numbers)
        if status:
            raise NativeError(f"{name} ended with status {status}")
        return result[0]

    return call


class Manifest:
    """The facts of a folder's MANIFEST. Raises NativeUnavailable if that file is missing or cannot be read."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.engines: dict[str, tuple[str, int, int]] = {}
        self.entry_points: dict[str, int] = {}
        self.self_test: int | None = None
        try:
            with open(os.path.join(folder, MANIFEST), "rb") as manifest:
                lines = manifest.read().decode("ascii").splitlines()
            for words in map(str.split, lines):
                if words[:1] == ["engine"]:
                    self.engines[words[1]] = words[2], int(words[3]), int(words[4], 16)
                elif words[:1] == ["entry_point"]:
                    self.entry_points[words[1]] = int(words[2])
                elif words[:1] == ["self_test"]:
                    self.self_test = int(words[1])
        except OSError:
            raise NativeUnavailable("no native engine here") from None
        except (ValueError, IndexError) as error:
            raise NativeUnavailable(f"{MANIFEST} cannot be read: {error}") from None


def claimed_levels() -> list[str] | None:
    """Returns the levels that the CPU claims to support, best first, or None if its flags cannot be read."""
    try:
        with open("/proc/cpuinfo", "rb", 0) as cpuinfo:  # a page is enough: a large machine's whole file takes long
            text = cpuinfo.read(4096).decode("ascii", "replace")
    except OSError:
        return None
    for line in text.splitlines():
        if line.startswith("flags"):
            found: list[str] = []
            flags = set(line.split())
            for name, needed in reversed(LEVELS):
                if not flags.issuperset(needed.split()):
                    break
                found.insert(0, name)
            return found
    return None


def runnable() -> list[str]:
    """Returns the names of the engines that this CPU certainly runs, best first.

    If the CPU's flags cannot be read, returns only the name of the level that every x86-64 CPU has.
    """
    return claimed_levels() or list(NAMES[-1:])


def load(folder: str, self_test: SelfTest, wanted: str | None = None) -> NativeKernels:
    """Returns the NativeKernels of the best engine in `folder` that works on this machine. Raises NativeUnavailable."""
    return Choice(folder, self_test, wanted).kernels()


class Choice:
    """The choice of an engine. It starts a child process that tests the first engine; `kernels` completes the choice.

    `folder` is the folder of the engines. `self_test` runs all kernels (see the game's self_test.py). `wanted` is the
    name of the only engine to try, or None to try all. Raises NativeUnavailable if the folder has no engines.
    """

    def __init__(self, folder: str, self_test: SelfTest, wanted: str | None = None) -> None:
        self._manifest, self._self_test = Manifest(folder), self_test
        self._claimed = claimed_levels()
        self._names = list(NAMES if wanted is None else (wanted,))
        self._refusals: list[str] = []
        self._attempt = self._next_attempt()

    def kernels(self) -> NativeKernels:
        """Returns the NativeKernels of the best engine that works on this machine.

        Raises NativeUnavailable if none works.
        """
        while self._attempt is not None:
            try:
                kernels = self._attempt.kernels()
                kernels.reason = "; ".join(self._refusals + [kernels.reason])
                return kernels
            except NativeUnavailable as error:
                self._refuse(self._attempt.name, error)
            self._attempt = self._next_attempt()
        raise NativeUnavailable("; ".join(self._refusals))

    def _next_attempt(self) -> _Attempt | None:
        """Start an _Attempt at the next engine that may work, and return it. Returns None if no engine is left."""
        while self._names:
            name = self._names.pop(0)
            if name not in self._manifest.engines:
                self._refuse(name, "not built")
            elif self._claimed is not None and name not in self._claimed:
                self._refuse(name, "not this CPU")
            else:
                try:
                    return _Attempt(self._manifest, name, self._self_test, self._claimed)
                except NativeUnavailable as error:
                    self._refuse(name, error)
        return None

    def _refuse(self, name: str, reason: object) -> None:
        self._refusals.append(f"{name}: {reason}")


class _Attempt:
    """The attempt to use the engine `name`. The constructor starts a child process that tests the engine.

    The constructor and `kernels` raise NativeUnavailable if the engine cannot be used. The error's text is the reason
    without the engine's name. `claimed` is what claimed_levels() returned.
    """

    def __init__(self, manifest: Manifest, name: str, self_test: SelfTest, claimed: list[str] | None) -> None:
        self.name, self._self_test, self._claimed = name, self_test, claimed
        self._entry_points, self._expected = manifest.entry_points, manifest.self_test
        file, size, checksum = manifest.engines[name]
        self._path = os.path.join(manifest.folder, file)
        try:
            with open(self._path, "rb") as library:
                self._code = library.read()
        except OSError as error:
            raise NativeUnavailable(error.strerror) from None
        from binascii import crc32

        if len(self._code) != size or crc32(self._code) != checksum:
            raise NativeUnavailable("damaged file")
        self._trial = _Trial(lambda: self_test(self._load()) == self._expected)

    def kernels(self) -> NativeKernels:
        """Wait for the child's verdict. Returns the NativeKernels if they work, else raises NativeUnavailable.

        If there was no child or it gave no verdict in time, the CPU's flags decide whether the self-test is run in this
        process.
        """
        verdict = self._trial.verdict()
        if verdict not in (None, "tried"):
            raise NativeUnavailable(verdict)
        kernels = self._load()
        if verdict is None:
            # Trust the CPU's flags; without them, only the level that every x86-64 CPU has is safe.
            if self._claimed is None and self.name != NAMES[-1]:
                raise NativeUnavailable("cannot be tried in a child, and the CPU cannot be asked")
            try:
                found = self._self_test(kernels)
            except Exception as error:
                raise NativeUnavailable(in_words(error)) from None
            if found != self._expected:
                raise NativeUnavailable("wrong results")
            verdict = "not tried in a child"
        kernels.reason = verdict
        return kernels

    def _load(self) -> NativeKernels:
        try:
            return NativeKernels(_open(self._path, self._code), self._entry_points, self.name)
        except Exception as error:  # no ctypes, no way to map code, a function that is missing
            raise NativeUnavailable(in_words(error)) from None


class _Trial:
    """A child process that runs `test` and reports whether it returned True.

    A bad engine crashes the child and not the bot.
    """

    def __init__(self, test: Callable[[], bool]) -> None:
        self._process: int | None = None
        ends: tuple[int, ...] = ()
        try:
            self._end, writing_end = ends = os.pipe()
            self._process = os.fork()
        except (OSError, AttributeError):
            for end in ends:
                os.close(end)
            return  # the system or the platform does not allow it
        if self._process == 0:
            word = b""
            try:
                from _signal import alarm  # type: ignore[import-not-found]

                alarm(2)  # the child ends by itself if the bot is gone before it asks for the verdict
                word = _RIGHT if test() else _WRONG
            except BaseException as error:
                word = in_words(error).encode("utf-8", "replace")
            finally:
                os.write(writing_end, word)
                os._exit(0)
        os.close(writing_end)

    def verdict(self) -> str | None:
        """Returns "tried" if `test` returned True, and otherwise what went wrong.

        Returns None if there was no child, or if it gave no result in time.
        """
        if self._process is None:
            return None
        # The pipe is closed when the child ends, in whatever way it ends.
        in_time = bool(select.select([self._end], [], [], _TRIAL_S)[0])
        word = os.read(self._end, 1024) if in_time else b""
        os.close(self._end)
        status = 0
        try:
            if not in_time:
                os.kill(self._process, _KILLED)
                _, status, usage = os.wait4(self._process, 0)
                if usage.ru_utime > _LONG_S and os.WTERMSIG(status) == _KILLED:
                    return "does not end"
            else:
                status = os.waitpid(self._process, 0)[1]
        except OSError:
            pass  # where SIGCHLD is ignored there is nothing to wait for
        if not in_time and (status == 0 or os.WTERMSIG(status) == _KILLED):
            return None  # the machine was too busy to run it
        if os.WIFSIGNALED(status):
            return f"killed by signal {os.WTERMSIG(status)}"
        return {_RIGHT: "tried", _WRONG: "wrong results"}.get(word) or word.decode() or "failed in a child"


def _open(path: str, code: bytes) -> ctypes.CDLL:
    """Load the library from its file `path`, and return it.

    If the system does not allow code in the file's folder (noexec), loads the bytes `code` of the file from memory or
    from another folder.

    Raises the OSError of the first attempt if all attempts fail.
    """
    import ctypes

    try:
        return ctypes.CDLL(path)
    except OSError as error:
        library = open_elsewhere(code)
        if library is None:
            raise error  # the first refusal says most about the cause
        return library


def open_elsewhere(code: bytes) -> ctypes.CDLL | None:
    """Load a library, given the bytes `code` of its file, from memory or from a temporary file; return it.

    Returns None if the system allows neither.
    """
    for place in (_memory_file, _temporary_file):
        try:
            return place(code)
        except (OSError, AttributeError):
            pass
    return None


def _memory_file(code: bytes) -> ctypes.CDLL:
    import ctypes

    descriptor = os.memfd_create("dropfour")
    try:
        _write_all(descriptor, code)
        # The file stays open. The next engine must not get the same name, or the system would take it for this one.
        return ctypes.CDLL(f"/proc/self/fd/{descriptor}")
    except OSError:
        os.close(descriptor)
        raise


def _write_all(descriptor: int, code: bytes) -> None:
    """Write all of `code`. Raises OSError if the disk is full, because an incomplete library must not be loaded."""
    if os.write(descriptor, code) != len(code):
        raise OSError("no room for the library")


def _temporary_file(code: bytes) -> ctypes.CDLL:
    import ctypes
    import time

    for folder in (os.environ.get("TMPDIR"), "/tmp", "/var/tmp", "/dev/shm"):
        if not folder:
            continue
        path = os.path.join(folder, f"dropfour-{os.getpid()}-{time.monotonic_ns()}.so")
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError:
            continue
        try:
            try:
                _write_all(descriptor, code)
            finally:
                os.close(descriptor)
            return ctypes.CDLL(path)
        except OSError:
            continue
        finally:
            os.unlink(path)
    raise OSError("no folder that may hold code")


def in_words(error: BaseException) -> str:
    """Returns a short text that describes an error."""
    if isinstance(error, NativeUnavailable):
        return str(error)
    return f"{type(error).__name__}: {error}".replace("\n", " ")[:160]
