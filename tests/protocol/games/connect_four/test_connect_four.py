"""What is true of connect four's wires alone."""

import json

from hypothesis import given, settings
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
    encode_game_over,
    greeting,
)
from tests.protocol.games.connect_four.examples import (
    FIRST_TURN,
    FROM_JUDGE,
    OPENING,
    SECOND_TURN,
    V1_OPENING_SPACED,
    V2_GREETING,
    V3_FIRST_TURN,
    V3_OPENING,
    V3_SECOND_TURN,
    v1,
)
from tests.protocol.helpers.streams import check_named, error_of, refusal, taken, taken_in_pieces

TEXT_WIRES = ("saiblo", "saiblo-v2")


def test_the_wires_and_lengths_are_the_published_ones():
    assert WIRES == ("saiblo", "saiblo-v2", "saiblo-v1")
    assert (len(V3_OPENING), len(V3_FIRST_TURN), len(V3_SECOND_TURN)) == (9, 206, 204)


def test_the_wire_in_force_is_the_usual_one():
    decoder = MessageDecoder()
    decoder.feed(V3_OPENING + V3_FIRST_TURN)
    opening, turn = taken(decoder.next_message)
    assert (type(turn.tops), type(turn.board), turn.last, opening.forbidden) == (tuple, tuple, None, (8, 3))
    decoder = ReplyDecoder()
    decoder.feed(encode_frame(b"8 4"))
    assert decoder.next_reply() == Reply(8, 4)


def test_text_wires_do_not_announce_the_end():
    assert [encode_game_over(wire) for wire in TEXT_WIRES] == [b"", b""]
    assert repr(GAME_OVER) == "GAME_OVER"


def test_the_opening_needs_the_blank_after_its_last_number():
    decoder = MessageDecoder()
    for data in (b"9 12 8 1", b"1"):
        decoder.feed(data)
        assert decoder.next_message() is None
    decoder.feed(b" ")
    assert decoder.next_message() == Opening(9, 12, (8, 11))


def test_any_blanks_separate_numbers_and_messages():
    for wire in TEXT_WIRES:
        numbers = b"".join(raw for raw, _ in FROM_JUDGE[wire][0]).split()
        for blank in (b"\n", b"\r\n", b" ", b"\t", b"\n\n \r\n", b" \v\f\n"):
            spread = blank + blank.join(numbers) + blank
            for cuts in ([], range(1, len(spread))):
                decoder = MessageDecoder(wire)
                assert taken_in_pieces(decoder, spread, cuts) == [OPENING, FIRST_TURN, SECOND_TURN], blank
                assert not decoder.partial
                decoder.end()


def test_a_byte_glued_to_the_last_number_is_an_error_at_once_or_later():
    whole = V3_OPENING + V3_SECOND_TURN[:-1]
    for glued in (b"2", b"0", b"-1 -1", b"x", b"\0"):
        assert refusal(MessageDecoder(), whole + glued).field == "board[89]"
        decoder = MessageDecoder()
        assert len(taken_in_pieces(decoder, whole)) == 2
        decoder.feed(glued)
        check_named(error_of(decoder.next_message), "board[89]", "a blank after its digit", repr(glued))


def test_a_flood_without_a_blank_fails_at_its_fourth_byte():
    for start in (b"", V3_OPENING, V3_OPENING + b"-1 -1 "):
        for flood in (b"1", b"0", b"-", b"9", b"{"):
            refusal(MessageDecoder(), start + flood * 4)


def test_v1_accepts_blanks_in_the_object_and_between_messages():
    decoder = MessageDecoder("saiblo-v1")
    decoder.feed(V1_OPENING_SPACED + b"\r\n" + b'0011{"type":2}\n')
    assert taken(decoder.next_message) == [OPENING, GAME_OVER]
    decoder.end()


@settings(max_examples=25)
@given(st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(), st.lists), st.text())
def test_any_json_from_a_v1_judge_is_refused(value, key):
    for content in (value, {"type": value}, {"type": 0, "row": value}, {"type": 0, key: value}):
        body = json.dumps(content).encode("ascii")
        if len(body) < 10_000:
            refusal(MessageDecoder("saiblo-v1"), v1(body))


def test_a_v1_turn_may_have_keys_that_nobody_knows():
    raw = v1(
        b'{"more":[],"lasty":3,"type":1,"top":[%s],"board":[%s],"lastx":2}'
        % (b",".join([b"9"] * 10), b"0," * 89 + b"2")
    )
    decoder = MessageDecoder("saiblo-v1")
    assert taken_in_pieces(decoder, V1_OPENING_SPACED + raw)[1] == Turn((2, 3), (9,) * 10, (0,) * 89 + (2,))


def test_the_bot_greets_where_the_wire_wants_it():
    assert [greeting(wire) for wire in WIRES] == [b"", V2_GREETING, b""]
    decoder = ReplyDecoder("saiblo-v2")
    decoder.feed(V2_GREETING)
    assert (decoder.next_reply(), decoder.partial) == (None, False)
    decoder.end()
    for cuts in ([], range(1, 13)):
        decoder = ReplyDecoder("saiblo-v2")
        assert taken_in_pieces(decoder, V2_GREETING + encode_frame(b"8 4"), cuts) == [Reply(8, 4)]
    decoder = ReplyDecoder("saiblo-v2")
    decoder.feed(encode_frame(b"8 4"))
    for _ in range(2):
        check_named(error_of(decoder.next_reply), "greeting", "b'ok'", "b'8 4'")
        decoder.feed(V2_GREETING)


def test_the_wire_leaves_legality_to_the_referee():
    cases = [(b"-2 -2", (-2, -2)), (b"8\t4", (8, 4)), (b" 8  4\r\n", (8, 4)), (b"99999 -0", (99999, 0))]
    decoder = ReplyDecoder()
    decoder.feed(b"".join(encode_frame(body) for body, _ in cases))
    assert taken(decoder.next_reply) == [Reply(*cell) for _, cell in cases]


def test_more_digits_than_python_converts_are_no_reply():
    decoder = ReplyDecoder(max_length=20_000)
    decoder.feed(encode_frame(b"9" * 10_000 + b" 4"))
    try:
        reply = decoder.next_reply()
    except RemoteProtocolError as error:
        assert error.field == "reply"
    else:  # versions of Python without a limit on digits
        assert reply.row > 10**9999
