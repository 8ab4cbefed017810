"""Numbers on the command line, as argparse's types. Standard library only: `doctor` needs no more."""

import argparse
import math

from judge.language import _


def seconds(text: str) -> float:
    """A positive, finite number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(_("{text!r} is not a number of seconds above 0").format(text=text))
    return value


def count(text: str) -> int:
    """An integer of at least 1."""
    value = int(text) if text.isascii() and text.isdecimal() else 0
    if value < 1:
        raise argparse.ArgumentTypeError(_("{text!r} is not an integer of at least 1").format(text=text))
    return value
