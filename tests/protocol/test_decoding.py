"""What decoders have in common: the first error ends the stream. That all have it is in the contract of wires."""

import pytest

from protocol.decoding import StreamDecoder, WireDecoder
from protocol.errors import LocalProtocolError, RemoteProtocolError, excerpt
from tests.protocol.helpers.streams import error_of


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


def test_what_is_fed_is_handed_out():
    decoder = LetterDecoder()
    decoder.feed(b"abc")
    assert (decoder.next_pair(), decoder.next_pair()) == (b"ab", None)
    decoder.feed(b"d")
    assert decoder.next_pair() == b"cd"
    assert decoder.end() is None


def test_feeding_never_raises_and_reading_always_does():
    for data, received in ((b"1", "a digit"), (b"ab ", "a blank"), (b"1 ", "a blank")):
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


def test_an_error_says_who_what_and_what_instead_in_one_short_line():
    assert str(wrong("a digit")) == "letter: expected a letter, received a digit"
    assert excerpt(b"x" * 40) == repr(b"x" * 40)
    assert excerpt(bytearray(b"\n") + b"x" * 40) == repr(b"\n" + b"x" * 39) + "... (41 bytes)"
