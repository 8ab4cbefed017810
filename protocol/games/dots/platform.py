r"""Dots and boxes on the contest platform's wire: lines of text, both directions, without I/O.

    judge                              bot
    name?                              name NAME
    board RxC | board RxC EDGES        only from our own judge, before `new`: see messages.Board
    new black | new white              black: move K EDGES, at once
    move K EDGES                       move K EDGES
    error | end | quit

K is the number of edges, EDGES their names one after another (messages.py). The older platform left K out, so both
forms are read; K is always written. One or more blanks separate words.

A line ends with LF, CR or NUL: version 1.2 of the platform sent the NUL that ends a string in C with every message,
later ones do not. A message that is complete without a line end (all but a board and a turn without K) is read at
once, because it is unknown how the platform ends its last message, `quit`.

Evidence: the platform's CEngine.cpp (v1.2) and CDotsAndBoxes.cpp; Selflocking/DotsAndBoxes, test/xieyi.cpp, an engine
that plays on it.
"""

from __future__ import annotations

from protocol.errors import FrameTooLong, LocalProtocolError, RemoteProtocolError, excerpt
from protocol.games.dots.messages import (
    COLOURS,
    MOST_EDGES,
    SIZES,
    Board,
    Complaint,
    End,
    NameQuery,
    New,
    Quit,
    Reply,
    Turn,
    edges_from,
    is_edge,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    JudgeMessage = NameQuery | Board | New | Turn | Complaint | End | Quit

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


def encode_reply(edges: Iterable[str]) -> bytes:
    """Return a bot's turn (bytes) of edges' names in order. Raises LocalProtocolError for wrong names or no edge."""
    return _move_line(edges)


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
    """Base class that cuts bytes into lines that are not blank; a subclass interprets them.

    A message that is complete before its line's end is taken at once; only blanks may follow it on its line.
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
        """Return the next line's words (list of str), None until it is complete. Raises RemoteProtocolError."""
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


class PlatformReader(_LineReader):
    """Reads the judge's messages. After an error, read no further."""

    def expected(self) -> str:
        """Name the part of the message that the next byte belongs to."""
        return "message"

    def read(self) -> JudgeMessage | None:
        """Return the next message, or None until it is complete. Raises RemoteProtocolError naming the field."""
        words = self._next_words(_is_whole_message)
        return None if words is None else _message(words)


class ReplyReader(_LineReader):
    """Reads a bot's replies; skips its name once, before the first reply. After an error, read no further."""

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
    """Return whether the line is a turn with K and has at least K edges."""
    return words[0] == "move" and len(words) == 3 and 0 < 3 * _count(words[1]) <= len(words[2])


def _count(word: str) -> int:
    """Return K, the number of edges, from its word; LONGEST_LINE, an impossible number, for a malformed word."""
    return int(word) if word.isdecimal() and len(word) <= 3 else LONGEST_LINE


def _message(words: list[str]) -> JudgeMessage:
    """Return the message of a line's words, at least one. Raises RemoteProtocolError."""
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
