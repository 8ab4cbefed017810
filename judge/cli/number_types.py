"""Functions that argparse takes as the types of numbers. They raise ArgumentTypeError if the text is no such number.

The message of that error says which numbers are allowed. Only whole_number() raises nothing.

This module uses only the standard library, because the command `doctor` needs it and must run without any package.
"""

import argparse
import functools
import math
from collections.abc import Callable

from judge.language import _
from judge.terminal import shortened
from protocol.records.json_lines import LARGEST_S

LARGEST_COUNT = 10**12  # of games, for example; 2000 times this number, for a thousand players, still fits in 64 bits
LARGEST_ELO = 100_000  # the largest rating on the command line; ratings from games are far smaller
LARGEST_PORT = 2**16 - 1
MOST_DIGITS = 18  # the most digits of a whole number on the command line


def seconds(text: str) -> float:
    """Return a number of seconds, more than 0 and at most LARGEST_S."""
    value = _number(text)
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(_("{text!r} is not a number of seconds above 0").format(text=text))
    if value > LARGEST_S:
        raise argparse.ArgumentTypeError(
            _("{text!r} is too large, expected at most {most:,}").format(text=shortened(text), most=LARGEST_S)
        )
    return value


def count(text: str) -> int:
    """Return an integer from 1 to LARGEST_COUNT."""
    value = whole_number(text)
    if not value:
        raise argparse.ArgumentTypeError(_("{text!r} is not an integer of at least 1").format(text=shortened(text)))
    if value > LARGEST_COUNT:
        raise argparse.ArgumentTypeError(
            _("{text!r} is too large, expected at most {most:,}").format(text=shortened(text), most=LARGEST_COUNT)
        )
    return value


def whole_number(text: str) -> int | None:
    """Return the number that `text` means if it consists of ASCII digits, else None.

    For a text of more than MOST_DIGITS digits the result is 10**MOST_DIGITS.
    """
    if not (text.isascii() and text.isdecimal()):
        return None
    return int(text) if len(text) <= MOST_DIGITS else 10**MOST_DIGITS


def _number(text: str) -> float:
    """Return the number that `text` means, NaN if it means none."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def number_between(least: float, most: float) -> Callable[[str], float]:
    """Return a function that argparse takes as the type of numbers from `least` to `most`, both included."""

    def number(text: str) -> float:
        value = _number(text)
        if not least <= value <= most:
            message = _("{text!r} is not a number from {least:,} to {most:,}")
            raise argparse.ArgumentTypeError(message.format(text=shortened(text), least=least, most=most))
        return value

    return number


elo = number_between(-LARGEST_ELO, LARGEST_ELO)  # a rating


def elo_error(text: str) -> float:
    """Return the error of a rating, a number of Elo that is more than 0 and at most LARGEST_ELO."""
    value = elo(text)
    if value <= 0:
        message = _("{text!r} is not the error of a rating, expected a number above 0")
        raise argparse.ArgumentTypeError(message.format(text=shortened(text)))
    return value


def _port(text: str, least: int) -> int:
    """Return the number of a TCP port, from `least` to LARGEST_PORT."""
    value = whole_number(text)
    if value is None or not least <= value <= LARGEST_PORT:
        message = _("{text!r} is not a TCP port, expected a number from {least} to {most}")
        raise argparse.ArgumentTypeError(message.format(text=shortened(text), least=least, most=LARGEST_PORT))
    return value


tcp_port = functools.partial(_port, least=1)
port_to_listen_at = functools.partial(_port, least=0)  # 0 stands for any free port


def seed(text: str) -> int:
    """Return an integer of at most MOST_DIGITS digits. It may be negative."""
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    value = whole_number(digits)
    if value is None or len(digits) > MOST_DIGITS:
        message = _("{text!r} is not an integer of at most {most} digits")
        raise argparse.ArgumentTypeError(message.format(text=shortened(text), most=MOST_DIGITS))
    return sign * value


def ranges(text: str) -> tuple[range, ...]:
    """Return the ranges that a text such as "1,3-5" lists. The numbers in the text must be from 1 to LARGEST_COUNT."""
    listed = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        start, end = whole_number(first), whole_number(last if dash else first)
        if not start or not end or not start <= end <= LARGEST_COUNT:
            message = _("{text!r} is not a list of numbers, expected a list such as 1,3-5")
            raise argparse.ArgumentTypeError(message.format(text=shortened(text)))
        listed.append(range(start, end + 1))
    return tuple(listed)
