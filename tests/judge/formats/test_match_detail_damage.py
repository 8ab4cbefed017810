"""`import --show` on match details that are not what they should be: a line for each fault, never a traceback."""

import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judge.commands.records import import_
from judge.commands.records.import_ import MOST_LINES
from tests.judge.helpers.match_details import base64_of, detail, record, saved, seat, stdins

SENT = stdins()
OPENING_BYTES = len(b"9 10 8 3\n")
EXPECTED_DETAIL = "expected a match detail with the keys info and message"
SECOND_TURN_BYTE = SENT[0].index(b"\n", OPENING_BYTES) + 1


def main(words):
    """`import --show` with these words; its exit status."""
    return import_.main(["--show", *words])


def complaints(folder, capsys, content, *words):
    """The lines on stderr, without the file's name; the status must be 1."""
    path = saved(folder, content)
    assert main([str(path), "--format", "saiblo-match", *words]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith(f"{path}: ") for line in lines)
    return [line.removeprefix(f"{path}: ") for line in lines]


@pytest.mark.parametrize(
    "content, complaint",
    [
        (b"", "expected a JSON object, got an empty file"),
        (b" \n", "expected a JSON object, got an empty file"),
        (b"<html>", "expected a JSON object, got no JSON: Expecting value: line 1 column 1 (char 0)"),
        (
            b"\x89PNG\r\n\x1a\n",
            "expected a JSON object, got no JSON: Expecting value: line 1 column 1 (char 0)",
        ),
        (b"[1, 2]", "expected a JSON object, got a list of 2"),
        (b'"text"', 'expected a JSON object, got "text"'),
        (b"[" * 100_000, "expected a JSON object, got JSON that cannot be read: "),
        (b'{"id": ' + b"9" * 5000 + b"}", "expected a JSON object, got JSON that cannot be read: "),
        (b'{"row": 9, "rounds": []}', f"{EXPECTED_DETAIL}, got the keys row, rounds"),
        (b'{"detail": "Not found."}', f"{EXPECTED_DETAIL}, got the keys detail"),
        (b"{}", f"{EXPECTED_DETAIL}, got no keys"),
    ],
)
def test_files_that_are_no_match_detail(tmp_path, capsys, content, complaint):
    (line,) = complaints(tmp_path, capsys, content)
    assert line.startswith(complaint)


def without(key):
    content = detail()
    del content[key]
    return content


def with_message(**changes):
    return detail(message_changes=changes)


