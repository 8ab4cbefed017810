"""Reversi's examples for the contract of wires, written out by hand from the wires' descriptions."""

from functools import partial

from hypothesis import strategies as st

from protocol.botzone import NextRequest, Requests
from protocol.framing import encode_frame
from protocol.games.reversi import (
    Reply,
    ReplyDecoder,
    RuleQuery,
    Turn,
    botzone,
    encode_reply,
    encode_rule_query,
    encode_turn,
)
from tests.protocol.helpers.streams import hexadecimal

# The start position as player 0 gets it, and the answer to the opening move d3 as player 1 gets it.
FIRST_TURN = Turn(0, 8, (2,) * 27 + (1, 0) + (2,) * 6 + (0, 1) + (2,) * 27)
SECOND_TURN = Turn(1, 8, (2,) * 19 + (0,) + (2,) * 7 + (0, 0) + (2,) * 6 + (0, 1) + (2,) * 27)
SMALL_TURN = Turn(1, 4, (2, 2, 2, 2, 2, 1, 0, 2, 2, 0, 1, 2, 2, 2, 2, 2))
REPLY, QUERY = Reply(2, 3), RuleQuery(*FIRST_TURN)

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
JSON_NEXT = [(b'{"x":4,"y":5}\n', MOVE_REQUEST), (b'{"x":-1,"y":-1}\n', PASS_REQUEST)]

SIMPLE_OPENING = hexadecimal("31 0a 2d 31 20 2d 31 0a")
SIMPLE_LATER = b"3\n-1 -1\n2 3\n2 2\n3 2\n-1 -1\n"
SIMPLE_NEXT = [(b"4 5\n", MOVE_REQUEST), (b"-1 -1\n", PASS_REQUEST)]

FROM_JUDGE = {
    "saiblo": [[(SAIBLO_FIRST, FIRST_TURN), (SAIBLO_SECOND, SECOND_TURN), (SAIBLO_SMALL, SMALL_TURN)]],
    "botzone": [
        [(JSON_LATER, LATER_REQUESTS), *JSON_NEXT],
        # A process that stayed may be told the whole game again.
        [(JSON_OPENING, OPENING_REQUESTS), (JSON_LATER, LATER_REQUESTS)],
    ],
    "botzone-simple": [
        [(SIMPLE_LATER, LATER_REQUESTS), *SIMPLE_NEXT],
        [(SIMPLE_OPENING, OPENING_REQUESTS), *SIMPLE_NEXT],
    ],
}
WAITING = ()
GREETINGS = {}
ANSWERS = {
    "saiblo": [(REPLY, SAIBLO_REPLY, REPLY), (QUERY, SAIBLO_QUERY, QUERY)],
    "botzone": [
        (REPLY, b'{"response":{"x":2,"y":3}}\n', (2, 3)),
        (None, b'{"response":{"x":-1,"y":-1}}\n', None),
    ],
    "botzone-simple": [(REPLY, hexadecimal("32 20 33 0a"), (2, 3)), (None, b"-1 -1\n", None)],
}


def encode(message, wire):
    return encode_turn(message)


def encode_answer(answer, wire):
    return encode_rule_query(answer) if isinstance(answer, RuleQuery) else encode_reply(answer, wire)


def cells_of(size):
    return st.binary(min_size=size * size, max_size=size * size).map(lambda cells: tuple(v % 3 for v in cells))


_TURN = st.integers(4, 10).flatmap(lambda size: st.builds(Turn, st.integers(0, 1), st.just(size), cells_of(size)))
_MOVE = st.none() | st.tuples(st.integers(0, 7), st.integers(0, 7))


@st.composite
def _botzone_games(draw):
    requests = draw(st.lists(_MOVE, min_size=1, max_size=60))
    responses = draw(st.lists(_MOVE, min_size=len(requests) - 1, max_size=len(requests) - 1))
    return [Requests(tuple(requests), tuple(responses)), *map(NextRequest, draw(st.lists(_MOVE, max_size=5)))]


def games(wire):
    """Boards of any size, or requests of any length and more to the process that stayed. The rules are not asked."""
    return st.lists(_TURN, min_size=1, max_size=4) if wire == "saiblo" else _botzone_games()


def answers(wire):
    if wire != "saiblo":
        return _MOVE.map(lambda move: (move, move))
    digit = st.integers(0, 9)
    query = st.builds(RuleQuery, st.integers(0, 1), st.just(8), cells_of(8))
    return (st.builds(Reply, digit, digit) | query).map(lambda answer: (answer, answer))


# What is wrong


def changed(place, byte):
    return SAIBLO_FIRST[:place] + byte + SAIBLO_FIRST[place + 1 :]


def json_of(requests, responses="[]"):
    return f'{{"requests":{requests},"responses":{responses}}}\n'.encode()


