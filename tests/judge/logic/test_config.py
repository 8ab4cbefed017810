"""What a match's config may ask for, and what it is refused for."""

from judge.games.connect_four.board import draw_board
from judge.logic.program import CUT_OFF_STATUS, REFUSED_STATUS
from protocol.framing import encode_frame
from tests.judge.logic.helpers.fake_judger import frame, refereed, start


def opening_of(config, **others):
    """[rows, cols, forbidden row, forbidden column] of a match with this config."""
    _status, judger = refereed(start(config, **others))
    return [int(number) for number in judger.rounds()[0]["content"][0].split()]


def test_what_a_start_leaves_out_is_the_platforms():
    for begin in [
        {"player_list": [1, 1], "player_num": 2},
        {"player_list": [1, 1], "config": None},
        {"player_list": [1, 1], "config": {}, "replay": None},
        {"player_list": [1, 1], "player_num": 2, "config": {"game": "connect_four"}, "replay": "", "more": []},
    ]:
        status, judger = refereed(frame(begin))
        assert status == CUT_OFF_STATUS, begin
        limits, opening, turn = [content for _target, content in judger.frames()]
        assert limits == {"state": 0, "time": 3, "length": 2048}, begin
        rows, cols, row, column = map(int, opening["content"][0].split())
        assert 9 <= rows <= 12 and 9 <= cols <= 12 and 0 <= row < rows and 0 <= column < cols, begin
        assert turn["state"] == 2, begin


def test_a_board_is_what_is_asked_for():
    assert opening_of({"rows": 10, "cols": 12, "forbidden": [9, 11]}) == [10, 12, 9, 11]


def test_the_rest_of_a_board_is_drawn_from_the_seed():
    for config in [{}, {"rows": 11}, {"cols": 9}, {"forbidden": [10, 3]}]:
        wishes = {key: tuple(value) if key == "forbidden" else value for key, value in config.items()}
        board = draw_board(7, 0, **wishes)
        assert opening_of({**config, "seed": 7}) == [board.rows, board.cols, *board.forbidden], config


def test_without_a_seed_boards_differ():
    assert len({tuple(opening_of({})) for _ in range(20)}) > 1


def test_limits_are_told_as_they_were_given():
    _status, judger = refereed(start({"time": 1.5, "length": 100}))
    assert judger.frames()[0] == (-1, {"state": 0, "time": 1.5, "length": 100})


def test_reversi_is_chosen_by_its_name():
    _status, judger = refereed(start({"game": "reversi", "seed": 1, "time": 2, "length": 67, "opening": "joined"}))
    limits, turn = [content for _target, content in judger.frames()]
    assert limits["time"] == 2
    assert turn["content"] == ["#0" + "2" * 27 + "10" + "2" * 6 + "01" + "2" * 27 + "#"]


def refusal(begin, has_targets=True):
    """What a refused match says to people; the judger is told that it is over, and blames no player."""
    status, judger = refereed(begin, stays=True)
    assert status == REFUSED_STATUS
    assert judger.frames(has_targets) == [(-1, {"state": -1, "end_info": '{"0": 0, "1": 0}'})]
    (line,) = judger.said
    assert line.startswith("error: ")
    return line.removeprefix("error: ")


def test_a_config_that_is_none_is_refused():
    for config, reason in [
        ([], "config: expected a JSON object, got []"),
        ("{}", "config: expected a JSON object, got '{}'"),
        (5, "config: expected a JSON object, got 5"),
        ({"game": "chess"}, "config: game is 'chess', expected one of connect_four, reversi"),
        ({"game": "dots"}, "config: game is 'dots', expected one of connect_four, reversi"),
        ({"game": None}, "config: game is None, expected one of connect_four, reversi"),
        ({"game": []}, "config: game is [], expected one of connect_four, reversi"),
        ({"row": 9}, "config: there is no key 'row' for connect_four, expected one of game, seed, time, length, "),
        ({"game": "reversi", "rows": 8}, "config: there is no key 'rows' for reversi, expected one of game, seed, "),
        ({"rows": 13}, "config: rows is 13, expected 9..12"),
        ({"rows": -1}, "config: rows is -1, expected an integer from 0 to "),
        ({"rows": "9"}, "config: rows is '9', expected an integer from 0 to "),
        ({"rows": None}, "config: rows is None, expected an integer from 0 to "),
        ({"cols": 9.0}, "config: cols is 9.0, expected an integer from 0 to "),
        ({"cols": True}, "config: cols is True, expected an integer from 0 to "),
        ({"rows": 9, "forbidden": [9, 0]}, "config: forbidden cell 9,0 is off the board, expected rows 0..8 "),
        ({"forbidden": [12, 0]}, "config: forbidden cell 12,0 is off the board"),
        ({"forbidden": [-1, 0]}, "config: forbidden cell -1,0 is off the board"),
        ({"forbidden": [1]}, "config: forbidden is [1], expected [row, column], both counted from 0"),
        ({"forbidden": [1, 2.0]}, "config: forbidden is [1, 2.0], expected [row, column], both counted from 0"),
        ({"forbidden": None}, "config: forbidden is None, expected [row, column], both counted from 0"),
        ({"seed": "1"}, "config: seed is '1', expected an integer from "),
        ({"seed": 1.5}, "config: seed is 1.5, expected an integer from "),
        ({"time": 0}, "config: time is 0, expected a number of seconds above 0"),
        ({"time": -3}, "config: time is -3, expected a number of seconds above 0"),
        ({"time": "3"}, "config: time is '3', expected a number of seconds above 0"),
        ({"time": True}, "config: time is True, expected a number of seconds above 0"),
        ({"time": 1e12}, "config: time is 1000000000000.0, expected a number of seconds above 0"),
        ({"length": 0}, "config: length is 0, expected an integer from 1 to 65536"),
        ({"length": 65537}, "config: length is 65537, expected an integer from 1 to 65536"),
        ({"opening": "both"}, "config: opening is 'both', expected one of joined, separate"),
        ({"framing": 8}, "config: framing is 8, expected one of targeted, plain"),
    ]:
        assert refusal(frame({"player_list": [1, 1], "config": config})).startswith(reason), config


def test_the_refusal_comes_in_the_framing_that_was_asked_for():
    refusal(start({"framing": "plain", "rows": 5}), has_targets=False)


def test_players_that_cannot_play_here_are_refused():
    for players, reason in [
        ([1], "player_list has 1 players, expected 2"),
        ([1, 1, 1], "player_list has 3 players, expected 2"),
        ([1, 2], "player_list: player 1 plays in a browser, expected only programs"),
        ([1, 7], "player_list[1]: expected an integer from 0 to 2, received 7"),
    ]:
        assert refusal(start(players=players)) == reason, players


def test_a_damaged_start_is_refused():
    for begin in [
        encode_frame(b"no JSON"),
        encode_frame(b'{"player_list": [1, 1], "config": {"time": NaN}}'),
        encode_frame(b'{"player_list": [1, 1], "config": {"seed": %s}}' % (b"1" * 100)),
        encode_frame(b'{"player_list": [1, 1], "config": %s%s}' % (b"[" * 1000, b"]" * 1000)),
        encode_frame(b'{"player": 0, "content": "8 0"}'),
        b"\0\0\0\0",
        b"\x80\0\0\0",
        b"\0\x11\0\0",
    ]:
        assert ": expected " in refusal(begin), begin
