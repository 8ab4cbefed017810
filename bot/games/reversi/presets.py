"""Named settings: the default, and the players of the Othello program that the project's report on this game documents.

Each is spelt out, or is another spelt-out one with changes, so that it stays what it is when defaults change.
Standard library only.
"""

from bot.search.settings import preset_of

from .board import EVALUATIONS
from .settings import DEFAULT, Settings

# 8 plies, once as minimax and once as alpha-beta, which plays the same moves sooner.
_DOCUMENTED = Settings(engine="alphabeta", move_seconds=0.0, depth=8, evaluation="combined", pruning=True)

PRESETS = {"default": DEFAULT, "random": _DOCUMENTED._replace(engine="random")}
for _name in EVALUATIONS:
    PRESETS["minimax-" + _name] = _DOCUMENTED._replace(evaluation=_name, pruning=False)
    PRESETS["alphabeta-" + _name] = _DOCUMENTED._replace(evaluation=_name)


def preset(name):
    """The Settings of that name, or of the name it had before. Raises SettingsError listing the names there are."""
    return preset_of(PRESETS, name, "reversi")
