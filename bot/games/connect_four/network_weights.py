"""The network's memory layout, and the file that its weights come from.

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

The file is a line that says what it is, a line that says how it was made, the weights, and a checksum. Standard library
only.
"""

import os
import struct
import zlib

from bot.kernels.memory_block import MemoryBlock

from .board import MAX_ROWS

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
NETWORK_BYTES = WEIGHTS_OFFSET + 4 * NUMBERS
# The number of the board's free cells is multiplied by this number before it becomes an input of the layer.
FREE_CELL = 0.02


NAME = "weights.bin"
FIRST_LINE = b"dropfour connect_four network 1\n"
_PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), NAME)
_CHECKSUM_BYTES = 4
_FEW = 101  # different numbers in small_weights(), about -0.16 to 0.23; a prime, so that no row is like the next


class WeightsError(ValueError):
    """The network's weights file cannot be used. str() says why."""


def pack_weights(numbers, made):
    """Returns the bytes of a weights file.

    `numbers` are the bytes of a little-endian float32[NUMBERS]. `made` says in one line how these numbers were made.
    """
    body = FIRST_LINE + made.encode() + b"\n" + bytes(numbers)
    return body + zlib.crc32(body).to_bytes(_CHECKSUM_BYTES, "little")


def unpack_weights(data):
    """Returns (numbers, made), the arguments with which pack_weights has made the file `data`.

    Raises WeightsError if the file is damaged or of another format.
    """
    if not data.startswith(FIRST_LINE):
        raise WeightsError("not a file of weights")
    body, checksum = data[:-_CHECKSUM_BYTES], data[-_CHECKSUM_BYTES:]
    if zlib.crc32(body) != int.from_bytes(checksum, "little"):
        raise WeightsError("damaged")
    made, _, numbers = body[len(FIRST_LINE) :].partition(b"\n")
    if len(numbers) != 4 * NUMBERS:
        raise WeightsError(f"{len(numbers)} bytes of weights; expected {4 * NUMBERS}")
    return numbers, made.decode()


def stored_weights():
    """Returns (numbers, made) of the weights file in this package. Raises WeightsError if it cannot be used."""
    try:
        with open(_PATH, "rb") as file:
            data = file.read()
    except OSError as error:
        raise WeightsError(f"{_PATH}: {error.strerror}") from error
    try:
        return unpack_weights(data)
    except WeightsError as error:
        raise WeightsError(f"{_PATH}: {error}") from error


def small_weights():
    """Returns small weights, as bytes in the form of a file's weights.

    They let the kernels be tested without a file.
    """
    few = [(37 * place % _FEW - 40) / 256 for place in range(_FEW)]
    return (struct.pack(f"<{_FEW}f", *few) * (NUMBERS // _FEW + 1))[: 4 * NUMBERS]


def network_memory(numbers=None):
    """Returns a MemoryBlock, laid out as shown above, that holds the weights `numbers`.

    If `numbers` is None, it holds the weights of the package's file. Raises WeightsError if they cannot be used.
    """
    if numbers is None:
        numbers, _ = stored_weights()
    memory = MemoryBlock(NETWORK_BYTES)
    memory.write(WEIGHTS_OFFSET, numbers)
    return memory
