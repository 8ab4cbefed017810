"""What the wires of dots and boxes refuse to take from a judge or to send to a bot, and how they say it."""

import pytest

from protocol.botzone.messages import NextRequest, Requests
from protocol.errors import FrameTooLong, LocalProtocolError, RemoteProtocolError
from protocol.games.dots import Board, Complaint, MessageDecoder, New, Turn, encode_message
from protocol.games.dots.botzone import encode_next_request, encode_requests
from protocol.games.dots.platform import LONGEST_LINE
from tests.protocol.games.connect_four.examples import taken
from tests.protocol.games.dots.examples import FROM_JUDGE, JSON_OPENING, LATER_REQUESTS, SIMPLE_OPENING, refusal

ANY_EDGE = "an edge of 7 x 7 boxes"
PLATFORM_CASES = [
    (b"hello\n", "message", "name?, board, new, move, error, end or quit", "hello"),
    (b"NAME?\n", "message", "name?", "NAME?"),
    (b"name\n", "message", "name?", "name"),
    (b"end now\n", "message", "name?", "end now"),
    (b"new\n", "new", "black or white", "b''"),
    (b"new red\n", "new", "black or white", "red"),
    (b"new red white\n", "new", "black or white", "red white"),
    (b"move\n", "move", "a number of edges and their names", "b''"),
    (b"move 1 AAA AAB\n", "move", "a number of edges and their names", "1 AAA AAB"),
    (b"move 2 AAA\n", "move", "1, the number of edges that follow", "2"),
    (b"move 0 AAA\n", "move", "1, the number of edges that follow", "0"),
    (b"move -1 AAA\n", "move", "1, the number of edges that follow", "-1"),
    (b"move 1x AAA\n", "move", "1, the number of edges that follow", "1x"),
    (b"move 99999999999999999999 AAA\n", "move", "1, the number", "99999999"),
    (b"move 1\n", "move", ANY_EDGE, "'1'"),
    (b"move 1 CAA\n", "move", ANY_EDGE, "'CAA'"),
    (b"move 1 aab\n", "move", ANY_EDGE, "'aab'"),
    (b"move 1 AIA\n", "move", ANY_EDGE, "'AIA'"),
    (b"move 1 BAH\n", "move", ANY_EDGE, "'BAH'"),
    (b"move 1 A\xc4A\n", "move", ANY_EDGE, "A"),
    (b"move 1 AAAA\n", "move", ANY_EDGE, "'A'"),
    (b"move AAAA\n", "move", ANY_EDGE, "'A'"),
    (b"move 113 %s\n" % (b"AAA" * 113), "move", "at most 112 edges", "113"),
    (b"board\n", "board", "RxC, each from 1 to 7", "b''"),
    (b"board 5\n", "board", "RxC, each from 1 to 7", "5"),
    (b"board 5x8\n", "board", "RxC, each from 1 to 7", "5x8"),
    (b"board 0x5\n", "board", "RxC, each from 1 to 7", "0x5"),
    (b"board 05x5\n", "board", "RxC, each from 1 to 7", "05x5"),
    (b"board 5x5x5\n", "board", "RxC, each from 1 to 7", "5x5x5"),
    (b"board 5x5 AAA BAA\n", "board", "RxC, each from 1 to 7", "5x5 AAA BAA"),
    (b"board 2x3 AAAADA\n", "board", "an edge of 2 x 3 boxes", "'ADA'"),
    (b"board 2x3 BEA\n", "board", "an edge of 2 x 3 boxes", "'BEA'"),
    (b"quit quit\n", "message", "name?", "quit quit"),
]
# Lines that are whole before they are wrong: byte by byte, what is wrong is that they go on.
SPOILT_AFTERWARDS = (b"end now\n", b"quit quit\n", b"move 1 AAA AAB\n", b"move 1 AAAA\n")


@pytest.mark.parametrize("data, field, expected, received", PLATFORM_CASES)
def test_a_wrong_line_is_named(data, field, expected, received):
    error = refusal(data, "platform")
    assert error.field == field
    assert expected in error.expected
    assert received in error.received
    assert str(error) == f"{error.field}: expected {error.expected}, received {error.received}"


@pytest.mark.parametrize("data, field, expected, received", PLATFORM_CASES)
def test_a_wrong_line_is_named_byte_by_byte(data, field, expected, received):
    error = refusal(data, "platform", piecewise=True)
    if data in SPOILT_AFTERWARDS:
        field, expected = "message", "the end of its line"
    assert error.field == field
    assert expected in error.expected


