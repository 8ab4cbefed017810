"""What numbers the scripts' command lines take, as types for argparse."""

import argparse
import math


def seconds(text):
    """A positive, finite number of seconds."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise argparse.ArgumentTypeError(f"expected a number of seconds above 0, got {text!r}")
    return value


def count(text):
    """A whole number of at least 1."""
    if not (text.isascii() and text.isdecimal() and int(text) >= 1):
        raise argparse.ArgumentTypeError(f"expected a whole number of 1 or more, got {text!r}")
    return int(text)


def quantity(text):
    """A whole number, 0 among them."""
    return 0 if text == "0" else count(text)
