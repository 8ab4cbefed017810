"""What the text wires refuse to take from a judge, and how they say it."""

import pytest

from protocol.errors import LocalProtocolError, RemoteProtocolError
from protocol.games.connect_four import WIRES, MessageDecoder
from tests.protocol.games.connect_four.examples import (
    FROM_JUDGE,
    V2_FIRST_TURN,
    V3_FIRST_TURN,
    V3_OPENING,
    V3_SECOND_TURN,
    refusal,
    taken,
)


def changed(turn, position, token):
    """Return the text turn with its `position`-th number replaced by `token`."""
    tokens = turn.split()
    tokens[position] = token
    return b" ".join(tokens) + b"\n"


OPENING_CASES = [
    (b"8 10 8 3\n", "rows", "9 to 12", "8"),
    (b"13 10 8 3\n", "rows", "9 to 12", "13"),
    (b"9 13 8 3\n", "cols", "9 to 12", "13"),
    (b"9 10 9 3\n", "noX", "0 to 8", "9"),
    (b"9 10 8 10\n", "noY", "0 to 9", "10"),
    (b"9 10 -1 3\n", "noX", "0 to 11", "-1"),
    (b"x 10 8 3\n", "rows", "9 to 12", "x"),
    (b"9 10 8 3x\n", "noY", "0 to 11", "3x"),
    (b"9,10,8,3\n", "rows", "9 to 12", "9,10"),
    (b"9 +9 8 3\n", "cols", "9 to 12", "+9"),
    (b"9 1_0 8 3\n", "cols", "9 to 12", "1_0"),
    (b"9 10 8 03\n", "noY", "0 to 11", "03"),
    (b"9 10 8 3.0\n", "noY", "0 to 11", "3.0"),
    (b"9 10 8 \xd9\xa3\n", "noY", "0 to 11", r"\xd9"),
    (b"9\x0010 8 3\n", "rows", "9 to 12", r"\x00"),
    (b"\xef\xbb\xbf9 10 8 3\n", "rows", "9 to 12", r"\xef"),
    (b'0043{"type":0}', "rows", "9 to 12", "0043"),
]
TURN_CASES = [
    (0, b"9", "lastX", "-1 to 8"),
    (0, b"--1", "lastX", "-1 to 8"),
    (1, b"10", "lastY", "-1 to 9"),
    (1, b"-2", "lastY", "-1 to 9"),
    (2, b"10", "top[0]", "0 to 9"),
    (5, b"-1", "top[3]", "0 to 9"),
    (12, b"3", "board[0]", "0 to 2"),
    (29, b"-", "board[17]", "0 to 2"),
    (29, b"a", "board[17]", "0 to 2"),
    (29, b"12", "board[17]", "0 to 2"),
    (101, b"3", "board[89]", "0 to 2"),
    (101, b"x", "board[89]", "0 to 2"),
]


@pytest.mark.parametrize("piecewise", [False, True])
@pytest.mark.parametrize("data, field, expected, received", OPENING_CASES)
def test_a_wrong_opening_is_named(data, field, expected, received, piecewise):
    error = refusal(data, piecewise=piecewise)
    assert error.field == field
    assert expected in error.expected
    assert piecewise or received in error.received
    assert str(error) == f"{error.field}: expected {error.expected}, received {error.received}"


@pytest.mark.parametrize("piecewise", [False, True])
@pytest.mark.parametrize("position, token, field, expected", TURN_CASES)
def test_a_wrong_turn_is_named(position, token, field, expected, piecewise):
    error = refusal(V3_OPENING + changed(V3_FIRST_TURN, position, token), piecewise=piecewise)
    assert error.field == field
    assert expected in error.expected
    assert piecewise or repr(token)[1:] in error.received


@pytest.mark.parametrize("last", [b"-1 3", b"3 -1"])
def test_a_last_move_half_off_the_board_is_refused(last):
    row, col = last.split()
    error = refusal(V3_OPENING + changed(changed(V3_FIRST_TURN, 0, row), 1, col))
    assert (error.field, error.expected, error.received) == ("lastX lastY", "a cell or -1 -1", last.decode())


