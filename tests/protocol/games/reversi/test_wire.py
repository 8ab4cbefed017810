"""Reversi's transcripts on every wire, cut in every way, told the wire or not."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import LocalProtocolError
from protocol.games.reversi import WIRES, MessageDecoder, NextRequest, Requests, Turn, encode_reply, encode_turn
from protocol.games.reversi.botzone import encode_next_request, encode_requests
from tests.places import REPOSITORY
from tests.protocol.games.connect_four.examples import taken, taken_in_pieces
from tests.protocol.games.reversi.examples import (
    FIRST_TURN,
    FROM_JUDGE,
    OPENING_REQUESTS,
    OPENINGS,
    SAIBLO_FIRST,
    SAIBLO_SECOND,
    SAIBLO_SMALL,
    SECOND_TURN,
    SMALL_TURN,
)

every_wire = pytest.mark.parametrize("wire", WIRES[1:])
told_or_not = pytest.mark.parametrize("told", [True, False])


def decoder_for(wire, told):
    return MessageDecoder(wire if told else "auto")


def transcript(wire):
    return b"".join(raw for raw, _ in FROM_JUDGE[wire]), [meaning for _, meaning in FROM_JUDGE[wire]]


def encoded(message, wire):
    if isinstance(message, Turn):
        return encode_turn(message)
    return (encode_requests if isinstance(message, Requests) else encode_next_request)(message, wire)


def test_the_wires_are_all_here():
    assert WIRES == ("auto", "saiblo", "botzone", "botzone-simple")
    assert set(FROM_JUDGE) == set(WIRES[1:])


def test_the_written_boards_have_the_published_lengths():
    assert [len(raw) for raw in (SAIBLO_FIRST, SAIBLO_SECOND, SAIBLO_SMALL)] == [67, 67, 19]


@every_wire
def test_the_judge_writes_the_transcript(wire):
    for raw, meaning in FROM_JUDGE[wire]:
        assert encoded(meaning, wire) == raw


@pytest.mark.parametrize("wire", OPENINGS)
def test_black_is_asked_to_open(wire):
    assert encode_requests(OPENING_REQUESTS, wire) == OPENINGS[wire]
    decoder = MessageDecoder()
    decoder.feed(OPENINGS[wire])
    assert taken(decoder.next_message) == [OPENING_REQUESTS]


@told_or_not
@every_wire
def test_the_transcript_at_once(wire, told):
    stream, meanings = transcript(wire)
    decoder = decoder_for(wire, told)
    decoder.feed(stream)
    assert taken(decoder.next_message) == meanings
    assert not decoder.partial
    assert decoder.wire == wire
    decoder.end()


@told_or_not
@every_wire
def test_the_transcript_byte_by_byte(wire, told):
    stream, meanings = transcript(wire)
    decoder = decoder_for(wire, told)
    assert taken_in_pieces(decoder, decoder.next_message, stream, range(1, len(stream))) == meanings
    assert not decoder.partial
    decoder.end()


@every_wire
def test_every_cut(wire):
    stream, meanings = transcript(wire)
    for cut in range(len(stream) + 1):
        decoder = MessageDecoder()
        assert taken_in_pieces(decoder, decoder.next_message, stream, [cut]) == meanings
        assert not decoder.partial


@every_wire
def test_a_message_is_delivered_while_the_next_has_begun(wire):
    stream, meanings = transcript(wire)
    before_last = stream[: -len(FROM_JUDGE[wire][-1][0])]
    decoder = MessageDecoder()
    decoder.feed(stream[: len(before_last) + 1])
    assert taken(decoder.next_message) == meanings[:-1]
    assert decoder.partial
    decoder.feed(stream[len(before_last) + 1 :])
    assert taken(decoder.next_message) == meanings[-1:]
    decoder.end()


@every_wire
def test_requests_without_end(wire):
    (first, first_meaning), (later, later_meaning) = FROM_JUDGE[wire][:2]
    decoder = MessageDecoder()
    decoder.feed(first + later * 50)
    assert taken(decoder.next_message) == [first_meaning] + [later_meaning] * 50


@every_wire
def test_a_message_needs_no_line_end(wire):
    decoder = MessageDecoder()
    for raw, meaning in FROM_JUDGE[wire]:
        text = raw.rstrip(b"\n")
        decoder.feed(text)
        assert taken(decoder.next_message) == [meaning]
        assert not decoder.partial
        decoder.feed(raw[len(text) :])
        assert taken(decoder.next_message) == []
        assert not decoder.partial
    decoder.end()


@every_wire
def test_the_input_may_end_without_a_line_end(wire):
    raw, meaning = FROM_JUDGE[wire][0]
    decoder = MessageDecoder()
    decoder.feed(raw.rstrip(b"\n"))
    assert taken(decoder.next_message) == [meaning]
    decoder.end()


@pytest.mark.parametrize("blank", [b"\n", b"\r\n", b" ", b"\t\n\n "])
@every_wire
def test_blanks_between_messages(wire, blank):
    messages = FROM_JUDGE[wire]
    spread = blank + b"".join(raw.rstrip(b"\n") + b"\n" + blank for raw, _ in messages)
    for cuts in ([], range(1, len(spread))):
        decoder = MessageDecoder()
        got = taken_in_pieces(decoder, decoder.next_message, spread, cuts)
        assert got == [meaning for _, meaning in messages]
        assert not decoder.partial
        decoder.end()


@told_or_not
@every_wire
def test_partial_begins_with_the_first_byte_that_is_not_blank(wire, told):
    decoder = decoder_for(wire, told)
    assert not decoder.partial
    decoder.feed(b" \r\n\t")
    assert not decoder.partial
    assert decoder.wire == (wire if told else None)
    raw, meaning = FROM_JUDGE[wire][0]
    for place in range(len(raw.rstrip(b"\n")) - 1):
        decoder.feed(raw[place : place + 1])
        assert decoder.next_message() is None
        assert decoder.partial
        assert decoder.wire == wire
    decoder.feed(raw.rstrip(b"\n")[-1:])
    assert decoder.partial
    assert decoder.next_message() == meaning
    assert not decoder.partial


def test_the_types_of_what_is_delivered():
    decoder = MessageDecoder()
    decoder.feed(SAIBLO_FIRST)
    turn = decoder.next_message()
    assert (type(turn), type(turn.cells)) == (Turn, tuple)
    decoder = MessageDecoder()
    decoder.feed(OPENINGS["botzone"])
    requests = decoder.next_message()
    assert (type(requests), type(requests.requests), type(requests.responses)) == (Requests, tuple, tuple)


def test_encoders_know_no_auto():
    with pytest.raises(LocalProtocolError, match="one of saiblo, botzone, botzone-simple, got 'auto'"):
        encode_reply((2, 3), "auto")


BOARD = st.integers(4, 10).flatmap(
    lambda size: st.builds(
        Turn,
        st.integers(0, 1),
        st.just(size),
        st.binary(min_size=size * size, max_size=size * size).map(lambda cells: tuple(v % 3 for v in cells)),
    )
)
MOVE = st.none() | st.tuples(st.integers(0, 7), st.integers(0, 7))


@st.composite
def botzone_games(draw):
    """Requests of any length, then requests to the process that stayed. The rules are not asked."""
    requests = draw(st.lists(MOVE, min_size=1, max_size=60))
    responses = draw(st.lists(MOVE, min_size=len(requests) - 1, max_size=len(requests) - 1))
    return [Requests(tuple(requests), tuple(responses)), *map(NextRequest, draw(st.lists(MOVE, max_size=5)))]


GAMES = st.one_of(
    st.tuples(st.just("saiblo"), st.lists(BOARD, min_size=1, max_size=4)),
    st.tuples(st.sampled_from(["botzone", "botzone-simple"]), botzone_games()),
)


@given(st.data(), GAMES, st.booleans())
def test_any_game_cut_anywhere_comes_back(data, game, told):
    wire, messages = game
    stream = b"".join(encoded(message, wire) for message in messages)
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=12))
    decoder = decoder_for(wire, told)
    assert taken_in_pieces(decoder, decoder.next_message, stream, cuts) == messages
    assert decoder.wire == wire
    decoder.end()


@pytest.mark.parametrize(
    "turn, name",
    [
        (Turn(2, 8, FIRST_TURN.cells), "side"),
        (Turn(0, 3, (2,) * 9), "size"),
        (Turn(0, 11, (2,) * 121), "size"),
        (Turn(0, 8, FIRST_TURN.cells[1:]), r"len\(cells\)"),
        (Turn(0, 8, (3,) + FIRST_TURN.cells[1:]), r"cells\[0\]"),
        (Turn(0, 8, (1.0,) + FIRST_TURN.cells[1:]), "float"),
        (SMALL_TURN[:2], "values"),
    ],
)
def test_the_judge_may_not_send_a_turn_off_the_wires_range(turn, name):
    with pytest.raises(LocalProtocolError, match=f"cannot send a .*{name}"):
        encode_turn(turn)


@pytest.mark.parametrize("wire", OPENINGS)
@pytest.mark.parametrize(
    "message, name",
    [
        (Requests((), ()), r"len\(requests\)"),
        (Requests((None,) * 129, (None,) * 128), r"len\(requests\)"),
        (Requests((None,), (None,)), r"len\(responses\)"),
        (Requests((None, (8, 0)), ((0, 0),)), "row"),
        (Requests((None, (0, 0)), ((0, -1),)), "col"),
        (Requests(((-1, -1),), ()), "row"),
        (Requests(((1, 2, 3),), ()), "values"),
        (Requests((7,), ()), "int"),
        (((None,),), "argument"),
    ],
)
def test_the_judge_may_not_send_requests_off_the_board(wire, message, name):
    with pytest.raises(LocalProtocolError, match=f"cannot send .*{name}"):
        encode_requests(message, wire)
    with pytest.raises(LocalProtocolError, match="cannot send request "):
        encode_next_request(NextRequest((0, 8)), wire)


SAIBLO_ALONE = """
import sys
sys.path.insert(0, %r)
from protocol.games.reversi import *
decoder = MessageDecoder()
decoder.feed(encode_turn(Turn(0, 4, (2,) * 16)))
assert decoder.next_message() == (0, 4, (2,) * 16)
replies = ReplyDecoder(size=4)
replies.feed(encode_reply(Reply(1, 2), decoder.wire))
assert replies.next_reply() == (1, 2)
print(*sys.modules)
"""


def test_saiblos_wire_loads_nothing_slow():
    code = SAIBLO_ALONE % str(REPOSITORY)
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, check=True, timeout=30)
    loaded = set(done.stdout.decode().split())
    assert "protocol.games.reversi.saiblo" in loaded
    assert loaded.isdisjoint({"dataclasses", "json", "re", "typing", "protocol.botzone.json_form"})


def test_second_turn_is_the_reply_to_the_first():
    pairs = zip(FIRST_TURN.cells, SECOND_TURN.cells, strict=True)
    flipped = [place for place, (before, after) in enumerate(pairs) if before != after]
    assert flipped == [2 * 8 + 3, 3 * 8 + 3]
