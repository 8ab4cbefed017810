"""The local judge: referees two bot processes, measures which is stronger, replays what happened.

Imports protocol, rich, psutil and scipy; never the bot and never numba, so that a fault in the
bot's rules cannot hide in the judge's. Rows count from 0 at the top, columns from 0 at the left.

`from judge import run_game, run_match` plays games from Python: judge/interface.py, docs/python.md.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judge.interface import PlayedGame, PlayedMatch, Player, Position, run_game, run_match

__all__ = ["PlayedGame", "PlayedMatch", "Player", "Position", "run_game", "run_match"]


def __getattr__(name: str) -> Any:
    """Return a name of judge.interface; the commands, which need none, start without it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from judge import interface

    return getattr(interface, name)
