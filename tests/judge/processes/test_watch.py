"""What a judge has started ends with it, however it ends; the process that sees to that leaves nobody else's."""

import contextlib
import os
import signal
import subprocess
import sys
import uuid

import psutil
import pytest

from judge.cli.exits import INTERRUPTED_STATUS
from judge.processes import watch, watcher
from judge.processes.process import BotProcess, end_all
from tests.judge.helpers.projects import needs_compiler
from tests.judge.helpers.sandboxes import needs_sandbox
from tests.judge.helpers.scripted import (
    PATIENCE_S,
    command,
    judge_command,
    judge_environment,
    processes_with,
    wait_until,
)
from tests.places import REPOSITORY

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux shows how processes belong")
STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
SLEEP = (sys.executable, "-S", "-c", "import time; time.sleep(3600)")


def living(processes):
    """Those of {a process id: when it started} that still run; nobody may have reaped the others yet."""
    found = {pid: watcher.read_process(pid) for pid in processes}
    return [pid for pid, now in found.items() if now and not now.is_dead and now.started == processes[pid]]


def starts(pids):
    """{process id: when it started} of these, all of them alive."""
    return {pid: watcher.read_process(pid).started for pid in pids}


@pytest.fixture
def judge(tmp_path):
    """A function that starts the judge with these words in a folder of its own; `token` is in its environment."""
    token = uuid.uuid4().hex
    running = []

    def start(*words, **variables):
        process = subprocess.Popen(
            judge_command(*words),
            cwd=tmp_path,
            env=judge_environment(DROPFOUR_TEST=token, **variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        process.token = f"DROPFOUR_TEST={token}"
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()
        for pid in processes_with(process.token):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def in_mid_game(judge, tmp_path):
    """(a judge whose two bots think, {process id: start} of the bots, of all that they started, of the watcher)."""
    families = tmp_path / "families"
    families.touch()
    words = ("--limit", 600, "--free-start", "--sandbox", "off")  # they write where the test can read it
    process = judge("play", *[command("family", families)] * 2, *words)
    wait_until(lambda: families.read_text().count("\n") == 1)  # the other has made its move, so it was looked at
    (first,) = families.read_text().splitlines()
    children = psutil.Process(process.pid).children(recursive=True)
    found = starts([*map(int, first.split()), *(child.pid for child in children if child.status() != "zombie")])
    assert sum("family.py" in " ".join(child.cmdline()) for child in children) == 2
    assert len(found) >= 11  # both bots, four processes of each, and the watcher
    return process, found


def test_a_killed_judge_takes_its_bots_and_all_theirs_with_it(judge, tmp_path):
    process, found = in_mid_game(judge, tmp_path)
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_until(lambda: living(found) == [])


@pytest.mark.parametrize("number", STOPPING)
def test_a_stopped_judge_leaves_nothing(judge, tmp_path, number):
    process, found = in_mid_game(judge, tmp_path)
    process.send_signal(number)
    assert process.wait() == INTERRUPTED_STATUS
    wait_until(lambda: living(found) == [])


@needs_sandbox
@pytest.mark.parametrize("number", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_walls_fall_with_their_judge(judge, tmp_path, number):
    process = judge("play", *[command("family", os.devnull)] * 2, "--limit", 600, "--free-start", "--sandbox", "on")

    def alive():
        return [child for child in psutil.Process(process.pid).children(recursive=True) if not is_zombie(child)]

    wait_until(lambda: sum(words_of(child) == [*SLEEP] for child in alive()) == 8)  # four of each bot
    found = starts(child.pid for child in alive())
    process.send_signal(number)
    process.wait()
    wait_until(lambda: living(found) == [])


def words_of(process):
    """Its command, [] if it has just ended."""
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def is_zombie(process):
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.Error:
        return True


ENDLESS = '#if __INCLUDE_LEVEL__ < 100\n#include "endless.inc"\n#include "endless.inc"\n#endif\n'
BUILT = pytest.mark.parametrize("sandbox", ["off", pytest.param("on", marks=needs_sandbox)])


@pytest.fixture
def endless_project(tmp_path):
    """A project that compiles for ever; and a function that waits until it does, and returns {compiler: start}."""
    folder = tmp_path / "endless"
    folder.mkdir()
    for name in ("main", "other"):
        (folder / f"{name}.cpp").write_text('#include "endless.inc"\n')
    (folder / "endless.inc").write_text(ENDLESS)

    def wait(process):
        def compilers():
            children = psutil.Process(process.pid).children(recursive=True)
            return [child.pid for child in children if "cc1plus" in "".join(words_of(child)[:1])]

        wait_until(lambda: len(compilers()) == 2)
        return starts(compilers())

    return folder, wait


@needs_compiler
@BUILT
def test_a_killed_judge_takes_its_compilers_with_it(judge, endless_project, sandbox):
    folder, wait_for_compilers = endless_project
    process = judge("play", f"src:{folder}", command("first_legal"), "--sandbox", sandbox)
    compilers = wait_for_compilers(process)
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_until(lambda: living(compilers) == [] and processes_with(process.token) == [])


@needs_compiler
@BUILT
@pytest.mark.parametrize("number", [signal.SIGTERM])
def test_a_judge_stopped_while_it_compiles_leaves_nothing_and_says_so(judge, endless_project, number, sandbox):
    folder, wait_for_compilers = endless_project
    process = judge("match", f"src:{folder}", command("first_legal"), "--games", 2, "--sandbox", sandbox)
    compilers = wait_for_compilers(process)
    process.send_signal(number)
    said = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, said[0]) == (INTERRUPTED_STATUS, "")
    assert said[1].splitlines()[-1] == "interrupted: nothing is left running"
    assert "Traceback" not in said[1]
    wait_until(lambda: processes_with(process.token) == [] and living(compilers) == [])


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)])
def test_nothing_is_left_of_an_engines_compilation(judge, tmp_path, number):
    process = judge("play", "bot", command("first_legal"), DROPFOUR_CACHE_DIR=str(tmp_path / "kernels"))

    def prepares():
        assert process.poll() is None
        return any("bot.compiled" in " ".join(command_of(pid)) for pid in processes_with(process.token))

    wait_until(prepares)
    process.send_signal(number)
    process.communicate(timeout=PATIENCE_S)
    if number == signal.SIGTERM:
        assert process.returncode == INTERRUPTED_STATUS
    wait_until(lambda: processes_with(process.token) == [])


