"""Sizes of the network, and where everything lies in its block of memory. Standard library only.

    byte 0      planes: uint16[9 * 16], closed over the forbidden cell: four bits of every free cell's code for the
                mover's lines, four for the opponent's (lines.py), then the free cells
    byte 512    sums: float32[16], the columns' channels added up
    byte 1024   keys: uint64[2] for each slot of the cache of columns: codes, number of free cells and parity; zeros,
                which no column has, in an empty one
    ..          cached: float32[16] for each slot, the channels that arrive at the floor
    ..          weights: float32[NUMBERS], which a weights file holds in this order (weights_file.py):

    gates       a row of 16 channels for each side, bucket and code: by how much a cell passes on what lies above it
    steps       as many rows: what the cell adds
    tops        a row for each number of a column's free cells and parity of the board's: where its top begins
    first       a row of 32 for each channel and each of the four numbers that describe the whole board
    first_bias  a row of 32
    second      a row of 32
    bias        one number

A bucket is a cell's height above the floor (5 stands for all higher ones), the parity of the free cells from the cell
to the top, and that of the board's free cells: whose turn it will be there if both sides follow up.
"""

from ..rules.board import MAX_ROWS

CHANNELS = 16
HIDDEN = 32
GLOBALS = 4  # parity of the free cells, their number, columns with an odd number of them, parity of those
CODES = 12
HEIGHTS = 6
BUCKETS = 4 * HEIGHTS
SIDES = 2
MOVER, OPPONENT = range(SIDES)

# The cache of columns takes 320 KB: a larger one drives other things out of the processor's own.
SLOT_BITS = 12
SLOTS = 1 << SLOT_BITS
KEY_WORDS = 2

PLANES_OFFSET, SUMS_OFFSET, KEYS_OFFSET = 0, 512, 1024
CACHED_OFFSET = KEYS_OFFSET + 8 * KEY_WORDS * SLOTS
WEIGHTS_OFFSET = CACHED_OFFSET + 4 * CHANNELS * SLOTS
LANES = 16
SIDE_PLANES = 4
FREE_AT = SIDES * SIDE_PLANES * LANES
PLANES = FREE_AT + LANES

_PARTS = (
    SIDES * BUCKETS * CODES * CHANNELS,
    SIDES * BUCKETS * CODES * CHANNELS,
    2 * (MAX_ROWS + 1) * CHANNELS,
    (CHANNELS + GLOBALS) * HIDDEN,
    HIDDEN,
    HIDDEN,
    1,
)
GATES, STEPS, TOPS, FIRST, FIRST_BIAS, SECOND, BIAS, NUMBERS = [sum(_PARTS[:part]) for part in range(len(_PARTS) + 1)]
NETWORK_BYTES = WEIGHTS_OFFSET + 4 * NUMBERS
# A free cell counts for so much where the board's are a number beside the channels.
FREE_CELL = 0.02
