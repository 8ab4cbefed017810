"""A run goes on with the very players that began it."""

import re

import pytest

from protocol.records.record import read_records
from tests.judge.helpers.scripted import command, run_judge

MOVER = command("random_mover", "--seed", "{seed}")
WORDS = ("match", MOVER, MOVER, "--seed", 7, "--limit", 20, "--record", "match.jsonl")


@pytest.fixture
def begun(tmp_path):
    """The folder of a match of two games, and its record file."""
    assert run_judge(tmp_path, *WORDS, "--games", 2).returncode == 0
    return tmp_path, tmp_path / "match.jsonl"


def test_another_version_of_a_player_is_refused(begun):
    folder, file = begun
    version = read_records(file)[0][0].players[0].version
    file.write_text(file.read_text().replace(f'"version":"{version}"', '"version":"old"'))
    done = run_judge(folder, *WORDS, "--games", 4, "--resume")
    assert done.returncode == 2
    assert f"has A {MOVER} at version old, this command has {MOVER} at version {version}" in done.stderr


def test_a_record_without_versions_is_taken_with_one_note(begun):
    """As they were before players had versions by content."""
    folder, file = begun
    file.write_text(re.sub('"version":"[0-9a-f]+"', '"version":null', file.read_text()))
    done = run_judge(folder, *WORDS, "--games", 4, "--resume")
    assert done.returncode == 0, done.stderr
    (note,) = [line for line in done.stderr.splitlines() if line.startswith("note: ")]
    assert note == f"note: match.jsonl does not tell the version of {MOVER}: taken for the same"
    assert len(read_records(file)[0]) == 4
