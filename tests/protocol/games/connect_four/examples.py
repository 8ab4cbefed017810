"""Transcripts shared by the wire tests: a 9x10 board whose forbidden cell (8, 3) is in the bottom row.

Each wire's bytes are written out by hand from its description, not taken from the encoders.
"""

import pytest

from protocol.errors import RemoteProtocolError
from protocol.games.connect_four import GAME_OVER, WIRES, MessageDecoder, Opening, Reply, Turn

OPENING = Opening(9, 10, (8, 3))
FIRST_TURN = Turn(None, (9, 9, 9, 8, 9, 9, 9, 9, 9, 9), (0,) * 90)
# The opponent has opened with (8, 0): the 81st number of the board.
SECOND_TURN = Turn((8, 0), (8, 9, 9, 8, 9, 9, 9, 9, 9, 9), (0,) * 80 + (1,) + (0,) * 9)
REPLY = Reply(8, 4)


def hexadecimal(*parts):
    return bytes.fromhex(" ".join(parts))


_TOPS_EMPTY = "39 20 39 20 39 20 38 20 39 20 39 20 39 20 39 20 39 20 39 20"
_TOPS_OPENED = "38 20 39 20 39 20 38 20 39 20 39 20 39 20 39 20 39 20 39 20"
_BOARD_EMPTY = "30 20 " * 89 + "30 0a"
_BOARD_OPENED = "30 20 " * 80 + "31 20 " + "30 20 " * 8 + "30 0a"

V3_OPENING = hexadecimal("39 20 31 30 20 38 20 33 0a")
V3_FIRST_TURN = hexadecimal("2d 31 20 2d 31 20", _TOPS_EMPTY, _BOARD_EMPTY)
V3_SECOND_TURN = hexadecimal("38 20 30 20", _TOPS_OPENED, _BOARD_OPENED)

V2_GREETING = hexadecimal("00 00 00 02 6f 6b")
V2_FIRST_TURN = hexadecimal("2d 31 20 2d 31 20", "31 30 20", _TOPS_EMPTY, "39 30 20", _BOARD_EMPTY)
V2_SECOND_TURN = hexadecimal("38 20 30 20", "31 30 20", _TOPS_OPENED, "39 30 20", _BOARD_OPENED)

V1_OPENING = hexadecimal("30 30 34 33") + b'{"type":0,"row":9,"col":10,"nox":8,"noy":3}'
V1_OPENING_SPACED = b'0052{"type": 0, "row": 9, "col": 10, "nox": 8, "noy": 3}'
V1_FIRST_TURN = b'0250{"type":1,"top":[9,9,9,8,9,9,9,9,9,9],"board":[' + b"0," * 89 + b'0],"lastx":-1,"lasty":-1}'
V1_SECOND_TURN = (
    b'0248{"type":1,"top":[8,9,9,8,9,9,9,9,9,9],"board":[' + b"0," * 80 + b"1," + b"0," * 8 + b'0],"lastx":8,"lasty":0}'
)
V1_GAME_OVER = b'0010{"type":2}'

TEXT_REPLY = hexadecimal("00 00 00 03 38 20 34")
V1_REPLY = hexadecimal("00 00 00 0e 7b 22 58 22 3a 38 2c 22 59 22 3a 34 7d 0a")

# Per wire: what the judge sends, message by message, and what it means.
FROM_JUDGE = {
    "saiblo": [(V3_OPENING, OPENING), (V3_FIRST_TURN, FIRST_TURN), (V3_SECOND_TURN, SECOND_TURN)],
    "saiblo-v2": [(V3_OPENING, OPENING), (V2_FIRST_TURN, FIRST_TURN), (V2_SECOND_TURN, SECOND_TURN)],
    "saiblo-v1": [
        (V1_OPENING, OPENING),
        (V1_FIRST_TURN, FIRST_TURN),
        (V1_SECOND_TURN, SECOND_TURN),
        (V1_GAME_OVER, GAME_OVER),
    ],
}
GREETING = {"saiblo": b"", "saiblo-v2": V2_GREETING, "saiblo-v1": b""}
FRAMED_REPLY = {"saiblo": TEXT_REPLY, "saiblo-v2": TEXT_REPLY, "saiblo-v1": V1_REPLY}
assert set(FROM_JUDGE) == set(GREETING) == set(FRAMED_REPLY) == set(WIRES)


def taken(next_item):
    """Return everything that `next_item` delivers until it returns None."""
    items = []
    item = next_item()
    while item is not None:
        items.append(item)
        item = next_item()
    return items


def taken_in_pieces(decoder, next_item, data, cuts):
    """Feed `data` cut at the given offsets, taking everything complete after each piece."""
    items = []
    edges = [0, *sorted(cuts), len(data)]
    for start, end in zip(edges, edges[1:], strict=False):
        decoder.feed(data[start:end])
        items += taken(next_item)
    return items


def refusal(data, wire="saiblo", piecewise=False):
    """Return the error of a decoder fed with `data`, all at once or byte by byte."""
    decoder = MessageDecoder(wire)
    with pytest.raises(RemoteProtocolError) as caught:
        for piece in [data[i : i + 1] for i in range(len(data))] if piecewise else [data]:
            decoder.feed(piece)
            taken(decoder.next_message)
    return caught.value
