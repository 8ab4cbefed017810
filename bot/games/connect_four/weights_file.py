"""Files of weights in this package: the network's and the policy's. Standard library only.

A file is a line that says what it is, a line that says how it was made, little-endian float32 numbers, and a checksum.
"""

import os
import struct
import zlib

from bot.kernels.memory_block import MemoryBlock

_CHECKSUM_BYTES = 4
_FEW = 101  # different numbers in WeightsFile.small(), about -0.16 to 0.23; a prime, so that no row is like the next


class WeightsError(ValueError):
    """A file of weights cannot be used. str() says why."""


class WeightsFile:
    """A file of `count` numbers in this package. `kind` is the word for what they are in the file's first line."""

    def __init__(self, name, kind, count):
        self.path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
        self._first_line = f"dropfour connect_four {kind} 1\n".encode()
        self._bytes = 4 * count

    def pack(self, numbers, made):
        """Returns the bytes of a file.

        `numbers` are the bytes of its numbers. `made` says in one line how these numbers were made.
        """
        body = self._first_line + made.encode() + b"\n" + bytes(numbers)
        return body + zlib.crc32(body).to_bytes(_CHECKSUM_BYTES, "little")

    def unpack(self, data):
        """Returns (numbers, made), the arguments with which `pack` has made the file `data`.

        Raises WeightsError if the file is damaged or of another format.
        """
        if not data.startswith(self._first_line):
            raise WeightsError("not a file of weights")
        body, checksum = data[:-_CHECKSUM_BYTES], data[-_CHECKSUM_BYTES:]
        if zlib.crc32(body) != int.from_bytes(checksum, "little"):
            raise WeightsError("damaged")
        made, _, numbers = body[len(self._first_line) :].partition(b"\n")
        if len(numbers) != self._bytes:
            raise WeightsError(f"{len(numbers)} bytes of weights; expected {self._bytes}")
        return numbers, made.decode()

    def stored(self):
        """Returns (numbers, made) of the package's file. Raises WeightsError if it cannot be used."""
        try:
            with open(self.path, "rb") as file:
                return self.unpack(file.read())
        except OSError as error:
            raise WeightsError(f"{self.path}: {error.strerror}") from error
        except WeightsError as error:
            raise WeightsError(f"{self.path}: {error}") from error

    def small(self):
        """Returns small numbers, as bytes. They let the kernels be tested without a file."""
        few = [(37 * place % _FEW - 40) / 256 for place in range(_FEW)]
        return (struct.pack(f"<{_FEW}f", *few) * (self._bytes // 4 // _FEW + 1))[: self._bytes]

    def memory(self, offset, numbers=None):
        """Returns a MemoryBlock that holds `numbers` from byte `offset` on, and zeros before.

        If `numbers` is None, it holds those of the package's file. Raises WeightsError if they cannot be used.
        """
        if numbers is None:
            numbers, _ = self.stored()
        memory = MemoryBlock(offset + self._bytes)
        memory.write(offset, numbers)
        return memory
