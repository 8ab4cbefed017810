"""What is true of the wires of dots and boxes alone."""

from protocol.botzone import Requests
from protocol.errors import FrameTooLong
from protocol.games.dots import (
    WIRES,
    Board,
    MessageDecoder,
    New,
    Reply,
    ReplyDecoder,
    Turn,
    edge_at,
    encode_message,
    encode_name,
    is_edge,
    place_of,
)
from tests.protocol.games.dots.examples import OWN_JUDGE, PLATFORM, PLATFORM_REPLY, edges_of
from tests.protocol.helpers.streams import check_named, error_of, every_cut, kinds, refusal, taken, taken_in_pieces


def read(data, cuts=()):
    """The replies of a whole input."""
    decoder = ReplyDecoder()
    replies = taken_in_pieces(decoder, data, cuts)
    assert not decoder.partial
    decoder.end()
    return replies


def test_the_wires_are_all_here():
    assert WIRES == ("auto", "platform", "botzone", "botzone-simple")


def test_the_first_byte_tells_the_wire():
    for wire, data in (("platform", b"n"), ("botzone", b"{"), ("botzone-simple", b"1")):
        decoder = MessageDecoder()
        decoder.feed(b"\0 \n")
        assert (decoder.wire, decoder.partial) == (None, False)
        decoder.feed(data)
        assert (decoder.wire, decoder.partial) == (wire, True)
    for byte in (b"#", b"[", b"-", b"?", b"\x80"):
        check_named(refusal(MessageDecoder(), b"\0 \n" + byte), "first byte", "a letter, { or a digit", repr(byte))


def test_lines_of_the_platform_may_end_in_many_ways():
    for transcript in (PLATFORM, OWN_JUDGE):
        stream, messages = b"".join(raw for raw, _ in transcript), kinds(message for _, message in transcript)
        for line_end in (b"\0", b"\n\0", b"\r\n", b"\r\n\0", b"\r", b"\n\n \t\n", b" \n"):
            for beginning in (b"", b"\0", b" \0\r\n"):
                changed = beginning + stream.replace(b"\n", line_end)
                for cuts in ([], range(1, len(changed))):
                    decoder = MessageDecoder()
                    assert kinds(taken_in_pieces(decoder, changed, cuts)) == messages, line_end
                    decoder.end()


def test_a_board_and_a_turn_without_its_number_wait_for_the_end_of_their_line():
    for raw, message in ((b"board 2x7", Board(2, 7, ())), (b"move AABBCD", Turn(("AAB", "BCD")))):
        decoder = MessageDecoder("platform")
        decoder.feed(raw)
        assert decoder.next_message() is None
        check_named(error_of(decoder.end), "message", "the rest of the message", "end of input")
        decoder = MessageDecoder("platform")
        decoder.feed(raw + b"\0")
        assert kinds([decoder.next_message()]) == kinds([message])


def test_words_may_stand_apart():
    decoder = MessageDecoder("platform")
    decoder.feed(b"  new \t white \n move  2   AABBCD \n")
    assert kinds(taken(decoder.next_message)) == kinds([New(1), Turn(("AAB", "BCD"))])


def test_a_line_of_the_greatest_length_is_waited_for():
    decoder = MessageDecoder()
    decoder.feed(b"move " + b"A" * 2043)
    assert decoder.next_message() is None
    decoder.feed(b"A")
    assert type(error_of(decoder.next_message)) is FrameTooLong


def test_the_largest_turn_comes_back():
    turn = Turn(("AAA",) * 112)
    decoder = MessageDecoder("platform")
    decoder.feed(encode_message(turn))
    assert decoder.next_message() == turn


def test_json_may_say_pass_in_words_or_not_at_all():
    decoder = MessageDecoder()
    decoder.feed(b'{"requests":[{"x":-1,"y":-1},{"x":1,"y":0,"pass":true}],"responses":[{"x":0,"y":1,"pass":7}]}')
    assert decoder.next_message() == Requests(((-1, -1, 0), (1, 0, 1)), ((0, 1),))


def test_every_way_to_answer_is_understood():
    for data in (
        b"name X\nmove 1 AAB\n",
        b"name Dots And Boxes 2.0\r\nmove 1 AAB\r\n",
        b"name name\0move AAB\0",
        b"\n\n move 1  AAB \n\n",
        b"move AAB\n",
        b"move 1 AAB",
        b"name move\n\n\0move 1 AAB\0\n",
    ):
        for cuts in every_cut(data):
            assert read(data, cuts) == [Reply(("AAB",))], (data, cuts)


def test_the_name_belongs_to_no_reply_at_any_moment():
    assert encode_name("dropfour") == b"name dropfour\n"
    assert encode_name("!~" * 30) == b"name " + b"!~" * 30 + b"\n"
    decoder = ReplyDecoder()
    for byte in b"\n name dropfour 1.0":
        decoder.feed(bytes([byte]))
        assert decoder.next_reply() is None
        assert not decoder.partial
    decoder.feed(b"\nmo")
    assert decoder.next_reply() is None
    assert decoder.partial


def test_an_end_inside_a_reply_is_an_error():
    for data in (b"m", b"move 2 AAA", b"move AAA"):
        decoder = ReplyDecoder()
        decoder.feed(data)
        assert decoder.next_reply() is None
        check_named(error_of(decoder.end), "move", "the rest of the line", "end of input")


def test_what_follows_a_whole_reply_on_its_line_is_an_error():
    decoder = ReplyDecoder()
    assert read(b"move 1 AAA") == taken_in_pieces(decoder, b"move 1 AAA") == [Reply(("AAA",))]
    decoder.feed(b"!")
    check_named(error_of(decoder.next_reply), "message", "the end of its line", "!")
    decoder.feed(PLATFORM_REPLY)
    error_of(decoder.next_reply)


def test_a_board_has_the_edges_that_lie_between_its_dots():
    for rows in range(1, 8):
        for columns in range(1, 8):
            assert len(edges_of(rows, columns)) == (rows + 1) * columns + rows * (columns + 1)
    assert is_edge("ACB", 2, 2) and is_edge("BCB", 2, 2)
    assert not any(is_edge(name, 2, 2) for name in ("ADA", "AAC", "BDA", "BAC", "", "AA", "AAAA", None, 1))


def test_every_edge_has_its_place_in_the_grid():
    places = [(x, y) for x in range(11) for y in range(11) if (x + y) % 2]
    assert [place_of(edge_at(x, y)) for x, y in places] == places
    assert len({edge_at(x, y) for x, y in places}) == 60
    assert [edge_at(1, 0), edge_at(3, 0), edge_at(1, 2), edge_at(9, 10)] == ["AAA", "AAB", "ABA", "AFE"]
    assert [edge_at(0, 1), edge_at(2, 1), edge_at(0, 3), edge_at(10, 9)] == ["BAA", "BBA", "BAB", "BFE"]
