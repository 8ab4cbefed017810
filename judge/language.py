"""The language that this program speaks to people: English, or what the environment asks for and judge/locale has.

`_` is as gettext's: a text marked with it is translated where it is shown. marked() names a text that `_` translates
later. What is kept in records and JSON is made of templates of recorded(): English as a text, {code, fields} in
records, and shown() puts it into the reader's language. Standard library only.
"""

import codecs
import contextlib
import contextvars
import functools
import gettext
import io
import os
import string
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

DOMAIN = "dropfour"
CATALOGS = Path(__file__).with_name("locale")
VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")  # gettext's, the first that is set decides
OWN_LANGUAGES = ("en", "C", "POSIX")  # those of the messages as they stand in the sources
SAMPLE = "着法，先手"  # what cannot show this cannot show a catalog
_templates: dict[str, "Template"] = {}  # by their texts
_by_code: dict[str, "Template"] = {}
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


class Sentence(str):
    """A sentence made of a template of recorded(): English as a text, and what shown() needs for other languages.

    str() of an exception that holds one gives it back as it is; other operations on texts give plain texts.
    template: it was made of this one; fields: {name: text}, each a Sentence itself or somebody's own words.
    """

    template: "Template"
    fields: dict[str, str]

    def __new__(cls, template: "Template", fields: Mapping[str, str]) -> "Sentence":
        made = super().__new__(cls, str.format(template, **fields))
        made.template, made.fields = template, dict(fields)
        return made

    def __str__(self) -> str:
        return self

    def __reduce__(self) -> Any:
        return Sentence, (self.template, self.fields)


class Template(str):
    """What recorded() gives: a sentence with fields to be filled in, or one that is complete.

    code: how records and JSON name it; those that no record keeps have none.
    """

    code: str | None

    def __new__(cls, text: str, code: str | None = None) -> "Template":
        made = super().__new__(cls, text)
        made.code = code
        return made

    def __str__(self) -> str:
        return self

    def __reduce__(self) -> Any:
        return Template, (self + "", self.code)

    def format(self, *_: object, **fields: object) -> Sentence:
        """The Sentence with these fields, as far as it has them; numbers and errors become their texts."""
        return Sentence(self, {name: str(fields[name]) for name in self.fields()})

    def fields(self) -> list[str]:
        """The names of the fields."""
        return [name for _text, name, _form, _conversion in string.Formatter().parse(self) if name]


def recorded(template: str, code: str | None = None) -> str:
    """A template of sentences that records or JSON keep, marked for the catalog. Its fields are plain: {name}.

    code: for those that records keep, which shown() must know however the wording changes; no two have the same.
    """
    made = Template(template, code)
    _templates[made] = made
    if code is not None:
        assert _by_code.setdefault(code, made) == made, code
    return made


def templates() -> frozenset[str]:
    """Those of recorded() so far: modules mark theirs when they are imported."""
    return frozenset(_templates)


def shown(text: str) -> str:
    """A Sentence in the reader's language; a text that is no Sentence, but a whole template, too. Others stay."""
    if _is_own_language():
        return text
    if isinstance(text, Sentence):
        template, fields = text.template + "", dict(text.fields)
        for name, part in text.fields.items():
            narrower = template.replace(f"{{{name}}}", part)
            if part in _templates and narrower in _templates:  # one for this very field, as languages may need
                template = narrower
                del fields[name]
        return str.format(_(template), **{name: shown(part) for name, part in fields.items()})
    return _(text) if text in _templates else text


def as_data(text: str) -> Any:
    """A text as records keep it: {"code": .., "fields": {..}} if it is made of a template with a code, else itself."""
    template = text.template if isinstance(text, Sentence) else _templates.get(text)
    if template is None or template.code is None:
        return text + ""
    fields = text.fields if isinstance(text, Sentence) else {}
    return {"code": template.code, "fields": {name: as_data(part) for name, part in fields.items()}}


def from_data(data: Any) -> str:
    """The text that as_data() was given. What has a code or fields that are not known here is told as it is.

    Precondition: data is as protocol/records has checked it, a text or an object of code and fields.
    """
    if isinstance(data, str):
        return data
    code, fields = data["code"], {name: from_data(part) for name, part in data["fields"].items()}
    template = _by_code.get(code)
    if template is not None and sorted(template.fields()) == sorted(fields):
        return Sentence(template, fields) if fields else template
    return f"{code} ({', '.join(f'{name}: {part}' for name, part in fields.items())})" if fields else code


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
