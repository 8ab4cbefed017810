"""What the solver has learnt of a board, in a file: the table of proven bounds, behind a line that says whose it is."""

import json
import os

from bot.games.dots.solver import KEYS_VERSION
from whole_file import written_whole

HEADER_BYTES = 4096
_PART_BYTES = 1 << 24


class KeptTableError(Exception):
    """A file that is no table of this board; the text says what it is."""


class KeptTable:
    """The file of one SolverEngine's table, for a board of size (rows, columns) of boxes.

    Only the table is kept, not where the search stood: an entry is one word and true at any moment, and the search
    finds its way back through them.
    """

    def __init__(self, path, size, engine):
        self._path, self._engine = path, engine
        self._header = {
            "table_of": "dots",
            "size": list(size),
            "bytes": engine.table().nbytes,
            "keys_version": KEYS_VERSION,
        }

    def load(self):
        """Fill the table from the file, if there is one; whether there was. Raises KeptTableError, OSError."""
        if not self._path.exists():
            return False
        with open(self._path, "rb") as file:
            header = _header_in(file.read(HEADER_BYTES))
            if header != self._header:
                raise KeptTableError(f"{self._path}: expected a table of {self._header}, found {header}")
            table, place = self._engine.table(), 0
            while place < table.nbytes:
                read = file.readinto(table[place : place + _PART_BYTES])
                if not read:
                    raise KeptTableError(f"{self._path}: expected {table.nbytes} bytes of table, found {place}")
                place += read
        return True

    def save(self):
        """Write the file anew; the old one stays whole until the new one is. Raises OSError."""
        with written_whole(self._path) as new, open(new, "wb") as file:
            file.write((json.dumps(self._header) + "\n").encode("ascii").ljust(HEADER_BYTES))
            table = self._engine.table()
            for place in range(0, table.nbytes, _PART_BYTES):
                file.write(table[place : place + _PART_BYTES])
            file.flush()
            os.fsync(file.fileno())


def _header_in(data):
    """The object in a file's first bytes, None where there is none."""
    try:
        return json.loads(data.decode("ascii"))
    except ValueError:
        return None
