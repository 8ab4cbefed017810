"""Connect four's transcripts in every generation and both directions, cut in every way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.games.connect_four import (
    GAME_OVER,
    WIRES,
    MessageDecoder,
    Opening,
    Reply,
    ReplyDecoder,
    Turn,
    encode_game_over,
    encode_opening,
    encode_reply,
    encode_turn,
    greeting,
)
from tests.protocol.games.connect_four.examples import (
    FIRST_TURN,
    FRAMED_REPLY,
    FROM_JUDGE,
    GREETING,
    OPENING,
    REPLY,
    SECOND_TURN,
    V1_OPENING_SPACED,
    V3_FIRST_TURN,
    V3_OPENING,
    V3_SECOND_TURN,
    hexadecimal,
    taken,
    taken_in_pieces,
)

every_wire = pytest.mark.parametrize("wire", WIRES)


def transcript(wire):
    return b"".join(raw for raw, _ in FROM_JUDGE[wire]), [meaning for _, meaning in FROM_JUDGE[wire]]


def test_the_written_transcripts_have_the_published_lengths():
    assert (len(V3_OPENING), len(V3_FIRST_TURN), len(V3_SECOND_TURN)) == (9, 206, 204)


@every_wire
def test_the_judge_writes_the_transcript(wire):
    encoded = {Opening: encode_opening, Turn: encode_turn}
    for raw, meaning in FROM_JUDGE[wire]:
        if meaning is GAME_OVER:
            assert encode_game_over(wire) == raw
        else:
            assert encoded[type(meaning)](meaning, wire) == raw


@pytest.mark.parametrize("wire", ["saiblo", "saiblo-v2"])
def test_text_wires_do_not_announce_the_end(wire):
    assert encode_game_over(wire) == b""


@every_wire
def test_the_transcript_at_once(wire):
    stream, meanings = transcript(wire)
    decoder = MessageDecoder(wire)
    decoder.feed(stream)
    assert taken(decoder.next_message) == meanings
    assert not decoder.partial
    decoder.end()


@every_wire
def test_the_transcript_byte_by_byte(wire):
    stream, meanings = transcript(wire)
    decoder = MessageDecoder(wire)
    assert taken_in_pieces(decoder, decoder.next_message, stream, range(1, len(stream))) == meanings
    assert not decoder.partial
    decoder.end()


@every_wire
def test_a_message_is_delivered_while_the_next_has_begun(wire):
    messages = FROM_JUDGE[wire]
    for (raw, meaning), (following, next_meaning) in zip(messages[1:], messages[2:], strict=False):
        decoder = MessageDecoder(wire)
        decoder.feed(messages[0][0])
        assert decoder.next_message() == OPENING
        decoder.feed(raw + following[:5])
        assert decoder.next_message() == meaning
        assert decoder.next_message() is None
        assert decoder.partial
        decoder.feed(following[5:])
        assert taken(decoder.next_message) == [next_meaning]


@every_wire
def test_turns_without_end(wire):
    decoder = MessageDecoder(wire)
    decoder.feed(encode_opening(OPENING, wire) + encode_turn(SECOND_TURN, wire) * 50)
    assert taken(decoder.next_message) == [OPENING] + [SECOND_TURN] * 50


@every_wire
def test_the_types_of_what_is_delivered(wire):
    decoder = MessageDecoder(wire)
    decoder.feed(transcript(wire)[0])
    opening, first, second = decoder.next_message(), decoder.next_message(), decoder.next_message()
    assert (type(opening), type(first), type(second)) == (Opening, Turn, Turn)
    assert (type(first.tops), type(first.board), first.last) == (tuple, tuple, None)
    assert (opening.forbidden, second.last) == ((8, 3), (8, 0))


def test_the_opening_needs_the_blank_after_its_last_number():
    decoder = MessageDecoder()
    decoder.feed(b"9 12 8 1")
    assert decoder.next_message() is None
    decoder.feed(b"1")
    assert decoder.next_message() is None
    decoder.feed(b" ")
    assert decoder.next_message() == Opening(9, 12, (8, 11))


@pytest.mark.parametrize("blank", [b"\n", b"\r\n", b" ", b"\t", b"\n\n \r\n", b" \v\f\n"])
@pytest.mark.parametrize("wire", ["saiblo", "saiblo-v2"])
def test_any_blanks_separate_numbers_and_messages(blank, wire):
    stream, meanings = transcript(wire)
    spread = blank + blank.join(stream.split()) + blank
    for cuts in ([], range(1, len(spread))):
        decoder = MessageDecoder(wire)
        assert taken_in_pieces(decoder, decoder.next_message, spread, cuts) == meanings
        assert not decoder.partial
        decoder.end()


@pytest.mark.parametrize("wire", ["saiblo", "saiblo-v2"])
def test_a_turn_is_complete_without_a_newline(wire):
    decoder = MessageDecoder(wire)
    decoder.feed(encode_opening(OPENING, wire) + encode_turn(FIRST_TURN, wire)[:-1])
    assert taken(decoder.next_message) == [OPENING, FIRST_TURN]
    assert not decoder.partial
    decoder.feed(b"\n")
    assert decoder.next_message() is None
    assert not decoder.partial
    decoder.feed(encode_turn(SECOND_TURN, wire)[:-1])
    assert taken(decoder.next_message) == [SECOND_TURN]
    decoder.end()


def test_a_line_end_that_comes_with_the_next_turn():
    decoder = MessageDecoder()
    decoder.feed(V3_OPENING + V3_FIRST_TURN[:-1])
    assert taken(decoder.next_message) == [OPENING, FIRST_TURN]
    decoder.feed(b"\r\n" + V3_SECOND_TURN)
    assert taken(decoder.next_message) == [SECOND_TURN]


@every_wire
def test_partial_begins_with_the_first_byte_that_is_not_blank(wire):
    decoder = MessageDecoder(wire)
    assert not decoder.partial
    decoder.feed(b" \r\n\t")
    assert not decoder.partial
    decoder.feed(FROM_JUDGE[wire][0][0][:1])
    assert decoder.partial
    decoder.feed(FROM_JUDGE[wire][0][0][1:])
    assert decoder.partial
    assert decoder.next_message() == OPENING
    assert not decoder.partial


def test_v1_accepts_blanks_in_the_object_and_between_messages():
    decoder = MessageDecoder("saiblo-v1")
    decoder.feed(V1_OPENING_SPACED + b"\r\n" + b'0011{"type":2}\n')
    assert taken(decoder.next_message) == [OPENING, GAME_OVER]
    decoder.end()


@every_wire
def test_the_bot_greets_where_the_wire_wants_it(wire):
    assert greeting(wire) == GREETING[wire]


@every_wire
def test_the_reply_both_ways(wire):
    assert encode_reply(REPLY, wire) == FRAMED_REPLY[wire]
    stream = GREETING[wire] + FRAMED_REPLY[wire] * 3
    for cuts in ([], range(1, len(stream))):
        decoder = ReplyDecoder(wire)
        replies = taken_in_pieces(decoder, decoder.next_reply, stream, cuts)
        assert replies == [REPLY] * 3
        assert type(replies[0]) is Reply
        assert not decoder.partial
        decoder.end()


def test_the_greeting_alone_is_no_reply():
    decoder = ReplyDecoder("saiblo-v2")
    decoder.feed(greeting("saiblo-v2"))
    assert decoder.next_reply() is None
    assert not decoder.partial
    decoder.end()


@every_wire
def test_a_trailing_piece_of_a_reply_is_seen(wire):
    decoder = ReplyDecoder(wire)
    decoder.feed(GREETING[wire] + FRAMED_REPLY[wire] + b"\0")
    assert taken(decoder.next_reply) == [REPLY]
    assert decoder.partial


@pytest.mark.parametrize(
    "reply, expected",
    [(Reply(0, 10), "00 00 00 04 30 20 31 30"), (Reply(11, 11), "00 00 00 05 31 31 20 31 31")],
)
def test_the_published_replies(reply, expected):
    assert encode_reply(reply, "saiblo") == hexadecimal(expected)


@pytest.mark.parametrize(
    "body, expected",
    [(b"-2 -2", (-2, -2)), (b"8\t4", (8, 4)), (b" 8  4\r\n", (8, 4)), (b"99999 -0", (99999, 0))],
)
def test_the_wire_leaves_legality_to_the_referee(body, expected):
    decoder = ReplyDecoder()
    decoder.feed(len(body).to_bytes(4, "big") + body)
    assert decoder.next_reply() == Reply(*expected)


@st.composite
def games(draw):
    """An opening and turns of its size. Numbers in range, whatever the rules would say."""
    rows, cols = draw(st.integers(9, 12)), draw(st.integers(9, 12))
    cell = st.tuples(st.integers(0, rows - 1), st.integers(0, cols - 1))
    turn = st.builds(
        Turn,
        st.none() | cell,
        st.tuples(*[st.integers(0, rows)] * cols),
        st.binary(min_size=rows * cols, max_size=rows * cols).map(lambda cells: tuple(v % 3 for v in cells)),
    )
    return [Opening(rows, cols, draw(cell)), *draw(st.lists(turn, max_size=3))]


@given(st.data(), games(), st.sampled_from(WIRES))
def test_any_game_cut_anywhere_comes_back(data, messages, wire):
    stream = encode_opening(messages[0], wire) + b"".join(encode_turn(turn, wire) for turn in messages[1:])
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=12))
    decoder = MessageDecoder(wire)
    assert taken_in_pieces(decoder, decoder.next_message, stream, cuts) == messages
    decoder.end()


@given(st.data(), st.lists(st.tuples(st.integers(), st.integers()), max_size=4), st.sampled_from(WIRES))
def test_any_replies_cut_anywhere_come_back(data, cells, wire):
    stream = greeting(wire) + b"".join(encode_reply(Reply(*cell), wire) for cell in cells)
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=12))
    decoder = ReplyDecoder(wire)
    assert taken_in_pieces(decoder, decoder.next_reply, stream, cuts) == cells
    decoder.end()
