"""The judge's commands with --game reversi, and options that do not belong to the game chosen."""

import json
import re

import pytest

from judge.__main__ import main
from judge.games.reversi.board import draw_board
from judge.games.reversi.rules import Reversi
from protocol.records.record import append_record, read_records
from tests.judge.helpers.rightmost_libraries import make_libraries
from tests.judge.helpers.scripted import WIDE_LIMIT_S, command, moves_of, run_judge

REVERSI = ("--game", "reversi")
FIRST = command("first_legal", game="reversi")
MOVER = command("random_mover", "--seed", "{seed}", game="reversi")


def last_object(done):
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_game_is_shown_recorded_told_as_json_and_replayed(tmp_path):
    done = run_judge(tmp_path, "play", *REVERSI, FIRST, FIRST, "--seed", 4, "--free-start", "--json")
    outcome = last_object(done)
    lines = done.stdout.splitlines()
    assert lines[0] == "8 x 8, seed 4, limit 3 s"
    assert (outcome["winner"], outcome["termination"], outcome["plies"]) == ("B", "NORMAL", 60)
    assert (outcome["size"], outcome["opening"], outcome["moves"][:3]) == (8, [], ["d3", "c3", "b3"])
    assert lines.count("     a  b  c  d  e  f  g  h ") == 2 * 61  # above and below every board
    passes = [line for line in lines if re.search(r"B plays [a-h][1-8], the other side has no move  \d\.\d\d s$", line)]
    assert [line.split(":")[0] for line in passes[:3]] == ["ply 18", "ply 19", "ply 20"]
    assert "    X 19    O 45" in lines
    assert "B (first_legal.py) wins after 60 plies: B has 45 discs to 19" in lines
    ((record,), _) = read_records(tmp_path / "records" / "play.jsonl")
    assert (record.game, moves_of(record)) == ("reversi", outcome["moves"])
    replayed = run_judge(tmp_path, "replay", "records/play.jsonl", "--game", 1)
    assert replayed.returncode == 0
    assert "A moves first" in replayed.stdout
    assert "ply 60: B plays" in replayed.stdout
    assert replayed.stdout.endswith("The rules agree with the record.\n")


def test_size_and_opening_are_options_of_play(tmp_path):
    words = (
        "play",
        *REVERSI,
        MOVER,
        MOVER,
        "--seed",
        9,
        "--size",
        6,
        "--opening-plies",
        5,
        "--free-start",
        "--json",
    )
    done = run_judge(tmp_path, *words)
    outcome = last_object(done)
    board = draw_board(9, 0, 6, 5)
    assert (outcome["size"], outcome["opening"]) == (6, list(board.opening))
    assert done.stdout.startswith(f"6 x 6 after {' '.join(board.opening)}, seed 9, limit 3 s\n")
    first = "AB"[Reversi(6, board.opening).to_move]
    assert f"{first} moves first" in done.stdout
    assert last_object(run_judge(tmp_path, *words, "--quiet"))["moves"] == outcome["moves"]


def test_connect_four_records_and_reversi_records_share_a_file(tmp_path):
    words = ("--free-start", "--quiet", "--record", "both.jsonl")
    run_judge(tmp_path, "play", command("first_legal"), command("first_legal"), *words)
    run_judge(tmp_path, "play", *REVERSI, FIRST, FIRST, *words)
    for number, line in ((1, "     0  1  2"), (2, "     a  b  c")):
        done = run_judge(tmp_path, "replay", "both.jsonl", "--game", number)
        assert done.returncode == 0
        assert line in done.stdout


def played(folder, *words):
    """(JSON object, records in scheduled order) of a run with its record in run.jsonl."""
    done = run_judge(
        folder, *words, *REVERSI, "--free-start", "--limit", WIDE_LIMIT_S, "--json", "--record", "run.jsonl"
    )
    records = sorted(read_records(folder / "run.jsonl")[0], key=lambda record: record.extra["index"])
    return last_object(done), records


@pytest.mark.parametrize(
    "options, size, plies", [((), 8, 8), (("--size", 4), 4, 3), (("--size", 6, "--opening-plies", 0), 6, 0)]
)
def test_a_match_draws_an_opening_for_every_pair(tmp_path, options, size, plies):
    outcome, records = played(tmp_path, "match", MOVER, MOVER, "--games", 4, "--seed", 8, *options)
    assert (outcome["games"], outcome["terminations"]) == (4, {"NORMAL": 4})
    boards = [draw_board(8, pair, size, plies).as_json() for pair in (0, 0, 1, 1)]
    assert [record.board for record in records] == boards
    assert [record.first for record in records] == ["A", "B", "A", "B"]


def test_without_openings_sure_players_repeat_themselves(tmp_path):
    outcome, _ = played(tmp_path, "match", FIRST, FIRST, "--games", 4, "--seed", 8, "--opening-plies", 0)
    assert (outcome["duplicates"], outcome["effective_games"]) == (3, 1)


