"""Messages between a bot for dots and boxes and its judge as values and as bytes, both directions, without I/O.

Wires, named as on the bot's command line:

    auto             for a bot: the judge's first byte, a letter, '{' or a digit, chooses one of these, in this order
    platform         the contest platform's lines, with whole turns; our own judge uses it too
    botzone          Botzone's JSON form, an edge at a time
    botzone-simple   Botzone's simple form

A board has R x C boxes between (R + 1) x (C + 1) dots. An edge's name has three letters, as on the contest platform.
The first is A for a horizontal edge and B for a vertical one. The second is its line: the row of dots from the top
for a horizontal edge, the column of dots from the left for a vertical one. The third is its place on that line, from
the left or from the top:

    .-AAA-.-AAB-.
    |     |     |       "AAB" is horizontal: line A, the second edge from the left
   BAA   BBA   BCA      "BCA" is vertical: line C, the first edge from the top
    |     |     |
    .-ABA-.-ABB-.

Player 0 is black and moves first. Botzone's messages do not name an edge but give its place in a grid: a request is
(x, y, passed), a response (x, y); edge_at() and place_of() convert between places and names.
"""

from __future__ import annotations

from _operator import index

from protocol.botzone import BotzoneGame, kind_of
from protocol.decoding import AnyWireDecoder, StreamDecoder
from protocol.errors import FrameTooLong, LocalProtocolError, RemoteProtocolError, excerpt
from protocol.integers import Field, check_ranges
from protocol.value_types import ValueType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from protocol.interfaces import MessageReader

WIRES = ("auto", "platform", "botzone", "botzone-simple")
SIZES = (1, 7)  # least and greatest number of rows and of columns of boxes
DEFAULT_SIZE = (5, 5)  # rows, columns: the contest's, which its platform does not send
MOST_EDGES = 112  # of the largest board
LETTERS = "ABCDEFGH"
COLOURS = ("black", "white")


# Messages.


class NameQuery(ValueType):
    """`name?`: the platform asks for the bot's name, before the game."""


class Board(ValueType):
    """The board of the next game. Only our own judge sends it, and only if the board is not the usual one.

    `rows` and `columns` count boxes. `edges` are the names of the edges drawn already, in the order in which both
    players drew them by the rules, player 0 first: a player who completes a box owns it and moves again.
    """

    rows: int
    columns: int
    edges: tuple[str, ...]


class New(ValueType):
    """The beginning of a game in which the receiver is `side`, 0 (black) or 1 (white).

    The side to move replies at once: black, or white after a Board whose edges leave white to move.
    """

    side: int


class Turn(ValueType):
    """The other side's whole turn, a tuple of edges' names in drawing order; it asks the receiver to move."""

    edges: tuple[str, ...]


class Complaint(ValueType):
    """`error`: the receiver's last turn was refused."""


class End(ValueType):
    """`end`: the game is over; another may begin."""


class Quit(ValueType):
    """`quit`: the bot's process must end."""


class Reply(ValueType):
    """A bot's whole turn, a tuple of edges' names in drawing order. The referee checks legality."""

    edges: tuple[str, ...]


if TYPE_CHECKING:
    JudgeMessage = NameQuery | Board | New | Turn | Complaint | End | Quit


def is_edge(name: object, rows: int = SIZES[1], columns: int = SIZES[1]) -> bool:
    """Return whether `name` is an edge's name on a board of rows x columns boxes."""
    if type(name) is not str or len(name) != 3:
        return False
    line, place = LETTERS.find(name[1]), LETTERS.find(name[2])
    most_lines, most_places = {"A": (rows, columns), "B": (columns, rows)}.get(name[0], (-1, -1))
    return 0 <= line <= most_lines and 0 <= place < most_places


def edges_from(text: str, field: str, rows: int = SIZES[1], columns: int = SIZES[1]) -> tuple[str, ...]:
    """Return the edges' names in a text of three letters each, as a tuple of one or more.

    Raises RemoteProtocolError with the name `field`, unless all are edges of a board of rows x columns boxes.
    """
    names = tuple([text[start : start + 3] for start in range(0, len(text), 3)])
    for name in names or ("",):
        if not is_edge(name, rows, columns):
            raise RemoteProtocolError(field=field, expected=f"an edge of {rows} x {columns} boxes", received=repr(name))
    if len(names) > MOST_EDGES:
        raise RemoteProtocolError(field=field, expected=f"at most {MOST_EDGES} edges", received=str(len(names)))
    return names


