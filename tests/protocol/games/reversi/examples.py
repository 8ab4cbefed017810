"""Transcripts shared by reversi's wire tests, written out by hand from the wires' descriptions."""

import pytest

from protocol.errors import RemoteProtocolError
from protocol.games.reversi import MessageDecoder, NextRequest, Reply, Requests, Turn
from tests.protocol.games.connect_four.examples import hexadecimal, taken

EMPTY, BLACK, WHITE = 2, 0, 1

# The start position as player 0 gets it, and the answer to the opening move d3 as player 1 gets it.
FIRST_TURN = Turn(0, 8, (2,) * 27 + (1, 0) + (2,) * 6 + (0, 1) + (2,) * 27)
SECOND_TURN = Turn(1, 8, (2,) * 19 + (0,) + (2,) * 7 + (0, 0) + (2,) * 6 + (0, 1) + (2,) * 27)
SMALL_TURN = Turn(1, 4, (2, 2, 2, 2, 2, 1, 0, 2, 2, 0, 1, 2, 2, 2, 2, 2))
REPLY = Reply(2, 3)

SAIBLO_FIRST = hexadecimal("23 30", "32" * 27, "31 30", "32" * 6, "30 31", "32" * 27, "23")
SAIBLO_SECOND = hexadecimal("23 31", "32" * 19, "30", "32" * 7, "30 30", "32" * 6, "30 31", "32" * 27, "23")
SAIBLO_SMALL = b"#1" + b"2222" + b"2102" + b"2012" + b"2222" + b"#"
SAIBLO_REPLY = hexadecimal("00 00 00 02 32 33")
SAIBLO_QUERY = hexadecimal("00 00 00 43") + SAIBLO_FIRST

# Black's first turn; the same game two turns later, told to a new process; what one that stayed hears.
OPENING_REQUESTS = Requests((None,), ())
LATER_REQUESTS = Requests((None, (2, 2), None), ((2, 3), (3, 2)))
WHITES_REQUESTS = Requests(((2, 3),), ())
MOVE_REQUEST, PASS_REQUEST = NextRequest((4, 5)), NextRequest(None)

JSON_OPENING = b'{"requests":[{"x":-1,"y":-1}],"responses":[]}\n'
JSON_LATER = b'{"requests":[{"x":-1,"y":-1},{"x":2,"y":2},{"x":-1,"y":-1}],"responses":[{"x":2,"y":3},{"x":3,"y":2}]}\n'
JSON_MOVE, JSON_PASS = b'{"x":4,"y":5}\n', b'{"x":-1,"y":-1}\n'
JSON_REPLY, JSON_PASSED = b'{"response":{"x":2,"y":3}}\n', b'{"response":{"x":-1,"y":-1}}\n'

SIMPLE_OPENING = hexadecimal("31 0a 2d 31 20 2d 31 0a")
SIMPLE_LATER = b"3\n-1 -1\n2 3\n2 2\n3 2\n-1 -1\n"
SIMPLE_MOVE, SIMPLE_PASS = b"4 5\n", b"-1 -1\n"
SIMPLE_REPLY, SIMPLE_PASSED = hexadecimal("32 20 33 0a"), b"-1 -1\n"

KEEP_RUNNING = b">>>BOTZONE_REQUEST_KEEP_RUNNING<<<\n"

# Per wire: what the judge sends to one process, message by message, and what it means.
FROM_JUDGE = {
    "saiblo": [(SAIBLO_FIRST, FIRST_TURN), (SAIBLO_SECOND, SECOND_TURN), (SAIBLO_SMALL, SMALL_TURN)],
    "botzone": [(JSON_LATER, LATER_REQUESTS), (JSON_MOVE, MOVE_REQUEST), (JSON_PASS, PASS_REQUEST)],
    "botzone-simple": [
        (SIMPLE_LATER, LATER_REQUESTS),
        (SIMPLE_MOVE, MOVE_REQUEST),
        (SIMPLE_PASS, PASS_REQUEST),
    ],
}
OPENINGS = {"botzone": JSON_OPENING, "botzone-simple": SIMPLE_OPENING}
REPLIES = {"saiblo": SAIBLO_REPLY, "botzone": JSON_REPLY, "botzone-simple": SIMPLE_REPLY}
PASSES = {"botzone": JSON_PASSED, "botzone-simple": SIMPLE_PASSED}


def refusal(data, wire, piecewise=False):
    """Return the error of a decoder fed with `data`, all at once or byte by byte."""
    decoder = MessageDecoder(wire)
    with pytest.raises(RemoteProtocolError) as caught:
        for piece in [data[i : i + 1] for i in range(len(data))] if piecewise else [data]:
            decoder.feed(piece)
            taken(decoder.next_message)
    return caught.value
