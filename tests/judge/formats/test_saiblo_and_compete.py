"""Saiblo's replays, Compete's log and our records: what is read, what is said of what is wrong, what is written."""

import collections
import json
import random

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from judge.formats import compete, own, registry
from judge.formats.reading import LoggedGame, Source, record_of
from judge.formats.registry import FORMATS
from judge.games import GAMES
from judge.play.recheck import disagreements
from judge.play.scoresheet import opponent
from judge.reasons import reason_of
from protocol.records.record import RECORD_VERSION, Termination
from tests.judge.helpers.logged_files import CAPTURED, LOG, WON
from tests.judge.helpers.logged_games import any_record, imported, outcome
from tests.judge.helpers.random_games import recorded_game


def test_a_replay_of_the_official_local_judger():
    (record,), problems, name = imported(CAPTURED)
    assert (problems, name) == ([], "saiblo")
    assert record.board == {"rows": 9, "cols": 9, "forbidden": [7, 1]}
    assert [move.move for move in record.moves] == [0, 1, 0, 1, 0, 1, 0]
    assert (record.winner, record.termination, reason_of(record)) == (
        "A",
        Termination.NORMAL,
        "A has four in a line",
    )
    assert record.extra["imported_from"] == {
        "format": "saiblo",
        "file": "file",
        "place": "line 1",
        "words": "four in a row",
        "times": "unknown",
        "date": "unknown",
    }


def test_a_replay_may_have_keys_of_a_match_detail():
    for key in ("info", "message"):
        (record,), problems, name = imported(json.dumps({key: "x", **WON}))
        assert (problems, name, len(record.moves)) == ([], "saiblo", 7)


def test_a_move_that_no_record_holds_is_a_problem():
    board = {"rows": 9, "cols": 9, "forbidden": None}
    record, problems = record_of(LoggedGame("line 1", "connect_four", board, (0, 1), times_s=(0.5, 2e9)), "saiblo", "x")
    assert record is None
    assert problems[-1].place == "line 1" and "wall_s: expected" in problems[-1].text


def test_what_a_replay_says_of_the_end():
    for changes, ending, at_fault, problem in [
        ({"rounds": [0, 1], "win": 1, "gameend_reason": "TLE"}, "TIME_FORFEIT", "A", None),
        ({"rounds": [0, 1], "win": 1, "gameend_reason": "先手超时"}, "TIME_FORFEIT", "A", None),
        ({"rounds": [0, 1], "win": 1, "gameend_reason": "先手TLE"}, "TIME_FORFEIT", "A", None),
        ({"rounds": [0, 1], "win": 1, "gameend_reason": "玩家0TLE，判负"}, "TIME_FORFEIT", "A", None),
        ({"rounds": [0, 1], "win": 1, "gameend_reason": "crashed after an illegal move"}, "CRASH", "A", None),
        ({"rounds": [0, 1], "win": 1, "gameend_reason": "STALL: no reply to CRASH, timeout"}, "STALL", "A", None),
        ({"rounds": [0, 1], "win": 1, "gameend_reason": "Illegal move"}, "ILLEGAL_MOVE", "A", None),
        ({"rounds": [0, 1, 9], "win": 1, "gameend_reason": ""}, "ILLEGAL_MOVE", "A", None),
        ({"rounds": [0, 1, 0], "win": 0, "gameend_reason": "RE"}, "CRASH", "B", None),
        (
            {"rounds": [0, 1], "win": 1, "gameend_reason": "?"},
            "VOID",
            None,
            "the file says that the result is a win of B, but the game is not over and the file does not say why "
            "it ended: the game counts as VOID",
        ),
        ({"win": 1}, "NORMAL", None, "the file says that the result is a win of B, but by the rules it is a win of A"),
        (
            {"win": 1, "gameend_reason": "TLE"},
            "NORMAL",
            None,
            "the file says TIME_FORFEIT by A, but by the rules the game was already over",
        ),
        (
            {"rounds": [0, 1], "win": 0, "gameend_reason": "TLE"},
            "TIME_FORFEIT",
            "B",
            "the file says TIME_FORFEIT by B, but A was to move",
        ),
    ]:
        (record,), problems, _name = imported(json.dumps(WON | changes))
        assert (record.termination.value, record.at_fault) == (ending, at_fault), changes
        assert [found.text for found in problems] == ([] if problem is None else [problem]), changes
        assert disagreements(record) == [] or problem is not None, changes