# The contest platform's wire: lines of text.
#
#     judge                              bot
#     name?                              name NAME
#     board RxC | board RxC EDGES        only from our own judge, before `new`: see Board
#     new black | new white              black: move K EDGES, at once
#     move K EDGES                       move K EDGES
#     error | end | quit
#
# K is the number of edges, EDGES their names one after another. The older platform left K out, so both forms are read;
# K is always written. One or more blanks separate words.
#
# A line ends with LF, CR or NUL: version 1.2 of the platform sent the NUL that ends a string in C with every message,
# later ones do not. A message that is complete without a line end (all but a board and a turn without K) is read at
# once, because it is unknown how the platform ends its last message, `quit`.
#
# Evidence: the platform's CEngine.cpp (v1.2) and CDotsAndBoxes.cpp; Selflocking/DotsAndBoxes, test/xieyi.cpp, an engine
# that plays on it.

BLANKS = b" \t\n\r\v\f\0"
LONGEST_LINE = 2048  # bytes, the limit of a bot's frame too; a board with all its edges takes a quarter
LONGEST_NAME = 60  # characters of a bot's name, so that it fits a line of the screen

_LINE_ENDS = bytes.maketrans(b"\r\0", b"\n\n")
_SINGLE_WORDS: dict[str, NameQuery | Complaint | End | Quit] = {
    "name?": NameQuery(),
    "error": Complaint(),
    "end": End(),
    "quit": Quit(),
}
_MESSAGES = "name?, board, new, move, error, end or quit"


def encode_message(message: JudgeMessage) -> bytes:
    """Return a judge's message (bytes). Raises LocalProtocolError if it may not be sent."""
    for word, single in _SINGLE_WORDS.items():
        if type(message) is type(single):
            return word.encode("ascii") + b"\n"
    if type(message) is New and message.side in (0, 1):
        return b"new %s\n" % COLOURS[message.side].encode("ascii")
    if type(message) is Turn:
        return _move_line(message.edges)
    if type(message) is Board:
        return _board_line(*message)
    raise LocalProtocolError(f"cannot send {message!r}")


def encode_name(name: str) -> bytes:
    """Return a bot's answer to `name?` (bytes).

    Raises LocalProtocolError unless the name is a word of 1 to LONGEST_NAME printable ASCII characters.
    """
    if not (0 < len(name) <= LONGEST_NAME and all("!" <= letter <= "~" for letter in name)):
        raise LocalProtocolError(f"name: expected a word of ASCII characters, got {name!r}")
    return b"name %s\n" % name.encode("ascii")


def _move_line(edges: Iterable[str]) -> bytes:
    edges = _checked_names(edges, *(SIZES[1],) * 2)
    if not edges:
        raise LocalProtocolError("a turn: expected an edge at least")
    return b"move %d %s\n" % (len(edges), "".join(edges).encode("ascii"))


def _board_line(rows: int, columns: int, edges: Iterable[str]) -> bytes:
    for number in (rows, columns):
        if type(number) is not int or not SIZES[0] <= number <= SIZES[1]:
            raise LocalProtocolError(f"board: expected {SIZES[0]} to {SIZES[1]} boxes, got {number!r}")
    edges = "".join(_checked_names(edges, rows, columns))
    return f"board {rows}x{columns} {edges}".rstrip().encode("ascii") + b"\n"


def _checked_names(edges: Iterable[str], rows: int, columns: int) -> tuple[str, ...]:
    edges = tuple(edges)
    for name in edges:
        if not is_edge(name, rows, columns):
            raise LocalProtocolError(f"expected an edge of {rows} x {columns} boxes, got {name!r}")
    if len(edges) > MOST_EDGES:
        raise LocalProtocolError(f"expected at most {MOST_EDGES} edges, got {len(edges)}")
    return edges


class _LineReader:
    """Base class that cuts bytes into lines, and skips blank ones; a subclass interprets the lines.

    A message that is complete before the end of its line is taken at once; only blanks may follow it on its line.
    """

    def __init__(self) -> None:
        self._pending = bytearray()  # CR and NUL are replaced by LF
        self._unclosed = False  # whether the last line was taken before its end

    @property
    def partial(self) -> bool:
        """True while a byte that is not blank has arrived and belongs to no returned message."""
        return bool(self._pending.strip(BLANKS))

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self._pending += data.translate(_LINE_ENDS)

    def _next_words(self, is_whole: Callable[[list[str]], bool]) -> list[str] | None:
        """Return the words of the next line (list of str), None until it is complete. Raises RemoteProtocolError.

        is_whole(words) says whether a line without its end, of at least one word, is a complete message.
        """
        while True:
            self._check_closed()
            end = self._pending.find(b"\n", 0, LONGEST_LINE + 1)
            if end < 0 and len(self._pending) > LONGEST_LINE:
                raise FrameTooLong(
                    field="line",
                    expected=f"at most {LONGEST_LINE} bytes",
                    received=str(len(self._pending)),
                )
            line = bytes(self._pending[:end] if end >= 0 else self._pending)
            words = [word.decode("latin-1") for word in line.split()]
            if end < 0 and not (words and is_whole(words)):
                return None
            self._unclosed = end < 0
            del self._pending[: len(line) + (end >= 0)]
            if words:
                return words

    def _check_closed(self) -> None:
        while self._unclosed and self._pending:
            if not self._pending[:1].isspace():
                raise RemoteProtocolError(
                    field="message", expected="the end of its line", received=excerpt(self._pending)
                )
            self._unclosed = self._pending[:1] != b"\n"
            del self._pending[:1]


