"""The version of this checkout's bot: by git, and by its files where git has none."""

import os
import subprocess

import pytest

from bot.backends import sources
from judge.players import own_bot, versions
from judge.players.launch import PlayerError
from judge.players.own_bot import worktree
from tests.programs import needs


def test_one_variable_moves_all_that_is_built_and_a_foreign_checkout_leaves_it_to_the_user(tmp_path, monkeypatch):
    checkout, home = tmp_path / "checkout", tmp_path / "home"
    checkout.mkdir()
    home.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    monkeypatch.delenv("DROPFOUR_CACHE_DIR", raising=False)
    assert versions.cache_folder(checkout) == home / "dropfour"  # installed: there is no pyproject.toml
    (checkout / "pyproject.toml").touch()
    assert versions.cache_folder(checkout) == checkout / ".cache"
    writable = {str(home)}
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) in writable)
    assert versions.cache_folder(checkout) == home / "dropfour"
    assert own_bot.cache_of(checkout) == str(home / "dropfour") == cache_root_of_bot(checkout, monkeypatch)
    monkeypatch.setenv("DROPFOUR_CACHE_DIR", str(tmp_path / "elsewhere"))
    assert versions.cache_folder(checkout) == tmp_path / "elsewhere"
    assert own_bot.cache_of(checkout) == cache_root_of_bot(checkout, monkeypatch)


def cache_root_of_bot(checkout, monkeypatch):
    """Return the folder that the bot of a checkout keeps its kernels in."""
    monkeypatch.setattr(sources, "PACKAGE", str(checkout / "bot"))
    return sources.cache_root()


def git(folder, *words):
    subprocess.run(["git", "-C", str(folder), "-c", "user.name=A", "-c", "user.email=a@b", *words], check=True)


@needs("git")
def test_the_version_of_a_checkout_says_whether_it_was_changed_and_leaves_its_index_alone(tmp_path, monkeypatch):
    """git writes the index anew where a file's time has changed, under a lock that outlives a killed judge."""
    monkeypatch.setattr(versions, "CHECKOUT", tmp_path)
    file, index = tmp_path / "a.txt", tmp_path / ".git" / "index"
    file.write_text("one\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "a.txt")
    git(tmp_path, "commit", "--quiet", "--message", "one")
    kept, whole = index.read_bytes(), versions.own_version.__wrapped__()
    assert versions.DIRTY not in whole
    os.utime(file, (0, 0))
    assert versions.own_version.__wrapped__() == whole
    file.write_text("two\n")
    assert versions.own_version.__wrapped__().startswith(f"{whole}{versions.DIRTY}+")
    assert index.read_bytes() == kept


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of a bot, without .git, taken for this checkout."""
    monkeypatch.setattr(versions, "CHECKOUT", tmp_path)
    for package in versions.BOT_PACKAGES:
        (tmp_path / package).mkdir()
        (tmp_path / package / "file.py").write_text("one = 1\n")
    return tmp_path


def test_copies_without_git_that_differ_have_different_versions(copy):
    first = versions.own_version.__wrapped__()
    assert versions.own_version.__wrapped__() == first
    (copy / "bot" / "file.py").write_text("one = 2\n")
    second = versions.own_version.__wrapped__()
    assert first != second
    assert {version.partition("+")[0] for version in (first, second)} == {versions.package_version()}


@needs("git")
@pytest.mark.parametrize(
    "variables", [{"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}, {"PATH": ""}], ids=["refuses", "absent"]
)
def test_where_git_cannot_tell_the_version_is_that_of_the_files_and_revisions_say_why(copy, monkeypatch, variables):
    of_files = versions.own_version.__wrapped__()
    git(copy, "init", "--quiet")
    git(copy, "add", ".")
    git(copy, "commit", "--quiet", "--message", "one")
    assert versions.own_version.__wrapped__() != of_files
    assert versions.why_no_revision(copy) == ""
    own_configuration = dict.fromkeys(("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"), os.devnull)
    for name, value in {**own_configuration, **variables}.items():
        monkeypatch.setenv(name, value)
    assert versions.own_version.__wrapped__() == of_files
    told = versions.why_no_revision(copy)
    assert ("dubious ownership" if "PATH" not in variables else "No such file") in told
    assert "\n" not in told
    with pytest.raises(PlayerError) as refused:
        worktree("HEAD", copy)
    assert told.split("To add")[0].strip()[:40] in str(refused.value)
