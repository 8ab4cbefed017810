"""Named settings: the default, and the players of the Othello program that the project's second seed documents.

Each is spelt out, or is another spelt-out one with changes, so that it stays what it is when defaults change.
Standard library only.
"""

from bot.search.settings import preset_of

from .rules.board import EVALUATIONS
from .settings import DEFAULT, Settings

# Seed 002: 8 plies, once as minimax and once as alpha-beta, which plays the same moves sooner.
_SEED002 = Settings(engine="alphabeta", move_seconds=0.0, depth=8, evaluation="combined", pruning=True)

PRESETS = {"default": DEFAULT, "random": _SEED002._replace(engine="random")}
for _name in EVALUATIONS:
    PRESETS["seed002-minimax-" + _name] = _SEED002._replace(evaluation=_name, pruning=False)
    PRESETS["seed002-alphabeta-" + _name] = _SEED002._replace(evaluation=_name)


def preset(name):
    """The Settings of that name. Raises SettingsError listing the names there are."""
    return preset_of(PRESETS, name)
