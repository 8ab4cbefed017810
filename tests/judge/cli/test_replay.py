"""Records judged again: sound ones, and every way to falsify one."""

import gzip
import json

import pytest
from msgspec import structs

from judge import viewer
from judge.play.recheck import disagreements
from judge.play.referee import play_game
from judge.play.screen import result_in_words
from protocol.records.record import GameRecord, append_record
from tests.judge.helpers.scripted import REPOSITORY, bot, plan, run_judge


@pytest.fixture(scope="module")
def won():
    return play_game((bot("first_legal"), bot("first_legal")), plan())


@pytest.fixture(scope="module")
def forfeited():
    """B, second mover, leaves the board with its third move."""
    return play_game((bot("first_legal"), bot("misbehave", "off_board", "--at", 2)), plan())


def falsified(record, change):
    content = json.loads(record.to_json())
    change(content)
    return GameRecord.from_json(json.dumps(content))


def test_a_late_move_that_counts_as_in_time_is_told(won):
    slow = structs.replace(won.moves[0], wall_s=2.0)
    late = structs.replace(won, moves=(slow, *won.moves[1:]), extra={**won.extra, "limit_s": 1})
    assert disagreements(late) == ["ply 1 is recorded as in time, but took 2.000 s of 1 s"]


def test_sound_records_agree(won, forfeited):
    assert disagreements(won) == []
    assert disagreements(forfeited) == []


FALSE_WINS = (
    (lambda game: game.update(winner="A"), "the recorded winner is A, but by the rules it is B"),
    (lambda game: game.update(winner=None), "the recorded winner is nobody (a draw), but by the rules it is B"),
    (lambda game: game.update(first="B"), "ply 1 is recorded as A's, but B was to move"),
    (lambda game: game["moves"][5].update(side="A"), "ply 6 is recorded as A's, but B was to move"),
    (lambda game: game.update(at_fault="A"), "A is recorded at fault in a NORMAL game"),
    (lambda game: game["moves"].pop(), "the game is recorded as NORMAL, but it is not over"),
    (
        lambda game: game["moves"].append({"side": "A", "move": 4, "wall_s": 0.1}),
        "ply 29 is recorded as legal, but column 4 was played after the end of the game",
    ),
    (
        lambda game: game["moves"][12].update(move=0),
        "ply 13 is recorded as legal, but column 0 is full, expected one of [1, 2, 3, 4, 5, 6, 7, 8]",
    ),
    (
        lambda game: game["moves"][0].update(move=-1),
        "ply 1 is recorded as legal, but column -1 is off the board, expected 0..8",
    ),
    (
        lambda game: game["moves"][0].update(move="a1"),
        "ply 1 is recorded as legal, but 'a1' is no column, expected an integer",
    ),
    (
        lambda game: game["moves"][27].update(move=8),
        "the game is recorded as NORMAL, but it is not over",
    ),
    (
        lambda game: game.update(termination="CRASH", at_fault="A"),
        "the game is recorded as CRASH, but it was over on the board before",
    ),
    (
        lambda game: game["moves"][3].update(wall_s=20.5),
        "ply 4 is recorded as in time, but took 20.500 s of 20 s",
    ),
    (
        lambda game: game.update(termination="VOID"),
        "the game is VOID, but the record names a winner or a side at fault",
    ),
    (
        lambda game: game.update(board={"rows": 3, "cols": 9, "forbidden": None}),
        "rows is 3, expected 4..12",
    ),
    (
        lambda game: game.update(board={"size": 8, "opening": []}),
        "the board has the keys [size, opening], expected [rows, cols, forbidden]",
    ),
    (
        lambda game: game.update(board={"rows": 9.0, "cols": 9, "forbidden": None}),
        "board: rows is 9.0, expected an integer",
    ),
    (
        lambda game: game.update(board={"rows": 9, "cols": 9, "forbidden": [8]}),
        "board: forbidden is [8], expected null or [row, column]",
    ),
    (
        lambda game: game.update(game="go"),
        "the record is of the unknown game 'go', expected one of connect_four, reversi, dots",
    ),
)


def test_falsified_wins_are_found_out(won):
    for change, sentence in FALSE_WINS:
        assert disagreements(falsified(won, change))[0] == sentence


FALSE_FORFEITS = (
    (lambda game: game.update(winner="B"), "the recorded winner is B, expected A after ILLEGAL_MOVE"),
    (
        lambda game: game.update(winner=None),
        "the recorded winner is nobody (a draw), expected A after ILLEGAL_MOVE",
    ),
    (lambda game: game.update(at_fault=None), "the record names no side at fault for ILLEGAL_MOVE"),
    (lambda game: game["moves"].pop(), "B is recorded at fault for ILLEGAL_MOVE, but was not to move"),
    (
        lambda game: game.update(termination="STARTUP_FAILURE"),
        "B is recorded at fault for STARTUP_FAILURE, but has made moves",
    ),
    (
        lambda game: game.update(termination="NORMAL"),
        "the game is recorded as NORMAL, but it is not over",
    ),
)


def test_falsified_forfeits_are_found_out(forfeited):
    for change, sentence in FALSE_FORFEITS:
        assert disagreements(falsified(forfeited, change))[0] == sentence


def resign(game, **others):
    """Have A give the game up after twelve plies."""
    game.update({"termination": "RESIGNATION", "winner": "B", "at_fault": None, **others})
    game["moves"] = game["moves"][:12]


