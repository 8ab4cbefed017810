"""What a judge has started ends with it, however it ends."""

import contextlib
import os
import signal
import subprocess
import sys
import uuid

import psutil
import pytest

from judge.cli.exits import INTERRUPTED_STATUS
from judge.processes.usage import stat_fields
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

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux shows how processes belong")
STARTED = 19  # of stat_fields()
STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
SLEEP = (sys.executable, "-S", "-c", "import time; time.sleep(3600)")


def living(processes):
    """Those of {a process id: when it started} that still run; nobody may have reaped the others yet."""
    found = {pid: stat_fields(pid) for pid in processes}
    return [pid for pid, now in found.items() if now and now[0] not in "ZX" and now[STARTED] == processes[pid]]


def starts(pids):
    """{process id: when it started} of these, all of them alive."""
    return {pid: stat_fields(pid)[STARTED] for pid in pids}


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
    """(a judge whose two bots think, {process id: start} of the bots, of all that they started, of their keepers)."""
    families = tmp_path / "families"
    families.touch()
    words = ("--limit", 600, "--free-start", "--sandbox", "off")  # they write where the test can read it
    process = judge("play", *[command("family", families)] * 2, *words)
    wait_until(lambda: families.read_text().count("\n") == 1)  # the other has made its move, so it was looked at
    (first,) = families.read_text().splitlines()
    children = psutil.Process(process.pid).children(recursive=True)
    found = starts([*map(int, first.split()), *(child.pid for child in children if child.status() != "zombie")])
    assert sum("family.py" in " ".join(child.cmdline()) for child in children) == 2
    assert len(found) >= 12  # both bots, four processes of each, and their keepers
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


@pytest.mark.parametrize("number", [signal.SIGTERM])
def test_nothing_is_left_of_an_engines_compilation(judge, tmp_path, number):
    process = judge("play", "bot", command("first_legal"), DROPFOUR_CACHE_DIR=str(tmp_path / "kernels"))

    def prepares():
        assert process.poll() is None
        return any("bot.compiled" in " ".join(command_of(pid)) for pid in processes_with(process.token))

    wait_until(prepares)
    process.send_signal(number)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == INTERRUPTED_STATUS
    wait_until(lambda: processes_with(process.token) == [])


def command_of(pid):
    with contextlib.suppress(psutil.Error):
        return psutil.Process(pid).cmdline()
    return []
