"""Connect four's text wires: lines of integers to the bot, "x y" in a frame from it.

Generation V3 (in use since December 2022) sends, one message per line:

    rows cols noX noY
    lastX lastY top[0..cols-1] board[0..rows*cols-1]

V2 (August to December 2022) writes the array's size before each array, and the bot sends the greeting "ok" first.
Evidence: the course's main.cpp templates of both periods.
"""

from __future__ import annotations

from protocol.errors import RemoteProtocolError, excerpt
from protocol.games.connect_four.messages import (
    OPENING_FIELDS,
    Reply,
    board_fields,
    last_fields,
    last_numbers,
    opening_from,
    top_fields,
    turn_from,
)
from protocol.integers import Field, IntegerMessage, IntegerReader, encode_integers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protocol.games.connect_four.messages import Opening, Turn

OPENING_MESSAGE = IntegerMessage(OPENING_FIELDS, needs_blank=True)


class TextWire:
    """One generation of the text wire; only V2 has `with_sizes` and a `greeting`."""

    def __init__(self, with_sizes: bool = False, greeting: bytes = b"") -> None:
        self.with_sizes = with_sizes
        self.greeting = greeting

    def message_reader(self) -> TextMessageReader:
        """Return a new reader of the judge's messages."""
        return TextMessageReader(self.with_sizes)

    def encode_opening(self, opening: Opening) -> bytes:
        """Return the judge's first message (bytes)."""
        return encode_integers((opening.rows, opening.cols) + tuple(opening.forbidden))

    def encode_turn(self, turn: Turn) -> bytes:
        """Return the judge's request to move (bytes)."""
        tops, board = tuple(turn.tops), tuple(turn.board)
        if self.with_sizes:
            tops, board = (len(tops),) + tops, (len(board),) + board
        return encode_integers(last_numbers(turn) + tops + board)

    def encode_game_over(self) -> bytes:
        """Return b"": on these wires the judge ends a game by ending the process."""
        return b""

    def encode_reply(self, row: int, col: int) -> bytes:
        """Return the body of a bot's reply (bytes)."""
        return b"%d %d" % (row, col)

    def decode_reply(self, body: bytes) -> Reply:
        """Return the Reply in a frame's body. Raises RemoteProtocolError unless it is two integers."""
        tokens = body.split()
        try:
            if len(tokens) == 2 and all(_is_decimal(token) for token in tokens):
                return Reply(int(tokens[0]), int(tokens[1]))
        except ValueError:  # more digits than Python converts
            pass
        raise RemoteProtocolError(field="reply", expected="two integers separated by a blank", received=excerpt(body))


def _is_decimal(token: bytes) -> bool:
    return token.isdigit() or (token[:1] == b"-" and token[1:].isdigit())


def turn_message(rows: int, cols: int, with_sizes: bool) -> IntegerMessage:
    """Return the layout of a turn on a board of that size."""
    tops, board = top_fields(rows, cols), board_fields(rows, cols)
    if with_sizes:
        tops = (Field("topSize", cols, cols),) + tops
        board = (Field("boardSize", rows * cols, rows * cols),) + board
    return IntegerMessage(last_fields(rows, cols) + tops + board, needs_blank=False)


class TextMessageReader:
    """Reads an Opening, then Turns. After an error, read no further."""

    def __init__(self, with_sizes: bool) -> None:
        self._with_sizes = with_sizes
        self._numbers = IntegerReader()
        self._opening: Opening | None = None
        self._layout = OPENING_MESSAGE

    @property
    def partial(self) -> bool:
        """True while the bytes after the last returned message are not all blank."""
        return self._numbers.partial

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self._numbers.feed(data)

    def expected(self) -> str:
        """Name the field that the next byte belongs to."""
        return self._numbers.expected(self._layout)

    def read(self) -> Opening | Turn | None:
        """Return the next message, or None until it is complete. Raises RemoteProtocolError."""
        numbers = self._numbers.read(self._layout)
        if numbers is None:
            return None
        if self._opening is None:
            self._opening = opening_from(numbers)
            self._layout = turn_message(self._opening.rows, self._opening.cols, self._with_sizes)
            return self._opening
        cols = self._opening.cols
        sizes = 1 if self._with_sizes else 0
        tops = numbers[2 + sizes : 2 + sizes + cols]
        board = numbers[2 + sizes + cols + sizes :]
        return turn_from(numbers[0], numbers[1], tops, board)
