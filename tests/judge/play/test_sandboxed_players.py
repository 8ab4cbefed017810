"""Every kind of player plays the same in a sandbox as without: with its own engine, its folder, its files."""

import json
import os
import sys

import pytest

from judge.play.referee import play_game
from judge.play.sandbox import LARGEST_COPY_BYTES, Sandbox, sandboxes_for
from judge.players.launch import Launch
from judge.players.players import Contestant, command_in, contestant
from judge.players.versions import CHECKOUT
from judge.processes.process import BotProcess, end_all, pump
from judge.reasons import reason_of
from tests.judge.helpers.projects import library_project, needs_compiler, program_project
from tests.judge.helpers.sandboxes import SANDBOXED, UNSANDBOXED, needs_sandbox
from tests.judge.helpers.scripted import bot, command, plan
from tests.places import PYTHON, REPOSITORY

OLD_REVISION = "79bf36e"
MARKER = "walled players"
pytestmark = needs_sandbox


def what_it_did(player, sandbox):
    """(how the game ended, the player's moves with its reports but for times) of a game against a simple bot."""
    record = play_game((player, bot("first_legal")), plan(60.0, sandbox=sandbox))
    moves = [
        (move.move, {key: value for key, value in (move.report or {}).items() if key != "elapsed_s"})
        for move in record.moves
        if move.side == "A"
    ]
    return record.termination, record.winner, moves


@pytest.mark.parametrize(
    "text",
    [
        "bot --iterations 50",
        pytest.param("bot --backend native --iterations 50", marks=pytest.mark.slow),
        pytest.param("bot --backend jit --iterations 50", marks=pytest.mark.slow),
        pytest.param(f"bot@{OLD_REVISION} --iterations 50", marks=pytest.mark.slow),  # it may have to be compiled
    ],
)
def test_our_bot_has_the_same_engine(text):
    player = contestant(text)
    walled, without_sandbox = (what_it_did(player, sandbox) for sandbox in (SANDBOXED, UNSANDBOXED))
    assert walled == without_sandbox and walled[0] == "NORMAL"
    assert any("iterations" in report for _, report in walled[2])


def output_of(player, sandbox=SANDBOXED):
    """All that a player says until it ends, alone in its sandbox or without one."""
    sandboxes = sandboxes_for(sandbox, [player])
    launch = player.launch(1.0, 0)
    process = BotProcess(launch.argv, launch.environment, MARKER, launch.folder, sandbox=sandboxes.of(0))
    try:
        process.stdin.close()
        while process.exit_status is None:
            pump([process], 0.05)
        return b"".join(data for _, data in process.received).decode()
    finally:
        end_all([process], MARKER)
        sandboxes.close()


@pytest.mark.parametrize("chosen", [None, "elsewhere"])
def test_our_bot_finds_what_is_compiled(tmp_path, monkeypatch, chosen):
    if chosen:
        monkeypatch.setenv("DROPFOUR_CACHE_DIR", str(tmp_path))
    argv = (sys.executable, "-m", "bot.backends.status")
    player = Contestant("status", "status", prepared=Launch(argv, {"PYTHONPATH": str(REPOSITORY)}, str(CHECKOUT)))
    walled, without_sandbox = (
        [json.loads(line) for line in output_of(player, sandbox).splitlines()] for sandbox in (SANDBOXED, UNSANDBOXED)
    )
    for key in ("game", "kernels", "engine", "cache"):
        assert [facts[key] for facts in walled] == [facts[key] for facts in without_sandbox]


@needs_compiler
@pytest.mark.parametrize("project", [pytest.param(program_project, marks=pytest.mark.slow), library_project])
def test_a_project_plays_from_its_folder(tmp_path, project):
    player = contestant(f"src:{project(tmp_path / 'project')}")
    walled, without_sandbox = (what_it_did(player, sandbox) for sandbox in (SANDBOXED, UNSANDBOXED))
    assert walled == without_sandbox and walled[0] == "NORMAL"


TRIES_TO_WRITE = """
import os
for place in {places}:
    try:
        with open(os.path.join(place, "written"), "w"):
            print(place)
    except OSError:
        pass
"""


def writer(folder, places):
    """A command in this folder that says in which of the places it can write."""
    (folder / "writer.py").write_text(TRIES_TO_WRITE.format(places=[str(place) for place in places]))
    return command_in(f"{PYTHON} -S {folder / 'writer.py'}", folder)


def test_a_player_writes_into_its_own_folder_and_its_own_tmp_alone(tmp_path, monkeypatch):
    own, other = tmp_path / "own", tmp_path / "other"
    for folder in (own, other):
        folder.mkdir()
    monkeypatch.chdir(other)
    player = writer(own, [own, other, tmp_path, CHECKOUT, os.path.expanduser("~"), "/tmp", "/dev/shm", "/run", "/"])
    assert output_of(player).split() == [str(own), "/tmp", "/dev/shm", "/run"]
    assert sorted(path.name for path in own.iterdir()) == ["writer.py", "written"]
    assert list(other.iterdir()) == [] and not os.path.exists("/tmp/written")


@pytest.mark.parametrize("reason", ["current", "record", "large"])
def test_a_folder_in_which_the_judge_writes_is_a_copy_and_a_large_one_cannot_be_written(tmp_path, monkeypatch, reason):
    own = tmp_path / "own"
    (own / "records").mkdir(parents=True)
    if reason == "large":
        with open(own / "records" / "large", "wb") as file:
            file.truncate(LARGEST_COPY_BYTES + 1)
    if reason != "record":
        monkeypatch.chdir(own)
    protected = (str(own / "records" / "match.jsonl"),) if reason == "record" else ()
    player = writer(own, [own])
    assert output_of(player, Sandbox("on", protected)).split() == ([] if reason == "large" else [str(own)])
    assert sorted(path.name for path in own.iterdir()) == ["records", "writer.py"]


def test_a_plain_command_reads_its_files_in_a_folder_that_is_hidden_otherwise(tmp_path):
    """pytest's own folder lies in /tmp."""
    (tmp_path / "script.py").write_text("print(open(__file__).read())")
    player = Contestant("script", f"{PYTHON} -S {tmp_path / 'script.py'}")
    assert output_of(player) == "print(open(__file__).read())\n"


def test_a_wrong_command_is_the_same_failure():
    for words in ("no-such-program", "'open", ""):
        reasons = {
            reason_of(play_game((Contestant("x", words), bot("first_legal")), plan(sandbox=sandbox)))
            for sandbox in (SANDBOXED, UNSANDBOXED)
        }
        assert len(reasons) == 1


def test_copies_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    folder = tmp_path / "both"
    for path in (folder, tmp_path / "temporary"):
        path.mkdir()
    player = command_in(command("first_legal"), folder)
    assert play_game((player, player), plan(sandbox=SANDBOXED)).termination == "NORMAL"
    assert list((tmp_path / "temporary").iterdir()) == []