def command_of(pid):
    with contextlib.suppress(psutil.Error):
        return psutil.Process(pid).cmdline()
    return []


# Starts a program and says its number and that of the watcher; how it ends then is up to a test.
STARTS_ONE = f"""
import os, signal, subprocess, sys
from judge.processes import watch
assert watch.begin() and watch.begin()
watch.begin_and_wait()
print(subprocess.Popen({SLEEP!r}, stdout=subprocess.DEVNULL).pid, watch.watcher_pid(), flush=True)
"""


@pytest.mark.parametrize(
    "end, is_taken",
    [
        ("sys.exit()", False),
        ("raise KeyboardInterrupt", False),
        ("sys.exit(3)", False),
        ("os._exit(0)", True),
        ("os.abort()", True),
        ("os.kill(os.getpid(), signal.SIGTERM)", True),
        ("os.fork() or sys.exit(); os.wait(); os._exit(0)", True),  # the end of a fork is not its own
        ("os.fork() or sys.exit(); os.wait(); sys.exit()", False),
        ("os.kill(watch.watcher_pid(), signal.SIGKILL); watch.register(os.getpid())", False),
    ],
)
def test_what_is_left_is_taken_unless_it_ends_by_itself(end, is_taken):
    done = subprocess.run(
        [sys.executable, "-c", STARTS_ONE + end],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    program, its_watcher = map(int, done.stdout.split())
    started = starts([program]) if not is_taken else {}
    try:
        wait_until(lambda: not (now := watcher.read_process(its_watcher)) or now.is_dead)
        if is_taken:
            now = watcher.read_process(program)
            assert now is None or now.is_dead
        else:
            assert living(started) == [program]
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(program, signal.SIGKILL)


def test_a_program_does_not_hold_the_pipe():
    """It would keep the watcher from seeing the judge's end."""
    assert watch.begin()
    pipe = os.readlink(f"/proc/self/fd/{watch._process.stdin.fileno()}")
    listed = subprocess.run(["ls", "-l", "/proc/self/fd"], stdout=subprocess.PIPE, text=True, check=True)
    assert pipe.startswith("pipe:") and pipe not in listed.stdout


def test_what_has_ended_is_forgotten(monkeypatch):
    said = []
    monkeypatch.setattr(watch, "_send", said.append)
    monkeypatch.setattr(watch, "_registered", {})
    with subprocess.Popen(SLEEP) as program:
        start = starts([program.pid])[program.pid]
        watch.register(program.pid)
        watch.register(program.pid)
        watch.forget_ended()
        program.kill()
    watch.forget_ended()
    watch.forget_ended()
    assert said == [b"+ %d %d" % (program.pid, start), b"- %d" % program.pid]


def test_the_watcher_is_told_of_what_a_look_at_the_processor_time_finds():
    marker = uuid.uuid4().hex
    process = BotProcess(["sh", "-c", "sleep 3600 & wait"], {}, marker)
    try:
        wait_until(lambda: len(process.bot_pids()) == 2)
        process.sample()
        assert set(watch._registered) >= set(process.bot_pids())
    finally:
        end_all([process], marker)
