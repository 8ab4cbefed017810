"""Named settings: the default, and the players of the program that the project's seed of this game documents.

Each is spelt out, or is another spelt-out one with changes, so that it stays what it is when defaults change.
Standard library only.
"""

from bot.search.settings import preset_of

from .settings import DEFAULT, Settings

# Seed 004 begins with playouts alone: every first move is played out as often as the others, and no tree grows.
# Its UCT has thresholds of visits, below which a move is tried and a node is not expanded; it names no numbers.
_NEVER = 1000000
_SEED004_UCT = Settings(
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
    "random": _SEED004_UCT._replace(engine="random"),
    "seed004-mc": _SEED004_UCT._replace(sim_min=_NEVER, sim_max=_NEVER, final_move="mean"),
    "seed004-uct": _SEED004_UCT,
    "seed004-merged": _SEED004_UCT._replace(merged=True, double_cross=True),
    "seed004-amaf": _SEED004_UCT._replace(merged=True, double_cross=True, alpha=0.5),
    "seed004-alphabeta": _SEED004_UCT._replace(engine="alphabeta", depth=60),
}


def preset(name):
    """The Settings of that name. Raises SettingsError listing the names there are."""
    return preset_of(PRESETS, name)
