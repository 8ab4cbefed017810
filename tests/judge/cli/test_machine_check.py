"""What the commands look at before games: cores for so many at a time, and the machine's state; it is measured once."""

import dataclasses
import io
import json

import pytest
from rich.console import Console

from judge.__main__ import main
from judge.cli import doctor, playing
from judge.machine.facts import Cores, read_cores
from judge.machine.fairness import ROUND_S, Fairness, NotMeasured
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
FAIR = Fairness(CORES, 1, 1, 1.0, 0.5, 0.0, 0.01, (0.0001, 0.001, 0.02), 1.0, 0.01)
TWO = dataclasses.replace(FAIR, jobs=2, slots=2, slowest=0.97)


@pytest.fixture
def measured(monkeypatch):
    """What measuring the machine finds; without an entry nothing may be measured. The calls are added to its end."""
    found = []

    def measure(*words):
        found.append(words)
        if isinstance(found[0], Exception):
            raise found[0]
        return found[0]

    monkeypatch.setattr(playing, "measure", measure)
    monkeypatch.setattr(doctor, "measure", measure)
    return found


@pytest.mark.parametrize("words", RUNS, ids=lambda words: words[0])
def test_more_games_at_a_time_than_cores_have_to_be_asked_for(tmp_path, monkeypatch, words):
    monkeypatch.setattr(playing, "read_cores", lambda: CORES)
    refused = run_judge(tmp_path, *words, "--jobs", 3)
    assert refused.returncode == 2
    error, more = refused.stderr.splitlines()
    assert error.startswith(
        "error: --jobs 3: this program may use 2 of the machine's 2 cores, and each game needs one; "
    )
    assert error.endswith("--jobs 2 fits, --oversubscribe has games share cores")
    assert more.endswith("--help tells more")
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
def test_the_machine_is_looked_at_before_the_games(tmp_path, capsys, measured, words):
    measured.append(FAIR)
    outcome, output, records = looked_at(capsys, tmp_path / "games.jsonl", words)
    assert measured == [FAIR, (1,)]
    (line,) = [line for line in output.splitlines() if line.startswith("machine ")]
    assert line == "machine idle for --jobs 1: waits 1.0%, timers 0.1 ms late (99 of 100: 1.0), steal 0.0%"
    assert [record.extra["machine"] for record in records] == [FAIR.as_json()] * 2
    assert outcome["machine"]["state"] == "idle"
    assert outcome["machine"]["games"]["idle"] == 2


def test_a_busy_machine_is_told_of_with_what_tells_more(capsys, measured):
    measured.append(dataclasses.replace(TWO, slowest=0.5, waited=None, steal=None))
    assert playing.check_machine(2)["state"] == "busy"
    line = capsys.readouterr().out
    assert line.startswith(
        "machine busy for --jobs 2: slowest slot 50% of the fastest, timers 0.1 ms late (99 of 100: 1.0); longer and"
    )
    assert line.endswith(" doctor --jobs 2\n")
    measured[0] = NotMeasured("a slot has ended")
    assert playing.check_machine(1) is None
    assert capsys.readouterr().out == "machine not measured: a slot has ended\n"


def test_a_run_goes_on_whatever_the_machine_is_like_then(tmp_path, capsys, measured):
    path, words = tmp_path / "match.jsonl", RUNS[0][:3]
    measured.append(FAIR)
    looked_at(capsys, path, words, "--games", 2)
    outcome, output, records = looked_at(capsys, path, words, "--games", 4, "--no-machine-check", "--resume")
    assert "machine " not in output.partition("Score of A")[0]
    assert [record.extra["machine"] is None for record in records] == [False, False, True, True]
    assert (outcome["machine"]["games"]["not_measured"], outcome["machine"]["state"] == "busy") == (2, False)
    assert outcome["short_of_core"].keys() == {"A", "B", "bound", "warning"}
    other = [json.loads(line) for line in path.read_text().splitlines()]
    other[0]["extra"]["machine"] = {"state": "of another machine", "cores": 96}
    path.write_text("".join(json.dumps(record) + "\n" for record in other))
    looked_at(capsys, path, words, "--games", 4, "--resume")
    assert measured == [FAIR, (1,)]  # where nothing is to be played nothing is measured


