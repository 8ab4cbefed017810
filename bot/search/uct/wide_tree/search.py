"""The steps of a wide tree's search: select, expand, evaluate, back up. For games with many moves.

search/uct/search.py has the loop that calls these kernels. A move is the child node that it leads to, and every
position on a path has a node of its own. A side may move twice in a row. The value and score of a node are for the side
that made the move to it (layout.py). The root's value and score are for its own side to move.

`make_uct(game)` closes over a game *module*. A state is a tuple of values, seen by the side to move. A margin (int64)
says how a game ends: its sign is the result, and its size, at most control[GREATEST_MARGIN], how clear the result is.
`tree` is a tree.py Tree. The game may use its arrays game_words, moves, trace and scratch. The module supplies

    load_root(positions, offset)    -> state of the position at uint16 positions[offset:]
    store(state, positions, offset) writes what load_root reads
    list_moves(state, tree)         -> (count, preferred): writes the legal moves to tree.moves, as codes >= 0 that fit
                                    16 bits, in the order in which they are to be tried; those behind the first
                                    `preferred` are to be tried last. count is 0 only if the game is over.
    play(state, move)               -> (state, again): the state after that legal move, seen by the side to move then;
                                    again is 1 if that is the side that made the move, else 0
    amaf_key(move)                  -> 0 .. MOVE_KEYS - 1; AMAF treats moves with the same key as the same move
    position_hash(state)            -> uint64; equal for equal positions
    can_reach(state, target)        -> whether moves may lead from `state` to `target`; it must be true if they do
    known_result(state)             -> (known, margin): the result, if it can be seen without search
    solve_leaf(state, tree)         -> (known, margin): the same by an exact solver; called once a leaf
    rollout(state, tree)            -> (margin, count): plays to the end and returns the margin for the side to move at
                                    its start; if control[FLAGS] has FLAG_AMAF, writes key | side << 8 of its `count`
                                    moves to tree.trace, where side 0 is the side to move at its start

Sources: PUCT in the form of Silver et al. 2017 with uniform priors; AMAF with a weight, Helmbold and Parker-Wood 2009
(alpha-AMAF).
"""

import numpy as np

from bot.kernels.arithmetic import natural_log
from bot.kernels.kernel import kernel
from bot.search.scores import PROVEN_DRAW, UNPROVEN, WIN_BASE

from ..control import (
    EXPLORATION,
    FIRST_PLAY,
    FLAG_AMAF,
    FLAG_PROOFS,
    FLAG_RELATIVE_FIRST_PLAY,
    FLAG_UCB1,
    FLAGS,
    MAX_PLIES,
    ROOT,
)
from ..search import STAND_ON_DRAW, TreeKernels, make_search, mean_with
from .layout import (
    AGAIN,
    ALPHA,
    GREATEST_MARGIN,
    HAS_DRAW,
    LEAVES_SOLVED,
    MARGIN_SHARE,
    MOVE_KEYS,
    PATH_DEPTH,
    RESERVE_PENALTY,
    SERIAL,
    SIM_MAX,
    SIM_MIN,
    SOLVE_VISITS,
)
from .tree import NO_CHECK, add_children, check_of, make_prepare_root

ITERATIONS_A_CLOCK_CHECK = 8  # about 20 us, or as long as the exact solver takes for that many leaves


@kernel
def weigh_children(tree, node):
    """Write the selection formula's value of each child of a node, also of proven children, to tree.keys.

    PUCT is mean + EXPLORATION / number of children * sqrt(N + 1) / (1 + visits). UCB1 is mean + EXPLORATION * sqrt(ln N
    / visits). N is the number of visits of the node. With AMAF, ALPHA * AMAF mean + (1 - ALPHA) * mean takes the place
    of the mean.
    """
    first, count = np.int64(tree.first_child[node]), np.int64(tree.counts[node])
    total = np.float32(tree.visits[node])
    exploration = np.float32(tree.reals[EXPLORATION])
    keys, means, visits = tree.keys[:count], tree.means[first : first + count], tree.visits[first : first + count]
    if tree.control[FLAGS] & FLAG_UCB1:
        scale = exploration * exploration * natural_log(max(total, np.float32(1)))
        for place in range(count):
            keys[place] = means[place] + np.sqrt(scale / max(np.float32(visits[place]), np.float32(1)))
    else:
        scale = exploration / np.float32(count) * np.sqrt(total + np.float32(1))
        for place in range(count):
            keys[place] = means[place] + scale / (np.float32(1) + np.float32(visits[place]))
    if tree.control[FLAGS] & FLAG_AMAF:
        alpha = np.float32(tree.reals[ALPHA])
        amaf_means = tree.amaf_means[first : first + count]
        for place in range(count):
            keys[place] += alpha * (amaf_means[place] - means[place])


