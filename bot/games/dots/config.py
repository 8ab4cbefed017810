"""The settings of the dots-and-boxes searches: the table of fields, the Settings type, and the presets.

A preset is a named Settings value. It lists what differs from DEFAULT or from another preset. The presets that
reproduce documents must stay as they are: when a default changes, its old value is written into them, and
tests/contracts/test_engine.py notices if it is not. Standard library only.
"""

from bot.search.settings import Field, SettingsError, preset_of, settings_type

from .board import EVALUATIONS

__all__ = ["DEFAULT", "FIELDS", "PRESETS", "Settings", "SettingsError", "preset"]

FIELDS = (
    Field("engine", "uct", ("uct", "alphabeta", "random"), "the search that plays, or none but chance"),
    Field("move_seconds", 0.0, (0.0, 100000.0), "time for a turn where the limit leaves more; 0: what it leaves"),
    Field("sim_min", 0, (0, 1000000), "UCT: visits that every move gets before rates decide"),
    Field("sim_max", 1, (1, 1000000), "UCT: visits of a node before it is expanded"),
    Field("merged", True, None, "UCT: a capturing run is one move: take all, or double-cross"),
    Field("double_cross", True, None, "UCT: a merged move may leave the last boxes of a run to the other side"),
    Field("alpha", 0.0, (0.0, 1.0), "UCT: weight of a move's AMAF value, the rest is that of its own visits"),
    Field("selection", "puct", ("puct", "ucb1"), "UCT: the formula that picks the move to descend"),
    Field("exploration", 8.0, (0.0, 100.0), "UCT: weight of the formula's exploration term"),
    Field("first_play", 0.0, (-100.0, 100.0), "UCT: value shown by a move before its first visit"),
    Field("relative_first_play", True, None, "UCT: count first_play from the position's own value"),
    Field("reserve_penalty", 0.3, (0.0, 100.0), "UCT: taken off first_play where a move opens a chain too early"),
    Field("one_of_equals", True, None, "UCT: of edges that do the same only one is a merged move"),
    Field("proofs", True, None, "UCT: carry proven results up the tree (MCTS-Solver)"),
    Field("margin_share", 0.0, (0.0, 1.0), "UCT: part of a result's value that the boxes decide, the rest is who wins"),
    Field("keep_tree", True, None, "UCT: keep the tree from turn to turn"),
    Field("final_move", "visits", ("visits", "mean"), "UCT: which unproven move is played"),
    Field("solver", True, None, "UCT: solve the position exactly where that can pay"),
    Field("leaf_edges", 32, (0, 112), "UCT: the solver is asked about leaves with at most so many free edges"),
    Field("leaf_nodes", 100, (1, 1000000), "UCT: positions that the solver may visit for a leaf"),
    Field("leaf_visits", 0, (0, 1000000), "UCT: visits of a leaf before the solver is asked"),
    Field("chains", True, None, "UCT: rollouts know chains: they double-cross for control and open the shortest"),
    Field("depth", 60, (1, 60), "alpha-beta: turns searched where the time suffices"),
    Field(
        "evaluation",
        "chains",
        EVALUATIONS,
        "alpha-beta: a leaf is worth the boxes, or what chains make of the rest too",
    ),
)


class Settings(settings_type(FIELDS)):
    """The settings: one value for each field in FIELDS. They are immutable; `with_values` makes changed copies."""

    __slots__ = ()


DEFAULT = Settings(*[field.default for field in FIELDS])

# The presets below reproduce the players that the project's report on this game documents. The report begins with
# playouts alone: all first moves are played out equally often, and no tree grows. Its UCT has two thresholds of visits:
# a move with fewer is tried first, and a node with fewer is not expanded. It gives no numbers for them.
_NEVER = 1000000
_UCT = DEFAULT._replace(
    sim_min=10,
    sim_max=20,
    merged=False,
    double_cross=False,
    selection="ucb1",
    exploration=1.0,
    relative_first_play=False,
    reserve_penalty=0.0,
    one_of_equals=False,
    proofs=False,
    keep_tree=False,
    solver=False,
    leaf_edges=0,
    leaf_nodes=1,
    chains=False,
    depth=6,
)

PRESETS = {
    "default": DEFAULT,
    "random": _UCT._replace(engine="random"),
    "mc": _UCT._replace(sim_min=_NEVER, sim_max=_NEVER, final_move="mean"),
    "uct": _UCT,
    "merged": _UCT._replace(merged=True, double_cross=True),
    "amaf": _UCT._replace(merged=True, double_cross=True, alpha=0.5),
    "alphabeta": _UCT._replace(engine="alphabeta", depth=60),
}


def preset(name):
    """Returns the settings of the preset whose present or former name is `name`.

    Raises SettingsError, which lists the valid names, if there is no such preset.
    """
    return preset_of(PRESETS, name, "dots")
