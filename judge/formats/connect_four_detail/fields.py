"""Typed looks into a JSON object of unknown content: what is not as expected becomes a problem, never an error."""

import base64
import binascii
from collections.abc import Callable
from typing import Any

from judge.formats.documents import AN_OBJECT, EXPECTED, NO_KEY, describe
from judge.formats.logged import Problem
from judge.language import recorded
from protocol.records.fields import LARGEST_S

LARGEST = 2**53  # no figure of a match comes near; up to here integers are exact as floats
_MISSING = object()
# What is expected, as problems have it.
A_STRING = recorded("a string")
AN_INTEGER = recorded("an integer")
AN_INTEGER_BETWEEN = recorded("an integer from {least} to {most}")
A_NUMBER = recorded("a number")
SECONDS = recorded("a number of seconds from 0 to {most}")
A_LIST = recorded("a list")
BASE64 = recorded("base64")
CUT_SHORT = recorded("the base64 is cut short: {number} characters, expected a multiple of 4")


class Fields:
    """A JSON object of the file. `place` names it in problems, such as "info[0].code"; "" is the file's own.

    Every look adds to `problems` and returns None where the key is missing or its value is of the wrong kind. A key
    that is `optional` may be missing or null.
    """

    def __init__(self, content: dict[str, Any], place: str, problems: list[Problem]) -> None:
        self.content, self.place, self.problems = content, place, problems

    def text(self, key: str, optional: bool = False) -> str | None:
        """The string at the key."""
        found: str | None = self._take(key, A_STRING, lambda value: isinstance(value, str), optional)
        return found

    def integer(self, key: str, optional: bool = False, least: int = -LARGEST, most: int = LARGEST) -> int | None:
        """The integer at the key, within its bounds."""
        expected = AN_INTEGER if least == -LARGEST else AN_INTEGER_BETWEEN.format(least=least, most=most)
        found: int | None = self._take(
            key, expected, lambda value: type(value) is int and least <= value <= most, optional
        )
        return found

    def number(self, key: str) -> float | None:
        """The finite number at the key."""
        found: float | None = self._take(key, A_NUMBER, _is_number_between(-LARGEST, LARGEST), optional=False)
        return found

    def seconds(self, key: str) -> float | None:
        """The time at the key, as a record may hold one."""
        expected = SECONDS.format(most=LARGEST_S)
        found: float | None = self._take(key, expected, _is_number_between(0, LARGEST_S), optional=False)
        return found

    def fields(self, key: str, optional: bool = False) -> "Fields | None":
        """The object at the key, as Fields."""
        content = self._take(key, AN_OBJECT, lambda value: isinstance(value, dict), optional)
        return None if content is None else Fields(content, self.name(key), self.problems)

    def values(self, key: str, optional: bool = False) -> list[Any]:
        """The list at the key; [] where there is none."""
        return self._take(key, A_LIST, lambda value: isinstance(value, list), optional) or []

    def objects(self, key: str, optional: bool = False) -> "list[Fields | None]":
        """The list at the key as Fields, None for an entry that is no object."""
        return [
            self.entry(f"{self.name(key)}[{number}]", value) for number, value in enumerate(self.values(key, optional))
        ]

    def entry(self, place: str, value: object) -> "Fields | None":
        """An object found at `place` as Fields, None for any other value."""
        if isinstance(value, dict):
            return Fields(value, place, self.problems)
        self.complain(place, AN_OBJECT, describe(value))
        return None

    def binary(self, key: str, optional: bool = False) -> bytes | None:
        """The bytes whose base64 is the string at the key."""
        text = self.text(key, optional)
        return None if text is None else decoded(text, self.name(key), self.problems)

    def name(self, key: str) -> str:
        """The place of the key."""
        return f"{self.place}.{key}" if self.place else key

    def complain(self, place: str, expected: str, found: str) -> None:
        """Add a problem."""
        self.problems.append(Problem(place, EXPECTED.format(expected=expected, found=found)))

    def _take(self, key: str, expected: str, accepts: Callable[[Any], bool], optional: bool) -> Any:
        value = self.content.get(key, _MISSING)
        if optional and (value is _MISSING or value is None):
            return None
        if value is not _MISSING and accepts(value):
            return value
        self.complain(self.name(key), expected, NO_KEY if value is _MISSING else describe(value))
        return None


def _is_number_between(least: int, most: int) -> Callable[[Any], bool]:
    return lambda value: type(value) in (int, float) and least <= value <= most


def decoded(text: str, place: str, problems: list[Problem]) -> bytes | None:
    """The bytes of base64 `text`. What is cut short is decoded as far as it goes; None if it is no base64."""
    text = "".join(text.split())
    whole = len(text) // 4 * 4
    try:
        data = base64.b64decode(text[:whole], validate=True)
    except (binascii.Error, ValueError):
        problems.append(Problem(place, EXPECTED.format(expected=BASE64, found=describe(text))))
        return None
    if whole < len(text):
        problems.append(Problem(place, CUT_SHORT.format(number=len(text))))
    return data
