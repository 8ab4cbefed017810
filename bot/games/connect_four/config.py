"""The settings of the connect-four searches: the table of fields, the Settings type, and the presets.

A preset is a named Settings value. It lists what differs from DEFAULT or from another preset. The presets that
reproduce documents must stay as they are: when a default changes, its old value is written into them, and
tests/contracts/test_engine.py notices if it is not. Standard library only.
"""

from bot.search.settings import Field, SettingsError, preset_of, settings_type

from .board import AVOID, BLOCK, PAIRS, RESERVE, TAKE_WINS

__all__ = ["DEFAULT", "FIELDS", "PRESETS", "Settings", "SettingsError", "preset"]

FIELDS = (
    Field("engine", "uct", ("uct", "alphabeta"), "the search that plays"),
    Field("move_seconds", 0.0, (0.0, 100000.0), "time for a move where the limit leaves more; 0: what it leaves"),
    Field(
        "root_tactics",
        "look_ahead",
        ("look_ahead", "win", "none"),
        "answered before any search: all that one look ahead settles, a win in 1, or nothing",
    ),
    Field("selection", "puct", ("puct", "ucb1"), "the formula that picks the edge to descend"),
    Field("exploration", 3.0, (0.0, 100.0), "weight of the formula's exploration term"),
    Field("first_play", 0.0, (-100.0, 100.0), "mean shown by an edge before its first visit"),
    Field("relative_first_play", True, None, "count first_play from the parent's value of the position"),
    Field("reserve_penalty", 0.5, (0.0, 100.0), "taken off first_play for a reserved edge"),
    Field("expand_visits", 1, (1, 1000000), "visits of an edge before it gets a node"),
    Field("proofs", True, None, "carry proven results up the tree (MCTS-Solver)"),
    Field("draw_proofs", True, None, "proven draws are carried up too, not only wins and losses"),
    Field("rollout_proofs", True, None, "a rollout forced throughout proves its leaf"),
    Field("share", True, None, "transposed positions share their subtree"),
    Field("keep_tree", True, None, "keep the tree from turn to turn"),
    Field(
        "final_move",
        "likely",
        ("visits", "mean", "likely"),
        "which unproven move is returned: the most visited, the highest mean, or the highest mean among likely moves",
    ),
    Field("tree_wins", True, None, "in the tree: a win in 1 settles a node"),
    Field("tree_blocks", True, None, "in the tree: block an opponent's win in 1"),
    Field("tree_avoid", True, None, "in the tree: leave out moves under the opponent's winning cell"),
    Field("tree_reserve", True, None, "in the tree: try last the columns that only the opponent may not play in"),
    Field("rollout_wins", True, None, "in rollouts: take a win in 1"),
    Field("rollout_blocks", True, None, "in rollouts: block an opponent's win in 1"),
    Field("rollout_avoid", True, None, "in rollouts: do not play under the opponent's winning cell"),
    Field("rollout_reserve", True, None, "in rollouts: keep columns that only the opponent may not play in"),
    Field("rollout_pairs", True, None, "in rollouts: win by two winning cells, one above the other"),
    Field(
        "rollout_follow", 7, (0, 9), "in rollouts: prefer the column just played in; its key loses so many of 9 bits"
    ),
    Field("rollout_even", 1, (0, 9), "in rollouts: prefer columns with an odd number of free cells, in the same way"),
    Field(
        "rollout_reply",
        0,
        (0, 9),
        "in rollouts with every tactic: prefer what has last won after the stone just played, in the same way",
    ),
    Field("network_share", 0.4, (0.0, 1.0), "part of a leaf's value that the network says, the rollout the rest"),
    Field("policy_share", 0.7, (0.0, 1.0), "part of a move's prior that the policy says, an even prior the rest"),
    Field("policy_visits", 8, (1, 1000000), "visits of a node before it gets the policy's priors"),
    Field("solver", True, None, "solve the position exactly beside the tree when that can pay"),
    Field("depth", 4, (1, 60), "alpha-beta: plies searched; with adaptive_depth, in the first turn"),
    Field(
        "evaluation",
        "open_runs",
        ("runs", "open_runs"),
        "alpha-beta leaf: all runs of two and three, or those that can still become four soon",
    ),
    Field("nearest_win", True, None, "alpha-beta: a win is worth more the sooner it comes"),
    Field("centre_opening", True, None, "alpha-beta: in the opening prefer the columns near the centre"),
    Field("trial_depth", 3, (0, 10), "alpha-beta: plies of a first search that orders the root's moves; 0: none"),
    Field("adaptive_depth", True, None, "alpha-beta: let the time used decide how deep the next search goes"),
)


