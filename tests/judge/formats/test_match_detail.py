"""`import --show` on match details that are in order: what it tells, and in which words; and its script of old."""

import json
import os
import subprocess
import sys

import pytest

from judge.commands.records import import_
from tests.judge.helpers.match_details import (
    COLUMNS,
    FIRST_TURN_LINE,
    OPENING_LINE,
    SECOND_TURN_LINE,
    STDERR,
    base64_of,
    detail,
    record,
    saved,
    seat,
    stdins,
)
from tests.places import REPOSITORY

COMMAND = REPOSITORY / "scripts" / "read_match_record"


def main(words):
    """`import --show` with these words; its exit status."""
    return import_.main(["--show", *words])


def told(folder, capsys, content, *words):
    """The JSON object that the command prints of a match that must be in order."""
    assert main([str(saved(folder, content)), "--json", *map(str, words)]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    return json.loads(printed.out)


def shown(folder, capsys, content, *words):
    """The text that it prints."""
    assert main([str(saved(folder, content)), *map(str, words)]) == 0
    return capsys.readouterr().out


def test_the_command_reads_a_match_from_another_folder_and_through_a_symlink(tmp_path):
    (tmp_path / "judge.py").write_text("raise SystemExit('the wrong package')\n")
    link = tmp_path / "a link"
    link.symlink_to(COMMAND)
    done = subprocess.run(
        [link, saved(tmp_path, detail())],
        cwd=tmp_path,
        env={**os.environ, "DROPFOUR_PYTHON": sys.executable, "LC_ALL": "C", "PYTHONUTF8": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "match 7437552: " in done.stdout
    assert "9 rows x 10 columns, forbidden cell 8,3; 4 turns in 4 lines" in done.stdout
    assert "  engine: x86-64-v3 (tried)\n" in done.stdout
    assert '  | {"turn":1,"column":4,"value":0.125}\n' in done.stdout


def test_the_matchs_own_facts(tmp_path, capsys):
    found = told(tmp_path, capsys, detail())
    assert found["match"] == {
        "id": 7437552,
        "game": 3,
        "game_name": "Connect4",
        "created": "2026-03-14T12:53:15.092502",
        "state": "评测成功",
        "error": "",
        "logic_version": 1,
    }
    assert found["problems"] == []
    first, second = found["seats"]
    assert (first["user"], first["entity"], first["version"], first["remark"]) == ("alice", "dropfour", 3, "first try")
    assert (first["end_state"], first["exit_code"], first["score"], first["rank"]) == ("OK", 9, 1, 1)
    assert (second["user"], second["entity"], second["exit_code"], second["stderr"]) == ("bob", "对手", None, None)


def test_times_and_memory_of_each_turn(tmp_path, capsys):
    rounds = record(len(COLUMNS), [0.9, 0.1, 2.6, 0.1, 2.9])
    found = told(tmp_path, capsys, detail(rounds=rounds), "--threshold", "2.6")
    assert len(found["turns"]) == len(COLUMNS)
    assert found["turns"][2] == {
        "round": 3,
        "seat": 0,
        "status": "OK",
        "time_s": 2.6,
        "memory_bytes": 22_000_000,
        "turn": 2,
        "column": 5,
    }
    assert found["seats"][0]["cost"] == {
        "turns": 4,
        "first_s": 0.9,
        "greatest_s": 2.9,
        "slowest": 3,
        "over_threshold": 1,
        "greatest_bytes": 26_000_000,
    }
    lower = told(tmp_path, capsys, detail(rounds=rounds), "--threshold", "0.8")
    assert lower["seats"][0]["cost"]["over_threshold"] == 3
    assert [turn["column"] for turn in found["turns"]] == [*COLUMNS[:-1], None]


def test_the_moves_are_all_but_the_last(tmp_path, capsys):
    moves = told(tmp_path, capsys, detail())["moves"]
    assert moves["columns"] == list(COLUMNS[:-1])
    assert moves["by_seat"] == [[4, 5, 6], [4, 3, 6]]
    assert (moves["first"], moves["to_move"], moves["fault"]) == (0, 0, None)
    text = shown(tmp_path, capsys, detail())
    assert "after these seat 0 was to move; what it answered is in no stdin" in text


@pytest.mark.parametrize("missing", [0, 1])
def test_one_seats_boards_tell_the_moves_of_both(tmp_path, capsys, missing):
    sent = stdins()
    sent[missing] = b""
    moves = told(tmp_path, capsys, detail(sent))["moves"]
    # Seat 1 was last asked after five moves, seat 0 after six.
    assert moves["columns"] == list(COLUMNS[: 6 if missing == 1 else 5])
    assert moves["first"] == 0


def test_the_seat_that_moves_first_is_told_by_the_boards(tmp_path, capsys):
    rounds = [*record(1), *reversed(record(2)[1:])]
    found = told(tmp_path, capsys, detail(stdins()[::-1], rounds))
    assert (found["moves"]["first"], found["moves"]["by_seat"]) == (1, [[4, 3, 6], [4, 5, 6]])
    # Seat 0's first turn, seat 1's first, seat 0's second.
    assert [turn["column"] for turn in found["turns"]] == [4, 4, 3]


def test_stones_above_and_below_the_forbidden_cell(tmp_path, capsys):
    board, columns = (12, 9, (10, 8)), (8, 8, 8, 0, 8, 1)
    sent = stdins(columns, board)
    found = told(tmp_path, capsys, detail(sent, rounds=record(len(columns))))
    assert found["moves"]["columns"] == list(columns[:-1])
    assert found["seats"][0]["stdin"]["opening"] == {"rows": 12, "cols": 9, "forbidden": [10, 8]}


@pytest.mark.parametrize(
    "end, words, empty_lines",
    [
        (b"\n", "LF", 0),
        (b"\r\n", "CR LF", 0),
        (b" \n", "blank LF", 0),
        (b" \r\n", "blank CR LF", 0),
        (b"\n\n", "LF", 5),
    ],
)
def test_how_lines_end(tmp_path, capsys, end, words, empty_lines):
    sent = [data.replace(b"\n", end) for data in stdins()]
    found = told(tmp_path, capsys, detail(sent))
    stdin = found["seats"][0]["stdin"]
    assert stdin["bytes"] == len(sent[0])
    assert stdin["line_ends"] == {words: sent[0].count(b"\n")}
    assert stdin["after_last_message"] == repr(end)
    assert stdin["fault"] is None
    assert stdin["empty_lines"] == empty_lines
    assert [stdin[name] for name in ("leading_blanks", "double_blanks", "other_bytes", "unclosed_bytes")] == [0] * 4
    assert found["moves"]["columns"] == list(COLUMNS[:-1])
    text = shown(tmp_path, capsys, detail(sent))
    assert f"  after the last turn: {end!r} and nothing else\n" in text
    assert f"  line ends: {words} ({sent[0].count(end[-1:]):,}); bytes after the last: 0\n" in text


def test_line_ends_that_differ(tmp_path, capsys):
    sent = stdins()
    sent[0] = sent[0].replace(b"\n", b"\r\n", 1)
    stdin = told(tmp_path, capsys, detail(sent))["seats"][0]["stdin"]
    assert stdin["line_ends"] == {"LF": 4, "CR LF": 1}


def test_other_habits_of_a_writer_of_lines(tmp_path, capsys):
    sent = stdins()
    sent[0] = b" " + sent[0].removesuffix(b" 0 0\n") + b"  0\t0"
    stdin = told(tmp_path, capsys, detail(sent))["seats"][0]["stdin"]
    assert (stdin["leading_blanks"], stdin["double_blanks"], stdin["other_bytes"]) == (1, 1, 1)
    assert stdin["unclosed_bytes"] == len(sent[0].split(b"\n")[-1])
    assert stdin["after_last_message"] == "b''"


def test_stderr_and_what_it_says_of_the_engine(tmp_path, capsys):
    numba = "dropfour: engine numba (native: x86-64-v3: not this CPU (really))"
    cut_off, bare = "dropfour: engine python (OSError: /lib/x86", "dropfour: engine python"
    text = STDERR + "\n".join([numba, cut_off, bare, "|重|", ""]).encode() + b"\xff"
    seats = [seat(0, stderr=base64_of(text)), seat(1)]
    stderr = told(tmp_path, capsys, detail(seats=seats))["seats"][0]["stderr"]
    assert stderr["bytes"] == len(text)
    assert stderr["engines"] == [
        {"name": "x86-64-v3", "reason": "tried"},
        {"name": "numba", "reason": "native: x86-64-v3: not this CPU (really)"},
        {"name": "python", "reason": "OSError: /lib/x86"},
        {"name": "python", "reason": None},
    ]
    assert stderr["text"].endswith("|重|\n\\xff")


def test_details_of_2022_have_the_stderr_in_the_message(tmp_path, capsys):
    seats = [{key: value for key, value in seat(number).items() if key != "stderr"} for number in (0, 1)]
    states = [
        {"position": 0, "status": "OK", "code": 0, "stderr": base64_of(STDERR)},
        {"position": 1, "stderr": ""},
    ]
    content = detail(seats=seats, message_changes={"states": states})
    message = json.loads(content["message"])
    del message["record"]
    found = told(tmp_path, capsys, content | {"message": json.dumps(message)})
    assert found["seats"][0]["stderr"]["text"] == STDERR.decode()
    assert found["seats"][1]["stderr"]["text"] == ""
    assert found["turns"] == []
    both = told(tmp_path, capsys, detail(message_changes={"states": [{"stderr": ""}] * 2}))
    assert both["seats"][0]["stderr"]["text"] == STDERR.decode()


def test_a_person_in_a_seat_has_no_code(tmp_path, capsys):
    found = told(tmp_path, capsys, detail(seats=[seat(0), seat(1, code=None)]))
    assert (found["seats"][1]["user"], found["seats"][1]["entity"]) == ("bob", None)


def test_names_are_neither_markup_nor_orders_to_the_terminal(tmp_path, capsys):
    seats = [seat(0, user={"username": "[/bold][red]\x1b]0;gone\x07\u202e\ud800"}), seat(1)]
    text = shown(tmp_path, capsys, detail(seats=seats, error="\x1b[2J"))
    assert "[/bold][red]\\x1b]0;gone\\x07\\u202e\\ud800" in text
    assert "error: \\x1b[2J" in text
    assert "\x1b" not in text


def test_the_bytes_of_a_seats_stdin_are_written_to_a_new_file(tmp_path, capsys):
    content = detail(stdins(COLUMNS[:2]), record(2))
    for number, expected in enumerate((FIRST_TURN_LINE, SECOND_TURN_LINE)):
        out = tmp_path / f"stdin{number}"
        told(tmp_path, capsys, content, "--stdin", number, out)
        assert out.read_bytes() == OPENING_LINE + expected


def test_a_file_that_exists_is_not_overwritten(tmp_path, capsys):
    out = tmp_path / "kept"
    out.write_text("kept")
    with pytest.raises(SystemExit) as ended:
        main([str(saved(tmp_path, detail())), "--stdin", "0", str(out)])
    assert ended.value.code == 2
    assert f"{out} exists already" in capsys.readouterr().err
    assert out.read_text() == "kept"


@pytest.mark.parametrize(
    "words, complaint",
    [
        (["no such file"], "No such file or directory: 'no such file'"),
        (["FILE", "--moves", "no such file"], "No such file or directory: 'no such file'"),
        (["FILE", "--stdin", "2", "out"], "--stdin: '2' is no seat, expected 0 or 1"),
        (["FILE", "--threshold", "nan"], "'nan' is not a number of seconds above 0"),
    ],
)
def test_words_that_cannot_be_followed(tmp_path, capsys, words, complaint):
    path = saved(tmp_path, detail())
    with pytest.raises(SystemExit) as ended:
        main([str(path) if word == "FILE" else word for word in words])
    assert ended.value.code == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_a_reader_that_goes_away_early_causes_no_traceback(tmp_path, words):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "judge", "import", "--show", saved(tmp_path, detail()), *words],
        cwd=REPOSITORY,
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


def test_the_pages_show_how_a_match_is_read(capsys):
    pages = [(REPOSITORY / "docs" / name).read_text("utf-8") for name in ("submit.md", "zh/submit.md")]
    for page in pages:
        assert "\ndropfour import match.json --show\n" in page
        assert "\ndropfour import match.json --moves replay.json --record game.jsonl\n" in page
