"""The platform's limit on memory, a pipe of stderr that nobody reads, and what many games leave behind."""

import collections
import json
import os
import resource
import shlex
import subprocess
import uuid

import pytest

from judge.play.recheck import disagreements
from judge.play.referee import play_game
from judge.reasons import reason_of
from tests.judge.helpers.scripted import (
    WIDE_LIMIT_S,
    bot,
    command,
    judge_command,
    judge_environment,
    plan,
    processes_with,
    run_judge,
    wait_until,
)

LIMIT_BYTES = 60 * 10**6
PIPE_BYTES = 65536
LONG = ("--limit", WIDE_LIMIT_S)


@pytest.mark.parametrize(
    "side, words",
    [
        ("A", ("--megabytes", 100, "--hold", 60)),
        ("B", ("--megabytes", 100, "--at", 2)),  # given back before the reply: only the kernel's peak shows it
        ("B", ("--megabytes", 100, "--at", 1, "--hold", 60, "--in-child")),
    ],
)
def test_too_much_memory_loses_the_game(side, words):
    players = (bot("glutton", *words), bot("first_legal"))
    record = play_game(players if side == "A" else players[::-1], plan(memory_limit_bytes=LIMIT_BYTES))
    assert (record.termination, record.at_fault) == ("MEMORY_LIMIT", side)
    assert record.winner == ("B" if side == "A" else "A")
    assert record.extra[side]["peak_rss_bytes"] > LIMIT_BYTES
    assert "over the limit of 60 MB" in reason_of(record)
    assert disagreements(record) == []


def test_what_is_within_the_limit_is_allowed():
    players = (bot("glutton", "--megabytes", 100, "--at", 1, "--hold", 0.15), bot("first_legal"))
    record = play_game(players, plan(memory_limit_bytes=200 * 10**6))
    assert record.termination == "NORMAL"
    assert record.extra["A"]["peak_rss_bytes"] > 100 * 10**6


@pytest.mark.parametrize(
    "words, termination",
    [(("--memory-limit", 60), "MEMORY_LIMIT"), (("--memory-limit", 0), "NORMAL")],
)
def test_the_command_line_sets_the_limit(tmp_path, words, termination):
    glutton = command("glutton", "--megabytes", 100, "--hold", 0.2)
    done = run_judge(tmp_path, "play", glutton, command("first_legal"), *LONG, "--json", "--quiet", *words)
    assert json.loads(done.stdout.splitlines()[-1])["termination"] == termination


OTHER_STACK = pytest.mark.skipif(
    resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY, reason="no other stack is allowed here"
)
SAYS_ITS_STACK = "sh -c 'ulimit -s >&2; read opening; read turn'"


def under(stack, words):
    """The judge with these words in a shell with another stack, in a process of its own."""
    line = f"ulimit -s {stack}; exec {shlex.join(judge_command(*words))}"
    return subprocess.run(["sh", "-c", line], env=judge_environment(), capture_output=True, text=True)


@OTHER_STACK
@pytest.mark.parametrize("stack, had", [("unlimited", 8192), pytest.param(1024, 1024, marks=pytest.mark.slow)])
def test_a_player_has_the_same_stack_whatever_the_shell_gives(tmp_path, monkeypatch, stack, had):
    """If the shell allows as much; what plays says so. Shells set the limit that nobody may exceed, too."""
    monkeypatch.chdir(tmp_path)
    note = f"note: each player has a stack of {had} KB and crashes if it needs more (the usual size is 8192 KB; "
    for words in (("play", SAYS_ITS_STACK, *LONG), ("match", SAYS_ITS_STACK, SAYS_ITS_STACK, "--games", 2, *LONG)):
        done = under(stack, words)
        assert done.stderr.count(note) == 1, done.stderr
        assert "the last lines that A wrote to stderr:\n" in done.stdout and f"  {had}\n" in done.stdout
    assert note in under(stack, ("check", SAYS_ITS_STACK, "--limit", 0.1)).stderr
    assert note not in under(8192, ("play", SAYS_ITS_STACK)).stderr


