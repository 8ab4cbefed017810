"""What the scripted bots share: lines of integers from stdin, framed replies to stdout."""

import os
import sys


def read_integers():
    """The next line's integers; ends the process with status 0 at the end of the input."""
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit(0)
    return [int(word) for word in line.split()]


def read_opening():
    """(rows, cols) from the first message; the forbidden cell is contained in every turn's tops."""
    rows, cols, _, _ = read_integers()
    return rows, cols


def read_turn(rows, cols):
    """The tops of the next turn: for each column the row above which the next stone lands."""
    numbers = read_integers()
    if len(numbers) != 2 + cols + rows * cols:
        sys.exit(f"a turn of {len(numbers)} integers, expected {2 + cols + rows * cols}")
    return numbers[2 : 2 + cols]


def legal_moves(tops):
    """The columns that are not full."""
    return [column for column, top in enumerate(tops) if top > 0]


def frame(body):
    """The body with its length in front, four bytes, the greatest first."""
    return len(body).to_bytes(4, "big") + body


def send(data):
    """Write all bytes to stdout at once."""
    while data:
        data = data[os.write(1, data) :]


def reply(row, column):
    """Answer a turn."""
    send(frame(b"%d %d" % (row, column)))
