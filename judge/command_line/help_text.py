"""How --help is set: argparse's way, with lines as wide as they look where characters are two columns wide.

Chinese has no blanks, and a line may end between any two of its characters but before a closing sign.
"""

import argparse
import re
from collections.abc import Iterable

from judge.terminal import columns

# A wide character or a word, with the signs behind it that may not begin a line; or blanks.
PIECE = re.compile(r"(?:[^\x00-\u2e7f]|[^\s\u2e80-\U0010ffff]+)[，。；：、！？）》」”]*|\s+")


class HelpFormatter(argparse.HelpFormatter):
    """What argparse asks for lines; for English its own way."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return super()._split_lines(text, width) if text.isascii() else lines_of(text, width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.isascii():
            return super()._fill_text(text, width, indent)
        return "\n".join(indent + line for line in lines_of(text, width - len(indent)))


def lines_of(text: str, width: int) -> list[str]:
    """The text in lines of at most so many columns of the screen; a longer word has a line of its own."""
    lines = [""]
    for piece in _pieces(text):
        if lines[-1] and columns(lines[-1] + piece.rstrip()) > width:
            lines[-1] = lines[-1].rstrip()
            lines.append("")
        lines[-1] += piece if lines[-1] else piece.lstrip()
    return [*lines[:-1], lines[-1].rstrip()]


def _pieces(text: str) -> Iterable[str]:
    return (" " if piece.isspace() else piece for piece in PIECE.findall(text))
