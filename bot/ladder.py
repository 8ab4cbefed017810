"""The bot as the ladder starts it from an unpacked bundle: it goes straight to a session, without parsing options.

Standard library only, Python 3.8 syntax. This is the first file on the start path, so the order of its imports decides
how fast the bot starts.
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
    """Play one game on stdin and stdout. Returns the exit status.

    `game` is the name of a package in bot.games. `folder` is the unpacked bundle's folder, in which the native engines
    lie. `changes`, which only measurements use, are keyword arguments for session.build_session. If the process's first
    argument is an option, all arguments are parsed in the way of `python -m bot`, and `changes` are ignored.
    """
    gc.disable()  # nothing here makes cycles, and looking for them in the plain search's tree takes time
    if sys.argv[1:2] and sys.argv[1].startswith("-"):  # anything else that a platform may pass is ignored
        from .commands.options import session_from

        return session_from(sys.argv[1:], game, folder, patient=True).run()
    kernels = Kernels(game, engines=folder)
    kernels.begin()  # a child process tests the engine while the rest is imported
    from .games import adapter_of
    from .shell.player import Log
    from .shell.session import build_session

    return build_session(adapter_of(game), kernels, Log(), patient=True, **changes).run()


def end(status: int) -> NoReturn:
    """End the process at once, because the interpreter's own shutdown would keep the judge waiting."""
    os._exit(status)
