"""Examples of dots and boxes for the contract of wires, written out by hand from the wires' descriptions."""

from functools import partial

from hypothesis import strategies as st

from protocol.botzone import NextRequest, Requests
from protocol.games.dots import (
    LETTERS,
    Board,
    Complaint,
    End,
    NameQuery,
    New,
    Quit,
    Reply,
    Turn,
    botzone,
    edge_at,
    encode_message,
    encode_name,
    encode_reply,
    is_edge,
    place_of,
)
from tests.protocol.helpers.streams import hexadecimal

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
SIMPLE_NEXT = [(b"10 9 0\n", MOVE_REQUEST), (b"0 1 1\n", PASS_REQUEST), (b"-1 -1 0\n", AGAIN_REQUEST)]

FROM_JUDGE = {
    "platform": [PLATFORM, OWN_JUDGE],
    "botzone": [
        [(JSON_LATER, LATER_REQUESTS), *JSON_NEXT],
        [(JSON_OPENING, OPENING_REQUESTS), (JSON_LATER, LATER_REQUESTS)],
    ],
    "botzone-simple": [
        [(SIMPLE_LATER, LATER_REQUESTS), *SIMPLE_NEXT],
        [(SIMPLE_OPENING, OPENING_REQUESTS), *SIMPLE_NEXT],
    ],
}
WAITING = (Board,)
GREETINGS = {}
PLATFORM_REPLY = hexadecimal("6d 6f 76 65 20 32 20 41 41 42 42 43 44 0a")
ANSWERS = {
    "platform": [
        (("AAB", "BCD"), PLATFORM_REPLY, Reply(("AAB", "BCD"))),
        (("AFE",), b"move 1 AFE\n", Reply(("AFE",))),
    ],
    "botzone": [
        (("AAB",), b'{"response":{"x":3,"y":0}}\n', (3, 0)),
        ((), b'{"response":{"x":-1,"y":-1}}\n', (-1, -1)),
    ],
    "botzone-simple": [(("BFE",), b"10 9\n", (10, 9)), ((), b"-1 -1\n", (-1, -1))],
}


def encode(message, wire):
    return encode_message(message)


encode_answer = encode_reply


def edges_of(rows, columns):
    """The names of all edges of a board with so many boxes."""
    names = [kind + line + place for kind in "AB" for line in LETTERS for place in LETTERS]
    return [name for name in names if is_edge(name, rows, columns)]


_PLACE = st.sampled_from([(x, y) for x in range(11) for y in range(11) if (x + y) % 2]) | st.just((-1, -1))
_REQUEST = st.tuples(_PLACE, st.integers(0, 1)).map(lambda parts: (*parts[0], parts[1]))


@st.composite
def _platform_games(draw):
    rows, columns = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    edges = st.lists(st.sampled_from(edges_of(rows, columns)), min_size=1, max_size=112).map(tuple)
    board = Board(rows, columns, draw(edges | st.just(())))
    return [board, New(draw(st.integers(0, 1))), *map(Turn, draw(st.lists(edges, max_size=5)))]


@st.composite
def _botzone_games(draw):
    requests = draw(st.lists(_REQUEST, min_size=1, max_size=30))
    responses = draw(st.lists(_PLACE, min_size=len(requests) - 1, max_size=len(requests) - 1))
    return [Requests(tuple(requests), tuple(responses)), *map(NextRequest, draw(st.lists(_REQUEST, max_size=5)))]


def games(wire):
    """Numbers and names in range, whatever the rules would say."""
    return _platform_games() if wire == "platform" else _botzone_games()


def answers(wire):
    if wire != "platform":
        return _PLACE.map(lambda place: (() if place == (-1, -1) else (edge_at(*place),), place))
    edges = st.lists(st.sampled_from(edges_of(7, 7)), min_size=1, max_size=40)
    return edges.map(lambda names: (tuple(names), Reply(tuple(names))))


# What is wrong


def request(text):
    return b'{"requests":[%s],"responses":[]}\n' % text


