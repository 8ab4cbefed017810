"""What decides a match: replies, the clock, and what the judger says of players."""

import itertools

import pytest

from judge.games.reversi.rules import Reversi, cell_of
from judge.logic.match import GRACE_S
from judge.logic.program import CUT_OFF_STATUS, ENDED_STATUS
from tests.judge.logic.helpers.fake_judger import failed, frame, refereed, spoke, start

BOARD = {"rows": 9, "cols": 9, "forbidden": [7, 1]}
BEGIN = start(BOARD)
REVERSI = start({"game": "reversi"})
LIMIT_S = 3
RUN_ERROR, TIME_OUT, OUTPUT_LIMIT = range(3)
# The golden match: player 0 wins with its fourth stone in column 0.
MOVES = ("8 0", "8 1", "7 0", "6 1", "6 0", "5 1", "5 0")
WON = ([1, 0], ["OK", "OK"])
WIPE_OUT = ("e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5")


def alternating(*replies, time_ms=1.5):
    return [spoke(number % 2, reply, time_ms) for number, reply in enumerate(replies)]


def outcome(*steps, **others):
    """(scores, end states) of a match that ends."""
    status, judger = refereed(*steps, **others)
    assert status == ENDED_STATUS
    return judger.end()


def test_a_win_by_the_rules():
    assert outcome(BEGIN, *alternating(*MOVES)) == WON


def test_the_second_player_wins():
    begin = start({**BOARD, "forbidden": [0, 0]})
    replies = alternating("8 8", "8 0", "8 7", "8 1", "8 5", "8 2", "7 8", "8 3")
    assert outcome(begin, *replies) == ([0, 1], ["OK", "OK"])


def test_what_is_no_legal_cell_loses():
    for reply in ["7 0", "9 0", "-1 0", "8 9", "8 -1", "8", "8 0 0", "8,0", "8 0x", "", " ", "８ 0", "\ud800", "0x8 0"]:
        assert outcome(BEGIN, spoke(0, reply)) == ([0, 1], ["IA", "OK"]), reply


def test_blanks_around_the_two_integers_are_borne():
    for reply in ["8 0\n", " 8  0 ", "8\t0"]:
        assert outcome(BEGIN, spoke(0, reply), *alternating(*MOVES)[1:]) == WON, reply


def test_a_message_over_the_limit_on_its_length_loses():
    begin = start({**BOARD, "length": 5})
    assert outcome(begin, spoke(0, "  8 0"), spoke(1, "   8 1")) == ([1, 0], ["OK", "OLE"])


def test_a_limit_above_the_usual_one_is_kept_as_well():
    for length, ending in [(4096, WON), (3000, ([0, 1], ["OLE", "OK"]))]:
        steps = [start({**BOARD, "length": length}), spoke(0, " " * 3000 + "8 0"), *alternating(*MOVES)[1:]]
        assert outcome(*steps) == ending


def test_the_length_of_a_message_is_counted_in_bytes():
    assert outcome(start({**BOARD, "length": 5}), spoke(0, "八 0")) == ([0, 1], ["IA", "OK"])
    assert outcome(start({**BOARD, "length": 4}), spoke(0, "八 0")) == ([0, 1], ["OLE", "OK"])


def test_whoever_is_not_asked_is_not_heard():
    steps = [BEGIN, spoke(1, "8 8"), spoke(7, "8 8"), *alternating(*MOVES)]
    status, judger = refereed(*steps)
    assert (status, judger.end()) == (ENDED_STATUS, WON)
    assert [line for line in judger.said if "out of turn" in line] == [
        "a message is ignored: player 1 sent a message out of turn",
        "a message is ignored: player 7 sent a message out of turn",
    ]


def test_a_side_that_says_nothing_runs_out_of_time():
    status, judger = refereed(BEGIN, spoke(0, "8 0"), stays=True)
    assert (status, judger.end()) == (ENDED_STATUS, ([1, 0], ["OK", "TLE"]))
    assert judger.now == pytest.approx(1000.0 + LIMIT_S + GRACE_S + 1.0, abs=1e-6)  # and the last second of listening


def test_the_clock_begins_anew_with_every_turn():
    slow = [step for reply in alternating(*MOVES, time_ms=None) for step in (LIMIT_S - 0.01, reply)]
    assert outcome(BEGIN, *slow) == WON


