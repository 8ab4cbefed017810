"""Replies of dots and boxes on every wire: as a bot writes them, and as the judge reads them however they are cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.botzone.answers import Answer
from protocol.errors import FrameTooLong, LocalProtocolError, RemoteProtocolError
from protocol.games.dots import Reply, ReplyDecoder, encode_name, encode_reply
from protocol.games.dots.botzone import answer_decoder
from protocol.games.dots.messages import LETTERS, is_edge
from tests.protocol.games.connect_four.examples import taken, taken_in_pieces
from tests.protocol.games.dots.examples import KEEP_RUNNING, PLATFORM_REPLY, REPLY

EDGES = st.sampled_from(
    [kind + line + place for kind in "AB" for line in LETTERS for place in LETTERS if is_edge(kind + line + place)]
)


def read(data, cuts=()):
    decoder = ReplyDecoder()
    replies = taken_in_pieces(decoder, decoder.next_reply, data, cuts)
    assert not decoder.partial
    decoder.end()
    return replies


def test_a_turn_as_the_platform_describes_it():
    assert encode_reply(["AAB", "BCD"], "platform") == PLATFORM_REPLY
    assert read(PLATFORM_REPLY) == [REPLY]


@pytest.mark.parametrize(
    "data",
    [
        b"name X\nmove 1 AAB\n",
        b"name Dots And Boxes 2.0\r\nmove 1 AAB\r\n",
        b"name name\0move AAB\0",
        b"\n\n move 1  AAB \n\n",
        b"move AAB\n",
        b"move 1 AAB",
        b"name move\n\n\0move 1 AAB\0\n",
    ],
)
def test_every_way_to_answer_is_understood(data):
    for cut in range(len(data) + 1):
        assert read(data, [cut]) == [Reply(("AAB",))]
    assert read(data, range(1, len(data))) == [Reply(("AAB",))]


@given(st.lists(st.lists(EDGES, min_size=1, max_size=40).map(tuple), max_size=8), st.booleans(), st.data())
def test_replies_survive_the_way(turns, named, data):
    stream = (encode_name("bot") if named else b"") + b"".join(encode_reply(turn, "platform") for turn in turns)
    cuts = data.draw(st.sets(st.integers(0, len(stream))))
    assert read(stream, cuts) == [Reply(turn) for turn in turns]


def test_the_name_belongs_to_no_reply_at_any_moment():
    decoder = ReplyDecoder()
    for byte in b"\n name dropfour 1.0":
        decoder.feed(bytes([byte]))
        assert decoder.next_reply() is None
        assert not decoder.partial
    decoder.feed(b"\nmo")
    assert decoder.next_reply() is None
    assert decoder.partial


@pytest.mark.parametrize(
    "data, field, expected, received",
    [
        (b"left please\n", "message", "move", "left please"),
        (b"name\n", "message", "move", "name"),
        (b"name a\nname b\n", "message", "move", "name b"),
        (b"move 1 AAA\nname late\n", "message", "move", "name late"),
        (b"Move 1 AAA\n", "message", "move", "Move 1 AAA"),
        (b"move\n", "move", "a number of edges and their names", "b''"),
        (b"move 0\n", "move", "an edge", "'0'"),
        (b"move 0 AAA\n", "move", "1, the number of edges that follow", "0"),
        (b"move 2 AAA\n", "move", "1, the number of edges that follow", "2"),
        (b"move 1 AAABAA\n", "move", "2, the number of edges that follow", "1"),
        (b"move 1 AAA BAA\n", "move", "a number of edges and their names", "1 AAA BAA"),
        (b"move 1 AA\n", "move", "an edge", "'AA'"),
        (b"move 1 AAH\n", "move", "an edge", "'AAH'"),
        (b"\xff\xfe\n", "message", "move", r"\xff\xfe"),
        (b"move 1 AAA\nmove 1 AAA!", "message", "the end of its line", "!"),
    ],
)
def test_what_is_no_reply_is_named(data, field, expected, received):
    decoder = ReplyDecoder()
    for byte in data[:-1] if data.endswith(b"!") else b"":
        decoder.feed(bytes([byte]))
        decoder.next_reply()
    decoder.feed(data[-1:] if data.endswith(b"!") else data)
    with pytest.raises(RemoteProtocolError) as caught:
        taken(decoder.next_reply)
    assert caught.value.field == field
    assert expected in caught.value.expected
    assert received in caught.value.received
    decoder.feed(PLATFORM_REPLY)
    with pytest.raises(RemoteProtocolError):
        decoder.next_reply()


@pytest.mark.parametrize("data", [b" " * 2049, b"move 9 " + b"A" * 3000, b"name " + b"x" * 3000])
def test_a_line_that_does_not_end_is_too_long(data):
    decoder = ReplyDecoder()
    decoder.feed(data)
    with pytest.raises(FrameTooLong, match="at most 2048 bytes"):
        decoder.next_reply()


@pytest.mark.parametrize("data", [b"m", b"move 2 AAA", b"move AAA"])
def test_an_end_inside_a_reply_is_an_error(data):
    decoder = ReplyDecoder()
    decoder.feed(data)
    assert decoder.next_reply() is None
    with pytest.raises(RemoteProtocolError, match="the rest of the line, received end of input"):
        decoder.end()


@pytest.mark.parametrize("wire", ["saiblo", "auto", "botzone", ""])
def test_the_judge_reads_the_platforms_wire_alone(wire):
    with pytest.raises(LocalProtocolError, match="wire: expected platform"):
        ReplyDecoder(wire)


@pytest.mark.parametrize("edges", [(), ("aab",), ("AAB", "X"), ("AIA",), (None,), ("AAA",) * 113])
def test_what_a_bot_may_not_send(edges):
    with pytest.raises(LocalProtocolError):
        encode_reply(edges, "platform")


@pytest.mark.parametrize("name", ["", "two words", "line\nend", "ü", "x" * 61])
def test_what_may_not_be_a_name(name):
    with pytest.raises(LocalProtocolError, match="name: expected a word"):
        encode_name(name)


def test_a_name():
    assert encode_name("dropfour") == b"name dropfour\n"


# Botzone

SINGLE_ANSWERS = [
    ("botzone", ("AAB",), b'{"response":{"x":3,"y":0}}\n', (3, 0)),
    ("botzone", (), b'{"response":{"x":-1,"y":-1}}\n', (-1, -1)),
    ("botzone-simple", ("BFE",), b"10 9\n", (10, 9)),
    ("botzone-simple", (), b"-1 -1\n", (-1, -1)),
]


@pytest.mark.parametrize("keep_running", [False, True])
@pytest.mark.parametrize("wire, edges, raw, move", SINGLE_ANSWERS)
def test_an_answer_on_botzone_is_one_edge_or_none(wire, edges, raw, move, keep_running):
    raw += KEEP_RUNNING if keep_running else b""
    assert encode_reply(edges, wire, keep_running) == raw
    decoder = answer_decoder(wire)
    answers = taken_in_pieces(decoder, decoder.next_answer, raw, range(1, len(raw)))
    answers += [answer for answer in [decoder.end()] if answer is not None]
    assert answers == [Answer(move, None, None, None, keep_running)]


@pytest.mark.parametrize("wire", ["botzone", "botzone-simple"])
@pytest.mark.parametrize("edges", [("AAB", "AAC"), ("AGA",), ("aab",), ("",)])
def test_what_a_bot_may_not_answer_on_botzone(wire, edges):
    with pytest.raises(LocalProtocolError):
        encode_reply(edges, wire)


def test_an_unknown_wire_is_refused():
    with pytest.raises(LocalProtocolError, match="wire: expected one of"):
        encode_reply(("AAB",), "auto")


@pytest.mark.parametrize("wire, raw", [("botzone", b'{"response":{"x":2,"y":2}}\n'), ("botzone-simple", b"2 2\n")])
def test_an_answer_that_is_no_edge_is_refused(wire, raw):
    decoder = answer_decoder(wire)
    decoder.feed(raw)
    with pytest.raises(RemoteProtocolError, match="response: expected an edge's place"):
        decoder.end()
