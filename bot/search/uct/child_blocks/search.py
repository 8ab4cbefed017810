"""UCT for games of many moves, where a side may move twice running: every position on a path has a node of its own.

The loop is search/uct/loop.py's; here is what it does with such a tree, in which a move is the child that it leads to.
`make_uct(game)` closes over a game *module*. A state is a tuple of values, seen by the side to move; a margin is an
int64 that says by its sign how a game ends, by its size how clearly, at most control[GREATEST_MARGIN]. `tree` is the
Tree with its control block and the game's own places. The module supplies

    load_root(positions, offset)    -> state of the position at uint16 positions[offset:]
    store(state, positions, offset) writes what load_root reads
    list_moves(state, tree)         -> (count, preferred): writes the legal moves to tree.moves, codes >= 0 that fit
                                    16 bits, in the order of trial; those behind the first `preferred` are to be tried
                                    last. count 0 only where the game is over.
    play(state, move)               -> (state, again): after that legal move, seen by who is to move then; again: that
                                    is the side that made the move, 1 or 0
    amaf_key(move)                  -> 0 .. MOVE_KEYS - 1: moves that AMAF takes for the same
    position_hash(state)            -> uint64; equal for equal positions
    can_reach(state, target)        -> whether moves might lead from a state to another one; true where they do
    known_result(state)             -> (known, margin): the result where it can be seen without search
    solve_leaf(state, tree)         -> (known, margin): the same by an exact solver, asked once a leaf
    rollout(state, tree)            -> (margin, count): plays to the end and gives the margin for the side to move at
                                    its start; where control[FLAGS] has FLAG_AMAF, writes key | side << 8 of its moves
                                    to tree.trace, side 0 being the one to move at its start

Sources: PUCT in the form of Silver et al. 2017 with uniform priors; AMAF with a weight, Helmbold and Parker-Wood 2009
(alpha-AMAF).
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.search.scores import UNPROVEN

from ..loop import TreeKernels, make_search
from ..proofs import mean_with
from .layout import (
    AGAIN,
    FLAG_AMAF,
    FLAG_PROOFS,
    FLAGS,
    HAS_DRAW,
    LEAVES_SOLVED,
    MAX_PLIES,
    MOVE_KEYS,
    PATH_DEPTH,
    ROOT,
    SERIAL,
    SIM_MAX,
    SOLVE_VISITS,
)
from .proofs import score_of_margin, settled_by, value_of_margin
from .root import NO_CHECK, check_of, make_root
from .select import select

ITERATIONS_A_CLOCK_CHECK = 8  # some 20 us, or what so many leaves cost an exact solver


def make_uct(game):
    """Kernels (prepare_root, search, prove_move) of the UCT for one game."""
    expand, prepare_root = make_root(game)

    @kernel
    def look(tree, node, state):
        """(whether the result of a leaf is known, its margin) by looking at it or by the exact solver."""
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
    def begin(tree):
        """Number the iteration, and begin its path at the root."""
        tree.control[SERIAL] += 1
        tree.control[PATH_DEPTH] = 0
        tree.path[0] = tree.control[ROOT]
        tree.path[1] = 0

    @kernel
    def stand(tree, node):
        """The node is counted like every other on the path."""

    @kernel
    def side_to_move(tree, depth):
        """The side to move in the path's position: 0 is the root's."""
        node, mover = tree.path[2 * depth], tree.path[2 * depth + 1]
        return mover if tree.flags[node] & AGAIN else mover ^ 1

    @kernel
    def descend(tree, node, state, child, ply):
        """(child, state) after the move to it; at its first visit it learns what it leads to."""
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
    def update_siblings(tree, parent, child, side, value):
        """AMAF: a result for every child of a node whose move its side made in this simulation there or later."""
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
        """Whether the side that made the path's move is to move after it too."""
        return tree.flags[tree.path[2 * ply + 2]] & AGAIN != 0

    @kernel
    def count_visit(tree, node, value):
        """Count a result for the side that the node's mean is of."""
        visits = tree.visits[node] + np.uint32(1)
        tree.visits[node] = visits
        tree.means[node] = mean_with(tree.means[node], visits, value)

    @kernel
    def count_move(tree, ply, value, score):
        """Count the result of a move in the node that it leads to; the parent's score where that settles it."""
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
        """Count a result of the root, and keep its proven score."""
        root = tree.control[ROOT]
        count_visit(tree, root, value)
        if score != UNPROVEN:
            tree.scores[root] = score

    @kernel
    def stamp_trace(tree, count, side):
        """Note what a rollout of that many moves has played, which began with `side` to move."""
        serial = tree.control[SERIAL]
        for place in range(count):
            entry = np.int64(tree.trace[place])
            tree.stamps[(entry // MOVE_KEYS ^ side) * MOVE_KEYS + entry % MOVE_KEYS] = serial

    @kernel
    def evaluate(tree, node, state, child, depth):
        """A leaf by what is known of it, else by a rollout; a node with children is descended from."""
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
    def open_moves(tree):
        root = tree.control[ROOT]
        first = np.int64(tree.first_child[root])
        still_open = 0
        for child in range(first, first + tree.counts[root]):
            if tree.scores[child] == UNPROVEN:
                still_open += 1
        return still_open

    @kernel
    def has_draw(tree):
        return tree.flags[tree.control[ROOT]] & HAS_DRAW != 0

    @kernel
    def is_proven(tree):
        return tree.scores[tree.control[ROOT]] != UNPROVEN

    kernels = TreeKernels(
        begin,
        select,
        stand,
        descend,
        evaluate,
        moves_again,
        count_move,
        count_root,
        open_moves,
        has_draw,
        is_proven,
    )
    search = make_search(game, kernels, ITERATIONS_A_CLOCK_CHECK)

    @kernel
    def prove_move(tree, move, score):
        """Give a move at the root a proven score that was found elsewhere; one that is proven stays as it is."""
        root = tree.control[ROOT]
        first = np.int64(tree.first_child[root])
        for child in range(first, first + tree.counts[root]):
            if tree.codes[child] == move and tree.scores[child] == UNPROVEN:
                tree.scores[child] = score
                proven = settled_by(tree, root, child)
                if proven != UNPROVEN:
                    tree.scores[root] = proven

    return prepare_root, search, prove_move
