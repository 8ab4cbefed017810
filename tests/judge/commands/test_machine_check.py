"""What the commands look at before games: cores for so many at a time, and the machine's state."""

import json

import pexpect
import pytest

from judge.__main__ import main
from judge.machine.cores import read_cores
from protocol.records.record import read_records
from tests.judge.helpers.scripted import (
    PATIENCE_S,
    command,
    judge_command,
    judge_environment,
    run_judge,
    run_judge_process,
)

FIRST = command("first_legal")
RUNS = (
    ("match", FIRST, FIRST, "--games", 2),
    ("sprt", FIRST, FIRST, "--elo0", 0, "--elo1", 5, "--games", 2),
    ("batch", FIRST, "--against", FIRST),
)
TOO_MANY = read_cores().jobs + 1


@pytest.mark.parametrize("words", RUNS, ids=lambda words: words[0])
def test_more_games_at_a_time_than_cores_have_to_be_asked_for(tmp_path, words):
    refused = run_judge(tmp_path, *words, "--jobs", TOO_MANY)
    assert refused.returncode == 2
    error, more = refused.stderr.splitlines()
    assert error.startswith(f"error: --jobs {TOO_MANY}: this program may use {read_cores().usable:g} of the machine's ")
    assert f"--jobs {TOO_MANY - 1} fits, --oversubscribe has games share cores" in error
    assert more.endswith("--help tells more")
    assert list(tmp_path.iterdir()) == []
    played = run_judge(tmp_path, *words, "--jobs", TOO_MANY, "--oversubscribe", "--record", "games.jsonl")
    assert played.returncode == 0
    assert len(read_records(tmp_path / "games.jsonl")[0]) == 2


def looked_at(capsys, path, words, *more):
    """(JSON object, stdout, records) of a run that looks at the machine."""
    texts = [*words, "--record", path, "--json", "--seed", 1, "--limit", 20, *more]
    assert main(list(map(str, texts))) == 0
    output = capsys.readouterr().out
    return json.loads(output.splitlines()[-1]), output, read_records(path)[0]


@pytest.mark.parametrize("words", RUNS, ids=lambda words: words[0])
def test_the_machine_is_looked_at_before_the_games(tmp_path, capsys, words):
    outcome, output, records = looked_at(capsys, tmp_path / "games.jsonl", words)
    (line,) = [line for line in output.splitlines() if line.startswith("machine ")]
    found = records[0].extra["machine"]
    assert line.startswith(f"machine {found['state']} for --jobs 1: ")
    assert [record.extra["machine"] for record in records] == [found, found]
    assert (found["jobs"], found["slots"]) == (1, 1)
    assert found["state"] in ("idle", "busy")
    assert outcome["machine"]["state"] == found["state"]
    assert outcome["machine"]["games"][found["state"]] == 2
    assert outcome["short_of_core"].keys() == {"A", "B", "bound", "warning"}


def test_a_run_goes_on_whatever_the_machine_is_like_then(tmp_path, capsys):
    path = tmp_path / "match.jsonl"
    words = RUNS[0][:3]
    looked_at(capsys, path, words, "--games", 2)
    outcome, output, records = looked_at(capsys, path, words, "--games", 4, "--no-machine-check", "--resume")
    assert "machine " not in output.partition("Score of A")[0]
    assert [record.extra["machine"] is None for record in records] == [False, False, True, True]
    assert outcome["machine"]["games"]["not_measured"] == 2
    assert (outcome["machine"]["state"] == "busy") == (records[0].extra["machine"]["state"] == "busy")
    lines = path.read_text().splitlines()
    other = [json.loads(line) for line in lines]
    other[0]["extra"]["machine"] = {"state": "of another machine", "cores": 96}
    path.write_text("".join(json.dumps(record) + "\n" for record in other))
    looked_at(capsys, path, words, "--games", 6, "--resume", "--no-machine-check")


def test_nothing_is_measured_where_nothing_is_to_be_played(tmp_path, capsys):
    path = tmp_path / "match.jsonl"
    looked_at(capsys, path, RUNS[0], "--no-machine-check")
    _, output, _ = looked_at(capsys, path, RUNS[0], "--resume")
    assert "machine idle" not in output
    assert "machine busy" not in output


def test_a_single_game_is_not_kept_waiting_and_tells_its_own_shares(tmp_path, capsys):
    path = tmp_path / "play.jsonl"
    assert main(["play", FIRST, FIRST, "--record", str(path), "--json"]) == 0
    output = capsys.readouterr().out
    (record,) = read_records(path)[0]
    assert "machine idle" not in output
    assert "machine busy" not in output
    assert "machine" not in record.extra
    shares = record.extra["short_of_core"]
    assert shares.keys() == {"A", "B", "bound", "warning"}
    assert json.loads(output.splitlines()[-1])["short_of_core"] == shares
    assert ("warning: moves short of a core" in output) == shares["warning"]


def test_the_doctor_measures_games_at_the_same_time(tmp_path):
    done = run_judge(tmp_path, "doctor", "--jobs", 2, "--seconds", 0.5, "--json")
    content = json.loads(done.stdout.splitlines()[-1])
    assert [fact["name"] for fact in content["facts"]] == ["cores", "speeds", "waits", "wake-ups", "steal"]
    assert content["unfair"] == [fact["name"] for fact in content["facts"] if fact["state"] == "warning"]
    assert content["ok"] == (content["unfair"] == []) == (done.returncode == 0)
    assert content["fairness"]["jobs"] == 2
    assert done.returncode in (0, 1)
    verdict = done.stdout.splitlines()[-2]
    assert verdict.startswith(f"--jobs 2 is {'fair' if content['ok'] else 'not fair'} on this machine")
    assert done.stderr == ""


def test_too_many_games_at_a_time_are_not_fair(tmp_path):
    done = run_judge(tmp_path, "doctor", "--jobs", TOO_MANY, "--seconds", 0.5)
    assert done.returncode == 1
    assert f"games at a time: {TOO_MANY}, cores to use: {read_cores().usable:g}" in done.stdout
    assert f"--jobs {TOO_MANY} is not fair on this machine: cores" in done.stdout.splitlines()[-1]


def test_a_bar_shows_how_far_the_measurement_is(tmp_path):
    words = judge_command("doctor", "--jobs", 1, "--seconds", 1.5)
    terminal = pexpect.spawn(
        words[0],
        words[1:],
        cwd=str(tmp_path),
        env=judge_environment(TERM="xterm-256color", LANG="C.UTF-8"),
        dimensions=(24, 80),
        encoding="utf-8",
        timeout=PATIENCE_S,
    )
    terminal.expect("measuring --jobs 1 for 1.5 s")
    terminal.expect("measuring.*━")
    terminal.expect("--jobs 1 is (not )?fair on this machine")
    terminal.expect(pexpect.EOF)


@pytest.mark.parametrize(
    "words, message",
    [
        (("--jobs", 0), "'0' is not an integer of at least 1"),
        (("--jobs", 1, "--seconds", 0), "'0' is not a number of seconds above 0"),
        (("--seconds", 5), "--seconds is an option of --jobs J"),
    ],
)
def test_words_of_the_measurement_are_checked(tmp_path, words, message):
    done = run_judge_process(tmp_path, "doctor", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr.splitlines()[0]
