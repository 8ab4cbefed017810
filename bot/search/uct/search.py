"""The tree search that narrow_tree and wide_tree share: its loop, the backup of results, the arithmetic of proofs.

An iteration starts at the root, and at each node selects a move and descends. When it leaves the tree, it may add a
node, and it evaluates the position there. Then it backs the result up along the path. Iterations go on until the time
or their number is used up or the root is proven. narrow_tree/search.py and wide_tree/search.py have the kernels that do
these steps for their own nodes.

The value (float32, -1..1) and the proven score (int64, search/scores.py) of a position are for its side to move. The
value and the score of a move are for the side that makes it. Sources: UCT, Kocsis and Szepesvari 2006; proofs, Winands,
Bjornsson and Saito 2008 (MCTS-Solver), here with draws and distances.
"""

from typing import NamedTuple

import numpy as np

from bot.kernels.kernel import kernel
from bot.kernels.machine import monotonic_ns
from bot.search.scores import PROVEN_DRAW, UNPROVEN

from .control import (
    BUDGET_NS,
    ITERATIONS,
    MAX_DEPTH,
    MAX_ITERATIONS,
    ROOT,
    STOP_ITERATIONS,
    STOP_PROVEN,
    STOP_REASON,
    STOP_TIME,
)


@kernel
def value_of_score(score):
    """Returns the value of a proven score: -1, 0 or 1 (float32)."""
    return np.float32(0) if score == PROVEN_DRAW else np.float32(1) if score > 0 else np.float32(-1)


@kernel
def score_of_move(score, again):
    """Convert a position's proven score into the score of the move that leads to the position.

    The move's score is for the side that makes the move, and one ply longer. `again` says whether that side is also the
    side to move in the position.
    """
    if score == PROVEN_DRAW:
        return score
    later = score - 1 if score > 0 else score + 1
    return later if again else -later


@kernel
def score_of_position(score, again):
    """The inverse of score_of_move: convert a move's score into the score of the position after the move.

    UNPROVEN stays UNPROVEN.
    """
    if score == PROVEN_DRAW or score == UNPROVEN:
        return score
    sooner = score + 1 if score > 0 else score - 1
    return sooner if again else -sooner


@kernel
def mean_with(mean, visits, value):
    """Returns the mean (float32) of `visits` results. The last one is `value`, and `mean` is the mean of the others.

    `visits` is uint32. If `visits` is 1, `mean` is ignored, because it holds the first-play value then.
    """
    before = mean if visits > np.uint32(1) else np.float32(0)
    return before + (value - before) / np.float32(visits)


STAND_ON_DRAW = -1  # returned instead of a move if a proven draw looks better than every unproven move


class TreeKernels(NamedTuple):
    """The kernels by which the search uses a narrow or a wide tree.

    A move is an edge's number in a narrow tree and a child node in a wide tree. Node 0 stands for no node. Plies of a
    path count from 0: ply p is the move that leads from the path's position p to its position p + 1.
    """

    begin: object  # (tree): called before every iteration
    select: object  # (tree, node) -> the move to follow from an unproven node that has moves, or STAND_ON_DRAW
    stand: object  # (tree, node): called when an iteration ends in a node because select returned STAND_ON_DRAW
    descend: object  # (tree, node, state, move, ply) -> (node, state) after that move; notes the move in the path
    # (tree, node, state, move, depth) -> (whether the iteration ends here, value, score) of the position at that depth,
    # which `move` has led to
    evaluate: object
    moves_again: object  # (tree, ply) -> whether the side that made the path's move at `ply` also moves next
    # (tree, ply, value, score): count the result of the path's move at `ply` -> the score that the position before that
    # move has now
    count_move: object
    count_root: object  # (tree, value, score): count the result for the root
    is_proven: object  # (tree) -> whether the root is proven


def make_search(game, kernels, iterations_a_clock_check):
    """Returns the kernel search(tree) for one game. `game` is a module, and `kernels` is a TreeKernels.

    The search needs a tree whose root is prepared and has a move.
    """
    begin, select, stand, descend, evaluate, moves_again, count_move, count_root, is_proven = kernels

    @kernel
    def backup(tree, depth, value, score):
        """Carry a result from the path's last position, at `depth`, up to the root.

        `value` and `score` are for the side to move in that position.
        """
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
        """Do one iteration. `root_state` is the state of the root's position."""
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
    def search(tree):
        """Iterate until a limit is reached or the root is proven. Returns the number of iterations."""
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
            if done % iterations_a_clock_check == 0 and monotonic_ns() - started >= tree.control[BUDGET_NS]:
                tree.control[STOP_REASON] = STOP_TIME
                break
            simulate(tree, root_state)
            done += 1
        tree.control[ITERATIONS] = done
        return done

    return search
