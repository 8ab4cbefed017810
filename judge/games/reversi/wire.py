"""Encodes reversi's positions as messages to a bot, plays a bot's replies and answers its questions on the rules."""

from judge.games.reversi.rules import EMPTY, Reversi, cell_name, cells_to_play
from protocol.games import reversi as wire_format


class ReversiWire:
    """The judge's side of the protocol with one bot, for a game that begins at this position.

    `name` must be "saiblo".
    """

    has_whole_turns = False

    def __init__(self, name: str, position: Reversi) -> None:
        self.name = name
        self.replies = wire_format.ReplyDecoder(name, position.size)

    @staticmethod
    def opening(position: Reversi, player: int) -> bytes:
        """Return b"": there is no first message, because every turn contains the whole board."""
        return b""

    @staticmethod
    def turn(position: Reversi) -> bytes:
        """Return the message that asks the side to move for its reply."""
        return wire_format.encode_turn(wire_format.Turn(position.to_move, position.size, position.cells()))

    @staticmethod
    def answer(position: Reversi, reply: wire_format.Reply | wire_format.RuleQuery) -> bytes | None:
        """Return the bytes that answer a reply if it is a question, None if it is a move.

        A question asks where a side may move on a given board, which need not be the board of `position`.
        """
        if not isinstance(reply, wire_format.RuleQuery):
            return None
        size = reply.size
        # In messages 2 is an empty cell.
        owners = [EMPTY if cell == 2 else cell for cell in reply.cells]
        board = [owners[start : start + size] for start in range(0, size * size, size)]
        legal = set(cells_to_play(board, reply.side))
        return wire_format.encode_rule_answer([divmod(cell, size) in legal for cell in range(size * size)])

    @staticmethod
    def game_over() -> bytes:
        """Return b"": there is no message after the last move."""
        return b""

    @staticmethod
    def play(position: Reversi, reply: wire_format.Reply) -> tuple[str]:
        """Play a reply, and return its only move, such as ("d3",).

        Raise IllegalMove if the reply is not a legal cell.
        """
        return (cell_name(*position.play_cell(reply.row, reply.col)),)

    @staticmethod
    def repeat(position: Reversi, move: str, is_own: bool) -> None:
        """Play a move of a record, and ignore `is_own`. Raise IllegalMove if the move is illegal."""
        position.play(move)
