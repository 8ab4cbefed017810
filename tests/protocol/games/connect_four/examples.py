"""Connect four's examples for the contract of wires: a 9x10 board whose forbidden cell (8, 3) is in the bottom row.

Each wire's bytes are written out by hand from its description, not taken from the encoders.
"""

from functools import partial

from hypothesis import strategies as st

from protocol.framing import encode_frame
from protocol.games.connect_four import (
    GAME_OVER,
    WIRES,
    Opening,
    Reply,
    Turn,
    encode_game_over,
    encode_opening,
    encode_reply,
    encode_turn,
)
from tests.protocol.helpers.streams import hexadecimal

OPENING = Opening(9, 10, (8, 3))
FIRST_TURN = Turn(None, (9, 9, 9, 8, 9, 9, 9, 9, 9, 9), (0,) * 90)
# The opponent has opened with (8, 0): the 81st number of the board.
SECOND_TURN = Turn((8, 0), (8, 9, 9, 8, 9, 9, 9, 9, 9, 9), (0,) * 80 + (1,) + (0,) * 9)
REPLY = Reply(8, 4)

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

FROM_JUDGE = {
    "saiblo": [[(V3_OPENING, OPENING), (V3_FIRST_TURN, FIRST_TURN), (V3_SECOND_TURN, SECOND_TURN)]],
    "saiblo-v2": [[(V3_OPENING, OPENING), (V2_FIRST_TURN, FIRST_TURN), (V2_SECOND_TURN, SECOND_TURN)]],
    "saiblo-v1": [
        [(V1_OPENING, OPENING), (V1_FIRST_TURN, FIRST_TURN), (V1_SECOND_TURN, SECOND_TURN), (V1_GAME_OVER, GAME_OVER)]
    ],
}
WAITING = (Opening,)
GREETINGS = {"saiblo-v2": V2_GREETING}
# The last two of the text wire are those of its description.
TEXT_ANSWERS = [
    (REPLY, TEXT_REPLY, REPLY),
    (Reply(0, 10), hexadecimal("00 00 00 04 30 20 31 30"), Reply(0, 10)),
    (Reply(11, 11), hexadecimal("00 00 00 05 31 31 20 31 31"), Reply(11, 11)),
]
ANSWERS = {"saiblo": TEXT_ANSWERS, "saiblo-v2": TEXT_ANSWERS, "saiblo-v1": [(REPLY, V1_REPLY, REPLY)]}


def encode(message, wire):
    if message is GAME_OVER:
        return encode_game_over(wire)
    return (encode_opening if isinstance(message, Opening) else encode_turn)(message, wire)


encode_answer = encode_reply


@st.composite
def _games(draw):
    rows, cols = draw(st.integers(9, 12)), draw(st.integers(9, 12))
    cell = st.tuples(st.integers(0, rows - 1), st.integers(0, cols - 1))
    turn = st.builds(
        Turn,
        st.none() | cell,
        st.tuples(*[st.integers(0, rows)] * cols),
        st.binary(min_size=rows * cols, max_size=rows * cols).map(lambda cells: tuple(v % 3 for v in cells)),
    )
    return [Opening(rows, cols, draw(cell)), *draw(st.lists(turn, max_size=3))]


def games(wire):
    """An opening and turns of its size. Numbers in range, whatever the rules would say."""
    return _games()


def answers(wire):
    return st.builds(Reply, st.integers(), st.integers()).map(lambda reply: (reply, reply))


# What is wrong


def changed(turn, position, token):
    """The text turn with its `position`-th number replaced by `token`."""
    tokens = turn.split()
    tokens[position] = token
    return b" ".join(tokens) + b"\n"


def v1(body):
    return b"%04d" % len(body) + body


def v1_turn(**changes):
    """An opening and a turn of V1 with other values, or without a key where the value is empty."""
    parts = {"top": b"[" + b"9," * 9 + b"9]", "board": b"[" + b"0," * 89 + b"0]", "lastx": b"-1", "lasty": b"-1"}
    content = [b'"%s":%s' % (key.encode(), value) for key, value in {**parts, **changes}.items() if value]
    return V1_OPENING + v1(b'{"type":1,' + b",".join(content) + b"}")