@pytest.mark.parametrize("wire", ["auto", "platform"])
def test_a_line_without_end_is_too_long(wire):
    decoder = MessageDecoder(wire)
    decoder.feed(b"move " + b"A" * (LONGEST_LINE - 5))
    assert decoder.next_message() is None
    decoder.feed(b"A")
    with pytest.raises(FrameTooLong, match="line: expected at most 2048 bytes"):
        decoder.next_message()


SIMPLE_CASES = [
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
]


@pytest.mark.parametrize("piecewise", [False, True])
@pytest.mark.parametrize("data, field, expected, received", SIMPLE_CASES)
def test_a_wrong_move_of_the_simple_form_is_named(data, field, expected, received, piecewise):
    error = refusal(data, "botzone-simple", piecewise)
    assert error.field == field
    assert expected in error.expected
    assert received in error.received


def request(text):
    return b'{"requests":[%s],"responses":[]}\n' % text


JSON_CASES = [
    (request(b"7"), "requests[0]", "an object with x and y", "a int"),
    (request(b'{"x":1}'), "requests[0].y", "an integer", "nothing"),
    (request(b'{"x":true,"y":1,"pass":0}'), "requests[0].x", "an integer", "a bool"),
    (request(b'{"x":1,"y":0,"pass":"1"}'), "requests[0].pass", "an integer", "a str"),
    (request(b'{"x":1,"y":0,"pass":2}'), "requests[0].pass", "0 to 1", "2"),
    (request(b'{"x":1,"y":12,"pass":0}'), "requests[0].y", "-1 to 10", "12"),
    (request(b'{"x":2,"y":2,"pass":0}'), "requests[0]", "x + y odd", "2 2"),
    (JSON_OPENING + b'{"x":3,"y":-1,"pass":0}\n', "request", "x + y odd", "3 -1"),
]


@pytest.mark.parametrize("piecewise", [False, True])
@pytest.mark.parametrize("data, field, expected, received", JSON_CASES)
def test_a_wrong_move_of_json_is_named(data, field, expected, received, piecewise):
    error = refusal(data, "botzone", piecewise)
    assert error.field == field
    assert expected in error.expected
    assert received in error.received


@pytest.mark.parametrize("byte", [b"#", b"[", b"-", b"?", b"\x80"])
def test_a_first_byte_that_no_wire_has(byte):
    error = refusal(b"\0 \n" + byte, "auto")
    assert (error.field, error.expected) == ("first byte", "a letter, { or a digit")


@pytest.mark.parametrize("wire", FROM_JUDGE)
def test_after_an_error_nothing_is_taken(wire):
    decoder = MessageDecoder(wire)
    decoder.feed(b"?\n")
    errors = []
    for data in (b"", FROM_JUDGE[wire][0][0]):
        decoder.feed(data)
        with pytest.raises(RemoteProtocolError) as caught:
            taken(decoder.next_message)
        errors.append(str(caught.value))
    assert errors[0] == errors[1]


@pytest.mark.parametrize(
    "message",
    [
        New(2),
        New(None),
        Turn(()),
        Turn(("aab",)),
        Turn(("AIA",)),
        Turn(("AAA",) * 113),
        Turn((1,)),
        Board(0, 5, ()),
        Board(5, 8, ()),
        Board(5.0, 5, ()),
        Board(2, 3, ("ADA",)),
        Board(5, 5, "AAA"),
        Requests(((-1, -1, 0),), ()),
        None,
        "new black",
        (),
    ],
)
def test_what_the_judge_may_not_say(message):
    with pytest.raises(LocalProtocolError):
        encode_message(message)
    assert encode_message(Complaint()) == b"error\n"


@pytest.mark.parametrize("wire", ["botzone", "botzone-simple"])
@pytest.mark.parametrize(
    "requests, responses, name",
    [
        (((-1, -1),), (), "requests"),
        (((1, 1, 0),), (), "requests"),
        (((1, 0, 2),), (), "requests"),
        (((-1, -1, 0), (1, 0, 0)), ((1, 0, 0),), "responses"),
        (((-1, -1, 0), (1, 0, 0)), ((0, 0),), "responses"),
        (((-1, -1, 0), (1, 0, 0)), (), "Requests"),
        ((("x", 0, 0),), (), "requests"),
    ],
)
def test_the_judge_may_not_send_wrong_requests(wire, requests, responses, name):
    with pytest.raises(LocalProtocolError, match=f"cannot send .*{name}"):
        encode_requests(Requests(requests, responses), wire)
    with pytest.raises(LocalProtocolError, match="cannot send request "):
        encode_next_request(NextRequest((0, 0, 0)), wire)
    assert encode_requests(LATER_REQUESTS, wire) == FROM_JUDGE[wire][0][0]
