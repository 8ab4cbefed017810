"""Positions with the end they came to, in files that only grow."""

import numpy as np

# Discs of the side to move and of the other, as bit 8 * row + column; how many the side to move led by in the end.
POSITION = np.dtype([("own", "<u8"), ("opponent", "<u8"), ("score", "i1")])


def squares(cells):
    """The bits 8 * row + column of a set of cells in the bot's own order, 16 bits a row."""
    return sum((cells >> 16 * row & 0xFF) << 8 * row for row in range(8))


def append(path, rows):
    """Add (own, opponent, score) to the file at `path`."""
    with open(path, "ab") as file:
        file.write(np.array(rows, POSITION).tobytes())


def read(paths):
    """All positions of the files, POSITION[n]; a record that a writer was killed in is left out."""
    found = [
        np.frombuffer(data[: len(data) // POSITION.itemsize * POSITION.itemsize], POSITION)
        for data in (path.read_bytes() for path in paths)
    ]
    return np.concatenate(found) if found else np.empty(0, POSITION)
