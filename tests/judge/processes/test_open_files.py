"""Many games at a time: descriptors with high numbers, a raised limit on open files, and none left."""

import errno
import os
import resource
import subprocess
import sys

import psutil
import pytest

from judge.processes import process
from judge.processes.process import BotProcess, end_all
from judge.processes.start import DESCRIPTORS_OF_A_GAME, OTHER_DESCRIPTORS, JudgeFailure, Launch
from tests.judge.helpers.sandboxes import bare_sandbox, needs_sandbox
from tests.judge.helpers.scripted import judge_environment, running_bots

MARKER = "open files"
SELECTED = 1024  # select.select() takes no descriptor from here on
LOW = 64
ENDLESS = (sys.executable, "-S", "-c", "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(3600)")
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits are set by prlimit")


def said_by(code):
    """What a Python of its own prints, whose limits and descriptors the code may change."""
    words = [sys.executable, "-c", code]
    return subprocess.run(words, env=judge_environment(), capture_output=True, text=True, check=True).stdout


@needs_sandbox
@pytest.mark.parametrize("sandbox", ["None", "bare_sandbox()"])
def test_bots_start_and_end_when_a_thousand_descriptors_are_open(sandbox):
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 2 * SELECTED:
        pytest.skip("too few open files are allowed")
    code = f"""
import os, resource
from judge.processes.process import BotProcess, Launch, end_all
from tests.judge.helpers.sandboxes import bare_sandbox
resource.setrlimit(resource.RLIMIT_NOFILE, ({2 * SELECTED}, {2 * SELECTED}))
held = [os.open(os.devnull, os.O_RDONLY) for _ in range({SELECTED})]
bot = BotProcess(Launch({ENDLESS}), {MARKER!r}, {sandbox})
pid = bot.pid
end_all([bot])
print(bot.exit_status, os.path.exists(f"/proc/{{pid}}"))
"""
    assert said_by(code) in ("-9 False\n", "-15 False\n")


def test_a_judge_of_many_games_raises_its_limit():
    games = 4
    code = f"""
import resource, threading
from judge.runs.schedule import play_all
resource.setrlimit(resource.RLIMIT_NOFILE, ({LOW}, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
for _ in range(2):
    play_all((), {games}, threading.Event(), print)
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = games * DESCRIPTORS_OF_A_GAME + OTHER_DESCRIPTORS
    assert int(said_by(code)) == (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard))


@pytest.mark.parametrize("walled", [False, pytest.param(True, marks=needs_sandbox)])
def test_a_bot_ends_though_no_descriptor_is_left_to_look_at_its_processes(monkeypatch, walled):
    bot = BotProcess(Launch(ENDLESS), MARKER, bare_sandbox() if walled else None)
    pid = bot.pid

    def starved(pid):
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with monkeypatch.context() as patch:
        patch.setattr(process, "descendants_of", starved)
        end_all([bot])
    assert bot.exit_status is not None and bot.stdout.closed
    assert not psutil.pid_exists(pid)


@needs_sandbox
@pytest.mark.parametrize("allowed", range(0, 14, 2))
def test_a_start_without_descriptors_leaves_none_open_and_is_the_machines_fault(monkeypatch, allowed):
    for sandbox in (bare_sandbox(), None):
        end_all([BotProcess(Launch(ENDLESS), MARKER, sandbox)])  # so that there is a keeper
        before, left, pipe = os.listdir("/proc/self/fd"), iter(range(allowed // 2)), os.pipe

        def scarce(left=left, pipe=pipe):
            if next(left, None) is None:
                raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
            return pipe()

        with monkeypatch.context() as patch:
            patch.setattr(os, "pipe", scarce)
            if allowed // 2 < (6 if sandbox else 3):
                with pytest.raises(JudgeFailure, match="cannot start a process: Too many open files"):
                    BotProcess(Launch(ENDLESS), MARKER, sandbox)
            else:
                end_all([BotProcess(Launch(ENDLESS), MARKER, sandbox)])
        assert os.listdir("/proc/self/fd") == before and running_bots() == []
