"""Arbitrary bytes raise nothing but RemoteProtocolError; a turn is read fast."""

import time

from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import RemoteProtocolError
from protocol.framing import encode_frame
from protocol.games.connect_four import (
    GAME_OVER,
    WIRES,
    MessageDecoder,
    Opening,
    Reply,
    ReplyDecoder,
    Turn,
    encode_opening,
    encode_turn,
    greeting,
)
from tests.protocol.games.connect_four.examples import OPENING, taken

TEXT = st.text(alphabet="0123456789- \n\r{x", max_size=60).map(lambda text: text.encode("ascii"))


@given(st.sampled_from(WIRES), st.booleans(), st.lists(st.binary(max_size=40) | TEXT, max_size=6))
def test_nonsense_from_a_judge_raises_only_remote_errors(wire, opened, pieces):
    decoder = MessageDecoder(wire)
    if opened:
        decoder.feed(encode_opening(OPENING, wire))
        assert decoder.next_message() == OPENING
    try:
        for piece in pieces:
            decoder.feed(piece)
            assert all(isinstance(m, (Opening, Turn)) or m is GAME_OVER for m in taken(decoder.next_message))
        decoder.end()
    except RemoteProtocolError as error:
        assert len(str(error)) < 300


@given(st.sampled_from(WIRES), st.lists(st.binary(min_size=1, max_size=40) | TEXT.filter(bool), max_size=4))
def test_nonsense_from_a_bot_raises_only_remote_errors(wire, bodies):
    decoder = ReplyDecoder(wire)
    decoder.feed(greeting(wire))
    try:
        for body in bodies:
            decoder.feed(encode_frame(body))
            assert all(isinstance(reply, Reply) for reply in taken(decoder.next_reply))
    except RemoteProtocolError as error:
        assert len(str(error)) < 300


def test_the_largest_turn_is_read_in_well_under_a_millisecond():
    decoder = MessageDecoder()
    decoder.feed(encode_opening(Opening(12, 12, (11, 11)), "saiblo"))
    decoder.next_message()
    line = encode_turn(Turn((11, 11), (12,) * 12, (2,) * 144), "saiblo")
    fastest = 1.0
    for _ in range(50):
        start = time.process_time()
        decoder.feed(line)
        decoder.next_message()
        fastest = min(fastest, time.process_time() - start)
    assert fastest < 1e-3
