"""stdout and stderr that fail, are closed, or are a terminal: real processes, and what they leave."""

import errno
import io
import json
import os
import re
import subprocess
import sys

import pexpect
import pytest

from judge.streams import EscapingStream, SafeStream, own_streams
from protocol.records.record import read_records
from tests.judge.helpers.alterations import faults_of
from tests.judge.helpers.scripted import PATIENCE_S, WIDE_LIMIT_S, command, judge_command, judge_environment
from tests.judge.helpers.started import in_terminal, started

MOVER = command("misbehave", "off_board")
COMMON = ("--limit", WIDE_LIMIT_S, "--free-start", "--record", "games.jsonl")
PLAY = ("play", MOVER, MOVER, *COMMON)
MATCH = ("match", MOVER, MOVER, "--games", 2, *COMMON)


class Failing(io.StringIO):
    """Takes one text, and fails then."""

    def __init__(self, number):
        super().__init__()
        self.number = number

    def write(self, text):
        if self.getvalue():
            raise OSError(self.number, os.strerror(self.number))
        return super().write(text)


def test_what_is_printed_has_nothing_to_obey():
    stream = io.StringIO()
    EscapingStream(stream).writelines(["a\x1b[31m\tb\n", "\u202eb\ud800\r\n"])
    assert stream.getvalue() == "a\\x1b[31m  b\n\\u202eb\\ud800\\r\n"


def test_a_stream_that_fails_takes_no_more_and_says_why():
    stream = SafeStream(Failing(errno.ENOSPC))
    assert [stream.write("one"), stream.write("two"), stream.write("three")] == [3, 3, 5]
    assert (stream.getvalue(), stream.failure.errno) == ("one", errno.ENOSPC)


def test_bytes_of_another_encoding_are_a_line_like_any_other(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xc4\xe3\n3\n"), "utf-8", "strict"))
    with own_streams():
        assert [input(), input()] == ["\\xc4\\xe3", "3"]


def test_the_streams_are_what_they_were_afterwards(capsys):
    before = sys.stdout, sys.stderr
    with pytest.raises(ZeroDivisionError), own_streams():
        print("\x1b")
        assert sys.stdout is not before[0]
        raise ZeroDivisionError
    assert (sys.stdout, sys.stderr) == before
    assert capsys.readouterr().out == "\\x1b\n"


def test_a_reader_that_leaves_after_a_line_costs_no_game(tmp_path):
    judge = started(tmp_path, *MATCH)
    assert judge.stdout.readline()
    judge.stdout.close()
    said = judge.stderr.read()
    judge.stderr.close()
    assert judge.wait(PATIENCE_S) == 0
    assert "Traceback" not in said and "error" not in said
    records, torn = read_records(tmp_path / "games.jsonl")
    assert (len(records), torn) == (2, [])


@pytest.mark.parametrize("words, closing", [(PLAY, ">&-"), (MATCH, "2>&-"), (PLAY, "<&- >&- 2>&-")])
def test_streams_that_are_closed_cost_no_game(tmp_path, words, closing):
    shell = ["sh", "-c", f'exec "$@" {closing}', "sh", *judge_command(*words)]
    done = subprocess.run(shell, cwd=tmp_path, env=judge_environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    assert read_records(tmp_path / "games.jsonl")[0]


def run_into_full(folder, words):
    with open("/dev/full", "w") as full:
        return subprocess.run(
            judge_command(*words),
            cwd=folder,
            env=judge_environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )


def test_output_that_finds_no_room_is_told_of_and_costs_no_game(tmp_path):
    for words in (PLAY, ("replay", "games.jsonl")):
        done = run_into_full(tmp_path, words)
        assert done.returncode == 3, words
        assert done.stderr.endswith("error: the output could not be printed: No space left on device\n"), words
        assert "Traceback" not in done.stderr
        assert len(read_records(tmp_path / "games.jsonl")[0]) == 1


@pytest.mark.parametrize("words, end", [(PLAY, "wins after"), (MATCH, "replay: ")], ids=["play", "match"])
def test_names_have_nothing_to_obey_on_a_terminal_either(tmp_path, words, end):
    """What is left without the program's own codes holds none of the name's."""
    name = "\x1b]0;title\x07\x9b31m\u202ename"
    (tmp_path / "players.toml").write_text(f"[{json.dumps(name)}]\ncommand = {json.dumps(MOVER)}\n", "utf-8")
    words = [name if word == MOVER else str(word) for word in words]
    terminal = in_terminal(tmp_path, *words, size=(60, 200))
    terminal.logfile_read = io.StringIO()
    terminal.expect_exact(end)
    terminal.expect(pexpect.EOF)
    shown = terminal.logfile_read.getvalue()
    assert "title" in shown
    assert "\x1b]" not in shown and "\x9b" not in shown and "\x07" not in shown and "\u202e" not in shown
    assert faults_of(without_codes(shown)) == []


def without_codes(shown):
    """The text without the codes of a terminal that rich writes, and without the terminal's own returns."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown).replace("\r", "")
