"""A bot in a sandbox is judged as without one: its end, its signals, its processes, its start, what it may write."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from bot.backends.sources import cache_root
from judge.play.seat import describe_exit
from judge.players.own_bot import cache_of
from judge.processes import bubblewrap, usage
from judge.processes.process import MARKER as GAME
from judge.processes.process import BotProcess, end_all, pump
from judge.processes.start import JudgeFailure, Launch
from protocol.strategy_library import PRINTS
from tests.judge.helpers.sandboxes import bare_sandbox, needs_sandbox
from tests.judge.helpers.scripted import judge_environment, running_bots
from tests.places import REPOSITORY

MARKER = "walled"
PATIENCE_S = 60.0
EITHER = pytest.mark.parametrize("walled", [pytest.param(True, marks=needs_sandbox), False])


def started(code, walled=True, **options):
    """A bot that runs this Python, in a sandbox or not."""
    sandbox = bare_sandbox() if walled else None
    return BotProcess(Launch((sys.executable, "-S", "-c", code), **options), MARKER, sandbox)


def wait_for(process, condition):
    """Pump until the condition holds."""
    give_up = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < give_up
        pump([process], 0.02)


def after_its_end(process):
    """The process once it has ended, with all that it said."""
    wait_for(process, lambda: process.exit_status is not None)
    end_all([process])
    return process


def said(process):
    """All that came on its stdout."""
    return b"".join(data for _, data in process.received)


@EITHER
def test_an_end_keeps_its_name(walled):
    for code, end in [
        ("raise SystemExit(0)", "ended with status 0"),
        ("raise SystemExit(3)", "ended with status 3"),
        ("import os; input(); os._exit(128)", "ended with status 128"),
        ("import os; input(); os._exit(255)", "ended with status 255"),
        ("import os; os.kill(os.getpid(), 11)", "was ended by signal 11 (SIGSEGV, Segmentation fault)"),
        ("import os; os.kill(os.getpid(), 9)", "was ended by signal 9 (SIGKILL, Killed)"),
        ("import os; os.abort()", "was ended by signal 6 (SIGABRT, Aborted)"),
        ("import os; os.kill(os.getpid(), 64)", "was ended by signal 64 (SIGRTMAX, Real-time signal 30)"),
    ]:
        process = started(code, walled)
        process.send(b"\n")  # the judge has seen a bot that has read it
        after_its_end(process)
        assert describe_exit(process.exit_status) == end
        assert process.cpu_s > 0


@EITHER
def test_a_closed_stdout_is_noticed_while_the_bot_runs(walled):
    process = started("import os, time; os.close(1); time.sleep(3600)", walled)
    wait_for(process, lambda: process.closed)
    assert process.exit_status is None and not process.has_ended()
    end_all([process])


@EITHER
def test_sigterm_reaches_the_bot(walled):
    code = "import signal, sys, time\ndef end(*_): sys.exit('ended as asked')\nsignal.signal(signal.SIGTERM, end)\n"
    process = started(code + "print(1, flush=True)\ntime.sleep(3600)", walled)
    wait_for(process, lambda: process.received)
    process.request_end()
    after_its_end(process)
    assert (process.exit_status, process.stderr_log.text()) == (1, "ended as asked\n")


FAMILY = """
import os, sys, time
for is_orphan in (False, True):
    if os.fork() == 0:
        if is_orphan and os.fork():
            os._exit(0)
        os.setsid()
        time.sleep(3600)
