"""What the scripted bots share: each game's turns from stdin, replies to stdout.

`open_game(name)` gives an object with read_turn(), legal_cells(), reply(row, column) and move(row, column). In dots a
"cell" is (edges,), a whole turn as a tuple of names (dots.py).
"""

import os
import sys

GAMES = ("connect_four", "reversi", "dots")


def add_game_option(parser):
    """--game, for open_game."""
    parser.add_argument("--game", choices=GAMES, default="connect_four")


def open_game(name):
    """The game of this name, with its first message read where it has one."""
    from dots import Dots  # which needs this module

    return {"connect_four": ConnectFour, "reversi": Reversi, "dots": Dots}[name]()


class Game:
    """What the games share."""

    def reply(self, *cell):
        """Answer the turn."""
        send(self.reply_bytes(*cell))


class ConnectFour(Game):
    """Text lines of integers; `tops` are the rows above which the next stones land."""

    def __init__(self):
        self.rows, self.cols, _, _ = _read_integers()  # the forbidden cell is contained in every turn's tops
        self.tops = []

    def read_turn(self):
        """Wait for the next turn."""
        numbers = _read_integers()
        if len(numbers) != 2 + self.cols + self.rows * self.cols:
            sys.exit(f"a turn of {len(numbers)} integers, expected {2 + self.cols + self.rows * self.cols}")
        self.tops = numbers[2 : 2 + self.cols]

    def legal_cells(self):
        """The cells where a stone may land, from the left."""
        return [(top - 1, column) for column, top in enumerate(self.tops) if top > 0]

    def free_count(self):
        """How many cells are not taken, in columns down to the top stone."""
        return sum(self.tops)

    @staticmethod
    def reply_bytes(row, column):
        """An answer to a turn, framed."""
        return frame(b"%d %d" % (row, column))

    @staticmethod
    def move(row, column):
        """The cell as records name the move."""
        return column


class Reversi(Game):
    """Boards of digits between two '#'; `cells` is the board row by row, `side` the own digit."""

    def __init__(self):
        self.side = self.size = None
        self.cells = ()

    def read_turn(self):
        """Wait for the next turn."""
        if _read_byte() != b"#":
            sys.exit("a turn that does not begin with #")
        digits = b""
        while not digits.endswith(b"#"):
            digits += _read_byte()
        self.side, *self.cells = map(int, digits[:-1].decode())
        self.size = round(len(self.cells) ** 0.5)
        if self.size**2 != len(self.cells):
            sys.exit(f"a turn of {len(self.cells)} cells, which are no square")

    def legal_cells(self):
        """The cells where a disc turns others, row by row."""
        return [divmod(cell, self.size) for cell in range(self.size**2) if self._turns(*divmod(cell, self.size))]

    def free_count(self):
        """How many cells are empty."""
        return self.cells.count(2)

    @staticmethod
    def reply_bytes(row, column):
        """An answer to a turn, framed."""
        return frame(b"%d%d" % (row, column))

    def ask(self):
        """Ask the judge where the own side may move; read_answer() has what it says."""
        board = "".join(map(str, self.cells))
        send(frame(b"#%d%s#" % (self.side, board.encode())))

    def read_answer(self):
        """The cells that the judge says one may play."""
        answer = b"".join(_read_byte() for _ in self.cells)
        return [divmod(cell, self.size) for cell, digit in enumerate(answer.decode()) if digit == "1"]

    @staticmethod
    def move(row, column):
        """The cell as records name the move."""
        return "abcdefghij"[column] + str(row + 1)

    def _at(self, row, column):
        inside = 0 <= row < self.size and 0 <= column < self.size
        return self.cells[row * self.size + column] if inside else None

    def _turns(self, row, column):
        if self._at(row, column) != 2:
            return False
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                steps = 1
                while self._at(row + steps * down, column + steps * right) == 1 - self.side:
                    steps += 1
                if steps > 1 and self._at(row + steps * down, column + steps * right) == self.side:
                    return True
        return False


def _read_integers():
    """The next line's integers; ends the process with status 0 at the end of the input."""
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit(0)
    return [int(word) for word in line.split()]


def _read_byte():
    """The next byte; ends the process with status 0 at the end of the input."""
    byte = sys.stdin.buffer.read(1)
    if not byte:
        sys.exit(0)
    return byte


def frame(body):
    """The body with its length in front, four bytes, the greatest first."""
    return len(body).to_bytes(4, "big") + body


def send(data):
    """Write all bytes to stdout at once."""
    while data:
        data = data[os.write(1, data) :]