@pytest.mark.parametrize(
    "content, complaint",
    [
        (without("id"), "id: expected an integer, got no such key"),
        (without("state"), "state: expected a string, got no such key"),
        (without("game"), "game: expected an object, got no such key"),
        (detail(id=True), "id: expected an integer, got true"),
        (detail(error=7), "error: expected a string, got 7"),
        (detail(game={"id": "3"}), 'game.id: expected an integer, got "3"'),
        (detail(message=""), "message: expected a JSON object, got no JSON: Expecting value: line 1 column 1 (char 0)"),
        (detail(message=None), "message: expected a string, got null"),
        (detail(seats=[seat(0), None]), "info[1]: expected an object, got null"),
        (detail(seats=[seat(0, score="1"), seat(1)]), 'info[0].score: expected a number, got "1"'),
        (detail(seats=[seat(0, score=10**400), seat(1)]), "info[0].score: expected a number, got " + "1" + "0" * 39),
        (detail(seats=[seat(0, user={}), seat(1)]), "info[0].user.username: expected a string, got no such key"),
        (detail(seats=[seat(0, exit_code="9"), seat(1)]), 'info[0].exit_code: expected an integer, got "9"'),
        (detail(seats=[seat(0, stderr="a%b=")] + [seat(1)]), 'info[0].stderr: expected base64, got "a%b="'),
        (
            detail(seats=[seat(0, stderr=base64_of(b"12345")[:-1]), seat(1)]),
            "info[0].stderr: the base64 is cut short: 7 characters, expected a multiple of 4",
        ),
        (
            with_message(record=[[{"status": "OK"}]]),
            "message.record[0][0].position: expected an integer from 0 to 1, got no such key",
        ),
        (with_message(record=[7]), "message.record[0]: expected a list, got 7"),
        (with_message(record=[[None]]), "message.record[0][0]: expected an object, got null"),
        (with_message(record={}), "message.record: expected a list, got an object"),
        (
            with_message(record=[[{"status": "OK", "time": -1, "memory": 1, "position": 0}]]),
            "message.record[0][0].time: expected a number of seconds from 0 to 1000000000, got -1",
        ),
        (
            with_message(record=[[{"status": "OK", "time": 1e9 + 1, "memory": 1, "position": 0}]]),
            "message.record[0][0].time: expected a number of seconds from 0 to 1000000000, got 1000000001.0",
        ),
        (with_message(stdinRecords=[None, ""]), "message.stdinRecords[0]: expected a string, got null"),
        (with_message(stdinRecords=[""]), "message.stdinRecords: expected 2 entries, got 1"),
        (with_message(stdinRecords=None), "message.stdinRecords: expected a list, got null"),
    ],
)
def test_what_is_missing_or_wrong_is_named_and_the_rest_is_told(tmp_path, capsys, content, complaint):
    path = str(saved(tmp_path, content))
    assert main([path, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert complaint in told["problems"]
    assert told["seats"][1]["entity"] in ("对手", None)
    assert told["seats"][0]["user"] in ("alice", None)
    assert complaint in complaints(tmp_path, capsys, content)


def test_a_match_that_was_not_judged(tmp_path, capsys):
    seats = [seat(number, end_state="UE", score=0) for number in (0, 1)]
    content = detail([b"", b""], [[]], seats, state="评测失败", error="Replay file not found: ENOENT")
    assert main([str(saved(tmp_path, content))]) == 0
    text = capsys.readouterr().out
    assert "match 7437552: 评测失败, game 3 Connect4" in text
    assert "error: Replay file not found: ENOENT" in text
    assert "the normal end" not in text


def test_another_games_bytes_are_described_but_not_read(tmp_path, capsys):
    sent = [b'\x00\x00\x00\x0f{"step_id": 0}\r\n', b""]
    content = detail(sent, record(1), game={"id": 53, "name": "DeepClue"})
    assert complaints(tmp_path, capsys, content) == [
        "game.id: expected 3 (connect four), got 53: its moves stay unread"
    ]
    main([str(saved(tmp_path, content)), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["seats"][0]["stdin"]["line_ends"] == {"CR LF": 1}
    assert (told["moves"], told["turns"][0]["time_s"]) == (None, 0.5)


@pytest.mark.parametrize(
    "change, place, fault",
    [
        (
            lambda data: data[:SECOND_TURN_BYTE] + b"9" + data[SECOND_TURN_BYTE + 1 :],
            SECOND_TURN_BYTE,
            "in turn 2: lastX: expected an integer from -1 to 8, received b'9'",
        ),
        (
            lambda data: b"\xef\xbb\xbf" + data,
            0,
            "in the opening: rows: expected an integer from 9 to 12, received b'\\xef'",
        ),
        (lambda data: b"9 10 8 10" + data[8:], 7, "in the opening: noY: expected an integer from 0 to 9, received 10"),
        (lambda data: data + b"{}", len(SENT[0]), "in turn 5: lastX: expected an integer from -1 to 8, received b'{'"),
        (lambda data: data[:-20], len(SENT[0]) - 20, "in turn 4: board[80]: expected the rest of the message"),
        (lambda data: data[:-1] + b"1\n", len(SENT[0]) - 2, "in turn 4: board[89]: expected a blank after its digit"),
    ],
)
def test_where_and_why_a_stdin_cannot_be_read(tmp_path, capsys, change, place, fault):
    sent = [change(SENT[0]), SENT[1]]
    content = detail(sent)
    (line, *_) = complaints(tmp_path, capsys, content)
    assert line.startswith(f"stdin of seat 0: byte {place}, {fault}")
    main([str(saved(tmp_path, content)), "--json"])
    told = json.loads(capsys.readouterr().out)
    found = told["seats"][0]["stdin"]
    assert (found["bytes"], found["fault_byte"]) == (len(sent[0]), place)
    assert told["seats"][1]["stdin"]["fault"] is None
    assert told["moves"]["columns"][:5] == [4, 4, 5, 3, 6]


def test_junk_after_the_object_and_other_unicode_encodings(tmp_path, capsys):
    text = json.dumps(detail())
    for data in (b"\xef\xbb\xbf" + text.encode(), text.encode("utf-16"), ("  " + text).encode("utf-32-le")):
        assert main([str(saved(tmp_path, data))]) == 0
        assert capsys.readouterr().err == ""
    assert main([str(saved(tmp_path, text.encode() + b"\n<html>\xff</html>"))]) == 0
    assert "bytes after the JSON are left out" in capsys.readouterr().err


def test_a_stdin_that_is_not_there_is_not_written(tmp_path, capsys):
    out = tmp_path / "out"
    content = detail(message_changes={"stdinRecords": [base64_of(SENT[0])]})
    assert "--stdin: the file has no stdin of seat 1" in complaints(tmp_path, capsys, content, "--stdin", "1", str(out))
    assert not out.exists()
    nowhere = str(tmp_path / "no folder" / "out")
    lines = complaints(tmp_path, capsys, content, "--stdin", "0", nowhere)
    assert lines[1:] == [f"--stdin: [Errno 2] No such file or directory: '{nowhere}'"]


def test_many_faults_are_not_listed_one_by_one(tmp_path, capsys):
    lines = complaints(tmp_path, capsys, with_message(record=[None] * 100))
    assert len(lines) == MOST_LINES + 1
    assert lines[-1] == f"and {100 - MOST_LINES} more"


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text(max_size=8), parts, max_size=3),
    max_leaves=6,
)


def places(content):
    """Every (container, key) in a JSON object."""
    keys = content.keys() if isinstance(content, dict) else range(len(content)) if isinstance(content, list) else ()
    for key in keys:
        yield content, key
        yield from places(content[key])


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(data=st.binary(max_size=300))
def test_any_file_ends_in_status_0_or_1(tmp_path, capsys, data):
    for content in (data, b'{"info": [], "message": "' + data + b'"}'):
        assert main([str(saved(tmp_path, content))]) in (0, 1)
    capsys.readouterr()


@pytest.mark.parametrize("examples", [30, pytest.param(600, marks=pytest.mark.slow)])
def test_any_change_to_a_match_detail_ends_in_status_0_or_1(tmp_path, capsys, examples):
    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(choices=st.data(), bytes_sent=st.binary(max_size=40), cut=st.integers(0, 900), value=ANY_JSON)
    def check(choices, bytes_sent, cut, value):
        change_and_read(tmp_path, capsys, choices, bytes_sent, cut, value)

    check()


def change_and_read(tmp_path, capsys, choices, bytes_sent, cut, value):
    """Change a match detail in one place, and its stdin, and read it in both ways."""
    content = copy.deepcopy(detail([SENT[0][:cut] + bytes_sent + SENT[0][cut:], SENT[1]]))
    message = json.loads(content["message"])
    part = choices.draw(st.sampled_from([content, message]))
    container, key = choices.draw(st.sampled_from(list(places(part))))
    container[key] = value
    if part is message:
        content["message"] = json.dumps(message)
    for words in ([], ["--json", "--replay", str(tmp_path / "out")]):
        assert main([str(saved(tmp_path, content)), *words]) in (0, 1)
        (tmp_path / "out").unlink(missing_ok=True)
    capsys.readouterr()
