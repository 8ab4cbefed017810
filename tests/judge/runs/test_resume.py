"""The record as the state: killed judges, torn lines, and files that do not fit the command."""

import json
import random
import signal
import subprocess
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from judge.__main__ import main
from judge.games import DEFAULT_GAME
from protocol.records.record import read_records
from tests.judge.helpers.scripted import (
    PATIENCE_S,
    WIDE_LIMIT_S,
    command,
    judge_command,
    judge_environment,
    moves_of,
    processes_with,
    run_judge,
    run_judge_process,
)

MOVER = command("random_mover", "--seed", "{seed}")
DELAY = ("--delay", 0.02)  # so that no match is over before its judge is killed
SLOW = command("first_legal", *DELAY)


def games_of(path):
    """What was played, by index; fails if a game is in the file twice."""
    games = {}
    for record in read_records(path)[0]:
        index = record.extra["index"]
        assert index not in games
        games[index] = (record.pair, record.board, record.first, record.winner, moves_of(record))
    return games


def without_times(outcome):
    """What does not depend on the machine, nor on where the record lies."""
    of_machine = ("record", "times", "short_of_core", "machine", "void_attempts")
    return {name: value for name, value in outcome.items() if name not in of_machine}


def last_object(output):
    return json.loads(output.splitlines()[-1])


