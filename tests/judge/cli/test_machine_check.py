"""What the commands look at before games: cores for so many at a time, and the machine's state; it is measured once."""

import json

import pytest

from judge.__main__ import main
from judge.cli import playing
from judge.machine import facts
from judge.machine.facts import Cores, Load, read_cores
from protocol.records.record import read_records
from tests.judge.helpers.scripted import command, run_judge

LOSER = command("misbehave", "off_board")
RUNS = (
    ("match", LOSER, LOSER, "--games", 2),
    ("sprt", LOSER, LOSER, "--elo0", 0, "--elo1", 5, "--games", 2),
    ("batch", LOSER, "--against", LOSER),
    ("tournament", LOSER, f"{LOSER} ", "--rounds", 1),
)
CORES = Cores(2, 2, None)
FREE, TAKEN = Load(0.5, 0.05, 0.0), Load(2.5, 0.75, 0.0)
FIGURES = {"state": "idle", "jobs": 1, "cores": 2, "load": 0.5, "busy": 0.05, "steal": 0.0}


@pytest.fixture
def load(monkeypatch):
    """The Loads that are measured next, the last one first; without an entry nothing may be measured."""
    loads = []
    monkeypatch.setattr(facts, "read_cores", lambda: CORES)
    monkeypatch.setattr(facts, "measure_load", lambda sample_s, sleep: loads.pop())
    return loads


@pytest.mark.parametrize("words", RUNS, ids=lambda words: words[0])
def test_more_games_at_a_time_than_cores_have_to_be_asked_for(tmp_path, monkeypatch, words):
    monkeypatch.setattr(playing, "read_cores", lambda: CORES)
    refused = run_judge(tmp_path, *words, "--jobs", 3)
    assert refused.returncode == 2
    error, more = refused.stderr.splitlines()
    assert error.startswith(
        "error: --jobs 3: each game needs a processor core, and this program may use 2 of the machine's 2 cores; "
    )
    assert error.endswith("use --jobs 2, or let games share cores with --oversubscribe")
    assert more.endswith("--help explains the arguments")
    assert list(tmp_path.iterdir()) == []
    if words is RUNS[0]:
        assert run_judge(tmp_path, *words, "--jobs", 3, "--oversubscribe", "--record", "games.jsonl").returncode == 0
        assert len(read_records(tmp_path / "games.jsonl")[0]) == 2


def looked_at(capsys, path, words, *more):
    """(JSON object, stdout, records) of a run that looks at the machine."""
    texts = [*words, "--record", path, "--json", "--seed", 1, "--limit", 20, *more]
    assert main(list(map(str, texts))) == 0
    output = capsys.readouterr().out
    return json.loads(output.splitlines()[-1]), output, read_records(path)[0]


@pytest.mark.parametrize("words", RUNS, ids=lambda words: words[0])
def test_the_machine_is_looked_at_before_the_games(tmp_path, capsys, load, words):
    load.append(FREE)
    outcome, output, records = looked_at(capsys, tmp_path / "games.jsonl", words)
    (line,) = [line for line in output.splitlines() if line.startswith("the machine is ")]
    figures = (
        "0.1 of 2 cores are busy, the load average is 0.50, the host takes 0.0% of the CPU time for other machines"
    )
    assert line == f"the machine is idle enough for --jobs 1: {figures}"
    assert [record.extra["machine"] for record in records] == [FIGURES] * 2
    assert outcome["machine"]["state"] == "idle"
    assert outcome["machine"]["games"]["idle"] == 2


def test_a_busy_machine_is_told_of_with_what_tells_more(capsys, load):
    load.append(TAKEN)
    assert playing.check_machine(2)["state"] == "busy"
    line = capsys.readouterr().out
    assert line.startswith(
        "the machine is too busy for --jobs 2: games at a time: 2, cores to use: 2, 1.5 of 2 cores are busy"
    )
    assert line.endswith(" doctor --jobs 2\n")


