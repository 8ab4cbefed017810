"""The solver's table of proven bounds.

Of 10**7 positions looked up one is taken for another with a chance of at most 4 in 100,000
(search/solver/bounds_table.py).
"""

from bot.kernels.kernel import kernel
from bot.search.solver.bounds_table import make_bounds_table

BOUND_BITS = 9  # values are counted in cells, up to 1 + 144 of them
NO_BOUND = 1 << (BOUND_BITS - 1)

_table = make_bounds_table(bucket=4, bound_bits=BOUND_BITS, move_bits=4, work_bits=2)
prefetch_bucket, probe, store = _table.prefetch_bucket, _table.probe, _table.store
lower_bound, upper_bound, stored_move = _table.lower_bound, _table.upper_bound, _table.stored_move


# So many nodes make a result one of the classes of work 1, 2 and 3; not tuned.
_FROM_CLASS_1, _FROM_CLASS_2, _FROM_CLASS_3 = 1 << 5, 1 << 10, 1 << 16


@kernel
def work_class(nodes):
    """0..3 for the number of nodes that a result has cost."""
    return 0 if nodes < _FROM_CLASS_1 else 1 if nodes < _FROM_CLASS_2 else 2 if nodes < _FROM_CLASS_3 else 3