def test_a_replay_that_is_no_game_is_named_with_its_place_and_others_are_kept():
    for changes, place, text in [
        ({"row": "9"}, "line 1", "row: expected an integer, got a string"),
        ({"row": 3}, "line 1", "rows is 3, expected 4..12"),
        ({"noy": None}, "line 1", "noy: expected an integer, got null"),
        ({"nox": 9}, "line 1", "forbidden cell (9, 1) is off the 9 x 9 board"),
        ({"rounds": 7}, "line 1", "rounds: expected a list, got an integer"),
        ({"rounds": [0, 1, None]}, "line 1", "rounds[2]: expected an integer, got null"),
        (
            {"rounds": [0, 9, 1]},
            "line 1, in rounds[1]",
            "ply 2 is not legal: column 9 is off the board, expected 0..8",
        ),
        (
            {"rounds": [0, 1, 0, 1, 0, 1, 0, 1]},
            "line 1, in rounds[7]",
            "ply 8 is not legal: column 1 was played after the end of the game",
        ),
    ]:
        (record,), problems, _name = imported(json.dumps(WON | changes) + "\n" + CAPTURED)
        assert [(problem.place, problem.text) for problem in problems] == [(place, text)]
        assert record.extra["imported_from"]["place"] == "line 2"


def test_other_keys_and_junk_behind_are_left_alone():
    content = {**WON, "version": 3, "players": ["a", {"b": None}]}
    reading = FORMATS["saiblo"].read(Source(json.dumps(content).encode() + b"\n<html>\xff"))
    assert len(reading.games) == 1
    assert [(problem.is_note, problem.text) for problem in reading.problems] == [
        (True, "9 bytes after the JSON were ignored")
    ]


def test_competes_log():
    games, problems, name = imported(LOG)
    assert (problems, name) == ([], "compete")
    won, late = games
    assert (won.board, won.first) == ({"rows": 9, "cols": 9, "forbidden": [7, 1]}, "A")
    assert (won.winner, won.termination, len(won.moves), won.moves[-1].move) == ("A", Termination.NORMAL, 7, 0)
    assert (late.first, [move.move for move in late.moves]) == ("B", [1, 0])
    assert (late.winner, late.termination, late.at_fault) == ("A", Termination.TIME_FORFEIT, "B")
    assert reason_of(late) == "the imported file says: B - timed out"
    assert [game.extra["imported_from"].get("moves") for game in games] == ["reconstructed", None]
    windows = LOG.replace("\n", "\r\n").replace(" seed: 1700000000 ", "")
    assert [outcome(game) for game in imported(windows)[0]] == [outcome(game) for game in games]


def test_boards_that_no_game_has_are_named():
    for old, new, line, text in [
        (
            "A B . . . . . . B",
            "A B . . . . . . .",
            3,
            "the board has 4 stones of A, which moved first, and 2 of the other side: expected equal numbers, or "
            "one more of A",
        ),
        ("A X . . . . . . .", "A . . . . . . . .", 3, "expected one forbidden cell X on the board, got 0"),
        ("A . . . . . . . .\nA B", ". . . . . . . . .\nA B", 3, None),
        ("A X . . . . . . .\nA B", ". X . . . . . . .\nA B", 3, "the stone in row 6, column 0 has nothing below it"),
        ("M = 9, N = 9", "M = 8, N = 9", 3, "the size of the board is 9 x 9, expected 8 x 9"),
        ("M = 9, N = 9", "M = 0, N = 0", 3, "the size of the board is 9 x 9, expected 0 x 0"),
        (
            "B . . . . . . .\nB - timed",
            "B . . . . . . .\nA - timed",
            14,
            "the file says TIME_FORFEIT by A, but B was to move",
        ),
    ]:
        assert old in LOG
        _games, problems, _name = imported(LOG.replace(old, new, 1))
        assert problems[0].place == f"line {line}", new
        assert text is None or problems[0].text == text


def test_what_libraries_print_is_left_out():
    noisy = LOG.replace("A first:\n", "A first:\nbest 3\nA and B: think\nvalue=0.5").replace("A B", "(1,2)A B")
    games, problems, _name = imported(noisy)
    assert problems == []
    assert [outcome(game) for game in games] == [outcome(game) for game in imported(LOG)[0]]
    longer = LOG.replace("A X . . . . . . .", "A X . . . . . . . .")
    assert [problem.text for problem in imported(longer)[1]] == ["the size of the board is 8 x 9, expected 9 x 9"]


def test_a_log_without_a_board_and_a_result_file_have_no_moves():
    record = any_record("connect_four", 5, 0, Termination.STARTUP_FAILURE)
    other = any_record("connect_four", 5, 4, Termination.CRASH, first="B")
    games, problems, _name = imported(compete.write([(record, other)]))
    assert [(problem.place, problem.text) for problem in problems] == [("line 3", "the log has no board of this game")]
    assert len(games) == 1
    games, problems, name = imported(compete.result_file([(record, other)]))
    assert (games, name) == ([], "compete-result")
    assert "which has no moves" in problems[0].text


def test_a_log_is_written_as_compete_prints_it():
    games = imported(LOG)[0]
    lines = compete.write([(games[0], games[1])]).split("\n")
    assert lines[:5] == ["Round 0:", "M = 9, N = 9", "A first:", ". . . . . . . . . ", ". . . . . . . . . "]
    expected = LOG.split("\n")
    assert [line.rstrip() for line in lines[2:]] == expected[2:]


