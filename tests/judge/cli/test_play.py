"""`python -m judge play`: what it prints, what it returns, what it leaves."""

import json
import re
import signal
import subprocess
import sys
import time
import uuid

import pexpect

from judge.games.connect_four.board import draw_board
from protocol.records.record import read_records
from tests.judge.helpers.scripted import (
    PATIENCE_S,
    WIDE_LIMIT_S,
    command,
    judge_environment,
    moves_of,
    processes_with,
    run_judge,
    wait_until,
)
from tests.judge.helpers.started import in_terminal, started

LEFTMOST = command("first_legal")
WIDE = ("--limit", WIDE_LIMIT_S, "--free-start")
ON_BOARD = ("--rows", 9, "--cols", 9, "--forbidden", "0,8")


def test_a_game_is_shown_recorded_and_told_as_json(tmp_path):
    reporter = command("first_legal", "--report")
    done = run_judge(tmp_path, "play", reporter, LEFTMOST, *ON_BOARD, "--seed", 4, *WIDE, "--json")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    outcome = json.loads(lines[-1])
    assert outcome["moves"] == [0] * 9 + [1] * 9 + [2] * 9 + [3]
    assert (outcome["winner"], outcome["termination"], outcome["at_fault"]) == ("B", "NORMAL", None)
    assert (outcome["plies"], outcome["seed"], outcome["game"]) == (28, 4, 1)
    assert (outcome["rows"], outcome["cols"], outcome["forbidden"]) == (9, 9, [0, 8])
    assert lines[0] == "9 rows x 9 columns, forbidden cell 0,8, seed 4, limit 20 s"
    assert lines.count("     0  1  2  3  4  5  6  7  8 ") == 2 * 29  # above and below every board
    assert "  8  X  O  X *O* .  .  .  .  . " in lines
    assert any(re.match(r"ply 3: A plays column 0 \(row 6\)  \d+\.\d", line) for line in lines)
    assert any(re.search(r"value \+0\.[01]\d0$", line) for line in lines)  # some may come too late
    assert "B (first_legal.py) wins after 28 plies: B has four in a line" in lines
    (replay,) = [line.removeprefix("replay: ") for line in lines if line.startswith("replay: ")]
    assert replay.endswith("-m judge replay records/play.jsonl --number 1")
    shell = subprocess.run(replay, shell=True, cwd=tmp_path, env=judge_environment(), check=False, capture_output=True)
    assert shell.returncode == 0, shell.stderr
    (record,), torn_lines = read_records(tmp_path / "records" / "play.jsonl")
    assert moves_of(record) == outcome["moves"]
    assert torn_lines == []


def test_quiet_prints_the_result_only(tmp_path):
    path = tmp_path / "a folder" / "games.jsonl"
    for number in (1, 2):
        done = run_judge(tmp_path, "play", "--quiet", LEFTMOST, "--record", path, "--first", "B", *WIDE, LEFTMOST)
        assert done.returncode == 0, done.stderr
        assert len(done.stdout.splitlines()) == 1
        assert " wins after " in done.stdout
        assert len(read_records(path)[0]) == number
    assert read_records(path)[0][0].first == "B"


def test_the_seed_draws_the_board_and_repeats_the_game(tmp_path):
    mover = command("random_mover", "--seed", "{seed}")
    words = ("play", mover, mover, "--seed", 77, "--json", "--quiet", *WIDE)
    outcomes = [json.loads(run_judge(tmp_path, *words).stdout.splitlines()[-1]) for _ in range(2)]
    assert outcomes[0]["moves"] == outcomes[1]["moves"]
    board = draw_board(77, 0)
    assert (outcomes[0]["rows"], outcomes[0]["cols"]) == (board.rows, board.cols)
    assert tuple(outcomes[0]["forbidden"]) == board.forbidden


def test_a_forfeit_is_told_in_words(tmp_path):
    done = run_judge(tmp_path, "play", LEFTMOST, command("misbehave", "exit_3"), *WIDE, "--json")
    assert done.returncode == 0
    expected = "A (first_legal.py) wins after 1 plies: CRASH by B (misbehave.py): B ended with status 3"
    lines = done.stdout.splitlines()
    *others, last = lines[lines.index(expected) + 1 :]  # on a busy machine one more says so
    assert any("repro records/play.jsonl --number 1" in line for line in others)
    assert [line.partition(" start-up ")[0] for line in others[:2]] == ["times of A:", "times of B:"]
    assert json.loads(last)["at_fault"] == "B"
    assert json.loads(last)["times"]["A"]["first_move"]["moves"] == 1