_ANY_EDGE = "an edge of 7 x 7 boxes"
_NUMBER_AND_NAMES = "a number of edges and their names"
_BOARD = "RxC, each from 1 to 7, perhaps with edges"
_MESSAGES = "name?, board, new, move, error, end or quit"
WRONG_FROM_JUDGE = {
    "platform": [
        (b"hello\n", "message", _MESSAGES, "hello"),
        (b"NAME?\n", "message", _MESSAGES, "NAME?"),
        (b"name\n", "message", _MESSAGES, "name"),
        (b"end now\n", "message", _MESSAGES, "end now"),
        (b"quit quit\n", "message", _MESSAGES, "quit quit"),
        (b"new\n", "new", "black or white", "b''"),
        (b"new red\n", "new", "black or white", "red"),
        (b"new red white\n", "new", "black or white", "red white"),
        (b"move\n", "move", _NUMBER_AND_NAMES, "b''"),
        (b"move 1 AAA AAB\n", "move", _NUMBER_AND_NAMES, "1 AAA AAB"),
        (b"move 2 AAA\n", "move", "1, the number of edges that follow", "2"),
        (b"move 0 AAA\n", "move", "1, the number of edges that follow", "0"),
        (b"move -1 AAA\n", "move", "1, the number of edges that follow", "-1"),
        (b"move 1x AAA\n", "move", "1, the number of edges that follow", "1x"),
        (b"move 99999999999999999999 AAA\n", "move", "1, the number", "99999999"),
        (b"move 1\n", "move", _ANY_EDGE, "'1'"),
        (b"move 1 CAA\n", "move", _ANY_EDGE, "'CAA'"),
        (b"move 1 aab\n", "move", _ANY_EDGE, "'aab'"),
        (b"move 1 AIA\n", "move", _ANY_EDGE, "'AIA'"),
        (b"move 1 BAH\n", "move", _ANY_EDGE, "'BAH'"),
        (b"move 1 A\xc4A\n", "move", _ANY_EDGE, "A"),
        (b"move 1 AAAA\n", "move", _ANY_EDGE, "'A'"),
        (b"move AAAA\n", "move", _ANY_EDGE, "'A'"),
        (b"move 113 %s\n" % (b"AAA" * 113), "move", "at most 112 edges", "113"),
        (b"board\n", "board", _BOARD, "b''"),
        (b"board 5\n", "board", _BOARD, "5"),
        (b"board 5x8\n", "board", _BOARD, "5x8"),
        (b"board 0x5\n", "board", _BOARD, "0x5"),
        (b"board 05x5\n", "board", _BOARD, "05x5"),
        (b"board 5x5x5\n", "board", _BOARD, "5x5x5"),
        (b"board 5x5 AAA BAA\n", "board", _BOARD, "5x5 AAA BAA"),
        (b"board 2x3 AAAADA\n", "board", "an edge of 2 x 3 boxes", "'ADA'"),
        (b"board 2x3 BEA\n", "board", "an edge of 2 x 3 boxes", "'BEA'"),
        (b"move " + b"A" * 2044, "line", "at most 2048 bytes", "2049"),
    ],
    "botzone": [
        (request(b"7"), "requests[0]", "an object with x and y", "a int"),
        (request(b'{"x":1}'), "requests[0].y", "an integer", "nothing"),
        (request(b'{"x":true,"y":1,"pass":0}'), "requests[0].x", "an integer", "a bool"),
        (request(b'{"x":1,"y":0,"pass":"1"}'), "requests[0].pass", "an integer", "a str"),
        (request(b'{"x":1,"y":0,"pass":2}'), "requests[0].pass", "0 to 1", "2"),
        (request(b'{"x":1,"y":12,"pass":0}'), "requests[0].y", "-1 to 10", "12"),
        (request(b'{"x":2,"y":2,"pass":0}'), "requests[0]", "x + y odd", "2 2"),
        (JSON_OPENING + b'{"x":3,"y":-1,"pass":0}\n', "request", "x + y odd", "3 -1"),
    ],
    "botzone-simple": [
        (b"0\n", "n", "1 to 128", "0"),
        (b"1\n-1 -1\n", "requests[0]", "3 integers from -1 to 10", "-1 -1"),
        (b"1\n11 0 0\n", "requests[0]", "3 integers from -1 to 10", "11 0 0"),
        (b"1\n1 0 2\n", "requests[0].pass", "0 to 1", "2"),
        (b"1\n1 1 0\n", "requests[0]", "x + y odd, or -1 -1", "1 1"),
        (b"1\n-1 0 0\n", "requests[0]", "x + y odd, or -1 -1", "-1 0"),
        (b"2\n-1 -1 0\n1 0 0\n", "responses[0]", "2 integers from -1 to 10", "1 0 0"),
        (b"2\n-1 -1 0\n2 2\n", "responses[0]", "x + y odd, or -1 -1", "2 2"),
        (SIMPLE_OPENING + b"4 4 0\n", "request", "x + y odd, or -1 -1", "4 4"),
        (SIMPLE_OPENING + b"4 5\n", "request", "3 integers", "4 5"),
    ],
}
WRONG_FROM_BOT = {
    "platform": [
        (b"left please\n", "message", "move", "left please"),
        (b"name\n", "message", "move", "name"),
        (b"name a\nname b\n", "message", "move", "name b"),
        (b"move 1 AAA\nname late\n", "message", "move", "name late"),
        (b"Move 1 AAA\n", "message", "move", "Move 1 AAA"),
        (b"move\n", "move", _NUMBER_AND_NAMES, "b''"),
        (b"move 0\n", "move", _ANY_EDGE, "'0'"),
        (b"move 0 AAA\n", "move", "1, the number of edges that follow", "0"),
        (b"move 2 AAA\n", "move", "1, the number of edges that follow", "2"),
        (b"move 1 AAABAA\n", "move", "2, the number of edges that follow", "1"),
        (b"move 1 AAA BAA\n", "move", _NUMBER_AND_NAMES, "1 AAA BAA"),
        (b"move 1 AA\n", "move", _ANY_EDGE, "'AA'"),
        (b"move 1 AAH\n", "move", _ANY_EDGE, "'AAH'"),
        (b"\xff\xfe\n", "message", "move", r"\xff\xfe"),
        (b" " * 2049, "line", "at most 2048 bytes", "2049"),
        (b"move 9 " + b"A" * 3000, "line", "at most 2048 bytes", "3007"),
        (b"name " + b"x" * 3000, "line", "at most 2048 bytes", "3005"),
    ],
    "botzone": [(b'{"response":{"x":2,"y":2}}\n', "response", "an edge's place", "2 2")],
    "botzone-simple": [
        (b"2 2\n", "response", "an edge's place", "2 2"),
        (b"10 9 0\n", "response", "2 integers from -1 to 10", "10 9 0"),
    ],
}
CUT = {
    "platform": [(b"nam", "message"), (b"end\nboard 2x7", "message")],
    "botzone": [(JSON_LATER[:3], "message")],
    "botzone-simple": [(SIMPLE_LATER[:3], "requests[0]"), (SIMPLE_LATER + b"4 5", "request")],
}
_WRONG_MESSAGES = [
    *[(New(side), "cannot send") for side in (2, None)],
    (Turn(()), "an edge at least"),
    *[(Turn((name,)), _ANY_EDGE) for name in ("aab", "AIA", 1)],
    (Turn(("AAA",) * 113), "at most 112 edges, got 113"),
    *[(Board(*size, ()), "board: expected 1 to 7 boxes") for size in ((0, 5), (5, 8), (5.0, 5))],
    (Board(2, 3, ("ADA",)), "an edge of 2 x 3 boxes"),
    (Board(5, 5, "AAA"), "an edge of 5 x 5 boxes"),
    *[(message, "cannot send") for message in (Requests(((-1, -1, 0),), ()), None, "new black", ())],
]
_WRONG_REQUESTS = [
    ((((-1, -1),), ()), "requests"),
    ((((1, 1, 0),), ()), "requests"),
    ((((1, 0, 2),), ()), "requests"),
    ((((-1, -1, 0), (1, 0, 0)), ((1, 0, 0),)), "responses"),
    ((((-1, -1, 0), (1, 0, 0)), ((0, 0),)), "responses"),
    ((((-1, -1, 0), (1, 0, 0)), ()), "Requests"),
    (((("x", 0, 0),), ()), "requests"),
]
_WRONG_TURNS = [(), ("aab",), ("AAB", "X"), ("AIA",), (None,), ("AAA",) * 113]
_WRONG_EDGES = [("AAB", "AAC"), ("AGA",), ("aab",), ("",)]
_NO_EDGES = ["AGA", "AAF", "BGA", "BAF", "CAA", "aab", "AA", "AABB", "", None]
_NO_PLACES = [(0, 0), (1, 1), (-1, -1), (-1, 0), (11, 0), (0, 11)]
_BOTZONE = ("botzone", "botzone-simple")
UNSENDABLE = [
    *[(partial(encode_message, message), named) for message, named in _WRONG_MESSAGES],
    *[
        (partial(botzone.encode_requests, Requests(*parts), wire), f"cannot send .*{named}")
        for parts, named in _WRONG_REQUESTS
        for wire in _BOTZONE
    ],
    *[
        (partial(botzone.encode_next_request, NextRequest((0, 0, 0)), wire), "cannot send request ")
        for wire in _BOTZONE
    ],
    *[(partial(encode_reply, edges, "platform"), "expected") for edges in _WRONG_TURNS],
    *[(partial(encode_reply, edges, wire), "Botzone|an edge") for edges in _WRONG_EDGES for wire in _BOTZONE],
    *[(partial(encode_name, name), "name: expected a word") for name in ("", "two words", "line\nend", "ü", "x" * 61)],
    *[(partial(place_of, edge), "an edge of 5 x 5 boxes") for edge in _NO_EDGES],
    *[(partial(edge_at, *place), "grid of 11 x 11") for place in _NO_PLACES],
]
WORDS = [
    *[b"name?", b"name x", b"new", b" black", b" white", b"move ", b"1 ", b"2 ", b"AAB", b"BCD", b"end", b"error"],
    *[b"quit", b"board ", b"2x3", b"\n", b"\0", b"\r\n", b" "],
    *[b'{"requests":[', b'{"x":3,"y":4}', b"]", b"}", b'"responses":[', b",", b"3 4 0\n", b"1\n", b"3 4\n"],
]
