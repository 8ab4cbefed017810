"""The text of a file in whatever Unicode encoding, and the JSON values in it, whatever follows them."""

import codecs
import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from judge.language import recorded

BLANKS = re.compile(r"\s*")
LEAST_SHARE_OF_NULS = 4  # one byte in so many: the Latin letters of UTF-16 have more
QUOTED = 40  # characters of a value in a message
# Problems, as JSON keeps them.
EXPECTED = recorded("expected {expected}, got {found}")
JSON_OBJECT = recorded("a JSON object")
EMPTY_FILE = recorded("an empty file")
NO_JSON = recorded("no JSON: {error}")
UNREADABLE = recorded("JSON that cannot be read: {error}")
AN_OBJECT = recorded("an object")
LIST_OF = recorded("a list of {number}")
JUNK = recorded("{number} bytes after the JSON are left out")
NO_KEY = recorded("no such key")


class NotThisForm(Exception):
    """A record cannot be written in the form asked for; str() says why, as a problem's text."""


class DocumentError(Exception):
    """The text holds no JSON value of the kind expected; str() says what it holds instead."""


@dataclass(frozen=True)
class Value:
    """A JSON value of a file: `start` and `end` are its places in the text."""

    content: Any
    start: int
    end: int


class Source:
    """A file's bytes, and its text: UTF-8, UTF-16 or UTF-32, which shells of some systems write downloads in."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        # Bytes that are none in the encoding are replaced.
        self.text = data.decode(_encoding(data), "replace").removeprefix("\ufeff")

    @cached_property
    def values(self) -> list[Value]:
        """The JSON objects and lists that the text begins with, up to the first thing that is none."""
        return self._parsed[0]

    @cached_property
    def fault(self) -> str:
        """Why the text does not begin with a JSON object or list, as a problem's text; "" where it does."""
        return "" if self.values else self._parsed[1]

    @cached_property
    def rest(self) -> str:
        """What follows the values."""
        return self.text[self.values[-1].end if self.values else 0 :].strip()

    @cached_property
    def lines(self) -> list[str]:
        """The text's lines, without their ends."""
        return self.text.splitlines()

    def line_of(self, place: int) -> int:
        """The number, from 1, of the line in which a place of the text lies."""
        return self.text.count("\n", 0, place) + 1

    @cached_property
    def _parsed(self) -> tuple[list[Value], str]:
        """The values, and why no further one follows."""
        found: list[Value] = []
        end = 0
        while True:
            start = _behind_blanks(self.text, end)
            if start == len(self.text):
                return found, EXPECTED.format(expected=JSON_OBJECT, found=EMPTY_FILE)
            try:
                content, end = json.JSONDecoder().raw_decode(self.text, start)
            except (ValueError, RecursionError) as error:
                return found, parse_fault(error)
            if not isinstance(content, (dict, list)):
                return found, _got(content)
            found.append(Value(content, start, end))


def object_of(text: str) -> dict[str, Any]:
    """The JSON object that a text within a file begins with. Raises DocumentError."""
    try:
        content, _end = json.JSONDecoder().raw_decode(text, _behind_blanks(text, 0))
    except (ValueError, RecursionError) as error:
        raise DocumentError(parse_fault(error)) from None
    if not isinstance(content, dict):
        raise DocumentError(_got(content))
    return content


def _encoding(data: bytes) -> str:
    """The encoding of a file: by its first bytes, unless these are NULs of a text in UTF-8."""
    found = json.detect_encoding(data)
    is_marked = data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF32_BE))
    is_wide = data.count(0) * LEAST_SHARE_OF_NULS >= len(data)
    return found if is_marked or is_wide else "utf-8"


def _behind_blanks(text: str, place: int) -> int:
    """The first place from this one on that is no blank."""
    return BLANKS.match(text, place).end()  # type: ignore[union-attr]  # it matches nothing too


def parse_fault(error: Exception) -> str:
    """What a parser says: that is no JSON; or digits by the thousand and brackets as deep, which it does not take."""
    form = NO_JSON if isinstance(error, json.JSONDecodeError) else UNREADABLE
    return EXPECTED.format(expected=JSON_OBJECT, found=form.format(error=error))


def _got(content: object) -> str:
    return EXPECTED.format(expected=JSON_OBJECT, found=describe(content))


def describe(value: object) -> str:
    """A JSON value in a few words."""
    if isinstance(value, dict):
        return AN_OBJECT
    if isinstance(value, list):
        return LIST_OF.format(number=len(value))
    if isinstance(value, str):
        return json.dumps(value[:QUOTED]) + ("..." if len(value) > QUOTED else "")
    return json.dumps(value)[:QUOTED]
