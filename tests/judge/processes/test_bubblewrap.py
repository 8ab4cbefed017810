"""A bot in a sandbox is judged as without one: its end, its signals, its processes, its start, what it may write."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest

from bot.backends.sources import cache_root
from judge.play.seat import describe_exit
from judge.players.own_bot import cache_of
from judge.processes import bubblewrap, descendants, measure, watch
from judge.processes.process import BotProcess, end_all, pump
from judge.processes.sandboxed import end_of, with_high_number
from judge.processes.start import JudgeFailure
from protocol.strategy_library import PRINTS
from tests.judge.helpers.sandboxes import bare_sandbox, needs_sandbox
from tests.judge.helpers.scripted import judge_environment
from tests.places import REPOSITORY

MARKER = "walled"
PATIENCE_S = 60.0
A_USER = 54321  # an id that is not root's
needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only root makes folders of others in /opt")
EITHER = pytest.mark.parametrize("walled", [pytest.param(True, marks=needs_sandbox), False])


def started(code, walled=True, **options):
    """A bot that runs this Python, in a sandbox or not."""
    sandbox = bare_sandbox() if walled else None
    return BotProcess((sys.executable, "-S", "-c", code), {}, MARKER, sandbox=sandbox, **options)


def wait_for(process, condition):
    """Pump until the condition holds."""
    give_up = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < give_up
        pump([process], 0.02)


def after_its_end(process):
    """The process once it has ended, with all that it said."""
    wait_for(process, lambda: process.exit_status is not None)
    assert end_all([process], MARKER) == 0
    return process


def said(process):
    """All that came on its stdout."""
    return b"".join(data for _, data in process.received)


@EITHER
def test_an_end_keeps_its_name(walled):
    for code, end in [
        ("raise SystemExit(0)", "ended with status 0"),
        ("raise SystemExit(3)", "ended with status 3"),
        ("import os; input(); os._exit(137)", "ended with status 137"),
        ("import os; input(); os._exit(255)", "ended with status 255"),
        ("import os; os.kill(os.getpid(), 11)", "was ended by signal 11 (SIGSEGV, Segmentation fault)"),
        ("import os; os.kill(os.getpid(), 9)", "was ended by signal 9 (SIGKILL, Killed)"),
        ("import os; os.abort()", "was ended by signal 6 (SIGABRT, Aborted)"),
    ]:
        process = started(code, walled)
        process.send(b"\n")  # the judge has seen a bot that has read it
        after_its_end(process)
        assert describe_exit(process.exit_status) == end
        assert process.cpu_s > 0 and process.peak_rss_bytes > 10**6


def test_what_bubblewrap_makes_of_signals():
    """Where the bot's own end could not be seen."""
    for outer, bot in [(0, 0), (1, 1), (127, 127), (128, 128), (139, -11), (192, -64), (193, 193), (255, 255)]:
        assert end_of(outer) == bot


@EITHER
def test_a_closed_stdout_is_noticed_while_the_bot_runs(walled):
    process = started("import os, time; os.close(1); time.sleep(3600)", walled)
    wait_for(process, lambda: process.closed)
    assert process.exit_status is None and not process.has_ended()
    end_all([process], MARKER)


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
    wait_for(process, lambda: list(map(measure.is_dead, process.bot_pids())).count(True) == 1)  # the orphan's parent
    pids = process.bot_pids()
    assert len(pids) == 4
    assert pids[0] == process.pid
    assert {psutil.Process(pid).cmdline()[0] for pid in pids if not measure.is_dead(pid)} == {sys.executable}
    assert descendants.process_tree(process.pid) == pids
    wait_for(process, lambda: measure.is_asleep(process.pid))
    os.kill(process.pid, signal.SIGSTOP)
    wait_for(process, lambda: psutil.Process(process.pid).status() == psutil.STATUS_STOPPED)
    end_all([process], MARKER)
    assert not any(map(psutil.pid_exists, pids))
    assert process.exit_status == -signal.SIGTERM  # it was woken up and asked to end


@EITHER
def test_an_end_leaves_the_others_to_be_seen(walled):
    process = started(FAMILY, walled)
    wait_for(process, lambda: process.received)
    process.send(b"x")
    give_up = time.monotonic() + PATIENCE_S
    while not process.has_ended():
        assert time.monotonic() < give_up
        time.sleep(0.02)

    def left():
        return [pid for pid in process.bot_pids() if pid != process.pid and not measure.is_dead(pid)]

    try:  # the one that forked the orphan may end a moment later
        wait_for(process, lambda: len(left()) == (2 if walled else 0))  # without a sandbox orphans are the judge's
    finally:
        end_all([process], MARKER)
    assert process.exit_status == 0 and descendants.adopted_orphans() == []


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
    process = BotProcess((sys.executable, "-S", "-c", code), given, MARKER, sandbox=bare_sandbox())
    names = set(said(after_its_end(process)).decode().split())
    assert {*given, "LANG", "PATH", descendants.MARKER} <= names
    assert names <= {*given, *bubblewrap.PASSED, "LC_ALL", "PWD", descendants.MARKER}


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
    end_all([process], MARKER)


