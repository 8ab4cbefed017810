"""Builds native engines: the kernels that numba compiles, as shared libraries for portable CPUs without any Python.

    python -m bot.backends.native_build [GAME] [NAME ..]

builds a game's engines of those names, or all: x86-64-v3, x86-64-v2, x86-64. Processes of native_compile.py share the
entry points; native.py loads what they make.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from ..games import NAMES, part_of
from . import native
from .native_compile import CODE_FILE, PORTABLE, BuildError, linker, steps
from .sources import PACKAGE, drop_old_versions, lock_exclusively, native_folder, source_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Facts = dict[tuple[str, ...], str]  # the manifest's lines: words that name a fact -> the other words

# How long an entry point takes to compile beside the others, which take 1. It decides how processes share the work and
# how a bar moves, nothing else.
_COSTS = {"search": 6, "pvs": 5, "alphabeta": 2, "prepare_root": 2, "solve": 2}
# Each process of the compiler holds up to 600 MB.
_MOST_PROCESSES = 4


def why_impossible() -> str | None:
    """Why no engine can be built on this machine, None where it can."""
    import importlib.util

    if not (sys.platform == "linux" and os.uname().machine == "x86_64"):
        return "native engines are for Linux on x86-64"
    if importlib.util.find_spec("numba") is None:
        return "numba is not installed (pip install 'dropfour[compile]' has it)"
    if linker() is None:
        return "no C compiler (cc, gcc or clang) to link with"
    if shutil.which("nm") is None:
        return "no nm (binutils) to check the result with"
    return None


def build_for_this_cpu(
    game: str,
    report: Callable[[str], None] = lambda text: None,
    progress: Callable[[float], None] = lambda share: None,
) -> str | None:
    """The best engine for this CPU; None, or why it cannot be had. report and progress are as for `build`."""
    try:
        build(native.runnable()[:1], game, report=report, progress=progress)
    except (BuildError, OSError) as error:
        return str(error)
    return None


def build(
    names: Sequence[str],
    game: str,
    folder: str | None = None,
    report: Callable[[str], None] = lambda text: None,
    progress: Callable[[float], None] = lambda share: None,
) -> str:
    """Have the named engines in the folder (default: where the bot looks), building those that are missing.

    report takes a line on what takes long; progress, from any thread, the share of it that is done, 0 to 1. Returns the
    folder. Each engine that this CPU can run is tried. Raises BuildError, OSError.
    """
    folder = folder or native_folder(game)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w") as lock:
        lock_exclusively(lock)
        facts = _facts_in(folder)
        missing = [name for name in names if not _is_there(folder, facts.get(("engine", name)))]
        if missing:
            facts = {key: words for key, words in facts.items() if key[-1] not in missing}
            report(f"building the native engines of {game}: {', '.join(missing)} ..")
            _compile_all(missing, game, folder, facts, progress)
            _write_manifest(folder, facts)
            if folder == native_folder(game):
                drop_old_versions(os.path.dirname(folder), native.MANIFEST)
    for name in names:
        if name in native.runnable():
            try:
                native.load(
                    folder, part_of(game, "entry_points").ENTRY_POINTS, part_of(game, "self_test").self_test, name
                )
            except native.NativeUnavailable as error:
                os.unlink(os.path.join(folder, native.MANIFEST))
                raise BuildError(f"an engine does not work: {error}") from error
    return folder


def _is_there(folder: str, words: str | None) -> bool:
    """Whether the engine that the manifest describes in these words, if it does, lies in the folder."""
    if words is None:
        return False
    file, size, _ = words.split(" ")
    path = os.path.join(folder, file)
    return os.path.exists(path) and os.path.getsize(path) == int(size)


def _compile_all(names: Sequence[str], game: str, folder: str, facts: Facts, progress: Callable[[float], None]) -> None:
    """Compile the engines into the folder and enter what the manifest should say of them into `facts`."""
    import binascii
    import tempfile

    with tempfile.TemporaryDirectory(dir=folder) as workshop:
        for line in _compiled_in(workshop, names, game, progress):
            key, _, words = line.partition(" ")
            for fact in [(key, name) for name in names] if key == "compilers" else [(key,)]:
                if facts.setdefault(fact, words) != words:
                    raise BuildError(f"{key} is {words}, and {facts[fact]} for another engine")
        facts[("sources",)] = source_hash(game)
        for name in names:
            file = CODE_FILE % name
            with open(os.path.join(workshop, file), "rb") as library:
                code = library.read()
            os.replace(os.path.join(workshop, file), os.path.join(folder, file))
            facts["engine", name] = f"{file} {len(code)} {binascii.crc32(code):08x}"


def _compiled_in(workshop: str, names: Sequence[str], game: str, progress: Callable[[float], None]) -> list[str]:
    """Leave the engines' libraries in a folder; what the manifest should say of them, as lines."""
    from concurrent.futures import ThreadPoolExecutor

    entry_points = part_of(game, "entry_points").ENTRY_POINTS
    total = sum(map(_cost, entry_points)) * steps(names)
    done = 0

    def count(line: str) -> None:
        nonlocal done
        done += _cost(line.split()[0])
        progress(done / total)

    where = (game, workshop, ",".join(names))
    shares = _shares(list(entry_points), min(len(os.sched_getaffinity(0)), _MOST_PROCESSES))
    with ThreadPoolExecutor(len(shares)) as threads:
        for _ in threads.map(lambda share: _run("emit", *where, ",".join(share), on_line=count), shares):
            pass
    return _run("link", *where)


