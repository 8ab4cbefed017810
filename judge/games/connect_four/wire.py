"""Connect four's positions as messages to a bot, and a bot's replies as moves."""

from typing import cast

from judge.games.connect_four.rules import ConnectFour
from judge.games.positions import Cell
from protocol.games import connect_four as wire_format


class ConnectFourWire:
    """The judge's half of one bot's wire; `name` is one of protocol.games.connect_four.WIRES."""

    has_whole_turns = False

    def __init__(self, name: str, position: ConnectFour) -> None:
        self.name = name
        self.replies = wire_format.ReplyDecoder(name)

    def opening(self, position: ConnectFour, player: int) -> bytes:
        """The first message, the same to both: size and forbidden cell. Precondition: 9..12 rows and columns."""
        forbidden = cast(Cell, position.forbidden)  # a board without one is refused below
        opening = wire_format.Opening(position.rows, position.cols, forbidden)
        return wire_format.encode_opening(opening, self.name)

    def turn(self, position: ConnectFour) -> bytes:
        """The message that asks the side to move for its reply."""
        board = position.board_for(position.to_move)
        return wire_format.encode_turn(wire_format.Turn(position.last, position.tops(), board), self.name)

    @staticmethod
    def answer(position: ConnectFour, reply: wire_format.Reply) -> None:
        """The bytes that answer a reply which is no move but a question; there is none on these wires."""

    def game_over(self) -> bytes:
        """The message after the last move; empty where the wire has none."""
        return wire_format.encode_game_over(self.name)

    @staticmethod
    def play(position: ConnectFour, reply: wire_format.Reply) -> tuple[int]:
        """Play a reply and return its only move, (column,). Raises IllegalMove if it is not a legal cell."""
        return (position.play_cell(reply.row, reply.col)[1],)

    @staticmethod
    def repeat(position: ConnectFour, move: int, is_own: bool) -> None:
        """Make a move of a record. Raises IllegalMove."""
        position.play(move)