_OPENINGS = [
    (b"8 10 8 3\n", "rows", "9 to 12", "8"),
    (b"13 10 8 3\n", "rows", "9 to 12", "13"),
    (b"9 13 8 3\n", "cols", "9 to 12", "13"),
    (b"9 10 9 3\n", "noX", "0 to 8", "9"),
    (b"9 10 8 10\n", "noY", "0 to 9", "10"),
    (b"9 10 -1 3\n", "noX", "0 to 11", "-1"),
    (b"x 10 8 3\n", "rows", "9 to 12", "x"),
    (b"9 10 8 3x\n", "noY", "0 to 11", "3x"),
    (b"9,10,8,3\n", "rows", "9 to 12", "9,10"),
    (b"9 +9 8 3\n", "cols", "9 to 12", "+9"),
    (b"9 1_0 8 3\n", "cols", "9 to 12", "1_0"),
    (b"9 10 8 03\n", "noY", "0 to 11", "03"),
    (b"9 10 8 3.0\n", "noY", "0 to 11", "3.0"),
    (b"9 10 8 \xd9\xa3\n", "noY", "0 to 11", r"\xd9"),
    (b"9\x0010 8 3\n", "rows", "9 to 12", r"\x00"),
    (b"\xef\xbb\xbf9 10 8 3\n", "rows", "9 to 12", r"\xef"),
    (b'0043{"type":0}', "rows", "9 to 12", "0043"),
]
_TURNS = [
    (0, b"9", "lastX", "-1 to 8"),
    (0, b"--1", "lastX", "-1 to 8"),
    (1, b"10", "lastY", "-1 to 9"),
    (1, b"-2", "lastY", "-1 to 9"),
    (2, b"10", "top[0]", "0 to 9"),
    (5, b"-1", "top[3]", "0 to 9"),
    (12, b"3", "board[0]", "0 to 2"),
    (29, b"-", "board[17]", "0 to 2"),
    (29, b"a", "board[17]", "0 to 2"),
    (29, b"12", "board[17]", "0 to 2"),
    (101, b"3", "board[89]", "0 to 2"),
    (101, b"x", "board[89]", "0 to 2"),
]
_HALF_OFF = [
    (V3_OPENING + changed(V3_FIRST_TURN, 0, b"3"), "lastX lastY", "a cell or -1 -1", "3 -1"),
    (V3_OPENING + changed(V3_FIRST_TURN, 1, b"3"), "lastX lastY", "a cell or -1 -1", "-1 3"),
]
_SIZES = [
    (V3_OPENING + changed(V2_FIRST_TURN, 2, b"9"), "topSize", "10", "9"),
    (V3_OPENING + changed(V2_FIRST_TURN, 13, b"100"), "boardSize", "90", "100"),
    (V3_OPENING + V3_FIRST_TURN, "topSize", "10", "9"),
]
_V1 = [
    (b"00x3", "length", "4 decimal digits", "00x3"),
    (b"-043", "length", "4 decimal digits", "-043"),
    (b"0000", "body", "a JSON object", "b''"),
    (v1(b"[]"), "body", "a JSON object", "[]"),
    (v1(b'{"type":0,'), "body", "a JSON object", "type"),
    (v1(b"[" * 9000), "body", "a JSON object", "9000 bytes"),
    (v1(b"\xff\xfe{}"), "body", "a JSON object", r"\xff"),
    (v1(b"{}"), "type", "an integer", "no such key"),
    (v1(b'{"type":1}'), "type", "0", "1"),
    (v1(b'{"type":2}'), "type", "0", "2"),
    (v1(b'{"type":0}'), "row", "an integer", "no such key"),
    (v1(b'{"type":0,"row":true,"col":10,"nox":8,"noy":3}'), "row", "an integer", "a bool"),
    (v1(b'{"type":0,"row":9,"col":"10","nox":8,"noy":3}'), "col", "an integer", "a str"),
    (v1(b'{"type":0,"row":9,"col":10.0,"nox":8,"noy":3}'), "col", "an integer", "a float"),
    (v1(b'{"type":0,"row":8,"col":10,"nox":8,"noy":3}'), "rows", "9 to 12", "8"),
    (v1(b'{"type":0,"row":9,"col":10,"nox":9,"noy":3}'), "noX", "0 to 8", "9"),
    (v1(b'{"type":0,"row":9,"col":10,"nox":8,"noy":' + b"9" * 4000 + b"}"), "noY", "0 to 11", "9" * 24),
    (v1_turn(top=b""), "top", "a list of 10 integers", "no list"),
    (v1_turn(top=b"[9,9]"), "top", "a list of 10 integers", "2 values"),
    (v1_turn(board=b"7"), "board", "a list of 90 integers", "no list"),
    (v1_turn(board=b"[" + b"0," * 80 + b"3," + b"0," * 8 + b"0]"), "board[80]", "0 to 2", "3"),
    (v1_turn(board=b"[" + b"0," * 80 + b"null," + b"0," * 8 + b"0]"), "board[80]", "an integer", "a NoneType"),
    (v1_turn(top=b"[10" + b",9" * 9 + b"]"), "top[0]", "0 to 9", "10"),
    (v1_turn(lastx=b"9"), "lastX", "-1 to 8", "9"),
    (v1_turn(lasty=b"0"), "lastX lastY", "a cell or -1 -1", "-1 0"),
    (v1_turn(lasty=b""), "lasty", "an integer", "no such key"),
    (V1_OPENING + V1_OPENING, "type", "1 to 2", "0"),
    (V1_OPENING + v1(b'{"type":3}'), "type", "1 to 2", "3"),
]
WRONG_FROM_JUDGE = {
    "saiblo": [
        *_OPENINGS,
        *[(V3_OPENING + changed(V3_FIRST_TURN, at, token), *words, repr(token)[1:]) for at, token, *words in _TURNS],
        *_HALF_OFF,
        (V3_OPENING + V2_FIRST_TURN, "top[0]", "0 to 9", "10"),
        (b"7" * 1_000_000, "rows", "9 to 12", "1000000 bytes"),
    ],
    "saiblo-v2": [_OPENINGS[0], *_SIZES],
    "saiblo-v1": _V1,
}
_TWO_INTEGERS = [
    *[b"8", b"8 4 1", b"a b", b"8,4", b"+8 4", b"8 4.0", b"8 -", b"8 --4", b"   ", b"8 \xb2", b"8 1_0"],
    *[b"9" * 1024 + b" x", b'{"X":8,"Y":4}\n'],
]
_TEXT_REPLIES = [(encode_frame(body), "reply", "two integers separated by a blank", "") for body in _TWO_INTEGERS]
WRONG_FROM_BOT = {
    "saiblo": _TEXT_REPLIES,
    "saiblo-v2": _TEXT_REPLIES[:1],
    "saiblo-v1": [
        (encode_frame(b"8 4"), "reply", "a JSON object", "8 4"),
        (encode_frame(b'{"X":8}'), "Y", "an integer", "no such key"),
        (encode_frame(b'{"X":"8","Y":4}'), "X", "an integer", "a str"),
    ],
}
CUT = {
    "saiblo": [(V3_OPENING[:2], "cols"), (V3_OPENING + V3_FIRST_TURN[:12], "top[3]")],
    "saiblo-v2": [(V3_OPENING + V2_FIRST_TURN[:7], "topSize"), (V3_OPENING + V2_FIRST_TURN[:9], "top[0]")],
    "saiblo-v1": [(V1_OPENING[:3], "length"), (V1_OPENING[:4], "body"), (V1_OPENING + b" 0", "length")],
}
_OFF_RANGE = [
    (Opening(8, 9, (0, 0)), "cannot send Opening.*rows"),
    (Opening(9, 13, (0, 0)), "cannot send Opening.*cols"),
    (Opening(9, 9, (9, 0)), "cannot send Opening.*noX"),
    (Opening(9, 9, None), "cannot send Opening"),
    (Opening(9.0, 9, (0, 0)), "cannot send Opening.*float"),
    (Turn((9, 0), FIRST_TURN.tops, FIRST_TURN.board), "cannot send a turn: lastX"),
    (Turn((-1, 0), FIRST_TURN.tops, FIRST_TURN.board), "cannot send a turn: lastX lastY"),
    (Turn(None, FIRST_TURN.tops, FIRST_TURN.board + (0,) * 5), r"cannot send a turn: len\(board\)"),
    (Turn(None, (10,) + FIRST_TURN.tops[1:], FIRST_TURN.board), r"cannot send a turn: top\[0\]"),
    (Turn(None, FIRST_TURN.tops, (3,) + FIRST_TURN.board[1:]), r"cannot send a turn: board\[0\]"),
    (Turn(None, FIRST_TURN.tops, (1.0,) + FIRST_TURN.board[1:]), "cannot send a turn: .*float"),
    (Turn(None, (), ()), "cannot send a turn: rows"),
]
_NO_REPLIES = [Reply(8.0, 4), Reply("8", 4), (8,), (8, 4, 1), None]
UNSENDABLE = [
    *[(partial(encode, message, wire), named) for message, named in _OFF_RANGE for wire in WIRES],
    *[(partial(encode_reply, reply, "saiblo"), "reply: expected two integers") for reply in _NO_REPLIES],
]
WORDS = [b"9 10 8 3\n", b"-1 -1 ", b"9 " * 10, b"0 " * 89 + b"0", b"1", V1_OPENING, V1_GAME_OVER, b"8 4", b"0043", b"{"]
