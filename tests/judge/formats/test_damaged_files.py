"""Files of every format, cut off or altered anywhere: a line with file and place for a fault, never a traceback."""

import json
import random

import pytest

from judge.commands.records import import_
from judge.formats.table import FORMATS
from judge.play.recheck import disagreements
from protocol.records.record import read_records
from tests.judge.helpers.logged_files import samples
from tests.places import REPOSITORY

EXAMPLES = 40
MANY = 600
DIGITS = b"0123456789-"
# What a fault's line begins with: a line of the file, a key of its JSON, a part of a match.
PLACES = ("line ", "[", "stdin of seat", "info", "message", "state", "id", "game", "moves", "the game", "error")
# What else lies in the repository and is no code: positions, a recorded game, a page.
HELD = [
    *sorted(path for path in (REPOSITORY / "tests" / "positions").iterdir() if path.is_file()),
    *sorted(
        path for path in (REPOSITORY / "tests" / "protocol" / "judger" / "transcripts").iterdir() if path.is_file()
    ),
    REPOSITORY / "docs" / "pictures" / "game.jsonl",
]
LONGEST = 40_000  # bytes
SLOW = [pytest.mark.slow, pytest.mark.timeout(1200)]


def damaged(data, generator):
    """The bytes cut off, or with some of them altered, put in, left out or doubled."""
    kind = generator.choice(("cut", "alter", "alter", "insert", "delete", "double", "digits"))
    place = generator.randrange(len(data))
    if kind == "cut":
        return data[:place]
    if kind == "alter":
        return data[:place] + bytes([generator.randrange(256)]) + data[place + 1 :]
    if kind == "insert":
        return data[:place] + generator.randbytes(generator.randint(1, 8)) + data[place:]
    end = place + generator.randint(1, 60)
    if kind == "delete":
        return data[:place] + data[end:]
    if kind == "double":
        return data[:end] + data[place:]
    is_other = [chr(byte).isdigit() and generator.random() < 0.02 for byte in data]
    return bytes(generator.choice(DIGITS) if other else byte for byte, other in zip(data, is_other, strict=True))


def check(name, data, folder, capsys):
    """Import a file in four ways; what is in the record then can be judged."""
    path, record = folder / "logged", folder / "record.jsonl"
    path.write_bytes(data)
    for words in (
        ["--record", record],
        ["--show"],
        ["--show", "--json"],
        ["--format", name, "--json", "--record", record],
    ):
        status = import_.main([str(path), *map(str, words)])
        printed = capsys.readouterr()
        lines = [line.removeprefix("note: ") for line in printed.err.splitlines()]
        assert all(line.startswith(f"{path}: ") for line in lines)
        assert status in (0, 1)
        if status == 1:
            assert [line for line in printed.err.splitlines() if not line.startswith("note: ")]
        if "--json" in words:
            assert isinstance(json.loads(printed.out.splitlines()[-1]), dict)
    if record.exists():
        assert all(isinstance(disagreements(game), list) for game in read_records(record)[0])
        record.unlink()


@pytest.mark.parametrize("examples", [EXAMPLES, pytest.param(MANY, marks=SLOW)])
@pytest.mark.parametrize("name", FORMATS)
def test_a_file_cut_off_or_altered_anywhere_gives_lines_and_no_traceback(name, examples, tmp_path, capsys):
    whole = samples()[name]
    check(name, whole, tmp_path, capsys)
    for seed in range(examples):
        check(name, damaged(whole, random.Random(f"{name} {seed}")), tmp_path, capsys)


@pytest.mark.parametrize("path", HELD, ids=lambda path: path.name)
def test_other_files_that_the_tests_hold(path, tmp_path, capsys):
    whole = path.read_bytes()[:LONGEST]
    for seed in range(EXAMPLES // 4):
        check("record", damaged(whole, random.Random(f"{path.name} {seed}")), tmp_path, capsys)


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_taken_for_another_format_gives_lines_and_no_traceback(name, tmp_path, capsys):
    path = tmp_path / "logged"
    for other, data in samples().items():
        path.write_bytes(data)
        status = import_.main([str(path), "--format", name, "--record", str(tmp_path / "record.jsonl")])
        assert status == (name == "compete-result" or other != name)
        lines = capsys.readouterr().err.splitlines()
        assert any(not line.startswith("note: ") for line in lines) == (status == 1)


def test_a_place_is_told_with_most_faults(tmp_path, capsys):
    told = []
    for name, whole in samples().items():
        for seed in range(EXAMPLES):
            path = tmp_path / "logged"
            path.write_bytes(damaged(whole, random.Random(f"place {name} {seed}")))
            import_.main([str(path), "--format", name, "--show", "--json"])
            told += [line.removeprefix(f"{path}: ") for line in capsys.readouterr().err.splitlines()]
    faults = [line for line in told if not line.startswith("note: ")]
    without = [line for line in faults if not line.startswith(PLACES) and "line " not in line and ": line" not in line]
    assert len(faults) > 100
    assert {line for line in without if "result file" not in line and "an empty file" not in line} == set()
