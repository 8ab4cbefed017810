"""What passes between a judger and a game logic: every captured byte, every cut, and what no judger sends."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import judger
from protocol.errors import LocalProtocolError, RemoteProtocolError
from protocol.framing import TargetedFrameDecoder, encode_frame
from protocol.judger import MessageDecoder, PlayerFailure, PlayerReply, Start, UnknownMessage
from tests.protocol.helpers.streams import check_named, error_of, taken, taken_in_pieces
from tests.protocol.judger.helpers import transcripts
from tests.protocol.judger.helpers.transcripts import FROM_JUDGER, TO_JUDGER, frames_of, told

START = Start((1, 1), {}, None, False)
START_FRAME = encode_frame(b'{"player_list": [1, 1], "config": {}}')
TIME_OUT = bytes.fromhex("00 00 00 69") + (
    rb'{"player": -1, "content": "{\"player\": 1, \"state\": 7, \"error\": 1, \"error_log\": \"timeOutError\"}"}'
)
OUTPUT = "/home/u/saiblo-out/runs"


def frame(content):
    return encode_frame(json.dumps(content).encode())


def message_of(raw):
    """What a frame behind the start says."""
    decoder = MessageDecoder()
    decoder.feed(START_FRAME + raw)
    assert decoder.next_message() == START
    return decoder.next_message()


def start_of(content):
    decoder = MessageDecoder()
    decoder.feed(frame(content))
    return decoder.next_message()


def test_the_transcripts_are_frames_in_both_directions():
    for name in transcripts.NAMES:
        frames = frames_of(name)
        assert len([captured for captured in frames if not captured.is_whole]) == (name == "output_limit"), name
        assert {captured.way for captured in frames} <= {FROM_JUDGER, TO_JUDGER}
    assert {captured.way for captured in frames_of("separate")} == {FROM_JUDGER, TO_JUDGER}


@pytest.mark.parametrize(
    "name, start",
    [
        ("separate", Start((1, 1), {"rows": 9, "cols": 9, "forbidden": [7, 1]}, f"{OUTPUT}/gold/replay.json", False)),
        (
            "joined",
            Start(
                (1, 1),
                {"rows": 9, "cols": 9, "forbidden": [7, 1], "opening": "joined"},
                f"{OUTPUT}/goldj/replay.json",
                False,
            ),
        ),
        ("timeout_2021", Start((1, 1), None, None, True)),
        ("reversi", Start((1, 1), {}, f"{OUTPUT}/r1/replay.json", False)),
    ],
)
def test_captured_starts(name, start):
    decoder = MessageDecoder()
    decoder.feed(told(name)[0])
    assert decoder.next_message() == start


def test_captured_messages():
    for raw, message in [
        (told("separate")[1], PlayerReply(0, "8 0", 7.790476000081981)),
        (told("separate")[2], PlayerReply(1, "8 1", 16.047605000039766)),
        (told("joined")[1], PlayerReply(0, "8 0", 4.401449999932083)),
        (told("disconnected")[0], PlayerFailure(1, 5, judger.RUN_ERROR)),
        (told("output_limit")[0], PlayerReply(0, "6 0", 1.1601620003602875)),
        (told("output_limit")[1], PlayerFailure(1, 5, judger.OUTPUT_LIMIT)),
        (told("timeout_2021")[1], PlayerReply(0, "8 4", None)),
        (told("timeout_2021")[2], PlayerFailure(None, 5, judger.TIME_OUT)),
        (transcripts.RUN_ERROR_2021, PlayerFailure(1, None, judger.RUN_ERROR)),
        (told("illegal")[0], PlayerReply(1, "5 0", 10.886934000154724)),
        (told("reversi")[1], PlayerReply(0, "23", 307.37192199967467)),
        (
            told("reversi")[2],
            PlayerReply(1, "#12222222222222222222022222220022222201222222222222222222222222222#", 2.075332000003982),
        ),
        (told("reversi")[3], PlayerReply(0, "57", 9.578872000020056)),
        # protocol.md 3.2 and 3.3.
        (frame({"player": 0, "content": "8 4", "time": 2785}), PlayerReply(0, "8 4", 2785)),
        (frame({"player": 1, "content": ""}), PlayerReply(1, "", None)),
        (frame({"end_state": '["OK", "OK"]'}), UnknownMessage(("end_state",))),
        (TIME_OUT, PlayerFailure(1, 7, judger.TIME_OUT)),
    ]:
        assert message_of(raw) == message


def test_a_whole_captured_match_cut_anywhere():
    stream = b"".join(told("separate"))
    whole = MessageDecoder()
    whole.feed(stream)
    messages = taken(whole.next_message)
    assert [message.content for message in messages[1:]] == ["8 0", "8 1", "7 0", "6 1", "6 0", "5 1", "5 0"]
    decoder = MessageDecoder()
    assert taken_in_pieces(decoder, stream, range(1, len(stream))) == messages
    decoder.end()


def test_every_byte_to_the_judger_can_be_said():
    limits, opening, first_turn, *_, end = [one.raw for one in frames_of("separate") if one.way == TO_JUDGER]
    framing = judger.TARGETED
    assert judger.encode_limits(3, 2048, framing) == limits
    assert judger.encode_round(1, [], [(0, b"9 9 7 1\n"), (1, b"9 9 7 1\n")], framing) == opening
    turn = transcripts.stdin_of(0).splitlines(keepends=True)[1]
    assert judger.encode_round(2, [0], [(0, turn)], framing) == first_turn
    assert judger.encode_end([1, 0], ["OK", "OK"], framing) == end


def test_every_byte_to_the_judger_of_2021_can_be_said():
    limits, end = [one.raw for one in frames_of("timeout_2021") if one.way == TO_JUDGER]
    assert judger.encode_limits(3, 2048, judger.PLAIN) == limits
    assert judger.encode_end([1, 0], ["OK", "TLE"], judger.PLAIN) == end
    assert encode_frame(json.dumps({"0": 1, "1": 0}).encode()) == transcripts.RESULT_2021


def test_every_byte_of_the_platforms_own_logic_of_reversi_can_be_said():
    first, second, answer, empty, end = [one.raw for one in frames_of("reversi") if one.way == TO_JUDGER]
    boards = [one.body.partition(b"#")[2].partition(b"#")[0] for one in frames_of("reversi") if b"#" in one.body]
    assert judger.encode_round(1, [0], [(0, b"#%s#" % boards[0])], judger.TARGETED) == first
    assert judger.encode_round(2, [1], [(1, b"#%s#" % boards[1])], judger.TARGETED) == second
    assert judger.encode_forward(1, answer[8:]) == answer
    assert judger.encode_round(45, [0], [], judger.TARGETED) == empty
    assert judger.encode_end([1, 0], None, judger.TARGETED) == end


def test_captured_ends():
    for name, states in (("disconnected", ["OK", "RE"]), ("output_limit", ["OK", "OLE"]), ("illegal", ["OK", "IA"])):
        assert judger.encode_end([1, 0], states, judger.TARGETED) == frames_of(name)[-1].raw


def test_the_captured_frames_have_their_targets():
    decoder = TargetedFrameDecoder()
    decoder.feed(transcripts.answered("reversi") + transcripts.answered("end_state"))
    assert [target for target, _ in taken(decoder.next_frame)] == [-1, -1, 1, -1, -1, -1]


def test_a_start_with_nothing_but_players_wants_no_targets():
    assert judger.framing_of(start_of({"player_list": [1, 1]})) == "plain"
    for more in (
        {"player_num": 2},
        {"config": {}},
        {"replay": "r.json"},
        {"player_num": None, "config": None, "replay": None},
    ):
        assert judger.framing_of(start_of({"player_list": [1, 1], **more})) == "targeted"


def test_what_a_start_may_leave_out_is_none():
    assert start_of({"player_list": [0, 2], "player_num": 2, "replay": "", "later": 1}) == Start(
        (0, 2), None, None, False
    )


def test_a_damaged_start_is_named():
    for start, field, expected, received in [
        ({}, "player_list", "1 to 64 players", "no such key"),
        ({"player_list": 2}, "player_list", "1 to 64 players", "a int"),
        ({"player_list": []}, "player_list", "1 to 64 players", "0 players"),
        ({"player_list": [1] * 65}, "player_list", "1 to 64 players", "65 players"),
        ({"player_list": [1, 3]}, "player_list[1]", "0 to 2", "3"),
        ({"player_list": [1, -1]}, "player_list[1]", "0 to 2", "-1"),
        ({"player_list": [True, 1]}, "player_list[0]", "0 to 2", "True"),
        ({"player_list": [1, 1], "player_num": 3}, "player_num", "2", "3"),
        ({"player_list": [1, 1], "player_num": "2"}, "player_num", "2", "2"),
        ({"player_list": [1, 1], "replay": 5}, "replay", "a path", "a int"),
        ({"player": 0, "content": "8 0"}, "player_list", "1 to 64 players", "no such key"),
    ]:
        check_named(error_of(lambda: start_of(start)), field, expected, received)  # noqa: B023
    assert start_of({"player_list": [1] * 64}).players == (1,) * 64


def test_a_damaged_message_is_named():
    players, errors, rounds = "from 0 to 63", "an integer from 0 to 2", "from -1 to 2147483647"
    for content, field, expected, received in [
        ({"player": "0", "content": "8 0"}, "player", "from -1 to 63", "0"),
        ({"player": -2, "content": "8 0"}, "player", "from -1 to 63", "-2"),
        ({"player": 64, "content": "8 0"}, "player", "from -1 to 63", "64"),
        ({"player": 1.0, "content": "8 0"}, "player", "from -1 to 63", "1.0"),
        ({"player": 0, "content": 80}, "content", "a string", "a int"),
        ({"player": 0, "content": None}, "content", "a string", "a NoneType"),
        ({"player": 0, "content": "8 0", "time": "7"}, "time", "milliseconds, not negative", "7"),
        ({"player": 0, "content": "8 0", "time": -1}, "time", "milliseconds, not negative", "-1"),
        ({"player": 0, "content": "8 0", "time": True}, "time", "milliseconds, not negative", "True"),
        ({"player": -1, "content": "no JSON"}, "content", "a JSON object", "no JSON"),
        ({"player": -1, "content": "[]"}, "content", "a JSON object", "[]"),
        ({"player": -1, "content": "{}"}, "error", errors, "None"),
        ({"player": -1, "content": '{"error": 3, "player": 0}'}, "error", errors, "3"),
        ({"player": -1, "content": '{"error": 0}'}, "player", players, "None"),
        ({"player": -1, "content": '{"error": 0, "player": -1}'}, "player", players, "-1"),
        ({"player": -1, "content": '{"error": 2, "player": 0, "state": "5"}'}, "state", rounds, "5"),
        ({"player": -1, "content": '{"error": 1}'}, "player", rounds, "None"),
    ]:
        check_named(error_of(lambda: message_of(frame(content))), field, expected, received)  # noqa: B023


def test_what_is_no_message_ends_the_stream():
    for raw in (
        b"\0\0\0\0",
        b"\xff\xff\xff\xff",
        b"\x80\0\0\0",
        b"\0\x10\0\x01",
        encode_frame(b"\xff\xfe"),
        encode_frame(b"null"),
        encode_frame(b"[1]"),
        encode_frame(b"{"),
        encode_frame(b"[" * 100_000),
        encode_frame(b'{"config": %s1%s}' % (b"[" * 32, b"]" * 32)),
        encode_frame(b'{"player": 0, "content": "8 0", "time": NaN}'),
        encode_frame(b'{"player": 0, "content": "8 0", "time": 1e999}'),
        encode_frame(b'{"player": %s, "content": "8 0"}' % (b"9" * 5000)),
    ):
        decoder = MessageDecoder()
        decoder.feed(START_FRAME + raw)
        assert decoder.next_message() == START
        error = error_of(decoder.next_message)
        decoder.feed(START_FRAME)
        assert error_of(decoder.next_message) is error


def test_the_longest_message_and_the_deepest_are_taken():
    assert message_of(encode_frame(b'{"config": %s1%s}' % (b"[" * 31, b"]" * 31))) == UnknownMessage(("config",))
    longest = b'{"player": 0, "content": ""}'.ljust(judger.LONGEST_MESSAGE)
    assert len(longest) == 1 << 20
    assert message_of(encode_frame(longest)) == PlayerReply(0, "", None)


def test_of_another_message_the_first_keys_are_kept_shortened():
    content = {"a" * 30: 1, "b": 2, "c": 3, "d": 4, "e": 5}
    assert message_of(frame(content)) == UnknownMessage(("a" * 24, "b", "c", "d"))


def test_ending_with_messages_not_taken_is_our_own_fault():
    decoder = MessageDecoder()
    decoder.feed(START_FRAME)
    with pytest.raises(LocalProtocolError, match="complete messages were not taken"):
        decoder.end()


def test_what_may_not_be_said_is_not_said():
    for encode, named in (
        (lambda: judger.encode_round(0, [], [], judger.TARGETED), "state: expected 1 or more, got 0"),
        (lambda: judger.encode_limits(3, 2048, "none"), "framing: expected targeted or plain, got 'none'"),
        (lambda: judger.encode_forward(0, b""), "frame body"),
    ):
        with pytest.raises(LocalProtocolError, match=named):
            encode()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = ("player_list", "player_num", "config", "replay", "player", "content", "time", "error")
OBJECTS = st.fixed_dictionaries({}, optional=dict.fromkeys(KEYS, JSON))


@settings(max_examples=25)
@given(st.lists(OBJECTS.map(frame) | st.binary(max_size=20), max_size=4), st.booleans())
def test_nonsense_raises_only_remote_errors(pieces, has_started):
    decoder = MessageDecoder()
    try:
        for piece in [START_FRAME, *pieces] if has_started else pieces:
            decoder.feed(piece)
            taken(decoder.next_message)
        decoder.end()
    except RemoteProtocolError as error:
        assert len(str(error)) < 300
