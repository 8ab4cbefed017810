"""What decoders have in common: the first error ends the stream, in all of them alike."""

import traceback

import pytest

from protocol.decoding import StreamDecoder, WireDecoder
from protocol.errors import LocalProtocolError, RemoteProtocolError
from protocol.framing import FrameDecoder, TargetedFrameDecoder
from protocol.games import connect_four, dots, reversi
from protocol.games.reversi.botzone import answer_decoder
from tests.house.imports import python_files, source_of


def wrong(received):
    return RemoteProtocolError(field="letter", expected="a letter", received=received)


class LetterDecoder(StreamDecoder):
    """Hands out letters two at a time; a digit is wrong once it is read, a blank at once."""

    THINGS = "pairs"

    def __init__(self):
        super().__init__()
        self.pending = b""

    def next_pair(self):
        return self._latched(self._read)

    def _accept(self, data):
        self.pending += data
        if b" " in data:
            raise wrong("a blank")

    def _read(self):
        if self.pending[:1].isdigit():
            raise wrong("a digit")
        if len(self.pending) < 2:
            return None
        pair, self.pending = self.pending[:2], self.pending[2:]
        return pair

    def _check_end(self):
        if self.pending:
            raise wrong("end of input")


def error_of(call):
    with pytest.raises(RemoteProtocolError) as caught:
        call()
    return caught.value


def test_what_is_fed_is_handed_out():
    decoder = LetterDecoder()
    decoder.feed(b"abc")
    assert (decoder.next_pair(), decoder.next_pair()) == (b"ab", None)
    decoder.feed(b"d")
    assert decoder.next_pair() == b"cd"
    assert decoder.end() is None


@pytest.mark.parametrize("data, received", [(b"1", "a digit"), (b"ab ", "a blank"), (b"1 ", "a blank")])
def test_feeding_never_raises_and_reading_always_does(data, received):
    decoder = LetterDecoder()
    decoder.feed(data)
    error = error_of(decoder.next_pair)
    assert error.received == received
    decoder.feed(b"ef")
    assert decoder.pending == data
    assert error_of(decoder.next_pair) is error
    assert error_of(decoder.end) is error


def test_an_end_that_was_wrong_is_an_error_too():
    decoder = LetterDecoder()
    decoder.feed(b"a")
    assert decoder.next_pair() is None
    error = error_of(decoder.end)
    assert error.received == "end of input"
    decoder.feed(b"b")
    assert error_of(decoder.next_pair) is error


def test_an_end_before_all_was_taken_is_our_own_fault_and_no_error_of_the_stream():
    decoder = LetterDecoder()
    decoder.feed(b"abcd")
    with pytest.raises(LocalProtocolError, match="^end: complete pairs were not taken before$"):
        decoder.end()
    assert decoder.next_pair() == b"cd"


def test_a_wire_decoder_without_a_reader_has_nothing_to_say():
    decoder = WireDecoder()
    decoder.feed(b"a")
    assert decoder.next_message() is None
    assert not decoder.partial
    decoder.end()
    with pytest.raises(LocalProtocolError, match="already ended"):
        decoder.feed(b"b")


# Every decoder, how it hands out, and bytes of which the first thing is wrong.
DECODERS = [
    (FrameDecoder, "next_frame", b"\0\0\0\0"),
    (TargetedFrameDecoder, "next_frame", b"\0\0\0\0"),
    *[(lambda wire=wire: connect_four.MessageDecoder(wire), "next_message", b"? ") for wire in connect_four.WIRES],
    *[(lambda wire=wire: connect_four.ReplyDecoder(wire), "next_reply", b"\0\0\0\1?") for wire in connect_four.WIRES],
    *[(lambda wire=wire: reversi.MessageDecoder(wire), "next_message", b"?\n") for wire in reversi.WIRES],
    (reversi.ReplyDecoder, "next_reply", b"\0\0\0\1?"),
    *[(lambda wire=wire: dots.MessageDecoder(wire), "next_message", b"?\n") for wire in dots.WIRES],
    (dots.ReplyDecoder, "next_reply", b"?\n"),
    *[
        (lambda wire=wire: answer_decoder(wire), "next_answer", b"?\n>>>BOTZONE_REQUEST_KEEP_RUNNING<<<\n")
        for wire in ("botzone", "botzone-simple")
    ],
]


@pytest.mark.parametrize("new, method, nonsense", DECODERS)
def test_every_decoder_keeps_its_first_error(new, method, nonsense):
    decoder = new()
    assert isinstance(decoder, StreamDecoder)
    hand_out = getattr(decoder, method)
    decoder.feed(nonsense)
    error = error_of(hand_out)
    partial, depths = decoder.partial, set()
    for call in (hand_out, hand_out, hand_out):
        decoder.feed(nonsense)
        assert error_of(call) is error
        assert decoder.partial == partial
        depths.add(len(traceback.extract_tb(error.__traceback__)))
    assert len(depths) == 1
    assert error_of(decoder.end) is error


def test_no_other_file_keeps_errors():
    keepers = [file for file in python_files("protocol") if "with_traceback" in source_of(file)]
    assert keepers == ["protocol/decoding.py"]
