"""A student's C++ project, built as the platform builds it, and kept by what it is built from.

All sources below the folder are compiled together with the platform's flags. One main() makes the program; without
one, getPoint makes a strategy library for this project's own host. What had to differ is noted.
"""

import contextlib
import json
import os
import shlex
import shutil
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from judge.language import _, recorded
from judge.players import compiler, content
from judge.players.checkout import CHECKOUT
from judge.players.compiler import PLATFORM_FLAGS, WINDOWS, Compiler, Objects, defining
from judge.players.launch import PlayerError
from judge.players.source_tree import PLATFORM_SUFFIXES, SourceTree
from judge.players.waiting import Waiting

LOOKING_FLAGS = {
    "debug": ("-O0", "-g"),
    "sanitize": ("-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined"),
}
DEFINED_TWICE = "multiple definition"
TOO_LARGE, LARGE_FLAGS = "relocation truncated", ("-mcmodel=large",)  # for static arrays of 2 GB and more
LIBRARY_FLAGS = ("-fPIC",)
BUILDS = CHECKOUT / ".cache" / "builds"
# Notes on a build, kept beside it.
UNUSUAL_SUFFIX = recorded("{path}: the platform may refuse this, it compiles {suffixes}")
OTHER_FLAGS = recorded("built with {flags} besides: the platform may refuse this")
FOR_WINDOWS = recorded("it is written for Windows, whose headers were replaced: the platform may refuse this")
OLD_WIRE = recorded(
    "{sources} is the kit of 2022, which the platform no longer speaks: left out, {entry} is played by this project's "
    "own host"
)
NO_MAIN = recorded("there is no main(): {entry} is played by this project's own host")
SCHEME = "3"  # one more whenever the same sources would be built otherwise
PROGRAM, LIBRARY, NOTES, READ = "program", "strategy.so", "notes.json", "read.json"
UNFINISHED, ABANDONED_S = "new-", 3600.0  # how a build's folder begins; no build takes so long
ENTRY, MAIN = "getPoint", "main"
# The two functions as C++ names them where a project has left out extern "C".
PLAIN_NAMES = {"getPoint": "_Z8getPointiiPKiS0_iiii", "clearPoint": "_Z10clearPointP5Point"}


@dataclass(frozen=True)
class Build:
    """A project that has been built: its program, or its strategy library; the hash of all that it is built from."""

    path: Path
    is_library: bool
    digest: str
    notes: tuple[str, ...]


def build(tree: SourceTree, looking: Sequence[str] = ()) -> Build:
    """The Build of a project; an earlier one of the same content is used again. looking: keys of LOOKING_FLAGS.

    Raises PlayerError with the compiler's words where there is no compiler, the sources do not compile in time, or they
    make no program or two.
    """
    extra = tuple(flag for name in looking for flag in LOOKING_FLAGS[name])
    names = [path.as_posix() for path in tree.sources]
    # A build for looking at names the folder of its sources, so that of a copy is another.
    place = [str(tree.root.resolve())] if looking else []
    home = BUILDS / content.digest([], SCHEME, compiler.version(), *PLATFORM_FLAGS, *extra, *place, *names)
    digest = _digest(tree, home, _files_read_last(home))
    if digest is None or not (home / digest / NOTES).exists():
        home.mkdir(parents=True, exist_ok=True)
        _clear(home)
        title = _("building {name}").format(name=tree.root.resolve().name)
        with tempfile.TemporaryDirectory(dir=home, prefix=UNFINISHED) as work, Waiting(title):
            worker = Compiler(tree, Path(work), extra)
            notes = _build_in(tree, Path(work), worker)
            read = worker.read()
            digest = _digest(tree, home, read)
            if digest is None:
                raise PlayerError(_("{path!r} changed while it was built: try again").format(path=str(tree.root)))
            (Path(work) / NOTES).write_text(json.dumps(notes))
            _move(Path(work), home / digest)
            _write_whole(home / READ, json.dumps([str(path) for path in read]))
    folder = home / digest
    is_library = (folder / LIBRARY).exists()
    notes = json.loads((folder / NOTES).read_text())
    return Build(folder / (LIBRARY if is_library else PROGRAM), is_library, digest, tuple(notes))


def _clear(home: Path) -> None:
    """Remove what builds have left whose judge was killed."""
    for folder in home.glob(f"{UNFINISHED}*"):
        with contextlib.suppress(FileNotFoundError):
            if time.time() - folder.stat().st_mtime > ABANDONED_S:
                shutil.rmtree(folder, ignore_errors=True)


