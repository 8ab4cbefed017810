"""The C++ compiler, as the platform calls it and as far as a project needs it otherwise."""

import concurrent.futures
import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from judge.language import _, marked
from judge.players.launch import PlayerError
from judge.players.source_tree import SourceTree

COMPILER = "g++"
HOW_TO_GET_IT = marked("install it first (Debian and Ubuntu: `sudo apt install g++`)")
PLATFORM_FLAGS = ("-O2", "-std=c++17", "-DONLINE_JUDGE")
# Headers and words of Windows' compiler that projects of the course's early years have, by stand-ins of ours.
WINDOWS = (
    "-idirafter",
    str(Path(__file__).parent / "windows_headers"),
    "-D__int8=char",
    "-D__int64=long long",
    "-D__declspec(words)=",
)
# What is tried where the platform's flags do not do, in this order. Each is named to the user.
REMEDIES: tuple[tuple[str, ...], ...] = (
    (),
    ("-I.",),
    ("-I.", "-fpermissive"),
    WINDOWS,
    ("-I.", *WINDOWS),
    ("-I.", "-fpermissive", *WINDOWS),
)
LIMIT_S = 120.0  # for a whole build


@dataclass(frozen=True)
class Objects:
    """Compiled sources: {source: object file}, with the flags that were needed beyond the platform's."""

    files: dict[Path, Path]
    flags: tuple[str, ...]


class TooSlow(Exception):
    """A build has had its time."""


class Compiler:
    """The compiler at work on a project, in its folder, with LIMIT_S for everything. Raises PlayerError without one."""

    def __init__(self, tree: SourceTree, work: Path, extra: Sequence[str]) -> None:
        self._tree, self._work, self._extra = tree, work, tuple(extra)
        self._deadline = time.monotonic() + LIMIT_S
        self._running: set[subprocess.Popen[str]] = set()
        self._is_stopped, self._starting = False, threading.Lock()

    def compile(self, more: Sequence[str] = (), known: tuple[str, ...] | None = None) -> Objects:
        """Compile every source, each by the first of REMEDIES with which it compiles, or by the flags that are known.

        Raises PlayerError with what the compiler says with the platform's own flags.
        """
        left, first_words, used = list(self._tree.sources), "", known or ()
        for remedy in REMEDIES if known is None else (known,):
            failures = self._compile(left, (*self._extra, *more, *remedy), first_words)
            first_words = first_words or "\n".join(failures.values())
            if len(failures) < len(left):
                used = remedy
            left = list(failures)
            if not left:
                return Objects({source: self._object_of(source) for source in self._tree.sources}, used)
        message = _("{name} does not compile with {flags}:")
        raise PlayerError(f"{message.format(name=self._name, flags=shlex.join(PLATFORM_FLAGS))}\n{first_words}")

    def link(self, objects: Objects, sources: Sequence[Path], flags: Sequence[str], target: Path) -> str:
        """Link these sources to a program or library; returns the linker's words where that fails, else ""."""
        inputs = [str(objects.files[source]) for source in sources]
        try:
            return self._run([COMPILER, "-pthread", *self._extra, *flags, *inputs, "-o", str(target)])
        except TooSlow:
            raise PlayerError(self._too_slow()) from None

    def read(self) -> list[Path]:
        """The files that the compiler has read for these sources, from the project's folder; not the system's."""
        found: set[str] = set()
        for source in self._tree.sources:
            rule = self._object_of(source).with_suffix(".d").read_text("utf-8", "surrogateescape")
            found.update(shlex.split(rule.partition(": ")[2].replace("\\\n", " ")))
        return sorted(map(Path, found))

    def _too_slow(self) -> str:
        return _("{name}: the build takes over {limit:g} s").format(name=self._name, limit=LIMIT_S)

    @property
    def _name(self) -> str:
        return repr(str(self._tree.root))

    def _object_of(self, source: Path) -> Path:
        return self._work / f"{self._tree.sources.index(source)}-{source.name}.o"

    def _compile(self, sources: Sequence[Path], flags: Sequence[str], first_words: str) -> dict[Path, str]:
        """Compile these with the flags; {source: the compiler's words} of those that fail."""
        commands = {
            source: [COMPILER, *PLATFORM_FLAGS, *flags, "-MMD", "-c", str(source), "-o", str(self._object_of(source))]
            for source in sources
        }
        try:
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
                try:
                    said = dict(zip(sources, pool.map(self._run, commands.values()), strict=True))
                except BaseException:  # the pool waits for what it has begun
                    self._stop()
                    raise
        except TooSlow:
            if not first_words:
                raise PlayerError(self._too_slow()) from None
            message = _("{name}: does not compile:").format(name=self._name)
            raise PlayerError(f"{message}\n{first_words}") from None
        return {source: words for source, words in said.items() if words}

    def _stop(self) -> None:
        """End what compiles now, and have nothing compiled any more."""
        with self._starting:
            self._is_stopped = True
            for process in tuple(self._running):
                if process.returncode is None:
                    _kill(process)

    def _run(self, command: Sequence[str]) -> str:
        """Run the compiler in the project's folder; returns its words where it fails, "" where it does not.

        Raises TooSlow where it has not ended in time; none of its processes is left then.
        """
        left_s = self._deadline - time.monotonic()
        with self._starting:
            if left_s <= 0 or self._is_stopped:
                raise TooSlow
            process = subprocess.Popen(
                command,
                cwd=self._tree.root,
                # What it says is looked at; what it leaves where it is killed lies in the build's folder.
                env={**os.environ, "LC_ALL": "C", "LANGUAGE": "", "TMPDIR": str(self._work)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,
            )
            self._running.add(process)
        try:
            said = process.communicate(timeout=left_s)[0]
        except subprocess.TimeoutExpired:
            raise TooSlow from None
        finally:
            self._running.discard(process)
            if process.returncode is None:
                _kill(process)
                process.communicate()
        return (said.strip() or _("status {number}").format(number=process.returncode)) if process.returncode else ""


def _kill(process: subprocess.Popen[str]) -> None:
    """Kill a compiler and all that it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def version() -> str:
    """The compiler's version. Raises PlayerError, saying how to get one, where there is none."""
    path = shutil.which(COMPILER)
    if path is None:
        message = _("{compiler} is not installed, and src: needs it: {advice}")
        raise PlayerError(message.format(compiler=COMPILER, advice=_(HOW_TO_GET_IT)))
    return subprocess.run([path, "-dumpfullversion"], capture_output=True, text=True, check=False).stdout.strip()


def defining(objects: Objects, name: str) -> list[Path]:
    """The sources that define a function of this name, one that other files see."""
    command = ["nm", "--defined-only", "--extern-only", "--format=posix"]
    found = []
    for source, file in objects.files.items():
        listed = subprocess.run([*command, str(file)], capture_output=True, text=True, errors="replace", check=True)
        if any(line.split()[:2] == [name, "T"] for line in listed.stdout.splitlines()):
            found.append(source)
    return found
