"""`python -m bot.compiled [OPTION ..] [GAME ..]`: prepares the kernels of the games named, or of all games.

On this machine it builds a native engine for each game, if it can, and fills numba's cache otherwise. It also checks
the data files that come with a game. Options:

    --progress         report how far building is, in lines `progress GAME SHARE`, SHARE from 0 to 1
    --backend NAME     as the bot takes it: `jit` fills numba's cache
    --without-data     do not check the data: the programs that learn the data run without them

Exit status: 0 on success, 1 if a game gets no compiled engine, DATA_STATUS if data are missing or damaged.
"""

from __future__ import annotations

import argparse
import sys

from ..games import NAMES, fault_in_data
from . import jit, native_build
from .compiled import BACKENDS, JIT, NATIVE, Kernels, KernelsUnavailable

DATA_STATUS = 3


def main(words: list[str]) -> None:
    """Prepare the kernels of the games that the command line `words` names. Prints a line to stdout for every game."""
    parser = _parser()
    options = parser.parse_args(words)
    unknown = [game for game in options.games if game not in NAMES]
    if unknown:
        parser.error(f"unknown game {unknown[0]!r}; expected some of {', '.join(NAMES)}")
    for game in options.games or NAMES:
        fault = "" if options.without_data else fault_in_data(game)
        if fault:
            print(f"{game}: {fault}", file=sys.stderr)
            sys.exit(DATA_STATUS)
        if options.backend == JIT or not _has_native(game, options.backend, options.progress):
            jit.main([game])


def _has_native(game: str, backend: str, tells_progress: bool) -> bool:
    """Load the native engine that `backend` stands for, and build it first if it is missing.

    Returns whether it is ready. With `tells_progress`, prints how far building is. If there is no native engine and
    `backend` does not allow numba, ends the program.
    """
    try:
        name = Kernels(game, NATIVE if backend == "auto" else backend).load().name
        print(f"{game}: the native engine {name} is ready", flush=True)
        return True
    except KernelsUnavailable:
        pass
    reason = native_build.why_impossible() or _why_not_built(game, backend, tells_progress)
    if reason is None:
        print(f"{game}: the native engine is ready", flush=True)
        return True
    if backend != "auto":
        sys.exit(f"{game}: no native engine: {reason}")
    print(f"{game}: no native engine: {reason}", flush=True)
    return False


def _why_not_built(game: str, backend: str, tells_progress: bool) -> str | None:
    def tell(share: float) -> None:
        if tells_progress:
            print(f"progress {game} {share:.3f}", flush=True)

    def report(text: str) -> None:
        print(text, flush=True)

    if backend in ("auto", NATIVE):
        return native_build.build_for_this_cpu(game, report, tell)
    try:
        native_build.build([backend], game, report=report, progress=tell)
    except (native_build.BuildError, OSError) as error:
        return str(error)
    return None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bot.compiled", description="Get what the bot plays with ready.")
    parser.add_argument("games", nargs="*", metavar="GAME", help=", ".join(NAMES))
    parser.add_argument("--progress", action="store_true")
    parser.add_argument("--backend", choices=[name for name in BACKENDS if name != "python"], default="auto")
    parser.add_argument("--without-data", action="store_true")
    return parser