@pytest.mark.parametrize("position, token, field", [(2, b"9", "topSize"), (13, b"100", "boardSize")])
@pytest.mark.parametrize("piecewise", [False, True])
def test_v2_refuses_sizes_that_are_not_the_boards(position, token, field, piecewise):
    error = refusal(V3_OPENING + changed(V2_FIRST_TURN, position, token), "saiblo-v2", piecewise)
    assert error.field == field


def test_v3_is_no_v2_and_the_other_way_round():
    assert refusal(V3_OPENING + V3_FIRST_TURN, "saiblo-v2").field == "topSize"
    assert refusal(V3_OPENING + V2_FIRST_TURN, "saiblo").field == "top[0]"


@pytest.mark.parametrize("glued", [b"2", b"0", b"-1 -1", b"x", b"\0"])
def test_a_byte_glued_to_the_last_number_is_an_error_at_once_or_later(glued):
    whole = V3_OPENING + V3_SECOND_TURN[:-1]
    assert refusal(whole + glued).field == "board[89]"
    decoder = MessageDecoder()
    decoder.feed(whole)
    assert len(taken(decoder.next_message)) == 2
    decoder.feed(glued)
    with pytest.raises(RemoteProtocolError) as caught:
        decoder.next_message()
    assert (caught.value.field, caught.value.expected) == ("board[89]", "a blank after its digit")


@pytest.mark.parametrize("flood", [b"1", b"0", b"-", b"9", b"{"])
def test_a_flood_without_a_blank_fails_at_its_fourth_byte(flood):
    for start in (b"", V3_OPENING, V3_OPENING + b"-1 -1 "):
        decoder = MessageDecoder()
        decoder.feed(start + flood * 4)
        with pytest.raises(RemoteProtocolError) as caught:
            taken(decoder.next_message)
        assert len(str(caught.value)) < 300


def test_the_excerpt_of_a_long_token_is_bounded():
    error = refusal(b"7" * 1_000_000)
    assert error.field == "rows"
    assert "1000000 bytes" in error.received
    assert len(str(error)) < 200


@pytest.mark.parametrize("wire", WIRES)
def test_an_error_is_raised_again(wire):
    decoder = MessageDecoder(wire)
    decoder.feed(b"?")
    for _ in range(3):
        with pytest.raises(RemoteProtocolError):
            decoder.next_message()
        decoder.feed(FROM_JUDGE[wire][0][0])
    with pytest.raises(RemoteProtocolError):
        decoder.end()


@pytest.mark.parametrize("wire", WIRES)
def test_an_end_inside_a_message_is_an_error(wire):
    opening, turn = FROM_JUDGE[wire][0][0], FROM_JUDGE[wire][1][0]
    # On text wires the newline that closes a turn is already between messages.
    last_cut = len(turn) if wire == "saiblo-v1" else len(turn) - 1
    for start, message, cuts in [(b"", opening, range(1, len(opening))), (opening, turn, range(1, last_cut))]:
        for cut in cuts:
            decoder = MessageDecoder(wire)
            decoder.feed(start + message[:cut])
            taken(decoder.next_message)
            assert decoder.partial
            with pytest.raises(RemoteProtocolError, match="end of input"):
                decoder.end()


def test_an_end_names_the_field_it_cut():
    decoder = MessageDecoder()
    decoder.feed(V3_OPENING + V3_FIRST_TURN[:12])
    taken(decoder.next_message)
    with pytest.raises(RemoteProtocolError, match=r"^top\[3\]: expected the rest of the message"):
        decoder.end()


@pytest.mark.parametrize("wire", WIRES)
def test_an_end_before_anything_is_fine(wire):
    decoder = MessageDecoder(wire)
    decoder.end()
    with pytest.raises(LocalProtocolError, match="already ended"):
        decoder.feed(b"9")


def test_ending_with_messages_not_taken_is_our_own_fault():
    decoder = MessageDecoder()
    decoder.feed(V3_OPENING)
    with pytest.raises(LocalProtocolError, match="not taken"):
        decoder.end()
