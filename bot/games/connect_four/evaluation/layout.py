"""Where everything lies in the network's own block of memory. Standard library only.

    byte 0      planes: uint16[5 * 16], closed over the forbidden cell: floor, own high and low, opponent high and low
    byte 256    codes: uint64[12], a nibble for every free cell of a column from the floor up
    byte 384    free: int64[12], free cells of every column
    byte 512    first: float32[12 * 16], the columns' first layer
    byte 1280   second: float32[12 * 16], their second
    byte 2048   board: float32[32]
    byte 4096   tables: int16[BUCKETS * CODE_PAIRS * CHANNELS]
    ..          columns: int16[COLUMN_KINDS * CHANNELS]
    ..          dense weights: float32, the fields of DENSE in their order
"""

COLUMNS = 12
CHANNELS = 16
BOARD_CHANNELS = 32
GLOBALS = 4

CODES_OFFSET = 256
FREE_OFFSET = 384
FIRST_OFFSET = 512
SECOND_OFFSET = 1280
BOARD_OFFSET = 2048
TABLES_OFFSET = 4096

CODE_PAIRS = 256
HEIGHTS = 6  # above the floor; the last one stands for all higher cells
BUCKETS = 2 * HEIGHTS
TABLE_NUMBERS = BUCKETS * CODE_PAIRS * CHANNELS
COLUMN_KINDS = 2 * (COLUMNS + 1)  # free cells of the column, parity of those of the board
COLUMNS_AT = TABLE_NUMBERS
INT16_NUMBERS = TABLE_NUMBERS + COLUMN_KINDS * CHANNELS
ONE = 256  # what stands for 1 in the tables

# Dense weights: (name, numbers), a matrix input by input.
DENSE = (
    ("second", CHANNELS * CHANNELS),
    ("second_bias", CHANNELS),
    ("board_first", CHANNELS * BOARD_CHANNELS),
    ("board_second", CHANNELS * BOARD_CHANNELS),
    ("board_globals", GLOBALS * BOARD_CHANNELS),
    ("board_bias", BOARD_CHANNELS),
    ("value", BOARD_CHANNELS),
    ("policy_board", BOARD_CHANNELS * CHANNELS),
    ("policy_second", CHANNELS),
    ("policy_first", CHANNELS),
    ("constants", CHANNELS),  # of the value, of a logit
)
_STARTS = [sum(count for _, count in DENSE[:place]) for place in range(len(DENSE) + 1)]
(
    SECOND,
    SECOND_BIAS,
    BOARD_FIRST,
    BOARD_SECOND,
    BOARD_GLOBALS,
    BOARD_BIAS,
    VALUE,
    POLICY_BOARD,
    POLICY_SECOND,
    POLICY_FIRST,
    CONSTANTS,
    DENSE_NUMBERS,
) = _STARTS
DENSE_OFFSET = TABLES_OFFSET + 2 * INT16_NUMBERS
NETWORK_BYTES = DENSE_OFFSET + 4 * DENSE_NUMBERS
assert DENSE_OFFSET % 32 == 0
