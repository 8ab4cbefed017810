"""The commands in the READMEs exist and take the options written there; the players file is one."""

import functools
import os
import re
import shlex
import subprocess
import sys

import pytest

from judge.__main__ import COMMANDS
from judge.players import players_file
from judge.players.players_file import Entry
from tests.places import REPOSITORY

READMES = ("README.md", "README.zh.md")
CODE_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"--[a-z][a-z0-9-]*")


def code_blocks(name, language):
    """The contents of the README's code blocks in a language."""
    text = (REPOSITORY / name).read_text("utf-8")
    return [content for marked, content in CODE_BLOCK.findall(text) if marked == language]


def command_lines(name):
    """The lines of the README's shell blocks."""
    return [line for block in code_blocks(name, "sh") for line in block.splitlines()]


def module_command(line):
    """(module, subcommand or None, the other words) of a line that starts the judge or the bot, else None."""
    words = shlex.split(line)
    if words[0] == "scripts/play":
        return "judge", "play", words[1:]
    if words[:2] != ["python", "-m"]:
        return None
    has_subcommand = len(words) > 3 and not words[3].startswith("-")
    return words[2], words[3] if has_subcommand else None, words[4 if has_subcommand else 3 :]


@functools.cache
def options_of(*words):
    """The options that a module's --help names; words: the module's name and the command, asked for once."""
    command = [sys.executable, "-m", *words, "--help"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(OPTION.findall(done.stdout))


MODULE_COMMANDS = sorted({line for name in READMES for line in command_lines(name) if module_command(line) is not None})


def test_both_languages_show_the_same_commands():
    english, chinese = map(command_lines, READMES)
    assert english == chinese
    assert english[:2] == ["scripts/play", "scripts/test"]


def test_every_command_of_the_judge_is_shown():
    shown = [module_command(line)[:2] for line in MODULE_COMMANDS]
    assert {command for module, command in shown if module == "judge"} == set(COMMANDS)


@pytest.mark.parametrize("name", READMES)
def test_the_players_file_shown_can_be_read(name, tmp_path):
    (content,) = code_blocks(name, "toml")
    path = tmp_path / "players.toml"
    path.write_text(content, "utf-8")
    assert players_file.read(path) == {
        "wide": Entry("'bot@HEAD~1:puct-basic' --iterations 20000 --set exploration=5.0 --memory 400"),
        "best-sample": Entry(f"lib:{tmp_path / '../samples/100.so'}"),
        "mine": Entry(f"src:{tmp_path / '../connect4/v8'}"),
        "random": Entry("python engines/random_mover.py --seed {seed}", tmp_path),
    }


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
    game = words[words.index("--game") :][:2] if "--game" in words else []  # which has options of its own
    known = options_of(module, *filter(None, [subcommand]), *game)
    assert {word for word in words if word.startswith("--")} <= known


@pytest.mark.parametrize("name", READMES)
def test_every_bot_option_in_the_table_exists(name):
    text = (REPOSITORY / name).read_text("utf-8")
    first_cells = re.findall(r"^\| (`--.*?) \|", text, re.MULTILINE)
    listed = [option for cell in first_cells for option in OPTION.findall(cell)]
    assert len(listed) >= 10
    assert set(listed) <= options_of("bot")
