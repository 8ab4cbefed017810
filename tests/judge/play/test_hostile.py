"""Bots that reach for what is not their own gain nothing in a sandbox; without one most of them win."""

import dataclasses
import shlex
import shutil
import socket
import sys
import uuid
from pathlib import Path

import pytest

from judge.games import DEFAULT_GAME
from judge.language import from_data
from judge.play import sandbox as players_sandboxes
from judge.play.recheck import disagreements
from judge.play.referee import play_game
from judge.players.players import command_in, contestant
from judge.processes.process import MARKER
from protocol.records.record import Termination, append_record, read_records
from tests.judge.helpers.records import ended
from tests.judge.helpers.sandboxes import SANDBOXED, UNSANDBOXED, needs_sandbox
from tests.judge.helpers.scripted import PLIES_OF_FIRST_LEGAL_PLAY, bot, plan, processes_with, running_bots
from tests.places import ENGINES

PLIES = PLIES_OF_FIRST_LEGAL_PLAY[DEFAULT_GAME]
AT = 1
NOBODY = "[]"


def played(attack, *words, opponent=None, sandbox=SANDBOXED, limit_s=20.0, **others):
    """(record, what came of the attack) of a game whose side A attacks at its second move."""
    hostile = bot("hostile", attack, "--at", AT, *words)
    record = play_game((hostile, opponent or bot("first_legal")), plan(limit_s, sandbox=sandbox, **others))
    reports = [move.report for move in record.moves if move.side == "A"]
    done = reports[AT]["done"] if len(reports) > AT and reports[AT] else None
    return record, done


def assert_as_ever(record):
    """The game ended as it does where nobody attacks: the second mover wins by the rules."""
    assert (record.termination, record.winner, len(record.moves)) == ("NORMAL", "B", PLIES), record.extra
    assert record.extra["sandbox"] == "bubblewrap"
    assert disagreements(record) == []
    assert processes_with(f"{MARKER}={record.extra['id']}") == []


