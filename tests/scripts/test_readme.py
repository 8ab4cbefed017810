"""The commands in the READMEs exist and take the options written there."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
READMES = ("README.md", "README.zh.md")
CODE_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def command_lines(name):
    """The lines of the README's shell blocks."""
    text = (REPOSITORY / name).read_text("utf-8")
    return [line for block in CODE_BLOCK.findall(text) for line in block.splitlines()]


def module_command(line):
    """(module, subcommand or None, the other words) of a line that starts the judge or the bot, else None."""
    words = shlex.split(line)
    if words[0] == "scripts/play":
        return "judge", "play", words[1:]
    if words[:2] != ["python", "-m"]:
        return None
    has_subcommand = len(words) > 3 and not words[3].startswith("-")
    return words[2], words[3] if has_subcommand else None, words[4 if has_subcommand else 3 :]


MODULE_COMMANDS = sorted(
    {line for name in READMES for line in command_lines(name) if module_command(line) is not None}
)


def test_both_languages_show_the_same_commands():
    english, chinese = map(command_lines, READMES)
    assert english == chinese
    assert english[:2] == ["scripts/play", "scripts/test"]


@pytest.mark.parametrize("name", READMES)
def test_every_script_named_exists(name):
    text = (REPOSITORY / name).read_text("utf-8")
    named = set(re.findall(r"(?:scripts|\.ci)/\w+", text))
    assert {"scripts/play", "scripts/test", ".ci/run"} <= named
    for path in named:
        assert os.access(REPOSITORY / path, os.X_OK), path


@pytest.mark.parametrize("line", MODULE_COMMANDS)
def test_every_command_has_the_options_shown(line):
    module, subcommand, words = module_command(line)
    command = [sys.executable, "-m", module, *filter(None, [subcommand]), "--help"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    known = set(re.findall(r"--[a-z-]+", done.stdout))
    assert {word for word in words if word.startswith("--")} <= known


@pytest.mark.parametrize("name", READMES)
def test_every_bot_option_in_the_table_exists(name):
    text = (REPOSITORY / name).read_text("utf-8")
    first_cells = re.findall(r"^\| (`--.*?) \|", text, re.MULTILINE)
    listed = [option for cell in first_cells for option in re.findall(r"--[a-z-]+", cell)]
    done = subprocess.run(
        [sys.executable, "-m", "bot", "--help"], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert len(listed) >= 10
    assert set(listed) <= set(re.findall(r"--[a-z-]+", done.stdout))
