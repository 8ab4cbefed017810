"""JSON of others, read so that nothing of it surprises whoever writes, counts or shows it later.

Beside what is no JSON at all, brackets nested too deep and odd numbers are refused: NaN, infinities (1e400 is one) and
integers of very many digits. Not part of the ladder bundle.
"""

import json
import math
import re
from typing import Any

MOST_DIGITS = 64  # of an integer
BEYOND = 10**MOST_DIGITS
SHOWN_CHARACTERS = 24  # of a name
SURROGATE = re.compile("[\ud800-\udfff]")  # half of a character; no encoding has it
TOO_DEEP = "expected brackets at most {most} deep"
REPLACEMENT = "\ufffd"


class OddNumber(ValueError):
    """A number that no record may hold; str() names its place first."""


def loads(text: str | bytes, most_nested: int) -> Any:
    """The value of a JSON text (str, or UTF-8 with or without a byte order mark), at most so many brackets deep.

    Raises ValueError saying what is wrong with it, OddNumber for such a number.
    """
    try:
        value = json.loads(text.decode("utf-8-sig") if isinstance(text, bytes) else text)
    except RecursionError:
        raise ValueError(TOO_DEEP.format(most=most_nested)) from None
    check(value, most_nested)
    return value


def check(value: Any, most_nested: int) -> None:
    """Raise ValueError unless a value of dicts, lists and the like could stand in such a text; see loads()."""
    if not _is_nested_at_most(value, most_nested):
        raise ValueError(TOO_DEEP.format(most=most_nested))
    found = _odd_number(value)
    if found is not None:
        place, number = found
        expected = f"expected a finite number of at most {MOST_DIGITS} digits"
        raise OddNumber(f"{place.lstrip('.') or 'value'}: {expected}, got {number}")


def without_surrogates(value: Any) -> Any:
    """The value with lone surrogates in its strings replaced by U+FFFD. Precondition: not nested too deep."""
    if isinstance(value, str):
        return SURROGATE.sub(REPLACEMENT, value)
    if isinstance(value, dict):
        return {without_surrogates(name): without_surrogates(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_surrogates(entry) for entry in value]
    return value


def _odd_number(value: Any) -> tuple[str, str] | None:
    """(its place, as in ".moves[1].wall_s", it as text) of the first odd number; None where there is none."""
    if isinstance(value, float):
        return None if math.isfinite(value) else ("", str(value))
    if isinstance(value, int):
        return None if -BEYOND < value < BEYOND else ("", f"one of {value.bit_length()} bits")
    entries: Any = ()
    if isinstance(value, dict):
        entries = ((f".{name:.{SHOWN_CHARACTERS}}", entry) for name, entry in value.items())
    elif isinstance(value, list):
        entries = ((f"[{index}]", entry) for index, entry in enumerate(value))
    for place, entry in entries:
        if isinstance(entry, str):
            continue
        found = _odd_number(entry)
        if found is not None:
            return place + found[0], found[1]
    return None


def _is_nested_at_most(value: Any, most: int) -> bool:
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(most):
        inside = (entry.values() if isinstance(entry, dict) else entry for entry in level)
        level = [entry for entries in inside for entry in entries if isinstance(entry, (dict, list))]
    return not level
