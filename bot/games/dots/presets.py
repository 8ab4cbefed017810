"""Named settings: the default, and the players of the program that the project's report on this game documents.

Each is spelt out, or is another spelt-out one with changes, so that it stays what it is when defaults change.
Standard library only.
"""

from bot.search.settings import preset_of

from .settings import DEFAULT, Settings

# The report begins with playouts alone: every first move is played out as often as the others, and no tree grows.
# Its UCT has thresholds of visits, below which a move is tried and a node is not expanded; it names no numbers.
_NEVER = 1000000
_UCT = Settings(
    engine="uct",
    move_seconds=0.0,
    sim_min=10,
    sim_max=20,
    merged=False,
    double_cross=False,
    alpha=0.0,
    selection="ucb1",
    exploration=1.0,
    first_play=0.0,
    relative_first_play=False,
    reserve_penalty=0.0,
    one_of_equals=False,
    proofs=False,
    margin_share=0.0,
    keep_tree=False,
    final_move="visits",
    solver=False,
    leaf_edges=0,
    leaf_nodes=1,
    leaf_visits=0,
    chains=False,
    depth=6,
    evaluation="chains",
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
    """The Settings of that name, or of the name it had before. Raises SettingsError listing the names there are."""
    return preset_of(PRESETS, name, "dots")
