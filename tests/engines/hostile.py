"""A bot that plays the first legal cell and once, before its reply number --at, does what no bot should be able to.

`python hostile.py MODE [--game GAME] [--at N] [--path PATH] [--port N]`: the modes are the functions of ATTACKS. What
came of it stands in the report on that move, as "done". `trusting` is the victim of `share`: it gives up where it finds
the other's note.
"""

import argparse
import contextlib
import json
import os
import signal
import socket
import stat
import sys
import time

from wires import add_game_option, frame, open_game

MARKER = "DROPFOUR_GAME"
FOREVER_S = 3600
CHILDREN = 200
MEGABYTE, MEGABYTES = 10**6, 150
FIRST = 1  # the first process of a sandbox
PTRACE_SEIZE, PTRACE_O_TRACEEXIT = 0x4206, 0x40  # <linux/ptrace.h>
NOTE = b"give up"


def others():
    """The processes of this game's other player that can be seen."""
    own, found = os.environ[MARKER], []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as environment, open(f"/proc/{name}/cmdline", "rb") as words:
                if f"{MARKER}={own}".encode() in environment.read() and b"first_legal.py" in words.read():
                    found.append(int(name))
        except OSError:
            pass
    return found


def kill(_):
    return [os.kill(pid, signal.SIGKILL) for pid in others()]


def speak(_):
    """For the opponent, on its stdout."""
    return [write_to(f"/proc/{pid}/fd/1", frame(b"0 0")) for pid in others()]


def write_to_judge(_):
    """Into every pipe of the process that started this one, but this one's own."""
    judge, own = f"/proc/{os.getppid()}/fd", {os.fstat(number).st_ino for number in range(3)}
    written = []
    for number in os.listdir(judge):
        with contextlib.suppress(OSError):
            place = os.stat(f"{judge}/{number}")
            if stat.S_ISFIFO(place.st_mode) and place.st_ino not in own:
                written.append(write_to(f"{judge}/{number}", b"x"))
    return written


def delete(options):
    return os.unlink(options.path)


def overwrite(options):
    return write_to(options.path, b"raise SystemExit(1)\n", os.O_TRUNC)


def breed(_):
    for _number in range(CHILDREN):
        if os.fork() == 0:
            time.sleep(FOREVER_S)
    return CHILDREN


def linger(options):
    """A daemon that nothing points to: no parent, no group, no environment; its words have the path in them."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            words = [sys.executable, "-S", "-c", f"import time; time.sleep({FOREVER_S})", options.path]
            os.execve(sys.executable, words, {})
        os._exit(0)
    return os.wait()[1]


def swell(_):
    """In a file that lies in memory and is no part of the process's own."""
    file = os.open("/dev/shm", os.O_TMPFILE | os.O_RDWR)
    for _number in range(MEGABYTES // 10):
        os.write(file, b"x" * 10 * MEGABYTE)
    time.sleep(0.3)
    return os.fstat(file).st_size


def call(options):
    """Somebody on this machine by the network."""
    with socket.create_connection(("127.0.0.1", options.port), timeout=5) as connection:
        return connection.send(NOTE)


def share(options):
    """A note where the opponent looks."""
    return [write_to(path, NOTE, os.O_CREAT) for path in notes(options)]


def notes(options):
    return [f"/tmp/{options.path}", f"/dev/shm/{options.path}"]


def trace(pid):
    """Have a process wait for this one at its end."""
    import ctypes  # here because few attacks need it

    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes, libc.ptrace.restype = [ctypes.c_long] * 4, ctypes.c_long
    if libc.ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACEEXIT) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return pid


def trace_first(_):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return trace(FIRST)


def trace_itself(_):
    """By a child in a session of its own, that does not wait for what it traces."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    bot, (reading, writing) = os.getpid(), os.pipe()
    if os.fork() == 0:
        os.setsid()
        try:
            os.write(writing, b"%d" % trace(bot))
            time.sleep(FOREVER_S)
        finally:
            os._exit(1)
    os.close(writing)
    return os.read(reading, 100) != b""


def trusting(options):
    for path in notes(options):
        if os.path.exists(path):
            os._exit(1)


ATTACKS = (kill, speak, write_to_judge, delete, overwrite, breed, linger, swell, call, share, trace_first, trace_itself)


def write_to(path, data, flags=0):
    descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | flags, 0o666)
    try:
        return os.write(descriptor, data)
    finally:
        os.close(descriptor)


def tried(attack, options):
    """What came of it, as a word or an error's name."""
    try:
        return repr(attack(options))
    except OSError as error:
        return type(error).__name__


def main():
    modes = {attack.__name__: attack for attack in (*ATTACKS, trusting)}
    parser = argparse.ArgumentParser(description=__doc__)
    add_game_option(parser)
    parser.add_argument("mode", choices=sorted(modes))
    parser.add_argument("--at", type=int, default=1)
    parser.add_argument("--path", default="")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    game = open_game(options.game)
    ply = 0
    while True:
        game.read_turn()
        done = ""
        if ply == options.at or options.mode == "trusting":
            done = tried(modes[options.mode], options)
        cell = game.legal_cells()[0]
        print(json.dumps({"value": 0, "done": done}), file=sys.stderr, flush=True)
        game.reply(*cell)
        ply += 1


if __name__ == "__main__":
    main()
