"""The server stands back behind other programs, and the players of its own tables do not."""

import os
import subprocess
import sys
import threading

import pytest

from judge.web.priority import AUTOGROUP, LOW, Starter, lower
from tests.judge.helpers.scripted import judge_environment

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere a process has one priority")


def niceness():
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


def measured(found):
    """A thread that notes its priority, and that of what it starts."""

    def note():
        inner = threading.Thread(target=lambda: found.append(niceness()))
        inner.start()
        inner.join()
        found.append(niceness())

    return threading.Thread(target=note)


def test_threads_of_the_starter_keep_the_priority_that_others_have_lost():
    usual, found = niceness(), []

    def serve():
        starter = Starter()
        lower()
        by_starter, by_itself = measured(found), measured(found)
        starter.start(by_starter)
        starter.close()
        by_starter.join()
        by_itself.start()
        by_itself.join()
        found.append(niceness())

    server = threading.Thread(target=serve)
    server.start()
    server.join()
    low = max(usual, LOW)
    assert found == [usual, usual, low, low, low]
    assert niceness() == usual


@pytest.mark.skipif(not AUTOGROUP.exists(), reason="sessions have no priority here")
@pytest.mark.parametrize("leads", [True, False])
def test_a_session_is_lowered_by_who_leads_it_and_those_that_it_starts_are_not(leads):
    program = (
        "import subprocess\n"
        "from judge.web.priority import AUTOGROUP, lower_session\n"
        "lower_session()\n"
        "print(AUTOGROUP.read_text().strip())\n"
        "subprocess.run(['cat', AUTOGROUP], start_new_session=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-uc", program],
        env=judge_environment(),
        capture_output=True,
        text=True,
        start_new_session=leads,
        check=True,
    )
    own, other = done.stdout.splitlines()
    assert other.endswith("nice 0")
    if leads:
        assert own.endswith(f"nice {LOW}")
    else:
        assert own == AUTOGROUP.read_text().strip()  # nothing, where this session has no group of its own


def test_a_priority_is_never_raised():
    found = []

    def lowest():
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        lower()
        found.append(niceness())

    thread = threading.Thread(target=lowest)
    thread.start()
    thread.join()
    assert found == [19]