@kernel
def poorest_child(tree, node):
    """Returns the unproven child with the fewest visits, or 0 if each has control[SIM_MIN] visits or more."""
    first = np.int64(tree.first_child[node])
    poorest, fewest = np.int64(0), tree.control[SIM_MIN]
    for child in range(first, first + tree.counts[node]):
        if tree.visits[child] < fewest and tree.scores[child] == UNPROVEN:
            poorest, fewest = child, np.int64(tree.visits[child])
    return poorest


@kernel
def select(tree, node):
    """Returns the child to descend to, or STAND_ON_DRAW.

    The node must be unproven and have children, so that at least one child is unproven.
    """
    if tree.control[SIM_MIN] > 0:
        poorest = poorest_child(tree, node)
        if poorest != 0:
            return poorest
    weigh_children(tree, node)
    first = np.int64(tree.first_child[node])
    best, best_key = np.int64(0), np.float32(-3e38)
    for place in range(np.int64(tree.counts[node])):
        if tree.keys[place] > best_key and tree.scores[first + place] == UNPROVEN:
            best, best_key = first + place, tree.keys[place]
    if best_key < 0 and tree.flags[node] & HAS_DRAW:
        return STAND_ON_DRAW
    return best


@kernel
def value_of_margin(tree, margin):
    """Returns the value of a margin, -1..1 (float32).

    It is a weighted mean: the margin / GREATEST_MARGIN has the weight MARGIN_SHARE, the result (1, 0 or -1) has the
    rest.
    """
    result = np.float64(1) if margin > 0 else np.float64(-1) if margin < 0 else np.float64(0)
    share = tree.reals[MARGIN_SHARE]
    return np.float32((1 - share) * result + share * (np.float64(margin) / np.float64(tree.control[GREATEST_MARGIN])))


@kernel
def score_of_margin(margin):
    """Returns the proven score of a finished game: a win if `margin` is above 0, a loss if it is below, else a draw."""
    return WIN_BASE if margin > 0 else -WIN_BASE if margin < 0 else PROVEN_DRAW


@kernel
def settled_by(tree, node, child):
    """Returns the proven score of a node for its side to move, now that `child` is proven.

    Returns UNPROVEN if the node's result still depends on unproven children.
    """
    score = np.int64(tree.scores[child])
    if score > PROVEN_DRAW:
        return score
    if score == PROVEN_DRAW:
        tree.flags[node] |= HAS_DRAW
    first = np.int64(tree.first_child[node])
    best = score
    for other in range(first, first + tree.counts[node]):
        known = np.int64(tree.scores[other])
        if known == UNPROVEN:
            return UNPROVEN
        best = max(best, known)
    return best