class _PlatformReader(_LineReader):
    """Reads the judge's messages. After an error, read() must not be called again."""

    def expected(self) -> str:
        """Return the name of the part of a message that the next byte belongs to."""
        return "message"

    def read(self) -> JudgeMessage | None:
        """Return the next message, or None until it is complete. Raises RemoteProtocolError naming the field."""
        words = self._next_words(_is_whole_message)
        return None if words is None else _message(words)


class _ReplyReader(_LineReader):
    """Reads a bot's replies; skips its name once, before the first reply.

    After an error, read() must not be called again.
    """

    def __init__(self) -> None:
        super().__init__()
        self._may_name_itself = True

    @property
    def unread(self) -> bytes:
        """The bytes after the last returned reply or the bot's name."""
        return bytes(self._pending)

    @property
    def partial(self) -> bool:
        """True while the bytes after the last reply or the bot's name are neither blank nor the start of its name."""
        pending = bytes(self._pending.lstrip(BLANKS))
        begins_name = self._may_name_itself and (b"name " + pending[5:]).startswith(pending)
        return bool(pending) and not begins_name

    def read(self) -> Reply | None:
        """Return the next Reply, or None until it is complete. Raises RemoteProtocolError naming the field."""
        while True:
            words = self._next_words(_is_whole_move)
            if words is None:
                return None
            is_name = words[0] == "name" and len(words) > 1
            if not (is_name and self._may_name_itself):
                self._may_name_itself = False
                return Reply(_move_edges(words))
            self._may_name_itself = False


def _is_whole_message(words: list[str]) -> bool:
    return words[0] in _SINGLE_WORDS or (words[0] == "new" and words[-1] in COLOURS) or _is_whole_move(words)


def _is_whole_move(words: list[str]) -> bool:
    """Return whether the words are a turn that names the number K of its edges, and has at least K edges."""
    return words[0] == "move" and len(words) == 3 and 0 < 3 * _count(words[1]) <= len(words[2])


def _count(word: str) -> int:
    """Return K, the number of edges, from a word; LONGEST_LINE, an impossible number, if the word is malformed."""
    return int(word) if word.isdecimal() and len(word) <= 3 else LONGEST_LINE


def _message(words: list[str]) -> JudgeMessage:
    """Return the message in the words of a line (at least one word). Raises RemoteProtocolError."""
    kind = words[0]
    if kind in _SINGLE_WORDS and len(words) == 1:
        return _SINGLE_WORDS[kind]
    if kind == "new":
        if len(words) != 2 or words[1] not in COLOURS:
            raise _wrong("new", "black or white", words[1:])
        return New(COLOURS.index(words[1]))
    if kind == "board":
        return _board(words[1:])
    if kind == "move":
        return Turn(_move_edges(words))
    raise _wrong("message", _MESSAGES, words)


def _move_edges(words: list[str]) -> tuple[str, ...]:
    """Return the edges' names of a turn's line, with or without K. Raises RemoteProtocolError."""
    if words[0] != "move":
        raise _wrong("message", "move", words)
    if len(words) == 2:
        return edges_from(words[1], "move")
    if len(words) != 3:
        raise _wrong("move", "a number of edges and their names", words[1:])
    edges = edges_from(words[2], "move")
    if _count(words[1]) != len(edges):
        raise _wrong("move", f"{len(edges)}, the number of edges that follow", words[1:2])
    return edges


def _board(words: list[str]) -> Board:
    numbers = words[0].split("x") if words else []
    digits = [str(number) for number in range(SIZES[0], SIZES[1] + 1)]
    if len(words) > 2 or len(numbers) != 2 or not all(number in digits for number in numbers):
        raise _wrong("board", f"RxC, each from {SIZES[0]} to {SIZES[1]}, perhaps with edges", words)
    rows, columns = map(int, numbers)
    return Board(rows, columns, edges_from(words[1], "board", rows, columns) if len(words) == 2 else ())


