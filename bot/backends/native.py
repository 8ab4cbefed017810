"""Native engines: the kernels compiled ahead of time, chosen by the CPU, tried in a child process, loaded by ctypes.

A folder of engines holds shared libraries and the text file MANIFEST, one fact a line; those read here are

    engine NAME FILE BYTES CRC32      a library: its CPU level, its file in the folder, size, checksum (hex)
    entry_point NAME COUNT             a function that each library has, and how many integers it takes
    self_test NUMBER                   what the game's `self_test` finds with every right engine

A bot may be refused anything: to fork, to read /proc, to map a file of that folder as code. Every refusal leads to
the next way, and at last to NativeUnavailable. Each function has numba's own calling convention (`native_build.py`).
Standard library only, Python 3.8 syntax; on the start path, so imports are few and late.
"""

from __future__ import annotations

import os
import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ctypes
    from collections.abc import Callable, Mapping

    from ..games.interface import LoadedKernels

    SelfTest = Callable[[LoadedKernels], int]  # runs all kernels for a moment

MANIFEST = "manifest.txt"
# Best first, by the names of the x86-64 psABI, with the CPU flags that Linux shows for what each adds.
LEVELS = (
    ("x86-64-v3", "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave"),
    ("x86-64-v2", "cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3"),
    ("x86-64", "cmov cx8 fpu fxsr mmx sse sse2"),
)
NAMES = tuple(name for name, _ in LEVELS)
# A child needs some milliseconds to run every kernel. On a full machine it waits for its turn: then the CPU's flags
# have to do.
_TRIAL_S = 0.4
_RIGHT, _WRONG = b"+", b"-"
# Processor time that no trial takes: it needs 3 ms.
_LONG_S = 0.1
_KILLED = 9


class NativeUnavailable(RuntimeError):
    """No native engine can be had; str() says why, in a few words for each one."""


class NativeError(RuntimeError):
    """A kernel raised an error: a bug."""


class NativeKernels:
    """The entry points as functions of integers, from one library.

    library: what ctypes.CDLL gives; entry_points: {name: how many integers it takes}; name: which engine this is;
    reason: why this one, in the end. Raises AttributeError where the library lacks a function.
    """

    steps: Callable[[int, int], int]  # one of every game's

    def __init__(self, library: ctypes.CDLL, entry_points: Mapping[str, int], name: str) -> None:
        self.name, self.reason = name, ""
        self._library = library
        for entry_point, count in entry_points.items():
            setattr(self, entry_point, _caller(getattr(library, "dropfour_" + entry_point), entry_point, count))


def _caller(function: ctypes._NamedFuncPointer, name: str, count: int) -> Callable[..., int]:
    """A Python function for one native one: status f(result *, exception **, integers)."""
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
    """The facts of a folder's MANIFEST. Raises NativeUnavailable where there is none, or it cannot be read."""

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
    """Names of the levels that the CPU says it has, best first; None where it cannot be asked."""
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
    """Names of the engines that this CPU runs for certain, best first: where it cannot be asked, what every one has."""
    return claimed_levels() or list(NAMES[-1:])


def load(folder: str, self_test: SelfTest, wanted: str | None = None) -> NativeKernels:
    """The NativeKernels of the best engine in the folder that works here: see Choice. Raises NativeUnavailable."""
    return Choice(folder, self_test, wanted).kernels()


class Choice:
    """The choice of an engine. It begins with a child that tries the first one, and ends in `kernels`.

    folder: of the engines; self_test(kernels): runs all of them, see the game's self_test.py; wanted: the name of the
    only one to try. Raises NativeUnavailable where the folder has no engines.
    """

    def __init__(self, folder: str, self_test: SelfTest, wanted: str | None = None) -> None:
        self._manifest, self._self_test = Manifest(folder), self_test
        self._claimed = claimed_levels()
        self._names = list(NAMES if wanted is None else (wanted,))
        self._refusals: list[str] = []
        self._attempt = self._next_attempt()

    def kernels(self) -> NativeKernels:
        """The NativeKernels of the best engine that works here. Raises NativeUnavailable."""
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
        """The _Attempt at the next engine that may do, None when all have been refused."""
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
    """One engine, tried in a child from now on. Raises NativeUnavailable, as `kernels` does, with the reason alone."""

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
        """The NativeKernels, once the child has shown that they work."""
        verdict = self._trial.verdict()
        if verdict not in (None, "tried"):
            raise NativeUnavailable(verdict)
        kernels = self._load()
        if verdict is None:
            # The CPU's word alone; without even that only what every x86-64 has.
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
    """A child process that runs `test` and says whether it was True; a bad engine kills the child and not the bot."""

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

                alarm(2)  # it ends by itself, should the bot be gone before it has asked for the verdict
                word = _RIGHT if test() else _WRONG
            except BaseException as error:
                word = in_words(error).encode("utf-8", "replace")
            finally:
                os.write(writing_end, word)
                os._exit(0)
        os.close(writing_end)

    def verdict(self) -> str | None:
        """ "tried" for a good engine, None where nothing could be tried or not in time, else what went wrong."""
        if self._process is None:
            return None
        # The pipe ends when the child does, however that is.
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
            return None  # it waited for a full machine
        if os.WIFSIGNALED(status):
            return f"killed by signal {os.WTERMSIG(status)}"
        return {_RIGHT: "tried", _WRONG: "wrong results"}.get(word) or word.decode() or "failed in a child"


def _open(path: str, code: bytes) -> ctypes.CDLL:
    """The library, from its file or, where that folder may not hold code (noexec), from memory or another folder."""
    import ctypes

    try:
        return ctypes.CDLL(path)
    except OSError as error:
        library = open_elsewhere(code)
        if library is None:
            raise error  # the first refusal tells most
        return library


def open_elsewhere(code: bytes) -> ctypes.CDLL | None:
    """The library with these bytes, from memory or from a folder for temporary files; None where all is refused."""
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
        # It stays open: the next engine must not get the same name, by which the system would take it for this one.
        return ctypes.CDLL(f"/proc/self/fd/{descriptor}")
    except OSError:
        os.close(descriptor)
        raise


def _write_all(descriptor: int, code: bytes) -> None:
    """Half a library, where a disk is full, must not be loaded: OSError."""
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
    """An error in a few words."""
    if isinstance(error, NativeUnavailable):
        return str(error)
    return f"{type(error).__name__}: {error}".replace("\n", " ")[:160]
