"""Every knob of the reversi searches as one typed value; presets.py names some values. Standard library only."""

from bot.search.settings import Field, SettingsError, settings_type

from .board import EVALUATIONS

__all__ = ["DEFAULT", "Settings", "SettingsError"]

_FIELDS = (
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


class Settings(settings_type(_FIELDS)):
    """One value for each field of the table above; immutable. `with_values` makes changed copies."""

    __slots__ = ()


DEFAULT = Settings(*[field.default for field in _FIELDS])
