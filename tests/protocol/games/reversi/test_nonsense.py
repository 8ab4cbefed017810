"""Arbitrary bytes raise nothing but RemoteProtocolError; a turn is read fast."""

import time

from hypothesis import given
from hypothesis import strategies as st

from protocol.botzone.answers import Answer
from protocol.botzone.messages import WIRES as BOTZONE_WIRES
from protocol.errors import RemoteProtocolError
from protocol.framing import encode_frame
from protocol.games.reversi import (
    WIRES,
    MessageDecoder,
    NextRequest,
    Reply,
    ReplyDecoder,
    Requests,
    RuleQuery,
    Turn,
    encode_turn,
)
from protocol.games.reversi.botzone import answer_decoder
from tests.protocol.games.connect_four.examples import taken
from tests.protocol.games.reversi.examples import FROM_JUDGE, KEEP_RUNNING

TEXT = st.text(alphabet='0123456789- \n\r{}[]":,#xy', max_size=60).map(lambda text: text.encode("ascii"))
PARTS = st.sampled_from(
    [b'{"requests":[', b'{"x":3,"y":4}', b"]", b"}", b'"responses":[', b",", b"\n", b"3 4\n", b"1\n"]
)
PIECES = st.lists(st.binary(max_size=40) | TEXT | PARTS, max_size=10)


@given(st.sampled_from(WIRES), st.booleans(), PIECES)
def test_nonsense_from_a_judge_raises_only_remote_errors(wire, opened, pieces):
    decoder = MessageDecoder(wire)
    if opened:
        raw, meaning = FROM_JUDGE[wire if wire != "auto" else "botzone-simple"][0]
        decoder.feed(raw)
        assert decoder.next_message() == meaning
    try:
        for piece in pieces:
            decoder.feed(piece)
            assert isinstance(decoder.partial, bool)
            assert all(type(message) in (Turn, Requests, NextRequest) for message in taken(decoder.next_message))
        decoder.end()
    except RemoteProtocolError as error:
        assert len(str(error)) < 300


def heard(wire, pieces):
    """Return (messages, whether they ended in an error) of pieces that are the whole input."""
    decoder = MessageDecoder(wire)
    messages = []
    try:
        for piece in pieces:
            decoder.feed(piece)
            messages += iter(decoder.next_message, None)
        decoder.end()
    except RemoteProtocolError:
        return messages, True
    return messages, False


@given(st.sampled_from(WIRES), PIECES)
def test_what_is_heard_does_not_depend_on_the_cuts(wire, pieces):
    stream = b"".join(pieces)
    at_once, refused = heard(wire, [stream])
    in_bytes, refused_in_bytes = heard(wire, [bytes([byte]) for byte in stream])
    assert refused_in_bytes == refused
    # In bytes, even a move whose line is spoilt afterwards is heard.
    assert in_bytes == at_once or (refused and in_bytes[: len(at_once)] == at_once)


@given(st.integers(4, 10), st.lists(st.binary(min_size=1, max_size=110) | TEXT.filter(bool), max_size=4))
def test_nonsense_from_a_bot_raises_only_remote_errors(size, bodies):
    decoder = ReplyDecoder(size=size)
    try:
        for body in bodies:
            decoder.feed(encode_frame(body))
            assert all(type(reply) in (Reply, RuleQuery) for reply in taken(decoder.next_reply))
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


def test_the_largest_turn_is_read_in_well_under_a_millisecond():
    decoder = MessageDecoder("saiblo")
    board = encode_turn(Turn(1, 10, (2,) * 100))
    fastest = 1.0
    for _ in range(50):
        start = time.process_time()
        decoder.feed(board)
        decoder.next_message()
        fastest = min(fastest, time.process_time() - start)
    assert fastest < 1e-3