@needs_sandbox
@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm", "/run"])
def test_files_in_memory_count(folder):
    code = f"open('{folder}/file', 'wb').write(bytes(50 * 10**6)); print(flush=True)\nimport time; time.sleep(3600)"
    process = started(code)
    try:
        wait_for(process, lambda: process.received)
        wait_for(process, lambda: measure.resident(process.pid).now < 40 * 10**6)  # it has given its own bytes back
        assert 50 * 10**6 <= process.memory() < 100 * 10**6
        assert 50 * 10**6 <= sum(measure.own_mounts([process.pid], {}).values()) < 60 * 10**6
    finally:
        end_all([process], MARKER)


FILLED = """
import os, socket, time
def fill(write):
    number = 0
    try:
        while True:
            number += write(bytes(4096))
    except BlockingIOError:
        return number
def own_bytes():
    return int(open("/proc/self/status").read().partition("RssAnon:")[2].split()[0]) * 1000
held, number = [], 0
"""
IN_THE_KERNEL = {
    "sockets": """
for _ in range(100):
    pair = socket.socketpair()
    pair[0].setblocking(False)
    held, number = [*held, pair], number + fill(pair[0].send)
""",
    "sockets on their way": """
reading, writing = socket.socketpair()
writing.setblocking(False)
for _ in range(30):
    pair = socket.socketpair()
    pair[0].setblocking(False)
    number += fill(pair[0].send)
    socket.send_fds(writing, [b"x"], [pair[0].fileno(), pair[1].fileno()])
    pair[0].close()
    pair[1].close()
""",
    "connections": """
server = socket.create_server(("127.0.0.1", 0))
for _ in range(10):
    connection = socket.create_connection(server.getsockname())
    connection.setblocking(False)
    held, number = [*held, connection, server.accept()], number + fill(connection.send)
""",
    "pipes": """
for _ in range(150):
    held.append(os.pipe())
    os.set_blocking(held[-1][1], False)
    number += fill(lambda data: os.write(held[-1][1], data))
number -= 16 * 65536
""",
    "empty files": """
for number in range(5000):
    open(f"/tmp/{number}", "w").close()
number *= 1000
""",
    "sockets without a peer": """
held = [socket.socket() for _ in range(4000)]
number = len(held) * 4000 + own_bytes()
""",
    "threads": """
import threading
for _ in range(200):
    threading.Thread(target=time.sleep, args=(3600,)).start()
number = 200 * 24000 + own_bytes()
""",
    "page tables": """
import ctypes, mmap
area = mmap.mmap(-1, 4 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)  # MAP_NORESERVE
area.madvise(mmap.MADV_NOHUGEPAGE)
for place in range(0, 4 << 30, 2 << 20):
    area[place]
number = (4 << 30) // (2 << 20) * 4000
""",
    "descriptors that nobody looks at": """
held += [os.dup(0) for _ in range(4000)]
for _ in range(8):
    if os.fork() == 0:
        time.sleep(3600)
number = 10**8
""",
}


@EITHER
def test_a_sandbox_tells_how_many_programs_were_started(walled):
    code = """
import os, time
for _ in range(40):
    if os.fork() == 0:
        os._exit(0)
    os.wait()
if os.fork() == 0:
    time.sleep(3600)
print(flush=True)
time.sleep(3600)
"""
    process = started(code, walled)
    try:
        wait_for(process, lambda: process.received)
        numbers = [measure.number_in_namespace(pid) for pid in process.all_pids()]
        assert 41 <= max(numbers) < 60 if walled else numbers == [0, 0]
    finally:
        end_all([process], MARKER)


@needs_sandbox
def test_the_first_process_holds_nothing_for_it():
    """By its descriptors, which can be opened."""
    code = """
import os, stat
for name in os.listdir("/proc/1/fd"):
    try:
        file = os.open(f"/proc/1/fd/{name}", os.O_RDWR)
        print(*[name] * stat.S_ISREG(os.fstat(file).st_mode))
    except OSError:
        pass
"""
    assert said(after_its_end(started(code))).split() == []


