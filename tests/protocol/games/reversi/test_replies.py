"""What reversi's judge takes from a bot on Saiblo's wire, and what a bot may send at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import EmptyFrame, FrameTooLong, LocalProtocolError, RemoteProtocolError
from protocol.framing import encode_frame
from protocol.games.reversi import (
    Reply,
    ReplyDecoder,
    RuleQuery,
    encode_reply,
    encode_rule_answer,
    encode_rule_query,
    encode_turn,
)
from tests.protocol.games.connect_four.examples import hexadecimal, taken, taken_in_pieces
from tests.protocol.games.reversi.examples import (
    FIRST_TURN,
    PASSES,
    REPLIES,
    REPLY,
    SAIBLO_QUERY,
    SAIBLO_REPLY,
    SMALL_TURN,
)

QUERY = RuleQuery(*FIRST_TURN)
SMALL_QUERY = RuleQuery(*SMALL_TURN)


@pytest.mark.parametrize("wire", REPLIES)
def test_the_published_replies(wire):
    assert encode_reply(REPLY, wire) == REPLIES[wire]


@pytest.mark.parametrize("wire", PASSES)
def test_a_pass_where_there_is_one(wire):
    assert encode_reply(None, wire) == PASSES[wire]


@pytest.mark.parametrize("wire", PASSES)
def test_a_bot_asks_to_stay_with_a_line_of_its_own(wire):
    asked = encode_reply(REPLY, wire, keep_running=True)
    assert asked == REPLIES[wire] + b">>>BOTZONE_REQUEST_KEEP_RUNNING<<<\n"


def test_nobody_asks_to_stay_on_saiblo():
    assert encode_reply(REPLY, "saiblo", keep_running=True) == SAIBLO_REPLY


@pytest.mark.parametrize("wire", REPLIES)
@pytest.mark.parametrize("reply", [Reply(8.0, 4), Reply("8", 4), (8,), (8, 4, 1), 3])
def test_a_bot_may_only_answer_two_integers(wire, reply):
    with pytest.raises(LocalProtocolError, match="reply: expected two integers"):
        encode_reply(reply, wire)


@pytest.mark.parametrize(
    "wire, reply",
    [
        *[("saiblo", reply) for reply in (None, (10, 0), (0, 10), (-1, -1))],
        *[(wire, reply) for wire in PASSES for reply in ((8, 0), (0, 8), (-1, 0), (-1, -1))],
    ],
)
def test_a_bot_may_not_answer_off_the_wires_range(wire, reply):
    with pytest.raises(LocalProtocolError, match="reply"):
        encode_reply(reply, wire)


def test_the_reply_and_the_question_in_every_cut():
    stream = SAIBLO_QUERY + SAIBLO_REPLY + encode_rule_query(QUERY) + SAIBLO_REPLY
    for cuts in ([], range(1, len(stream)), *([cut] for cut in range(len(stream)))):
        decoder = ReplyDecoder()
        replies = taken_in_pieces(decoder, decoder.next_reply, stream, cuts)
        assert replies == [QUERY, REPLY, QUERY, REPLY]
        assert [type(reply) for reply in replies] == [RuleQuery, Reply, RuleQuery, Reply]
        assert not decoder.partial
        decoder.end()


def test_a_trailing_piece_of_a_reply_is_seen():
    decoder = ReplyDecoder()
    decoder.feed(SAIBLO_REPLY + b"\0")
    assert taken(decoder.next_reply) == [REPLY]
    assert decoder.partial
    with pytest.raises(RemoteProtocolError, match="end of input"):
        decoder.end()


def test_ending_with_replies_not_taken_is_our_own_fault():
    decoder = ReplyDecoder()
    decoder.feed(SAIBLO_REPLY)
    with pytest.raises(LocalProtocolError, match="not taken"):
        decoder.end()


def test_a_question_is_a_turn_in_a_frame():
    assert encode_rule_query(QUERY) == SAIBLO_QUERY
    assert encode_rule_query(SMALL_QUERY) == hexadecimal("00 00 00 13") + encode_turn(SMALL_TURN)
    with pytest.raises(LocalProtocolError, match="cannot send a RuleQuery: side"):
        encode_rule_query(RuleQuery(2, 8, FIRST_TURN.cells))


def test_the_answer_to_a_question_is_a_byte_a_cell():
    legal = [False] * 64
    for cell in (19, 26, 37, 44):
        legal[cell] = True
    expected = b"0" * 19 + b"1" + b"0" * 6 + b"1" + b"0" * 10 + b"1" + b"0" * 6 + b"1" + b"0" * 19
    assert encode_rule_answer(legal) == expected
    assert encode_rule_answer([0, 1, 2, None]) == b"0110"


@pytest.mark.parametrize("body, cell", [(b"00", (0, 0)), (b"99", (9, 9)), (b"70", (7, 0))])
def test_the_wire_leaves_legality_to_the_referee(body, cell):
    decoder = ReplyDecoder(size=4)
    decoder.feed(encode_frame(body))
    assert decoder.next_reply() == Reply(*cell)


BOARD = SAIBLO_QUERY[4:]


@pytest.mark.parametrize(
    "body, field",
    [
        *[(body, "reply") for body in (b"2", b"233", b"2 3", b"a3", b"2\xb2", b"-1", b"23\n", b"2\0")],
        (b"9" * 1024, "reply"),
        (BOARD[:-1], "reply"),
        (BOARD + b"\n", "reply"),
        (b'{"response":{"x":2,"y":3}}\n', "reply"),
        (b"?" + BOARD[1:], "query start"),
        (b"#2" + BOARD[2:], "query side"),
        (BOARD[:9] + b"#" + BOARD[10:], "query cells[7]"),
        (BOARD[:-1] + b"2", "query end"),
    ],
)
def test_a_body_that_is_no_reply_is_refused_again_and_again(body, field):
    decoder = ReplyDecoder()
    decoder.feed(encode_frame(body))
    for _ in range(2):
        with pytest.raises(RemoteProtocolError) as caught:
            decoder.next_reply()
        assert caught.value.field == field
        assert len(str(caught.value)) < 300
        decoder.feed(encode_frame(b"23"))


def test_a_question_on_another_board_is_no_question():
    decoder = ReplyDecoder(size=8)
    decoder.feed(encode_rule_query(SMALL_QUERY))
    with pytest.raises(RemoteProtocolError, match="two digits, or 67 bytes to ask for the rules"):
        decoder.next_reply()
    decoder = ReplyDecoder(size=4)
    decoder.feed(encode_rule_query(SMALL_QUERY))
    assert decoder.next_reply() == SMALL_QUERY


@pytest.mark.parametrize("header, kind", [(b"\0\0\0\0", EmptyFrame), (b"\0\0\x08\x01", FrameTooLong)])
def test_a_reply_of_a_wrong_length_keeps_the_frames_error(header, kind):
    decoder = ReplyDecoder()
    decoder.feed(header)
    for call in (decoder.next_reply, decoder.next_reply, decoder.end):
        with pytest.raises(kind):
            call()


def test_the_longest_body_may_be_chosen():
    decoder = ReplyDecoder("saiblo", 8, max_length=66)
    decoder.feed(SAIBLO_QUERY)
    with pytest.raises(FrameTooLong):
        decoder.next_reply()


@pytest.mark.parametrize("wire, size", [("botzone", 8), ("auto", 8), ("saiblo", 3), ("saiblo", 11)])
def test_what_a_judge_cannot_hear(wire, size):
    with pytest.raises(LocalProtocolError, match="expected"):
        ReplyDecoder(wire, size)


DIGIT = st.integers(0, 9)
SIDE_AND_CELLS = st.tuples(st.integers(0, 1), st.lists(st.integers(0, 2), min_size=36, max_size=36))
REPLY_OR_QUERY = st.builds(Reply, DIGIT, DIGIT) | SIDE_AND_CELLS.map(
    lambda board: RuleQuery(board[0], 6, tuple(board[1]))
)


@given(st.data(), st.lists(REPLY_OR_QUERY, max_size=4))
def test_any_replies_cut_anywhere_come_back(data, replies):
    stream = b"".join(
        encode_reply(reply, "saiblo") if isinstance(reply, Reply) else encode_rule_query(reply) for reply in replies
    )
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=12))
    decoder = ReplyDecoder(size=6)
    assert taken_in_pieces(decoder, decoder.next_reply, stream, cuts) == replies
    decoder.end()
