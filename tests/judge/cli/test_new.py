"""`new`: where it writes, where it does not, and the commands that come next. tests/contracts/ plays the bots."""

import os
import shlex

import pytest

from judge.players import players
from tests.judge.helpers.scripted import run_judge


def tree_of(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_a_new_folder_or_an_empty_one_is_filled(tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    for folder in ("empty", "new/and/deep"):
        done = run_judge(tmp_path, "new", folder)
        assert (done.returncode, done.stderr) == (0, "")
        assert tree_of(tmp_path / folder) == ["README.md", "Strategy.cpp", "Strategy.h", "main.cpp"]
    (tmp_path / "here").mkdir()
    done = run_judge(tmp_path / "here", "new", ".", "--language", "python")
    assert (done.returncode, tree_of(tmp_path / "here")) == (0, ["README.md", "main.py"])
    assert (tmp_path / "here" / "README.md").read_text("utf-8").startswith("# here\n")


def test_what_is_there_stays(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / ".hidden").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for folder, told in (
        ("full", "error: full is not empty, expected a new or an empty folder"),
        ("file", "error: file: File exists"),
        ("file/bot", "error: file/bot: Not a directory"),
    ):
        done = run_judge(tmp_path, "new", folder)
        assert (done.returncode, done.stdout, done.stderr.splitlines()[0]) == (2, "", told)
    assert tree_of(tmp_path) == ["file", "full", "full/.hidden"]
    assert (tmp_path / "file").read_text() == (tmp_path / "full" / ".hidden").read_text() == "mine"


ODD_NAMES = ("bot", "bot:mini", "src:x", "-x", "it's a bot", "$x", "~", "四子棋")


@pytest.mark.parametrize("language", ["cpp", "python"])
@pytest.mark.parametrize("name", ODD_NAMES)
def test_the_commands_to_come_name_the_bot_whatever_its_folder_is_called(tmp_path, monkeypatch, language, name):
    done = run_judge(tmp_path, "new", "--language", language, "--game", "reversi", "--", name)
    assert (done.returncode, done.stderr) == (0, "")
    assert tree_of(tmp_path)[0] == name and len(done.stdout.splitlines()) == 5
    readme = (tmp_path / name / "README.md").read_text("utf-8")
    check, play, match = [shlex.split(line) for line in done.stdout.splitlines()[-3:]]
    assert check[-2:] == play[-2:] == match[-2:] == ["--game", "reversi"]
    assert f"\ndropfour check {shlex.join(check[check.index('check') + 1 :])}\n" in readme
    monkeypatch.chdir(tmp_path)
    text = check[check.index("check") + 1]
    if language == "python":
        assert players.contestant(text).launch(1.0, 1).folder == str(tmp_path / name)
    else:
        assert players.source_player.parse_text(text) == (tmp_path.joinpath(name).relative_to(tmp_path), [], [])


@pytest.mark.parametrize("name", ["two\nlines", os.fsdecode(b"\xff$x\x1b[2J")])
def test_a_name_that_no_line_can_show_is_refused(tmp_path, name):
    """A command that names the folder otherwise would name another one."""
    (tmp_path / name).mkdir()
    for place, folder in ((tmp_path, name), (tmp_path / name, ".")):
        done = run_judge(place, "new", folder)
        assert (done.returncode, done.stdout) == (2, "")
        assert "expected a folder name without control characters" in done.stderr and "\x1b" not in done.stderr
    assert tree_of(tmp_path) == [name]
