"""The language that this program speaks to people: English, or what the environment asks for and judge/locale has.

`_` is as gettext's: a text marked with it is translated where it is shown. marked() names a text that `_` translates
later. What is kept in records and JSON stays English: its templates are marked with recorded(), and shown()
puts such a text into the reader's language, be it fresh or read from a file. Standard library only.
"""

import codecs
import contextlib
import contextvars
import functools
import gettext
import io
import os
import re
import string
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TextIO

DOMAIN = "dropfour"
CATALOGS = Path(__file__).with_name("locale")
VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")  # gettext's, the first that is set decides
OWN_LANGUAGES = ("en", "C", "POSIX")  # those of the messages as they stand in the sources
SAMPLE = "着法，先手"  # what cannot show this cannot show a catalog
SIDES = "[AB]|it"  # what `side` stands for in a template
QUOTED = "text"  # what `text` stands for in a template is somebody's own words
LONGEST, MOST_NESTED = 2000, 8  # of what is made of templates: characters; templates within templates
_templates: set[str] = set()
# What this thread speaks for a while, as speaking() has it: the language's name and its catalog.
_for_a_while: contextvars.ContextVar[tuple[str, gettext.NullTranslations] | None] = contextvars.ContextVar(
    "speaking", default=None
)


def _(message: str) -> str:
    """The message in the language that is spoken."""
    now = _for_a_while.get()
    return gettext.gettext(message) if now is None else now[1].gettext(message)


def use() -> None:
    """Speak the environment's language from now on, and have argparse do so; English where a stream cannot show it."""
    if isinstance(sys.stdout, io.TextIOWrapper) and not _is_utf_8(sys.stdout):
        sys.stdout.reconfigure(errors="replace")  # stderr has a way of its own with what it cannot show
    if _wants_catalog(os.environ) and _can_show(sys.stdout) and _can_show(sys.stderr):
        gettext.bindtextdomain(DOMAIN, str(CATALOGS))
        gettext.textdomain(DOMAIN)


def spoken() -> str:
    """The language spoken now, as a catalog's folder is named, or "en"."""
    now = _for_a_while.get()
    if now is not None:
        return now[0]
    if gettext.textdomain() != DOMAIN:
        return OWN_LANGUAGES[0]
    found = gettext.find(DOMAIN, str(CATALOGS))
    return Path(found).parents[1].name if found else OWN_LANGUAGES[0]


def _is_own_language() -> bool:
    now = _for_a_while.get()
    return gettext.textdomain() != DOMAIN if now is None else now[0] == OWN_LANGUAGES[0]


def languages() -> list[str]:
    """All languages that this program speaks, English first."""
    return [OWN_LANGUAGES[0], *sorted(path.parents[1].name for path in CATALOGS.glob(f"*/LC_MESSAGES/{DOMAIN}.mo"))]


@contextlib.contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak one of languages() inside a `with` block; other threads go on in theirs. argparse's own words stay."""
    before = _for_a_while.set((language, _catalog(language)))
    try:
        yield
    finally:
        _for_a_while.reset(before)


@functools.cache
def _catalog(language: str) -> gettext.NullTranslations:
    if language == OWN_LANGUAGES[0]:
        return gettext.NullTranslations()
    return gettext.translation(DOMAIN, str(CATALOGS), [language])


def marked(text: str) -> str:
    """The text itself, marked for the catalog: `_` translates it where it is shown."""
    return text


def recorded(template: str) -> str:
    """The template itself, marked for the catalog and for shown(). Its fields are plain: {name}, without a format."""
    _templates.add(template)
    return template


def templates() -> frozenset[str]:
    """Those of recorded() so far: modules mark theirs when they are imported."""
    return frozenset(_templates)


def shown(text: str, most_nested: int = MOST_NESTED) -> str:
    """A text made of templates of recorded() in the reader's language; what is made of none is returned as it is.

    most_nested: so many templates may stand in one another. The text may be anybody's.
    """
    if _is_own_language() or most_nested == 0 or len(text) > LONGEST:
        return text
    for template, pattern in _patterns(templates()):
        found = pattern.fullmatch(text)
        if found:
            parts = found.groupdict()
            told = {name: part if name == QUOTED else shown(part, most_nested - 1) for name, part in parts.items()}
            return _(template).format(**told)
    return text


@functools.cache
def _patterns(known: frozenset[str]) -> list[tuple[str, re.Pattern[str]]]:
    """Each template with the pattern of the texts that it makes; those with most words of their own come first."""
    made = []
    for template in known:
        parts = list(string.Formatter().parse(template))
        literal = sum(len(text) for text, *_others in parts)
        made.append((-literal, template, re.compile(_pattern(parts), re.DOTALL)))
    return [(template, pattern) for _length, template, pattern in sorted(made, key=lambda entry: entry[:2])]


def _pattern(parts: "list[tuple[str, str | None, str | None, str | None]]") -> str:
    """The pattern of a template's parts as string.Formatter gives them."""
    pattern, known = "", set()
    for text, name, *_others in parts:
        pattern += re.escape(text)
        if name in known:
            pattern += f"(?P={name})"
        elif name:
            known.add(name)
            pattern += f"(?P<{name}>{SIDES if name == 'side' else '.+?'})"
    return pattern


def _wants_catalog(environment: Mapping[str, str]) -> bool:
    """True if the first language of the environment that there is at all has a catalog rather than being English."""
    wished = next((environment[name] for name in VARIABLES if environment.get(name)), "")
    for language in wished.split(":"):
        if language.partition(".")[0].partition("_")[0] in OWN_LANGUAGES:
            return False
        if gettext.find(DOMAIN, str(CATALOGS), [language]):
            return True
    return False


def _is_utf_8(stream: TextIO) -> bool:
    return codecs.lookup(stream.encoding).name == "utf-8"


def _can_show(stream: TextIO | None) -> bool:
    try:
        SAMPLE.encode((stream and stream.encoding) or "utf-8")  # a stream of text alone has none, nor has a closed one
    except (UnicodeEncodeError, LookupError):
        return False
    return True
