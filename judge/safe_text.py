"""Escapes text from other programs for output on a terminal. This module uses only the standard library."""

import re

# Invisible characters that Unicode counts as letters and marks (Default_Ignorable_Code_Point).
UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")


def printable(text: str) -> str:
    """Return the text with control characters, line ends and invisible characters escaped.

    Invisible characters are, for example, those that change the direction of the text.
    """
    if text.isprintable() and not UNSEEN.search(text):
        return text
    return "".join(map(_escaped, text))


def printable_lines(text: str) -> str:
    """Return the text with printable() applied to each of its lines. The line ends are kept."""
    return "\n".join(map(printable, text.split("\n")))


def _escaped(character: str) -> str:
    if character.isprintable() and not UNSEEN.match(character):
        return character
    return character.encode("unicode_escape").decode()
