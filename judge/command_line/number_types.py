"""Numbers on the command line, as argparse's types. No package is needed: `doctor` has to do without."""

import argparse
import math

from judge.language import _
from judge.terminal import shortened
from protocol.records.fields import LARGEST_S

LARGEST_COUNT = 10**12  # of games, say: nobody lives to see more, and twice as many for a thousand players still count
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


def seed(text: str) -> int:
    """An integer, below 0 too."""
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    value = whole_number(digits)
    if value is None or len(digits) > MOST_DIGITS:
        message = _("{text!r} is not an integer of at most {most} digits")
        raise argparse.ArgumentTypeError(message.format(text=shortened(text), most=MOST_DIGITS))
    return sign * value