def test_a_single_game_is_not_kept_waiting_and_tells_its_own_shares(tmp_path, capsys, measured):
    path = tmp_path / "play.jsonl"
    first = command("first_legal")
    assert main(["play", first, first, "--record", str(path), "--json"]) == 0
    output = capsys.readouterr().out
    (record,) = read_records(path)[0]
    assert measured == [] and "machine" not in record.extra
    shares = record.extra["short_of_core"]
    assert shares.keys() == {"A", "B", "bound", "warning"}
    assert json.loads(output.splitlines()[-1])["short_of_core"] == shares
    assert ("warning: moves short of a core" in output) == shares["warning"]


def test_the_doctor_measures_games_at_the_same_time(tmp_path, measured):
    measured.append(TWO)
    done = run_judge(tmp_path, "doctor", "--jobs", 2, "--seconds", 2.2, "--json")
    (rounds,) = measured[1:]
    assert rounds[:3] == (2, 4, ROUND_S)
    first, *_, verdict, last = done.stdout.splitlines()
    assert first == "measuring --jobs 2 for 2.2 s; end what else runs"
    assert verdict == "--jobs 2 is fair on this machine"
    content = json.loads(last)
    assert [fact["name"] for fact in content["facts"]] == ["cores", "speeds", "waits", "wake-ups", "steal"]
    assert (content["ok"], content["unfair"], content["fairness"]) == (True, [], TWO.as_json())
    assert (done.returncode, done.stderr) == (0, "")


def test_what_is_not_fair_is_named(tmp_path, measured):
    measured.append(dataclasses.replace(TWO, jobs=3, waited=0.5))
    done = run_judge(tmp_path, "doctor", "--jobs", 3, "--seconds", 0.1, "--json")
    assert measured[1][:3] == (3, 1, ROUND_S)  # one round at least
    assert done.returncode == 1
    *_, verdict, last = done.stdout.splitlines()
    assert "games at a time: 3, cores to use: 2" in done.stdout
    assert verdict == "--jobs 3 is not fair on this machine: cores, waits"
    assert (json.loads(last)["ok"], json.loads(last)["unfair"]) == (False, ["cores", "waits"])
    measured[0] = NotMeasured("a slot has ended")
    done = run_judge(tmp_path, "doctor", "--jobs", 3)
    assert (done.returncode, done.stderr) == (1, "error: a slot has ended\n")
    assert measured[-1][1] == round(doctor.DEFAULT_S / ROUND_S)
    assert "measuring --jobs 3 for 60 s" in done.stdout


def test_it_is_really_measured(tmp_path):
    jobs = read_cores().jobs
    done = run_judge(tmp_path, "doctor", "--jobs", jobs, "--seconds", 0.5, "--json")
    content = json.loads(done.stdout.splitlines()[-1])
    assert (content["fairness"]["jobs"], content["fairness"]["slots"], content["fairness"]["seconds"]) == (
        jobs,
        jobs,
        0.5,
    )
    assert content["ok"] == (content["unfair"] == []) == (done.returncode == 0)


def test_a_bar_shows_how_far_the_measurement_is(monkeypatch):
    """Drawn after a round, on a terminal alone."""

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    shown = Terminal()
    monkeypatch.setattr("sys.stderr", shown)
    environment = {"TERM": "xterm-256color"}
    console = Console(file=shown, force_terminal=True, width=80, _environ=environment)
    monkeypatch.setattr(doctor, "console", lambda stderr: console)
    drawn = []

    def measure(jobs, rounds, round_s, on_round):
        for number in range(1, rounds + 1):
            on_round(number)
            drawn.append(shown.getvalue())
        return FAIR

    monkeypatch.setattr(doctor, "measure", measure)
    assert doctor.measured(1, 2.0) is FAIR
    assert len(set(map(len, drawn))) == len(drawn) == 4
    assert all("measuring" in text and "━" in text for text in drawn)
    monkeypatch.setattr("sys.stderr", io.StringIO())
    before = shown.getvalue()
    assert doctor.measured(1, 2.0) is FAIR
    assert shown.getvalue() == before


def test_words_of_the_measurement_are_checked(tmp_path):
    for words, message in (
        (("--jobs", 0), "'0' is not an integer of at least 1"),
        (("--jobs", 1, "--seconds", 0), "'0' is not a number of seconds above 0"),
        (("--seconds", 5), "--seconds is an option of --jobs J"),
    ):
        done = run_judge(tmp_path, "doctor", *words)
        assert (done.returncode, done.stdout) == (2, ""), words
        assert message in done.stderr.splitlines()[0], words
