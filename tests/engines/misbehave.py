"""A bot that plays legally until its n-th own move and then does the one wrong thing it is told to.

`python misbehave.py MODE [--at N] [--limit S]`: N counts its own moves from 0, S is the clock's limit in
seconds. The modes are the functions below. A mode that returns lets the bot play on.
"""

import argparse
import os
import signal
import sys
import time

from text_wire import frame, legal_moves, read_opening, read_turn, reply, send

FOREVER_S = 3600


class Trouble:
    """One method per mode, called in place of a reply with the turn's tops."""

    def __init__(self, rows, cols, limit_s):
        self.rows = rows
        self.cols = cols
        self.limit_s = limit_s

    def legal(self, tops):
        column = legal_moves(tops)[0]
        reply(tops[column] - 1, column)

    def full_column(self, tops):
        """Needs a full column; the opponent of the test fills it."""
        reply(-1, tops.index(0))

    def wrong_row(self, tops):
        column = legal_moves(tops)[0]
        reply(tops[column] - 2, column)

    def off_board(self, tops):
        reply(0, self.cols)

    def negative_column(self, tops):
        reply(tops[-1] - 1, -1)

    def zero_length(self, tops):
        send((0).to_bytes(4, "big"))

    def no_integers(self, tops):
        send(frame(b"left please"))

    def one_integer(self, tops):
        send(frame(b"3"))

    def extra_bytes(self, tops):
        column = legal_moves(tops)[0]
        send(frame(b"%d %d" % (tops[column] - 1, column)) + b"\n")

    def two_replies(self, tops):
        self.legal(tops)
        self.legal(tops)

    def out_of_turn(self, tops):
        """Needs an opponent that thinks for longer than this sleeps."""
        self.legal(tops)
        time.sleep(0.05)
        self.legal(tops)

    def length_2gb(self, tops):
        send((2**31).to_bytes(4, "big") + b"x" * 1000)

    def length_2049(self, tops):
        send(frame(b" " * 2049))

    def flood_stdout(self, tops):
        while True:
            send(b"z" * 65536)

    def flood_out_of_turn(self, tops):
        self.legal(tops)
        self.flood_stdout(tops)

    def close_stdout(self, tops):
        os.close(1)
        self.sleep_forever(tops)

    def close_stdin(self, tops):
        self.legal(tops)
        os.close(0)
        self.sleep_forever(tops)

    def exit_0(self, tops):
        os._exit(0)

    def reply_and_exit(self, tops):
        self.legal(tops)
        os._exit(0)

    def exit_3(self, tops):
        os._exit(3)

    def segfault(self, tops):
        os.kill(os.getpid(), signal.SIGSEGV)

    def stop_itself(self, tops):
        os.kill(os.getpid(), signal.SIGSTOP)

    def late(self, tops):
        time.sleep(self.limit_s + 0.2)
        self.legal(tops)

    def late_and_illegal(self, tops):
        time.sleep(self.limit_s + 0.2)
        self.off_board(tops)

    def late_exit(self, tops):
        time.sleep(self.limit_s + 0.2)
        self.exit_3(tops)

    def sleep_forever(self, tops):
        time.sleep(FOREVER_S)

    def busy_forever(self, tops):
        while True:
            pass

    def ignore_sigterm(self, tops):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        self.sleep_forever(tops)

    def leave_children(self, tops):
        """Children out of the group, one without its environment, that hold the pipes open."""
        self.start_children()
        self.legal(tops)

    def die_leaving_children(self, tops):
        self.start_children()
        os._exit(0)

    def start_children(self):
        for environment in (os.environ, {}):
            if os.fork() == 0:
                os.setsid()
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                signal.signal(signal.SIGHUP, signal.SIG_IGN)
                if os.fork() == 0:
                    command = [sys.executable, "-S", "-c", f"import time; time.sleep({FOREVER_S})"]
                    os.execve(sys.executable, command, environment)
                os._exit(0)

    def die_mid_frame(self, tops):
        send(frame(b"3 4")[:5])
        os._exit(0)

    def stop_mid_frame(self, tops):
        send(frame(b"3 4")[:5])
        self.sleep_forever(tops)

    def never_read(self, tops):
        """The rest of the game stays in the pipe."""
        self.sleep_forever(tops)

    def flood_stderr(self, tops):
        for _ in range(64):
            os.write(2, b"noise\n" * 2731)
        self.legal(tops)

    def close_stderr(self, tops):
        os.close(2)
        self.legal(tops)


def main():
    modes = [name for name in vars(Trouble) if not name.startswith("_") and name != "start_children"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mode", choices=modes)
    parser.add_argument("--at", type=int, default=0)
    parser.add_argument("--limit", type=float, default=3.0)
    options = parser.parse_args()
    if options.mode == "never_read" and options.at == 0:
        time.sleep(FOREVER_S)
    rows, cols = read_opening()
    trouble = Trouble(rows, cols, options.limit)
    ply = 0
    while True:
        tops = read_turn(rows, cols)
        (getattr(trouble, options.mode) if ply == options.at else trouble.legal)(tops)
        ply += 1


if __name__ == "__main__":
    main()