def test_much_stderr_is_reported(tmp_path):
    done = run_judge(tmp_path, "play", command("misbehave", "flood_stderr"), LEFTMOST, *WIDE)
    assert done.returncode == 0
    assert "note: A wrote 1,048,704 bytes to stderr; the platform's limit is 65,536" in done.stdout


BAD_WORDS = (
    (("--rows", 8), "rows is 8, expected 9..12"),
    (("--cols", 13), "cols is 13, expected 9..12"),
    (("--rows", 9, "--forbidden", "9,0"), "forbidden cell 9,0 is off the board"),
    (("--forbidden", "3"), "'3' is not a cell, expected ROW,COLUMN"),
    (("--limit", "0"), "'0' is not a number of seconds above 0"),
    (("--limit", "nan"), "'nan' is not a number of seconds above 0"),
    (("--record", "/dev/null/games.jsonl"), "'/dev/null/games.jsonl' cannot be written"),
    (("--record", "/"), "'/' is a folder"),
    (("--first", "C"), "invalid choice: 'C'"),
    (("one", "two", "three"), "unrecognized arguments: three"),
)
NO_PROGRAMS = (
    ("bto", "player 'bto' cannot start: bto: No such file or directory; did you mean bot?"),
    ("./no-such-bot --fast", "./no-such-bot: No such file or directory"),
    ("'open quote", "No closing quotation"),
)


def test_bad_arguments_are_named_and_leave_nothing(tmp_path):
    """A program that is not there is no lost game."""
    for words, message in (*BAD_WORDS, *(((LEFTMOST, player), reason) for player, reason in NO_PROGRAMS)):
        done = run_judge(tmp_path, "play", *words)
        assert (done.returncode, message in done.stderr) == (2, True), (words, done.stderr)
    assert not (tmp_path / "records").exists()


def test_on_a_terminal_the_board_is_redrawn(tmp_path):
    words = ("play", command("first_legal", "--delay", 0.02), LEFTMOST, *ON_BOARD, "--free-start")
    terminal = in_terminal(tmp_path, *words, size=(30, 100))
    terminal.expect("the player is thinking, at most 3 s")
    terminal.expect("\x1b\\[1A")  # the cursor goes up to draw over the board
    terminal.expect("B \\(first_legal.py\\) wins after 28 plies")
    terminal.expect("replay: .*-m judge replay records/play.jsonl --number 1")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0


def test_interrupted_it_leaves_neither_record_nor_process(tmp_path):
    token = f"DROPFOUR_TEST={uuid.uuid4().hex}"
    name, _, value = token.partition("=")
    # In a sandbox its processes would not carry the token: a bot sees few of the judge's variables there.
    words = ("play", command("misbehave", "sleep_forever"), LEFTMOST, "--limit", 600, "--sandbox", "off")
    judge = started(tmp_path, *words, **{name: value})
    while len(processes_with(token)) < 3:
        time.sleep(0.02)
    time.sleep(0.2)
    judge.send_signal(signal.SIGINT)
    output, _ = judge.communicate(timeout=PATIENCE_S)
    assert judge.returncode == 130
    assert "interrupted: the game is not recorded" in output
    wait_until(lambda: processes_with(token) == [])
    assert not (tmp_path / "records").exists()


def test_a_judge_without_descriptors_calls_the_game_void(tmp_path):
    starved = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (12, 12));"
        "from judge.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    words = ["play", LEFTMOST, LEFTMOST, "--json", "--quiet"]
    done = subprocess.run(
        [sys.executable, "-c", starved, *words],
        cwd=tmp_path,
        env=judge_environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 3, done.stderr
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert (outcome["termination"], outcome["winner"], outcome["at_fault"]) == ("VOID", None, None)
    assert len(read_records(tmp_path / "records" / "play.jsonl")[0]) == 1