def test_without_a_time_the_moment_of_arrival_decides():
    for pause_s, is_late in [(LIMIT_S, False), (LIMIT_S + 0.01, True), (LIMIT_S + GRACE_S + 9, True)]:
        assert (outcome(BEGIN, pause_s, *alternating(*MOVES, time_ms=None)) == ([0, 1], ["TLE", "OK"])) is is_late, (
            pause_s
        )


def test_the_judgers_time_decides_where_there_is_one():
    for time_ms, is_late in [(0, False), (2999.5, False), (3000, False), (3000.1, True), (8000, True)]:
        steps = [spoke(0, MOVES[0], time_ms), *alternating(*MOVES)[1:]]
        assert (outcome(BEGIN, *steps) == ([0, 1], ["TLE", "OK"])) is is_late, time_ms


def test_a_reply_in_time_that_is_seen_late_is_in_time():
    """This program may have been kept from running, up to the moment at which it gives up."""
    assert outcome(BEGIN, LIMIT_S + GRACE_S - 0.01, *alternating(*MOVES)) == WON


def test_the_limit_is_the_configs():
    begin = start({**BOARD, "time": 0.25})
    status, judger = refereed(begin, stays=True)
    assert (status, judger.end()) == (ENDED_STATUS, ([0, 1], ["TLE", "OK"]))
    assert judger.frames()[0] == (-1, {"state": 0, "time": 0.25, "length": 2048})
    assert judger.now < 1000.0 + 2.0


@pytest.mark.parametrize("player", [0, 1])
def test_an_error_of_the_round_ends_the_match(player):
    """Whoever is asked: a connection may be lost at any time."""
    for error, state in ((RUN_ERROR, "RE"), (TIME_OUT, "TLE"), (OUTPUT_LIMIT, "OLE")):
        scores, states = outcome(BEGIN, spoke(0, "8 0"), failed(player, 3, error))
        assert scores[player] == 0 and scores[1 - player] == 1, state
        assert states[player] == state and states[1 - player] == "OK", state


def test_an_error_of_a_round_gone_by_does_not_count():
    for error, player in itertools.product((RUN_ERROR, TIME_OUT, OUTPUT_LIMIT), (0, 1)):
        stale = [failed(player, state, error) for state in (-1, 0, 1, 2)]
        first, *others = alternating(*MOVES)
        assert outcome(BEGIN, first, *stale, *others) == WON, (error, player)


def test_a_connection_lost_in_a_round_gone_by_is_named_when_nothing_more_comes():
    assert outcome(BEGIN, spoke(0, "8 0"), failed(1, 2, RUN_ERROR), stays=True) == ([1, 0], ["OK", "RE"])
    assert outcome(BEGIN, spoke(0, "8 0"), failed(1, 2, OUTPUT_LIMIT), stays=True) == ([1, 0], ["OK", "TLE"])


def test_an_error_that_is_told_again_changes_nothing():
    error = failed(1, 3, OUTPUT_LIMIT)
    once = refereed(BEGIN, spoke(0, "8 0"), error)
    again = refereed(BEGIN, spoke(0, "8 0"), error, error, failed(0, 3, RUN_ERROR), error)
    assert once[1].heard == again[1].heard
    assert again[0] == ENDED_STATUS
    assert again[1].steps == []  # it was read: the judger finds no closed pipe


def test_a_time_out_that_names_the_round_alone_is_of_whoever_is_asked():
    assert outcome(BEGIN, spoke(0, "8 0"), failed(3, None, TIME_OUT)) == ([1, 0], ["OK", "TLE"])
    assert outcome(BEGIN, spoke(0, "8 0"), failed(2, None, TIME_OUT), *alternating(*MOVES)[1:]) == WON


def test_an_error_of_nobody_is_left_alone():
    assert outcome(BEGIN, failed(5, 2, RUN_ERROR), *alternating(*MOVES)) == WON


def test_what_nobody_has_asked_for_is_left_alone():
    status, judger = refereed(BEGIN, frame({"end_state": '["OK", "OK"]'}), *alternating(*MOVES))
    assert (status, judger.end()) == (ENDED_STATUS, WON)
    assert "a message is ignored: the judger sent a message of an unknown kind, with the keys end_state" in judger.said


def test_a_player_that_was_not_started_has_lost():
    for players, end in [
        ((0, 1), ([0, 1], ["RE", "OK"])),
        ((1, 0), ([1, 0], ["OK", "RE"])),
        ((0, 0), ([0, 0], ["RE", "RE"])),
    ]:
        status, judger = refereed(start(BOARD, players=players))
        assert (status, judger.end()) == (ENDED_STATUS, end), players
        assert len(judger.frames()) == 1, players


