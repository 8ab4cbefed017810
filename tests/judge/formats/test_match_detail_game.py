"""The game of a match: put together from what the bots were sent, and written for the judge to judge again."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.commands.records import import_, replay
from judge.formats.connect_four_detail.moves import put_together
from judge.formats.connect_four_detail.stdin_record import read_stream
from judge.games.connect_four.rules import ConnectFour
from protocol.records.record import Termination, read_records
from tests.judge.helpers.match_details import BOARD, COLUMNS, detail, record, saved, seat, stdins

ROWS, COLS, FORBIDDEN = BOARD
REPLAY = {
    "row": ROWS,
    "col": COLS,
    "nox": FORBIDDEN[0],
    "noy": FORBIDDEN[1],
    "rounds": list(COLUMNS),
    "win": 0,
}


def main(words):
    """`import --show` with these words; its exit status."""
    return import_.main(["--show", *words])


def write_record(folder, content, *words):
    """Run the command with --replay, which --record was once called; (status, the file it may have made)."""
    out = folder / "game.jsonl"
    return main([str(saved(folder, content)), "--replay", str(out), *map(str, words)]), out


def replay_file(folder, content):
    """The path of a replay file, with the junk after it that has been seen in downloads."""
    path = folder / "replay.json"
    path.write_text(json.dumps(content) + "\n<junk>")
    return path


def test_a_game_played_to_its_end_is_judged_again(tmp_path, capsys):
    rounds = record(len(COLUMNS), [0.25])
    status, out = write_record(tmp_path, detail(rounds=rounds), "--moves", replay_file(tmp_path, REPLAY))
    text = capsys.readouterr().out
    assert status == 0
    assert "  the last one, column 7 by seat 0, is from the replay file\n" in text
    ((game,), torn) = read_records(out)
    assert torn == []
    assert game.board == {"rows": ROWS, "cols": COLS, "forbidden": list(FORBIDDEN)}
    assert [move.move for move in game.moves] == list(COLUMNS)
    assert [move.wall_s for move in game.moves][:2] == [0.25, 0.5]
    assert (game.winner, game.termination, game.first) == ("A", Termination.NORMAL, "A")
    assert [player.name for player in game.players] == ["alice/dropfour", "bob/对手"]
    assert (game.players[0].version, game.extra["saiblo_match"]) == ("3", 7437552)
    assert replay.main([str(out)]) == 0
    assert "The rules agree with the record." in capsys.readouterr().out


def test_without_the_replay_file_the_last_move_is_missing(tmp_path, capsys):
    status, out = write_record(tmp_path, detail())
    assert status == 1 and not out.exists()
    path = tmp_path / "match_detail.json"
    assert capsys.readouterr().err == (
        f"{path}: the game: the last move is in no stdin: give the match's replay with --moves\n"
    )


@pytest.mark.parametrize(
    "end_state, termination",
    [
        ("TLE", "TIME_FORFEIT"),
        ("IA", "ILLEGAL_MOVE"),
        ("RE", "CRASH"),
        ("EXIT", "CRASH"),
        ("OLE", "OUTPUT_LIMIT"),
    ],
)
def test_a_game_lost_by_a_fault_needs_no_replay_file(tmp_path, capsys, end_state, termination):
    # Seat 1 was asked after five moves, and did something else than move.
    content = detail(stdins(COLUMNS[:6]), record(6), [seat(0), seat(1, end_state=end_state)])
    status, out = write_record(tmp_path, content)
    assert status == 0, capsys.readouterr().err
    ((game,), _) = read_records(out)
    assert [move.move for move in game.moves] == list(COLUMNS[:5])
    assert (game.termination.value, game.at_fault, game.winner) == (termination, "B", "A")
    assert replay.main([str(out)]) == 0


def test_a_time_that_no_record_holds_is_named(tmp_path, capsys):
    seats = [seat(0), seat(1, end_state="TLE")]
    rounds = record(6, [0.5] * 3 + [2_000_000_000])
    status, out = write_record(tmp_path, detail(stdins(COLUMNS[:6]), rounds, seats))
    path = tmp_path / "match_detail.json"
    assert status == 1 and not out.exists()
    assert capsys.readouterr().err.splitlines() == [
        f"{path}: message.record[4][0].time: expected a number of seconds from 0 to 1000000000, got 2000000000",
        f"{path}: the game: the time of ply 4 is unknown",
    ]
    rounds = record(6, [0.5] * 5 + [2_000_000_000])  # of the turn that it lost by, of which there is no move
    status, out = write_record(tmp_path, detail(stdins(COLUMNS[:6]), rounds, seats))
    assert status == 1 and len(read_records(out)[0]) == 1


@pytest.mark.parametrize("end_states", [("OK", "CANCEL"), ("UE", "UE"), ("RE", "RE")])
def test_what_is_no_single_bots_fault_is_a_void_game(tmp_path, end_states):
    seats = [seat(number, end_state=state) for number, state in enumerate(end_states)]
    status, out = write_record(tmp_path, detail(seats=seats))
    ((game,), _) = read_records(out)
    assert (status, game.termination, game.winner, game.at_fault) == (0, Termination.VOID, None, None)
    assert replay.main([str(out)]) == 0


def test_the_rules_say_who_has_won_and_scores_that_differ_are_named(tmp_path, capsys):
    seats = [seat(0, score=1), seat(1, score=1)]
    status, out = write_record(tmp_path, detail(seats=seats), "--moves", replay_file(tmp_path, REPLAY))
    ((game,), _) = read_records(out)
    assert (status, game.winner) == (1, "A")
    assert "the file says a draw, by the rules it is a win of A\n" in capsys.readouterr().err
    assert replay.main([str(out)]) == 0


@pytest.mark.parametrize(
    "content, complaint",
    [
        (detail(rounds=record(2)), "the game: the time of ply 3 is unknown"),
        (detail([b"", b""]), "the game: no game of two seats could be read"),
        (detail(seats=[seat(0, score=None), seat(1)]), "the game: the scores are unknown"),
        (detail(seats=[seat(0, end_state=None), seat(1)]), "the game: an end state is unknown"),
    ],
)
def test_what_a_record_needs_and_a_match_may_lack(tmp_path, capsys, content, complaint):
    moves = [] if content["message"] == detail([b"", b""])["message"] else ["--moves", replay_file(tmp_path, REPLAY)]
    status, out = write_record(tmp_path, content, *moves)
    assert status == 1 and not out.exists()
    assert capsys.readouterr().err.splitlines()[-1] == f"{tmp_path / 'match_detail.json'}: {complaint}"


@pytest.mark.parametrize(
    "changes, complaint",
    [
        ({"row": 10}, "row: expected 9, as in the match, got 10"),
        ({"noy": "3"}, "noy: expected 3, as in the match, got 3"),
        ({"rounds": None}, "rounds: expected a list of columns from 0 to 9"),
        ({"rounds": [4, 10]}, "rounds: expected a list of columns from 0 to 9"),
        ({"rounds": [4, 4, 5, 3, 6, 7]}, "rounds: expected the 6 moves of the match first, got others"),
        ({"rounds": [*COLUMNS, 1]}, "rounds: expected 7 moves, one more than the match shows, got 8"),
    ],
)
def test_the_replay_file_of_another_match(tmp_path, capsys, changes, complaint):
    path = replay_file(tmp_path, REPLAY | changes)
    assert main([str(saved(tmp_path, detail())), "--moves", str(path)]) == 1
    assert capsys.readouterr().err == f"{tmp_path / 'match_detail.json'}: {path}: {complaint}\n"


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), rows=st.integers(9, 12), cols=st.integers(9, 12), length=st.integers(0, 60))
def test_any_game_is_put_together_as_it_was_played(seed, rows, cols, length):
    chooser = random.Random(seed)
    board = rows, cols, (chooser.randrange(rows), chooser.randrange(cols))
    position = ConnectFour(*board)
    while len(position.moves) < length and not position.over:
        position.play(chooser.choice(position.legal_moves()))
    columns = [column for _, column in position.moves]
    streams = [read_stream(data) for data in stdins(columns, board)]
    game = put_together(streams)
    if not columns:
        assert game is None
        return
    assert (game.opening, game.first, game.fault) == (streams[0].opening, 0, None)
    assert game.columns == columns[:-1]


def numbers_changed(changes):
    """A function that puts other numbers at places of a turn's line: the last cell, 10 tops, the board from 12 on."""

    def change(line):
        numbers = line.split()
        for place, number in changes.items():
            numbers[place] = b"%d" % number
        return b" ".join(numbers) + b"\n"

    return change


