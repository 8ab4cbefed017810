"""A player that cannot start ends a run before its first game; one that can is left alone."""

import os
import re
import shlex
import shutil
import sys
import tempfile

import pytest

from judge.play import start_trial
from judge.play.start_trial import require_programs, require_start
from judge.players.players import Contestant, PlayerError
from tests.judge.helpers.sandboxes import SANDBOXED, needs_sandbox
from tests.judge.helpers.scripted import command, run_judge, running_bots
from tests.places import PYTHON

FIRST_LEGAL = command("first_legal")
LIMIT_S = 3.0


def python(code):
    return shlex.join([sys.executable, "-S", "-s", "-c", code])


def refusal(text, names=()):
    with pytest.raises(PlayerError) as caught:
        require_start([Contestant(text, text)], LIMIT_S, names)
    return str(caught.value)


def test_players_that_start_are_asked_nothing(monkeypatch):
    monkeypatch.setattr(start_trial, "PROCESSOR_S", 0.2)
    movers = [FIRST_LEGAL, command("misbehave", "exit_3"), "cat", python("while True: pass")]
    require_start([Contestant(mover, mover) for mover in movers], LIMIT_S)
    assert running_bots() == []


def test_the_reason_is_named():
    for text, reason in (
        ("no-such-program", "no-such-program: No such file or directory"),
        ("/etc/passwd", "/etc/passwd: Permission denied"),
        ("", "the command is empty"),
        ("bot 'x", "No closing quotation"),
        (f"{PYTHON} no_such_script.py", "ended with status 2 before its first turn; the last line of its stderr: "),
        (python("import no_such_module"), "No module named 'no_such_module'"),
        (python("import os; os.abort()"), "was ended by signal 6 (SIGABRT, Aborted) before its first turn"),
        (python("pass"), "ended with status 0 before its first turn"),
        (python(r"import sys; sys.exit('a \x1b[2J word')"), r"a \x1b[2J word"),
    ):
        assert reason in refusal(text)


def test_a_name_that_may_have_been_meant():
    assert refusal("bto", ["bot", "steady"]).endswith("; did you mean bot?")
    assert refusal("steadi", ["bot", "steady"]).endswith("; did you mean steady?")
    assert "did you mean" not in refusal("./my-bot", ["bot", "steady"])


def test_a_program_is_looked_for_without_a_start(tmp_path):
    (tmp_path / "engine").write_text("#!/bin/sh\n")
    (tmp_path / "engine").chmod(0o755)
    (tmp_path / "closed").write_text("#!/bin/sh\n")
    require_programs([Contestant("sh", "sh -c 'exit 1'"), Contestant("own", "./engine", folder=str(tmp_path))], LIMIT_S)
    require_programs([Contestant("tried", "no-such-program", is_tried=True)], LIMIT_S)
    for text, reason in (
        ("bto", "bto: No such file or directory; did you mean bot?"),
        ("./engine", "./engine: No such"),
        (str(tmp_path / "closed"), "closed: Permission denied"),
    ):
        with pytest.raises(PlayerError, match=re.escape(reason)):
            require_programs([Contestant(text, text)], LIMIT_S, ["bot"])
    with pytest.raises(PlayerError, match="the command is empty"):
        require_programs([Contestant("", "")], LIMIT_S)


def test_a_wrapper_is_no_start(tmp_path):
    """The shell sleeps while its child fails."""
    script = tmp_path / "run.sh"
    script.write_text(f"{PYTHON} -S -s -c 'for _ in range(1000000): pass\nimport nothing'\n")
    assert "No module named 'nothing'" in refusal(f"sh {script}")


