"""The local judge: referees games between two bot processes, measures which bot is stronger, and replays games.

The judge imports protocol, rich, psutil and scipy. It never imports the bot or numba, so that a fault in the bot's
rules cannot hide in the judge's rules. Rows count from 0 at the top, columns from 0 at the left.

`from judge import run_game, run_match` plays games from Python: judge/interface.py and docs/python.md describe it.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judge.interface import PlayedGame, PlayedMatch, Player, Position, plot, run_game, run_match

__all__ = ["PlayedGame", "PlayedMatch", "Player", "Position", "plot", "run_game", "run_match"]


def __getattr__(name: str) -> Any:
    """Import judge.interface on first use and return its attribute `name`. The commands start without that import."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from judge import interface

    return getattr(interface, name)
