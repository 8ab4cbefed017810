"""`python -m judge` without a command that exists: what it says, and to whom."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from judge.__main__ import main
from judge.cli.commands import COMMANDS, OVERVIEW
from judge.cli.exits import VOID_STATUS, replay_command
from protocol.records.record import read_records
from tests.judge.helpers.scripted import command, judge_command, judge_environment
from tests.places import REPOSITORY


def test_help_lists_every_command(capsys):
    assert main(["--help"]) == 0
    output, errors = capsys.readouterr()
    assert [line.split()[0] for line in output.splitlines()[1:-1]] == [*COMMANDS, "analyze", "bot"]
    assert output.splitlines()[-1] == f"More: {OVERVIEW} and the folder docs/"
    assert errors == ""


def test_without_a_command_they_are_listed(capsys):
    assert main([]) == 2
    output, errors = capsys.readouterr()
    assert output == ""
    assert errors.startswith("usage: python -m judge COMMAND")


def test_packages_of_the_same_names_on_pythonpath_are_not_taken_for_ours(tmp_path):
    for package in ("judge", "protocol", "bot"):
        (tmp_path / "foreign" / package).mkdir(parents=True)
        (tmp_path / "foreign" / package / "__init__.py").write_text("raise SystemExit('a foreign package')\n")
    program = "import sys; sys.argv = ['dropfour', *sys.argv[1:]]; from dropfour import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", program, "play", *["bot --iterations 1"] * 2, "--free-start", "--limit", "60"],
        cwd=tmp_path,
        env=judge_environment(PYTHONPATH=os.pathsep.join([str(tmp_path / "foreign"), str(REPOSITORY)])),
        capture_output=True,
        text=True,
    )
    assert "a foreign package" not in done.stdout + done.stderr
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_such_command_is_a_bad_argument(capsys):
    for words, meant in (
        (["nosuch"], ""),
        (["zzz", "--help"], ""),
        (["plya"], "; did you mean play?"),
        (["bto"], "; did you mean bot?"),
        (["--versoin"], ""),
    ):
        assert main(words) == 2
        output, errors = capsys.readouterr()
        assert output == ""
        assert errors.splitlines() == [
            f"error: there is no command {words[0]!r}{meant}",
            "python -m judge --help lists all commands",
        ]


def test_a_bad_argument_is_told_in_two_lines(capsys):
    for words, message in (
        (["play", "--recrod", "x"], "error: unrecognized arguments: --recrod; did you mean --record?"),
        (["play", "--zzz"], "error: unrecognized arguments: --zzz"),
        (["match", "a"], "error: the following arguments are required: OLD, --games"),
        (["replay", "--nubmer=3", "x"], "error: unrecognized arguments: --nubmer=3; did you mean --number?"),
        (["match", "a", "b", "--games", "0"], "error: argument --games: '0' is not an integer of at least 1"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 2, words
        assert capsys.readouterr().err.splitlines() == [
            message,
            f"python -m judge {words[0]} --help explains the arguments",
        ]


def test_the_version_names_release_and_revision(capsys):
    assert main(["--version"]) == 0
    assert re.fullmatch(r"dropfour \d+\.\d+\.\d+\S* \(\S+\)\n", capsys.readouterr().out)


def test_set_up_installs_the_command():
    done = subprocess.run(
        [Path(sys.executable).with_name("dropfour"), "--version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.split()[0]) == (0, "dropfour"), done.stderr


def test_bot_starts_the_bot_of_this_checkout_in_place_of_the_judge(tmp_path):
    """Streams and exit status are the bot's, and what lies in the current folder is no bot."""
    (tmp_path / "bot.py").write_text("print('somebody else')")
    words, environment = judge_command("bot", "--no-such-option"), judge_environment()
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--no-such-option" in done.stderr and "--preset" in done.stderr
    assert "Traceback" not in done.stderr


def test_analyze_is_the_bots_command_under_the_judges_name(tmp_path):
    """It is a process of its own: the judge imports no bot."""
    words = judge_command("analyze", "--rows", 9, "--cols", 9, "--moves", "4,4,3", "--limit", 0.1, "--json")
    environment = judge_environment()
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["best"] in range(9)) == (0, True), done.stderr
    refused = subprocess.run([*words[:4], "--rows", "x"], env=environment, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert refused.stderr.splitlines()[-1].startswith("python -m judge analyze: error: argument --rows")


def test_outside_the_environment_there_is_a_line_and_no_traceback():
    """-S leaves out the packages that are installed."""
    command = [sys.executable, "-S", "-m", "judge", "play"]
    done = subprocess.run(command, env=judge_environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {sys.executable} has no package ")
    assert "scripts/setup" in done.stderr
    assert len(done.stderr.splitlines()) == 2


def test_started_as_dropfour_it_is_called_so(tmp_path, monkeypatch, capsys):
    program = tmp_path / "dropfour"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(program)])
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert replay_command(Path("games.jsonl"), 3) == f"{program} replay games.jsonl --number 3"
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert replay_command(Path("my games.jsonl"), 3) == "dropfour replay 'my games.jsonl' --number 3"
    assert main([]) == 2
    assert capsys.readouterr().err.startswith("usage: dropfour COMMAND")


def test_a_reader_that_has_gone_is_no_error():
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as gone:
        done = subprocess.run(
            judge_command("--help"), env=judge_environment(), stdout=gone, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (1, b"")


def test_from_a_deleted_folder_it_is_said_what_to_do(tmp_path, monkeypatch, capsys):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for words in (["play", "bot", "bot"], ["match", "bot", "bot", "--games", "2"], ["new", "v8"]):
        assert main(words) == VOID_STATUS
        assert capsys.readouterr().err == (
            "error: the current folder has been deleted: cd to another one, and start the command there\n"
        )


def test_a_parent_that_ignores_the_ends_of_its_children_spoils_no_game(tmp_path):
    words = judge_command("play", *[command("first_legal")] * 2, "--limit", "60", "--quiet")
    ended = subprocess.run(
        ["sh", "-c", "trap '' CHLD; exec \"$@\"", "sh", *words],
        cwd=tmp_path,
        env=judge_environment(),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    (record,) = read_records(tmp_path / "records/play.jsonl")[0]
    assert record.termination == "NORMAL"
