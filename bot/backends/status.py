"""What the bot would play with on this machine, game by game, found without compiling anything.

    python -m bot.backends.status

prints one JSON object on a line for each game:

    game        its name
    kernels     "native", "numba" where numba's cache is filled, or "none": the bot compiles while it plays
    engine      the CPU level of the native engine, null without one
    reason      why it is no better, or how the engine was tried
    impossible  why no native engine can be built here, null where it can
    numba       whether numba is installed
    cache       the folder of compiled code
    weights     null for a game that has no file of them, else {"bytes": its size, "fault": what is wrong with it or ""}

The judge asks this way, as it imports no bot. Standard library only, Python 3.8 syntax.
"""

from __future__ import annotations

import importlib.util
import json

from ..games import NAMES, part_of
from . import native
from .jit import JitKernels, is_available
from .native_build import why_impossible
from .sources import cache_root, native_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def status_of(game: str) -> dict[str, Any]:
    """The facts on one game, as the module's text names them."""
    engine: str | None = None
    try:
        entry_points, self_test = part_of(game, "entry_points").ENTRY_POINTS, part_of(game, "self_test").self_test
        kernels = native.load(native_folder(game), entry_points, self_test)
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
        "weights": _weights_of(game),
    }


def _weights_of(game: str) -> dict[str, Any] | None:
    """Size and fault of the weights that come with a game, None where it has none."""
    if importlib.util.find_spec(f"bot.games.{game}.weights") is None:
        return None
    stored_weights = part_of(game, "weights.weights_file").stored_weights
    pattern_set = part_of(game, "weights.pattern_set")
    try:
        data = stored_weights()
        if data is None:
            return {"bytes": 0, "fault": "the file is not there"}
        pattern_set.unpack_weights(data)
    except OSError as error:
        return {"bytes": 0, "fault": str(error)}
    except pattern_set.WeightsError as error:
        return {"bytes": len(data), "fault": str(error)}
    return {"bytes": len(data), "fault": ""}


def main() -> None:
    """Print the facts on every game."""
    for game in NAMES:
        print(json.dumps(status_of(game)), flush=True)


if __name__ == "__main__":
    main()
