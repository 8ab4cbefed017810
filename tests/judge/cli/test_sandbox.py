"""`--sandbox`: which games have sandboxes, and what is said where there are none."""

import json

import pytest

from judge.language import from_data
from judge.processes.bubblewrap import find_bubblewrap
from tests.judge.helpers.sandboxes import needs_sandbox
from tests.judge.helpers.scripted import WIDE_LIMIT_S, command, run_judge
from tests.places import REPOSITORY

PLAYERS = (command("first_legal"), command("first_legal"), "--limit", WIDE_LIMIT_S)
GAMES_FILE = REPOSITORY / "docs" / "pictures" / "game.jsonl"
NO_SUCH_FILE = ("--players", "nowhere.toml")
NOTE = "note: bots play without a sandbox and can reach each other and your files: bubblewrap is not installed"


@pytest.fixture
def without_bubblewrap(tmp_path, monkeypatch):
    """A PATH on which there is nothing."""
    monkeypatch.setenv("PATH", str(tmp_path))
    find_bubblewrap.cache_clear()
    yield
    find_bubblewrap.cache_clear()


def sandboxes_of(file):
    """What the records say of sandboxes, in their order."""
    extras = [json.loads(line)["extra"] for line in file.read_text().splitlines()]
    return [(extra["sandbox"], from_data(extra["no_sandbox"]) if "no_sandbox" in extra else None) for extra in extras]


@pytest.mark.parametrize(
    "words, sandboxes",
    [
        pytest.param((), ("bubblewrap", None), marks=needs_sandbox),
        pytest.param(("--sandbox", "on"), ("bubblewrap", None), marks=needs_sandbox),
        (("--sandbox", "off"), ("none", "turned off by --sandbox off")),
    ],
)
def test_the_record_has_which_sandbox_there_was(tmp_path, words, sandboxes):
    done = run_judge(tmp_path, "play", *PLAYERS, "--quiet", *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert sandboxes_of(tmp_path / "records" / "play.jsonl") == [sandboxes]


def test_without_a_wall_a_line_says_so_once(tmp_path, without_bubblewrap):
    words = ("--games", 2, "--record", "match.jsonl", "--sandbox", "auto")
    done = run_judge(tmp_path, "match", *PLAYERS, *words)
    assert done.returncode == 0
    assert done.stderr.splitlines().count(NOTE) == 1
    assert sandboxes_of(tmp_path / "match.jsonl") == [("none", "bubblewrap is not installed")] * 2


BAD_WORDS = (
    ("play", PLAYERS[0], "./nothing"),
    ("match", *PLAYERS[:2], "--games", 2, *NO_SUCH_FILE),
    ("batch", PLAYERS[0], "--against", PLAYERS[1], *NO_SUCH_FILE),
    ("tournament", *PLAYERS[:2], *NO_SUCH_FILE),
    ("human", "./nothing"),
    ("check", PLAYERS[0], "--jobs", 1000),
    ("connect", PLAYERS[0], "localhost", "1", *NO_SUCH_FILE),
    ("review", GAMES_FILE, "--engine", PLAYERS[0], *NO_SUCH_FILE),
)


def test_bad_words_are_told_of_before_walls(tmp_path, without_bubblewrap):
    for words in BAD_WORDS:
        done = run_judge(tmp_path, *words, "--sandbox", "auto")
        first, *others = done.stderr.splitlines()
        assert done.returncode == 2 and "error: " in first, words
        assert NOTE not in others, words


SANDBOXED = (
    ("play", *PLAYERS),
    ("match", *PLAYERS, "--games", 2),
    ("sprt", *PLAYERS, "--elo0", 0, "--elo1", 5),
    ("batch", PLAYERS[0], "--against", PLAYERS[1]),
    ("check", PLAYERS[0]),
    ("human", PLAYERS[0]),
    ("review", GAMES_FILE, "--engine", PLAYERS[0]),
)


def test_a_wall_that_is_asked_for_and_cannot_be_had_is_an_error(tmp_path, without_bubblewrap):
    for words in SANDBOXED:
        done = run_judge(tmp_path, *words, "--sandbox", "on")
        assert (done.returncode, done.stdout) == (2, ""), words
        assert (
            done.stderr.splitlines()[0]
            == "error: --sandbox on: this machine cannot make sandboxes: bubblewrap is not installed"
        ), words
        assert len(done.stderr.splitlines()) == 2, words
    assert list(tmp_path.iterdir()) == []


@needs_sandbox
def test_a_run_goes_on_with_walls_or_without(tmp_path):
    words = (*PLAYERS, "--record", "match.jsonl", "--seed", 1, "--resume")
    for games, sandbox in ((2, "off"), (4, "on")):
        done = run_judge(tmp_path, "match", *words, "--games", games, "--sandbox", sandbox)
        assert done.returncode == 0, done.stderr
    sandboxes = sandboxes_of(tmp_path / "match.jsonl")
    assert [name for name, _ in sandboxes] == ["none", "none", "bubblewrap", "bubblewrap"]


@needs_sandbox
def test_a_person_plays_against_a_bot_behind_a_wall(tmp_path):
    words = (PLAYERS[0], "--first", "player", "--seed", 1, "--limit", WIDE_LIMIT_S, "--sandbox", "on")
    done = run_judge(tmp_path, "human", *words, input="hint\nquit\n")
    assert (done.returncode, done.stderr) == (130, "")
    assert "would play" in done.stdout


@needs_sandbox
def test_a_record_in_a_players_own_folder_stays(tmp_path):
    """It overwrites the record: there is none in its copy of the folder."""
    folder, file = tmp_path / "own", tmp_path / "own" / "records.jsonl"
    folder.mkdir()
    (folder / "players.toml").write_text(
        "[hostile]\ncommand = " + json.dumps(command("hostile", "overwrite", "--path", file))
    )
    words = (*("hostile", PLAYERS[1]), *("--players", folder / "players.toml"), *PLAYERS[2:], "--record", file)
    for number in (1, 2):
        done = run_judge(tmp_path, "play", *words, "--quiet", "--sandbox", "on")
        assert done.returncode == 0, done.stderr
        assert sandboxes_of(file) == [("bubblewrap", None)] * number
    reports = [move["report"] for move in json.loads(file.read_text().splitlines()[1])["moves"]]
    assert [report["done"] for report in reports if report and report["done"]] == ["FileNotFoundError"]
