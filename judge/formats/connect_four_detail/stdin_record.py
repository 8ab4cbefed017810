"""What a bot was sent, byte for byte: how its lines end, and the messages in them."""

import collections
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from judge.language import recorded
from protocol.errors import RemoteProtocolError
from protocol.games.connect_four import MessageDecoder, Opening, Turn

WIRE = "saiblo"
BLANKS = b" \t\r\v\f"
BLANK_NAMES = {
    ord(" "): "blank",
    ord("\t"): "tab",
    ord("\r"): "CR",
    ord("\n"): "LF",
    ord("\v"): "VT",
    ord("\f"): "FF",
}
EXPECTED_BYTES = b"-0123456789 "  # of a line, its end apart
IN_OPENING = recorded("in the opening: {error}")
IN_TURN = recorded("in turn {turn}: {error}")
DOUBLE_BLANK = re.compile(rb"[ \t]{2,}")


@dataclass(frozen=True)
class Stream:
    """The messages sent to one seat: an Opening (None before one is complete) and Turns.

    `after` holds the bytes behind the last whole message. `fault_byte` is where the byte from which nothing could be
    read lies (from 0), `fault` says why; both are None where all could be read.
    """

    opening: Opening | None
    turns: tuple[Turn, ...]
    after: bytes
    fault_byte: int | None = None
    fault: str | None = None


def read_stream(data: bytes) -> Stream:
    """The Stream in a seat's stdin (bytes)."""
    decoder = MessageDecoder(WIRE)
    messages: list[Any] = []
    end = place = 0
    try:
        # One byte at a time, so that the place of an error is known.
        for place in range(len(data)):
            decoder.feed(data[place : place + 1])
            message = decoder.next_message()
            if message is not None:
                messages.append(message)
                end = place + 1
        place = len(data)
        decoder.end()
    except RemoteProtocolError as error:
        start = place if place == len(data) else _number_start(data, place)
        number = len(messages) - (start < end)  # the opening is 0; a digit may stick to the last message
        fault = IN_TURN.format(turn=number, error=error) if number else IN_OPENING.format(error=error)
        return Stream(*_parted(messages), data[end:], start, fault)
    return Stream(*_parted(messages), data[end:])


def _parted(messages: Sequence[Any]) -> tuple[Opening | None, tuple[Turn, ...]]:
    return (messages[0] if messages else None), tuple(messages[1:])


def _number_start(data: bytes, place: int) -> int:
    """Where the number begins that the byte at `place` belongs to or closes."""
    while place > 0 and data[place - 1 : place].strip():
        place -= 1
    return place


def line_facts(data: bytes) -> dict[str, Any]:
    """How the lines of a seat's stdin (bytes) are written, as a JSON object's content.

    lines: closed by LF; line_ends: {what a line ends with, such as "blank CR LF": lines}; empty_lines: those with
    blanks at most; leading_blanks: other lines that begin with a blank; double_blanks: places within lines where
    blanks follow each other; other_bytes: bytes within lines that are no digit, minus sign or space; unclosed_bytes:
    after the last LF.
    """
    *lines, rest = data.split(b"\n")
    bodies = [line.rstrip(BLANKS) for line in lines]
    ends = collections.Counter(in_words(line[len(body) :] + b"\n") for line, body in zip(lines, bodies, strict=True))
    bodies.append(rest)
    return {
        "bytes": len(data),
        "lines": len(lines),
        "line_ends": dict(ends.most_common()),
        "empty_lines": bodies[:-1].count(b""),
        "leading_blanks": sum(body[:1].isspace() for body in bodies),
        "double_blanks": sum(len(DOUBLE_BLANK.findall(body)) for body in bodies),
        "other_bytes": sum(len(body.translate(None, EXPECTED_BYTES)) for body in bodies),
        "unclosed_bytes": len(rest),
    }


def in_words(blanks: bytes) -> str:
    """Blank bytes by their names: b" \\r\\n" is "blank CR LF"."""
    words = []
    for byte, group in itertools.groupby(blanks):
        count = len(list(group))
        words.append(BLANK_NAMES[byte] if count == 1 else f"{count} x {BLANK_NAMES[byte]}")
    return " ".join(words)