@needs_sandbox
@pytest.mark.parametrize("what", IN_THE_KERNEL)
def test_what_the_kernel_holds_for_it_counts(what):
    process = started(f"{FILLED}{IN_THE_KERNEL[what]}\nprint(number, flush=True)\ntime.sleep(3600)")
    try:
        wait_for(process, lambda: process.received or process.exit_status is not None)
        held = int(said(process))
        assert held > 10**6 and process.memory() >= held
    finally:
        end_all([process], MARKER)


@needs_sandbox
def test_a_wall_that_cannot_be_built_is_the_machines_fault():
    sandbox = bubblewrap.BotSandbox(bare_sandbox().program, writable={"/srv": "/no/such/folder"})
    with pytest.raises(JudgeFailure, match="bubblewrap failed: bwrap: .*no/such/folder"):
        BotProcess(("true",), {}, MARKER, sandbox=sandbox)
    descendants.sweep(MARKER, set())
    assert descendants.registered_bots == {} and descendants.adopted_orphans() == []


@needs_sandbox
@pytest.mark.parametrize("allowed", range(7))
def test_a_gate_without_descriptors_leaves_none_open(monkeypatch, allowed):
    left = iter(range(allowed))

    def scarce(descriptor):
        if next(left, None) is None:
            os.close(descriptor)
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return with_high_number(descriptor)

    monkeypatch.setattr("judge.processes.sandboxed.with_high_number", scarce)
    watch.begin_and_wait()
    before = os.listdir("/proc/self/fd")
    with pytest.raises(JudgeFailure, match="cannot start a process: Too many open files"):
        started("")
    assert os.listdir("/proc/self/fd") == before


@needs_sandbox
def test_the_judges_death_is_the_bots():
    """By SIGKILL: no code of the judge runs then."""
    judge = (
        "import os, sys, time\n"
        "from judge.processes.bubblewrap import BotSandbox, find\n"
        "from judge.processes.process import BotProcess\n"
        "words = (sys.executable, '-S', '-c', 'import time; time.sleep(3600)')\n"
        "bot = BotProcess(words, {}, 'm', sandbox=BotSandbox(find().program))\n"
        "print(bot.pid, flush=True); time.sleep(3600)"
    )
    words = [sys.executable, "-c", judge]
    with subprocess.Popen(words, env=judge_environment(), stdout=subprocess.PIPE, text=True) as process:
        pid = int(process.stdout.readline())
        assert psutil.pid_exists(pid)
        process.kill()
    give_up = time.monotonic() + PATIENCE_S
    while psutil.pid_exists(pid) and not measure.is_dead(pid):
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
        ("exit 7", "bubblewrap does not work here: it ends with status 7"),
    ],
)
def test_why_there_is_no_wall(tmp_path, monkeypatch, script, why_not):
    monkeypatch.setenv("PATH", str(tmp_path) if script is None else fake(tmp_path, script))
    assert bubblewrap.find.__wrapped__() == bubblewrap.Availability(None, why_not)


def test_the_judge_knows_where_the_bot_keeps_its_engines(monkeypatch):
    monkeypatch.delenv("DROPFOUR_CACHE_DIR", raising=False)
    assert cache_of(REPOSITORY) == cache_root()


@needs_sandbox
def test_a_program_named_through_a_link_to_a_folder_of_the_system_is_there(tmp_path):
    """/bin is a link into /usr, and /bin/sh a link there."""
    sandbox = bubblewrap.BotSandbox(bubblewrap.find().program or "", shown=("/bin/sh",))
    done = subprocess.run(sandbox.plain_command(["/bin/sh", "-c", "echo there"], "/"), capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "there\n"), done.stderr


