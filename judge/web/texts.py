"""Texts of pages in every language of the judge. A page has all languages, so that its reader can switch between them.

The JavaScript of the pages has its texts in English, as t("..."). This module and Babel extract them from there.
"""

import functools
import json
import re
from collections.abc import Callable
from pathlib import Path

from judge import language
from judge.language import _, shown
from judge.play.scoresheet import NAMES
from judge.terminal import printable_lines

Texts = dict[str, str]  # by language
TEXT = re.compile(r'\bt\(\s*("(?:[^"\\]|\\.)*")')


def in_each(make: Callable[[], str]) -> Texts:
    """Call make() once in each language and return its results, made printable except for line ends.

    A translation that equals the English text is left out.
    """
    texts: Texts = {}
    for name in language.languages():
        with language.in_language(name):
            text = printable_lines(make())  # it may quote a record
        if not texts or text != texts["en"]:
            texts[name] = text
    return texts


@functools.lru_cache(maxsize=4096, typed=True)
def recorded_in_each(text: str) -> Texts:
    """Return a recorded text in each language. Results are cached, because many games have the same text."""
    return in_each(lambda: shown(text))


def translations(*folders: Path) -> dict[str, dict[str, str]]:
    """Return {language: {English text: its translation}} for every language except English.

    The texts are those of the JavaScript in these folders, and NAMES.
    """
    texts = (*NAMES, *(text for folder in folders for text in texts_of(folder)))
    found: dict[str, dict[str, str]] = {}
    for name in language.languages()[1:]:
        with language.in_language(name):
            found[name] = {text: _(text) for text in texts}
    return found


@functools.cache
def texts_of(folder: Path) -> tuple[str, ...]:
    """Return the English texts of the JavaScript modules in a folder and below, sorted."""
    sources = [path.read_text("utf-8") for path in folder.rglob("*.js")]
    return tuple(sorted({json.loads(text) for source in sources for text in TEXT.findall(source)}))
