"""The matches captured under Saiblo's judgers, refereed once more: the same bytes."""

import json

import pytest

from judge.logic import config
from judge.logic.program import ENDED_STATUS
from protocol.framing import FrameDecoder, encode_frame
from tests.judge.logic.helpers.fake_judger import frame, refereed, spoke
from tests.protocol.helpers.streams import taken
from tests.protocol.judger.helpers import transcripts
from tests.protocol.judger.helpers.transcripts import TO_JUDGER, answered, frames_of, told

# The captured runs wrote their replays elsewhere.
OUTPUT = b"/home/u/saiblo-out/runs/"
NINE_BY_NINE = {"rows": 9, "cols": 9, "forbidden": [7, 1]}


def start_with(raw, replay):
    """A captured start with another path for the replay."""
    head, _, rest = raw[4:].partition(b'"replay": "')
    assert rest.startswith(OUTPUT)
    return encode_frame(head + b'"replay": "' + str(replay).encode() + b'"}')


def test_a_whole_match(tmp_path):
    begin, *rest = told("separate")
    status, judger = refereed(start_with(begin, tmp_path / "replay.json"), *rest)
    assert status == ENDED_STATUS
    assert judger.heard == answered("separate")
    assert (tmp_path / "replay.json").read_text("ascii") == transcripts.REPLAY + "\n"


def test_a_whole_match_that_comes_byte_by_byte(tmp_path):
    begin, *rest = told("separate")
    stream = start_with(begin, tmp_path / "replay.json") + b"".join(rest)
    status, judger = refereed(*[stream[place : place + 1] for place in range(len(stream))])
    assert status == ENDED_STATUS
    assert judger.heard == answered("separate")


def test_a_whole_match_that_comes_at_once(tmp_path):
    begin, *rest = told("separate")
    status, judger = refereed(start_with(begin, tmp_path / "replay.json") + b"".join(rest))
    assert (status, judger.heard) == (ENDED_STATUS, answered("separate"))


@pytest.mark.parametrize("player", [0, 1])
def test_what_the_players_of_the_match_get_and_send(player, tmp_path):
    begin, *rest = told("separate")
    _status, judger = refereed(start_with(begin, tmp_path / "replay.json"), *rest)
    sent = [
        content.encode()
        for one in judger.rounds()
        for receiver, content in zip(one["player"], one["content"], strict=True)
        if receiver == player
    ]
    assert b"".join(sent) == transcripts.stdin_of(player)
    decoder = FrameDecoder()
    decoder.feed(transcripts.SENT[player])
    said = [json.loads(raw[4:]) for raw in told("separate")[1:]]
    assert [body.decode() for body in taken(decoder.next_frame)] == [
        message["content"] for message in said if message["player"] == player
    ]


def test_the_opening_in_one_message_with_the_first_turn(tmp_path):
    begin, *rest = told("joined")
    _status, judger = refereed(start_with(begin, tmp_path / "replay.json"), *rest)
    assert judger.heard == answered("joined")


def test_a_player_whose_connection_was_lost():
    opening = [spoke(0, "8 0"), spoke(1, "8 1"), spoke(0, "7 0")]
    status, judger = refereed(frame({"player_list": [1, 1], "config": NINE_BY_NINE}), *opening, *told("disconnected"))
    assert status == ENDED_STATUS
    assert judger.heard.endswith(answered("disconnected"))
    assert judger.rounds()[-1]["state"] == 5


def test_a_message_that_is_too_long():
    first_error, last_error = told("output_limit")[1], told("output_limit")[1]
    begin = frame({"player_list": [1, 1], "config": {"rows": 9, "cols": 10, "forbidden": [8, 0]}})
    steps = [begin, spoke(0, "7 0"), spoke(1, "8 3"), told("output_limit")[0], first_error, last_error]
    status, judger = refereed(*steps)
    asked, end = [one for one in frames_of("output_limit") if one.way == TO_JUDGER]
    assert status == ENDED_STATUS
    before = judger.heard.removesuffix(end.raw)
    assert before != judger.heard
    whole = before[-int.from_bytes(asked.header[:4], "big") - len(asked.header) :]
    assert whole.startswith(asked.raw)


def test_a_time_out_of_the_judger_of_2021(monkeypatch):
    # It gives no config: the seed is one for a board of 9 rows whose column 4 begins at the bottom.
    monkeypatch.setattr(config.secrets, "randbelow", lambda bound: seed_of_board(rows=9, free=(8, 4)))
    begin, first_move, time_out = told("timeout_2021")
    steps = [begin, first_move, spoke(1, "7 4", None), spoke(0, "6 4", None), time_out]
    status, judger = refereed(*steps)
    limits, end = [one.raw for one in frames_of("timeout_2021") if one.way == TO_JUDGER]
    assert status == ENDED_STATUS
    assert judger.heard.startswith(limits)
    assert judger.heard.endswith(end)
    assert [one["state"] for one in judger.rounds(has_targets=False)] == [1, 2, 3, 4, 5]
    assert judger.end(has_targets=False) == ([1, 0], ["OK", "TLE"])


def seed_of_board(rows, free):
    """The first seed for a board of so many rows whose forbidden cell is in another column than this one."""
    from judge.games.connect_four.board import draw_board

    return next(
        seed for seed in range(1000) if (board := draw_board(seed, 0)).rows == rows and board.forbidden[1] != free[1]
    )


def test_a_run_error_of_the_judger_of_2021():
    status, judger = refereed(told("timeout_2021")[0], transcripts.RUN_ERROR_2021)
    assert status == ENDED_STATUS
    assert judger.end(has_targets=False) == ([1, 0], ["OK", "RE"])


def test_a_wrong_cell():
    steps = [spoke(0, "8 0"), *told("illegal")]
    status, judger = refereed(frame({"player_list": [1, 1], "config": NINE_BY_NINE}), *steps)
    assert status == ENDED_STATUS
    assert judger.heard.endswith(answered("illegal"))


def test_reversi_as_the_platforms_own_logic_has_it():
    """But for the limits, which that one does not send, and for what it says of a game that is over."""
    begin = frame({"player_list": [1, 1], "config": {"game": "reversi"}})
    _status, judger = refereed(begin, *told("reversi")[1:3])
    first, second, answer = [one.raw for one in frames_of("reversi") if one.way == TO_JUDGER][:3]
    limits = frames_of("separate")[1].raw
    assert judger.heard == limits + first + second + answer
