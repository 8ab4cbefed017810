"""What the kernel refuses to a bot in a sandbox, and what it allows."""

import errno
import os
import platform
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from judge.processes import seccomp
from judge.processes.process import BotProcess, end_all, pump
from judge.processes.sandboxed import SIGNALS, THREADS, limits
from tests.judge.helpers.programs import needs
from tests.judge.helpers.sandboxes import bare_sandbox, needs_sandbox
from tests.judge.helpers.scripted import wait_until

HERE = seccomp.ARCHITECTURES.get(platform.machine())
NUMBERS = {name: call.numbers[HERE[1]] for name, call in seccomp.REFUSED.items()} if HERE else {}
on_known_machines = pytest.mark.skipif(HERE is None, reason=f"the system calls of {platform.machine()} are not known")


class Machine:
    """Runs a program on a system call, as the kernel's BPF does with struct seccomp_data."""

    def __init__(self, program):
        self.code = list(struct.iter_unpack("=HBBI", program))

    def verdict(self, number, *arguments, architecture):
        data = struct.pack("=iIQ6Q", number, architecture, 0, *arguments, *[0] * (6 - len(arguments)))
        place = loaded = 0
        while True:
            code, if_true, if_false, value = self.code[place]
            place += 1
            if code == seccomp.RETURN:
                return value
            if code == seccomp.LOAD:
                (loaded,) = struct.unpack_from("=I", data, value)
                continue
            holds = {
                seccomp.IF_EQUAL: loaded == value,
                seccomp.IF_AT_LEAST: loaded >= value,
                seccomp.IF_ANY_BIT: bool(loaded & value),
            }
            place += if_true if holds[code] else if_false


@pytest.mark.parametrize("machine", seccomp.ARCHITECTURES)
class TestProgram:
    def verdict(self, machine, name, *arguments):
        architecture, index = seccomp.ARCHITECTURES[machine]
        number = seccomp.REFUSED[name].numbers[index] if isinstance(name, str) else name
        return Machine(seccomp.program(machine)).verdict(number, *arguments, architecture=architecture)

    def test_calls_are_refused_by_their_arguments(self, machine):
        refused, allowed = seccomp.ERROR | errno.EPERM, seccomp.ALLOW
        for name, arguments, verdict in (
            ("ptrace", (16, 1), refused),
            ("ptrace", (0x4206, 1), refused),
            ("ptrace", (0,), allowed),  # PTRACE_TRACEME
            ("ptrace", (7, 5), allowed),
            ("process_vm_readv", (), refused),
            ("io_uring_setup", (), refused),
            ("keyctl", (), refused),
            ("clone", (0x10000000,), refused),
            ("clone", (0x10000000 | 0x11,), refused),
            ("clone", (0x3D0F00,), allowed),  # a thread
            ("clone3", (), seccomp.ERROR | errno.ENOSYS),
            ("unshare", (0x10000000 | 0x20000,), refused),
            ("unshare", (0x400,), allowed),
            ("socket", (1,), allowed),
            ("socket", (2,), allowed),
            ("socket", (38,), refused),  # AF_ALG
            ("socket", (2, 1, 6), allowed),
            ("socket", (2, 1, 262), refused),  # MPTCP
            ("socket", (2, 2, 136), refused),  # UDPLITE
            ("memfd_create", (), seccomp.ERROR | errno.ENOSYS),
            ("kill", (1, 18), refused),
            ("kill", (2**32 + 1, 18), refused),
            ("kill", (0, 18), allowed),
            ("fcntl", (1, 10), refused),
            ("fcntl", (10, 4), allowed),
            ("fcntl", (10, 1024, 0), refused),  # F_SETLEASE
            ("inotify_init", (), refused),
            ("pidfd_send_signal", (3, 18), refused),
            ("pidfd_send_signal", (3, 15), allowed),
        ):
            assert self.verdict(machine, name, *arguments) == verdict, (name, arguments)

    def test_others_are_allowed(self, machine):
        numbers = {call.numbers[seccomp.ARCHITECTURES[machine][1]] for call in seccomp.REFUSED.values()}
        assert {self.verdict(machine, number) for number in set(range(480)) - numbers} == {seccomp.ALLOW}

    def test_another_interface_ends_the_process(self, machine):
        program = Machine(seccomp.program(machine))
        for architecture in (0x40000003, 0x40000028, 0xC00000F3):  # i386, arm, RISC-V
            assert program.verdict(0, architecture=architecture) == seccomp.KILL
        x32 = program.verdict(seccomp.X32 + 1, architecture=seccomp.ARCHITECTURES[machine][0])
        assert x32 == (seccomp.KILL if machine == "x86_64" else seccomp.ALLOW)


def test_a_machine_whose_calls_are_not_known_has_no_program():
    assert seccomp.program("riscv64") == b""


HEADERS = {
    "x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
    "aarch64": "/usr/include/asm-generic/unistd.h",
}


@pytest.mark.parametrize("machine", HEADERS)
def test_the_numbers_are_those_of_the_kernels_headers(machine):
    if not os.path.exists(HEADERS[machine]):
        pytest.skip("the headers are not installed")
    found = dict(re.findall(r"__NR(?:3264)?_(\w+)\s+(\d+)", Path(HEADERS[machine]).read_text()))
    index = seccomp.ARCHITECTURES[machine][1]
    for name, call in seccomp.REFUSED.items():
        assert int(found.get(name.split()[0], call.numbers[index])) == call.numbers[index], name
    assert len(found) > 200


TRIES = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.argtypes, libc.syscall.restype = [ctypes.c_long] * 7, ctypes.c_long
for word in sys.argv[1:]:
    number, *arguments = map(int, word.split(","))
    result = libc.syscall(number, *arguments, *[0] * (6 - len(arguments)))
    print(word, ctypes.get_errno() if result < 0 else 0, flush=True)
