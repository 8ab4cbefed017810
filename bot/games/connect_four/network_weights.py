"""The network's memory layout, and the file of its weights.

    byte 0      planes: uint16[9 * 16], closed over the forbidden cell: four bits of every free cell's code for the
                mover's lines, four for the opponent's (network.py), then the free cells
    byte 512    sums: float32[16], the channels of all columns added up
    byte 1024   keys: uint64[2] for each slot of the cache of columns: codes, number of free cells and parity; an empty
                slot has zeros, which no column has
    ..          cached: float32[16] for each slot, the channels that arrive at the floor
    ..          weights: float32[NUMBERS], in this order:

    gates       a row of 16 channels for each side, bucket and code: the factor by which a cell passes on what lies
                above it
    steps       as many rows: what the cell adds
    tops        a row for each number of free cells in a column and parity of the board's: the channels at its top
    first       a row of 32 for each channel and each of the four numbers that describe the whole board
    first_bias  a row of 32
    second      a row of 32
    bias        one number

A bucket combines a cell's height above the floor (5 stands for all higher ones), the parity of the free cells from the
cell to the top, and the parity of the board's free cells. The bucket tells which side will fill the cell if both sides
follow up.

Standard library only.
"""

from .board import MAX_ROWS
from .weights_file import WeightsFile

CHANNELS = 16
HIDDEN = 32
GLOBALS = 4  # parity and number of the free cells; number of columns with an odd number of free cells, and its parity
CODES = 12
HEIGHTS = 6
BUCKETS = 4 * HEIGHTS
SIDES = 2
MOVER, OPPONENT = range(SIDES)

# The cache of columns takes 320 KB. A larger one would push other data out of the processor's cache.
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
# The number of the board's free cells is multiplied by this number before it becomes an input of the layer.
FREE_CELL = 0.02

NETWORK_FILE = WeightsFile("weights.bin", "network", NUMBERS)