BLACKS_FIRST = '{"x":-1,"y":-1}'
WRONG_FROM_JUDGE = {
    "saiblo": [
        (b"x", "start", "#", "x"),
        (b"0" + SAIBLO_FIRST[1:], "start", "#", "0"),
        (SAIBLO_FIRST + b"0", "start", "#", "0"),
        (SAIBLO_FIRST + SAIBLO_FIRST[1:], "start", "#", "0"),
        (changed(1, b"2"), "side", "0 or 1", "2"),
        (b"##", "side", "0 or 1", "#"),
        (changed(2, b"3"), "cells[0]", "0 or 1 or 2", "3"),
        (changed(30, b" "), "cells[28]", "0 or 1 or 2", " "),
        (changed(65, b"\xff"), "cells[63]", "0 or 1 or 2", r"\xff"),
        (changed(66, b"2") + b"#", "cells", "4 to 10", "65"),
        (SAIBLO_FIRST[:-2] + b"#", "cells", "4 to 10", "63"),
        (b"#0#", "cells", "4 to 10", "0"),
        (b"#0" + b"2" * 9 + b"#", "cells", "4 to 10", "9"),
        (b"#0" + b"2" * 101 + b"#", "end", "#", "2"),
        (b"#0" + b"2" * 121 + b"#", "end", "#", "2"),
    ],
    "botzone": [
        (json_of("[null]"), "requests[0]", "an object with x and y", "nothing"),
        (json_of('["2 3"]'), "requests[0]", "an object with x and y", "a str"),
        (json_of('[{"x":1}]'), "requests[0].y", "an integer", "nothing"),
        (json_of('[{"x":true,"y":1}]'), "requests[0].x", "an integer", "a bool"),
        (json_of('[{"x":"1","y":1}]'), "requests[0].x", "an integer", "a str"),
        (json_of('[{"x":1.0,"y":1}]'), "requests[0].x", "an integer", "a float"),
        (json_of(f'[{{"x":{"9" * 5000},"y":1}}]'), "requests[0].x", "an integer", "a float"),
        (json_of(f'[{{"x":{"9" * 18},"y":1}}]'), "requests[0].x", "-1 to 7", "9" * 18),
        (json_of('[{"x":8,"y":1}]'), "requests[0].x", "-1 to 7", "8"),
        (json_of('[{"x":1,"y":-2}]'), "requests[0].y", "-1 to 7", "-2"),
        (json_of('[{"x":-1,"y":2}]'), "requests[0]", "a cell or -1 -1", "-1 2"),
        (json_of(f"[{BLACKS_FIRST},{BLACKS_FIRST}]", '[{"x":2,"y":9}]'), "responses[0].y", "-1 to 7", "9"),
        (JSON_OPENING + b"{}\n", "request.x", "an integer", "nothing"),
        (JSON_OPENING + b'{"x":3,"y":8}\n', "request.y", "-1 to 7", "8"),
        (JSON_OPENING + b'{"x":3,"y":-1}\n', "request", "a cell or -1 -1", "3 -1"),
    ],
    "botzone-simple": [
        (b"1\n8 0\n", "requests[0]", "two integers from -1 to 7", "8 0"),
        (b"1\n-2 0\n", "requests[0]", "two integers from -1 to 7", "-2 0"),
        (b"1\n3\n", "requests[0]", "two integers", "3"),
        (b"1\n3 4 5\n", "requests[0]", "two integers", "3 4 5"),
        (b"1\n3,4\n", "requests[0]", "two integers", "3,4"),
        (b"1\n-1 4\n", "requests[0]", "a cell or -1 -1", "-1 4"),
        (b"2\n-1 -1\n3 -1\n", "responses[0]", "a cell or -1 -1", "3 -1"),
        (b"2\n-1 -1\n3 3\n0 0x\n", "requests[1]", "two integers", "0 0x"),
        (SIMPLE_OPENING + b"9 3\n", "request", "-1 to 7", "9 3"),
        (SIMPLE_OPENING + b"-1\n", "request", "two integers", "-1"),
        (SIMPLE_OPENING + b"4 5\nx\n", "request", "two integers", "x"),
        (SIMPLE_OPENING + b"4 5\n3 -1\n", "request", "a cell or -1 -1", "3 -1"),
    ],
}
_BOARD = SAIBLO_FIRST
_NO_REPLIES = [b"2", b"233", b"2 3", b"a3", b"2\xb2", b"-1", b"23\n", b"2\0", b"9" * 1024, _BOARD[:-1], _BOARD + b"\n"]
_TWO_DIGITS = "two digits, or 67 bytes to ask for the rules"
WRONG_FROM_BOT = {
    "saiblo": [
        *[(encode_frame(body), "reply", _TWO_DIGITS, "") for body in _NO_REPLIES],
        (encode_frame(b'{"response":{"x":2,"y":3}}\n'), "reply", _TWO_DIGITS, "response"),
        (encode_frame(b"?" + _BOARD[1:]), "query start", "#", "?"),
        (encode_frame(b"#2" + _BOARD[2:]), "query side", "0 or 1", "2"),
        (encode_frame(_BOARD[:9] + b"#" + _BOARD[10:]), "query cells[7]", "0 or 1 or 2", "#"),
        (encode_frame(_BOARD[:-1] + b"2"), "query end", "#", "2"),
        # Of another board, a question is none.
        (encode_rule_query(RuleQuery(*SMALL_TURN)), "reply", _TWO_DIGITS, "#1"),
    ],
    "botzone": [
        (b'{"x":2,"y":3}\n', "response", "an object with x and y", "nothing"),
        (b'{"response":"2 3"}\n', "response", "an object with x and y", "a str"),
        (b'{"response":{"x":2}}\n', "response.y", "an integer", "nothing"),
        (b'{"response":{"x":2,"y":8}}\n', "response.y", "-1 to 7", "8"),
        (b'{"response":{"x":2,"y":-1}}\n', "response", "a cell or -1 -1", "2 -1"),
    ],
    "botzone-simple": [
        (b"debug\n2 3\n", "response", "two integers from -1 to 7", "debug"),
        (b"2\n", "response", "two integers", "2"),
        (b"2 8\n", "response", "two integers", "2 8"),
        (b"2 -1\n", "response", "a cell or -1 -1", "2 -1"),
        (b"2 3 4\n", "response", "two integers", "2 3 4"),
        (b'{"response":{"x":2,"y":3}}\n', "response", "two integers", "response"),
        (b"\n", "response", "two integers", "b''"),
    ],
}
CUT = {
    "saiblo": [(SAIBLO_FIRST[:1], "side"), (SAIBLO_FIRST[:5], "cells[3]"), (SAIBLO_FIRST + b"\n#", "side")],
    "botzone": [(JSON_LATER[:5], "message")],
    "botzone-simple": [
        (SIMPLE_LATER[:1], "n"),
        (SIMPLE_LATER[:2], "requests[0]"),
        (SIMPLE_LATER[:9], "responses[0]"),
        (SIMPLE_LATER + b"3", "request"),
    ],
}
_WRONG_TURNS = [
    (Turn(2, 8, FIRST_TURN.cells), "side"),
    (Turn(0, 3, (2,) * 9), "size"),
    (Turn(0, 11, (2,) * 121), "size"),
    (Turn(0, 8, FIRST_TURN.cells[1:]), r"len\(cells\)"),
    (Turn(0, 8, (3,) + FIRST_TURN.cells[1:]), r"cells\[0\]"),
    (Turn(0, 8, (1.0,) + FIRST_TURN.cells[1:]), "float"),
    (SMALL_TURN[:2], "values"),
]
_WRONG_REQUESTS = [
    (Requests((), ()), r"len\(requests\)"),
    (Requests((None,) * 129, (None,) * 128), r"len\(requests\)"),
    (Requests((None,), (None,)), r"len\(responses\)"),
    (Requests((None, (8, 0)), ((0, 0),)), "row"),
    (Requests((None, (0, 0)), ((0, -1),)), "col"),
    (Requests(((-1, -1),), ()), "row"),
    (Requests(((1, 2, 3),), ()), "values"),
    (Requests((7,), ()), "int"),
    (((None,),), "argument"),
]
_BOTZONE = ("botzone", "botzone-simple")
_WRONG_REPLIES = {"saiblo": [None, (10, 0), (0, 10), (-1, -1)], **dict.fromkeys(_BOTZONE, [(8, 0), (0, 8), (-1, -1)])}
UNSENDABLE = [
    *[(partial(encode_turn, turn), f"cannot send a .*{named}") for turn, named in _WRONG_TURNS],
    *[
        (partial(botzone.encode_requests, *case), f"cannot send .*{of}")
        for *case, of in [(message, wire, named) for message, named in _WRONG_REQUESTS for wire in _BOTZONE]
    ],
    *[(partial(botzone.encode_next_request, NextRequest((0, 8)), wire), "cannot send request ") for wire in _BOTZONE],
    *[
        (partial(encode_reply, reply, wire), "reply: expected two integers")
        for reply in (Reply(8.0, 4), Reply("8", 4), (8,), (8, 4, 1), 3)
        for wire in FROM_JUDGE
    ],
    *[(partial(encode_reply, reply, wire), "reply") for wire, replies in _WRONG_REPLIES.items() for reply in replies],
    (partial(encode_rule_query, RuleQuery(2, 8, FIRST_TURN.cells)), "cannot send a RuleQuery: side"),
    (partial(ReplyDecoder, "botzone"), "wire: expected saiblo, got 'botzone'"),
    (partial(ReplyDecoder, "saiblo", 3), "size: expected 4 to 10, got 3"),
    (partial(ReplyDecoder, "saiblo", 11), "size: expected 4 to 10, got 11"),
]
WORDS = [
    *[b'{"requests":[', b'{"x":3,"y":4}', b"]", b"}", b'"responses":[', b",", b"\n", b"3 4\n", b"1\n"],
    *[b"#0", b"2" * 61, b"2", b"#"],
]
