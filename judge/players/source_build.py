"""`src:FOLDER`: a student's C++ project, built as the platform builds it, and kept by what it is built from.

All sources below the folder are compiled together with the platform's flags. One main() makes the program; without
one, getPoint makes a strategy library for this project's own host. What had to differ is noted.
"""

import concurrent.futures
import json
import os
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from judge.players import content
from judge.players.checkout import CHECKOUT
from judge.players.launch import PlayerError
from judge.players.source_tree import PLATFORM_SUFFIXES, SourceTree

COMPILER = "g++"
HOW_TO_GET_IT = "install it first (Debian and Ubuntu: `sudo apt install g++`)"
PLATFORM_FLAGS = ("-O2", "-std=c++17", "-DONLINE_JUDGE")
LOOKING_FLAGS = {
    "debug": ("-O0", "-g"),
    "sanitize": ("-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined"),
}
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
    WINDOWS,
    ("-I.", "-fpermissive", *WINDOWS),
    ("-I.", "-fpermissive", "-std=gnu++20", *WINDOWS),
)
DEFINED_TWICE = "multiple definition"
TOO_LARGE, LARGE_FLAGS = "relocation truncated", ("-mcmodel=large",)  # for static arrays of 2 GB and more
LIBRARY_FLAGS = ("-fPIC",)
BUILDS = CHECKOUT / ".cache" / "builds"
LIMIT_S = 120.0  # for a whole build
MAY_REFUSE = "the platform may refuse this"
SCHEME = "1"  # one more whenever the same sources would be built otherwise
PROGRAM, LIBRARY, NOTES = "program", "strategy.so", "notes.json"
ENTRY, MAIN = "getPoint", "main"
# The two functions as C++ names them where a project has left out extern "C".
PLAIN_NAMES = {"getPoint": "_Z8getPointiiPKiS0_iiii", "clearPoint": "_Z10clearPointP5Point"}


@dataclass(frozen=True)
class Build:
    """A project that has been built: its program, or its strategy library; the hash of what it is built from."""

    path: Path
    is_library: bool
    digest: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Objects:
    """Compiled sources: {source: object file}, the flags beyond the platform's, and when the build must be done."""

    files: dict[Path, Path]
    flags: tuple[str, ...]
    deadline: float


def build(tree: SourceTree, looking: Sequence[str] = ()) -> Build:
    """The Build of a project; an earlier one of the same content is used again. looking: keys of LOOKING_FLAGS.

    Raises PlayerError with the compiler's words where there is no compiler, the sources do not compile within
    LIMIT_S, or they make no program or two.
    """
    compiler = shutil.which(COMPILER)
    if compiler is None:
        raise PlayerError(f"{COMPILER} is not installed, and src: needs it: {HOW_TO_GET_IT}")
    extra = tuple(flag for name in looking for flag in LOOKING_FLAGS[name])
    files = [(path.as_posix(), tree.root / path) for path in (*tree.sources, *tree.headers)]
    digest = content.digest(files, SCHEME, _compiler_version(compiler), *PLATFORM_FLAGS, *extra)
    folder = BUILDS / digest
    if not (folder / NOTES).exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix="new-") as work:
            notes = _build_in(tree, Path(work), extra)
            (Path(work) / NOTES).write_text(json.dumps(notes))
            _move(Path(work), folder)
    library = folder / LIBRARY
    is_library = library.exists()
    notes = json.loads((folder / NOTES).read_text())
    return Build(library if is_library else folder / PROGRAM, is_library, digest, tuple(notes))


def _move(work: Path, folder: Path) -> None:
    """Put a finished build where it is kept; another judge may have put the same one there meanwhile."""
    finished = folder.with_name(f"{work.name}-finished")
    finished.mkdir()
    for name in (PROGRAM, LIBRARY, NOTES):
        if (work / name).exists():
            os.replace(work / name, finished / name)
    try:
        os.rename(finished, folder)
    except OSError:
        shutil.rmtree(finished)
        if not (folder / NOTES).exists():
            raise


def _build_in(tree: SourceTree, work: Path, extra: tuple[str, ...]) -> list[str]:
    """Build the program or library in a folder of its own; returns what the platform may refuse."""
    deadline = time.monotonic() + LIMIT_S
    objects = _compiled(tree, work, extra, deadline)
    notes = [f"{path}: {MAY_REFUSE}, it compiles {', '.join(PLATFORM_SUFFIXES)}" for path in _unusual(tree)]
    notes += _notes_on(objects.flags)
    mains = _defining(objects, MAIN)
    old = tree.old_sdk_mains(mains)
    if old and len(old) == len(mains):
        notes.append(
            f"{', '.join(map(str, old))} speaks the platform's wire of 2022: left out, {ENTRY} is played instead"
        )
        tree, mains = tree.without(old), []
    if len(mains) > 1:
        named = ", ".join(map(str, mains))
        raise PlayerError(f"{str(tree.root)!r} makes {len(mains)} programs ({named}): --without FILE leaves one out")
    flags: tuple[str, ...] = ()
    target = work / PROGRAM
    if not mains:
        flags, target = ("-shared", *_renaming(objects, tree)), work / LIBRARY
        notes.append(f"there is no main(): {ENTRY} is played by this project's own host")
        objects = _compiled(tree, work, (*extra, *LIBRARY_FLAGS), deadline, objects.flags)
    failure = _link(objects, tree, (*extra, *flags), target)
    if TOO_LARGE in failure:
        more = (*extra, *LARGE_FLAGS, *(LIBRARY_FLAGS if not mains else ()))
        objects = _compiled(tree, work, more, deadline, objects.flags)
        notes += _notes_on(LARGE_FLAGS)
        failure = _link(objects, tree, (*extra, *flags), target)
    if DEFINED_TWICE in failure:
        hint = "does not link: two of its files define the same, and --without FILE leaves one out"
        raise PlayerError(f"{str(tree.root)!r} {hint}\n{failure}")
    if failure:
        raise PlayerError(f"{str(tree.root)!r} compiles, but its parts do not link:\n{failure}")
    return notes


