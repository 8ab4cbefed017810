"""What reversi's wires refuse to take from a judge, and how they say it."""

import pytest

from protocol.errors import LocalProtocolError, RemoteProtocolError
from protocol.games.reversi import WIRES, MessageDecoder
from tests.protocol.games.connect_four.examples import taken
from tests.protocol.games.reversi.examples import (
    FROM_JUDGE,
    JSON_LATER,
    JSON_OPENING,
    SAIBLO_FIRST,
    SIMPLE_LATER,
    SIMPLE_OPENING,
    refusal,
)

every_wire = pytest.mark.parametrize("wire", WIRES[1:])


def changed(place, byte):
    return SAIBLO_FIRST[:place] + byte + SAIBLO_FIRST[place + 1 :]


SAIBLO_CASES = [
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
]


@pytest.mark.parametrize("piecewise", [False, True])
@pytest.mark.parametrize("data, field, expected, received", SAIBLO_CASES)
def test_a_wrong_board_is_named(data, field, expected, received, piecewise):
    error = refusal(data, "saiblo", piecewise)
    assert error.field == field
    assert expected in error.expected
    assert received in error.received
    assert str(error) == f"{error.field}: expected {error.expected}, received {error.received}"


LATER = b"4 5\n"
SIMPLE_CASES = [
    (b"0\n", "n", "1 to 128", "0"),
    (b"129\n", "n", "1 to 128", "129"),
    (b"01\n", "n", "1 to 128", "01"),
    (b"+1\n", "n", "1 to 128", "+1"),
    (b"1 -1 -1\n", "n", "1 to 128", "1 -1 -1"),
    (b"x\n", "n", "1 to 128", "x"),
    (b"1\n8 0\n", "requests[0]", "-1 to 7", "8 0"),
    (b"1\n-2 0\n", "requests[0]", "-1 to 7", "-2 0"),
    (b"1\n3\n", "requests[0]", "two integers", "3"),
    (b"1\n3 4 5\n", "requests[0]", "two integers", "3 4 5"),
    (b"1\n3,4\n", "requests[0]", "two integers", "3,4"),
    (b"1\n-1 4\n", "requests[0]", "a cell or -1 -1", "-1 4"),
    (b"2\n-1 -1\n3 -1\n", "responses[0]", "a cell or -1 -1", "3 -1"),
    (b"2\n-1 -1\n3 3\n0 0x\n", "requests[1]", "two integers", "0 0x"),
    (SIMPLE_OPENING + b"9 3\n", "request", "-1 to 7", "9 3"),
    (SIMPLE_OPENING + b"-1\n", "request", "two integers", "-1"),
    (SIMPLE_OPENING + LATER + b"x\n", "request", "two integers", "x"),
    (SIMPLE_OPENING + LATER + b"3 -1\n", "request", "a cell or -1 -1", "3 -1"),
]


@pytest.mark.parametrize("piecewise", [False, True])
@pytest.mark.parametrize("data, field, expected, received", SIMPLE_CASES)
def test_a_wrong_line_is_named(data, field, expected, received, piecewise):
    error = refusal(data, "botzone-simple", piecewise)
    assert error.field == field
    # In pieces a move may have been whole before what spoils its line came.
    assert piecewise or (expected in error.expected and received in error.received)


@pytest.mark.parametrize("glued", [b"5\n", b" 5\n", b"x", b" -"])
def test_what_is_glued_to_the_last_move_is_an_error_at_once_or_later(glued):
    whole = SIMPLE_OPENING[:-1]
    decoder = MessageDecoder()
    decoder.feed(whole)
    assert len(taken(decoder.next_message)) == 1
    decoder.feed(glued)
    with pytest.raises(RemoteProtocolError) as caught:
        decoder.next_message()
    assert (caught.value.field, caught.value.expected) == ("requests[0]", "the end of its line")
    assert refusal(whole + glued + b"\n", "botzone-simple").field == "requests[0]"


def json_of(requests, responses="[]"):
    return f'{{"requests":{requests},"responses":{responses}}}\n'.encode()


