"""What every format of game logs has to do: judge/formats/registry.py has them, logged_files.py a file of each."""

import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from judge.cli import import_
from judge.formats.reading import Source
from judge.formats.registry import FORMATS, format_of
from judge.play.recheck import disagreements
from protocol.records.record import Termination, read_records
from tests.contracts.games import GAMES
from tests.judge.helpers.logged_files import GAMES_OF, WRITERS, samples
from tests.judge.helpers.logged_games import any_record, imported, outcome, records, without_extra
from tests.places import REPOSITORY

DIGITS = b"0123456789-"
# What a fault's line begins with: a line of the file, a key of its JSON, a part of a match.
PLACES = (
    "line ",
    "[",
    "stdin of seat",
    "seats",
    "info",
    "message",
    "state",
    "id",
    "game",
    "moves",
    "the game",
    "error",
)
PLACELESS = ("result file", "the file is empty", "the file has no game", "the file says ")
# What else lies in the repository and is no code: positions, a recorded game, a page.
HELD = [
    *(path for path in sorted((REPOSITORY / "tests" / "positions").iterdir()) if path.is_file()),
    *(path for path in sorted((REPOSITORY / "tests/protocol/judger/transcripts").iterdir()) if path.is_file()),
    REPOSITORY / "docs" / "pictures" / "game.jsonl",
]
LONGEST = 40_000  # bytes
SLOW = [pytest.mark.slow, pytest.mark.timeout(1200)]
NAMES = st.tuples(st.text(min_size=1, max_size=12), st.text(max_size=12))
WRITTEN = [(name, game) for name, (games, _) in WRITERS.items() for game in games]
each_format = pytest.mark.parametrize("name", FORMATS)
each_written = pytest.mark.parametrize("name, game", WRITTEN)


def test_there_is_a_file_of_every_format_and_one_that_is_written_for_every_game():
    assert set(samples()) == set(GAMES_OF) == set(FORMATS)
    assert set(WRITERS) <= set(FORMATS)
    assert set(WRITERS["text"][0]) == set(WRITERS["record"][0]) == set(GAMES)


@each_format
def test_a_file_is_told_by_its_content_in_any_encoding(name):
    data = samples()[name]
    for encoded in (data, b"\xef\xbb\xbf\n" + data, data.decode().encode("utf-16")):
        assert format_of(Source(encoded)) is FORMATS[name]
        assert [outcome(game) for game in imported(encoded)[0]] == [outcome(game) for game in imported(data)[0]]


@each_format
def test_a_file_is_read_as_games_that_the_rules_agree_with(name):
    games, problems, told = imported(samples()[name])
    assert told == name
    found = [(game.game, len(game.moves), game.termination.value, game.at_fault) for game in games]
    assert found == GAMES_OF[name]
    assert [problem.text for problem in problems] == [] or name == "compete-result"
    for game in games:
        assert disagreements(game) == []
        assert name == "record" or game.extra["imported_from"]["format"] == name


def test_other_files_have_no_format():
    for data in (b"", b" \n", b"hello", b"\x89PNG\r\n", b"[1, 2]", b"{}", b'{"a": 1}', b"null"):
        assert format_of(Source(data)) is None, data


@each_written
@settings(max_examples=10, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_records_that_are_written_are_read_as_the_same_games(name, game, data):
    write = WRITERS[name][1]
    names = {"names": NAMES} if name == "text" else {}
    games = data.draw(st.lists(records(game, **names), min_size=1, max_size=3 if name == "text" else 1))
    found, problems, told = imported("".join(map(write, games)))
    assert (problems, told) == ([], name)
    assert [outcome(record) for record in found] == [outcome(record) for record in games]
    assert all(disagreements(record) == [] for record in found)
    if name == "record":
        assert found == games
    if name == "text":
        assert [without_extra(record) for record in found] == [without_extra(record) for record in games]


@each_written
def test_the_words_of_an_ending_name_no_other_ending(name, game):
    for termination in (Termination.BAD_FRAME, Termination.STALL, Termination.OUTPUT_LIMIT, Termination.MEMORY_LIMIT):
        record = any_record(game, 1, 7, termination)
        reason = f"B: expected 4 bytes, received b'{Termination.ILLEGAL_MOVE.value}', no VOID TLE, timeout"
        record = structs.replace(record, extra={**record.extra, "reason": reason})
        (found,), problems, _name = imported(WRITERS[name][1](record))
        assert (outcome(found), problems) == (outcome(record), []), termination


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
    """Import a file in four ways, and judge what is in the record then; returns the faults that were told."""
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
        lines = printed.err.splitlines()
        assert all(line.removeprefix("note: ").startswith(f"{path}: ") for line in lines)
        faults = [line.removeprefix(f"{path}: ") for line in lines if not line.startswith("note: ")]
        assert status in (0, 1)
        assert faults or status == 0
        if "--json" in words:
            assert isinstance(json.loads(printed.out.splitlines()[-1]), dict)
    if record.exists():
        assert all(isinstance(disagreements(game), list) for game in read_records(record)[0])
        record.unlink()
    return faults


@pytest.mark.parametrize("examples", [range(7), pytest.param(range(7, 200), marks=SLOW)], ids=["few", "many"])
@each_format
def test_a_file_cut_off_or_altered_anywhere_gives_lines_with_places_and_no_traceback(name, examples, tmp_path, capsys):
    whole, faults = samples()[name], []
    check(name, whole, tmp_path, capsys)
    for seed in examples:
        faults += check(name, damaged(whole, random.Random(f"{name} {seed}")), tmp_path, capsys)
    placeless = [line for line in faults if not line.startswith(PLACES) and "line " not in line]
    assert faults
    assert [line for line in placeless if not any(words in line for words in PLACELESS)] == []


def test_other_files_that_the_tests_hold_give_lines_and_no_traceback(tmp_path, capsys):
    for path in HELD:
        whole = path.read_bytes()[:LONGEST]
        for seed in range(2):
            check("record", damaged(whole, random.Random(f"{path.name} {seed}")), tmp_path, capsys)


@each_format
def test_a_file_taken_for_another_format_gives_lines_and_no_traceback(name, tmp_path, capsys):
    path = tmp_path / "logged"
    for other, data in samples().items():
        path.write_bytes(data)
        status = import_.main([str(path), "--format", name, "--record", str(tmp_path / "record.jsonl")])
        assert status == (name == "compete-result" or other != name), other
        lines = capsys.readouterr().err.splitlines()
        assert any(not line.startswith("note: ") for line in lines) == (status == 1), other
