"""Output for terminals: shows text from bots, from records and in names without markup and without control codes.

printable() escapes such text as part of a line. If a caller forgets to call printable(), the text is still escaped: by
console() for output of rich, and by streams.py for print().

This module also suggests the name that a user may have meant by a misspelt name.
"""

import difflib
import json
import os
import re
import shutil
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
SENTENCE_CHARACTERS = 400  # the most characters of a reason or an error in a record that are shown
# A wide character or a word, with the following signs that may not begin a line; or blanks.
PIECE_OF_LINE = re.compile(r"(?:[^\x00-\u2e7f]|[^\s\u2e80-\U0010ffff]+)[，。；：、！？）》」”]*|\s+")
WIDE = "FW"  # the East Asian widths (Unicode's UAX 11) of characters that take two columns


def console(stderr: bool = False) -> "Console":
    """Return a console without markup, emoji codes and highlighting, which escapes control characters in its text.

    Raises ModuleNotFoundError if rich is not installed, which the command `doctor` must handle.
    """
    from judge.plain_console import PlainConsole

    stream = sys.stderr if stderr else sys.stdout
    # rich writes control codes itself, which our stream would escape.
    file = getattr(stream, "unescaped", stream)
    # rich takes COLUMNS=0 for a screen without columns. To other programs it means that the number is not known.
    is_unknown = os.environ.get("COLUMNS", "").isdigit() and not int(os.environ["COLUMNS"])
    width = shutil.get_terminal_size().columns if is_unknown else None
    return PlainConsole(file=file, stderr=stderr, highlight=False, markup=False, emoji=False, width=width)


def json_line(content: Any) -> str:
    """Return `content` as strict JSON on one line, in ASCII and without control characters.

    Raises ValueError if `content` has NaN or infinity.
    """
    line = json.dumps(without_surrogates(content), allow_nan=False)
    return line.replace("\x7f", "\\u007f")  # the only control character that json does not escape


def columns(text: str) -> int:
    """Return how many columns of the screen a printable text takes. A Chinese character takes two."""
    visible = [character for character in text if not unicodedata.combining(character)]
    return len(visible) + sum(unicodedata.east_asian_width(character) in WIDE for character in visible)


def shortened(text: str, characters: int = 200) -> str:
    """Return the text made printable. A text of more than `characters` characters has ".." in place of its middle.

    The end stays, as it often says what is wrong.
    """
    escaped = printable(text)
    end = characters // 3
    return escaped if len(escaped) <= characters else f"{escaped[: characters - end]}..{escaped[len(escaped) - end :]}"


def sentence(text: str) -> str:
    """Return `text` made printable. A text of over SENTENCE_CHARACTERS is cut in its middle.

    `text` is a sentence that contains text from other programs.
    """
    return shortened(text, SENTENCE_CHARACTERS)


def lines_of(text: str, width: int) -> list[str]:
    """Return the text in lines of at most `width` columns of the screen. A wider word gets a line of its own.

    Chinese has no spaces. A line may end between any two Chinese characters, except before a closing sign.
    """
    lines = [""]
    for piece in (" " if piece.isspace() else piece for piece in PIECE_OF_LINE.findall(text)):
        if lines[-1] and columns(lines[-1] + piece.rstrip()) > width:
            lines[-1] = lines[-1].rstrip()
            lines.append("")
        lines[-1] += piece if lines[-1] else piece.lstrip()
    return [*lines[:-1], lines[-1].rstrip()]


def suggestion(word: str, names: Iterable[str]) -> str:
    """Return the end of an error message that suggests the name most similar to `word`.

    Returns "" if none of `names` is similar to `word`.
    """
    close = difflib.get_close_matches(word, list(names), n=1)
    return _("; did you mean {name}?").format(name=printable(close[0])) if close else ""