def start_and_kill(folder, words, path, games, delay_s, token):
    """Start the judge, kill it so many seconds after it has played so many games; returns True if it still ran."""
    name, _, value = token.partition("=")
    before = lines_of(path)
    judge = subprocess.Popen(
        judge_command(*words),
        cwd=folder,
        env=judge_environment(**{name: value}),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    for line in judge.stdout:
        if line.startswith("seed "):
            break
    while lines_of(path) < before + games and judge.poll() is None:
        time.sleep(0.01)
    time.sleep(delay_s)
    running = judge.poll() is None
    judge.send_signal(signal.SIGKILL)
    judge.communicate()
    return running


def lines_of(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.mark.parametrize("game, kills, games", [(DEFAULT_GAME, 10, 24), ("reversi", 3, 10), ("dots", 3, 10)])
def test_kills_at_any_moment_lose_nothing_and_repeat_nothing(tmp_path, game, kills, games):
    """One in three comes after a game that this judge has played, so that there is something to lose."""
    whole, killed = tmp_path / "whole.jsonl", tmp_path / "killed.jsonl"
    players = (
        command("random_mover", "--seed", "{seed}", game=game),
        command("first_legal", *DELAY, game=game),
    )
    words = ("match", "--game", game, *players, "--games", games, "--jobs", 2, "--oversubscribe", "--seed", 21)
    words = (*words, "--limit", WIDE_LIMIT_S, "--json")
    token = f"DROPFOUR_TEST={uuid.uuid4().hex}"
    chance = random.Random()  # any moment must do
    moments = [(int(number % 3 == 0), chance.uniform(0.0, 0.3)) for number in range(kills)]
    resumed = (*words, "--record", killed, "--resume")
    with ThreadPoolExecutor() as pool:
        uninterrupted = pool.submit(run_judge_process, tmp_path, *words, "--record", whole)
        ran = [start_and_kill(tmp_path, resumed, killed, *moment, token) for moment in moments]
    assert all(ran), moments
    before = len(read_records(killed)[0])
    assert 1 <= before < games
    done = run_judge(tmp_path, *resumed)
    assert done.returncode == 0, (done.stderr, moments)
    assert f"resumed: {before} of {games} games are in the record" in done.stdout
    assert games_of(killed) == games_of(whole)
    assert without_times(last_object(done.stdout)) == without_times(last_object(uninterrupted.result().stdout))
    give_up = time.monotonic() + PATIENCE_S  # the bots of a killed judge end when they notice that their input has
    while processes_with(token) and time.monotonic() < give_up:
        time.sleep(0.05)
    assert processes_with(token) == []


def test_a_killed_test_ends_with_the_same_verdict(tmp_path):
    whole, killed = tmp_path / "whole.jsonl", tmp_path / "killed.jsonl"
    words = ("sprt", MOVER, SLOW, "--elo0", 0, "--elo1", 200, "--games", 60, "--jobs", 2, "--oversubscribe")
    words = (*words, "--seed", 4, "--limit", WIDE_LIMIT_S, "--json")
    resumed = (*words, "--record", killed, "--resume")
    for games in (1, 2):
        start_and_kill(tmp_path, resumed, killed, games, 0.1, f"DROPFOUR_TEST={uuid.uuid4().hex}")
    done = run_judge(tmp_path, *resumed)
    uninterrupted = run_judge(tmp_path, *words, "--record", whole)
    outcome = last_object(done.stdout)
    assert without_times(outcome) == without_times(last_object(uninterrupted.stdout))
    assert outcome["verdict"] == "H0"
    counted = range(2 * outcome["pairs"])
    before, after = games_of(whole), games_of(killed)
    assert [before[index] for index in counted] == [after[index] for index in counted]
    size = killed.stat().st_size
    again = run_judge(tmp_path, *resumed)
    assert killed.stat().st_size == size  # the verdict stands: nothing more is played
    assert without_times(last_object(again.stdout)) == without_times(outcome)


@pytest.fixture(scope="module")
def short_match(tmp_path_factory):
    """The record of four games, and the words that played them but for --games."""
    path = tmp_path_factory.mktemp("short") / "match.jsonl"
    words = ["match", MOVER, MOVER, "--seed", "7", "--limit", "20", "--json"]
    done = run_judge(path.parent, *words, "--games", 4, "--record", path)
    assert done.returncode == 0
    return path, words


@pytest.fixture
def record_file(short_match, tmp_path):
    """A copy of that record to change."""
    path = tmp_path / "match.jsonl"
    path.write_bytes(short_match[0].read_bytes())
    return path


def test_a_larger_number_of_games_goes_on(short_match, record_file, capsys):
    words = [*short_match[1], "--games", "6", "--record", str(record_file), "--resume"]
    before = games_of(record_file)
    assert main(words) == 0
    assert last_object(capsys.readouterr().out)["games"] == 6
    after = games_of(record_file)
    assert sorted(after) == list(range(6))
    assert {index: after[index] for index in before} == before


def test_the_seed_may_be_left_to_the_record(short_match, record_file, capsys):
    words = [word for word in short_match[1] if word not in ("--seed", "7")]
    assert main([*words, "--games", "4", "--record", str(record_file), "--resume"]) == 0
    outcome = last_object(capsys.readouterr().out)
    assert (outcome["games"], outcome["seed"]) == (4, 7)


def as_version_1(line):
    """A record of connect four as it was written before there were other games."""
    record = json.loads(line)
    del record["extra"]["schedule"]["game"], record["extra"]["schedule"]["freeze"]
    board = record.pop("board")
    moves = [{"column": move.pop("move"), **move} for move in record["moves"]]
    for move in moves:
        del move["side"]
    return json.dumps({**record, **board, "moves": moves, "record_version": 1}) + "\n"


def test_a_record_of_before_there_were_other_games_goes_on(short_match, record_file, capsys):
    before = games_of(record_file)
    record_file.write_text("".join(map(as_version_1, record_file.read_text().splitlines())))
    assert games_of(record_file) == before
    assert main([*short_match[1], "--games", "6", "--record", str(record_file), "--resume"]) == 0
    assert last_object(capsys.readouterr().out)["games"] == 6
    after = games_of(record_file)
    assert {index: after[index] for index in before} == before
    assert [json.loads(line)["record_version"] for line in record_file.read_text().splitlines()] == [1] * 4 + [2] * 2


def test_a_torn_line_is_played_again(short_match, record_file, capsys):
    whole = games_of(record_file)
    content = record_file.read_bytes()
    record_file.write_bytes(content[:-40])
    assert main([*short_match[1], "--games", "4", "--record", str(record_file), "--resume"]) == 0
    assert games_of(record_file) == whole
    assert "resumed: 3 of 4 games" in capsys.readouterr().out


def test_a_void_game_is_played_again_and_counts_once(short_match, record_file, capsys):
    lines = [json.loads(line) for line in record_file.read_text().splitlines()]
    lines[1].update(termination="VOID", winner=None, at_fault=None)
    record_file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert main([*short_match[1], "--games", "4", "--record", str(record_file), "--resume"]) == 0
    outcome = last_object(capsys.readouterr().out)
    assert (outcome["games"], sum(outcome["pairs"]["counts"])) == (4, 2)
    assert len(read_records(record_file)[0]) == 5


@pytest.mark.parametrize(
    "change, message",
    [
        (["--seed", "8"], "was played with seed 7, this command has 8"),
        (["--limit", "2"], "was played with limit_s 20.0, this command has 2.0"),
        (
            ["--memory-limit", "2000"],
            "was played with memory_limit_bytes 1000000000, this command has 2000000000",
        ),
        (["--free-start"], "was played with free_start False, this command has True"),
        (["--freeze"], "was played with freeze False, this command has True"),
    ],
)
def test_other_conditions_are_refused(short_match, record_file, capsys, change, message):
    refused(capsys, message, *short_match[1], *change, "--games", "6", "--record", record_file, "--resume")


def refused(capsys, message, *words):
    """Check that the judge ends with status 2 and these words before it plays."""
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_another_player_is_refused(short_match, record_file, capsys):
    words = [command("first_legal") if word == MOVER else word for word in short_match[1]]
    version = read_records(record_file)[0][0].players[0].version
    message = f"has A {MOVER} at version {version}, this command has {command('first_legal')} at version "
    refused(capsys, message, *words, "--games", "6", "--record", record_file, "--resume")


def test_another_board_is_refused(short_match, record_file, capsys):
    lines = [json.loads(line) for line in record_file.read_text().splitlines()]
    lines[2]["board"]["forbidden"][1] = (lines[2]["board"]["forbidden"][1] + 1) % 9
    record_file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    message = "was played on another board"
    refused(capsys, message, *short_match[1], "--games", "6", "--record", record_file, "--resume")


def test_two_results_of_one_game_are_refused(short_match, record_file, capsys):
    lines = record_file.read_text().splitlines(keepends=True)
    record_file.write_text("".join([*lines, lines[0]]))
    message = "two results of the game of index"
    refused(capsys, message, *short_match[1], "--games", "6", "--record", record_file, "--resume")


def test_a_file_that_exists_is_not_added_to_unasked(short_match, record_file, capsys):
    message = "holds 4 games already: --resume continues them"
    refused(capsys, message, *short_match[1], "--games", "4", "--record", record_file)


def test_single_games_cannot_be_resumed(short_match, record_file, capsys):
    lines = [json.loads(line) for line in record_file.read_text().splitlines()]
    del lines[0]["extra"]["schedule"]
    record_file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    message = "game 1 does not belong to a run that can be resumed"
    refused(capsys, message, *short_match[1], "--games", "4", "--record", record_file, "--resume")


def test_a_file_that_is_no_record_is_refused(short_match, tmp_path, capsys):
    path = tmp_path / "notes.txt"
    path.write_text("not a record\n")
    refused(capsys, "line 1", *short_match[1], "--games", "4", "--record", path, "--resume")


def test_resuming_needs_a_file(short_match, capsys):
    refused(capsys, "--resume needs --record FILE", *short_match[1], "--games", "4", "--resume")


def test_two_judges_cannot_write_one_record(tmp_path, capsys):
    path = tmp_path / "match.jsonl"
    words = ["match", SLOW, SLOW, "--seed", "1", "--games", "100", "--record", str(path), "--resume"]
    judge = subprocess.Popen(
        judge_command(*words), cwd=tmp_path, env=judge_environment(), stdout=subprocess.PIPE, text=True
    )
    for line in judge.stdout:
        if line.startswith("seed "):
            break
    refused(capsys, "is in use by another judge", *words)
    judge.send_signal(signal.SIGINT)
    judge.communicate(timeout=PATIENCE_S)
    assert list(tmp_path.glob("*.lock")) == []
