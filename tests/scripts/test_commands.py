"""scripts/play and scripts/test as a user starts them, in an environment that is set up already."""

import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from tests.places import REPOSITORY

ENVIRONMENT = {**os.environ, "DROPFOUR_PYTHON": sys.executable, "TERM": "xterm", "COLUMNS": "160"}
RANDOM_MOVER = shlex.join([sys.executable, str(REPOSITORY / "tests" / "engines" / "random_mover.py")])
CONTROL_SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def start_in_terminal(folder, command, *arguments):
    """A pexpect child with a terminal of its own."""
    return pexpect.spawn(
        str(command),
        list(arguments),
        cwd=str(folder),
        env=ENVIRONMENT,
        encoding="utf-8",
        dimensions=(40, 160),
        timeout=300,
    )


OWN_WAYS = ("setup", "test", "lint", "docs", "run_package")  # the others call run_package in a line
LAUNCHERS = sorted(path.name for path in (REPOSITORY / "scripts").iterdir() if path.is_file() and not path.suffix)


def test_every_command_is_an_executable_shell_script():
    for path in (REPOSITORY / ".ci" / "run", *(REPOSITORY / "scripts" / name for name in LAUNCHERS)):
        assert path.stat().st_mode & stat.S_IXUSR, path
        assert path.read_text("utf-8").startswith("#!/bin/sh\n"), path


def test_every_command_starts_from_another_folder_and_through_links_in_a_checkout_with_blanks(tmp_path):
    """The launchers of this checkout beside a set-up that only says what it is asked for."""
    scripts, folder = tmp_path / "a checkout" / "scripts", tmp_path / "another folder"
    scripts.mkdir(parents=True)
    folder.mkdir()
    for name in LAUNCHERS:
        shutil.copy(REPOSITORY / "scripts" / name, scripts)
    (scripts / "setup").write_text('#!/bin/sh\necho "set-up: $*" >&2; echo /bin/echo\n')
    for name in sorted({*LAUNCHERS} - {*OWN_WAYS}):
        (folder / "first").symlink_to(scripts / name)
        (folder / f"a {name}").symlink_to("first")
        done = subprocess.run([f"./a {name}", "a b", "c"], cwd=folder, capture_output=True, text=True, check=True)
        (folder / "first").unlink()
        assert done.stdout.startswith(f"{scripts}/run_module.py ") and done.stdout.endswith(" a b c\n"), done.stdout
        assert done.stderr.startswith("set-up: ")
        package = Path(*done.stdout.removeprefix(f"{scripts}/run_module.py ").split()[0].split("."))
        places = [base / package for base in (REPOSITORY, REPOSITORY / "scripts")]
        assert any(place.is_dir() or place.with_suffix(".py").exists() for place in places), done.stdout
    for words, need in ((("measure", "pages"), "test"), (("measure", "strength"), ""), (("train_deep",), "train")):
        done = subprocess.run([scripts / words[0], *words[1:]], capture_output=True, text=True, check=True)
        assert done.stderr == f"set-up: {need}\n"


