"""What people read on a terminal. Text of bots, records and names is data: no markup, and no codes to be obeyed.

printable() makes a piece of such text part of a line. console() and, for print(), streams.py see to it that nothing
else leaves this program, be it forgotten there.

Also which name a misspelt word is close to.
"""

import difflib
import json
import re
import sys
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from judge.language import _
from judge.safe_text import printable as printable
from judge.safe_text import printable_lines as printable_lines
from protocol.records.json_lines import without_surrogates

if TYPE_CHECKING:
    from rich.console import Console

MEGABYTE = 10**6  # bytes, as limits and messages count them
QUOTED_CHARACTERS = 200
SENTENCE_CHARACTERS = 400  # of what a record gives as a reason, or what is wrong with it
# A wide character or a word, with the signs behind it that may not begin a line; or blanks.
PIECE = re.compile(r"(?:[^\x00-\u2e7f]|[^\s\u2e80-\U0010ffff]+)[，。；：、！？）》」”]*|\s+")
WIDE = "FW"  # of Unicode's East Asian widths (UAX 11)


def console(stderr: bool = False) -> "Console":
    """A console without markup, emoji codes and highlighting; what may hold control codes goes through printable().

    Raises ModuleNotFoundError where rich is not installed: `doctor` has to do without.
    """
    from judge.plain_console import PlainConsole

    stream = sys.stderr if stderr else sys.stdout
    # What rich writes holds codes of its own, which our stream would escape.
    file = getattr(stream, "unescaped", stream)
    return PlainConsole(file=file, stderr=stderr, highlight=False, markup=False, emoji=False)


def json_line(content: Any) -> str:
    """A value as JSON on one line, as programs read it: ASCII, strict, and nothing in it that a terminal would obey.

    Raises ValueError for numbers that JSON has not.
    """
    line = json.dumps(without_surrogates(content), allow_nan=False)
    return line.replace("\x7f", "\\u007f")  # the one control character that json leaves as it is


def columns(text: str) -> int:
    """How many columns of the screen a printable text takes: two for each character of Chinese."""
    return sum(_columns_of(character) for character in text)


def _columns_of(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in WIDE else 1


def shortened(text: str, characters: int = QUOTED_CHARACTERS) -> str:
    """The printable text, cut where it is longer."""
    shown = printable(text)
    return shown if len(shown) <= characters else shown[:characters] + ".."


def sentence(text: str) -> str:
    """A sentence with words of others, printable, and cut where it is longer than any of ours."""
    return shortened(text, SENTENCE_CHARACTERS)


def lines_of(text: str, width: int) -> list[str]:
    """The text in lines of at most so many columns of the screen; a longer word has a line of its own.

    Chinese has no blanks: a line may end between any two of its characters but before a closing sign.
    """
    lines = [""]
    for piece in _pieces(text):
        if lines[-1] and columns(lines[-1] + piece.rstrip()) > width:
            lines[-1] = lines[-1].rstrip()
            lines.append("")
        lines[-1] += piece if lines[-1] else piece.lstrip()
    return [*lines[:-1], lines[-1].rstrip()]


def _pieces(text: str) -> Iterable[str]:
    return (" " if piece.isspace() else piece for piece in PIECE.findall(text))


def meant(word: str, names: Iterable[str]) -> str:
    """The end of an error message: which of the names is close to the word, "" if none is."""
    close = difflib.get_close_matches(word, list(names), n=1)
    return _("; did you mean {name}?").format(name=printable(close[0])) if close else ""
