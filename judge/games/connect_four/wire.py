"""Encodes connect four's positions as messages to a bot, and plays a bot's replies."""

from typing import cast

from judge.games.connect_four.rules import ConnectFour
from judge.games.positions import Cell
from protocol.games import connect_four as wire_format


class ConnectFourWire:
    """The judge's side of the protocol with one bot; `name` is one of protocol.games.connect_four.WIRES."""

    has_whole_turns = False

    def __init__(self, name: str, position: ConnectFour) -> None:
        self.name = name
        self.replies = wire_format.ReplyDecoder(name)

    def opening(self, position: ConnectFour, player: int) -> bytes:
        """Return the first message, with the board's size and forbidden cell. It is the same for both players.

        Precondition: rows and columns are in 9..12.
        """
        forbidden = cast(Cell, position.forbidden)  # the encoder fails for a board without one
        opening = wire_format.Opening(position.rows, position.cols, forbidden)
        return wire_format.encode_opening(opening, self.name)

    def turn(self, position: ConnectFour) -> bytes:
        """Return the message that asks the side to move for its reply."""
        board = position.board_for(position.to_move)
        return wire_format.encode_turn(wire_format.Turn(position.last, position.tops(), board), self.name)

    @staticmethod
    def answer(position: ConnectFour, reply: wire_format.Reply) -> None:
        """Return None: no reply of these wires is a question."""

    def game_over(self) -> bytes:
        """Return the message after the last move, b"" if the wire has no such message."""
        return wire_format.encode_game_over(self.name)

    @staticmethod
    def play(position: ConnectFour, reply: wire_format.Reply) -> tuple[int]:
        """Play a reply, and return its only move, (column,). Raise IllegalMove if the reply is not a legal cell."""
        return (position.play_cell(reply.row, reply.col)[1],)

    @staticmethod
    def repeat(position: ConnectFour, move: int, is_own: bool) -> None:
        """Play a move of a record, and ignore `is_own`. Raise IllegalMove if the move is illegal."""
        position.play(move)