def _notes_on(flags: tuple[str, ...]) -> list[str]:
    """That these flags are needed besides the platform's, in words."""
    if not flags:
        return []
    is_for_windows = flags[-len(WINDOWS) :] == WINDOWS
    others = flags[: -len(WINDOWS)] if is_for_windows else flags
    return [
        *([f"built with {shlex.join(others)} besides: {MAY_REFUSE}"] if others else []),
        *([f"it is written for Windows, whose headers were replaced: {MAY_REFUSE}"] if is_for_windows else []),
    ]


def _renaming(objects: _Objects, tree: SourceTree) -> tuple[str, ...]:
    """The linker's flags that give a project's getPoint and clearPoint the names that the host asks for.

    Raises PlayerError unless exactly one source defines them.
    """
    entries = [path for path in _defining(objects, ENTRY) if path in tree.sources]
    plain = [path for path in _defining(objects, PLAIN_NAMES[ENTRY]) if path in tree.sources]
    if len(entries) + len(plain) != 1:
        raise PlayerError(f"{str(tree.root)!r} {_no_entry([*entries, *plain])}")
    return () if entries else tuple(f"-Wl,--defsym={name}={plain_name}" for name, plain_name in PLAIN_NAMES.items())


def _unusual(tree: SourceTree) -> list[Path]:
    return [path for path in tree.sources if path.suffix not in PLATFORM_SUFFIXES]


def _no_entry(entries: Sequence[Path]) -> str:
    if entries:
        return f"defines {ENTRY} {len(entries)} times ({', '.join(map(str, entries))}): --without FILE leaves one out"
    return f"makes no program: expected a main(), or {ENTRY} and clearPoint"


def _compiled(
    tree: SourceTree, work: Path, extra: tuple[str, ...], deadline: float, known: tuple[str, ...] | None = None
) -> _Objects:
    """Compile every source, by the first of REMEDIES with which all compile, or the one that is known to do.

    Raises PlayerError with what the compiler says with the platform's own flags.
    """
    first_words = ""
    for remedy in REMEDIES if known is None else (known,):
        files = {source: work / f"{number}-{source.name}.o" for number, source in enumerate(tree.sources)}
        commands = [
            [COMPILER, *PLATFORM_FLAGS, *extra, *remedy, "-c", str(source), "-o", str(target)]
            for source, target in files.items()
        ]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            failures = [words for words in pool.map(lambda command: _run(command, tree, deadline), commands) if words]
        if not failures:
            return _Objects(files, remedy, deadline)
        first_words = first_words or "\n".join(failures)
    raise PlayerError(f"{str(tree.root)!r} does not compile with {shlex.join(PLATFORM_FLAGS)}:\n{first_words}")


def _link(objects: _Objects, tree: SourceTree, flags: tuple[str, ...], target: Path) -> str:
    """Link the tree's objects to a program or library; returns the linker's words where that fails, else ""."""
    inputs = [str(objects.files[source]) for source in tree.sources]
    return _run([COMPILER, "-pthread", *flags, *inputs, "-o", str(target)], tree, objects.deadline)


def _run(command: Sequence[str], tree: SourceTree, deadline: float) -> str:
    """Run the compiler in the project's folder; returns its words where it fails, "" where it does not."""
    left_s = deadline - time.monotonic()
    try:
        if left_s <= 0:
            raise subprocess.TimeoutExpired(command, left_s)
        done = subprocess.run(
            command,
            cwd=tree.root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=left_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise PlayerError(f"{str(tree.root)!r}: the build takes over {LIMIT_S:g} s") from None
    return (done.stdout.strip() or f"status {done.returncode}") if done.returncode else ""


def _defining(objects: _Objects, name: str) -> list[Path]:
    """The sources that define a function of this name, one that C could call."""
    command = ["nm", "--defined-only", "--extern-only", "--format=posix"]
    found = []
    for source, file in objects.files.items():
        listed = subprocess.run([*command, str(file)], capture_output=True, text=True, errors="replace", check=True)
        if any(line.split()[:2] == [name, "T"] for line in listed.stdout.splitlines()):
            found.append(source)
    return found


def _compiler_version(compiler: str) -> str:
    done = subprocess.run([compiler, "-dumpfullversion"], capture_output=True, text=True, check=False)
    return done.stdout.strip()
