"""Named settings: the default, the first release, and the systems of the documents that started the project.

Each is spelt out, or is another spelt-out one with changes, so that it stays what it is when defaults change. The
documents' systems are what these say of them and no more: no tactics, proofs or shared subtrees of our own.
docs/references.md has each preset's source; protocol/preset_names.py the names they had. Standard library only.
"""

from bot.search.settings import preset_of

from .settings import DEFAULT, Settings

# Shown by an edge before its first visit: above every value a visited one can have, so every move is tried once.
_TRIED_FIRST = 100.0

_PUCT_BASIC = Settings(
    engine="uct",
    move_seconds=0.0,
    root_tactics="look_ahead",
    selection="puct",
    exploration=3.0,
    first_play=0.0,
    relative_first_play=True,
    reserve_penalty=0.5,
    expand_visits=1,
    proofs=True,
    draw_proofs=True,
    rollout_proofs=True,
    share=True,
    keep_tree=True,
    think_when_forced=True,
    final_move="visits",
    tree_wins=True,
    tree_blocks=True,
    tree_avoid=True,
    tree_reserve=True,
    rollout_wins=True,
    rollout_blocks=True,
    rollout_avoid=True,
    rollout_reserve=True,
    rollout_pairs=False,
    rollout_follow=0,
    rollout_even=0,
    rollout_reply=0,
    network_share=0.0,
    solver=False,
    depth=4,
    evaluation="open_runs",
    nearest_win=True,
    centre_opening=True,
    trial_depth=3,
    adaptive_depth=True,
)

# The first report's UCT in three versions. The second one's rollouts win or block where they can; in the third such a
# chain of forced moves to the end is a terminal, and what terminals prove is passed up. The text speaks of won and lost
# children only, so draws are not passed up.
_UCT_PLAIN = Settings(
    engine="uct",
    move_seconds=0.0,
    root_tactics="none",
    selection="ucb1",
    exploration=1.0,
    first_play=_TRIED_FIRST,
    relative_first_play=False,
    reserve_penalty=0.0,
    expand_visits=1,
    proofs=False,
    draw_proofs=False,
    rollout_proofs=False,
    share=False,
    keep_tree=True,
    think_when_forced=True,
    final_move="mean",
    tree_wins=False,
    tree_blocks=False,
    tree_avoid=False,
    tree_reserve=False,
    rollout_wins=False,
    rollout_blocks=False,
    rollout_avoid=False,
    rollout_reserve=False,
    rollout_pairs=False,
    rollout_follow=0,
    rollout_even=0,
    rollout_reply=0,
    network_share=0.0,
    solver=False,
    depth=4,
    evaluation="runs",
    nearest_win=False,
    centre_opening=False,
    trial_depth=0,
    adaptive_depth=False,
)
_UCT_FORCED = _UCT_PLAIN._replace(rollout_wins=True, rollout_blocks=True)
_UCT_PROOFS = _UCT_FORCED._replace(proofs=True, rollout_proofs=True)

_UCT_FRESH_TREE = _UCT_PLAIN._replace(move_seconds=2.5, root_tactics="win", keep_tree=False)

# The third report's index is Q + c sqrt(2 ln N / n), ours Q + exploration sqrt(ln N / n). Terminals are never visited
# again, whatever their value, so draws are proofs here. Moves are expanded in column order: of equal edges the
# selection takes the first.
_MCTS = _UCT_PLAIN._replace(
    move_seconds=2.0, exploration=0.8 * 2**0.5, proofs=True, draw_proofs=True, final_move="visits"
)

_ALPHABETA_BASIC = _UCT_PLAIN._replace(
    engine="alphabeta",
    depth=4,
    evaluation="runs",
    nearest_win=False,
    centre_opening=False,
    trial_depth=0,
    adaptive_depth=False,
)
_ALPHABETA = _ALPHABETA_BASIC._replace(
    depth=8, evaluation="open_runs", nearest_win=True, centre_opening=True, trial_depth=3, adaptive_depth=True
)

PRESETS = {
    "default": DEFAULT,
    "puct-basic": _PUCT_BASIC,
    "uct-plain": _UCT_PLAIN,
    "uct-forced": _UCT_FORCED,
    "uct-proofs": _UCT_PROOFS,
    "uct-fresh-tree": _UCT_FRESH_TREE,
    "alphabeta-basic": _ALPHABETA_BASIC,
    "alphabeta": _ALPHABETA,
    "mcts": _MCTS,
}


def preset(name):
    """The Settings of that name, or of the name it had before. Raises SettingsError listing the names there are."""
    return preset_of(PRESETS, name, "connect_four")