def make_uct(game):
    """Returns the kernels (prepare_root, search, prove_move) of the tree search for one game."""

    @kernel
    def begin(tree):
        """Number the iteration and start its path at the root."""
        tree.control[SERIAL] += 1
        tree.control[PATH_DEPTH] = 0
        tree.path[0] = tree.control[ROOT]
        tree.path[1] = 0

    @kernel
    def side_to_move(tree, depth):
        """Returns the side to move in the path's position at `depth`; 0 is the root's side to move."""
        node, mover = tree.path[2 * depth], tree.path[2 * depth + 1]
        return mover if tree.flags[node] & AGAIN else mover ^ 1

    @kernel
    def descend(tree, node, state, child, ply):
        """Play the move that leads to `child`, and note the child and the side that moves in the path.

        Returns (child, state after the move). The first visit of a child also writes what its position determines: the
        CHECKS field, and whether the same side moves again.
        """
        depth = ply + 1
        tree.path[2 * depth] = child
        tree.path[2 * depth + 1] = side_to_move(tree, ply)
        tree.control[PATH_DEPTH] = depth
        state, again = game.play(state, np.int64(tree.codes[child]))
        if tree.checks[child] == NO_CHECK:
            tree.checks[child] = check_of(game.position_hash(state))
            if again:
                tree.flags[child] |= AGAIN
        return child, state

    @kernel
    def stand(tree, node):
        """Does nothing: the backup counts the visit of this node as it does for every other node on the path."""

    @kernel
    def expand(tree, node, state):
        """Give a node its children. Returns False if the memory is full or the game is over."""
        count, preferred = game.list_moves(state, tree)
        first_play = np.float32(tree.reals[FIRST_PLAY])
        if tree.control[FLAGS] & FLAG_RELATIVE_FIRST_PLAY:
            first_play += tree.means[node] if tree.flags[node] & AGAIN else -tree.means[node]
        reserved_play = first_play - np.float32(tree.reals[RESERVE_PENALTY])
        return count != 0 and add_children(tree, node, count, preferred, first_play, reserved_play)

    @kernel
    def look(tree, node, state):
        """Returns (whether the result of a leaf is known, its margin), by the game's known_result or solve_leaf."""
        visits = np.int64(tree.visits[node])
        known, margin = False, np.int64(0)
        if visits == 0:
            known, margin = game.known_result(state)
        if not known and visits == tree.control[SOLVE_VISITS]:
            known, margin = game.solve_leaf(state, tree)
            if known:
                tree.control[LEAVES_SOLVED] += 1
        return known, margin

    @kernel
    def stamp_trace(tree, count, side):
        """Stamp the `count` moves of a rollout, which are in tree.trace, as played in this simulation.

        `side` was to move at the start of the rollout.
        """
        serial = tree.control[SERIAL]
        for place in range(count):
            entry = np.int64(tree.trace[place])
            tree.stamps[(entry // MOVE_KEYS ^ side) * MOVE_KEYS + entry % MOVE_KEYS] = serial

    @kernel
    def evaluate(tree, node, state, child, depth):
        """Returns (whether the iteration ends here, value, score). The value and the score are for the side to move.

        The iteration goes on if the node has children or gets them here. Otherwise the node is a leaf. Its value is its
        result if that is known, else the result of a rollout.
        """
        if tree.first_child[node] != 0:
            return False, np.float32(0), np.int64(UNPROVEN)
        score = np.int64(UNPROVEN)
        known, margin = look(tree, node, state)
        if known:
            if tree.control[FLAGS] & FLAG_PROOFS:
                score = score_of_margin(margin)
        else:
            if tree.visits[node] >= tree.control[SIM_MAX] and depth < MAX_PLIES - 1 and expand(tree, node, state):
                return False, np.float32(0), score
            margin, played = game.rollout(state, tree)
            if tree.control[FLAGS] & FLAG_AMAF:
                stamp_trace(tree, played, side_to_move(tree, depth))
        return True, value_of_margin(tree, margin), score

    @kernel
    def count_visit(tree, node, value):
        """Count a result in a node. `value` is for the same side as the node's field MEANS."""
        visits = tree.visits[node] + np.uint32(1)
        tree.visits[node] = visits
        tree.means[node] = mean_with(tree.means[node], visits, value)

    @kernel
    def update_siblings(tree, parent, child, side, value):
        """Update the AMAF statistics of the children of `parent`.

        Counts `value` for every child whose move `side` has made in this simulation, in the position of `parent` or
        later.
        """
        serial = tree.control[SERIAL]
        stamps = side * MOVE_KEYS
        tree.stamps[stamps + game.amaf_key(np.int64(tree.codes[child]))] = serial
        first = np.int64(tree.first_child[parent])
        for sibling in range(first, first + tree.counts[parent]):
            key = game.amaf_key(np.int64(tree.codes[sibling]))
            if tree.stamps[stamps + key] == serial:
                visits = tree.amaf_visits[sibling] + np.uint32(1)
                tree.amaf_visits[sibling] = visits
                tree.amaf_means[sibling] = mean_with(tree.amaf_means[sibling], visits, value)

    @kernel
    def moves_again(tree, ply):
        """Returns whether the side that made the path's move at `ply` also moves next."""
        return tree.flags[tree.path[2 * ply + 2]] & AGAIN != 0

    @kernel
    def count_move(tree, ply, value, score):
        """Count the result of the path's move at `ply` in the child that it leads to.

        Returns the proven score of the position before the move, or UNPROVEN if the result does not settle that
        position.
        """
        parent, child, side = tree.path[2 * ply], tree.path[2 * ply + 2], tree.path[2 * ply + 3]
        count_visit(tree, child, value)
        if tree.control[FLAGS] & FLAG_AMAF:
            update_siblings(tree, parent, child, side, value)
        if score == UNPROVEN:
            return UNPROVEN
        tree.scores[child] = score
        return settled_by(tree, parent, child)

    @kernel
    def count_root(tree, value, score):
        """Count a result in the root, and store `score` as the root's score unless it is UNPROVEN."""
        root = tree.control[ROOT]
        count_visit(tree, root, value)
        if score != UNPROVEN:
            tree.scores[root] = score

    @kernel
    def is_proven(tree):
        """Returns whether the root is proven."""
        return tree.scores[tree.control[ROOT]] != UNPROVEN

    kernels = TreeKernels(begin, select, stand, descend, evaluate, moves_again, count_move, count_root, is_proven)
    search = make_search(game, kernels, ITERATIONS_A_CLOCK_CHECK)

    @kernel
    def prove_move(tree, move, score):
        """Enter a proven score that was found elsewhere for a move at the root. `move` is the game's code of the move.

        A move that is already proven keeps its score.
        """
        root = tree.control[ROOT]
        first = np.int64(tree.first_child[root])
        for child in range(first, first + tree.counts[root]):
            if tree.codes[child] == move and tree.scores[child] == UNPROVEN:
                tree.scores[child] = score
                proven = settled_by(tree, root, child)
                if proven != UNPROVEN:
                    tree.scores[root] = proven

    return make_prepare_root(game, expand), search, prove_move
