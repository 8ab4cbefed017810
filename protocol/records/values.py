"""Reads JSON that others wrote as declared types. The limits of all such input are declared here, and only here.

A type is declared as a msgspec Struct, with `Seconds`, `Count`, `Integer` and the like for its numbers. What is not
JSON, has another type, is nested too deep or has a number of too many digits is refused with a RecordError that names
the field, such as "moves[3].wall_s". Lone surrogates, which no encoding can hold, are replaced by U+FFFD.
This module is not part of the ladder bundle.
"""

import functools
import json
import math
import re
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from protocol.records.json_lines import LARGEST_S, SURROGATE, RecordError, without_surrogates

MOST_DIGITS = 64  # the most digits of an integer
BEYOND = 10**MOST_DIGITS
SHOWN_CHARACTERS, LONGEST_PLACE = 80, 200  # the most characters of a key and of a place that messages show
BYTE_ORDER_MARK = "\ufeff".encode()
HALF = re.compile(rb"\\u[dD][89a-fA-F]")  # half of a character, as JSON escapes it
TOO_DEEP = "expected less brackets inside each other"
NO_NUMBER = f"expected a finite number of at most {MOST_DIGITS} digits"
Seconds = Annotated[float, Meta(ge=0, le=LARGEST_S)]
Integer = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
SIDES = r"^[AB]\Z"
Side = Annotated[str, Meta(pattern=SIDES)]
Value = TypeVar("Value")
# msgspec's names of types, in the words of messages.
WORDS = {
    "int": "an integer",
    "float": "a number",
    "str": "a string",
    "bool": "true or false",
    "object": "an object",
    "array": "a list",
}
MISSING = re.compile(r"Object missing required field `(.*)`", re.DOTALL)
UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
TYPES = re.compile(r"`([^`]*)`")


def decoded(
    data: str | bytes, kind: type[Value], most_nested: int, place: str = "", allows_halves: bool = True
) -> Value:
    """Return the JSON text `data` (str, or UTF-8 with or without a byte order mark) as a value of the type `kind`.

    What `kind` does not declare (Any) may be nested `most_nested` deep. Raises RecordError for all else, which names
    the field; `place` is the name of the whole text, "" if it needs none. With `allows_halves` lone surrogates are
    replaced, without it they are refused.
    """
    data = (data.encode("utf-8", "replace") if isinstance(data, str) else data).removeprefix(BYTE_ORDER_MARK)
    try:
        if allows_halves and HALF.search(data):
            data = json.dumps(without_surrogates(json.loads(data))).encode()
        value: Value = _decoder(kind).decode(data)  # type: ignore[arg-type]  # every type is hashable
    except RecursionError:
        raise _error(place, "", TOO_DEEP) from None
    except msgspec.ValidationError as error:
        raise _error(place, *_in_words(error)) from None
    except UnicodeDecodeError:
        text = data.decode("utf-8", "surrogateescape")
        number = next(number for number, character in enumerate(text, start=1) if SURROGATE.match(character))
        raise _error(place, "", f"expected UTF-8, character {number} is none") from None
    except ValueError as error:
        raise _error(place, "", f"expected one JSON object: {error}") from None
    if kind in (Any, dict[str, Any]):
        check(value, most_nested, place)
    return value


@functools.cache
def _decoder(kind: Any) -> Any:
    return msgspec.json.Decoder(kind)


def converted(value: Any, kind: type[Value], place: str = "", is_text: bool = False) -> Value:
    """Return `value`, which comes from JSON, as a value of the type `kind`.

    With `is_text` a text stands for the number in it. Raises RecordError, which names the field, if the value does not
    fit. `place` is the name of the value itself.
    """
    try:
        return msgspec.convert(value, kind, strict=not is_text)
    except msgspec.ValidationError as error:
        raise _error(place, *_in_words(error)) from None


def _error(place: str, inside: str, text: str) -> RecordError:
    """Return the error for a wrong value. `inside` is the place within the value that is called `place`."""
    path = f"{place}.{inside}" if place and inside[:1] not in ("", "[") else place + inside
    return RecordError(f"{path}: {text}" if path else text)


def _in_words(error: msgspec.ValidationError) -> tuple[str, str]:
    """Return (the name of the wrong field, such as "moves[3].wall_s", "" for the whole, what is wrong with it)."""
    text, _, place = str(error).rpartition(" - at `$")
    text, place = (text, place.rstrip("`").lstrip(".")) if text else (place, "")
    for pattern, told in ((MISSING, "expected such a key, got none"), (UNKNOWN, "expected no key of this name")):
        if found := pattern.fullmatch(text):
            return f"{place}.{found[1]:.{SHOWN_CHARACTERS}}".lstrip("."), told
    text = text.replace("Invalid enum value", "no such value:").replace(f"`str` matching regex {SIDES!r}", "A or B")
    told = TYPES.sub(lambda found: " or ".join(WORDS.get(name, name) for name in found[1].split(" | ")), text)
    return place, f"{told[:1].lower()}{told[1:LONGEST_PLACE]}"


def check(value: Any, most_nested: int, place: str = "") -> None:
    """Raise RecordError if `value`, which has no declared type, is nested deeper than `most_nested`.

    Raises it also for NaN, an infinite number or an integer of more than MOST_DIGITS digits. `place` is the name of
    `value` in the message.
    """
    found = _odd_in(value, most_nested)
    if found is not None:
        raise _error(place, found[0].lstrip("."), found[1])


def _odd_in(value: Any, most_nested: int) -> tuple[str, str] | None:
    """Return (the place in `value`, what is wrong) for the first thing that check() refuses, or None."""
    if isinstance(value, (dict, list)):
        if not most_nested:
            return "", TOO_DEEP
        for name, entry in value.items() if isinstance(value, dict) else enumerate(value):
            found = None if isinstance(entry, str) else _odd_in(entry, most_nested - 1)
            if found is not None:
                part = f"[{name}]" if isinstance(value, list) else f".{name:.{SHOWN_CHARACTERS}}"
                return f"{part}{found[0]}"[:LONGEST_PLACE], found[1]
    elif isinstance(value, float) and not math.isfinite(value):
        return "", f"{NO_NUMBER}, got {value}"
    elif isinstance(value, int) and not -BEYOND < value < BEYOND:
        return "", f"{NO_NUMBER}, got one of {value.bit_length()} bits"
    return None
