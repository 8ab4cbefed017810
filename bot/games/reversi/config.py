"""The settings of the reversi searches: the table of fields, the Settings type, and the presets.

A preset is a named Settings value. It lists what differs from DEFAULT or from another preset. The presets that
reproduce documents must stay as they are: when a default changes, its old value is written into them, and
tests/contracts/test_engine.py notices if it is not. Standard library only.
"""

from bot.search.settings import Field, SettingsError, preset_of, settings_type

from .board import EVALUATIONS

__all__ = ["DEFAULT", "FIELDS", "PRESETS", "Settings", "SettingsError", "preset"]

FIELDS = (
    Field(
        "engine",
        "pvs",
        ("pvs", "alphabeta", "random"),
        "the search that plays: the strong one of 8x8, one for every size of board, or none but chance",
    ),
    Field("move_seconds", 0.0, (0.0, 100000.0), "time for a move where the limit leaves more; 0: what it leaves"),
    Field("depth", 8, (1, 60), "alpha-beta: plies searched where the time suffices"),
    Field("evaluation", "combined", EVALUATIONS, "alpha-beta: what a leaf is worth"),
    Field("pruning", True, None, "alpha-beta: leave out what cannot change the result; without it, minimax"),
)


class Settings(settings_type(FIELDS)):
    """The settings: one value for each field in FIELDS. They are immutable; `with_values` makes changed copies."""

    __slots__ = ()


DEFAULT = Settings(*[field.default for field in FIELDS])

# The presets below reproduce the players of the Othello program that the project's report on this game documents. They
# search 8 plies, by minimax or by alpha-beta, which finds the same moves in less time.
_DOCUMENTED = DEFAULT._replace(engine="alphabeta")

PRESETS = {"default": DEFAULT, "random": _DOCUMENTED._replace(engine="random")}
for _name in EVALUATIONS:
    PRESETS["minimax-" + _name] = _DOCUMENTED._replace(evaluation=_name, pruning=False)
    PRESETS["alphabeta-" + _name] = _DOCUMENTED._replace(evaluation=_name)


def preset(name):
    """Returns the settings of the preset whose present or former name is `name`.

    Raises SettingsError, which lists the valid names, if there is no such preset.
    """
    return preset_of(PRESETS, name, "reversi")