def test_play_shows_a_game_in_a_terminal_from_another_folder_and_through_a_symlink(tmp_path):
    decoy = tmp_path / "judge.py"
    decoy.write_text("raise SystemExit('the wrong judge')\n")
    link = tmp_path / "a link"
    link.symlink_to(REPOSITORY / "scripts" / "play")
    bot = "bot --set move_seconds=0.1"
    child = start_in_terminal(tmp_path, link, bot, RANDOM_MOVER, "--limit", "10", "--free-start")
    child.expect(pexpect.EOF)
    child.close()
    shown = CONTROL_SEQUENCE.sub("", child.before)
    assert child.exitstatus == 0, shown
    assert re.search(r"\d+ rows x \d+ columns, forbidden cell \d+,\d+, seed \d+, limit 10 s", shown)
    assert "  0  1  2  3  4  5  6  7  8 " in shown
    assert re.search(r"ply \d+: A plays column \d+ \(row \d+\)  \d+\.\d\d s  value [+-]\d", shown)
    assert re.search(r"A \(bot --set move_seconds=0\.1\) wins after \d+ plies: A has four in a line", shown)
    decoy.unlink()
    replay = re.search(r"replay: .+? (-m judge replay \S+ --number 1)", shown).group(1)
    again = subprocess.run(
        [sys.executable, *shlex.split(replay)],
        cwd=tmp_path,
        env={**ENVIRONMENT, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "The rules agree with the record." in again.stdout, again.stderr


@pytest.mark.slow
def test_play_without_arguments_is_a_game_of_two_bots_and_can_be_interrupted(tmp_path):
    child = start_in_terminal(tmp_path, REPOSITORY / "scripts" / "play")
    child.expect(r"A . bot")
    child.expect(r"B . bot")
    child.expect(r"ply 1: A plays column")
    child.sendintr()
    child.expect("interrupted: the game is not recorded")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert list(tmp_path.iterdir()) == []


def test_nothing_of_the_set_up_is_on_stdout(tmp_path):
    arguments = [RANDOM_MOVER, RANDOM_MOVER, "--quiet", "--json", "--free-start", "--sandbox", "off"]
    command = [REPOSITORY / "scripts" / "play", *arguments]
    done = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    result, outcome = done.stdout.splitlines()
    assert " after " in result
    assert json.loads(outcome)["termination"] == "NORMAL"
    assert done.stderr == ""  # what is ready needs no word


def test_set_up_prints_the_interpreter_alone(tmp_path):
    done = subprocess.run(
        [REPOSITORY / "scripts" / "setup"], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, f"{ENVIRONMENT['DROPFOUR_PYTHON']}\n"), done.stderr


@pytest.mark.slow
def test_play_passes_arguments_and_the_exit_status_on(tmp_path):
    command = [REPOSITORY / "scripts" / "play", "bot", "--rows", "8"]
    done = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "rows is 8, expected 9..12" in done.stderr


@pytest.mark.slow
def test_test_passes_arguments_on_to_pytest_from_any_folder(tmp_path):
    arguments = ["--collect-only", "-q", "tests/scripts/test_readme.py"]
    done = subprocess.run(
        [REPOSITORY / "scripts" / "test", *arguments],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "tests/scripts/test_readme.py::test_every_script_named_exists" in done.stdout


@pytest.mark.slow
def test_a_test_that_takes_its_process_down_fails_and_the_run_ends(tmp_path):
    (tmp_path / "test_crash.py").write_text("import os\ndef test_down(): os.abort()\n")
    (tmp_path / "test_beside.py").write_text("def test_fine(): pass\n")
    arguments = ["-c", "pyproject.toml", "--numprocesses", "2", "--dist", "loadfile", tmp_path]
    command = [REPOSITORY / "scripts" / "test", *arguments]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 1, done.stdout
    assert re.search(r"^FAILED .*test_crash\.py::test_down", done.stdout, re.MULTILINE)
    assert "1 failed, 1 passed" in done.stdout


def test_continuous_integration_is_lint_and_then_the_tests_with_its_arguments(tmp_path):
    """A copy of .ci/run beside scripts that only say what they are given; it reads no input."""
    for lint_status, status, said in ((0, 5, ["lint 1 0 ", "test 1 2 -k a b "]), (3, 3, ["lint 1 0 "])):
        done = ci_run(tmp_path / str(lint_status), lint_status, ["bwrap"])
        assert (done.returncode, done.stdout.splitlines(), done.stderr) == (status, said, "")


def test_continuous_integration_tests_once_more_without_what_a_fresh_machine_lacks(tmp_path):
    """What cannot depend on other programs is left out, and the status is that of the second run."""
    lacking = ["bwrap", "gdb", "chromium"]
    found = "for name in bwrap gdb chromium cat; do command -v $name; done"
    done = ci_run(tmp_path, 0, lacking, test=f'{found}; [ -n "${{CI:-}}" ] || exit 4')
    first, second = done.stdout.split("once more without bubblewrap, gdb and a browser\n")
    assert [line.rpartition("/")[2] for line in first.splitlines()[2:]] == [*lacking, "cat"]
    words = "--numprocesses 4 --dist loadfile -k a b"
    assert second.splitlines()[0].split()[2:] == [*words.split(), "tests/contracts", "tests/judge", "tests/scripts"]
    assert [line.rpartition("/")[2] for line in second.splitlines()[1:]] == ["cat"]
    assert done.returncode == 4


def test_continuous_integration_installs_bubblewrap_where_it_may(tmp_path):
    for number, (programs, user, apt_status, is_asked, said) in enumerate(
        [
            ([], 0, 0, False, ""),
            (["apt-get"], 0, 0, True, ""),
            (["apt-get"], 0, 100, True, "bubblewrap cannot be installed\n"),
            (["apt-get"], 7, 100, False, ""),
        ]
    ):
        folder = tmp_path / str(number)
        done = ci_run(folder, 0, programs, user, apt_status)
        assert (done.returncode, (folder / "asked").exists(), done.stderr) == (5, is_asked, said), number


def ci_run(tmp_path, lint_status, programs, user=0, apt_status=0, test="exit 5"):
    """A copy of .ci/run, run where there are these programs and a few more; `test` is the end of scripts/test."""
    for name, end in (("lint", f"exit {lint_status}"), ("test", test)):
        script = tmp_path / "scripts" / name
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text(f'#!/bin/sh\necho {name} "${{CI:-}}" "$#" "$@" "$(cat)"\n{end}\n')
        script.chmod(0o755)
    (tmp_path / ".ci").mkdir()
    shutil.copy(REPOSITORY / ".ci" / "run", tmp_path / ".ci" / "run")
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "cat", "dirname", "readlink", "mktemp", "mkdir", "ln", "rm"):
        (tools / name).symlink_to(shutil.which(name))
    asked = f'case "$*" in *" bubblewrap") echo "$*" >{tmp_path}/asked;; esac; exit {apt_status}'
    for name, script in (("id", f"echo {user}"), *[(name, asked) for name in programs]):
        file = tools / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
    return subprocess.run(
        [tmp_path / ".ci" / "run", "-k", "a b"],
        env={**os.environ, "PATH": str(tools), "CI": "1"},
        input="unread",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
