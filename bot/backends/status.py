"""Reports which kernels the bot would play with on this machine, for each game, without compiling anything.

    python -m bot.backends.status

prints one JSON object on a line for each game:

    game        its name
    kernels     "native"; "numba" if numba's cache is filled; "none" if the bot would compile while it plays
    engine      the CPU level of the native engine, null if there is none
    reason      how the native engine was tested and why no better one was chosen; or why there is none
    impossible  why no native engine can be built here, null if engines can be built
    numba       whether numba is installed
    cache       the folder of compiled code
    data_fault  what is wrong with the data files that come with the game; "" if nothing is, null if there are none

The judge runs this command, because it does not import the bot. Standard library only.
"""

from __future__ import annotations

import json
from typing import Any

from ..games import NAMES, fault_in_data, has_data, part_of
from . import native
from .jit import JitKernels, is_available
from .native_build import why_impossible
from .sources import cache_root, engines_folder


def status_of(game: str) -> dict[str, Any]:
    """Returns the facts about one game as {name: value}, with the names that the module's docstring lists."""
    engine: str | None = None
    try:
        kernels = native.load(engines_folder(game), part_of(game, "self_test").self_test)
        found, engine, reason = "native", kernels.name, kernels.reason
    except native.NativeUnavailable as error:
        found, reason = "numba" if JitKernels(game).ready() else "none", str(error)
    return {
        "game": game,
        "kernels": found,
        "engine": engine,
        "reason": reason,
        "impossible": why_impossible(),
        "numba": is_available(),
        "cache": cache_root(),
        "data_fault": fault_in_data(game) if has_data(game) else None,
    }


def main() -> None:
    """Print the facts about every game."""
    for game in NAMES:
        print(json.dumps(status_of(game)), flush=True)


if __name__ == "__main__":
    main()