def test_a_limit_that_is_no_number_is_named(tmp_path):
    done = run_judge(tmp_path, "play", "--memory-limit", "1GB")
    assert done.returncode == 2
    assert "'1GB' is not a whole number of megabytes" in done.stderr


def test_an_unread_stderr_blocks_who_writes_more_than_it_holds(tmp_path):
    """The same bot plays a normal game where its stderr is read: see test_endings.py."""
    loud = command("misbehave", "flood_stderr", "--at", 1)
    words = (
        loud,
        command("first_legal"),
        "--limit",
        0.75,
        "--free-start",
        "--quiet",
        "--record",
        "play.jsonl",
    )
    for _ in range(5):  # where the judge or the other had no core in time, that says nothing of the bot
        done = run_judge(tmp_path, "play", *words, "--undrained-stderr")
        if "STALL by A" in done.stdout:
            break
    assert "STALL by A" in done.stdout
    extra = json.loads((tmp_path / "play.jsonl").read_text().splitlines()[-1])["extra"]
    assert extra["undrained_stderr"] is True
    one_write = 6 * 2731  # what no longer fits as a whole waits
    assert PIPE_BYTES - one_write < extra["A"]["stderr_bytes"] <= PIPE_BYTES


def test_an_unread_stderr_does_not_hurt_who_writes_little():
    record = play_game((bot("first_legal", "--report"), bot("first_legal")), plan(undrained_stderr=True))
    assert record.termination == "NORMAL"
    assert 0 < record.extra["A"]["stderr_bytes"] < PIPE_BYTES
    assert all(move.report is None for move in record.moves)


def test_a_game_leaves_no_descriptor():
    """Neither where it ends as it should, nor where a player crashes or cannot start."""

    def play(*words):
        return play_game((bot("first_legal"), bot(*words)), plan()).termination

    endings = [("first_legal",), ("misbehave", "exit_3"), ("no-such-engine",)]
    assert [play(*words) for words in endings] == ["NORMAL", "CRASH", "CRASH"]
    open_before = sorted(os.listdir("/proc/self/fd"))
    for words in endings:
        play(*words)
    assert sorted(os.listdir("/proc/self/fd")) == open_before


@pytest.mark.slow
def test_many_games_leave_no_process_and_no_descriptor(tmp_path):
    token = f"DROPFOUR_TEST={uuid.uuid4().hex}"
    name, _, value = token.partition("=")
    mover = command("first_legal")
    words = (mover, mover, "--games", 20, "--jobs", 2, *LONG, "--seed", 3, "--json", "--record", "match.jsonl")
    judge = subprocess.Popen(
        judge_command("match", *words),
        cwd=tmp_path,
        env=judge_environment(**{name: value}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    descriptors = []
    for _ in judge.stderr:  # one line per game
        descriptors.append(len(os.listdir(f"/proc/{judge.pid}/fd")))
    output = judge.stdout.read()
    assert judge.wait() == 0
    assert json.loads(output.splitlines()[-1])["games"] == 20
    # How many pipe ends two games hold just then is chance; one left by each game would add 10.
    assert max(descriptors[10:]) <= max(descriptors[:10]) + 8
    assert max(descriptors) < 40
    wait_until(lambda: processes_with(token) == [])


def test_a_variable_may_go_while_a_bot_is_started(monkeypatch):
    class Going(collections.UserDict):
        """An environment that loses a variable while it is copied, once."""

        def keys(self):
            found = list(super().keys())
            self.pop("GOING", None)
            return found

    monkeypatch.setattr(os, "environ", Going(os.environ, GOING="1"))
    record = play_game((bot("first_legal"), bot("first_legal")), plan())
    assert record.termination == "NORMAL" and "GOING" not in os.environ