def test_either_side_may_resign_on_any_turn(won):
    for winner in "AB":
        resigned = falsified(won, lambda game, winner=winner: resign(game, winner=winner))
        assert disagreements(resigned) == []
        assert result_in_words(resigned).startswith(f"{winner} (first_legal) wins after 12 plies: ")


FALSE_RESIGNATIONS = (
    (
        lambda game: resign(game, winner=None),
        "the game was resigned, but the record names no winner or names a side at fault",
    ),
    (
        lambda game: resign(game, at_fault="A"),
        "the game was resigned, but the record names no winner or names a side at fault",
    ),
    (
        lambda game: game.update(termination="RESIGNATION"),
        "the game is recorded as RESIGNATION, but it was over on the board before",
    ),
)


def test_falsified_resignations_are_found_out(won):
    for change, sentence in FALSE_RESIGNATIONS:
        assert disagreements(falsified(won, change)) == [sentence]


PUBLISHED = sorted((REPOSITORY / "docs" / "results").glob("[bm]a*_*.jsonl.gz"))  # batches and matches


def test_the_first_games_behind_the_published_results_are_sound():
    """Those that version 1 wrote are read as well."""
    assert len(PUBLISHED) > 20
    for path in PUBLISHED:
        with gzip.open(path) as file:
            assert disagreements(GameRecord.from_json(file.readline())) == [], path.name


@pytest.mark.slow
def test_all_games_behind_the_published_results_are_read():
    for path in PUBLISHED:
        with gzip.open(path) as file:
            records = [GameRecord.from_json(line) for line in file]
        assert disagreements(records[-1]) == [], path.name


def test_bytes_out_of_turn_may_be_of_either_side(forfeited):
    for side, winner in (("A", "B"), ("B", "A")):
        changed = falsified(
            forfeited,
            lambda game, side=side, winner=winner: game.update(termination="BAD_FRAME", at_fault=side, winner=winner),
        )
        assert disagreements(changed) == []


@pytest.fixture
def file(tmp_path, won, forfeited):
    path = tmp_path / "games.jsonl"
    append_record(path, won)
    append_record(path, forfeited)
    append_record(path, falsified(won, lambda game: game.update(winner="A")))
    return path


def test_replay_shows_every_board_and_agrees(tmp_path, file):
    done = run_judge(tmp_path, "replay", file, "--number", 1)
    assert done.returncode == 0
    assert done.stdout.count("     0  1  2  3  4  5  6  7  8 \n") == 2 * 29
    assert "ply 28: B plays column 3 (row 8)" in done.stdout
    assert done.stdout.endswith("The rules agree with the record.\n")


def test_replay_begins_where_a_ply_was_due(tmp_path, file):
    whole = run_judge(tmp_path, "replay", file, "--number", 1).stdout
    for ply, boards in ((1, 29), (20, 10), (29, 1)):
        done = run_judge(tmp_path, "replay", file, "--number", 1, "--ply", ply)
        assert (done.returncode, done.stdout.count("     0  1  2  3  4  5  6  7  8 \n")) == (0, 2 * boards)
        heading, _newline, rest = done.stdout.partition("\n")
        assert whole.startswith(heading) and whole.endswith(rest)


def test_replay_says_what_is_wrong(tmp_path, file):
    done = run_judge(tmp_path, "replay", file)
    assert done.returncode == 1
    assert "The record disagrees with the rules: the recorded winner is A, but by the rules it is B" in done.stdout


def test_replay_steps_at_enter(tmp_path, file):
    done = run_judge(tmp_path, "replay", file, "--number", 2, "--step", input="\n\n")
    assert done.returncode == 0
    assert done.stdout.count("Enter for the next move") == 3
    assert "ply 2: " in done.stdout
    assert "ply 3: " not in done.stdout  # the input ended before the third move


def test_on_a_terminal_it_is_looked_at_by_keys_unless_told_otherwise(tmp_path, file, monkeypatch):
    viewed = []
    monkeypatch.setattr(viewer, "can_run", lambda console: True)
    monkeypatch.setattr(viewer, "view", lambda positions, title, begin: viewed.append((positions.last, title, begin)))
    for words, boards in ((("--plain",), 3), (("--step",), 1), (("--ply", 4), 0)):
        assert viewed == []
        done = run_judge(tmp_path, "replay", file, "--number", 2, *words, input="")
        assert done.returncode == 0
        assert done.stdout.count("  0  1  2  3  4  5  6  7  8 ") // 2 >= boards, words
    assert viewed == [(5, "games.jsonl, game 2", 3)]
    assert "  0  1  2" not in done.stdout and "The rules agree with the record." in done.stdout


def test_replay_sets_a_torn_line_aside(tmp_path, file):
    with file.open("ab") as end:
        end.write(b'{"game":"connect_four","rows":9')
    done = run_judge(tmp_path, "replay", file, "--number", 3)
    assert done.returncode == 1
    assert "is incomplete and was left out" in done.stderr


def test_bad_arguments_are_named(tmp_path, file):
    for words, message in (
        (("games.jsonl", "--number", 4), "--number 4: games.jsonl holds 3 games"),
        (("games.jsonl", "--number", 0), "'0' is not an integer of at least 1"),
        (("games.jsonl", "--number", 1, "--ply", 30), "--ply 30: expected 1 to 29, as 28 plies were played"),
    ):
        done = run_judge(tmp_path, "replay", *words)
        assert done.returncode == 2, words
        assert message in done.stderr, words
