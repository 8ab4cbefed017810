"""Converts between sequences of small integers and bytes, in which blanks separate the numbers; without I/O.

The bytes may come in pieces. A number has no plus sign and no leading zero. Blanks are the ASCII ones: space, tab, LF,
CR, VT, FF.
"""

from __future__ import annotations

from protocol.errors import LocalProtocolError, RemoteProtocolError, excerpt
from protocol.value_types import ValueType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Field(ValueType):
    """One integer of a message: its name in error messages, its least and its greatest value."""

    name: str
    low: int
    high: int


def describe_range(field: Field) -> str:
    """Return a description of the integers that `field` accepts."""
    if field.low == field.high:
        return str(field.low)
    return f"an integer from {field.low} to {field.high}"


def check_ranges(fields: Iterable[Field], numbers: Iterable[int]) -> None:
    """Raise RemoteProtocolError for the first of `numbers` outside its field's range.

    Precondition: `numbers` are ints, one per field.
    """
    for field, number in zip(fields, numbers):
        if not field.low <= number <= field.high:
            raise RemoteProtocolError(field=field.name, expected=describe_range(field), received=str(number)[:24])


def encode_integers(numbers: Iterable[int]) -> bytes:
    """Return `numbers` in decimal, separated by single spaces and closed by LF (bytes)."""
    return b" ".join([b"%d" % number for number in numbers]) + b"\n"


class IntegerMessage:
    """The layout of one message: its fields in order, and its end.

    With `needs_blank` the message is complete only at a blank after its last number. Otherwise it is
    complete with the last number itself, which must then be a single digit; a byte other than a blank
    directly after it is an error.
    """

    def __init__(self, fields: Iterable[Field], needs_blank: bool) -> None:
        fields = tuple(fields)
        if not needs_blank and not 0 <= fields[-1].low <= fields[-1].high <= 9:
            raise LocalProtocolError(f"{fields[-1].name}: a message that no blank closes must end in one digit")
        self.fields = fields
        self.needs_blank = needs_blank
        low, high = min(field.low for field in fields), max(field.high for field in fields)
        self.values = {b"%d" % value: value for value in range(low, high + 1)}
        self.beginnings = {token[:size] for token in self.values for size in range(1, len(token) + 1)}


class IntegerReader:
    """Reads messages of integers from a byte stream in pieces of any length.

    `feed` never raises RemoteProtocolError; `read` does, and must not be called again after that. `read` converts whole
    numbers at once, so an incomplete message takes only the memory of its numbers and a few bytes.
    """

    def __init__(self) -> None:
        self._pending = b""
        self._numbers: list[int] = []
        self._unclosed: Field | None = None  # the last field of the last message while no blank has followed it

    @property
    def partial(self) -> bool:
        """True while the bytes after the last returned message are not all blank."""
        return bool(self._numbers or self._pending.strip())

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        self._pending += data

    def read(self, message: IntegerMessage) -> tuple[int, ...] | None:
        """Return the numbers of the next message (tuple, one int per field), or None until it is complete.

        Precondition: `message` (IntegerMessage) stays the same until it has been returned.
        Raises RemoteProtocolError naming the field at the first byte that cannot belong to its number.
        """
        self._check_closed()
        wanted = len(message.fields) - len(self._numbers)
        tokens = self._pending.split(None, wanted)
        rest = tokens.pop() if len(tokens) > wanted else b""
        unclosed = b""
        if tokens and not rest and not self._pending[-1:].isspace():
            unclosed = tokens.pop()
        self._take(message, tokens)
        if unclosed:
            rest = self._take_unclosed(message, unclosed)
        self._pending = rest
        if len(self._numbers) < len(message.fields):
            return None
        numbers = tuple(self._numbers)
        self._numbers = []
        return numbers

    def expected(self, message: IntegerMessage) -> str:
        """Return the name of the field of `message` that the next byte belongs to."""
        return message.fields[len(self._numbers)].name

    def _check_closed(self) -> None:
        if self._unclosed is None or not self._pending:
            return
        if not self._pending[:1].isspace():
            raise RemoteProtocolError(
                field=self._unclosed.name, expected="a blank after its digit", received=excerpt(self._pending)
            )
        self._unclosed = None

    def _take(self, message: IntegerMessage, tokens: Iterable[bytes]) -> None:
        numbers, values = self._numbers, message.values
        for field, token in zip(message.fields[len(numbers) :], tokens):
            value = values.get(token)
            if value is None or not field.low <= value <= field.high:
                raise _wrong_number(field, token)
            numbers.append(value)

    def _take_unclosed(self, message: IntegerMessage, token: bytes) -> bytes:
        """Take the number in `token`, the last bytes received; return `token` if more digits may follow, else b""."""
        field = message.fields[len(self._numbers)]
        if field is message.fields[-1] and not message.needs_blank:
            self._take(message, [token])
            self._unclosed = field
            return b""
        if token not in message.beginnings:
            raise _wrong_number(field, token)
        return token


def _wrong_number(field: Field, token: bytes) -> RemoteProtocolError:
    return RemoteProtocolError(field=field.name, expected=describe_range(field), received=excerpt(token))