def test_a_record_that_the_rules_contradict_is_left_out_and_named():
    good, bad = (recorded_game("connect_four", seed=seed) for seed in range(2))
    winner = bad.winner
    bad = structs.replace(bad, winner=opponent(winner))
    cut_off = good.to_json()[:-20]
    half = json.dumps({"record_version": RECORD_VERSION, "game": "connect_four"})  # a whole line, and no record
    for last, words in [(cut_off, "Input data was truncated"), (half, "board: expected such a key, got none")]:
        games, problems, _name = imported("\n".join([bad.to_json(), good.to_json(), last]))
        assert games == [good]
        assert [problem.place for problem in problems] == ["line 1", "line 3"]
        told = f"the game is left out: the recorded winner is {bad.winner}, but by the rules it is {winner}"
        assert problems[0].text == told
        assert problems[1].text.endswith(words)


def test_a_list_of_records_is_told_as_ours():
    text = "\n".join(recorded_game("dots", seed=seed).to_json() for seed in range(2))
    assert own.looks_like(Source(b"[\n" + text.encode()))


def last_position(record):
    """The stones on the board at the end, by cell."""
    position = GAMES[record.game].new_position(GAMES[record.game].read_board(record.board))
    for move in record.moves:
        position.play(move.move)
    return position.owner


@settings(max_examples=15)
@given(
    seed=st.integers(0, 2**32),
    plies=st.none() | st.integers(0, 60),
    termination=st.sampled_from((Termination.TIME_FORFEIT, Termination.ILLEGAL_MOVE, Termination.CRASH)),
)
def test_competes_log_keeps_the_last_board_and_the_result(seed, plies, termination):
    games = [any_record("connect_four", seed, plies, termination, first) for first in "BA"]
    rounds, alone = compete.in_rounds(games)
    assert (rounds, alone) == ([(games[1], games[0])], [])
    found, problems, name = imported(compete.write(rounds))
    assert (problems, name) == ([], "compete")
    for record, expected in zip(found, (games[1], games[0]), strict=True):
        assert last_position(record) == last_position(expected)
        told = (record.board, record.first, len(record.moves), record.winner, record.termination, record.at_fault)
        assert told == (
            expected.board,
            expected.first,
            len(expected.moves),
            expected.winner,
            expected.termination,
            expected.at_fault,
        )
        assert collections.Counter(record.moves) == collections.Counter(expected.moves)
        assert disagreements(record) == []
        is_told = len(record.moves) <= 2
        assert record.extra["imported_from"].get("moves") == (None if is_told else "reconstructed")
        if is_told:
            assert record.moves == expected.moves


@settings(max_examples=6)
@given(seed=st.integers(0, 2**32))
def test_a_log_with_a_board_after_every_move_tells_the_moves(seed):
    record = any_record("connect_four", seed)
    lines = compete.write([(record, any_record("connect_four", seed, first="B"))]).split("\n")
    start, end = lines.index("A first:"), lines.index("B first:")
    boards = []
    for plies in range(1, len(record.moves)):
        before = any_record("connect_four", seed, plies, Termination.CRASH)
        boards += compete.board_lines(before)
    found, problems, _name = imported("\n".join([*lines[: start + 1], *boards, *lines[start + 1 : end]]))
    assert problems == []
    assert outcome(found[0]) == outcome(record)
    assert "moves" not in found[0].extra["imported_from"]


def test_draws_keep_their_result():
    """A board full of stones, and no four in a line: the longest order that there is to find."""
    text = "9x9 forbidden 0,8\n" + ",".join(map(str, drawn_game({"rows": 9, "cols": 9, "forbidden": [0, 8]})))
    (record,), problems, _name = imported(text)
    assert (problems, record.winner, record.termination) == ([], None, Termination.NORMAL)
    swapped = imported(text.replace("\n", "\nfirst B\n", 1))[0][0]
    found, problems, _name = imported(compete.write([(record, swapped)]))
    assert problems == []
    assert [game.termination for game in found] == [Termination.NORMAL] * 2
    assert [last_position(game) for game in found] == [last_position(record)] * 2
    (saiblo,), problems, _name = imported(registry.REPLAYS["connect_four"](record))
    assert (problems, outcome(saiblo)) == ([], outcome(record))


def drawn_game(board):
    """Columns of a game on this board that nobody wins."""
    attempts = (without_four(board, random.Random(seed)) for seed in range(10_000))
    return next(moves for moves in attempts if moves is not None)


def without_four(board, generator):
    """Random columns that fill a board without four in a line; None where that comes to an end before."""
    position = GAMES["connect_four"].new_position(GAMES["connect_four"].read_board(board))
    moves = []
    while not position.over:
        safe = [move for move in position.legal_moves() if not _wins(position, move)]
        if not safe:
            return None
        moves.append(generator.choice(safe))
        position.play(moves[-1])
    return moves


def _wins(position, column):
    row = position.landing_row(column)
    position.owner[row][column] = position.to_move
    is_won = position.completes_line(row, column)
    position.owner[row][column] = None
    return is_won
