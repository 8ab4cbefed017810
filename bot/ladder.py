"""The bot as the ladder starts it, from an unpacked bundle: straight to a session, with nothing to parse.

Standard library only, Python 3.8 syntax; the first file on the start path, so the order of its imports matters.
"""

from __future__ import annotations

import gc
import os
import sys

from .backends.compiled import Kernels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


def main(game: str, folder: str, **changes: Any) -> int:
    """Play one game on stdin and stdout; the exit status.

    game: name of a package in bot.games; folder: of the bundle, its native engines below it; changes: of what
    session.build_session takes, for measurements. Arguments of the process, if they are options, are those of
    `python -m bot`.
    """
    gc.disable()  # nothing here makes cycles, and looking for them in the plain search's tree takes time
    if sys.argv[1:2] and sys.argv[1].startswith("-"):  # whatever else a platform may pass is of no interest
        from .commands.options import session_from

        return session_from(sys.argv[1:], game, folder, patient=True).run()
    kernels = Kernels(game, engines=folder)
    kernels.begin()  # a child tries the engine while the rest is imported
    from .games import adapter_of
    from .shell.player import Log
    from .shell.session import build_session

    return build_session(adapter_of(game), kernels, Log(), patient=True, **changes).run()


def end(status: int) -> NoReturn:
    """End the process at once: whatever an interpreter does at its end would keep the judge waiting."""
    os._exit(status)
