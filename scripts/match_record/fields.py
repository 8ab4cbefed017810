"""Typed looks into a JSON object of unknown content: what is not as expected becomes a line, never an error."""

import base64
import binascii

from match_record.document import describe

LARGEST = 2**53  # no figure of a match comes near; up to here integers are exact as floats
_MISSING = object()


class Fields:
    """A JSON object of the file. `place` names it in problems, such as "info[0].code"; "" is the file's own.

    Every look adds a line to `problems` (list of str) and returns None where the key is missing or its value is
    of the wrong kind. A key that is `optional` may be missing or null.
    """

    def __init__(self, content, place, problems):
        self.content, self.place, self.problems = content, place, problems

    def text(self, key, optional=False):
        """The string at the key."""
        return self._take(key, "a string", lambda value: isinstance(value, str), optional)

    def integer(self, key, optional=False, least=-LARGEST, most=LARGEST):
        """The integer at the key, within its bounds."""
        expected = "an integer" if least == -LARGEST else f"an integer from {least} to {most}"
        return self._take(key, expected, lambda value: type(value) is int and least <= value <= most, optional)

    def number(self, key, optional=False, least=-LARGEST):
        """The finite number at the key."""

        def accepts(value):
            return type(value) in (int, float) and least <= value <= LARGEST

        return self._take(key, "a number" if least else "a number of 0 or more", accepts, optional)

    def fields(self, key, optional=False):
        """The object at the key, as Fields."""
        content = self._take(key, "an object", lambda value: isinstance(value, dict), optional)
        return None if content is None else Fields(content, self.name(key), self.problems)

    def values(self, key, optional=False):
        """The list at the key; [] where there is none."""
        return self._take(key, "a list", lambda value: isinstance(value, list), optional) or []

    def objects(self, key, optional=False):
        """The list at the key as Fields, None for an entry that is no object."""
        return [
            self.entry(f"{self.name(key)}[{number}]", value) for number, value in enumerate(self.values(key, optional))
        ]

    def entry(self, place, value):
        """An object found at `place` as Fields, None for any other value."""
        if isinstance(value, dict):
            return Fields(value, place, self.problems)
        self.problems.append(f"{place}: expected an object, got {describe(value)}")
        return None

    def binary(self, key, optional=False):
        """The bytes whose base64 is the string at the key."""
        text = self.text(key, optional)
        return None if text is None else decoded(text, self.name(key), self.problems)

    def name(self, key):
        """The place of the key."""
        return f"{self.place}.{key}" if self.place else key

    def _take(self, key, expected, accepts, optional):
        value = self.content.get(key, _MISSING)
        if optional and (value is _MISSING or value is None):
            return None
        if value is not _MISSING and accepts(value):
            return value
        found = "no such key" if value is _MISSING else describe(value)
        self.problems.append(f"{self.name(key)}: expected {expected}, got {found}")
        return None


def decoded(text, place, problems):
    """The bytes of base64 `text`. What is cut short is decoded as far as it goes; None if it is no base64."""
    text = "".join(text.split())
    whole = len(text) // 4 * 4
    try:
        data = base64.b64decode(text[:whole], validate=True)
    except (binascii.Error, ValueError):
        problems.append(f"{place}: expected base64, got {describe(text)}")
        return None
    if whole < len(text):
        problems.append(f"{place}: the base64 is cut short: {len(text)} characters, expected a multiple of 4")
    return data
