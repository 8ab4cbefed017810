"""UCT for games of many moves, where a side may move twice running: select, expand, roll out, back up, prove; AMAF.

`make_uct(game)` closes over a game *module*, as in edge_nodes, and returns the kernels below. A state is a tuple
of values, seen by the side to move; a margin is an int64 that says by its sign how a game ends, by its size how
clearly, at most control[GREATEST_MARGIN]. `tree` is the Tree with its control block and the game's own places.
The module supplies

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

Sources: UCT, Kocsis and Szepesvari 2006; PUCT in the form of Silver et al. 2017 with uniform priors; AMAF with a
weight, Helmbold and Parker-Wood 2009 (alpha-AMAF); proofs, Winands, Bjornsson and Saito 2008 (MCTS-Solver), here with
draws and distances. How a position's proofs and values travel when one side moves twice: by side, not by ply.
"""

import numpy as np

from bot.kernels.kernel import kernel
from bot.search.scores import UNPROVEN

from ..loop import make_search
from .layout import (
    AGAIN,
    FLAG_AMAF,
    FLAG_PROOFS,
    FLAGS,
    HAS_DRAW,
    LEAVES_SOLVED,
    MAX_DEPTH,
    MAX_PLIES,
    MOVE_KEYS,
    PATH_DEPTH,
    ROOT,
    SERIAL,
    SIM_MAX,
    SOLVE_VISITS,
)
from .proofs import score_of_margin, score_of_move, settled_by, value_of_margin, value_of_score
from .root import NO_CHECK, check_of, make_root
from .select import STAND_ON_DRAW, select

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
    def descend(tree, state, node, move):
        """(state, again) after the move to a child, which learns at its first visit what it leads to."""
        state, again = game.play(state, move)
        if tree.checks[node] == NO_CHECK:
            tree.checks[node] = check_of(game.position_hash(state))
            if again:
                tree.flags[node] |= AGAIN
        return state, again

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
                mean = tree.amaf_means[sibling] if visits > 1 else np.float32(0)
                tree.amaf_means[sibling] = mean + (value - mean) / np.float32(visits)

    @kernel
    def backup(tree, depth, value, proven):
        """Carry a result up the path: value, for the root's side to move; proven: the path's last node just was."""
        amaf = tree.control[FLAGS] & FLAG_AMAF
        while depth >= 0:
            node, side = tree.path[2 * depth], tree.path[2 * depth + 1]
            visits = tree.visits[node] + np.uint32(1)
            tree.visits[node] = visits
            seen = value if side == 0 else -value
            mean = tree.means[node] if visits > 1 else np.float32(0)
            tree.means[node] = mean + (seen - mean) / np.float32(visits)
            if depth > 0:
                parent = tree.path[2 * depth - 2]
                if amaf:
                    update_siblings(tree, parent, node, side, seen)
                if proven:
                    score = settled_by(tree, parent, node)
                    proven = score != UNPROVEN
                    if proven:
                        value = value_of_score(score) if side == 0 else -value_of_score(score)
                        if depth > 1:
                            score = score_of_move(score, tree.flags[parent] & AGAIN)
                        tree.scores[parent] = score
            depth -= 1

    @kernel
    def stamp_trace(tree, count, side):
        """Note what a rollout of that many moves has played, which began with `side` to move."""
        serial = tree.control[SERIAL]
        for place in range(count):
            entry = np.int64(tree.trace[place])
            tree.stamps[(entry // MOVE_KEYS ^ side) * MOVE_KEYS + entry % MOVE_KEYS] = serial

    @kernel
    def simulate(tree, root_state):
        """One iteration: descend to a leaf, evaluate it, back the result up."""
        flags = tree.control[FLAGS]
        tree.control[SERIAL] += 1
        node, state = tree.control[ROOT], root_state
        depth, side = 0, 0
        value = np.float32(0)
        proven = False
        tree.path[0] = node
        tree.path[1] = side
        while True:
            if tree.first_child[node] == 0:
                known, margin = look(tree, node, state)
                if known and flags & FLAG_PROOFS:
                    again = tree.flags[node] & AGAIN
                    tree.scores[node] = score_of_move(score_of_margin(margin), again)
                    proven = True
                if not known and (
                    tree.visits[node] < tree.control[SIM_MAX] or depth == MAX_PLIES - 1 or not expand(tree, node, state)
                ):
                    margin, played = game.rollout(state, tree)
                    if flags & FLAG_AMAF:
                        stamp_trace(tree, played, side)
                    known = True
                if known:
                    value = value_of_margin(tree, margin)
                    value = value if side == 0 else -value
                    break
            child = select(tree, node)
            if child == STAND_ON_DRAW:
                break
            depth += 1
            tree.path[2 * depth] = child
            tree.path[2 * depth + 1] = side
            state, again = descend(tree, state, child, np.int64(tree.codes[child]))
            if not again:
                side ^= 1
            node = child
        tree.control[PATH_DEPTH] = depth
        tree.control[MAX_DEPTH] = max(tree.control[MAX_DEPTH], depth)
        backup(tree, depth, value, proven)

    @kernel
    def is_decided(tree):
        """Whether at most one move is left to choose among, so that more search cannot change the choice."""
        root = tree.control[ROOT]
        if tree.flags[root] & HAS_DRAW:
            return False
        first = np.int64(tree.first_child[root])
        still_open = 0
        for child in range(first, first + tree.counts[root]):
            if tree.scores[child] == UNPROVEN:
                still_open += 1
        return still_open < 2

    @kernel
    def is_proven(tree):
        return tree.scores[tree.control[ROOT]] != UNPROVEN

    search = make_search(game, simulate, is_proven, is_decided, ITERATIONS_A_CLOCK_CHECK)

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
