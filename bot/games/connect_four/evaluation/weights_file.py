"""The file of the network's weights: a line that says what it is, one of how it was made, float32 numbers, a checksum.

Standard library only, Python 3.8 syntax.
"""

import os
import struct
import zlib

from bot.kernels.memory_block import MemoryBlock

from .layout import NETWORK_BYTES, NUMBERS, WEIGHTS_OFFSET

NAME = "weights.bin"
FIRST_LINE = b"dropfour connect_four network 1\n"
_PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), NAME)
_CHECKSUM_BYTES = 4
_FEW = 101  # numbers of a trial, from about -0.16 to 0.23; a prime, so that one row is not like the next


class WeightsError(ValueError):
    """A weights file cannot be used; str() says why."""


def pack_weights(numbers, made):
    """A weights file's bytes. numbers: float32[NUMBERS], little-endian; made: how they came about, in one line."""
    body = FIRST_LINE + made.encode() + b"\n" + bytes(numbers)
    return body + zlib.crc32(body).to_bytes(_CHECKSUM_BYTES, "little")


def unpack_weights(data):
    """(numbers, made): what pack_weights was given. Raises WeightsError."""
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
    """unpack_weights of the package's file. Raises WeightsError."""
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
    """Numbers for a trial of the kernels, which need no file."""
    few = [(37 * place % _FEW - 40) / 256 for place in range(_FEW)]
    return (struct.pack(f"<{_FEW}f", *few) * (NUMBERS // _FEW + 1))[: 4 * NUMBERS]


def network_memory(numbers=None):
    """A block of memory as layout.py has it, with those numbers or the package's weights. Raises WeightsError."""
    if numbers is None:
        numbers, _ = stored_weights()
    memory = MemoryBlock(NETWORK_BYTES)
    memory.write(WEIGHTS_OFFSET, numbers)
    return memory
