"""Frames: golden bytes, every cut, limits, and streams of nonsense."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import EmptyFrame, FrameTooLong, LocalProtocolError, RemoteProtocolError
from protocol.framing import FrameDecoder, TargetedFrameDecoder, encode_frame, encode_targeted_frame
from tests.protocol.games.connect_four.examples import hexadecimal, taken, taken_in_pieces

BODIES = [
    (b"8 4", "00 00 00 03 38 20 34"),
    (b"0 10", "00 00 00 04 30 20 31 30"),
    (b"ok", "00 00 00 02 6f 6b"),
]
LIMITS_BODY = b'{"state": 0, "time": 3, "length": 2048}'
TARGETED = [
    ((-1, LIMITS_BODY), hexadecimal("00 00 00 27 ff ff ff ff") + LIMITS_BODY),
    ((0, b"9 10 8 3\n"), hexadecimal("00 00 00 09 00 00 00 00 39 20 31 30 20 38 20 33 0a")),
]


@pytest.mark.parametrize("body, expected", BODIES)
def test_a_frame_is_its_length_and_its_body(body, expected):
    assert encode_frame(body) == hexadecimal(expected)


@pytest.mark.parametrize("frame, expected", TARGETED)
def test_a_targeted_frame_counts_its_body_alone(frame, expected):
    assert encode_targeted_frame(*frame) == expected


@pytest.mark.parametrize("encode", [lambda: encode_frame(b""), lambda: encode_targeted_frame(0, b"")])
def test_an_empty_body_is_not_sent(encode):
    with pytest.raises(LocalProtocolError, match="frame body: expected 1 to"):
        encode()


@pytest.mark.parametrize("target", [1 << 31, -(1 << 31) - 1, None, 1.5])
def test_a_target_off_its_range_is_not_sent(target):
    with pytest.raises(LocalProtocolError, match="frame target"):
        encode_targeted_frame(target, b"x")


def test_frames_come_whole_and_in_order():
    decoder = FrameDecoder()
    decoder.feed(b"".join(hexadecimal(frame) for _, frame in BODIES))
    assert taken(decoder.next_frame) == [body for body, _ in BODIES]
    assert not decoder.partial
    decoder.end()


def test_frames_come_byte_by_byte_with_the_last_byte():
    decoder = FrameDecoder()
    frame = encode_frame(b"11 11")
    for byte in frame[:-1]:
        decoder.feed(bytes([byte]))
        assert decoder.next_frame() is None
        assert decoder.partial
    decoder.feed(frame[-1:])
    assert decoder.next_frame() == b"11 11"
    assert not decoder.partial


def test_a_trailing_piece_waits_for_its_rest():
    decoder = FrameDecoder()
    decoder.feed(encode_frame(b"8 4") + b"\0\0")
    assert taken(decoder.next_frame) == [b"8 4"]
    assert decoder.partial
    decoder.feed(b"\0\x031 2")
    assert taken(decoder.next_frame) == [b"1 2"]


def test_targeted_frames_whole_and_byte_by_byte():
    stream = b"".join(raw for _, raw in TARGETED)
    for cuts in ([], range(1, len(stream))):
        decoder = TargetedFrameDecoder()
        assert taken_in_pieces(decoder, decoder.next_frame, stream, cuts) == [frame for frame, _ in TARGETED]


@pytest.mark.parametrize("decoder_class", [FrameDecoder, TargetedFrameDecoder])
@pytest.mark.parametrize(
    "header, kind, received",
    [
        ("00 00 00 00", EmptyFrame, "0 bytes"),
        ("00 00 08 01", FrameTooLong, "2049 bytes"),
        ("80 00 00 00", FrameTooLong, "2147483648 bytes"),
    ],
)
def test_a_wrong_length_is_refused_before_any_body(decoder_class, header, kind, received):
    decoder = decoder_class(max_length=2048)
    decoder.feed(hexadecimal(header))
    with pytest.raises(kind) as caught:
        decoder.next_frame()
    assert isinstance(caught.value, RemoteProtocolError)
    assert caught.value.field == "frame length"
    assert received in caught.value.received
    for part in (caught.value.field, caught.value.expected, caught.value.received):
        assert part in str(caught.value)


def test_the_limit_itself_is_accepted():
    decoder = FrameDecoder(max_length=5)
    decoder.feed(encode_frame(b"11 11"))
    assert decoder.next_frame() == b"11 11"


def test_an_error_stays_and_later_bytes_are_dropped():
    decoder = FrameDecoder()
    decoder.feed(b"\0\0\0\0" + encode_frame(b"8 4"))
    for call in (decoder.next_frame, decoder.next_frame, decoder.end):
        with pytest.raises(EmptyFrame):
            call()
        decoder.feed(encode_frame(b"8 4") * 100)
    assert not decoder.partial


@pytest.mark.parametrize("size", range(1, 7))
def test_an_end_inside_a_frame_is_an_error(size):
    decoder = FrameDecoder()
    decoder.feed(encode_frame(b"8 4")[:size])
    assert decoder.next_frame() is None
    with pytest.raises(RemoteProtocolError, match="end of input"):
        decoder.end()


@given(st.data())
def test_any_frames_cut_anywhere_come_back(data):
    bodies = data.draw(st.lists(st.binary(min_size=1, max_size=40), max_size=5))
    stream = b"".join(map(encode_frame, bodies))
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=12))
    decoder = FrameDecoder()
    assert taken_in_pieces(decoder, decoder.next_frame, stream, cuts) == bodies
    decoder.end()


@given(st.data())
def test_any_targeted_frames_cut_anywhere_come_back(data):
    target = st.integers(-(1 << 31), (1 << 31) - 1)
    frames = data.draw(st.lists(st.tuples(target, st.binary(min_size=1, max_size=40)), max_size=5))
    stream = b"".join(encode_targeted_frame(*frame) for frame in frames)
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=12))
    decoder = TargetedFrameDecoder()
    assert taken_in_pieces(decoder, decoder.next_frame, stream, cuts) == frames


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
