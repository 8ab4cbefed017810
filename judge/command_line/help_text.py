"""How --help is set: argparse's way, with lines as wide as they look where characters are two columns wide."""

import argparse

from judge.terminal import lines_of


class HelpFormatter(argparse.HelpFormatter):
    """What argparse asks for lines; for English its own way."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return super()._split_lines(text, width) if text.isascii() else lines_of(text, width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.isascii():
            return super()._fill_text(text, width, indent)
        return "\n".join(indent + line for line in lines_of(text, width - len(indent)))
