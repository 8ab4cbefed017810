"""Every knob of the connect-four search as one typed value; presets.py names some values. Standard library only."""
from protocol.value_types import value_type

from .board import AVOID, BLOCK, PAIRS, RESERVE, TAKE_WINS


class SettingsError(ValueError):
    """A setting that does not exist or a value it cannot take; the message says what is expected."""


_Field = value_type("_Field", "name default allowed meaning")

# allowed: (lowest, highest) for numbers, a tuple of words for choices, None for booleans.
_FIELDS = (
    _Field("engine", "uct", ("uct", "alphabeta"), "the search that plays"),
    _Field("move_seconds", 0.0, (0.0, 100000.0), "time for a move where the limit leaves more; 0: what the limit leaves"),
    _Field("root_tactics", "look_ahead", ("look_ahead", "win", "none"),
           "answered before any search: all that one look ahead settles, a win in 1, or nothing"),
    _Field("selection", "puct", ("puct", "ucb1"), "the formula that picks the edge to descend"),
    _Field("exploration", 3.0, (0.0, 100.0), "weight of the formula's exploration term"),
    _Field("first_play", 0.0, (-100.0, 100.0), "mean shown by an edge before its first visit"),
    _Field("relative_first_play", True, None, "count first_play from the parent's value of the position"),
    _Field("reserve_penalty", 0.5, (0.0, 100.0), "taken off first_play for a reserved edge"),
    _Field("expand_visits", 1, (1, 1000000), "visits of an edge before it gets a node"),
    _Field("proofs", True, None, "carry proven results up the tree (MCTS-Solver)"),
    _Field("draw_proofs", True, None, "proven draws are carried up too, not only wins and losses"),
    _Field("rollout_proofs", True, None, "a rollout forced throughout proves its leaf"),
    _Field("share", True, None, "transposed positions share their subtree"),
    _Field("keep_tree", True, None, "keep the tree from turn to turn"),
    _Field("think_when_forced", True, None, "with one move left to choose, still spend the time on the tree"),
    _Field("final_move", "visits", ("visits", "mean"), "which unproven move is returned"),
    _Field("tree_wins", True, None, "in the tree: a win in 1 settles a node"),
    _Field("tree_blocks", True, None, "in the tree: block an opponent's win in 1"),
    _Field("tree_avoid", True, None, "in the tree: leave out moves under the opponent's winning cell"),
    _Field("tree_reserve", True, None, "in the tree: try columns that only the opponent may not play last"),
    _Field("rollout_wins", True, None, "in rollouts: take a win in 1"),
    _Field("rollout_blocks", True, None, "in rollouts: block an opponent's win in 1"),
    _Field("rollout_avoid", True, None, "in rollouts: do not play under the opponent's winning cell"),
    _Field("rollout_reserve", True, None, "in rollouts: keep columns that only the opponent may not play"),
    _Field("rollout_pairs", True, None, "in rollouts: win by two winning cells, one above the other"),
    _Field("rollout_follow", 7, (0, 9), "in rollouts: prefer the column just played in; its lot loses so many of 9 bits"),
    _Field("rollout_even", 1, (0, 9), "in rollouts: prefer columns with an odd number of free cells, in the same way"),
    _Field("solver", True, None, "solve the position exactly beside the tree when that can pay"),
    _Field("depth", 4, (1, 60), "alpha-beta: plies searched; with adaptive_depth, in the first turn"),
    _Field("evaluation", "open_runs", ("runs", "open_runs"),
           "alpha-beta leaf: all runs of two and three, or those that can still become four soon"),
    _Field("nearest_win", True, None, "alpha-beta: a win is worth more the sooner it comes"),
    _Field("centre_opening", True, None, "alpha-beta: in the opening prefer the columns near the centre"),
    _Field("trial_depth", 3, (0, 10), "alpha-beta: plies of a first search that orders the root's moves; 0: none"),
    _Field("adaptive_depth", True, None, "alpha-beta: let the time used decide how deep the next search goes"),
)
_BY_NAME = {field.name: field for field in _FIELDS}
_BOOLEANS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


class Settings(value_type("_SettingsTuple", [field.name for field in _FIELDS])):
    """One value for each field of the table above; immutable. `with_values` makes changed copies."""

    __slots__ = ()

    def with_values(self, assignments):
        """A copy changed by KEY=VALUE texts. Raises SettingsError naming the key and what it takes."""
        changes = {}
        for assignment in assignments:
            key, equals, text = assignment.partition("=")
            if not equals:
                raise SettingsError("setting %r: expected KEY=VALUE" % assignment)
            if key not in _BY_NAME:
                raise SettingsError("setting %r: unknown; expected one of %s" % (key, ", ".join(_BY_NAME)))
            changes[key] = _parse(_BY_NAME[key], text)
        return self._replace(**changes)

    def rollout_policy(self):
        """The rollouts' tactics as board.py's policy bits."""
        return _policy(self.rollout_wins, self.rollout_blocks, self.rollout_avoid, self.rollout_reserve,
                       self.rollout_pairs)

    def tree_policy(self):
        """The tree's tactics as board.py's policy bits."""
        return _policy(self.tree_wins, self.tree_blocks, self.tree_avoid, self.tree_reserve)


def _policy(wins, blocks, avoid, reserve, pairs=False):
    return wins * TAKE_WINS | blocks * BLOCK | avoid * AVOID | reserve * RESERVE | pairs * PAIRS


def _parse(field, text):
    """The value of a field from its text, or SettingsError."""
    if field.allowed is None:
        if text.lower() not in _BOOLEANS:
            raise SettingsError("setting %s: expected true or false, got %r" % (field.name, text))
        return _BOOLEANS[text.lower()]
    if isinstance(field.default, str):
        if text not in field.allowed:
            raise SettingsError("setting %s: expected one of %s, got %r" % (field.name, ", ".join(field.allowed), text))
        return text
    kind = type(field.default)
    lowest, highest = field.allowed
    try:
        value = kind(text)
    except ValueError:
        value = None
    if value is None or not lowest <= value <= highest:
        raise SettingsError("setting %s: expected %s from %s to %s, got %r" % (
            field.name, "a whole number" if kind is int else "a number", lowest, highest, text))
    return value


DEFAULT = Settings(*[field.default for field in _FIELDS])


def describe():
    """(name, default, meaning) of every setting, for help texts."""
    return [(field.name, field.default, field.meaning) for field in _FIELDS]
