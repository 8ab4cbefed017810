"""Dots and boxes for search/alphabeta/search.py: whole turns as rules/turns.py plays them, and two leaf values.

Where no edge is left that gives nothing away, one edge of each chain is tried, not every one (chain_evaluation.py says
why).
"""

from bot.kernels.kernel import kernel
from bot.kernels.machine import bit_count

from ..rules.board import BOXES
from ..rules.turns import (
    DOUBLE_CROSS,
    NOTHING_LEFT,
    double_cross,
    draw,
    edges_around,
    list_edges,
    load_root,
    play_turn,
    store,
    take_all,
    with_three,
    with_two,
)
from .chain_evaluation import LEFT_OF_CHAIN, list_chain_moves, quiet_value

__all__ = ["can_win", "leaf_value", "list_moves", "load_root", "play", "store"]

_NO_EDGE = -1

play = play_turn


@kernel
def can_win(state):
    """No turn wins at once: boxes are counted at the end."""
    return False


@kernel
def list_moves(state, control, moves, offset):
    """Write the codes of the turns worth trying to moves[offset:]: after taking all that can be taken the edges that
    give nothing away, then a double-cross, then one edge of each chain, shorter ones first. How many; 0 at the end.
    """
    horizontal, vertical, _, horizontal_mask, vertical_mask, boxes = state
    if horizontal == horizontal_mask and vertical == vertical_mask:
        return 0
    all_across, all_beside, taken = take_all(horizontal, vertical, boxes)
    if all_across == horizontal_mask and all_beside == vertical_mask:
        moves[offset] = NOTHING_LEFT
        count = 1
    else:
        across, beside = edges_around(with_two(all_across, all_beside, boxes))
        count = list_edges(
            horizontal_mask & ~all_across & ~across, vertical_mask & ~all_beside & ~beside, moves, offset
        )
    if taken >= LEFT_OF_CHAIN:
        edge, _, _ = double_cross(horizontal, vertical, boxes)
        if edge != _NO_EDGE:
            moves[offset + count] = edge | DOUBLE_CROSS
            count += 1
    return count + list_chain_moves(
        all_across, all_beside, horizontal_mask, vertical_mask, boxes, moves, offset + count
    )


@kernel
def leaf_value(state, evaluation, ply):
    """What a position is worth to the side to move, int64, in boxes.

    BOXES    the boxes that the side has more than the other
    CHAINS   the same once all that can be taken is, and what chains make of the rest (chain_evaluation.py's
             quiet_value); or, if that is more, once the last boxes are left to the other side, which has to go on
             then
    """
    horizontal, vertical, margin, horizontal_mask, vertical_mask, boxes = state
    if evaluation == BOXES:
        return margin
    all_across, all_beside, taken = take_all(horizontal, vertical, boxes)
    rest = quiet_value(all_across, all_beside, horizontal_mask, vertical_mask, boxes)
    if taken >= LEFT_OF_CHAIN and rest < -LEFT_OF_CHAIN:
        edge, across, beside = double_cross(horizontal, vertical, boxes)
        if edge != _NO_EDGE:
            across, beside = draw(across, beside, edge)
            left = bit_count(with_three(across, beside, boxes))
            return margin + taken + max(rest, -rest - 2 * left)
    return margin + taken + rest
