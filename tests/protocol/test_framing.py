"""Frames: golden bytes, every cut, limits, and streams of nonsense."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.errors import EmptyFrame, FrameTooLong, LocalProtocolError, RemoteProtocolError
from protocol.framing import FrameDecoder, TargetedFrameDecoder, encode_frame, encode_targeted_frame
from tests.protocol.helpers.streams import check_named, error_of, every_cut, hexadecimal, taken, taken_in_pieces

FRAMES = [
    (b"8 4", hexadecimal("00 00 00 03 38 20 34")),
    (b"0 10", hexadecimal("00 00 00 04 30 20 31 30")),
    (b"ok", hexadecimal("00 00 00 02 6f 6b")),
]
LIMITS_BODY = b'{"state": 0, "time": 3, "length": 2048}'
TARGETED = [
    ((-1, LIMITS_BODY), hexadecimal("00 00 00 27 ff ff ff ff") + LIMITS_BODY),
    ((0, b"9 10 8 3\n"), hexadecimal("00 00 00 09 00 00 00 00 39 20 31 30 20 38 20 33 0a")),
]
both = pytest.mark.parametrize("decoder_class", [FrameDecoder, TargetedFrameDecoder])


def test_a_frame_is_its_length_its_target_and_its_body():
    assert [encode_frame(body) for body, _ in FRAMES] == [raw for _, raw in FRAMES]
    assert [encode_targeted_frame(*frame) for frame, _ in TARGETED] == [raw for _, raw in TARGETED]


def test_an_empty_body_or_a_target_off_its_range_is_not_sent():
    for encode in (lambda: encode_frame(b""), lambda: encode_targeted_frame(0, b"")):
        with pytest.raises(LocalProtocolError, match="frame body: expected 1 to"):
            encode()
    for target in (1 << 31, -(1 << 31) - 1, None, 1.5):
        with pytest.raises(LocalProtocolError, match="frame target"):
            encode_targeted_frame(target, b"x")


@pytest.mark.parametrize("decoder_class, frames", [(FrameDecoder, FRAMES), (TargetedFrameDecoder, TARGETED)])
def test_frames_come_in_order_however_they_are_cut(decoder_class, frames):
    stream = b"".join(raw for _, raw in frames)
    for cuts in every_cut(stream):
        decoder = decoder_class()
        assert taken_in_pieces(decoder, stream, cuts) == [frame for frame, _ in frames]
        assert not decoder.partial
        decoder.end()


def test_a_frame_comes_with_its_last_byte_and_no_earlier():
    decoder = FrameDecoder()
    frame = encode_frame(b"11 11")
    for place, byte in enumerate(frame[:-1]):
        decoder.feed(bytes([byte]))
        assert (decoder.next_frame(), decoder.partial, decoder.unread) == (None, True, frame[: place + 1])
    decoder.feed(frame[-1:])
    assert decoder.next_frame() == b"11 11"
    assert (decoder.partial, decoder.unread) == (False, b"")


@both
def test_a_wrong_length_is_refused_before_any_body(decoder_class):
    for header, kind, received in (
        ("00 00 00 00", EmptyFrame, "0 bytes (header 00000000)"),
        ("00 00 08 01", FrameTooLong, "2049 bytes (header 00000801)"),
        ("80 00 00 00", FrameTooLong, "2147483648 bytes (header 80000000)"),
    ):
        decoder = decoder_class()
        decoder.feed(hexadecimal(header))
        error = error_of(decoder.next_frame)
        assert type(error) is kind
        check_named(
            error, "frame length", "at most 2048 bytes" if kind is FrameTooLong else "at least 1 byte", received
        )


def test_the_limit_itself_is_accepted():
    decoder = FrameDecoder(max_length=5)
    decoder.feed(encode_frame(b"11 11") + encode_frame(b"111 11"))
    assert decoder.next_frame() == b"11 11"
    check_named(error_of(decoder.next_frame), "frame length", "at most 5 bytes", "6 bytes")


@both
def test_an_error_stays_and_later_bytes_are_dropped(decoder_class):
    decoder = decoder_class()
    decoder.feed(b"\0\0\0\0" + encode_frame(b"8 4"))
    for call in (decoder.next_frame, decoder.next_frame, decoder.end):
        assert type(error_of(call)) is EmptyFrame
        decoder.feed(encode_frame(b"8 4") * 100)
    assert not decoder.partial


def test_an_end_inside_a_frame_is_an_error():
    for size in range(1, 7):
        decoder = FrameDecoder()
        decoder.feed(encode_frame(b"8 4")[:size])
        assert decoder.next_frame() is None
        check_named(error_of(decoder.end), "frame", "the rest of the frame", "end of input after b'\\x00")


@settings(max_examples=30)
@given(st.data(), st.booleans())
def test_any_frames_cut_anywhere_come_back(data, targeted):
    bodies = st.binary(min_size=1, max_size=40)
    target = st.integers(-(1 << 31), (1 << 31) - 1)
    frames = data.draw(st.lists(st.tuples(target, bodies) if targeted else bodies, max_size=5))
    stream = b"".join(encode_targeted_frame(*frame) if targeted else encode_frame(frame) for frame in frames)
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=12))
    decoder = (TargetedFrameDecoder if targeted else FrameDecoder)()
    assert taken_in_pieces(decoder, stream, cuts) == frames
    decoder.end()


@settings(max_examples=50)
@given(st.lists(st.binary(max_size=30), max_size=8), st.sampled_from([FrameDecoder, TargetedFrameDecoder]))
def test_nonsense_raises_only_remote_errors(pieces, decoder_class):
    decoder = decoder_class(max_length=1 << 16)
    try:
        for piece in pieces:
            decoder.feed(piece)
            taken(decoder.next_frame)
        decoder.end()
    except RemoteProtocolError as error:
        assert len(str(error)) < 300
