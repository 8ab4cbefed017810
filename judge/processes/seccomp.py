"""The system calls that the kernel refuses to a bot in a sandbox: a program for seccomp(2), for `bwrap --seccomp`.

It is classic BPF (struct sock_filter of <linux/filter.h>) over struct seccomp_data of <linux/seccomp.h>: the number of
the call, the architecture, and the arguments, of which the lower 32 bits are compared. A refused call fails with
EPERM. Two fail with ENOSYS, as on a system that lacks them: clone3, whose flags the program cannot see, and
memfd_create. A call through another interface than the machine's own, such as that of 32-bit programs, ends the process
with SIGSYS. Everything else is allowed.
"""

import errno
import os
import signal
import struct
from dataclasses import dataclass

# From <linux/audit.h>: the architecture in seccomp_data, and the index of the system's numbers in REFUSED.
ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
X32 = 0x40000000  # a flag in the numbers of the x32 interface
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in seccomp_data
ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000  # SECCOMP_RET_ALLOW, KILL_PROCESS, ERRNO
LOAD, RETURN, IF_EQUAL, IF_AT_LEAST, IF_ANY_BIT = 0x20, 0x06, 0x15, 0x35, 0x45  # ld, ret, jeq, jge, jset

PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
CLONE_NEWUSER = 0x10000000
F_SETSIG, F_SETPIPE_SZ = 10, 1031
PR_SET_DUMPABLE = 4
SO_SNDBUF = 7
FIRST_PROCESS = 1
AF_UNIX, AF_INET, AF_INET6, AF_NETLINK = 1, 2, 10, 16
DEFAULT, TCP, UDP = 0, 6, 17  # protocols


@dataclass(frozen=True)
class Refused:
    """A rule that refuses a system call, given by its `numbers` on (x86-64, aarch64); a call may have several rules.

    Without `values` every such call is refused, else only some: those whose `argument` (counted from 0) is one of the
    values; with is_flag, those where it has one of their bits; with `allowed`, those where it is none of the values.
    `error` is the errno of a refused call.
    """

    numbers: tuple[int, int]
    argument: int = 0
    values: tuple[int, ...] = ()
    is_flag: bool = False
    allowed: bool = False
    error: int = errno.EPERM


REFUSED = {
    # Access to another process's memory, registers and descriptors. A child may still ask to be traced
    # (PTRACE_TRACEME), so that debuggers work.
    "ptrace": Refused((101, 117), 0, (PTRACE_ATTACH, PTRACE_SEIZE)),
    "process_vm_readv": Refused((310, 270)),
    "process_vm_writev": Refused((311, 271)),
    "process_madvise": Refused((440, 440)),
    "pidfd_getfd": Refused((438, 438)),
    "kcmp": Refused((312, 272)),
    # Parts of the kernel that a bot does not need, and in which most of its security holes were.
    "unshare": Refused((272, 97), 0, (CLONE_NEWUSER,), is_flag=True),
    "clone": Refused((56, 220), 0, (CLONE_NEWUSER,), is_flag=True),
    "clone3": Refused((435, 435), error=errno.ENOSYS),
    "setns": Refused((308, 268)),
    "io_uring_setup": Refused((425, 425)),
    "io_uring_enter": Refused((426, 426)),
    "io_uring_register": Refused((427, 427)),
    "perf_event_open": Refused((298, 241)),
    "bpf": Refused((321, 280)),
    "userfaultfd": Refused((323, 282)),
    "socket": Refused((41, 198), 0, (AF_UNIX, AF_INET, AF_INET6, AF_NETLINK), allowed=True),
    # The contents of sockets of other protocols cannot be counted (measure.py). For netlink, protocol 0 is routes.
    "socket protocol": Refused((41, 198), 2, (DEFAULT, TCP, UDP), allowed=True),
    # The keys of the user's session.
    "add_key": Refused((248, 217)),
    "request_key": Refused((249, 218)),
    "keyctl": Refused((250, 219)),
    # Memory that the judge cannot count (measure.py), and ways to escape from counting.
    "shmget": Refused((29, 194)),
    "semget": Refused((64, 190)),
    "msgget": Refused((68, 186)),
    "memfd_secret": Refused((447, 447)),
    "memfd_create": Refused((319, 279), error=errno.ENOSYS),  # /dev/shm holds no more than its quota
    "fcntl": Refused((72, 25), 1, (F_SETSIG, F_SETPIPE_SZ)),  # the first also for SIGCONT to the first process
    "setsockopt": Refused((54, 208), 2, (SO_SNDBUF,)),
    "prctl": Refused((157, 167), 0, (PR_SET_DUMPABLE,)),
    # Signals to the first process of the sandbox, which the judge has stopped.
    "kill": Refused((62, 129), 0, (FIRST_PROCESS,)),
    "tkill": Refused((200, 130), 0, (FIRST_PROCESS,)),
    "tgkill": Refused((234, 131), 0, (FIRST_PROCESS,)),
    "rt_sigqueueinfo": Refused((129, 138), 0, (FIRST_PROCESS,)),
    "rt_tgsigqueueinfo": Refused((297, 240), 0, (FIRST_PROCESS,)),
    "pidfd_send_signal": Refused((424, 424), 1, (signal.SIGCONT,)),
}


def program(machine: str | None = None) -> bytes:
    """Return the program for a machine of this name, as uname(2) has it; b"" if its numbers are not known here."""
    known = ARCHITECTURES.get(machine or os.uname().machine)
    if known is None:
        return b""
    architecture, index = known
    code = [_load(ARCHITECTURE), _jump(IF_EQUAL, architecture, 1, 0), _return(KILL), _load(NUMBER)]
    if index == 0:
        code += [_jump(IF_AT_LEAST, X32, 0, 1), _return(KILL)]
    for call in REFUSED.values():
        block = _block(call)
        code += [_jump(IF_EQUAL, call.numbers[index], 0, len(block)), *block]
    return b"".join([*code, _return(ALLOW)])


def descriptor() -> int | None:
    """Return a descriptor from which one bubblewrap can read program(); the caller closes it.

    Return None if there is no program for this machine.
    """
    refused = program()
    if not refused:
        return None
    reading, writing = os.pipe()
    os.write(writing, refused)
    os.close(writing)
    return reading


def _block(call: Refused) -> list[bytes]:
    """Return the instructions that apply one rule to a call with its number.

    They refuse the call, or else go on with the next rule, with the call's number loaded again.
    """
    refused = _return(ERROR | call.error)
    if not call.values:
        return [refused]
    code, test = [_load(ARGUMENTS + 8 * call.argument)], IF_ANY_BIT if call.is_flag else IF_EQUAL
    if call.allowed:
        for left in range(len(call.values), 0, -1):
            code.append(_jump(test, call.values[-left], left, 0))
        code.append(refused)
    else:
        for value in call.values:
            code += [_jump(test, value, 0, 1), refused]
    return [*code, _load(NUMBER)]


def _load(offset: int) -> bytes:
    return struct.pack("=HBBI", LOAD, 0, 0, offset)


def _return(action: int) -> bytes:
    return struct.pack("=HBBI", RETURN, 0, 0, action)


def _jump(test: int, value: int, if_true: int, if_false: int) -> bytes:
    """Return an instruction that skips if_true instructions if the test of the loaded word is true, else if_false."""
    return struct.pack("=HBBI", test, if_true, if_false, value)
