"""Texts of the judge in every language that it speaks: the page has all of them, and its reader switches."""

import functools
from collections.abc import Callable

from judge import language
from judge.language import shown
from judge.terminal import printable_lines

Texts = dict[str, str]  # by language


def in_each(make: Callable[[], str]) -> Texts:
    """What make() returns in each language, printable but for line ends.

    A translation that is the English text is left out.
    """
    texts: Texts = {}
    for name in language.languages():
        with language.speaking(name):
            text = printable_lines(make())  # it may quote a record
        if not texts or text != texts["en"]:
            texts[name] = text
    return texts


@functools.lru_cache(maxsize=4096)
def recorded_in_each(text: str) -> Texts:
    """A text that records keep in each language. Many games have the same."""
    return in_each(lambda: shown(text))
