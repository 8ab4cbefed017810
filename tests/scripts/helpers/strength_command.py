"""scripts/strength as the tests run it, here or as a process; results and runs in progress in a folder of their own."""

import json
import os
import subprocess
import sys

from strength_suite import command_line
from tests.places import REPOSITORY
from tests.scripts.helpers.run_here import run_here

ENVIRONMENT = {**os.environ, "DROPFOUR_PYTHON": sys.executable}


def arguments(folder, *words):
    """These words and where what is kept goes: FOLDER/results and FOLDER/work."""
    places = ["--results", folder / "results", "--work", folder / "work"] if words else []
    return list(map(str, [*words, *places]))


def start(folder, *words):
    """The script as a running process, in text."""
    return subprocess.Popen(
        [REPOSITORY / "scripts" / "strength", *arguments(folder, *words)],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_script(folder, *words):
    """The script run to its end: CompletedProcess, in text; with what the judge says on stderr."""
    process = start(folder, *words)
    output, errors = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def run(folder, *words):
    """The script's package run to its end in this process, which is quicker: CompletedProcess, in text."""
    return run_here(command_line.main, folder, arguments(folder, *words))


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