def test_a_folder_is_tried_too(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "main.py").write_text("import nothing\n")
    done = run_judge(tmp_path, "match", "mine", FIRST_LEGAL, "--games", 2)
    assert done.returncode == 2
    reason = "player 'mine' cannot start: the program ended with status 1 before its first turn; "
    assert f"{reason}the last line of its stderr: ModuleNotFoundError" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("sprt", FIRST_LEGAL, "bto", "--elo0", 0, "--elo1", 50),
        ("batch", FIRST_LEGAL, "--against", FIRST_LEGAL, "bto"),
    ],
)
def test_no_game_is_played(tmp_path, words):
    done = run_judge(tmp_path, *words)
    assert done.returncode == 2
    assert "player 'bto' cannot start: bto: No such file or directory; did you mean bot?" in done.stderr
    assert "Elo" not in done.stdout + done.stderr
    assert list(tmp_path.rglob("*.jsonl")) == []


@needs_sandbox
def test_a_trial_gives_no_player_the_files_of_another(tmp_path):
    """Players of one players file have its folder in common."""
    (tmp_path / "victim.py").write_text("input()\n")
    (tmp_path / "evil.py").write_text("open('victim.py', 'a').write('# changed')\ninput()\n")
    players = [
        Contestant(name, shlex.join([sys.executable, f"{name}.py"]), folder=str(tmp_path))
        for name in ("evil", "victim")
    ]
    require_start(players, LIMIT_S, sandbox=SANDBOXED)
    assert (tmp_path / "victim.py").read_text() == "input()\n"


ENTERS = "the player's sandbox cannot enter {folder}: "
COMMANDS = (
    ("play", FIRST_LEGAL, FIRST_LEGAL),
    ("match", FIRST_LEGAL, FIRST_LEGAL, "--games", 2),
    ("human", FIRST_LEGAL),
    ("check", FIRST_LEGAL),
    ("connect", "localhost", 1, FIRST_LEGAL),
)


@needs_sandbox
@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_a_folder_that_its_sandbox_does_not_have_is_told_of_before_a_game(tmp_path, words):
    record = () if words[0] in ("check", "connect") else ("--record", tmp_path / "games.jsonl")
    folder = f"/proc/{os.getpid()}"
    done = run_judge(folder, *words, *record)
    assert (done.returncode, done.stdout) == (2, ""), done.stdout
    assert ENTERS.format(folder=folder) in done.stderr and "--sandbox off" in done.stderr
    assert list(tmp_path.iterdir()) == []


@needs_sandbox
@pytest.mark.skipif(os.getuid() != 0, reason="an ordinary user does not get into such a folder")
def test_root_has_no_privileges_in_a_sandbox(tmp_path, monkeypatch):
    own = tmp_path / "own"
    own.mkdir(0o700)
    monkeypatch.chdir(own)
    os.chown(own, 65534, 65534)
    with pytest.raises(PlayerError, match=f"the player's sandbox cannot enter {own}: bwrap: "):
        require_programs([Contestant("a", FIRST_LEGAL)], LIMIT_S, sandbox=SANDBOXED)
    require_programs([Contestant("a", FIRST_LEGAL)], LIMIT_S)


@needs_sandbox
def test_a_program_that_its_sandbox_does_not_have_is_told_of(tmp_path, monkeypatch):
    own = f"/proc/{os.getpid()}/root{shutil.which('sh')}"
    with pytest.raises(PlayerError, match=f"{own}: there is no such program"):
        require_programs([Contestant("a", f"{own} -c :")], LIMIT_S, sandbox=SANDBOXED)


@needs_sandbox
@pytest.mark.parametrize("place", ["/dev/shm", "/var/tmp"])
def test_players_run_from_folders_that_are_new_in_a_sandbox(place, monkeypatch):
    if not os.access(place, os.W_OK):
        pytest.skip(f"{place} cannot be written here")
    with tempfile.TemporaryDirectory(dir=place) as folder:
        monkeypatch.chdir(folder)
        with open("mover", "w") as file:
            file.write("#!/bin/sh\nexec cat\n")
        os.chmod("mover", 0o755)
        texts = (FIRST_LEGAL, "./mover", os.path.join(folder, "mover"))
        players = [Contestant(text, text) for text in texts]
        require_programs(players, LIMIT_S, sandbox=SANDBOXED)
        require_start(players, LIMIT_S, sandbox=SANDBOXED)
        monkeypatch.undo()
