"""`python -m judge` without a command that exists: what it says, and to whom."""

import os
import subprocess

import pytest

from judge.__main__ import COMMANDS, main
from tests.judge.helpers.scripted import judge_command, judge_environment


def test_help_lists_every_command(capsys):
    assert main(["--help"]) == 0
    output, errors = capsys.readouterr()
    assert [line.split()[0] for line in output.splitlines()[1:]] == list(COMMANDS)
    assert errors == ""


@pytest.mark.parametrize("words", [[], ["nosuch"], ["nosuch", "--help"]])
def test_no_such_command_is_a_bad_argument(capsys, words):
    assert main(words) == 2
    output, errors = capsys.readouterr()
    assert output == ""
    assert errors.startswith("usage: python -m judge COMMAND")
    assert ("error: there is no command 'nosuch'" in errors) == bool(words)


def test_a_reader_that_has_gone_is_no_error():
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as gone:
        done = subprocess.run(
            judge_command("--help"), env=judge_environment(), stdout=gone, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (1, b"")