def _wrong(field: str, expected: str, words: Iterable[str]) -> RemoteProtocolError:
    received = " ".join(words).encode("latin-1")
    return RemoteProtocolError(field=field, expected=expected, received=excerpt(received))


# Botzone's wires, where the game is called Pencil; protocol/botzone/__init__.py describes the messages.
#
#     request       {"x":2,"y":3,"pass":0}     2 3 0       the edge that the other side drew
#     response      {"x":3,"y":4}              3 4         one edge; a turn that completes boxes takes several responses
#
# The board of 5 x 5 boxes is a grid of 11 x 11 in which dots, edges and boxes alternate: an edge is where x + y is odd.
# -1 -1 means no edge. It is the first request to black, and the request to a side that has completed a box and moves
# again. It is also the response to a request whose `pass` is 1: that request reports an edge after which the side that
# drew it moves again.
#
# Two facts are known at second hand only: that x counts columns (if it counts rows, the board is mirrored and every
# edge's kind exchanged, which is the same game), and that the grid is of 11 x 11.

GRID = 2 * DEFAULT_SIZE[0] + 1  # places in a row or column

NO_EDGE = (-1, -1)
_NUMBERS = {b"%d" % number: number for number in range(-1, GRID)}


def edge_at(x: int, y: int) -> str:
    """Return the name of the edge at column x and row y of the grid. Raises LocalProtocolError if no edge is there."""
    if not (0 <= x < GRID and 0 <= y < GRID and (x + y) % 2):
        raise LocalProtocolError(f"expected an edge's place in a grid of {GRID} x {GRID}, got {x!r}, {y!r}")
    column, row = LETTERS[x // 2], LETTERS[y // 2]
    return "B" + column + row if x % 2 == 0 else "A" + row + column


def place_of(edge: str) -> tuple[int, int]:
    """Return (x, y) in the grid of the edge with this name. Raises LocalProtocolError if Botzone's board has none."""
    if not is_edge(edge, *DEFAULT_SIZE):
        rows, columns = DEFAULT_SIZE
        raise LocalProtocolError(f"expected an edge of {rows} x {columns} boxes, got {edge!r}")
    line, place = 2 * LETTERS.index(edge[1]), 2 * LETTERS.index(edge[2]) + 1
    return (line, place) if edge[0] == "B" else (place, line)


class BotzoneMoves:
    """Writes and reads a move in either form: a request (x, y, passed), passed 0 or 1, or a response (x, y).

    The name `field` of a request starts with "request". If the place is neither an edge nor NO_EDGE, writing raises
    LocalProtocolError and reading RemoteProtocolError, with names that start with `field`. The rules are not checked.
    """

    def to_json(self, move: Sequence[int], field: str) -> dict[str, int]:
        """Return the move as a dict for JSON."""
        return dict(zip(("x", "y", "pass"), _sendable(move, field)))

    def from_json(self, value: object, field: str) -> tuple[int, ...]:
        """Return the move of a value read from JSON; other keys are ignored, and a missing `pass` is 0."""
        if type(value) is not dict:
            raise RemoteProtocolError(field=field, expected="an object with x and y", received=kind_of(value))
        numbers: list[Any] = [value.get("x"), value.get("y")]
        if _is_request(field):
            numbers.append(int(value["pass"]) if type(value.get("pass")) is bool else value.get("pass", 0))
        for key, number in zip(("x", "y", "pass"), numbers):
            if type(number) is not int:  # exactly int: JSON's true and false would pass as 1 and 0
                raise RemoteProtocolError(field=f"{field}.{key}", expected="an integer", received=kind_of(number))
        return _checked(tuple(numbers), field)

    def to_line(self, move: Sequence[int], field: str) -> bytes:
        """Return the move as a line without its end (bytes)."""
        return b" ".join([b"%d" % number for number in _sendable(move, field)])

    def from_line(self, line: bytes, field: str) -> tuple[int, ...]:
        """Return the move in a line (bytes)."""
        tokens = line.split()
        count = 3 if _is_request(field) else 2
        if len(tokens) != count or not all(token in _NUMBERS for token in tokens):
            expected = f"{count} integers from -1 to {GRID - 1}"
            raise RemoteProtocolError(field=field, expected=expected, received=excerpt(line))
        return _checked(tuple([_NUMBERS[token] for token in tokens]), field)

    def is_whole(self, line: bytes) -> bool:
        """Return whether a line without its end is a complete request: its last number, `pass`, has only one digit."""
        tokens = line.split()
        return len(tokens) == 3 and all(token in _NUMBERS for token in tokens)


def _is_request(field: str) -> bool:
    return field.startswith("request")


def _sendable(move: Sequence[int], field: str) -> tuple[int, ...]:
    """Return the move's numbers. Raises LocalProtocolError if they may not be sent."""
    try:
        numbers = tuple(map(index, move))
        if len(numbers) != (3 if _is_request(field) else 2):
            raise ValueError("wrong number of numbers")
        return _checked(numbers, field)
    except (TypeError, ValueError, RemoteProtocolError) as error:
        raise LocalProtocolError(f"cannot send {field} {move!r}: {error}") from None


def _checked(numbers: tuple[int, ...], field: str) -> tuple[int, ...]:
    """Return the numbers of a move. Raises RemoteProtocolError if they are not a move."""
    ranges = (("x", -1, GRID - 1), ("y", -1, GRID - 1), ("pass", 0, 1))
    check_ranges([Field(f"{field}.{name}", low, high) for name, low, high in ranges], numbers)
    x, y = numbers[:2]
    if (x, y) != NO_EDGE and ((x + y) % 2 == 0 or -1 in (x, y)):
        raise RemoteProtocolError(field=field, expected="an edge's place, x + y odd, or -1 -1", received=f"{x} {y}")
    return numbers


botzone = BotzoneGame(BotzoneMoves())


# What bots and judges call.


def encode_reply(edges: Sequence[str], wire: str, keep_running: bool = False) -> bytes:
    """Return a bot's answer (bytes) for edges' names in the order in which they are drawn.

    wire: any but "auto". On the platform's wire the edges are a whole turn; on Botzone's, one edge or none for a pass.
    keep_running: whether the process asks Botzone to let it run until the next turn.
    Raises LocalProtocolError if the wire cannot express the edges.
    """
    if wire == "platform":
        return _move_line(edges)
    if len(edges) > 1:
        raise LocalProtocolError(f"Botzone asks for one edge at a time, got {edges!r}")
    return botzone.form(wire).encode_reply(place_of(edges[0]) if edges else NO_EDGE, keep_running)


class MessageDecoder(AnyWireDecoder):
    """The bot's decoder: bytes from the judge -> the platform's messages, or Botzone's Requests and NextRequests.

    A line is complete at its end (LF, CR or NUL), or with its last letter if that can be known (see the platform's wire
    above). Requests and a NextRequest are complete at their closing brace or last number.
    """

    BLANKS = BLANKS
    FIRST_BYTES = "a letter, { or a digit"

    @staticmethod
    def wire_name(first_byte: bytes) -> str | None:
        """Return the wire whose messages begin with this byte (bytes), None if there is none."""
        if first_byte.isalpha():
            return "platform"
        if first_byte.isdigit():
            return "botzone-simple"
        return "botzone" if first_byte == b"{" else None

    @staticmethod
    def reader(wire: str) -> MessageReader:
        """Return a new reader of that wire. Raises LocalProtocolError for an unknown wire."""
        if wire == "platform":
            return _PlatformReader()
        if wire in WIRES[2:]:
            return botzone.form(wire).message_reader()
        raise LocalProtocolError(f"wire: expected one of {', '.join(WIRES[1:])}, got {wire!r}")


class ReplyDecoder(StreamDecoder):
    """The judge's decoder on the platform's wire: bytes from a bot -> Replies; the bot's name is skipped.

    For Botzone's answers use botzone.answer_decoder.
    """

    THINGS = "replies"

    def __init__(self, wire: str = "platform") -> None:
        """Raises LocalProtocolError for any other wire."""
        super().__init__()
        if wire != "platform":
            raise LocalProtocolError(f"wire: expected platform, got {wire!r}")
        self._reader = _ReplyReader()

    @property
    def partial(self) -> bool:
        """True while the bytes after the last reply or the bot's name are neither blank nor the start of its name."""
        return self._reader.partial

    @property
    def unread(self) -> bytes:
        """The bytes after the last returned reply or the bot's name."""
        return self._reader.unread

    def next_reply(self) -> Reply | None:
        """Return the next Reply, or None until one is complete.

        Raises FrameTooLong for a line that is too long, RemoteProtocolError for one that is not a turn.
        """
        return self._latched(self._read)

    def _accept(self, data: bytes) -> None:
        self._reader.feed(data)

    def _read(self) -> Reply | None:
        return self._reader.read()

    def _check_end(self) -> None:
        if self.partial:
            raise RemoteProtocolError(field="move", expected="the rest of the line", received="end of input")
