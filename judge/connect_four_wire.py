"""Connect four's positions as messages to a bot, and a bot's replies as moves."""

from protocol import connect_four as wire_format


class ConnectFourWire:
    """The judge's half of one bot's wire; `name` is one of protocol.connect_four.WIRES."""

    def __init__(self, name, position):
        self.name = name
        self.replies = wire_format.ReplyDecoder(name)

    def opening(self, position, player):
        """The first message, the same to both: size and forbidden cell. Precondition: 9..12 rows and columns."""
        opening = wire_format.Opening(position.rows, position.cols, position.forbidden)
        return wire_format.encode_opening(opening, self.name)

    def turn(self, position):
        """The message that asks the side to move for its reply."""
        board = position.board_for(position.to_move)
        return wire_format.encode_turn(wire_format.Turn(position.last, position.tops(), board), self.name)

    @staticmethod
    def answer(position, reply):
        """The bytes that answer a reply which is no move but a question; there is none on these wires."""

    def game_over(self):
        """The message after the last move; empty where the wire has none."""
        return wire_format.encode_game_over(self.name)

    @staticmethod
    def play(position, reply):
        """Play a reply and return its only move, (column,). Raises IllegalMove if it is not a legal cell."""
        return (position.play_cell(reply.row, reply.col)[1],)
