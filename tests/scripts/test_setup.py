"""scripts/setup in checkouts of its own: what it says when it cannot go on, and what an interruption leaves.

Nothing is installed here; that set-up completes is shown by the run of this suite in a fresh clone.
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys

import pytest

from tests.places import REPOSITORY
from tests.programs import needs

CHOICES = ("PYTHON", "DROPFOUR_PYTHON")


@pytest.fixture
def checkout(tmp_path):
    """A folder, with a space in its path, that holds all that set-up needs of a checkout."""
    folder = tmp_path / "a checkout"
    shutil.copytree(REPOSITORY / "scripts", folder / "scripts")
    for name in ("pyproject.toml", "constraints.txt"):
        shutil.copy(REPOSITORY / name, folder)
    return folder


def environment(**variables):
    """This process's environment without a chosen interpreter but those given."""
    return {**{name: value for name, value in os.environ.items() if name not in CHOICES}, **variables}


def run_setup(checkout, *arguments, **variables):
    """scripts/setup, run to its end."""
    return subprocess.run(
        [checkout / "scripts" / "setup", *arguments],
        env=environment(**variables),
        capture_output=True,
        text=True,
        check=False,
    )


@needs("git")
def test_a_clone_by_git_for_windows_is_the_same(tmp_path):
    """Its git ends the lines of what it takes for text with CR LF, and a shell in WSL cannot run that."""
    names = ("scripts/setup", "scripts/set_up/environment.py", "pyproject.toml", "constraints.txt")
    names += tuple(path.relative_to(REPOSITORY).as_posix() for path in (REPOSITORY / "judge" / "locale").rglob("*.?o"))
    names += ("bot/games/connect_four/weights.bin", "scripts/deep_training/networks/small.network")
    first, clone = tmp_path / "first", tmp_path / "clone"
    for name in (".gitattributes", *names):
        (first / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, first / name)
    (first / "binary.png").write_bytes(b"a text for git\r\nbut not\n")
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=true", "-c", "core.safecrlf=false")
    for words in (("init", "-q", first), ("-C", first, "add", "."), ("-C", first, "commit", "-qm", "all")):
        subprocess.run([*git, *words], check=True)
    subprocess.run([*git, "clone", "-q", first, clone], check=True)
    for name in (*names, "binary.png"):
        assert (clone / name).read_bytes() == (first / name).read_bytes(), name


class RunningSetup:
    """scripts/setup in a process group of its own, killed at the end of the `with` block."""

    def __init__(self, checkout):
        self.process = subprocess.Popen(
            [checkout / "scripts" / "setup"],
            env=environment(PYTHON=sys.executable),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stderr.close()

    def next_line(self):
        """What it says next."""
        return self.process.stderr.readline()


def test_a_killed_set_up_leaves_no_stamp_and_the_next_one_starts_over(checkout):
    with RunningSetup(checkout) as setup:
        assert setup.next_line().startswith("setup: making .venv with Python ")
    assert list(checkout.glob(".venv/*.stamp")) == []
    with RunningSetup(checkout) as setup:
        assert setup.next_line() == "setup: an earlier set-up was interrupted; starting over\n"
        assert setup.next_line().startswith("setup: making .venv with Python ")
    assert list(checkout.glob(".venv/*.stamp")) == []


def test_a_second_set_up_waits_for_the_first(checkout):
    with RunningSetup(checkout) as first:
        assert first.next_line().startswith("setup: making .venv with Python ")
        with RunningSetup(checkout) as second:
            assert second.next_line() == "setup: another set-up of this checkout is running; waiting for it\n"


def test_a_chosen_interpreter_that_cannot_serve_is_named_with_the_reason(checkout):
    named = (("no/such/python", "there is no such program"), ("false", "it is not a Python"))
    for choice, (program, reason) in zip(CHOICES, named, strict=True):
        done = run_setup(checkout, **{choice: program})
        assert done.returncode == 2
        expected = f"setup: {choice}={program} cannot be used: {reason}; expected Python 3.10 or newer with venv\n"
        assert (done.stdout, done.stderr) == ("", expected)


def test_without_any_python_it_says_what_to_do(checkout, tmp_path):
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("dirname", "readlink", "tail"):
        (programs / name).symlink_to(shutil.which(name))
    done = run_setup(checkout, PATH=str(programs))
    assert done.returncode == 2
    assert done.stdout == ""
    assert "no Python 3.10 or newer with the venv module was found on PATH" in done.stderr
    assert "PYTHON=/path/to/python3" in done.stderr
    assert not (checkout / ".venv").exists()


def test_an_interpreter_used_as_it_is_must_have_the_packages(checkout, tmp_path):
    bare = tmp_path / "bare-python"
    bare.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -S "$@"\n')
    bare.chmod(0o755)
    done = run_setup(checkout, "test", DROPFOUR_PYTHON=str(bare))
    assert done.returncode == 1
    assert "named by DROPFOUR_PYTHON, lacks argcomplete, llvmlite, msgspec, numba, " in done.stderr
    assert "pytest_timeout" in done.stderr


def test_an_unknown_extra_is_an_error(checkout):
    done = run_setup(checkout, "tests", DROPFOUR_PYTHON=sys.executable)
    assert done.returncode == 1
    assert done.stderr == "setup: there is no extra 'tests', expected cluster, docs, plot, serve, test or train\n"


def test_extras_that_need_no_engine_compile_none(checkout):
    """In this checkout a compiler that only says so stands in the engines' place."""
    compiler = checkout / "judge" / "players" / "own_bot.py"
    compiler.parent.mkdir(parents=True)
    compiler.write_text("import sys\nprint('compiling', file=sys.stderr)\n")
    for extra, told in (("serve", ""), ("cluster", ""), (None, "compiling\n")):
        done = run_setup(checkout, *filter(None, [extra]), DROPFOUR_PYTHON=sys.executable, PYTHONPATH=str(checkout))
        assert (done.returncode, done.stdout, done.stderr) == (0, f"{sys.executable}\n", told)


def test_a_browser_that_cannot_be_installed_is_told_of_once(checkout, tmp_path):
    script = checkout / "scripts" / "set_up" / "browser.py"
    command = [sys.executable, "-I", script, tmp_path / "state"]
    told = []
    for _ in range(2):
        done = subprocess.run(command, env=environment(PATH=str(tmp_path)), capture_output=True, text=True, check=True)
        told.append(done.stderr)
    assert told == [
        "setup: there is no browser: tests of pages will be skipped (on Debian: apt install chromium)\n",
        "",
    ]