def _cost(entry_point: str) -> int:
    return _COSTS.get(entry_point, 1)


def _shares(entry_points: Sequence[str], processes: int) -> list[list[str]]:
    """The entry points shared out among so many processes, the dearest first, so that all end at about one time."""
    shares: list[list[str]] = [[] for _ in range(min(processes, len(entry_points)))]
    for entry_point in sorted(entry_points, key=_cost, reverse=True):
        min(shares, key=lambda share: sum(map(_cost, share))).append(entry_point)
    return shares


def _run(*words: str, on_line: Callable[[str], None] = lambda line: None) -> list[str]:
    """Run native_compile.py; its lines, each told to on_line() as it comes. Raises BuildError with its last words."""
    import tempfile

    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "bot.backends.native_compile", *words],
            cwd=os.path.dirname(PACKAGE),
            env={**os.environ, **PORTABLE},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        lines = []
        with process:
            for line in process.stdout or ():
                lines.append(line.rstrip("\n"))
                on_line(lines[-1])
        if process.returncode:
            errors.seek(0)
            raise BuildError((errors.read().strip() or f"status {process.returncode}").splitlines()[-1])
    return lines


def _facts_in(folder: str) -> Facts:
    """The facts of the folder's manifest, {} where there is none."""
    try:
        with open(os.path.join(folder, native.MANIFEST)) as manifest:
            lines = [line.split(" ") for line in manifest.read().splitlines()]
    except FileNotFoundError:
        return {}
    keys = [2 if words[0] in ("engine", "compilers") else 1 for words in lines]
    return {tuple(words[:count]): " ".join(words[count:]) for words, count in zip(lines, keys)}


def _write_manifest(folder: str, facts: Facts) -> None:
    path = os.path.join(folder, native.MANIFEST)
    with open(path + ".new", "w") as manifest:
        for key, words in sorted(facts.items()):
            manifest.write(" ".join(key) + " " + words + "\n")
    os.replace(path + ".new", path)


def main(words: list[str]) -> None:
    game = words.pop(0) if words and words[0] in NAMES else NAMES[0]
    unknown = [word for word in words if word not in native.NAMES]
    if unknown:
        sys.exit(
            f"bot.backends.native_build: unknown game or engine {unknown[0]}; "
            f"expected one of {', '.join(NAMES)} and then some of {', '.join(native.NAMES)}"
        )
    reason = why_impossible()
    if reason is not None:
        sys.exit(f"bot.backends.native_build: {reason}")
    try:
        folder = build(words or native.NAMES, game, report=lambda text: print(text, flush=True))
    except (BuildError, OSError) as error:
        sys.exit(f"bot.backends.native_build: {error}")
    with open(os.path.join(folder, native.MANIFEST)) as manifest:
        sys.stdout.write(f"in {folder}:\n{manifest.read()}")


if __name__ == "__main__":
    main(sys.argv[1:])