class Settings(settings_type(FIELDS)):
    """The settings: one value for each field in FIELDS. They are immutable; `with_values` makes changed copies."""

    __slots__ = ()

    def rollout_policy(self):
        """Returns the tactics that rollouts use, as policy bits of board.py."""
        return _policy(
            self.rollout_wins, self.rollout_blocks, self.rollout_avoid, self.rollout_reserve, self.rollout_pairs
        )

    def tree_policy(self):
        """Returns the tactics that the tree uses, as policy bits of board.py."""
        return _policy(self.tree_wins, self.tree_blocks, self.tree_avoid, self.tree_reserve)


def _policy(wins, blocks, avoid, reserve, pairs=False):
    return wins * TAKE_WINS | blocks * BLOCK | avoid * AVOID | reserve * RESERVE | pairs * PAIRS


DEFAULT = Settings(*[field.default for field in FIELDS])

# The value of an edge before its first visit. It is greater than the value of any visited edge, so that every move is
# tried once.
_TRIED_FIRST = 100.0

# The first release.
_PUCT_BASIC = DEFAULT._replace(
    final_move="visits",
    rollout_pairs=False,
    rollout_follow=0,
    rollout_even=0,
    network_share=0.0,
    policy_share=0.0,
    solver=False,
)

# The presets below reproduce the systems of the documents that started the project. They have no tactics, proofs or
# shared subtrees that those systems did not have. docs/references.md has the sources, protocol/preset_names.py the
# former names.
#
# The first report's UCT has three versions. In the second one, rollouts win or block if they can. In the third one, a
# chain of forced moves to the end of the game counts as a terminal, and what terminals prove is carried up. The report
# speaks of won and lost children only, so draws are not carried up.
_UCT_PLAIN = DEFAULT._replace(
    root_tactics="none",
    selection="ucb1",
    exploration=1.0,
    first_play=_TRIED_FIRST,
    relative_first_play=False,
    reserve_penalty=0.0,
    proofs=False,
    draw_proofs=False,
    rollout_proofs=False,
    share=False,
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
    network_share=0.0,
    policy_share=0.0,
    solver=False,
    evaluation="runs",
    nearest_win=False,
    centre_opening=False,
    trial_depth=0,
    adaptive_depth=False,
)
_UCT_FORCED = _UCT_PLAIN._replace(rollout_wins=True, rollout_blocks=True)
_UCT_PROOFS = _UCT_FORCED._replace(proofs=True, rollout_proofs=True)

_UCT_FRESH_TREE = _UCT_PLAIN._replace(move_seconds=2.5, root_tactics="win", keep_tree=False)

# The third report selects by Q + c sqrt(2 ln N / n), and this bot by Q + exploration sqrt(ln N / n). The report's
# search never visits terminals again, whatever their value, so draws are proofs here. It expands moves in column order.
# So does this bot, because it selects the first of equal edges.
_MCTS = _UCT_PLAIN._replace(
    move_seconds=2.0, exploration=0.8 * 2**0.5, proofs=True, draw_proofs=True, final_move="visits"
)

_ALPHABETA_BASIC = _UCT_PLAIN._replace(engine="alphabeta")
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
    """Returns the settings of the preset whose present or former name is `name`.

    Raises SettingsError, which lists the valid names, if there is no such preset.
    """
    return preset_of(PRESETS, name, "connect_four")
