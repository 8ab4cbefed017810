"""This repository's bot at another revision: its folder, its kernels, the words that it is started with."""

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from judge.players.launch import PlayerError
from judge.players.own_bot import worktree
from judge.players.players import Entry, contestant
from tests.programs import needs

pytestmark = needs("git")
OWN = (sys.executable, "-m", "bot", "--info", "--limit", "0.5", "--seed", "7")


def git(folder, *words):
    identity = ["-c", "user.name=tester", "-c", "user.email=tester@example.org"]
    done = subprocess.run(["git", "-C", folder, *identity, *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path):
    """A repository of two commits, tagged one and two, that differ in file.txt."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / ".gitignore").write_text(".cache/\n")
    for name in ("one", "two"):
        (folder / "file.txt").write_text(name)
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", name)
        git(folder, "tag", name)
    return folder


def test_a_revision_gets_a_folder_of_its_own_and_keeps_it(repository):
    folder, commit = worktree("one", repository)
    assert commit == git(repository, "rev-parse", "one")
    assert folder == repository / ".cache" / "worktrees" / commit
    assert (folder / "file.txt").read_text() == "one"
    (folder / ".cache").mkdir()
    (folder / ".cache" / "kernel").touch()
    assert worktree(commit[:8], repository) == (folder, commit)
    assert (folder / ".cache" / "kernel").exists()
    assert worktree("HEAD", repository)[1] == git(repository, "rev-parse", "two")
    assert git(repository, "status", "--porcelain") == ""


@pytest.mark.parametrize("damage", ["changed", "lost", "no .git", "gone", "killed"])
def test_a_folder_that_is_not_the_commit_is_made_again(repository, damage):
    folder, _ = worktree("one", repository)
    if damage == "changed":
        (folder / "file.txt").write_text("else")
    elif damage == "lost":
        (folder / "file.txt").unlink()
    elif damage == "no .git":
        (folder / ".git").unlink()
    elif damage == "killed":  # what git leaves where it is killed at work
        (repository / ".git" / "worktrees" / folder.name / "locked").write_text("initializing")
        shutil.rmtree(folder)
    else:
        folder.rename(folder.with_name("elsewhere"))
    assert worktree("one", repository)[0] == folder
    assert (folder / "file.txt").read_text() == "one"


def test_judges_at_the_same_time_share_a_folder(repository):
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda name: worktree(name, repository), ["one", "two"] * 3))
    assert len(set(found)) == 2
    assert all((folder / "file.txt").read_text() in ("one", "two") for folder, _ in found)


def test_an_unknown_revision_is_named(repository, tmp_path):
    with pytest.raises(PlayerError, match="revision 'three' is unknown"):
        worktree("three", repository)
    with pytest.raises(PlayerError, match="bot@one: .* is no git checkout, so it has no revisions"):
        worktree("one", tmp_path)


SMALL_BOT = """
import sys
sys.exit("started with " + " ".join(sys.argv[1:]))
"""


COMPILER = """
import sys
open(".cache-was-filled", "w").write(" ".join(sys.argv[1:]))
"""
# As the bot was before it knew several games.
BOT_OF_ONE_GAME = """
import argparse
parser = argparse.ArgumentParser()
for option in ("--limit", "--seed", "--preset"):
    parser.add_argument(option)
parser.add_argument("--info", action="store_true")
parser.parse_args()
"""


def commit_bot(repository, source):
    (repository / "bot").mkdir(exist_ok=True)
    (repository / "bot" / "__init__.py").touch()
    (repository / "bot" / "compiled.py").write_text(COMPILER)
    (repository / "bot" / "__main__.py").write_text(source)
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "a bot")


def test_a_bot_of_a_revision_runs_in_its_folder_and_is_compiled_first(repository, monkeypatch):
    commit_bot(repository, SMALL_BOT)
    monkeypatch.setattr("judge.players.own_bot.worktree", lambda revision: worktree(revision, repository))
    player = contestant("bot@HEAD:fast --more 1")
    launch = player.launch(0.5, 7)
    assert player.version == git(repository, "rev-parse", "HEAD")
    assert launch.folder == str(repository / ".cache" / "worktrees" / player.version)
    assert launch.argv == (*OWN, "--preset", "fast", "--more", "1")
    assert (repository / ".cache" / "worktrees" / player.version / ".cache-was-filled").read_text() == "connect_four"
    with pytest.raises(PlayerError, match="there is no bot"):
        contestant("bot@one")


def test_a_bot_is_told_which_game_it_plays(repository, monkeypatch):
    commit_bot(repository, SMALL_BOT)
    monkeypatch.setattr("judge.players.own_bot.worktree", lambda revision: worktree(revision, repository))
    named = {"quick": Entry("bot@HEAD:fast --more 1")}
    for text in ("bot@HEAD:fast --more 1", "quick"):
        player = contestant(text, named, "reversi")
        launch = player.launch(0.5, 7)
        assert launch.argv == (*OWN, "--game", "reversi", "--preset", "fast", "--more", "1")
    filled = repository / ".cache" / "worktrees" / player.version / ".cache-was-filled"
    assert filled.read_text() == "reversi"


@pytest.mark.parametrize("text, words", [("bot@HEAD:uct-plain", ""), ("bot@HEAD", "--preset uct-plain --more 1")])
def test_a_revision_of_before_is_told_the_presets_old_name(repository, monkeypatch, text, words):
    commit_bot(repository, SMALL_BOT)
    monkeypatch.setattr("judge.players.own_bot.worktree", lambda revision: worktree(revision, repository))
    more = tuple(words.split()[2:])
    assert contestant(f"{text} {words}").launch(0.5, 7).argv == (*OWN, "--preset", "seed000-v1", *more)
    assert contestant("bot@HEAD --preset=uct-plain").launch(0.5, 7).argv == (*OWN, "--preset=seed000-v1")
    in_reversi = contestant("bot@HEAD:alphabeta-discs", game="reversi").launch(0.5, 7).argv
    assert in_reversi[-2:] == ("--preset", "seed002-alphabeta-discs")
    (repository / "protocol").mkdir()
    (repository / "protocol" / "preset_names.py").touch()
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "new names")
    assert contestant(f"{text} {words}").launch(0.5, 7).argv == (*OWN, "--preset", "uct-plain", *more)


def test_a_revision_whose_kernels_cannot_be_prepared_is_refused(repository, monkeypatch):
    commit_bot(repository, SMALL_BOT)
    (repository / "bot" / "compiled.py").write_text("import sys; sys.exit('no compiler, no numba')")
    git(repository, "commit", "-q", "-a", "-m", "a bot without kernels")
    monkeypatch.setattr("judge.players.own_bot.worktree", lambda revision: worktree(revision, repository))
    with pytest.raises(PlayerError, match="its engine could not be compiled: no compiler, no numba"):
        contestant("bot@HEAD")


def test_a_revision_that_knows_no_other_game_is_refused_before_it_plays(repository, monkeypatch):
    commit_bot(repository, BOT_OF_ONE_GAME)
    monkeypatch.setattr("judge.players.own_bot.worktree", lambda revision: worktree(revision, repository))
    assert contestant("bot@HEAD").launch(0.5, 7).argv == OWN
    with pytest.raises(PlayerError, match="player 'bot@HEAD': .*unrecognized arguments: --game reversi"):
        contestant("bot@HEAD", game="reversi")
