"""What a driver of bots hears of them on Botzone's wires, beside the moves: the contract of wires has those."""

import pytest

from protocol.botzone import WIRES
from protocol.botzone.forms import MAX_MESSAGE_BYTES, Answer
from protocol.games.reversi import botzone
from tests.protocol.games.reversi.examples import ANSWERS
from tests.protocol.helpers.streams import KEEP_RUNNING, check_named, error_of, taken, taken_in_pieces

every_wire = pytest.mark.parametrize("wire", WIRES)


def raw_of(wire):
    return ANSWERS[wire][0][1]


@every_wire
def test_an_answer_is_complete_with_the_line_that_asks_to_stay(wire):
    decoder = botzone.answer_decoder(wire)
    assert taken_in_pieces(decoder, raw_of(wire) + KEEP_RUNNING[:-1]) == []
    assert taken_in_pieces(decoder, KEEP_RUNNING[-1:]) == [Answer((2, 3), None, None, None, True)]
    assert not decoder.partial
    assert decoder.end() is None


@every_wire
def test_line_ends_of_any_kind(wire):
    for line_end in (b"\n", b"\r\n", b"\n\n"):
        decoder = botzone.answer_decoder(wire)
        decoder.feed(raw_of(wire).rstrip(b"\n") + line_end + KEEP_RUNNING.rstrip(b"\n") + line_end)
        assert [(one.move, one.keep_running) for one in taken(decoder.next_answer)] == [((2, 3), True)]
        assert not decoder.partial


def test_what_else_a_bot_may_write_in_json():
    decoder = botzone.answer_decoder("botzone")
    decoder.feed(b'{"response":{"x":2,"y":3},"debug":"why","data":[1,2],"globaldata":null,"more":1}\n' + KEEP_RUNNING)
    assert decoder.next_answer() == Answer((2, 3), "why", [1, 2], None, True)


def test_what_else_a_bot_may_write_in_lines():
    decoder = botzone.answer_decoder("botzone-simple")
    decoder.feed(b"2 3\nwhy\n" + KEEP_RUNNING)
    decoder.feed(b"2 3\n\nsaved\n" + KEEP_RUNNING)
    decoder.feed(b"2 3\nwhy\nsaved\nfor\never \xff\n")
    assert decoder.next_answer() == Answer((2, 3), "why", None, None, True)
    assert decoder.next_answer() == Answer((2, 3), "", "saved", None, True)
    assert decoder.end() == Answer((2, 3), "why", "saved", "for\never \ufffd", False)


def test_what_is_no_answer_is_refused_again_and_again():
    one_object, too_long = "a JSON object on one line", "at most 1000000 bytes"
    for wire, data, field, expected in (
        ("botzone", b"2 3\n", "message", one_object),
        ("botzone", b"[]\n", "message", one_object),
        ("botzone", raw_of("botzone") * 2, "message", one_object),
        ("botzone", b"debug\n" + raw_of("botzone"), "message", one_object),
        ("botzone", b"\n", "message", one_object),
        ("botzone", b"x" * MAX_MESSAGE_BYTES + b"\n", "message", too_long),
        ("botzone-simple", b"2 3\n" + b"x" * MAX_MESSAGE_BYTES, "message", too_long),
    ):
        decoder = botzone.answer_decoder(wire)
        decoder.feed(data + KEEP_RUNNING)
        for call in (decoder.next_answer, decoder.next_answer, decoder.end):
            check_named(error_of(call), field, expected)
            decoder.feed(raw_of(wire) + KEEP_RUNNING)


@every_wire
def test_an_answer_of_the_greatest_length_is_taken(wire):
    decoder = botzone.answer_decoder(wire)
    raw = raw_of(wire)
    decoder.feed(raw + b" " * (MAX_MESSAGE_BYTES - len(raw)) + b"\n" + KEEP_RUNNING)
    check_named(error_of(decoder.next_answer), "message", "at most 1000000 bytes", "1000001")
    decoder = botzone.answer_decoder(wire)
    decoder.feed(raw.rstrip() + b" " * (MAX_MESSAGE_BYTES - len(raw)) + b"\n" + KEEP_RUNNING)
    assert decoder.next_answer().move == (2, 3)
