"""What no wire takes from a bot, and what this package refuses to send itself."""

import pytest

from protocol.errors import EmptyFrame, FrameTooLong, LocalProtocolError, RemoteProtocolError
from protocol.framing import encode_frame
from protocol.games.connect_four import (
    WIRES,
    MessageDecoder,
    Opening,
    Reply,
    ReplyDecoder,
    Turn,
    encode_opening,
    encode_reply,
    encode_turn,
    greeting,
)
from tests.protocol.games.connect_four.examples import FIRST_TURN


@pytest.mark.parametrize(
    "wire, body, field",
    [
        *[("saiblo", body, "reply") for body in (b"8", b"8 4 1", b"a b", b"8,4", b"+8 4", b"8 4.0")],
        *[("saiblo", body, "reply") for body in (b"8 -", b"8 --4", b"   ", b"8 \xb2", b"8 1_0")],
        ("saiblo", b"9" * 1024 + b" x", "reply"),
        ("saiblo", b'{"X":8,"Y":4}\n', "reply"),
        ("saiblo-v1", b"8 4", "reply"),
        ("saiblo-v1", b'{"X":8}', "Y"),
        ("saiblo-v1", b'{"X":"8","Y":4}', "X"),
        ("saiblo-v2", b"8 4", "greeting"),
    ],
)
def test_a_body_that_is_no_reply_is_refused_again_and_again(wire, body, field):
    decoder = ReplyDecoder(wire)
    decoder.feed(encode_frame(body))
    for _ in range(2):
        with pytest.raises(RemoteProtocolError) as caught:
            decoder.next_reply()
        assert caught.value.field == field
        assert len(str(caught.value)) < 300
        decoder.feed(encode_frame(b"8 4"))


def test_more_digits_than_python_converts_are_no_reply():
    decoder = ReplyDecoder(max_length=20_000)
    decoder.feed(encode_frame(b"9" * 10_000 + b" 4"))
    try:
        reply = decoder.next_reply()
    except RemoteProtocolError as error:
        assert error.field == "reply"
    else:  # versions of Python without a limit on digits
        assert reply.row > 10**9999


@pytest.mark.parametrize("header, kind", [(b"\0\0\0\0", EmptyFrame), (b"\0\0\x08\x01", FrameTooLong)])
def test_a_reply_of_a_wrong_length_keeps_the_frames_error(header, kind):
    decoder = ReplyDecoder()
    decoder.feed(header)
    for call in (decoder.next_reply, decoder.next_reply, decoder.end):
        with pytest.raises(kind):
            call()


def test_an_end_inside_a_reply_is_an_error():
    decoder = ReplyDecoder()
    decoder.feed(encode_frame(b"8 4")[:-1])
    assert decoder.next_reply() is None
    with pytest.raises(RemoteProtocolError, match="end of input"):
        decoder.end()


@pytest.mark.parametrize(
    "opening",
    [
        Opening(8, 9, (0, 0)),
        Opening(9, 13, (0, 0)),
        Opening(9, 9, (9, 0)),
        Opening(9, 9, None),
        Opening(9.0, 9, (0, 0)),
    ],
)
def test_the_judge_may_not_open_off_the_wires_range(opening):
    for wire in WIRES:
        with pytest.raises(LocalProtocolError, match="cannot send Opening"):
            encode_opening(opening, wire)


@pytest.mark.parametrize(
    "turn, name",
    [
        (Turn((9, 0), FIRST_TURN.tops, FIRST_TURN.board), "lastX"),
        (Turn((-1, 0), FIRST_TURN.tops, FIRST_TURN.board), "lastX lastY"),
        (Turn(None, FIRST_TURN.tops, FIRST_TURN.board + (0,) * 5), r"len\(board\)"),
        (Turn(None, (10,) + FIRST_TURN.tops[1:], FIRST_TURN.board), r"top\[0\]"),
        (Turn(None, FIRST_TURN.tops, (3,) + FIRST_TURN.board[1:]), r"board\[0\]"),
        (Turn(None, FIRST_TURN.tops, (1.0,) + FIRST_TURN.board[1:]), "float"),
        (Turn(None, (), ()), "rows"),
    ],
)
def test_the_judge_may_not_send_a_turn_off_the_wires_range(turn, name):
    for wire in WIRES:
        with pytest.raises(LocalProtocolError, match=f"cannot send a turn: .*{name}"):
            encode_turn(turn, wire)


@pytest.mark.parametrize("reply", [Reply(8.0, 4), Reply("8", 4), (8,), (8, 4, 1), None])
def test_a_bot_may_only_answer_integers(reply):
    with pytest.raises(LocalProtocolError, match="reply: expected two integers"):
        encode_reply(reply, "saiblo")


@pytest.mark.parametrize("use", [MessageDecoder, ReplyDecoder, greeting, lambda wire: encode_reply(Reply(8, 4), wire)])
def test_an_unknown_wire_is_refused_with_the_known_ones(use):
    with pytest.raises(LocalProtocolError, match="saiblo, saiblo-v2, saiblo-v1, got 'v4'"):
        use("v4")
