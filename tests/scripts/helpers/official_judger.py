"""Saiblo's local judger, where it is installed: started with our game logic, joined by players, and what came of it."""

import contextlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import time

import pytest

from judge.formats.reading import Source
from tests.judge.helpers.scripted import judge_command, judge_environment, processes_with
from tests.places import REPOSITORY

PACKAGE, MODULE = "saiblo-local-judger", "judger_cli"
VARIABLE = "DROPFOUR_JUDGER"  # names the Python of an environment that has the package
PATIENCE_S = 100.0
POLL_S = 0.1
LISTENING = re.compile(r"\('127\.0\.0\.1', (\d+)\)")
SCORES = re.compile(r"Game over\. Result: \[(\d+), (\d+)\]")  # its summary fails where no round was played
END_S = 20.0  # for what ends by itself


def python():
    """The Python that has the judger. Skips the test where there is none."""
    named = os.environ.get(VARIABLE)
    if named:
        return named
    if importlib.util.find_spec(MODULE) is None:
        pytest.skip(f"need a Python with {PACKAGE}, which {VARIABLE} may name: docs/judger.md")
    return sys.executable


class Match:
    """What is left of a match: `scores`, `replay` as text or None, the judger's `log`, and what the logic `said`.

    `statuses` and `errors` are those of the two commands that joined the players.
    """

    def __init__(self, folder, statuses, errors):
        self.statuses, self.errors = statuses, errors
        self.log = (folder / "judger.log").read_text("utf-8")
        replay, said = folder / "replay.json", folder / "logic_stderr.txt"
        self.replay = replay.read_text("ascii") if replay.exists() else None
        self.said = said.read_text("utf-8") if said.exists() else ""
        found = SCORES.findall(self.log)
        self.scores = tuple(map(int, found[-1])) if found else None

    @property
    def source(self):
        """The replay, to be imported."""
        return Source(self.replay.encode())


@contextlib.contextmanager
def judger(folder, config):
    """(the process, its port) of a judger with scripts/logic and this config; what it keeps goes to folder/out."""
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    command = [
        *(python(), "-m", MODULE, "--playerCount", "2", "--port", "0"),
        *("--logicPath", str(REPOSITORY / "scripts" / "logic"), "--output", "out", "--configFile", "config.json"),
    ]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with open(folder / "judger.txt", "wb") as output:
        running = subprocess.Popen(
            command,
            cwd=folder,
            env={**environment, "DROPFOUR_PYTHON": sys.executable},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        yield running, _port(folder, running)
    finally:
        running.kill()
        running.wait()


def _port(folder, running):
    give_up = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up:
        text = (folder / "judger.txt").read_text("utf-8", "replace")
        found = LISTENING.search(text)
        if found:
            return int(found.group(1))
        assert running.poll() is None, text
        time.sleep(POLL_S)
    raise AssertionError("the judger does not say where it listens")


@contextlib.contextmanager
def joined(folder, port, player, *words):
    """The process of `judge connect` with a player, once it has joined."""
    command = judge_command("connect", "127.0.0.1", port, player, *words)
    with open(folder / f"joined-{time.monotonic_ns()}.txt", "w+b") as errors:
        running = subprocess.Popen(command, cwd=folder, env=judge_environment(), stdout=subprocess.PIPE, stderr=errors)
        running.errors = errors
        try:
            line = running.stdout.readline()
            assert b" has joined " in line, text_of(errors)
            yield running
        finally:
            if running.poll() is None:
                running.terminate()
            running.wait()
            running.stdout.close()


def left_with(variable):
    """The processes with this entry in their environment that do not end: the logic ends a moment behind its judger."""
    give_up = time.monotonic() + END_S
    while (left := processes_with(variable)) and time.monotonic() < give_up:
        time.sleep(POLL_S)
    return left


def text_of(file):
    """All that was written to a file, as text."""
    file.seek(0)
    return file.read().decode()


def play(folder, config, first, second, *words):
    """The Match of two players, each joined by `judge connect` with these words."""
    with (
        judger(folder, config) as (running, port),
        joined(folder, port, first, *words) as one,
        joined(folder, port, second, *words) as other,
    ):
        running.wait(PATIENCE_S)
        statuses = [joining.wait(END_S) for joining in (one, other)]
        errors = [text_of(joining.errors) for joining in (one, other)]
    return Match(folder / "out", statuses, errors)
