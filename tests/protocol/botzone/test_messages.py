"""What Botzone's judges may send of any game, here reversi's: keys and lines that are no moves, and floods."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.botzone import WIRES, NextRequest, Requests, forms
from protocol.botzone.forms import MAX_MESSAGE_BYTES as LIMIT
from protocol.errors import LocalProtocolError, RemoteProtocolError
from protocol.games.reversi import MessageDecoder, botzone
from tests.protocol.games.reversi.examples import (
    BLACKS_FIRST,
    JSON_LATER,
    JSON_OPENING,
    LATER_REQUESTS,
    MOVE_REQUEST,
    OPENING_REQUESTS,
    PASS_REQUEST,
    SIMPLE_LATER,
    SIMPLE_NEXT,
    SIMPLE_OPENING,
    WHITES_REQUESTS,
    json_of,
)
from tests.protocol.helpers.streams import check_named, every_cut, refusal, taken, taken_in_pieces

SIMPLE_MOVE, SIMPLE_PASS = [raw for raw, _ in SIMPLE_NEXT]


def heard(data, cuts=()):
    """All messages of `data`, cut at the given offsets."""
    decoder = MessageDecoder()
    found = taken_in_pieces(decoder, data, cuts)
    assert not decoder.partial
    decoder.end()
    return found


EXTRAS = [
    b'"data":"saved","globaldata":"for ever"',
    b'"time_limit":"1","memory_limit":"256"',
    b'"time_limit":6,"memory_limit":256.5',
    b'"data":{"x":3,"deep":[{"y":[null,true,-1.5e3]}]},"globaldata":null',
    '"data":"} ] { [ \\" \\\\ \\u4e2d 中\\\\"'.encode(),
    b'"data":"\\n\\\\\\"{{{"',
    b'"data":' + b"9" * 5000,
    b'"data":"' + b"x" * 100_000 + b'"',
]


def test_other_keys_are_ignored():
    for extra in EXTRAS:
        in_front = b"{" + extra + b"," + JSON_LATER[1:]
        behind = JSON_LATER[:-2] + b"," + extra + b"}\n"
        for data in (in_front, behind):
            cuts = range(1, len(data)) if len(data) < 1000 else range(1, len(data), 997)
            assert heard(data) == heard(data, cuts) == [LATER_REQUESTS], extra[:60]


def test_other_keys_of_moves_and_their_order_are_ignored():
    data = b' { "responses" : [ ] , "requests" : [ { "y" : -1 , "z" : [] , "x" : -1 } ] } \r\n'
    later = b'{"y":5,"time":0.5,"x":4}\n'
    assert heard(data + later) == heard(data + later, range(1, 90)) == [OPENING_REQUESTS, MOVE_REQUEST]


def test_a_first_turn_may_lack_its_empty_responses():
    assert heard(b'{"requests":[{"x":2,"y":3}]}\n') == [WHITES_REQUESTS]


def test_a_later_request_may_come_in_a_list():
    wrapped = b'{"requests":[{"x":4,"y":5}],"responses":[]}\n{"requests":[{"x":-1,"y":-1}]}\n'
    assert heard(JSON_OPENING + wrapped) == [OPENING_REQUESTS, MOVE_REQUEST, PASS_REQUEST]


def test_lines_of_data_are_dropped_and_requests_come_after_them():
    for data in (
        b"saved text\n",
        b'{"x":1}\nfor ever\n\n and more lines # 1 2\n',
        b"\n\nx\n",
        "存 3 4\n".encode(),
        b"#0222\n",
        b"\0\xff\n",
        b"saved text",
    ):
        stream = SIMPLE_LATER + data
        for cuts in every_cut(stream):
            assert heard(stream, cuts) == [LATER_REQUESTS], (data, cuts)
        if data.endswith(b"\n"):
            stream += SIMPLE_MOVE + SIMPLE_PASS
            for cuts in every_cut(stream):
                assert heard(stream, cuts) == [LATER_REQUESTS, MOVE_REQUEST, PASS_REQUEST], (data, cuts)


def test_data_is_no_part_of_a_message():
    decoder = MessageDecoder()
    decoder.feed(SIMPLE_OPENING + b"saved ")
    assert taken(decoder.next_message) == [OPENING_REQUESTS]
    assert not decoder.partial
    decoder.feed(b"text\nmore")
    assert not decoder.partial
    assert decoder.next_message() is None
    assert not decoder.partial
    decoder.feed(b"\n4")
    assert decoder.partial


def test_numbers_may_stand_apart():
    stream = b" 1 \r\n\r\n\t2   3\t\r\n  4 5 \r\n"
    assert heard(stream) == heard(stream, range(1, len(stream))) == [WHITES_REQUESTS, MOVE_REQUEST]


WRONG_JSON = [
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
    (json_of(BLACKS_FIRST), "requests", "a list", "a dict"),
    (json_of("[]"), "len(requests)", "1 to 128", "0"),
    (json_of(f"[{','.join([BLACKS_FIRST] * 129)}]"), "len(requests)", "1 to 128", "129"),
    (json_of(f"[{BLACKS_FIRST}]", "null"), "responses", "a list", "nothing"),
    (json_of(f"[{BLACKS_FIRST}]", f"[{BLACKS_FIRST}]"), "len(responses)", "0", "1"),
    (json_of(f"[{BLACKS_FIRST},{BLACKS_FIRST}]"), "len(responses)", "1", "0"),
    (JSON_OPENING + json_of("[]"), "len(requests)", "1 to 128", "0"),
    (JSON_OPENING + b"4 5\n", "message", "a JSON object", "4"),
    (JSON_OPENING[:-1] + b"x\n", "message", "a JSON object", "x"),
]
WRONG_COUNTS = [(count + b"\n", "n", "1 to 128", count.decode()) for count in (b"0", b"129", b"01", b"+1", b"1 -1 -1")]


@pytest.mark.parametrize("wire, cases", [("botzone", WRONG_JSON), ("botzone-simple", WRONG_COUNTS)])
def test_what_is_no_message_is_named(wire, cases):
    for data, field, expected, received in cases:
        check_named(refusal(MessageDecoder(wire), data), field, expected, received)
        if len(data) < 1000:
            error = refusal(MessageDecoder(wire), data, piecewise=True)
            assert (error.field, expected in error.expected or wire == "botzone-simple") == (field, True), data
    check_named(refusal(MessageDecoder("botzone-simple"), b"x\n"), "n", "an integer from 1 to 128", "x")


def test_as_many_requests_as_a_game_can_have_are_taken():
    for count in (1, 128):
        message = Requests((None,) * count, (None,) * (count - 1))
        for wire in WIRES:
            assert heard(botzone.encode_requests(message, wire)) == [message]


@pytest.fixture
def small_limit(monkeypatch):
    """A limit of 1,000 bytes in place of a million: floods take milliseconds."""
    monkeypatch.setattr(forms, "MAX_MESSAGE_BYTES", 1000)
    return 1000


FLOODS = [
    (b"", b'{"data":"', b"x", b""),
    (b"", b'{"data":"', b"}", b""),
    (b"", b'{"data":"', b"\\", b""),
    (b"", b"{", b"{", b""),
    (b"", b"{", b" ", b""),
    (b"", b'{"data":"', b"x", b'"}\n'),
    (JSON_OPENING, b"{", b'"x":1,', b""),
    (SIMPLE_OPENING, b"x", b"x", b""),
    (SIMPLE_OPENING, b"saved\n", b"x", b"\n"),
]


def test_a_message_beyond_the_limit_is_too_long(small_limit):
    for start, head, unit, tail in FLOODS:
        wire = "botzone-simple" if start == SIMPLE_OPENING else "botzone"
        stream = start + head + unit * (small_limit // len(unit) + 1) + tail
        for cuts in ([], range(1, len(stream))):
            decoder = MessageDecoder(wire)
            with pytest.raises(RemoteProtocolError, match="^message: expected at most 1000 bytes, received 1"):
                taken_in_pieces(decoder, stream, cuts)


def test_an_answer_beyond_the_limit_is_too_long(small_limit):
    for wire in WIRES:
        decoder = botzone.answer_decoder(wire)
        for _ in range(small_limit // 2):
            decoder.feed(b"x\n")
            assert decoder.next_answer() is None
        decoder.feed(b"x\n")
        check_named(refusal(decoder, b""), "message", "at most 1000 bytes", "1002")


def test_the_limit_itself_is_taken():
    assert LIMIT == 1_000_000
    for longer in (0, 1):
        padding = b'"data":"' + b"x" * (LIMIT - len(JSON_OPENING) - 9 + longer) + b'",'
        message = b"{" + padding + JSON_OPENING[1:-1]
        assert len(message) == LIMIT + longer
        if longer:
            check_named(refusal(MessageDecoder("botzone"), message), "message", "at most 1000000 bytes", "1000001")
        else:
            assert heard(message) == [OPENING_REQUESTS]


def test_the_limit_of_a_line_of_data_is_taken(small_limit):
    decoder = MessageDecoder("botzone-simple")
    assert taken_in_pieces(decoder, SIMPLE_OPENING + b"x" * 1000) == [OPENING_REQUESTS]
    assert decoder.next_message() is None
    check_named(refusal(decoder, b"x"), "message", "at most 1000 bytes", "1001")


def test_a_flood_without_a_line_end_fails_within_a_line():
    for start in (b"", b"2\n", b"2\n-1 -1\n"):
        for flood in (b"1", b"0", b"-", b" 1", b"1 ", b"\0", b"#"):
            error = refusal(MessageDecoder("botzone-simple"), start + flood * 102, piecewise=True)
            assert refusal(MessageDecoder("botzone-simple"), start + flood * 10_000).field == error.field


def test_a_line_of_the_greatest_length_is_waited_for():
    decoder = MessageDecoder("botzone-simple")
    assert taken_in_pieces(decoder, b"1\n" + b"1" * 100) == []
    check_named(refusal(decoder, b"1"), "requests[0]", "a line of integers", "101 bytes")
    assert heard(b"1\n2" + b" " * 98 + b"3\n") == [WHITES_REQUESTS]


@pytest.mark.slow
@pytest.mark.parametrize(
    "start, unit",
    [
        (b"", b"\n"),
        (JSON_OPENING, b" \n"),
        (SIMPLE_OPENING, b"x\n"),
        (SIMPLE_OPENING, b"\n"),
        (SIMPLE_OPENING, b"4 5\n"),
        (JSON_OPENING, b'{"x":4,"y":5}\n'),
        (b'{"data":"', b"}"),
        (b"{", b"{"),
    ],
)
def test_a_flood_at_once_costs_seconds_at_most(start, unit):
    decoder = MessageDecoder()
    decoder.feed(start + unit * (300_000 // len(unit)))
    before = time.process_time()
    taken(decoder.next_message)
    assert not decoder.partial or decoder.next_message() is None
    assert time.process_time() - before < 20


@pytest.mark.slow
def test_many_small_pieces_of_a_long_message_cost_seconds_at_most():
    decoder = MessageDecoder()
    before = time.process_time()
    decoder.feed(b'{"data":"')
    for _ in range(100_000):
        decoder.feed(b"}")
        assert decoder.next_message() is None
        assert decoder.partial
    decoder.feed(b'",' + JSON_OPENING[1:])
    assert decoder.next_message() == OPENING_REQUESTS
    assert time.process_time() - before < 20


@settings(max_examples=25)
@given(st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(), st.lists), st.text())
def test_any_json_raises_only_remote_errors(value, key):
    for content in (
        value,
        {"requests": value},
        {"requests": [value]},
        {"requests": [{"x": value, "y": 0}]},
        {"requests": [], key: value},
    ):
        decoder = MessageDecoder("botzone")
        decoder.feed(JSON_OPENING + json.dumps(content).encode("utf-8") + b"\n")
        assert decoder.next_message() == OPENING_REQUESTS
        try:
            assert all(isinstance(message, NextRequest) for message in taken(decoder.next_message))
        except RemoteProtocolError as error:
            assert len(str(error)) < 300


def test_other_wires_are_refused_with_the_known_ones():
    for use in (
        botzone.form,
        botzone.answer_decoder,
        lambda wire: botzone.encode_requests(((None,), ()), wire),
        lambda wire: botzone.encode_next_request((None,), wire),
    ):
        for wire in ("saiblo", "auto", "v4"):
            with pytest.raises(LocalProtocolError, match=f"one of botzone, botzone-simple, got {wire!r}"):
                use(wire)
