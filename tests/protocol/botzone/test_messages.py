"""What else Botzone may send: keys and lines that are no moves, histories of its own making, and floods."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.botzone.messages import MAX_MESSAGE_BYTES
from protocol.errors import RemoteProtocolError
from protocol.games.reversi import MessageDecoder, NextRequest
from tests.protocol.games.connect_four.examples import taken, taken_in_pieces
from tests.protocol.games.reversi.examples import (
    JSON_LATER,
    JSON_OPENING,
    LATER_REQUESTS,
    MOVE_REQUEST,
    OPENING_REQUESTS,
    PASS_REQUEST,
    SIMPLE_LATER,
    SIMPLE_MOVE,
    SIMPLE_OPENING,
    SIMPLE_PASS,
    WHITES_REQUESTS,
    refusal,
)


def heard(data, cuts=()):
    """Return all messages of `data`, cut at the given offsets."""
    decoder = MessageDecoder()
    messages = taken_in_pieces(decoder, decoder.next_message, data, cuts)
    assert not decoder.partial
    decoder.end()
    return messages


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


@pytest.mark.parametrize("extra", EXTRAS)
def test_other_keys_are_ignored(extra):
    in_front = b"{" + extra + b"," + JSON_LATER[1:]
    behind = JSON_LATER[:-2] + b"," + extra + b"}\n"
    for data in (in_front, behind):
        cuts = range(1, len(data)) if len(data) < 1000 else range(1, len(data), 997)
        assert heard(data) == heard(data, cuts) == [LATER_REQUESTS]


def test_other_keys_of_moves_and_their_order_are_ignored():
    data = b' { "responses" : [ ] , "requests" : [ { "y" : -1 , "z" : [] , "x" : -1 } ] } \r\n'
    later = b'{"y":5,"time":0.5,"x":4}\n'
    assert heard(data + later) == heard(data + later, range(1, 90)) == [OPENING_REQUESTS, MOVE_REQUEST]


def test_a_first_turn_may_lack_its_empty_responses():
    assert heard(b'{"requests":[{"x":2,"y":3}]}\n') == [WHITES_REQUESTS]


def test_a_later_request_may_come_in_a_list():
    wrapped = b'{"requests":[{"x":4,"y":5}],"responses":[]}\n{"requests":[{"x":-1,"y":-1}]}\n'
    assert heard(JSON_OPENING + wrapped) == [OPENING_REQUESTS, MOVE_REQUEST, PASS_REQUEST]


def test_a_process_that_stayed_may_be_told_the_whole_game_again():
    assert heard(JSON_OPENING + JSON_LATER) == [OPENING_REQUESTS, LATER_REQUESTS]


DATA = [
    b"saved text\n",
    b"saved text",
    b'{"x":1}\nfor ever\n\n and more lines # 1 2\n',
    b"\n\nx\n",
    "存 3 4\n".encode(),
    b"#0222\n",
    b"\0\xff\n",
]


@pytest.mark.parametrize("data", DATA)
def test_lines_of_data_are_dropped(data):
    stream = SIMPLE_LATER + data
    for cuts in ([], range(1, len(stream)), *([cut] for cut in range(len(stream)))):
        assert heard(stream, cuts) == [LATER_REQUESTS]


@pytest.mark.parametrize("data", [data for data in DATA if data.endswith(b"\n")])
def test_requests_come_after_lines_of_data(data):
    stream = SIMPLE_LATER + data + SIMPLE_MOVE + SIMPLE_PASS
    for cuts in ([], range(1, len(stream)), *([cut] for cut in range(len(stream)))):
        assert heard(stream, cuts) == [LATER_REQUESTS, MOVE_REQUEST, PASS_REQUEST]


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


LIMIT = MAX_MESSAGE_BYTES


@pytest.mark.parametrize(
    "start, flood",
    [
        (b"", b'{"data":"' + b"x" * LIMIT),
        (b"", b'{"data":"' + b"}" * LIMIT),
        (b"", b'{"data":"' + b"\\" * LIMIT),
        (b"", b"{" * (LIMIT + 1)),
        (b"", b"{" + b" " * LIMIT),
        (b"", b'{"data":"' + b"x" * LIMIT + b'"}\n'),
        (JSON_OPENING, b"{" + b'"x":1,' * (LIMIT // 6 + 1)),
        (SIMPLE_OPENING, b"x" * (LIMIT + 1)),
        (SIMPLE_OPENING, b"saved\n" + b"x" * LIMIT + b"\n"),
    ],
)
def test_a_message_of_a_megabyte_is_too_long(start, flood):
    wire = "botzone-simple" if start == SIMPLE_OPENING else "botzone"
    assert refusal(start + flood, wire).field == "message"
    decoder = MessageDecoder()
    with pytest.raises(RemoteProtocolError, match="^message: expected at most 1000000 bytes, received 1"):
        for place in range(0, len(flood) + len(start), 4096):
            decoder.feed((start + flood)[place : place + 4096])
            taken(decoder.next_message)


def test_the_limit_itself_is_taken():
    for longer in (0, 1):
        padding = b'"data":"' + b"x" * (LIMIT - len(JSON_OPENING) - 9 + longer) + b'",'
        message = b"{" + padding + JSON_OPENING[1:-1]
        assert len(message) == LIMIT + longer
        if longer:
            assert refusal(message, "botzone").field == "message"
        else:
            assert heard(message) == [OPENING_REQUESTS]


@pytest.mark.parametrize("flood", [b"1", b"0", b"-", b" 1", b"1 ", b"\0", b"#"])
@pytest.mark.parametrize("start", [b"", b"2\n", b"2\n-1 -1\n"])
def test_a_flood_without_a_line_end_fails_within_a_line(start, flood):
    error = refusal(start + flood * 102, "botzone-simple", piecewise=True)
    assert len(str(error)) < 300
    assert refusal(start + flood * 10_000, "botzone-simple").field == error.field


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
