"""What misbehave.py does wrong in any game."""

import os
import signal
import sys
import time

from lateness import Lateness
from wires import frame, send

FOREVER_S = 3600


class Trouble(Lateness):
    """One method per mode, called in place of a reply once the turn has been read."""

    def __init__(self, game, limit_s):
        self.game = game
        self.limit_s = limit_s

    def legal(self):
        self.game.reply(*self.game.legal_cells()[0])

    def zero_length(self):
        send((0).to_bytes(4, "big"))

    def no_integers(self):
        send(frame(b"left please"))

    def extra_bytes(self):
        send(self.game.reply_bytes(*self.game.legal_cells()[0]) + b"\n")

    def two_replies(self):
        self.legal()
        self.legal()

    def out_of_turn(self):
        """Needs an opponent that thinks for longer than this sleeps."""
        self.legal()
        time.sleep(0.05)
        self.legal()

    def length_2049(self):
        send(frame(b" " * 2049))

    def flood_stdout(self):
        while True:
            send(b"z" * 65536)

    def flood_out_of_turn(self):
        self.legal()
        self.flood_stdout()

    def close_stdout(self):
        os.close(1)
        self.sleep_forever()

    def close_stdin(self):
        self.legal()
        os.close(0)
        self.sleep_forever()

    def print_text(self):
        """What a forgotten printf() does."""
        send(b"thinking...\n")
        self.legal()

    def print_text_behind(self):
        send(self.game.reply_bytes(*self.game.legal_cells()[0]) + b"done\n")

    def abort_with_words(self):
        os.write(2, b'{"value": 0.5}\nboard.cpp:17: \x1b[2Jplace: Assertion `free[x]\' failed.\n\n')
        os.abort()

    def reply_and_exit(self):
        self.legal()
        os._exit(0)

    def exit_3(self):
        os._exit(3)

    def segfault(self):
        os.kill(os.getpid(), signal.SIGSEGV)

    def stop_itself(self):
        os.kill(os.getpid(), signal.SIGSTOP)

    def sleep_forever(self):
        time.sleep(FOREVER_S)

    def busy_forever(self):
        while True:
            pass

    def ignore_sigterm(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        self.sleep_forever()

    def leave_children(self):
        """Children out of the group, one without its environment, that hold the pipes open."""
        self.start_children()
        self.legal()

    def die_leaving_children(self):
        self.start_children()
        os._exit(0)

    def start_children(self):
        """Return when both run: the programs close the pipe's other end."""
        reading, writing = os.pipe()
        for environment in (os.environ, {}):
            if os.fork() == 0:
                os.setsid()
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                signal.signal(signal.SIGHUP, signal.SIG_IGN)
                if os.fork() == 0:
                    command = [sys.executable, "-S", "-c", f"import time; time.sleep({FOREVER_S})"]
                    os.execve(sys.executable, command, environment)
                os._exit(0)
        os.close(writing)
        os.read(reading, 1)

    def die_mid_frame(self):
        send(frame(b"3 4")[:5])
        os._exit(0)

    def stop_mid_frame(self):
        send(frame(b"3 4")[:5])
        self.sleep_forever()

    def never_read(self):
        """The rest of the game stays in the pipe."""
        self.sleep_forever()

    def flood_stderr(self):
        for _ in range(64):
            os.write(2, b"noise\n" * 2731)
        self.legal()

    def close_stderr(self):
        os.close(2)
        self.legal()