def test_a_test_of_strength_begins_at_once_and_finds_the_stronger(tmp_path):
    loser = command("misbehave", "off_board", game="reversi")
    outcome, records = played(tmp_path, "sprt", MOVER, loser, "--elo0", 0, "--elo1", 300, "--seed", 3)
    assert outcome["verdict"] == "H1"
    assert all(record.game == "reversi" for record in records)


def test_a_batch_tells_boards_and_sides(tmp_path):
    outcome, records = played(tmp_path, "batch", FIRST, "--against", MOVER, FIRST, "--rounds", 2, "--seed", 5)
    assert outcome["judged"] == 8
    assert [record.board for record in records[::2]] == [draw_board(5, pair, 8, 8).as_json() for pair in range(4)]
    for game in outcome["lost"]:
        assert (game["size"], len(game["opening"])) == (8, 8)


@pytest.mark.parametrize(
    "change, message",
    [
        (("--size", 6), "was played with size 8, this command has 6"),
        (("--opening-plies", 4), "was played with opening_plies 8, this command has 4"),
    ],
)
def test_other_boards_are_no_resumption(tmp_path, change, message):
    words = ("match", *REVERSI, MOVER, MOVER, "--seed", 8, "--free-start", "--record", "run.jsonl")
    assert run_judge(tmp_path, *words, "--games", 2).returncode == 0
    done = run_judge(tmp_path, *words, *change, "--games", 4, "--resume")
    assert done.returncode == 2
    assert message in done.stderr
    assert run_judge(tmp_path, *words, "--games", 3, "--resume").returncode == 0


def test_another_game_is_no_resumption(tmp_path):
    mover = command("random_mover", "--seed", "{seed}")
    words = ("match", mover, mover, "--seed", 8, "--free-start", "--record", "run.jsonl", "--games", 2)
    assert run_judge(tmp_path, *words).returncode == 0
    done = run_judge(tmp_path, *words, *REVERSI, "--resume")
    assert done.returncode == 2
    assert "was played with game 'connect_four', this command has 'reversi'" in done.stderr


def test_a_changed_opening_is_another_board(tmp_path):
    words = ("match", *REVERSI, MOVER, MOVER, "--seed", 8, "--free-start", "--games", 2, "--record")
    assert run_judge(tmp_path, *words, "run.jsonl").returncode == 0
    for record in read_records(tmp_path / "run.jsonl")[0]:
        record.board["opening"] = record.board["opening"][:-2]
        append_record(tmp_path / "other.jsonl", record)
    done = run_judge(tmp_path, *words, "other.jsonl", "--resume")
    assert done.returncode == 2
    assert "was played on another board" in done.stderr


@pytest.mark.parametrize(
    "words, message",
    [
        (("play", "--size", "6"), "--size is an option of reversi and dots, and the game is connect_four"),
        (
            ("play", "--opening-plies", "0"),
            "--opening-plies is an option of reversi and dots, and the game is connect_four",
        ),
        (("play", *REVERSI, "--rows", "9"), "--rows is an option of connect_four, and the game is reversi"),
        (("play", *REVERSI, "--forbidden", "1,1"), "--forbidden is an option of connect_four"),
        (("play", *REVERSI, "--size", "3"), "'3' is no size, expected 4..10"),
        (("play", *REVERSI, "--size", "x"), "'x' is no size, expected 4..10"),
        (("play", *REVERSI, "--opening-plies", "-1"), "'-1' is no number of plies"),
        (("play", *REVERSI, "--opening-plies", "31"), "opening-plies is 31, expected 0..30 for size 8"),
        (("play", "--game", "go"), "invalid choice: 'go'"),
        (("match", "a", "b", "--games", "2", "--size", "6"), "--size is an option of reversi"),
        (("match", "a", "b", "--games", "2", *REVERSI, "--rows", "9"), "unrecognized arguments: --rows 9"),
        (("match", "a", "b", "--games", "2", *REVERSI, "--opening-plies", "99"), "expected 0..30 for size 8"),
        (("batch", "a", "--against", "b", "--size", "6"), "--size is an option of reversi"),
        (
            ("batch", "a", "--against", "b", *REVERSI, "--compete", "results"),
            "--compete: the course's runner plays connect_four, and the game is reversi",
        ),
        (
            ("sprt", "a", "b", "--elo0", "0", "--elo1", "5", "--opening-plies", "2"),
            "--opening-plies is an option",
        ),
        (("check", "a", *REVERSI, "--size", "6"), "unrecognized arguments: --size 6"),
    ],
)
def test_an_option_of_another_game_is_named(tmp_path, monkeypatch, capsys, words, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    assert ended.value.code == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_strategy_libraries_do_not_play_reversi(tmp_path):
    make_libraries(tmp_path)
    reason = "player 'lib:2.so': strategy libraries play connect_four, and the game is reversi"
    for words in (
        ("play", "lib:2.so", FIRST),
        ("match", FIRST, "lib:2.so", "--games", 2),
        ("check", "lib:2.so"),
    ):
        done = run_judge(tmp_path, *words, *REVERSI)
        assert done.returncode == 2
        assert reason in done.stderr
    done = run_judge(tmp_path, "batch", FIRST, "--against", ".", *REVERSI)
    assert done.returncode == 2
    assert "strategy libraries play connect_four" in done.stderr