def test_a_run_goes_on_whatever_the_machine_is_like_then(tmp_path, capsys, load):
    path, words = tmp_path / "match.jsonl", RUNS[0][:3]
    load.append(FREE)
    looked_at(capsys, path, words, "--games", 2)
    outcome, output, records = looked_at(capsys, path, words, "--games", 4, "--no-machine-check", "--resume")
    assert "the machine is " not in output.partition("Score of A")[0]
    assert [record.extra["machine"] is None for record in records] == [False, False, True, True]
    assert (outcome["machine"]["games"]["not_measured"], outcome["machine"]["state"] == "busy") == (2, False)
    assert outcome["short_of_core"].keys() == {"A", "B", "bound", "warning"}
    other = [json.loads(line) for line in path.read_text().splitlines()]
    other[0]["extra"]["machine"] = {"state": "of another machine", "cores": 96}
    path.write_text("".join(json.dumps(record) + "\n" for record in other))
    looked_at(capsys, path, words, "--games", 4, "--resume")  # where nothing is to be played nothing is measured


def test_a_single_game_is_not_kept_waiting_and_tells_its_own_shares(tmp_path, capsys, load):
    path = tmp_path / "play.jsonl"
    first = command("first_legal")
    assert main(["play", first, first, "--record", str(path), "--json"]) == 0
    output = capsys.readouterr().out
    (record,) = read_records(path)[0]
    assert "machine" not in record.extra
    shares = record.extra["short_of_core"]
    assert shares.keys() == {"A", "B", "bound", "warning"}
    assert json.loads(output.splitlines()[-1])["short_of_core"] == shares
    assert ("warning: moves slowed by other programs" in output) == shares["warning"]


def test_the_doctor_measures_games_at_the_same_time(tmp_path, load):
    load.append(FREE)
    done = run_judge(tmp_path, "doctor", "--jobs", 2, "--seconds", 2.2, "--json")
    first, *_, verdict, last = done.stdout.splitlines()
    assert first == "measuring the machine for 2.2 s for --jobs 2; end other programs that are running"
    assert verdict == "games with --jobs 2 would be played fairly on this machine"
    content = json.loads(last)
    assert [fact["name"] for fact in content["facts"]] == ["cores", "load"]
    assert (content["ok"], content["unfair"], content["fairness"]) == (True, [], {**FIGURES, "jobs": 2})
    assert (done.returncode, done.stderr) == (0, "")


def test_what_is_not_fair_is_named(tmp_path, load):
    load += [TAKEN, TAKEN]
    done = run_judge(tmp_path, "doctor", "--jobs", 3, "--seconds", 0.1, "--json")
    assert done.returncode == 1
    *_, verdict, last = done.stdout.splitlines()
    assert "games at a time: 3, cores to use: 2" in done.stdout
    assert verdict == "games with --jobs 3 would not be played fairly on this machine: cores, load"
    assert (json.loads(last)["ok"], json.loads(last)["unfair"]) == (False, ["cores", "load"])
    assert "measuring the machine for 10 s for --jobs 1" in run_judge(tmp_path, "doctor", "--jobs", 1).stdout


def test_it_is_really_measured(tmp_path):
    jobs = read_cores().jobs
    done = run_judge(tmp_path, "doctor", "--jobs", jobs, "--seconds", 0.5, "--json")
    content = json.loads(done.stdout.splitlines()[-1])
    assert content["fairness"]["jobs"] == jobs
    assert 0.0 <= content["fairness"]["busy"] <= 1.0
    assert content["ok"] == (content["unfair"] == []) == (done.returncode == 0)


def test_words_of_the_measurement_are_checked(tmp_path):
    for words, message in (
        (("--jobs", 0), "'0' is not an integer of at least 1"),
        (("--jobs", 1, "--seconds", 0), "'0' is not a number of seconds above 0"),
        (("--seconds", 5), "--seconds needs --jobs"),
    ):
        done = run_judge(tmp_path, "doctor", *words)
        assert (done.returncode, done.stdout) == (2, ""), words
        assert message in done.stderr.splitlines()[0], words
