"""The solver's table of proven bounds; values lie between -49 and 49.

Of 10**7 positions looked up one is taken for another with a chance of at most 8 in 100,000
(search/solver/bounds_table.py).
"""

from bot.kernels.kernel import kernel
from bot.search.solver.bounds_table import make_bounds_table

from .layout import TABLE_ENTRIES, TABLE_OFFSET
from .memory import control_at

# Of what an entry means: one more whenever the keys or the bits change, so that no kept table is misread.
KEYS_VERSION = 2
BOUND_BITS = 7
NO_BOUND = 1 << (BOUND_BITS - 1)
WORK_BITS = 3
_HEAVIEST_CLASS = (1 << WORK_BITS) - 1
_CLASS_SHIFT = 3  # a class of work spans a factor of eight

_table = make_bounds_table(bucket=8, bound_bits=BOUND_BITS, move_bits=7, work_bits=WORK_BITS)
lower_bound, upper_bound, stored_move = _table.lower_bound, _table.upper_bound, _table.stored_move
_prefetch_bucket, _probe, _store = _table.prefetch_bucket, _table.probe, _table.store


@kernel
def prefetch_bucket(base, key):
    """Have the bucket of a key fetched while something else is done."""
    _prefetch_bucket(base + TABLE_OFFSET, control_at(base)[TABLE_ENTRIES], key)


@kernel
def probe(base, key):
    """The entry of that position, or 0 (which reads as: no bound, no move)."""
    return _probe(base + TABLE_OFFSET, control_at(base)[TABLE_ENTRIES], key)


@kernel
def work_of(nodes):
    """The class of work, 0..7, for the number of nodes that a result has cost."""
    work = 0
    while nodes >= 1 << _CLASS_SHIFT and work < _HEAVIEST_CLASS:
        nodes >>= _CLASS_SHIFT
        work += 1
    return work


@kernel
def store(base, key, lower, upper, move, work):
    """Enter what is known of a position, see search/solver/bounds_table.py."""
    _store(base + TABLE_OFFSET, control_at(base)[TABLE_ENTRIES], key, lower, upper, move, work)
