"""Transcripts shared by the wire tests of dots and boxes, written out by hand from the wires' descriptions."""

import pytest

from protocol.errors import RemoteProtocolError
from protocol.games.dots import (
    Board,
    Complaint,
    End,
    MessageDecoder,
    NameQuery,
    New,
    NextRequest,
    Quit,
    Reply,
    Requests,
    Turn,
)
from tests.protocol.games.connect_four.examples import hexadecimal, taken

# As the platform writes to a bot that is white and later, in another game, black. The bytes of the first line, of a
# turn and of the last line are those of its description.
PLATFORM = [
    (hexadecimal("6e 61 6d 65 3f 0a"), NameQuery()),
    (b"new white\n", New(1)),
    (hexadecimal("6d 6f 76 65 20 32 20", "41 41 42 42 43 44 0a"), Turn(("AAB", "BCD"))),
    (b"move 1 BFE\n", Turn(("BFE",))),
    (b"error\n", Complaint()),
    (b"end\n", End()),
    (hexadecimal("6e 65 77 20 62 6c 61 63 6b 0a"), New(0)),
    (b"move 3 AFEBAABFA\n", Turn(("AFE", "BAA", "BFA"))),
    (b"end\n", End()),
    (b"quit\n", Quit()),
]
# What our own judge says of another board.
OWN_JUDGE = [
    (b"name?\n", NameQuery()),
    (b"board 2x7\n", Board(2, 7, ())),
    (b"new black\n", New(0)),
    (b"end\n", End()),
    (b"board 5x5 AABBCD\n", Board(5, 5, ("AAB", "BCD"))),
    (b"new white\n", New(1)),
    (b"quit\n", Quit()),
]
REPLY = Reply(("AAB", "BCD"))
PLATFORM_REPLY = hexadecimal("6d 6f 76 65 20 32 20 41 41 42 42 43 44 0a")

# Black's first request; the same game later: black has drawn AAB, white BCD, which completed nothing, black then took a
# box with AAA and is asked again, and white's BCE took one, for which black has to pass.
OPENING_REQUESTS = Requests(((-1, -1, 0),), ())
LATER_REQUESTS = Requests(((-1, -1, 0), (4, 7, 0), (-1, -1, 0), (4, 9, 1)), ((3, 0), (1, 0), (9, 10)))
MOVE_REQUEST, PASS_REQUEST, AGAIN_REQUEST = NextRequest((10, 9, 0)), NextRequest((0, 1, 1)), NextRequest((-1, -1, 0))

JSON_OPENING = b'{"requests":[{"x":-1,"y":-1,"pass":0}],"responses":[]}\n'
JSON_LATER = (
    b'{"requests":[{"x":-1,"y":-1,"pass":0},{"x":4,"y":7,"pass":0},{"x":-1,"y":-1,"pass":0},'
    b'{"x":4,"y":9,"pass":1}],"responses":[{"x":3,"y":0},{"x":1,"y":0},{"x":9,"y":10}]}\n'
)
JSON_NEXT = [
    (b'{"x":10,"y":9,"pass":0}\n', MOVE_REQUEST),
    (b'{"x":0,"y":1,"pass":1}\n', PASS_REQUEST),
    (b'{"x":-1,"y":-1,"pass":0}\n', AGAIN_REQUEST),
]
SIMPLE_OPENING = hexadecimal("31 0a", "2d 31 20 2d 31 20 30 0a")
SIMPLE_LATER = b"4\n-1 -1 0\n3 0\n4 7 0\n1 0\n-1 -1 0\n9 10\n4 9 1\n"
SIMPLE_NEXT = [
    (b"10 9 0\n", MOVE_REQUEST),
    (b"0 1 1\n", PASS_REQUEST),
    (b"-1 -1 0\n", AGAIN_REQUEST),
]

# Per wire: what the judge sends to one process, message by message, and what it means.
FROM_JUDGE = {
    "platform": PLATFORM,
    "botzone": [(JSON_LATER, LATER_REQUESTS), *JSON_NEXT],
    "botzone-simple": [(SIMPLE_LATER, LATER_REQUESTS), *SIMPLE_NEXT],
}
OPENINGS = {"botzone": JSON_OPENING, "botzone-simple": SIMPLE_OPENING}
KEEP_RUNNING = b">>>BOTZONE_REQUEST_KEEP_RUNNING<<<\n"


def kinds(messages):
    """Messages with their types: those without fields equal each other otherwise."""
    return [(type(message), message) for message in messages]


def refusal(data, wire, piecewise=False):
    """Return the error of a decoder fed with `data`, all at once or byte by byte."""
    decoder = MessageDecoder(wire)
    with pytest.raises(RemoteProtocolError) as caught:
        for piece in [data[i : i + 1] for i in range(len(data))] if piecewise else [data]:
            decoder.feed(piece)
            taken(decoder.next_message)
    return caught.value
