"""Sizes of boards as the command lines of dots and boxes take them, a type for argparse."""

import argparse

from bot.games.dots.board import LARGEST, SMALLEST


def board_of_boxes(text):
    """(rows, columns) of such as "5x5"."""
    parts = text.lower().split("x")
    numbers = [int(part) for part in parts if part.isascii() and part.isdecimal()]
    if len(parts) != 2 or len(numbers) != 2 or not all(SMALLEST <= number <= LARGEST for number in numbers):
        raise argparse.ArgumentTypeError(f"expected a size from 1x1 to 7x7, got {text!r}")
    return numbers[0], numbers[1]
