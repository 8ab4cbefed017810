"""The tree search, however its tree is stored: the loop, the way of a result up the path, and the arithmetic of proofs.

One iteration selects a move at every node from the root on, descends, and expands the tree by a node where it leaves
it. There the position is evaluated, and the result is backed up along the path. Iterations go on until the time, their
number or a proof of the root ends them. A storage's search.py has the verbs for its own nodes.

Values (float32, -1..1) and proven scores (int64, search/scores.py) are for the side to move at their position, or for
the side that makes their move. Sources: UCT, Kocsis and Szepesvari 2006; proofs, Winands, Bjornsson and Saito 2008
(MCTS-Solver), here with draws and distances.
"""

from typing import NamedTuple

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import monotonic_ns
from bot.search.scores import PROVEN_DRAW, UNPROVEN

from .control import (
    BUDGET_NS,
    FLAG_STOP_WHEN_FORCED,
    FLAGS,
    ITERATIONS,
    MAX_DEPTH,
    MAX_ITERATIONS,
    ROOT,
    STOP_FORCED,
    STOP_ITERATIONS,
    STOP_PROVEN,
    STOP_REASON,
    STOP_TIME,
)


@kernel
def value_of_score(score):
    """-1, 0 or 1 (float32) for a proven score."""
    return np.float32(0) if score == PROVEN_DRAW else np.float32(1) if score > 0 else np.float32(-1)


@kernel
def score_of_move(score, again):
    """A position's score for the side to move in it, as the score of the move that leads there for who makes it.

    again: whether that is the same side.
    """
    if score == PROVEN_DRAW:
        return score
    later = score - 1 if score > 0 else score + 1
    return later if again else -later


@kernel
def score_of_position(score, again):
    """What score_of_move was made of; UNPROVEN stays."""
    if score == PROVEN_DRAW or score == UNPROVEN:
        return score
    sooner = score + 1 if score > 0 else score - 1
    return sooner if again else -sooner


@kernel
def mean_with(mean, visits, value):
    """The mean (float32) of so many results, the last of them `value`, from that of the others.

    visits: uint32; before the first result the mean is the first-play value, which counts no more.
    """
    before = mean if visits > np.uint32(1) else np.float32(0)
    return before + (value - before) / np.float32(visits)


STAND_ON_DRAW = -1  # instead of a move: the proven draw is better than any open move looks


class TreeKernels(NamedTuple):
    """What the search does with one way to store a tree. Moves are numbers of its own, node 0 stands for none.

    A path's plies count from 0: ply p is the move that leads from the path's position p to its position p + 1.
    """

    begin: object  # (tree): before every iteration
    select: object  # (tree, node) -> the move to follow from an unproven node that has moves, or STAND_ON_DRAW
    stand: object  # (tree, node): an iteration ends in a node because of its draw
    descend: object  # (tree, node, state, move, ply) -> (node, state) after that move; notes the path
    # (tree, node, state, move, depth) -> (whether the iteration ends here, value, score) of the position at that depth,
    # reached by that move
    evaluate: object
    moves_again: object  # (tree, ply) -> whether the side that made the path's move is to move after it too
    # (tree, ply, value, score) -> the score that the position before the path's move has now: counts the move's result
    count_move: object
    count_root: object  # (tree, value, score): the same for the root, of which no move is counted
    open_moves: object  # (tree) -> how many of the root's moves are unproven
    has_draw: object  # (tree) -> whether one of the root's moves is a proven draw
    is_proven: object  # (tree) -> whether the root is


def make_search(game, kernels, iterations_a_clock_check):
    """The kernel search(tree) over a tree whose root is prepared and has a move; kernels: TreeKernels."""
    begin, select, stand, descend, evaluate = kernels[:5]
    moves_again, count_move, count_root, open_moves, has_draw, is_proven = kernels[5:]

    @kernel
    def backup(tree, depth, value, score):
        """Carry a result up the path, from its end."""
        while depth > 0:
            depth -= 1
            again = moves_again(tree, depth)
            if not again:
                value = -value
            if score != UNPROVEN:
                score = score_of_move(score, again)
            score = count_move(tree, depth, value, score)
            if score != UNPROVEN:
                value = value_of_score(score)
        count_root(tree, value, score)

    @kernel
    def simulate(tree, root_state):
        """One iteration."""
        begin(tree)
        node, state = tree.control[ROOT], root_state
        depth = 0
        value, score = np.float32(0), np.int64(UNPROVEN)
        while True:
            move = select(tree, node)
            if move == STAND_ON_DRAW:
                stand(tree, node)
                break
            node, state = descend(tree, node, state, move, depth)
            depth += 1
            ended, value, score = evaluate(tree, node, state, move, depth)
            if ended:
                break
        tree.control[MAX_DEPTH] = max(tree.control[MAX_DEPTH], depth)
        backup(tree, depth, value, score)

    @kernel
    def is_forced(tree):
        """Whether at most one move is left to choose, so that more search cannot change the choice."""
        return open_moves(tree) < 2 and not has_draw(tree)

    @kernel
    def search(tree):
        """Iterate; returns how often."""
        started = monotonic_ns()
        root_state = game.load_root(tree.position, 0)
        done = 0
        while True:
            if is_proven(tree):
                tree.control[STOP_REASON] = STOP_PROVEN
                break
            if done >= tree.control[MAX_ITERATIONS]:
                tree.control[STOP_REASON] = STOP_ITERATIONS
                break
            if done % iterations_a_clock_check == 0:
                if monotonic_ns() - started >= tree.control[BUDGET_NS]:
                    tree.control[STOP_REASON] = STOP_TIME
                    break
                if tree.control[FLAGS] & FLAG_STOP_WHEN_FORCED and is_forced(tree):
                    tree.control[STOP_REASON] = STOP_FORCED
                    break
            simulate(tree, root_state)
            done += 1
        tree.control[ITERATIONS] = done
        return done

    return search
