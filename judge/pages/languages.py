"""Texts of the judge in every language that it speaks: the page has all of them, and its reader switches."""

import functools
from collections.abc import Callable

from judge import language
from judge.language import shown

Texts = dict[str, str]  # by language


def in_each(make: Callable[[], str]) -> Texts:
    """What make() returns in each language; a translation that is the English text is left out."""
    texts: Texts = {}
    for name in language.languages():
        with language.speaking(name):
            text = make()
        if not texts or text != texts["en"]:
            texts[name] = text
    return texts


@functools.lru_cache(maxsize=4096)
def recorded_in_each(text: str) -> Texts:
    """A text that records keep in each language. Many games have the same."""
    return in_each(lambda: shown(text))
