"""Checks on the fields of a record, each with an error that names the field.

Not part of the ladder bundle.
"""

import math
import os
from collections.abc import Collection
from typing import Any, TypeVar

Entry = TypeVar("Entry")
LARGEST_S = 10**9  # of times: thirty years
LARGEST_COUNT = 2**63 - 1
LONGEST_NAME = 80  # characters of a key, in messages


class RecordError(Exception):
    """A record is not what the record module writes; the message names the field (and a file's line).

    Names in it are those of the file: what a terminal would obey is escaped. `path` is the file, None where there is
    none, and `line` the number, from 1, of its line that is wrong, None where it is the file as a whole.
    """

    def __init__(self, message: str, path: str | os.PathLike[str] | None = None, line: int | None = None) -> None:
        super().__init__("".join(map(_printable, message)))
        self.path, self.line = path, line


def _printable(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def expect(condition: bool, name: str, expected: object, received: object) -> None:
    """Raise RecordError unless `condition` holds."""
    if not condition:
        raise RecordError(f"{name:.{LONGEST_NAME}}: expected {expected}, got {received!r:.200}")


def check_text(name: str, value: object, optional: bool = False) -> None:
    """Raise RecordError unless `value` is a str (or None if `optional`)."""
    expect(isinstance(value, str) or (optional and value is None), name, "a string", value)


def check_integer(name: str, value: object, optional: bool = False) -> None:
    """Raise RecordError unless `value` is an int and no bool (or None if `optional`)."""
    expect(type(value) is int or (optional and value is None), name, "an integer", value)


def check_count(name: str, value: Any) -> None:
    """Raise RecordError unless `value` is an int (no bool) from 0 to LARGEST_COUNT."""
    expect(type(value) is int and 0 <= value <= LARGEST_COUNT, name, "an integer of at least 0", value)


def check_seconds(name: str, value: Any, optional: bool = False) -> None:
    """Raise RecordError unless `value` is a number of seconds from 0 to LARGEST_S (or None if `optional`)."""
    if not (optional and value is None):
        number = type(value) in (int, float) and math.isfinite(value) and 0 <= value <= LARGEST_S
        expect(number, name, f"a finite number of seconds, not negative, at most {LARGEST_S}", value)


def check_object(name: str, value: object, optional: bool = False) -> None:
    """Raise RecordError unless `value` is a dict (or None if `optional`)."""
    expect(isinstance(value, dict) or (optional and value is None), name, "an object", value)


def checked_tuple(name: str, values: Any, kind: type[Entry]) -> tuple[Entry, ...]:
    """Return the list or tuple `values` as a tuple; raises RecordError unless all are of type `kind`."""
    expect(isinstance(values, (list, tuple)), name, "a list", values)
    for position, value in enumerate(values):
        expect(type(value) is kind, f"{name}[{position}]", f"of type {kind.__name__}", value)
    return tuple(values)


def check_keys(content: dict[str, Any], required: Collection[str], optional: Collection[str]) -> None:
    """Raise RecordError for the first key of the dict `content` that is missing or unknown."""
    for name in required:
        expect(name in content, name, "in the record", "no such key")
    for name in content:
        expect(name in required or name in optional, name, "no key of this name", content[name])
