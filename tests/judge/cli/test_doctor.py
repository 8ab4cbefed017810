"""`judge doctor` on the machine at hand: what it says has a shape, whatever the machine is."""

import json
import subprocess
import sys

from judge.cli.arguments import fresh_record_file
from judge.cli.doctor import RECORDS
from judge.machine.facts import State
from judge.machine.packages import REQUIREMENTS
from tests.judge.helpers.scripted import PATIENCE_S, judge_environment, run_judge

NAMES = {"dropfour", "Python", "cores", "load", "memory", "g++", "git", "records", "characters"}
MARKS = {state.value for state in State}
MARK_WIDTH = max(map(len, MARKS))


def marks(output):
    """{name of a fact: its mark} of the lines that are no advice."""
    parts = [(line[:MARK_WIDTH].strip(), line[MARK_WIDTH:]) for line in output.splitlines()]
    return {rest.split("  ")[1].strip(): mark for mark, rest in parts if mark in MARKS and rest.startswith("  ")}


def test_every_fact_has_a_mark_and_what_is_missing_decides_the_status(tmp_path):
    done = run_judge(tmp_path, "doctor", "--json")
    content = json.loads(done.stdout.splitlines()[-1])
    facts = {fact["name"]: fact for fact in content["facts"]}
    assert facts.keys() >= NAMES | {requirement.name for requirement in REQUIREMENTS}
    assert facts.keys() >= {"connect_four engine", "reversi engine", "dots engine", "reversi weights"}
    assert marks(done.stdout) == {name: fact["state"] for name, fact in facts.items()}
    assert content["missing"] == [name for name, fact in facts.items() if fact["state"] == "missing"]
    assert done.returncode == (1 if content["missing"] else 0) == (not content["ok"])
    assert done.stderr == ""
    assert all(fact["advice"] in done.stdout for fact in facts.values())
    assert list(tmp_path.iterdir()) == []
    # The judge's own packages are here, or these tests would not run.
    assert {facts[requirement.name]["state"] for requirement in REQUIREMENTS if not requirement.use} == {"ok"}


def test_without_any_package_it_says_which_are_missing(tmp_path):
    """-S leaves out the packages that are installed."""
    done = subprocess.run(
        [sys.executable, "-S", "-m", "judge", "doctor"],
        cwd=tmp_path,
        env=judge_environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    found = marks(done.stdout)
    assert {found[name] for name in ("msgspec", "numpy", "prompt_toolkit", "psutil", "rich", "scipy")} == {"missing"}
    assert {found[name] for name in ("numba", "argcomplete")} == {"warning"}
    assert (done.returncode, done.stderr) == (1, "")
    assert "setup" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("missing: msgspec, numpy, prompt_toolkit, psutil, rich, scipy")


def test_names_in_other_scripts_do_not_stop_it(tmp_path):
    folder = tmp_path / "四子棋"
    folder.mkdir()
    environment = judge_environment(PYTHONIOENCODING="ascii")
    command = [sys.executable, "-m", "judge", "doctor"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=PATIENCE_S, check=False)
    assert done.stderr == b""
    assert b"\\u56db" in done.stdout
    assert marks(done.stdout.decode("ascii"))["characters"] == "warning"


def test_two_runs_that_begin_in_one_second_have_records_of_their_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    RECORDS.mkdir()
    found = set()
    for _ in range(3):
        path = fresh_record_file("match")
        path.touch()
        found.add(path)
    assert len(found) == 3


def test_a_folder_where_no_record_can_be_kept_is_missing(tmp_path):
    (tmp_path / RECORDS).write_text("a file")
    assert fresh_record_file("match").parent == RECORDS
    done = run_judge(tmp_path, "doctor")
    assert (done.returncode, marks(done.stdout)["records"]) == (1, "missing")
