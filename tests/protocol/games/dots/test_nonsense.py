"""Arbitrary bytes raise nothing but RemoteProtocolError; a turn is read fast."""

import time

from hypothesis import given
from hypothesis import strategies as st

from protocol.botzone.answers import Answer
from protocol.botzone.messages import WIRES as BOTZONE_WIRES
from protocol.errors import RemoteProtocolError
from protocol.games import dots
from protocol.games.dots import WIRES, MessageDecoder, NextRequest, Reply, ReplyDecoder, Requests, Turn, encode_message
from protocol.games.dots.botzone import answer_decoder
from tests.protocol.games.connect_four.examples import taken
from tests.protocol.games.dots.examples import FROM_JUDGE, KEEP_RUNNING, kinds

TEXT = st.text(alphabet='0123456789- \n\r\0{}[]":,AB?xymovenwhit', max_size=60).map(lambda text: text.encode("ascii"))
WORDS = st.sampled_from(
    [b"name?", b"name x", b"new", b" black", b" white", b"move ", b"1 ", b"2 ", b"AAB", b"BCD", b"end", b"error"]
    + [b"quit", b"board ", b"2x3", b"\n", b"\0", b"\r\n", b" "]
)
PARTS = st.sampled_from(
    [b'{"requests":[', b'{"x":3,"y":4}', b"]", b"}", b'"responses":[', b",", b"\n", b"3 4 0\n", b"1\n", b"3 4\n"]
)
PIECES = st.lists(st.binary(max_size=40) | TEXT | PARTS | WORDS, max_size=14)
KINDS = {getattr(dots, name) for name in ("NameQuery", "Board", "New", "Turn", "Complaint", "End", "Quit")}


@given(st.sampled_from(WIRES), st.booleans(), PIECES)
def test_nonsense_from_a_judge_raises_only_remote_errors(wire, opened, pieces):
    decoder = MessageDecoder(wire)
    if opened:
        raw, meaning = FROM_JUDGE[wire if wire != "auto" else "platform"][0]
        decoder.feed(raw)
        assert decoder.next_message() == meaning
    try:
        for piece in pieces:
            decoder.feed(piece)
            assert isinstance(decoder.partial, bool)
            assert {type(message) for message in taken(decoder.next_message)} <= KINDS | {Requests, NextRequest}
        decoder.end()
    except RemoteProtocolError as error:
        assert len(str(error)) < 300


def heard(decoder, next_item, pieces):
    """Return (messages, whether they ended in an error) of pieces that are the whole input."""
    messages = []
    try:
        for piece in pieces:
            decoder.feed(piece)
            messages += iter(next_item, None)
        decoder.end()
    except RemoteProtocolError:
        return kinds(messages), True
    return kinds(messages), False


def same_however_cut(new_decoder, next_name, pieces):
    stream = b"".join(pieces)
    outcomes = []
    for cut in ([stream], [bytes([byte]) for byte in stream], pieces):
        decoder = new_decoder()
        outcomes.append(heard(decoder, getattr(decoder, next_name), cut))
    at_once, refused = outcomes[0]
    for messages, refused_too in outcomes[1:]:
        assert refused_too == refused
        # In pieces, even a line that is whole and spoilt afterwards is heard.
        assert messages == at_once or (refused and messages[: len(at_once)] == at_once)


@given(st.sampled_from(WIRES), PIECES)
def test_what_is_heard_does_not_depend_on_the_cuts(wire, pieces):
    same_however_cut(lambda: MessageDecoder(wire), "next_message", pieces)


@given(st.lists(st.binary(max_size=40) | TEXT | WORDS, max_size=14))
def test_replies_do_not_depend_on_the_cuts(pieces):
    same_however_cut(ReplyDecoder, "next_reply", pieces)


@given(st.lists(st.binary(max_size=3000) | TEXT | WORDS, max_size=10))
def test_nonsense_from_a_bot_raises_only_remote_errors(pieces):
    decoder = ReplyDecoder()
    try:
        for piece in pieces:
            decoder.feed(piece)
            assert isinstance(decoder.partial, bool)
            assert all(type(reply) is Reply for reply in taken(decoder.next_reply))
        decoder.end()
    except RemoteProtocolError as error:
        assert len(str(error)) < 300


@given(st.sampled_from(BOTZONE_WIRES), PIECES)
def test_nonsense_in_an_answer_raises_only_remote_errors(wire, pieces):
    decoder = answer_decoder(wire)
    try:
        for piece in pieces:
            decoder.feed(piece + KEEP_RUNNING)
            assert all(type(answer) is Answer for answer in taken(decoder.next_answer))
        decoder.end()
    except RemoteProtocolError as error:
        assert len(str(error)) < 300


def test_the_longest_turn_is_read_in_well_under_a_millisecond():
    decoder = MessageDecoder("platform")
    line = encode_message(Turn(("AAA",) * 112))
    fastest = 1.0
    for _ in range(50):
        start = time.process_time()
        decoder.feed(line)
        assert len(decoder.next_message().edges) == 112
        fastest = min(fastest, time.process_time() - start)
    assert fastest < 1e-3
