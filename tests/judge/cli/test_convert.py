"""`dropfour convert`: records of earlier versions, written anew for this one."""

import json

import pytest

from judge.cli.convert import read_any_version
from protocol.records.record import RecordError, read_records
from tests.judge.helpers.scripted import run_judge
from tests.protocol.records.examples import VERSION_1_LINE, record

SAMPLE = record()


def altered(path, value, line=VERSION_1_LINE):
    """Return the JSON line with the entry at `path` (keys, indices) replaced, or dropped if `...`."""
    content = json.loads(line)
    part = content
    for key in path[:-1]:
        part = part[key]
    if value is ...:
        del part[path[-1]]
    else:
        part[path[-1]] = value
    return json.dumps(content)


def of_version_2(**changes):
    return altered(["record_version"], 2, record(**changes).to_json())


def test_a_line_of_each_version_is_the_same_game():
    for line in (VERSION_1_LINE, of_version_2(), SAMPLE.to_json()):
        assert read_any_version(line) == SAMPLE
    told = {**SAMPLE.extra, "reason": "B has four in a line"}
    assert read_any_version(of_version_2(extra=told)).extra["reason"] == "B has four in a line"


def test_in_version_1_the_sides_move_in_turn_from_the_first_and_not_all_keys_were_needed():
    moves = json.loads(VERSION_1_LINE)["moves"] * 3
    for first, sides in (("A", "ABABAB"), ("B", "BABABA")):
        line = altered(["moves"], moves, altered(["first"], first))
        assert "".join(move.side for move in read_any_version(line).moves) == sides
    line = VERSION_1_LINE
    for key in ("game", "seed", "pair", "extra"):
        line = altered([key], ..., line)
    assert read_any_version(line) == record(seed=None, pair=None, extra={})
    assert read_any_version(altered(["forbidden"], None, line)).board["forbidden"] is None


WRONG = [
    (["rows"], "9", "rows: expected an integer, got a string"),
    (["rows"], 0, "rows: expected an integer >= 1"),
    (["rows"], ..., "rows: expected such a key, got none"),
    (["forbidden"], [8], "forbidden: expected a list of length 2"),
    (["forbidden"], [8, None], "forbidden[1]: expected an integer"),
    (["board"], {}, "board: expected no key of this name"),
    (["first"], "C", "first: expected A or B"),
    (["moves", 0], 4, "moves[0]: expected an object"),
    (["moves", 0, "column"], 4.0, "moves[0].column: expected an integer"),
    (["moves", 1, "side"], "A", "moves[1].side: expected no key of this name"),
    (["moves", 1, "wall_s"], -1, "moves[1].wall_s: expected a number >= 0"),
    (["players", 1, "name"], None, "players[1].name: expected a string"),
    (["extra"], {"A": {"cpu_s": "x"}}, "extra.A.cpu_s: expected a number"),
    (["record_version"], 0, "record_version: expected 1 to 3, got 0"),
    (["record_version"], 9, "record_version: expected 3, got 9: a newer version"),
]


def test_a_wrong_field_is_named_as_it_stands_there():
    for path, value, message in WRONG:
        with pytest.raises(RecordError) as refused:
            read_any_version(altered(path, value))
        assert str(refused.value).startswith(message)


def test_a_file_is_written_anew_and_what_cannot_be_read_is_named(tmp_path):
    old, new = tmp_path / "it's old.jsonl", tmp_path / "new.jsonl"
    lines = [VERSION_1_LINE, of_version_2(), altered(["first"], "C"), SAMPLE.to_json(), VERSION_1_LINE[:90]]
    old.write_text("\n".join(lines))
    before = old.read_bytes()
    done = run_judge(tmp_path, "convert", old, new)
    assert (done.returncode, done.stdout) == (1, f"3 games were written to {new}\n")
    assert done.stderr.splitlines() == [
        f"{old}: line 3 is left out: first: expected A or B",
        f"{old}: line 5 is left out: the line is incomplete",
    ]
    assert read_records(new) == ([SAMPLE] * 3, [])
    again = run_judge(tmp_path, "convert", old, new)
    assert again.returncode == 2 and "exists already, and is not overwritten" in again.stderr
    assert (old.read_bytes(), read_records(new)[0]) == (before, [SAMPLE] * 3)
    assert run_judge(tmp_path, "convert", new, tmp_path / "same.jsonl").returncode == 0
    assert (tmp_path / "same.jsonl").read_bytes() == new.read_bytes()


def test_a_file_without_a_game_is_refused_and_nothing_is_written(tmp_path):
    (tmp_path / "text").write_text("hello\n")
    (tmp_path / "empty").touch()
    for name in ("text", "empty", "none", "."):
        done = run_judge(tmp_path, "convert", name, "new.jsonl")
        assert (done.returncode, done.stdout) == (2, "") and done.stderr.startswith("error: "), name
    assert not (tmp_path / "new.jsonl").exists()


def test_every_command_that_is_given_an_old_file_names_this_one(tmp_path):
    old = tmp_path / "old.jsonl"
    old.write_text(of_version_2() + "\n")
    for words in (
        ("replay", old),
        ("repro", old),
        ("view", old, "--output", "page.html"),
        ("review", old),
        ("export", old, "--format", "csv"),
        ("import", old, "--record", "imported.jsonl"),
        ("play", "x", "y", "--record", old),
    ):
        done = run_judge(tmp_path, *words)
        assert done.returncode in (1, 2) and "convert" in done.stderr and str(old) in done.stderr, (words, done.stderr)
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".lock"] == ["old.jsonl"]