def test_a_judger_that_goes_early_is_told_by_the_exit_status():
    for steps in [[], [BEGIN], [BEGIN, spoke(0, "8 0")], [BEGIN, spoke(0, "8 0")[:9]], [BEGIN[:3]]]:
        status, judger = refereed(*steps)
        assert status == CUT_OFF_STATUS, steps
        assert judger.said[-1] == "error: the judger has closed its pipe before the end of the match", steps
        assert all(content["state"] >= 0 for _target, content in judger.frames()), steps


@pytest.mark.parametrize("failing_write", [1, 2, 8])
def test_a_judger_that_does_not_listen_any_more_has_gone(failing_write):
    written = []

    def on_write(data):
        written.append(data)
        if len(written) == failing_write:
            raise BrokenPipeError

    status, _judger = refereed(BEGIN, *alternating(*MOVES), on_write=on_write)
    assert status == CUT_OFF_STATUS


def test_the_opening_is_a_round_of_its_own_or_comes_with_the_first_turn():
    _status, apart = refereed(start({**BOARD, "opening": "separate"}))
    _status, joined = refereed(start({**BOARD, "opening": "joined"}))
    opening, turn = apart.rounds()
    assert (opening["listen"], opening["player"], opening["content"]) == ([], [0, 1], ["9 9 7 1\n"] * 2)
    (both,) = joined.rounds()
    assert (both["state"], both["listen"], both["player"]) == (1, [0], [0, 1])
    assert both["content"] == ["9 9 7 1\n" + turn["content"][0], "9 9 7 1\n"]


def test_frames_without_targets():
    begin = start({**BOARD, "framing": "plain"})
    plain = refereed(begin, *alternating(*MOVES))[1]
    assert plain.end(has_targets=False) == WON
    targeted = refereed(BEGIN, *alternating(*MOVES))[1]
    assert [content for _, content in plain.frames(has_targets=False)] == [content for _, content in targeted.frames()]


def query(side):
    return "#" + str(side) + "2" * 27 + "10" + "2" * 6 + "01" + "2" * 27 + "#"


def test_reversi_has_no_opening_and_answers_questions_on_the_clock():
    steps = [REVERSI, 1.0, spoke(0, query(0), None), 1.9, spoke(0, query(1), None), 0.2, spoke(0, "23", None)]
    status, judger = refereed(*steps)
    assert (status, judger.end()) == (ENDED_STATUS, ([0, 1], ["TLE", "OK"]))
    _limits, turn, first, second, _end = judger.frames()
    assert turn[1] == {"state": 1, "listen": [0], "player": [0], "content": [query(0)]}
    assert [target for target, _ in (first, second)] == [0, 0]
    assert [place for place, digit in enumerate(first[1]) if digit == ord("1")] == [19, 26, 37, 44]
    assert len(first[1]) == len(second[1]) == 64


def test_without_targets_a_question_is_answered_by_the_same_round():
    _status, judger = refereed(start({"game": "reversi", "framing": "plain"}), spoke(0, query(0)))
    turn, answer = judger.rounds(has_targets=False)
    assert (answer["state"], answer["listen"], answer["player"]) == (turn["state"], [0], [0])
    assert answer["content"][0].count("1") == 4


@pytest.mark.parametrize("reply", ["33", "00", "99", "2", "233", "c4", "-1", "#2#"])
def test_what_is_no_legal_cell_of_reversi_loses(reply):
    assert outcome(REVERSI, spoke(0, reply)) == ([0, 1], ["IA", "OK"])


def test_a_match_of_reversi_that_ends_without_a_disc_of_one_side():
    """The shortest there is: nine moves."""
    moves = [(number % 2, f"{cell_of(move)[0]}{cell_of(move)[1]}") for number, move in enumerate(WIPE_OUT)]
    assert outcome(REVERSI, *[spoke(player, cell) for player, cell in moves]) == WON


def test_a_side_of_reversi_that_has_no_move_is_not_asked():
    """Both always take the first legal cell."""
    position, steps = Reversi(8), []
    while not position.over:
        row, column = position.legal_cells()[0]
        steps.append(spoke(position.to_move, f"{row}{column}"))
        position.play_cell(row, column)
    status, judger = refereed(REVERSI, *steps)
    asked = [one["listen"][0] for one in judger.rounds()]
    assert (status, judger.end()) == (ENDED_STATUS, ([0, 1], ["OK", "OK"]))
    assert [one["state"] for one in judger.rounds()] == list(range(1, len(steps) + 1))
    assert any(first == second for first, second in itertools.pairwise(asked))
