"""Numbers on the command line, as argparse's types. No package is needed: `doctor` has to do without."""

import argparse
import math
from collections.abc import Callable

from judge.language import _
from judge.terminal import shortened
from protocol.records.json_lines import LARGEST_S

LARGEST_COUNT = 10**12  # of games, say: nobody lives to see more, and twice as many for a thousand players still count
LARGEST_ELO = 100_000  # of a rating that somebody gives; what games tell is far below
LARGEST_PORT = 2**16 - 1
MOST_DIGITS = 18  # of whole numbers on a command line


def seconds(text: str) -> float:
    """A positive, finite number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(_("{text!r} is not a number of seconds above 0").format(text=text))
    if value > LARGEST_S:
        raise argparse.ArgumentTypeError(
            _("{text!r} is too large, expected at most {most:,}").format(text=shortened(text), most=LARGEST_S)
        )
    return value


def count(text: str) -> int:
    """An integer from 1 to LARGEST_COUNT."""
    value = whole_number(text)
    if not value:
        raise argparse.ArgumentTypeError(_("{text!r} is not an integer of at least 1").format(text=shortened(text)))
    if value > LARGEST_COUNT:
        raise argparse.ArgumentTypeError(
            _("{text!r} is too large, expected at most {most:,}").format(text=shortened(text), most=LARGEST_COUNT)
        )
    return value


def whole_number(text: str) -> int | None:
    """A number of digits alone, None for other texts; one of very many digits is some number that is too large."""
    if not (text.isascii() and text.isdecimal()):
        return None
    return int(text) if len(text) <= MOST_DIGITS else 10**MOST_DIGITS


def elo(text: str) -> float:
    """A rating."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not abs(value) <= LARGEST_ELO:
        message = _("{text!r} is not a rating of at most {most:,} either way")
        raise argparse.ArgumentTypeError(message.format(text=shortened(text), most=LARGEST_ELO))
    return value


def elo_error(text: str) -> float:
    """An error of a rating, above 0."""
    value = elo(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(_("{text!r} is not an error above 0").format(text=shortened(text)))
    return value


def tcp_port(text: str) -> int:
    """The number of a TCP port."""
    return _port(text, 1)


def port_to_listen_at(text: str) -> int:
    """The number of a TCP port, 0 for any that is free."""
    return _port(text, 0)


def _port(text: str, least: int) -> int:
    value = whole_number(text)
    if value is None or not least <= value <= LARGEST_PORT:
        message = _("{text!r} is no TCP port, expected {least}..{most}")
        raise argparse.ArgumentTypeError(message.format(text=shortened(text), least=least, most=LARGEST_PORT))
    return value


def seed(text: str) -> int:
    """An integer, below 0 too."""
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    value = whole_number(digits)
    if value is None or len(digits) > MOST_DIGITS:
        message = _("{text!r} is not an integer of at most {most} digits")
        raise argparse.ArgumentTypeError(message.format(text=shortened(text), most=MOST_DIGITS))
    return sign * value


def number_between(least: float, most: float) -> Callable[[str], float]:
    """A type for numbers in a range, both ends included."""

    def number(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            message = _("{text!r} is not a number from {least:g} to {most:g}")
            raise argparse.ArgumentTypeError(message.format(text=shortened(text), least=least, most=most))
        return value

    return number


def ranges(text: str) -> tuple[range, ...]:
    """Numbers and ranges of them between commas, such as 1,3-5; each from 1 to LARGEST_COUNT."""
    found = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        try:
            start = count(first)
            end = count(last) if dash else start
        except argparse.ArgumentTypeError:
            start, end = 1, 0
        if end < start:
            message = _("{text!r} are no numbers, expected such as 1,3-5")
            raise argparse.ArgumentTypeError(message.format(text=shortened(text)))
        found.append(range(start, end + 1))
    return tuple(found)
