"""A bot that plays legally until its n-th own move and then does the one wrong thing it is told to.

`python misbehave.py MODE [--game GAME] [--at N] [--limit S]`: N counts its own moves from 0, S is the clock's
limit in seconds. The modes are the functions below. A mode that returns lets the bot play on.
"""

import argparse
import os
import signal
import sys
import time

from wires import add_game_option, frame, open_game, send

FOREVER_S = 3600


class Trouble:
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

    def one_integer(self):
        send(frame(b"3"))

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

    def length_2gb(self):
        send((2**31).to_bytes(4, "big") + b"x" * 1000)

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

    def exit_0(self):
        os._exit(0)

    def reply_and_exit(self):
        self.legal()
        os._exit(0)

    def exit_3(self):
        os._exit(3)

    def segfault(self):
        os.kill(os.getpid(), signal.SIGSEGV)

    def stop_itself(self):
        os.kill(os.getpid(), signal.SIGSTOP)

    def late(self):
        time.sleep(self.limit_s + 0.2)
        self.legal()

    def late_and_illegal(self):
        time.sleep(self.limit_s + 0.2)
        self.off_board()

    def late_exit(self):
        time.sleep(self.limit_s + 0.2)
        self.exit_3()

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
        for environment in (os.environ, {}):
            if os.fork() == 0:
                os.setsid()
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                signal.signal(signal.SIGHUP, signal.SIG_IGN)
                if os.fork() == 0:
                    command = [sys.executable, "-S", "-c", f"import time; time.sleep({FOREVER_S})"]
                    os.execve(sys.executable, command, environment)
                os._exit(0)

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


class ConnectFourTrouble(Trouble):
    """What only connect four allows."""

    def full_column(self):
        """Needs a full column; the opponent of the test fills it."""
        self.game.reply(-1, self.game.tops.index(0))

    def wrong_row(self):
        row, column = self.game.legal_cells()[0]
        self.game.reply(row - 1, column)

    def off_board(self):
        self.game.reply(0, self.game.cols)

    def negative_column(self):
        self.game.reply(self.game.tops[-1] - 1, -1)


class ReversiTrouble(Trouble):
    """What only reversi allows, questions on the rules among them."""

    def taken_cell(self):
        self.game.reply(*divmod(self.game.cells.index(1 - self.game.side), self.game.size))

    def turns_nothing(self):
        cells = [divmod(cell, self.game.size) for cell, disc in enumerate(self.game.cells) if disc == 2]
        self.game.reply(*next(cell for cell in cells if cell not in self.game.legal_cells()))

    def off_board(self):
        self.game.reply(self.game.size, 0)

    def negative_row(self):
        send(frame(b"-1"))

    def a_pass(self):
        send(frame(b"-1-1"))

    def half_a_board(self):
        send(frame(b"#0222#"))

    def asks(self):
        """Asks three times in different ways, and plays if the answers are right."""
        self.game.ask()
        if self.game.read_answer() != self.game.legal_cells():
            os._exit(3)
        self.game.ask()
        self.game.ask()
        if self.game.read_answer() != self.game.read_answer():
            os._exit(4)
        self.legal()

    def asks_and_replies_at_once(self):
        """The question's answer is read before the next turn."""
        self.game.ask()
        self.legal()
        self.game.read_answer()

    def asks_forever(self):
        while True:
            self.game.ask()
            self.game.read_answer()

    def asks_forever_unheard(self):
        while True:
            self.game.ask()

    def asks_and_sleeps(self):
        self.game.ask()
        self.sleep_forever()

    def asks_late(self):
        time.sleep(self.limit_s + 0.2)
        self.game.ask()
        self.sleep_forever()

    def asks_and_dies(self):
        self.game.ask()
        os._exit(3)

    def asks_out_of_turn(self):
        """Needs an opponent that thinks for longer than this sleeps."""
        self.legal()
        time.sleep(0.05)
        self.game.ask()


class DotsTrouble(Trouble):
    """What only dots allows, and the faults of frames as they are on a wire of lines."""

    def zero_length(self):
        send(b"move 0\n")

    def no_integers(self):
        send(b"left please\n")

    def one_integer(self):
        send(b"move 3\n")

    def extra_bytes(self):
        send(self.game.reply_bytes(*self.game.legal_cells()[0]) + b"m")

    def length_2gb(self):
        send(b"move 1 " + b"AAA" * 10**6)

    def length_2049(self):
        send(b" " * 2049)

    def die_mid_frame(self):
        send(b"move 1 A")
        os._exit(0)

    def stop_mid_frame(self):
        send(b"move 1 A")
        self.sleep_forever()

    def half_an_edge(self):
        send(b"move 1 AA\n")

    def wrong_count(self):
        send(b"move 2 %s\n" % self.game.free[0].encode())

    def off_board(self):
        send(self.game.reply_bytes(("AHA",)))

    def drawn_edge(self):
        """Needs an edge that is drawn."""
        send(self.game.reply_bytes((min(self.game.drawn),)))

    def goes_on(self):
        """Two edges of which the first completes nothing."""
        takeable = self.game.takeable()
        send(self.game.reply_bytes([edge for edge in self.game.free if edge not in takeable][:2]))

    def stops_short(self):
        """Needs a box that can be completed."""
        send(self.game.reply_bytes(self.game.takeable()[:1]))

    def names_itself_again(self):
        send(b"name again\n")
        self.legal()

    def names_itself_out_of_turn(self):
        """Needs an opponent that thinks for longer than this sleeps."""
        self.legal()
        time.sleep(0.05)
        send(b"name again\n")

    def without_count(self):
        """As the platform's first version had it."""
        self._send_line(b"move %s\0" % "".join(self._turn()).encode())

    def late_line_end(self):
        """The turn is whole without it."""
        self._send_line(self.game.reply_bytes(self._turn()).rstrip())
        time.sleep(0.02)
        send(b"\n")

    def _turn(self):
        return self.game.legal_cells()[0][0]

    def _send_line(self, line):
        send(line)
        self.game.draw(self._turn())


TROUBLES = {"connect_four": ConnectFourTrouble, "reversi": ReversiTrouble, "dots": DotsTrouble}


def main():
    kinds = (Trouble, *TROUBLES.values())
    modes = {name for kind in kinds for name in vars(kind) if not name.startswith("_")} - {"start_children"}
    parser = argparse.ArgumentParser(description=__doc__)
    add_game_option(parser)
    parser.add_argument("mode", choices=sorted(modes))
    parser.add_argument("--at", type=int, default=0)
    parser.add_argument("--limit", type=float, default=3.0)
    options = parser.parse_args()
    if options.mode == "never_read" and options.at == 0:
        time.sleep(FOREVER_S)
    game = open_game(options.game)
    trouble = TROUBLES[options.game](game, options.limit)
    ply = 0
    while True:
        game.read_turn()
        (getattr(trouble, options.mode) if ply == options.at else trouble.legal)()
        ply += 1


if __name__ == "__main__":
    main()