"""


def answers(*words):
    """{word: the errno of this system call in a sandbox}, for words "number,argument,..."."""
    process = started(["-c", TRIES, *words])
    assert process.exit_status == 0, process.stderr_log.text()
    return {word: int(error) for word, error in (line.split() for line in said(process).splitlines())}


def started(words, program=(sys.executable, "-S")):
    """A program in a sandbox that has ended."""
    process = BotProcess((*program, *words), {}, "refused", sandbox=bare_sandbox())
    wait_until(lambda: pump([process], 0.02) and process.exit_status is not None)
    end_all([process], "refused")
    return process


def said(process):
    return b"".join(data for _, data in process.received).decode()


@needs_sandbox
@on_known_machines
def test_the_kernel_refuses_them():
    calls = {
        "ptrace": "16,2",
        "process_vm_readv": "2",
        "pidfd_getfd": "0,0",
        "unshare": str(0x10000000),
        "setns": "0,0",
        "io_uring_setup": "1",
        "perf_event_open": "0",
        "bpf": "0",
        "userfaultfd": "1",
        "add_key": "0",
        "keyctl": "0,-3,0",
        "shmget": "0,4096,1023",
        "memfd_secret": "0",
        "socket": "38,5",
        "kill": "1,18",
        "prctl": "4",
        "setsockopt": "0,1,7",
        "fcntl": "0,1024,2",
        "tee": "0,1,1,0",
        "inotify_init1": "0",
        "fanotify_init": "0,0",
    }
    words = {name: f"{NUMBERS[name]},{arguments}" for name, arguments in calls.items()}
    found = answers(*words.values())
    assert {name: found[word] for name, word in words.items()} == dict.fromkeys(calls, errno.EPERM)


@needs_sandbox
def test_a_child_may_ask_to_be_traced_and_threads_start():
    code = "import ctypes, os, threading\nlibc = ctypes.CDLL(None)\nlibc.ptrace.argtypes = [ctypes.c_long] * 4\n"
    code += "thread = threading.Thread(target=print)\nthread.start()\nthread.join()\nchild = os.fork()\n"
    code += "if not child: os._exit(libc.ptrace(0, 0, 0, 0))\nprint(os.waitpid(child, 0)[1], flush=True)"
    assert said(started(["-c", code])) == "\n0\n"


@needs_sandbox
@needs("gdb")
def test_a_debugger_works_on_what_it_starts():
    process = started(["-q", "-batch", "-ex", "run", "-ex", "info inferiors", "/bin/true"], program=("gdb",))
    assert "exited normally" in said(process), process.stderr_log.text()


@needs_sandbox
@pytest.mark.skipif(platform.machine() != "x86_64", reason="x86-64 alone runs programs of i386 so")
def test_a_system_call_of_32_bits_ends_the_program(tmp_path):
    """int 0x80 from a program of 64 bits: getpid."""
    source = tmp_path / "call.c"
    source.write_text('int main(void) { long r = 20; __asm__ volatile("int $0x80" : "+a"(r)); return r < 0; }')
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("need a C compiler")
    subprocess.run([compiler, str(source), "-o", str(tmp_path / "call")], check=True)
    sandbox = bare_sandbox()
    shown = type(sandbox)(sandbox.program, shown=(*sandbox.shown, str(tmp_path)))
    process = BotProcess((str(tmp_path / "call"),), {}, "refused", sandbox=shown)
    wait_until(lambda: pump([process], 0.02) and process.exit_status is not None)
    end_all([process], "refused")
    assert process.exit_status == -signal.SIGSYS


@needs_sandbox
def test_an_exit_status_cannot_be_forged():
    """By waking up who would tell the status of a signal's end as a number."""
    code = "import os, signal\nfor wake in (lambda: os.kill(1, signal.SIGCONT), lambda: os.kill(0, signal.SIGCONT)):\n"
    code += "    try:\n        wake()\n    except PermissionError:\n        print('refused', flush=True)\nos._exit(139)"
    process = started(["-c", code])
    assert (process.exit_status, said(process)) == (139, "refused\n")


@needs_sandbox
def test_its_processes_and_files_have_limits():
    code = "import resource\nprint(*(resource.getrlimit(number)[1] for number in map(int, sys.argv[1:])))"
    process = started(["-c", f"import sys\n{code}", *map(str, limits())])
    own = [int(number) for number in said(process).split()]
    assert limits()[resource.RLIMIT_CORE] == 1  # at 0 the kernel starts the program of core_pattern, outside
    assert all(0 <= most <= asked for most, asked in zip(own, limits().values(), strict=True))


TAKES_TIMERS = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
number, timer = 0, ctypes.c_void_p()
while number < 5000 and libc.timer_create(1, None, ctypes.byref(timer)) == 0:
    number += 1
print(number, libc.mq_open(b"/queue", 0o102, 0o600, None), flush=True)
"""


@needs_sandbox
def test_it_takes_few_of_the_users_timers_and_no_message_queues():
    timers, queue = map(int, said(started(["-c", TAKES_TIMERS])).split())
    assert (1 <= timers <= SIGNALS, queue) == (True, -1)


@needs_sandbox
@pytest.mark.skipif(os.getuid() == 0, reason="the kernel counts root's threads for nothing")
def test_it_can_start_only_so_many_threads():
    code = "import os, time\nnumber = 0\ntry:\n    while True:\n        if os.fork() == 0: time.sleep(3600)\n"
    code += "        number += 1\nexcept BlockingIOError:\n    print(number, flush=True)\nos._exit(0)"
    assert int(said(started(["-c", code]))) < THREADS
