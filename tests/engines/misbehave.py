"""A bot that plays legally until its n-th own move and then does the one wrong thing it is told to.

`python misbehave.py MODE [--game GAME] [--at N] [--limit S]`: N counts its own moves from 0, S is the clock's
limit in seconds. The modes are the functions below, in trouble.py and in lateness.py. A mode that returns lets the bot
play on.
"""

import argparse
import os
import time

from lateness import Lateness, sleep_in_start
from trouble import FOREVER_S, Trouble
from wires import add_game_option, open_game, send


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


class ReversiTrouble(Trouble):
    """What only reversi allows, questions on the rules among them."""

    def turns_nothing(self):
        cells = [divmod(cell, self.game.size) for cell, disc in enumerate(self.game.cells) if disc == 2]
        self.game.reply(*next(cell for cell in cells if cell not in self.game.legal_cells()))

    def off_board(self):
        self.game.reply(self.game.size, 0)

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

    def asks_and_dies(self):
        self.game.ask()
        os._exit(3)


class DotsTrouble(Trouble):
    """What only dots allows, and the faults of frames as they are on a wire of lines."""

    def zero_length(self):
        send(b"move 0\n")

    def no_integers(self):
        send(b"left please\n")

    def extra_bytes(self):
        send(self.game.reply_bytes(*self.game.legal_cells()[0]) + b"m")

    def length_2049(self):
        send(b" " * 2049)

    def die_mid_frame(self):
        send(b"move 1 A")
        os._exit(0)

    def stop_mid_frame(self):
        send(b"move 1 A")
        self.sleep_forever()

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
    kinds = (Lateness, Trouble, *TROUBLES.values())
    modes = {name for kind in kinds for name in vars(kind) if not name.startswith("_")} - {
        "start_children",
        "too_long_s",
    }
    parser = argparse.ArgumentParser(description=__doc__)
    add_game_option(parser)
    parser.add_argument("mode", choices=sorted(modes))
    parser.add_argument("--at", type=int, default=0)
    parser.add_argument("--limit", type=float, default=3.0)
    options = parser.parse_args()
    if options.mode == "never_read" and options.at == 0:
        time.sleep(FOREVER_S)
    if options.mode == "late_to_start":
        sleep_in_start(options.limit)
    game = open_game(options.game)
    trouble = TROUBLES[options.game](game, options.limit)
    ply = 0
    while True:
        game.read_turn()
        (getattr(trouble, options.mode) if ply == options.at else trouble.legal)()
        ply += 1


if __name__ == "__main__":
    main()