os.write(1, b"x")
sys.stdin.read(1)
"""


@needs_sandbox
def test_its_processes_are_its_own_and_with_orphans(monkeypatch):
    monkeypatch.setattr("judge.processes.process.TERM_GRACE_S", PATIENCE_S)
    process = started(FAMILY + "time.sleep(3600)")
    wait_for(process, lambda: process.received)
    wait_for(process, lambda: list(map(usage.is_dead, process.bot_pids())).count(True) == 1)  # the orphan's parent
    pids = process.bot_pids()
    assert len(pids) == 4
    assert pids[0] == process.pid
    assert {psutil.Process(pid).cmdline()[0] for pid in pids if not usage.is_dead(pid)} == {sys.executable}
    wait_for(process, lambda: usage.is_asleep(process.pid))
    os.kill(process.pid, signal.SIGSTOP)
    wait_for(process, lambda: psutil.Process(process.pid).status() == psutil.STATUS_STOPPED)
    end_all([process])
    assert not any(map(psutil.pid_exists, pids))
    assert process.exit_status == -signal.SIGTERM  # it was woken up and asked to end


@EITHER
def test_with_a_bot_ends_all_that_it_started(walled):
    process = started(FAMILY, walled)
    wait_for(process, lambda: process.received)
    process.send(b"x")
    wait_for(process, lambda: process.exit_status is not None)
    wait_for(process, lambda: process.bot_pids() == [])
    assert process.exit_status == 0 and process.closed
    end_all([process])
    assert running_bots() == []


@EITHER
def test_what_is_printed_comes_by_its_own_pipe(walled):
    code = f"import os; os.write(int(os.environ[{PRINTS!r}]), b'printed'); print('replied')"
    process = after_its_end(started(code, walled, keeps_prints_apart=True))
    assert (process.prints.text(), said(process)) == ("printed", b"replied\n")


@needs_sandbox
def test_only_three_descriptors_go_through():
    process = after_its_end(started("import os; print(sorted(map(int, os.listdir('/proc/self/fd'))))"))
    assert said(process) == b"[0, 1, 2, 3]\n"  # the last is the folder's own


@needs_sandbox
def test_a_players_own_variables_go_through_and_few_of_the_judges(monkeypatch):
    monkeypatch.setenv("OF_THE_JUDGE", "secret")
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    given = {"LD_LIBRARY_PATH": "/a:/b", "OF_THE_TEST": "1"}
    code = "import os; print(*sorted(set(os.environ) - {'LC_CTYPE'}))"
    process = BotProcess(Launch((sys.executable, "-S", "-c", code), given), MARKER, bare_sandbox())
    names = set(said(after_its_end(process)).decode().split())
    assert {*given, "LANG", "PATH", GAME} <= names
    assert names <= {*given, *bubblewrap.PASSED_VARIABLES, "LC_ALL", "PWD", GAME}


@needs_sandbox
def test_the_system_cannot_be_written_by_root_either():
    places = ["/", "/proc/sys/kernel/core_pattern", "/sys", "/etc", str(REPOSITORY)]
    home = os.path.expanduser("~")
    mark = Path(home, f"written-{os.getpid()}")
    code = f"import os; print([place for place in {places} if os.access(place, os.W_OK)])\n"
    # A home below /tmp is a folder in memory there.
    code += f"if os.access({home!r}, os.W_OK): open({str(mark)!r}, 'w')\n"
    code += "print([line for line in open('/proc/self/status') if line.startswith(('CapEff', 'CapBnd'))])"
    lines = said(after_its_end(started(code))).decode().splitlines()
    assert lines == ["[]", repr(["CapEff:\t0000000000000000\n", "CapBnd:\t0000000000000000\n"])]
    assert not mark.exists()


@needs_sandbox
def test_a_wall_is_no_part_of_the_first_clock():
    before = time.monotonic()
    process = started("")
    assert before < process.spawned < time.monotonic()
    assert os.path.exists(f"/proc/{process.pid}") or process.has_ended()
    end_all([process])


@needs_sandbox
def test_a_wall_that_cannot_be_built_is_the_machines_fault():
    sandbox = bubblewrap.BotSandbox(bare_sandbox().program, writable={"/srv": "/no/such/folder"})
    with pytest.raises(JudgeFailure, match="bubblewrap failed: bwrap: .*no/such/folder"):
        BotProcess(Launch(("true",)), MARKER, sandbox)
    assert running_bots() == []


@needs_sandbox
def test_the_judges_death_is_the_bots():
    """By SIGKILL: no code of the judge runs then."""
    judge = (
        "import time\n"
        "from judge.processes.bubblewrap import BotSandbox, find_bubblewrap\n"
        "from judge.processes.process import BotProcess, Launch\n"
        "bot = BotProcess(Launch(('sleep', '3600')), 'm', BotSandbox(find_bubblewrap().program))\n"
        "print(bot.pid, flush=True); time.sleep(3600)"
    )
    words = [sys.executable, "-c", judge]
    with subprocess.Popen(words, env=judge_environment(), stdout=subprocess.PIPE, text=True) as process:
        pid = int(process.stdout.readline())
        is_running = psutil.pid_exists(pid)
        process.kill()
    assert is_running
    give_up = time.monotonic() + PATIENCE_S
    while psutil.pid_exists(pid) and not usage.is_dead(pid):
        assert time.monotonic() < give_up
        time.sleep(0.02)


def fake(folder, script):
    """A bubblewrap that is none, alone on the PATH."""
    (folder / "bwrap").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "bwrap").chmod(0o755)
    return str(folder)


@pytest.mark.parametrize(
    "script, why_not",
    [
        (None, "bubblewrap is not installed"),
        ("echo 'bwrap: No permissions' >&2; exit 1", "bubblewrap does not work here: bwrap: No permissions"),
        ("exit 7", "bubblewrap does not work here: the trial ends with status 7"),
    ],
)
def test_why_there_is_no_wall(tmp_path, monkeypatch, script, why_not):
    monkeypatch.setenv("PATH", str(tmp_path) if script is None else fake(tmp_path, script))
    assert bubblewrap.find_bubblewrap.__wrapped__() == bubblewrap.Availability(None, why_not)


def test_the_judge_knows_where_the_bot_keeps_its_engines(monkeypatch):
    monkeypatch.delenv("DROPFOUR_CACHE_DIR", raising=False)
    assert cache_of(REPOSITORY) == cache_root()


@needs_sandbox
def test_a_program_named_through_a_link_to_a_folder_of_the_system_is_there(tmp_path):
    """/bin is a link into /usr, and /bin/sh a link there."""
    sandbox = bubblewrap.BotSandbox(bubblewrap.find_bubblewrap().program or "", shown=("/bin/sh",))
    done = subprocess.run(sandbox.command(["/bin/sh", "-c", "echo there"], "/"), capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "there\n"), done.stderr


def seen_by(words):
    """The paths that are printed by `find`, which these words start in a sandbox."""
    done = subprocess.run(words, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return os.fsdecode(done.stdout).split("\0")[:-1]


def finding(sandbox, *places, folder="/"):
    """The command line that prints what the sandbox has below these places, three levels deep."""
    depth = ["-mindepth", "1", "-maxdepth", "3"]
    return sandbox.command(["find", *map(str, places), *depth, "-print0"], folder)


@needs_sandbox
def test_of_a_folder_with_something_hidden_the_rest_is_shown(tmp_path):
    for name in ("kept", "secret", "below/kept", "below/secret", "other/kept"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "link").symlink_to("secret")
    (tmp_path / "link to kept").symlink_to("kept")
    hidden = tuple(str(tmp_path / name) for name in ("secret", "below/secret", "begun later", "other/begun later"))
    sandbox = bubblewrap.BotSandbox(bare_sandbox().program, (str(tmp_path),), hidden=hidden)
    words = finding(sandbox, tmp_path)
    (tmp_path / "begun later").write_text("")
    (tmp_path / "other" / "begun later").write_text("")
    left = ["below", "below/kept", "kept", "link to kept", "other", "other/kept"]
    assert sorted(seen_by(words)) == [str(tmp_path / name) for name in left]


@needs_sandbox
def test_what_is_shown_vanishes_while_a_sandbox_starts(tmp_path):
    """Not the folder that the bot runs in, without which the machine is at fault."""
    for name in ("file", "kept", "linked/below/entry"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "link").symlink_to("kept")
    (tmp_path / "folder").mkdir()
    shown = tuple(str(tmp_path / name) for name in ("file", "folder", "kept", "link"))
    linked = {str(tmp_path / "linked"): ("below", "gone")}
    sandbox = bubblewrap.BotSandbox(bare_sandbox().program, shown, linked=linked)
    words = finding(sandbox, tmp_path)
    in_it = finding(sandbox, tmp_path, folder=str(tmp_path / "folder"))
    for name in ("file", "link"):
        (tmp_path / name).unlink()
    (tmp_path / "folder").rmdir()
    shutil.rmtree(tmp_path / "linked")
    left = ["kept", "link", "linked", "linked/below", "linked/below/entry"]
    assert sorted(seen_by(words)) == [str(tmp_path / name) for name in left]
    done = subprocess.run(in_it, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and f"{tmp_path}/folder: No such file or directory" in done.stderr
    assert seen_by(finding(sandbox, tmp_path / "linked")) == []


@needs_sandbox
def test_its_processes_and_files_have_limits():
    code = "import resource, sys\nprint(*(resource.getrlimit(number)[1] for number in "
    own = said(after_its_end(started(f"{code}{list(map(int, bubblewrap.resource_limits()))}))"))).split()
    asked = bubblewrap.resource_limits()
    assert asked[resource.RLIMIT_CORE] == 1  # at 0 the kernel starts the program of core_pattern, outside
    assert all(0 <= int(most) <= limit for most, limit in zip(own, asked.values(), strict=True))


@needs_sandbox
@pytest.mark.skipif(os.getuid() == 0, reason="the kernel counts root's threads for nothing")
def test_it_can_start_only_so_many_threads():
    code = "import os, time\nnumber = 0\ntry:\n    while True:\n        if os.fork() == 0: time.sleep(3600)\n"
    code += "        number += 1\nexcept BlockingIOError:\n    print(number, flush=True)\nos._exit(0)"
    assert int(said(after_its_end(started(code)))) < bubblewrap.MOST_THREADS


@needs_sandbox
def test_a_trial_of_a_sandbox_leaves_no_zombie():
    """bubblewrap's first process ends after the outer one, and becomes a child of whoever adopts orphans."""
    code = (
        "import psutil, time\n"
        "from judge.processes import bubblewrap, descendants\n"
        "assert descendants.adopt_orphans()\n"
        "assert bubblewrap.BotSandbox(bubblewrap.find_bubblewrap().program).why_not_entered('/', '/bin/sh') == ''\n"
        "time.sleep(0.2)\n"
        "print([child.name() for child in psutil.Process().children() if child.status() == psutil.STATUS_ZOMBIE])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=REPOSITORY, check=True)
    assert done.stdout == "[]\n"
