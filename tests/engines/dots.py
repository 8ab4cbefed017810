"""Dots and boxes for the scripted bots: lines of text in, whole turns out. Every edge is a name such as "AAB"."""

import sys

from wires import Game, send

LETTERS = "ABCDEFGH"
USUAL_SIZE = (5, 5)


class Dots(Game):
    """`free` is the list of free edges, `drawn` the set of others, `side` the own colour: 0 black, 1 white."""

    def __init__(self):
        self.side = self.to_move = None
        self._take_board(*USUAL_SIZE)

    def read_turn(self):
        """Wait for the next turn, that is until it is the own side's; says its name when it is asked."""
        while True:
            words = _read_words()
            if words == ["name?"]:
                send(b"name scripted\n")
            elif words[0] == "board":
                rows, columns = map(int, words[1].split("x"))
                self._take_board(rows, columns)
                self._draw_all("".join(words[2:]))
            elif words[0] == "new":
                if not self._is_fresh:
                    self._take_board(*USUAL_SIZE)
                self._is_fresh = False
                self.side = ("black", "white").index(words[1])
                if self.to_move == self.side:
                    return
            elif words[0] == "move":
                if 3 * int(words[1]) != len(words[2]) or self.to_move == self.side:
                    sys.exit(f"a turn that is none: {' '.join(words)}")
                self._draw_all(words[2])
                if self.to_move != self.side:
                    sys.exit(f"a turn that is not whole: {' '.join(words)}")
                return
            elif words not in (["end"], ["quit"]):
                sys.exit(f"an unknown message: {' '.join(words)}")

    def legal_cells(self):
        """A turn for every free edge to begin with: it goes on as long as it has to, with boxes where there are any."""
        turns = []
        for edge in self.free:
            turn = [edge]
            if self._completes(edge, ()):
                turn = self._taking_all(turn)
                turn += [other for other in self.free if other not in turn][:1]
            turns.append((tuple(turn),))
        return turns

    def greedy_cells(self):
        """Turns that take every box there is and end with each edge that is free then, safe ones if there are any."""
        taking = self._taking_all([])
        rest = [edge for edge in self.free if edge not in taking]
        safe = [edge for edge in rest if all(self._count(box, taking) < 2 for box in self._beside[edge])]
        return [((*taking, edge),) for edge in safe or rest] or [(tuple(taking),)]

    def takeable(self):
        """The free edges that complete a box."""
        return [edge for edge in self.free if self._completes(edge, ())]

    def free_count(self):
        """How many edges are free."""
        return len(self.free)

    @staticmethod
    def reply_bytes(edges):
        """An answer to a turn, a line."""
        return b"move %d %s\n" % (len(edges), "".join(edges).encode())

    def reply(self, edges):
        """Answer the turn, and draw it."""
        super().reply(edges)
        self.draw(edges)

    def draw(self, edges):
        """Draw a turn that has been sent."""
        self._draw_all("".join(edges))

    @staticmethod
    def move(edges):
        """The turn's first edge, which is what records have first of it."""
        return edges[0]

    def _taking_all(self, turn):
        """The turn so far, and then every edge that completes a box, until there is none."""
        turn = list(turn)
        while takeable := [edge for edge in self.free if edge not in turn and self._completes(edge, turn)]:
            turn.append(takeable[0])
        return turn

    def _take_board(self, rows, columns):
        self._is_fresh = True
        self.to_move = 0
        self.drawn = set()
        across = ["A" + LETTERS[row] + LETTERS[column] for row in range(rows + 1) for column in range(columns)]
        down = ["B" + LETTERS[column] + LETTERS[row] for row in range(rows) for column in range(columns + 1)]
        self.free = across + down
        self._beside = {edge: [] for edge in self.free}
        for row in range(rows):
            for column in range(columns):
                box = _edges_around(row, column)
                for edge in box:
                    self._beside[edge].append(box)

    def _draw_all(self, names):
        for start in range(0, len(names), 3):
            edge = names[start : start + 3]
            if edge not in self.free:
                return  # an own wrong turn: the judge says so
            completes = self._completes(edge, ())
            self.free.remove(edge)
            self.drawn.add(edge)
            self.to_move = self.to_move if completes and self.free else 1 - self.to_move

    def _completes(self, edge, more):
        """Whether the edge completes a box once `more` edges are drawn."""
        return any(self._count(box, [*more, edge]) == 4 for box in self._beside[edge])

    def _count(self, box, more):
        return sum(edge in self.drawn or edge in more for edge in box)


def _edges_around(row, column):
    return (
        "A" + LETTERS[row] + LETTERS[column],
        "A" + LETTERS[row + 1] + LETTERS[column],
        "B" + LETTERS[column] + LETTERS[row],
        "B" + LETTERS[column + 1] + LETTERS[row],
    )


def _read_words():
    """The words of the next line that is not blank; ends the process with status 0 at the end of the input."""
    words = []
    while not words:
        line = sys.stdin.buffer.readline()
        if not line:
            sys.exit(0)
        words = line.decode().split()
    return words
