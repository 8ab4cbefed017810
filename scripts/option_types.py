"""What numbers the scripts' command lines take, as types for argparse."""

import argparse
import math


def seconds(text):
    """A positive, finite number of seconds."""
    return _positive(text, "seconds")


def minutes(text):
    """A positive, finite number of minutes."""
    return _positive(text, "minutes")


def _positive(text, unit):
    value = _number(text)
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"expected a number of {unit} above 0, got {text!r}")
    return value


def part(text):
    """A number from 0 to 1."""
    value = _number(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 1, got {text!r}")
    return value


def _number(text):
    """The number, NaN where it is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def count(text):
    """A whole number of at least 1."""
    if not (text.isascii() and text.isdecimal() and int(text) >= 1):
        raise argparse.ArgumentTypeError(f"expected a whole number of 1 or more, got {text!r}")
    return int(text)


def quantity(text):
    """A whole number, 0 among them."""
    return 0 if text == "0" else count(text)