def board_number(row, column):
    """The place of a cell's number in a turn's line."""
    return 2 + COLS + row * COLS + column


@pytest.mark.parametrize(
    "turns, changes, complaint",
    [
        (
            2,
            {board_number(7, 4): 0, board_number(6, 4): 1},
            "seat 0's board with 2 stones: no stone dropped into column 4 comes to rest in row 6",
        ),
        (2, {1: 5}, "seat 0's board with 2 stones names (7, 5) as the last cell, expected (7, 4)"),
        (2, {board_number(8, 4): 1}, "seat 0's board with 2 stones has one of seat 1's too many"),
        (2, {board_number(8, 0): 1}, "seat 0's board with 3 stones does not follow from the boards before"),
        (
            2,
            {board_number(8, 0): 1, board_number(8, 1): 2},
            "seat 0's board with 4 stones comes 4 moves after the last one known: their order is not told",
        ),
        (
            3,
            {board_number(8, 4): 0, board_number(8, 9): 2},
            "seat 0's board with 4 stones does not follow from the boards before",
        ),
    ],
)
def test_boards_that_contradict_the_rules_or_each_other(tmp_path, capsys, turns, changes, complaint):
    opening, *lines = stdins()[0].splitlines(keepends=True)[: 1 + turns]
    lines[-1] = numbers_changed(changes)(lines[-1])
    assert main([str(saved(tmp_path, detail([opening + b"".join(lines), b""], rounds=[])))]) == 1
    printed = capsys.readouterr()
    assert printed.err == f"{tmp_path / 'match_detail.json'}: moves: {complaint}\n"
    assert f"  NOT to the end: {complaint}\n" in printed.out


def test_streams_of_two_games(tmp_path, capsys):
    sent = [stdins()[0], stdins(board=(9, 10, (0, 0)))[1]]
    assert main([str(saved(tmp_path, detail(sent)))]) == 1
    assert "moves: the two seats were sent different openings" in capsys.readouterr().err
    assert main([str(saved(tmp_path, detail([stdins()[0]] * 2)))]) == 1
    assert "moves: both seats' first boards have the same side to move" in capsys.readouterr().err