FIRST = '{"x":-1,"y":-1}'
JSON_CASES = [
    (b"[]\n", "message", "a JSON object", "[]"),
    (b"1\n", "message", "a JSON object", "1"),
    (b'{"requests":[\n', "message", "a JSON object on one line", "requests"),
    (b"{'requests':[]}\n", "message", "a JSON object", "requests"),
    (b'{"requests":[]]}\n', "message", "a JSON object", "requests"),
    (b'{"requests":[],}\n', "message", "a JSON object", "requests"),
    (b'{"data":"\xff"}\n', "message", "a JSON object", r"\xff"),
    (b'{"data":"a\nb"}\n', "message", "a JSON object on one line", '"a'),
    (b'{"data":' + b"[" * 100_000 + b"}", "message", "a JSON object", "data"),
    (b"{}\n", "requests", "a list", "nothing"),
    (b'{"x":1,"y":2}\n', "requests", "a list", "nothing"),
    (json_of("7"), "requests", "a list", "a int"),
    (json_of(FIRST), "requests", "a list", "a dict"),
    (json_of("[]"), "len(requests)", "1 to 128", "0"),
    (json_of(f"[{','.join([FIRST] * 129)}]"), "len(requests)", "1 to 128", "129"),
    (json_of(f"[{FIRST}]", "null"), "responses", "a list", "nothing"),
    (json_of(f"[{FIRST}]", f"[{FIRST}]"), "len(responses)", "0", "1"),
    (json_of(f"[{FIRST},{FIRST}]"), "len(responses)", "1", "0"),
    (json_of("[null]"), "requests[0]", "an object with x and y", "nothing"),
    (json_of('["2 3"]'), "requests[0]", "an object with x and y", "a str"),
    (json_of('[{"x":1}]'), "requests[0].y", "an integer", "nothing"),
    (json_of('[{"x":true,"y":1}]'), "requests[0].x", "an integer", "a bool"),
    (json_of('[{"x":"1","y":1}]'), "requests[0].x", "an integer", "a str"),
    (json_of('[{"x":1.0,"y":1}]'), "requests[0].x", "an integer", "a float"),
    (json_of(f'[{{"x":{"9" * 5000},"y":1}}]'), "requests[0].x", "an integer", "a float"),
    (json_of('[{"x":8,"y":1}]'), "requests[0].x", "-1 to 7", "8"),
    (json_of('[{"x":1,"y":-2}]'), "requests[0].y", "-1 to 7", "-2"),
    (json_of('[{"x":-1,"y":2}]'), "requests[0]", "a cell or -1 -1", "-1 2"),
    (json_of(f"[{FIRST},{FIRST}]", '[{"x":2,"y":9}]'), "responses[0].y", "-1 to 7", "9"),
    (JSON_OPENING + b"{}\n", "request", "an integer", "nothing"),
    (JSON_OPENING + b'{"x":3,"y":8}\n', "request.y", "-1 to 7", "8"),
    (JSON_OPENING + b'{"x":3,"y":-1}\n', "request", "a cell or -1 -1", "3 -1"),
    (JSON_OPENING + json_of("[]"), "len(requests)", "1 to 128", "0"),
    (JSON_OPENING + b"4 5\n", "message", "a JSON object", "4"),
    (JSON_OPENING[:-1] + b"x\n", "message", "a JSON object", "x"),
]


@pytest.mark.parametrize("piecewise", [False, True])
@pytest.mark.parametrize("data, field, expected, received", JSON_CASES)
def test_a_wrong_object_is_named(data, field, expected, received, piecewise):
    error = refusal(data, "botzone", piecewise and len(data) < 1000)
    assert error.field.startswith(field)
    assert expected in error.expected
    assert piecewise or received in error.received
    assert len(str(error)) < 300


@pytest.mark.parametrize("byte", [b"x", b"[", b"-", b"\0", b"\xef\xbb\xbf{}"])
def test_a_first_byte_that_is_no_wires_is_named(byte):
    for blanks in (b"", b"\r\n "):
        decoder = MessageDecoder()
        decoder.feed(blanks + byte)
        for _ in range(2):
            with pytest.raises(RemoteProtocolError, match=r"^first byte: expected #, \{ or a digit, received b"):
                decoder.next_message()
            decoder.feed(SAIBLO_FIRST)
        assert decoder.wire is None
        with pytest.raises(RemoteProtocolError):
            decoder.end()


@every_wire
def test_a_wire_that_is_told_takes_no_other(wire):
    for other in set(FROM_JUDGE) - {wire}:
        refusal(FROM_JUDGE[other][0][0], wire)


@every_wire
def test_an_error_is_raised_again(wire):
    decoder = MessageDecoder(wire)
    decoder.feed(b"?\n")
    for _ in range(3):
        with pytest.raises(RemoteProtocolError):
            decoder.next_message()
        decoder.feed(FROM_JUDGE[wire][0][0])
    with pytest.raises(RemoteProtocolError):
        decoder.end()


@every_wire
def test_an_end_inside_a_message_is_an_error(wire):
    raw = FROM_JUDGE[wire][0][0]
    for cut in range(1, len(raw.rstrip(b"\n"))):
        decoder = MessageDecoder()
        decoder.feed(raw[:cut])
        assert taken(decoder.next_message) == []
        assert decoder.partial
        with pytest.raises(RemoteProtocolError, match="expected the rest of the message, received end of input"):
            decoder.end()


@pytest.mark.parametrize(
    "data, field",
    [
        (SAIBLO_FIRST[:1], "side"),
        (SAIBLO_FIRST[:5], r"cells\[3\]"),
        (SAIBLO_FIRST + b"\n#", "side"),
        (JSON_LATER[:5], "message"),
        (SIMPLE_LATER[:1], "n"),
        (SIMPLE_LATER[:2], r"requests\[0\]"),
        (SIMPLE_LATER[:9], r"responses\[0\]"),
        (SIMPLE_LATER + b"3", "request"),
    ],
)
def test_an_end_names_the_field_it_cut(data, field):
    decoder = MessageDecoder()
    decoder.feed(data)
    taken(decoder.next_message)
    with pytest.raises(RemoteProtocolError, match=f"^{field}: expected the rest of the message"):
        decoder.end()


@pytest.mark.parametrize("wire", WIRES)
def test_an_end_before_anything_is_fine(wire):
    decoder = MessageDecoder(wire)
    decoder.feed(b"\n ")
    decoder.end()
    with pytest.raises(LocalProtocolError, match="already ended"):
        decoder.feed(b"#")


@every_wire
def test_ending_with_messages_not_taken_is_our_own_fault(wire):
    decoder = MessageDecoder()
    decoder.feed(FROM_JUDGE[wire][0][0])
    with pytest.raises(LocalProtocolError, match="not taken"):
        decoder.end()


@pytest.mark.parametrize("wire", ["v4", "connect_four", None])
def test_an_unknown_wire_is_refused_with_the_known_ones(wire):
    with pytest.raises(LocalProtocolError, match="one of saiblo, botzone, botzone-simple, got"):
        MessageDecoder(wire)
