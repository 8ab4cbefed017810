"""scripts/strength as the tests start it: results and runs in progress in a folder of their own."""

import json
import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "DROPFOUR_PYTHON": sys.executable}


def command(folder, *words):
    """The command line with these words; what it keeps goes to FOLDER/results and FOLDER/work."""
    places = ["--results", folder / "results", "--work", folder / "work"]
    return list(map(str, [REPOSITORY / "scripts" / "strength", *words, *places]))


def start(folder, *words):
    """The command as a running process, in text."""
    return subprocess.Popen(
        command(folder, *words),
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(folder, *words):
    """The command run to its end: CompletedProcess, in text."""
    return subprocess.run(
        command(folder, *words), cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )


def succeed(folder, *words):
    """stdout of the command, which must succeed."""
    done = run(folder, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def info(folder, name):
    """The kept summary of a run."""
    return json.loads((folder / "results" / f"{name}.json").read_text("ascii"))


def lines(path):
    """The JSON objects of a file."""
    return [json.loads(line) for line in path.read_text("ascii").splitlines()]
