"""What the V1 wire refuses to take from a judge, and how it says it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.protocol.games.connect_four.examples import FROM_JUDGE, refusal


def v1(body):
    return b"%04d" % len(body) + body


V1_TURN = {
    "top": b"[" + b"9," * 9 + b"9]",
    "board": b"[" + b"0," * 89 + b"0]",
    "lastx": b"-1",
    "lasty": b"-1",
}


def v1_turn(**changes):
    parts = {**V1_TURN, **changes}
    return v1(b'{"type":1,' + b",".join(b'"%s":%s' % (k.encode(), v) for k, v in parts.items() if v) + b"}")


@pytest.mark.parametrize(
    "data, field",
    [
        (b"00x3", "length"),
        (b"-043", "length"),
        (b"0000", "body"),
        (v1(b"[]"), "body"),
        (v1(b'{"type":0,'), "body"),
        (v1(b"[" * 9000), "body"),
        (v1(b"\xff\xfe{}"), "body"),
        (v1(b"{}"), "type"),
        (v1(b'{"type":1}'), "type"),
        (v1(b'{"type":2}'), "type"),
        (v1(b'{"type":0}'), "row"),
        (v1(b'{"type":0,"row":true,"col":10,"nox":8,"noy":3}'), "row"),
        (v1(b'{"type":0,"row":9,"col":"10","nox":8,"noy":3}'), "col"),
        (v1(b'{"type":0,"row":9,"col":10.0,"nox":8,"noy":3}'), "col"),
        (v1(b'{"type":0,"row":8,"col":10,"nox":8,"noy":3}'), "rows"),
        (v1(b'{"type":0,"row":9,"col":10,"nox":9,"noy":3}'), "noX"),
        (v1(b'{"type":0,"row":9,"col":10,"nox":8,"noy":' + b"9" * 4000 + b"}"), "noY"),
    ],
)
def test_v1_names_what_is_wrong_in_an_opening(data, field):
    error = refusal(data, "saiblo-v1")
    assert error.field == field
    assert len(str(error)) < 300


@pytest.mark.parametrize(
    "turn, field",
    [
        (v1_turn(top=b""), "top"),
        (v1_turn(top=b"[9,9]"), "top"),
        (v1_turn(board=b"7"), "board"),
        (v1_turn(board=b"[" + b"0," * 80 + b"3," + b"0," * 8 + b"0]"), "board[80]"),
        (v1_turn(board=b"[" + b"0," * 80 + b"null," + b"0," * 8 + b"0]"), "board[80]"),
        (v1_turn(top=b"[10" + b",9" * 9 + b"]"), "top[0]"),
        (v1_turn(lastx=b"9"), "lastX"),
        (v1_turn(lasty=b"0"), "lastX lastY"),
        (v1_turn(lasty=b""), "lasty"),
        (v1(b'{"type":0,"row":9,"col":10,"nox":8,"noy":3}'), "type"),
        (v1(b'{"type":3}'), "type"),
    ],
)
def test_v1_names_what_is_wrong_in_a_turn(turn, field):
    assert refusal(FROM_JUDGE["saiblo-v1"][0][0] + turn, "saiblo-v1").field == field


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(), st.lists), st.text())
def test_any_json_from_a_v1_judge_raises_only_remote_errors(value, key):
    for content in (value, {"type": value}, {"type": 0, "row": value}, {"type": 0, key: value}):
        body = json.dumps(content).encode("ascii")
        if len(body) < 10_000:
            assert len(str(refusal(v1(body), "saiblo-v1"))) < 300