def _files_read_last(home: Path) -> list[Path] | None:
    """What the compiler has read for the last build of these names, None if there was none."""
    try:
        return [Path(name) for name in json.loads((home / READ).read_text())]
    except (FileNotFoundError, ValueError):
        return None


def _digest(tree: SourceTree, home: Path, read: Iterable[Path] | None) -> str | None:
    """A hash of how a build is made and of all files that it reads, None where they are not known or not there."""
    if read is None:
        return None
    try:
        return content.digest([(path.as_posix(), tree.root / path) for path in read], home.name)
    except OSError:
        return None


def _write_whole(path: Path, text: str) -> None:
    """Write a file that others may read meanwhile: they find the old one or the new one."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as new:
        new.write(text)
    os.replace(new.name, path)


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


def _build_in(tree: SourceTree, work: Path, worker: Compiler) -> list[str]:
    """Build the program or library in a folder of its own; returns what the platform may refuse."""
    objects = worker.compile()
    suffixes = ", ".join(PLATFORM_SUFFIXES)
    notes = [UNUSUAL_SUFFIX.format(path=path, suffixes=suffixes) for path in _unusual(tree)]
    notes += _notes_on(objects.flags)
    mains = defining(objects, MAIN)
    old = tree.old_sdk_mains(mains)
    sources = list(tree.sources)
    if old and len(old) == len(mains):
        named = ", ".join(map(str, old))
        notes.append(OLD_WIRE.format(sources=named, entry=ENTRY))
        sources, mains = [source for source in sources if source not in old], []
    if len(mains) > 1:
        named = ", ".join(map(str, mains))
        message = _("{path!r} makes {number} programs ({sources}): --without FILE leaves one out")
        raise PlayerError(message.format(path=str(tree.root), number=len(mains), sources=named))
    flags: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    target = work / PROGRAM
    if not mains:
        flags, target, more = ("-shared", *_renaming(objects, tree)), work / LIBRARY, LIBRARY_FLAGS
        if not old:
            notes.append(NO_MAIN.format(entry=ENTRY))
        objects = worker.compile(more, objects.flags)
    failure = worker.link(objects, sources, flags, target)
    if TOO_LARGE in failure:
        objects = worker.compile((*more, *LARGE_FLAGS), objects.flags)
        notes += _notes_on(LARGE_FLAGS)
        failure = worker.link(objects, sources, flags, target)
    if DEFINED_TWICE in failure:
        message = _("{path!r} does not link: two of its files define the same, and --without FILE leaves one out")
        raise PlayerError(f"{message.format(path=str(tree.root))}\n{failure}")
    if failure:
        message = _("{path!r} compiles, but its parts do not link:")
        raise PlayerError(f"{message.format(path=str(tree.root))}\n{failure}")
    return notes


def _notes_on(flags: tuple[str, ...]) -> list[str]:
    """That these flags are needed besides the platform's, in words."""
    is_for_windows = flags[-len(WINDOWS) :] == WINDOWS
    others = flags[: -len(WINDOWS)] if is_for_windows else flags
    return [
        *([OTHER_FLAGS.format(flags=shlex.join(others))] if others else []),
        *([FOR_WINDOWS] if is_for_windows else []),
    ]


def _renaming(objects: Objects, tree: SourceTree) -> tuple[str, ...]:
    """The linker's flags that give a project's getPoint and clearPoint the names that the host asks for.

    Raises PlayerError unless exactly one source defines them.
    """
    entries, plain = defining(objects, ENTRY), defining(objects, PLAIN_NAMES[ENTRY])
    if len(entries) + len(plain) != 1:
        raise PlayerError(_no_entry(tree, [*entries, *plain]))
    return () if entries else tuple(f"-Wl,--defsym={name}={plain_name}" for name, plain_name in PLAIN_NAMES.items())


def _unusual(tree: SourceTree) -> list[Path]:
    return [path for path in tree.sources if path.suffix not in PLATFORM_SUFFIXES]


def _no_entry(tree: SourceTree, entries: Sequence[Path]) -> str:
    path = str(tree.root)
    if not entries:
        message = _("{path!r} makes no program: expected a main(), or {entry} and clearPoint")
        return message.format(path=path, entry=ENTRY)
    message = _("{path!r} defines {entry} {number} times ({sources}): --without FILE leaves one out")
    return message.format(path=path, entry=ENTRY, number=len(entries), sources=", ".join(map(str, entries)))
