"""The lowest and highest bits of each lane, and what lies above and below them; nothing where a lane is zero."""

from .kernel import kernel
from .lanes import down, everywhere, filled_lanes, without

ALL_BITS = 0xFFFF


@kernel
def less_one(lanes):
    """Each lane less 1; all ones where it is zero."""
    return lanes + everywhere(ALL_BITS)


@kernel
def lowest_in_lanes(lanes):
    """The lowest bit of each lane."""
    return without(lanes, less_one(lanes))


@kernel
def above_lowest(lanes):
    """Every bit, set in `lanes` or not, above the lowest of its lane."""
    return without(everywhere(ALL_BITS), lanes ^ less_one(lanes))


@kernel
def below_lowest(lanes):
    """Every bit below the lowest of its lane."""
    return without(less_one(lanes), lanes) & filled_lanes(lanes)


@kernel
def highest_in_lanes(lanes):
    """The highest bit of each lane."""
    filled = lanes | down(lanes, 1)
    filled = filled | down(filled, 2)
    filled = filled | down(filled, 4)
    filled = filled | down(filled, 8)
    return without(filled, down(filled, 1))
