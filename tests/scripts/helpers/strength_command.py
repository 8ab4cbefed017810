"""`scripts/measure strength` as the tests run it, here or as a process; what it keeps goes to the test's folder."""

import json
import os
import subprocess
import sys

from measurement import strength
from tests.places import REPOSITORY
from tests.scripts.helpers.run_here import run_here

ENVIRONMENT = {**os.environ, "DROPFOUR_PYTHON": sys.executable}


def arguments(folder, *words):
    """These words and where what is kept goes: FOLDER/results and FOLDER/work."""
    return list(map(str, [*words, "--results", folder / "results", "--work", folder / "work"]))


def start(folder, *words):
    """The script as a running process, in text."""
    return subprocess.Popen(
        [REPOSITORY / "scripts" / "measure", "strength", *arguments(folder, *words)],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(folder, *words):
    """The script's package run to its end in this process, which is quicker: CompletedProcess, in text."""
    return run_here(strength.main, folder, arguments(folder, *words))


def succeed(folder, *words):
    """stdout of the command, run here, which must succeed."""
    done = run(folder, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def info(folder, name):
    """The kept summary of a run."""
    return json.loads((folder / "results" / f"{name}.json").read_text("ascii"))


def lines(path):
    """The JSON objects of a file."""
    return [json.loads(line) for line in path.read_text("ascii").splitlines()]
