"""Text of others as a piece of a line on a terminal. Standard library only."""

import re

# Nothing is seen of these, though Unicode calls them letters and marks (its Default_Ignorable_Code_Point).
UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")


def printable(text: str) -> str:
    """The text with every character escaped that a terminal would obey, such as line ends and control characters, and
    every one that is not seen, such as those that turn the direction of what follows.
    """
    if text.isprintable() and not UNSEEN.search(text):
        return text
    return "".join(map(_escaped, text))


def printable_lines(text: str) -> str:
    """The same for text of several lines: line ends stay."""
    return "\n".join(map(printable, text.split("\n")))


def _escaped(character: str) -> str:
    if character.isprintable() and not UNSEEN.match(character):
        return character
    return character.encode("unicode_escape").decode()
