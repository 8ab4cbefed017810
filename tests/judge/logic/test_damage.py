"""A judger that sends damaged frames: an exit status, a reason, whole frames to the judger, and never a traceback."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.logic.program import CUT_OFF_STATUS, ENDED_STATUS, REFUSED_STATUS
from protocol.framing import encode_frame
from tests.judge.logic.helpers.fake_judger import FakeJudger, failed, frame, spoke, start
from tests.protocol.judger.helpers.transcripts import told

BEGINS = (
    start({"rows": 9, "cols": 9, "forbidden": [7, 1]}),
    start({"game": "reversi"}),
    start({"rows": 9, "cols": 9, "forbidden": [7, 1], "framing": "plain"}),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
CONFIG_KEYS = ("game", "rows", "cols", "forbidden", "seed", "time", "length", "opening", "framing", "other")
CONFIGS = st.fixed_dictionaries({}, optional=dict.fromkeys(CONFIG_KEYS, JSON | st.integers(0, 12)))
TEXTS = st.text(max_size=8) | st.from_regex(r"\A-?[0-9]{1,2} -?[0-9]{1,2}\Z")
SPOKEN = st.builds(spoke, st.integers(-3, 3), TEXTS, st.none() | st.floats(0, 4000))
FAILURES = st.builds(failed, st.integers(-2, 3), st.none() | st.integers(-1, 9), st.integers(-1, 4))
STEPS = st.lists(
    SPOKEN
    | FAILURES
    | st.builds(frame, CONFIGS)
    | st.builds(encode_frame, st.binary(min_size=1, max_size=20))
    | st.binary(max_size=8)
    | st.floats(0, 2),
    max_size=8,
)


def check(steps, stays=False):
    """Let a match with these steps be refereed, and look at what it came to."""
    judger = FakeJudger(*[step for step in steps if step != b""], stays=stays)
    try:
        status = judger.referee()
    except AssertionError as error:
        assert stays and "wait for ever" in str(error)  # for a start that never comes whole
        return
    is_plain = judger.heard[4:5] == b"{"
    frames = judger.frames(has_targets=not is_plain)  # whole ones
    has_end = bool(frames) and isinstance(frames[-1][1], dict) and frames[-1][1]["state"] == -1
    assert status in (ENDED_STATUS, CUT_OFF_STATUS, REFUSED_STATUS)
    assert has_end == (status != CUT_OFF_STATUS)
    assert sum(isinstance(content, dict) and content["state"] == -1 for _target, content in frames) == has_end
    if status != ENDED_STATUS:
        assert judger.said[-1].startswith("error: ")
    assert max(map(len, judger.said), default=0) < 500


def any_messages_behind_a_start(data):
    check([data.draw(st.sampled_from(BEGINS)), *data.draw(STEPS)], data.draw(st.booleans()))


def any_config(data):
    config = data.draw(CONFIGS | JSON)
    check([encode_frame(json.dumps({"player_list": [1, 1], "config": config}).encode())])


def captured_match_with_bytes_changed_or_left_out(data):
    stream = bytearray(BEGINS[0] + b"".join(told("separate")[1:]))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(stream) - 1))
        if data.draw(st.booleans()):
            stream[place] = data.draw(st.integers(0, 255))
        else:
            del stream[place : place + data.draw(st.integers(1, 4))]
    check([bytes(stream)])


@pytest.mark.parametrize("examples", [60, pytest.param(600, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "damage", [any_messages_behind_a_start, any_config, captured_match_with_bytes_changed_or_left_out]
)
def test_a_damaged_match_comes_to_an_end_that_is_told(damage, examples):
    settings(max_examples=examples)(given(st.data())(damage))()