def seen_by(words):
    """The paths that are printed by `find`, which these words start in a sandbox."""
    done = subprocess.run(words, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return os.fsdecode(done.stdout).split("\0")[:-1]


def finding(sandbox, *places, folder="/"):
    """The command line that prints what the sandbox has below these places, three levels deep."""
    depth = ["-mindepth", "1", "-maxdepth", "3"]
    return sandbox.plain_command(["find", *map(str, places), *depth, "-print0"], folder)


@pytest.fixture
def in_opt():
    """A function that makes a folder in /opt with `bin/tool` in it, of root or of a user."""
    made = []

    def make(owner):
        made.append(Path(tempfile.mkdtemp(dir="/opt", prefix="test ")))
        (made[-1] / "bin").mkdir()
        (made[-1] / "bin" / "tool").write_text("")
        made[-1].chmod(0o755)
        os.chown(made[-1], owner, -1)
        return made[-1]

    yield make
    for folder in made:
        shutil.rmtree(folder, ignore_errors=True)


@needs_root
@needs_sandbox
def test_folders_in_opt_vanish_and_appear_while_a_sandbox_starts(in_opt):
    kept, vanishing, of_user, of_user_vanishing = (in_opt(owner) for owner in (0, 0, A_USER, A_USER))
    words = finding(bare_sandbox(), "/opt")
    shutil.rmtree(vanishing)
    shutil.rmtree(of_user_vanishing)
    appearing = in_opt(A_USER)
    seen = seen_by(words)
    assert {f"{kept}", f"{kept}/bin", f"{kept}/bin/tool"} <= {*seen}
    assert not {str(folder) for folder in (vanishing, of_user, of_user_vanishing, appearing)} & {*seen}


@needs_root
@needs_sandbox
def test_of_a_users_folder_in_opt_what_is_named_is_there(in_opt, tmp_path):
    folder = in_opt(A_USER)
    (folder / "bin" / "link").symlink_to("tool")
    program = bare_sandbox().program
    for shown, seen in (
        (["bin/tool"], ["bin", "bin/tool"]),
        (["bin/link"], ["bin", "bin/link"]),
        (["bin", "bin/tool"], ["bin", "bin/link", "bin/tool"]),
        (["", "bin"], ["bin", "bin/link", "bin/tool"]),
    ):
        sandbox = bubblewrap.BotSandbox(program, tuple(os.path.normpath(folder / path) for path in shown))
        assert sorted(seen_by(finding(sandbox, folder))) == [str(folder / path) for path in seen]
    (tmp_path / "own").write_text("")
    sandbox = bubblewrap.BotSandbox(program, writable={str(folder / "bin"): str(tmp_path)})
    assert seen_by(finding(sandbox, folder)) == [str(folder / "bin"), str(folder / "bin" / "own")]
    script = f"touch {folder.name!r}/bin/new && ! touch {folder.name!r}/new 2>/dev/null && ! touch new 2>/dev/null"
    assert seen_by(sandbox.plain_command(["/bin/sh", "-c", script], "/opt")) == []
    assert (tmp_path / "new").exists()


@needs_root
@needs_sandbox
def test_roots_folder_in_opt_with_something_hidden_shows_what_is_named(in_opt):
    folder = in_opt(0)
    for shown, hidden, seen in (
        ((), (f"{folder}/bin/tool",), None),
        ((f"{folder}/bin",), (f"{folder}/records",), [f"{folder}/bin", f"{folder}/bin/tool"]),
        ((), (f"{folder} 2/bin",), [f"{folder}/bin", f"{folder}/bin/tool"]),
    ):
        sandbox = bubblewrap.BotSandbox(bare_sandbox().program, shown, hidden=hidden)
        there = [path for path in seen_by(finding(sandbox, "/opt")) if path.startswith(f"{folder}")]
        assert there == ([] if seen is None else [f"{folder}", *seen])


@needs_root
@needs_sandbox
def test_links_and_odd_names_in_opt_are_there_as_they_are(in_opt):
    folder = in_opt(0)
    odd, link, of_user = (Path(f"/opt/{folder.name}{end}") for end in ("\n\t\\ \"'\udcff*", " link", " link of a user"))
    try:
        odd.write_text("")
        for path in (link, of_user):
            path.symlink_to(folder.name)
        os.chown(of_user, A_USER, -1, follow_symlinks=False)
        tool = f"{link}/bin/tool"  # reached through the link
        words = finding(bubblewrap.BotSandbox(bare_sandbox().program, shown=(tool,)), "/opt", f"{link}/")
        seen = seen_by(words)
        assert {str(odd), str(link), tool} <= {*seen} and str(of_user) not in seen
        link.unlink()
        assert str(link) in seen_by(words)
    finally:
        for path in (odd, link, of_user):
            path.unlink(missing_ok=True)


@needs_sandbox
@pytest.mark.parametrize("is_inside", [True, False])
def test_an_opt_that_is_a_link_stays_one(tmp_path, monkeypatch, is_inside):
    """Into a folder of the system, or to where nothing is but what is named."""
    target, link = Path("/usr/bin") if is_inside else tmp_path / "programs", tmp_path / "opt"
    link.symlink_to(target)
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs" / "env").write_text("")
    monkeypatch.setattr(bubblewrap, "FOR_PROGRAMS", str(link))
    shown = () if is_inside else (f"{link}/env", f"{target}/env")
    sandbox = bubblewrap.BotSandbox(bare_sandbox().program, shown=shown)
    words = sandbox.plain_command(["find", f"{link}/env", str(link), "-print0"], "/")
    assert seen_by(words) == [f"{link}/env", str(link)]


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
