"""The texts of pages in every language of the judge.

A page has its texts in all languages, so that its reader can switch between them. The JavaScript of the pages has
English texts, as t("..."), which this module and Babel extract.
"""

import functools
import json
import re
from collections.abc import Callable
from pathlib import Path

from judge import language
from judge.language import _, shown
from judge.terminal import printable_lines
from protocol.records.record import Termination

Texts = dict[str, str]  # {name of a language: text}
TEXT = re.compile(r'\bt\(\s*("(?:[^"\\]|\\.)*")')


def in_each(make: Callable[[], str]) -> Texts:
    """Return {name of a language: the text that make() returns in this language}.

    make() is called once for each language. Its texts are made printable, but keep their line ends. A translation that
    equals the English text is left out.
    """
    texts: Texts = {}
    for name in language.languages():
        with language.in_language(name):
            text = printable_lines(make())  # the text may quote a record
        if not texts or text != texts["en"]:
            texts[name] = text
    return texts


def marked_in_each(text: str) -> Texts:
    """Return `text`, which is a text of marked() without placeholders, in each language."""
    return in_each(lambda: _(text))


@functools.lru_cache(maxsize=4096, typed=True)
def recorded_in_each(text: str) -> Texts:
    """Return the recorded text `text` in each language. Results are cached because many games have the same text."""
    return in_each(lambda: shown(text))


def translations(*folders: Path) -> dict[str, dict[str, str]]:
    """Return {language: {English text: translation}} for every language except English.

    The texts are the names of endings and the texts in the JavaScript modules in `folders`.
    """
    texts = (*Termination, *(text for folder in folders for text in texts_of(folder)))
    by_language: dict[str, dict[str, str]] = {}
    for name in language.languages()[1:]:
        with language.in_language(name):
            by_language[name] = {text: _(text) for text in texts}
    return by_language


@functools.cache
def texts_of(folder: Path) -> tuple[str, ...]:
    """Return the English texts of all JavaScript modules in `folder` and its subfolders, sorted."""
    sources = [path.read_text("utf-8") for path in folder.rglob("*.js")]
    return tuple(sorted({json.loads(text) for source in sources for text in TEXT.findall(source)}))
