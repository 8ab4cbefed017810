"""What is true of reversi's wires alone."""

from protocol.framing import encode_frame
from protocol.games.reversi import (
    WIRES,
    MessageDecoder,
    Reply,
    ReplyDecoder,
    RuleQuery,
    Turn,
    encode_reply,
    encode_rule_answer,
    encode_rule_query,
    encode_turn,
)
from tests.protocol.games.reversi.examples import (
    QUERY,
    REPLY,
    SAIBLO_FIRST,
    SAIBLO_QUERY,
    SAIBLO_REPLY,
    SAIBLO_SECOND,
    SAIBLO_SMALL,
    SIMPLE_OPENING,
    SMALL_TURN,
)
from tests.protocol.helpers.streams import check_named, error_of, hexadecimal, refusal, taken, taken_in_pieces


def test_the_wires_and_lengths_are_the_published_ones():
    assert WIRES == ("auto", "saiblo", "botzone", "botzone-simple")
    assert [len(raw) for raw in (SAIBLO_FIRST, SAIBLO_SECOND, SAIBLO_SMALL)] == [67, 67, 19]


def test_the_first_byte_tells_the_wire():
    for wire, data in (("saiblo", b"#"), ("botzone", b"{"), ("botzone-simple", b"1")):
        decoder = MessageDecoder()
        assert decoder.wire is None
        decoder.feed(b" \r\n\t")
        assert (decoder.wire, decoder.partial) == (None, False)
        decoder.feed(data)
        assert (decoder.wire, decoder.partial) == (wire, True)
        assert MessageDecoder(wire).wire == wire


def test_a_first_byte_that_is_no_wires_is_named():
    for byte in (b"x", b"[", b"-", b"\0", b"\xef\xbb\xbf{}"):
        for blanks in (b"", b"\r\n "):
            decoder = MessageDecoder()
            decoder.feed(blanks + byte)
            for _ in range(2):
                check_named(error_of(decoder.next_message), "first byte", "#, { or a digit", repr(byte[:1]))
                decoder.feed(SAIBLO_FIRST)
            assert decoder.wire is None
            error_of(decoder.end)


def test_what_is_glued_to_the_last_move_is_an_error_at_once_or_later():
    whole = SIMPLE_OPENING[:-1]
    for glued in (b"5\n", b" 5\n", b"x", b" -"):
        decoder = MessageDecoder()
        assert len(taken_in_pieces(decoder, whole)) == 1
        decoder.feed(glued)
        check_named(error_of(decoder.next_message), "requests[0]", "the end of its line")
        assert refusal(MessageDecoder("botzone-simple"), whole + glued + b"\n").field == "requests[0]"


def test_boards_of_every_size_come_back():
    for size in range(4, 11):
        turn = Turn(1, size, tuple(place % 3 for place in range(size * size)))
        query = RuleQuery(*turn)
        decoder, judge = MessageDecoder(), ReplyDecoder(size=size)
        decoder.feed(encode_turn(turn))
        assert decoder.next_message() == turn
        judge.feed(encode_rule_query(query) + encode_reply((9, 0), "saiblo"))
        assert [(type(heard), heard) for heard in taken(judge.next_reply)] == [(RuleQuery, query), (Reply, (9, 0))]


def test_a_question_is_a_turn_in_a_frame():
    assert encode_rule_query(QUERY) == SAIBLO_QUERY
    assert encode_rule_query(RuleQuery(*SMALL_TURN)) == hexadecimal("00 00 00 13") + encode_turn(SMALL_TURN)


def test_the_answer_to_a_question_is_a_byte_a_cell():
    legal = [cell in (19, 26, 37, 44) for cell in range(64)]
    expected = b"0" * 19 + b"1" + b"0" * 6 + b"1" + b"0" * 10 + b"1" + b"0" * 6 + b"1" + b"0" * 19
    assert encode_rule_answer(legal) == expected
    assert encode_rule_answer([0, 1, 2, None]) == b"0110"


def test_the_wire_leaves_legality_to_the_referee():
    decoder = ReplyDecoder(size=4)
    decoder.feed(b"".join(map(encode_frame, (b"00", b"99", b"70"))))
    assert taken(decoder.next_reply) == [Reply(0, 0), Reply(9, 9), Reply(7, 0)]


def test_nobody_asks_to_stay_on_saiblo():
    assert encode_reply(REPLY, "saiblo", keep_running=True) == SAIBLO_REPLY