def has_in_its_words(text):
    """The ids of the processes that were started with this text in their words."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if text.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            pass
    return found


@needs_sandbox
@pytest.mark.parametrize("attack", ["kill", "speak"])
def test_no_opponent_is_to_be_seen(attack):
    record, done = played(attack)
    assert_as_ever(record)
    assert done == NOBODY


@pytest.mark.parametrize("attack, ending", [("kill", "CRASH"), ("speak", "BAD_FRAME")])
def test_without_a_wall_the_attacker_wins(attack, ending):
    record, _ = played(attack, sandbox=UNSANDBOXED)
    assert (record.termination, record.winner, record.at_fault) == (ending, "A", "B")
    assert record.extra["sandbox"] == "none"
    assert from_data(record.extra["no_sandbox"]) == "turned off by --sandbox off"


@needs_sandbox
def test_the_judge_is_not_to_be_seen():
    """The first process of the sandbox is: where it says why it failed, nobody listens any more."""
    record, done = played("write_to_judge")
    assert_as_ever(record)
    assert done in (NOBODY, "[1, 1]")


@needs_sandbox
@pytest.mark.parametrize("attack", ["delete", "overwrite"])
def test_the_record_file_stays(tmp_path, attack):
    file = tmp_path / "records" / "play.jsonl"
    before = ended(Termination.NORMAL)
    file.parent.mkdir()
    append_record(file, before)
    record, done = played(attack, "--path", file)
    assert_as_ever(record)
    assert done == "OSError"  # a file system that cannot be written
    append_record(file, record)
    assert read_records(file)[0] == [before, record]


def test_without_a_wall_the_record_file_is_gone(tmp_path):
    file = tmp_path / "play.jsonl"
    file.write_text("")
    _, done = played("delete", "--path", file, sandbox=UNSANDBOXED)
    assert done == "None" and not file.exists()


def folder_player(folder, engine):
    """A folder with a main.py, as a player."""
    folder.mkdir()
    shutil.copyfile(ENGINES / f"{engine}.py", folder / "main.py")
    for name in ("wires", "dots"):
        shutil.copyfile(ENGINES / f"{name}.py", folder / f"{name}.py")
    return contestant(str(folder))


@needs_sandbox
def test_an_opponents_program_stays(tmp_path):
    victim = folder_player(tmp_path / "victim", "first_legal")
    program = tmp_path / "victim" / "main.py"
    for _ in range(2):  # the second game would start what the first had left
        record, done = played("overwrite", "--path", program, opponent=victim)
        assert_as_ever(record)
        assert done == "OSError"


@needs_sandbox
def test_a_folder_that_both_share_is_copied_for_each(tmp_path):
    victim = folder_player(tmp_path / "both", "first_legal")
    shutil.copyfile(ENGINES / "hostile.py", tmp_path / "both" / "hostile.py")
    before = sorted(path.name for path in (tmp_path / "both").iterdir())
    words = [sys.executable, "-S", "hostile.py", "overwrite", "--path", str(tmp_path / "both" / "main.py")]
    hostile = libraries_in(tmp_path / "both", words)
    for _ in range(2):
        record = play_game((hostile, victim), plan(sandbox=SANDBOXED))
        assert_as_ever(record)
        assert record.moves[2 * AT].report["done"] == "20"  # its own copy
    assert (tmp_path / "both" / "main.py").read_bytes() == (ENGINES / "first_legal.py").read_bytes()
    assert sorted(path.name for path in (tmp_path / "both").iterdir()) == before


def libraries_in(folder, words):
    """A command that runs in a folder, as the players file has them."""
    return command_in(shlex.join(words), folder)


@needs_sandbox
@pytest.mark.parametrize("is_kept", [False, True])
def test_a_players_own_folder_can_be_written_for_a_game_or_for_good(tmp_path, is_kept):
    folder = tmp_path / "own"
    folder_player(folder, "first_legal")
    shutil.copyfile(ENGINES / "hostile.py", folder / "hostile.py")
    (folder / "notes").write_text("")
    hostile = libraries_in(folder, [sys.executable, "-S", "hostile.py", "overwrite", "--path", str(folder / "notes")])
    sandbox = dataclasses.replace(SANDBOXED, keeps_writes=is_kept)
    record = play_game((hostile, bot("first_legal")), plan(sandbox=sandbox))
    assert_as_ever(record)
    assert (folder / "notes").read_text() == ("raise SystemExit(1)\n" if is_kept else "")
    told = next(line for line in players_sandboxes.notes.lines() if str(folder) in line)
    assert told.startswith("the player wrote notes into ") and ("--keep-writes has kept these files" in told) == is_kept


@needs_sandbox
@pytest.mark.parametrize("attack, result", [("breed", "200"), ("linger", "0")])
def test_children_and_daemons_end_with_the_game(attack, result):
    token = uuid.uuid4().hex
    record, done = played(attack, "--path", token, memory_limit_bytes=None)
    assert_as_ever(record)
    assert done == result
    assert has_in_its_words(token) == []
    assert running_bots() == []


@pytest.mark.parametrize("sandbox", [pytest.param(SANDBOXED, marks=needs_sandbox), UNSANDBOXED])
@pytest.mark.parametrize("attack", ["trace_first", "trace_itself"])
def test_who_is_traced_at_its_end_ends_with_the_game(attack, sandbox):
    """Such a process waits for its tracer at its end, which SIGKILL does not change."""
    if attack == "trace_first" and sandbox is UNSANDBOXED:
        pytest.skip("the first process is the system's")
    record, _ = played(attack, sandbox=sandbox)
    assert (record.termination, record.winner) == ("NORMAL", "B")
    assert processes_with(f"{MARKER}={record.extra['id']}") == []
    assert running_bots() == []


@pytest.mark.parametrize("sandbox", [pytest.param(SANDBOXED, marks=needs_sandbox), UNSANDBOXED])
def test_the_network_is_not_to_be_reached(sandbox):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        record, done = played("call", "--port", listener.getsockname()[1], sandbox=sandbox)
        assert (record.termination, record.winner) == ("NORMAL", "B")
        if sandbox is UNSANDBOXED:
            assert listener.accept()[0].recv(100) == b"give up"
        else:
            assert done == "ConnectionRefusedError"
            with pytest.raises(TimeoutError):
                listener.accept()


@pytest.mark.parametrize("sandbox", [pytest.param(SANDBOXED, marks=needs_sandbox), UNSANDBOXED])
def test_nothing_is_shared(sandbox):
    name = f"dropfour-test-{uuid.uuid4().hex}"
    try:
        record, _ = played(
            "share", "--path", name, opponent=bot("hostile", "trusting", "--path", name), sandbox=sandbox
        )
        ending = ("CRASH", "A") if sandbox is UNSANDBOXED else ("NORMAL", "B")
        assert (record.termination, record.winner) == ending
        assert sandbox is UNSANDBOXED or not any(path.exists() for path in (Path("/tmp", name), Path("/dev/shm", name)))
    finally:
        for folder in ("/tmp", "/dev/shm"):
            Path(folder, name).unlink(missing_ok=True)
