"""The policy's memory layout, and the file of its weights.

    byte 0      planes: uint16[9 * 16], as in the network's memory (network_weights.py)
    byte 512    inner: float32[16] for each column, with REACH empty ones on each side
    byte 1536   factors: float32[12], what the entry point `prior` has last made
    byte 2048   weights: float32[NUMBERS], in this order:

    table       a row of 16 channels for everything that policy.py sees of a column: CELLS, CREATED, FREE and EDGE are
                the numbers of the first row of each kind
    skip        16 numbers, by which a column's channels count without the hidden layer
    own         a row of 32 for each channel of the column
    bias        a row of 32
    sides       a row of 32 for each channel of the columns at a distance of 1, then as many for a distance of 2
    whole       a row of 32 for each channel of all columns together
    out         32 numbers

Standard library only.
"""

from .board import MAX_COLUMNS, MAX_ROWS
from .network_weights import CODES
from .weights_file import WeightsFile

CHANNELS = 16
HIDDEN = 32
HEIGHTS = 4  # free cells of a column, from the floor up, whose codes are seen
REACH = 2  # neighbouring columns on each side
STONES = 4  # own and opponent's, in the floor and in the cell above
CODE_PAIRS = 4 * CODES * CODES  # for each parity of the board's free cells and of the free cells above
COUNTS = 3**4  # 0, 1 or 2 new winning cells of four kinds
KINDS = 8 * COUNTS

_ROWS = (HEIGHTS * (CODE_PAIRS + 1), STONES * KINDS, MAX_ROWS + 1, MAX_COLUMNS // 2)
CELLS, CREATED, FREE, EDGE, ROWS = [sum(_ROWS[:part]) for part in range(len(_ROWS) + 1)]
SEEN = HEIGHTS + STONES + 2  # rows that are added up for a column

PLANES_OFFSET, INNER_OFFSET, FACTORS_OFFSET, WEIGHTS_OFFSET = 0, 512, 1536, 2048
INNER = (MAX_COLUMNS + 2 * REACH) * CHANNELS
_PARTS = (
    ROWS * CHANNELS,
    CHANNELS,
    CHANNELS * HIDDEN,
    HIDDEN,
    REACH * CHANNELS * HIDDEN,
    CHANNELS * HIDDEN,
    HIDDEN,
)
TABLE, SKIP, OWN, BIAS, SIDES, WHOLE, OUT, NUMBERS = [sum(_PARTS[:part]) for part in range(len(_PARTS) + 1)]
POLICY_FILE = WeightsFile("policy.bin", "policy", NUMBERS)
