"""What of a kept tree belongs to the next position: the root of search.py's search. Kernels of a game's module."""

import numpy as np

from bot.kernels.kernel import kernel
from bot.search.scores import UNPROVEN

from ..proofs import score_of_position
from .layout import AGAIN, FIRST_PLAY, FLAG_RELATIVE_FIRST_PLAY, FLAGS, MAX_PLIES, RESERVE_PENALTY, ROOT
from .tree import add_children, forget_tree, reroot_tree

NO_CHECK = 0  # of a node that was never visited
# A kept tree is looked through so far for the new root, in positions.
MOST_COMPARED = 4096


@kernel
def check_of(position_hash):
    """What a node keeps of a position's hash: 32 bits, never NO_CHECK."""
    return np.uint32(position_hash & np.uint64(0xFFFFFFFF)) | np.uint32(1)


def make_root(game):
    """Kernels (expand, prepare_root) for one game."""

    @kernel
    def expand(tree, node, state):
        """Give a node its children; False where the arena is full or the game over."""
        count, preferred = game.list_moves(state, tree)
        first_play = np.float32(tree.settings[FIRST_PLAY])
        if tree.control[FLAGS] & FLAG_RELATIVE_FIRST_PLAY:
            first_play += tree.means[node] if tree.flags[node] & AGAIN else -tree.means[node]
        reserved_play = first_play - np.float32(tree.settings[RESERVE_PENALTY])
        return count != 0 and add_children(tree, node, count, preferred, first_play, reserved_play)

    @kernel
    def state_at(tree, depth):
        """The state after the moves of the path's nodes 1 .. depth, from the tree's root."""
        state = game.load_root(tree.kept, 0)
        for ply in range(1, depth + 1):
            state, _ = game.play(state, np.int64(tree.codes[tree.path[2 * ply]]))
        return state

    @kernel
    def find_kept(tree, target):
        """The most visited node of the tree that is the position `target`, 0 where none is found; walks depth first."""
        wanted = check_of(game.position_hash(target))
        root = tree.control[ROOT]
        found, depth = 0, 0
        tree.path[0] = root
        tree.path[1] = tree.first_child[root]
        if check_of(game.position_hash(state_at(tree, 0))) == wanted:
            return root
        for _ in range(MOST_COMPARED):
            node, child = tree.path[2 * depth], tree.path[2 * depth + 1]
            if child == 0 or child == tree.first_child[node] + tree.counts[node]:
                depth -= 1
                if depth < 0:
                    break
                continue
            tree.path[2 * depth + 1] = child + 1
            if tree.checks[child] == NO_CHECK or depth == MAX_PLIES - 1:
                continue
            tree.path[2 * depth + 2] = child
            state = state_at(tree, depth + 1)
            if tree.checks[child] == wanted:
                if game.position_hash(state) == game.position_hash(target) and (
                    found == 0 or tree.visits[child] > tree.visits[found]
                ):
                    found = child
            elif game.can_reach(state, target):
                depth += 1
                tree.path[2 * depth + 1] = tree.first_child[child]
        return found

    @kernel
    def adopt(tree, node):
        """Make a node the root: what it knows is its own side's from now on."""
        if node != tree.control[ROOT]:
            again = tree.flags[node] & AGAIN
            tree.means[node] = tree.means[node] if again else -tree.means[node]
            tree.scores[node] = score_of_position(np.int64(tree.scores[node]), again)
            tree.flags[node] |= AGAIN
        reroot_tree(tree, node)

    @kernel
    def prepare_root(tree, keep):
        """Make the position in memory the root, with its children; the node that the kept tree had of it, or 0.

        keep: 0 to start afresh. The position must have a move.
        """
        state = game.load_root(tree.position, 0)
        kept = find_kept(tree, state) if keep and tree.control[ROOT] != 0 else 0
        if kept != 0:
            adopt(tree, kept)
        else:
            forget_tree(tree)
        root = tree.control[ROOT]
        tree.flags[root] |= AGAIN
        if tree.first_child[root] == 0:
            # A proof of another kind than its children's would leave the engine without a move to choose.
            tree.scores[root] = UNPROVEN
            expand(tree, root, state)
        game.store(state, tree.kept, 0)
        return kept

    return expand, prepare_root
