"""Translation of messages into the language of the environment. It is English if judge/locale has no catalog for it.

The function `_` works like gettext's: it marks a text for the catalog and translates it. marked() only marks a text,
and `_` translates the text later. Sentences for records and JSON are made from templates that recorded() returns. Such
a sentence is an English text. Records store it as {code, fields}, and shown() translates it for the reader. This module
uses only the standard library.
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
VARIABLES = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")  # the variables of gettext; the first that is set decides
OWN_LANGUAGES = ("en", "C", "POSIX")  # names for the language of the messages in the sources
SAMPLE = "着法，先手"  # if a stream cannot encode this text, it cannot show the messages of a catalog
_templates: dict[str, "Template"] = {}  # {text of a template: the template}
_by_code: dict[str, "Template"] = {}  # {code of a template: the template}
# (name of a language, its catalog) that in_language() has set for this thread, or None.
_set_for_thread: contextvars.ContextVar[tuple[str, gettext.NullTranslations] | None] = contextvars.ContextVar(
    "language", default=None
)


def _(message: str) -> str:
    """Return the message in the current language."""
    language = _set_for_thread.get()
    return gettext.gettext(message) if language is None else language[1].gettext(message)


def use() -> None:
    """Switch to the language of the environment, also for argparse's texts.

    The language stays English if stdout or stderr cannot show the other language.
    """
    if isinstance(sys.stdout, io.TextIOWrapper) and not _is_utf_8(sys.stdout):
        sys.stdout.reconfigure(errors="replace")  # Python's stderr escapes what it cannot encode
    if _wants_catalog(os.environ) and _can_show(sys.stdout) and _can_show(sys.stderr):
        gettext.bindtextdomain(DOMAIN, str(CATALOGS))
        gettext.textdomain(DOMAIN)


def current_language() -> str:
    """Return the name of the current language: "en", or the name of the folder with the language's catalog."""
    language = _set_for_thread.get()
    if language is not None:
        return language[0]
    if gettext.textdomain() != DOMAIN:
        return OWN_LANGUAGES[0]
    catalog = gettext.find(DOMAIN, str(CATALOGS))
    return Path(catalog).parents[1].name if catalog else OWN_LANGUAGES[0]


def _is_english() -> bool:
    language = _set_for_thread.get()
    return gettext.textdomain() != DOMAIN if language is None else language[0] == OWN_LANGUAGES[0]


def languages() -> list[str]:
    """Return the names of all languages that this program has, English first."""
    return [OWN_LANGUAGES[0], *sorted(path.parents[1].name for path in CATALOGS.glob(f"*/LC_MESSAGES/{DOMAIN}.mo"))]


@contextlib.contextmanager
def in_language(language: str) -> Iterator[None]:
    """Inside the `with` block, use `language`, one of languages(), in this thread.

    The texts of argparse itself are not affected.
    """
    before = _set_for_thread.set((language, _catalog(language)))
    try:
        yield
    finally:
        _set_for_thread.reset(before)


@functools.cache
def _catalog(language: str) -> gettext.NullTranslations:
    """Return the catalog of one of languages(); that of English returns each message unchanged."""
    if language == OWN_LANGUAGES[0]:
        return gettext.NullTranslations()
    return gettext.translation(DOMAIN, str(CATALOGS), [language])


def marked(text: str) -> str:
    """Return the text unchanged. The call marks the text for the catalog. Call `_` where the text is shown."""
    return text


class Sentence(str):
    """An English sentence made from a template of recorded(), with its template and fields, so that shown() can
    translate it.

    `fields` is {name: text}, where the text is a Sentence or comes from another program. If an exception is raised with
    a Sentence, str() of the exception returns the Sentence itself. Other string operations return plain texts.
    """

    template: "Template"
    fields: dict[str, str]

    def __new__(cls, template: "Template", fields: Mapping[str, str]) -> "Sentence":
        sentence = super().__new__(cls, str.format(template, **fields))
        sentence.template, sentence.fields = template, dict(fields)
        return sentence

    def __str__(self) -> str:
        return self

    def __reduce__(self) -> Any:
        return Sentence, (self.template, self.fields)


class Template(str):
    """A template for sentences, which recorded() returns. It has fields to fill in, or is a complete sentence.

    `code` is the template's name in records and JSON, or None if no record stores sentences of this template.
    """

    code: str | None

    def __new__(cls, text: str, code: str | None = None) -> "Template":
        template = super().__new__(cls, text)
        template.code = code
        return template

    def __str__(self) -> str:
        return self

    def __reduce__(self) -> Any:
        return Template, (self + "", self.code)

    def format(self, *_: object, **fields: object) -> Sentence:
        """Return the Sentence with the values `fields`, each converted by str().

        Values for fields that the template does not have are ignored.
        """
        return Sentence(self, {name: str(fields[name]) for name in self.fields()})

    def fields(self) -> list[str]:
        """Return the names of the fields in the order in which the text has them."""
        return [name for _text, name, _form, _conversion in string.Formatter().parse(self) if name]


def recorded(template: str, code: str | None = None) -> str:
    """Return a Template for sentences that records or JSON store. The call marks the text for the catalog.

    `template` is the text of the template. Its fields have the form {name}, without a format. `code` is the unique name
    of the template in records. from_data() finds the template by this name even if the wording has changed. Without a
    code, records store the plain text.
    """
    text = Template(template, code)
    _templates[text] = text
    if code is not None:
        known = _by_code.setdefault(code, text)  # python -O leaves out what an assert calls
        assert known == text, code
    return text


def templates() -> frozenset[str]:
    """Return the templates that recorded() has made so far. Each module makes its templates when it is imported."""
    return frozenset(_templates)


def shown(text: str) -> str:
    """Return `text` in the current language if it is a Sentence or a complete template. Else return it unchanged."""
    if _is_english():
        return text
    if isinstance(text, Sentence):
        template, fields = text.template + "", dict(text.fields)
        for name, part in text.fields.items():
            filled = template.replace(f"{{{name}}}", part)
            if part in _templates and filled in _templates:  # another template has this field filled in already
                template = filled
                del fields[name]
        return str.format(_(template), **{name: shown(part) for name, part in fields.items()})
    return _(text) if text in _templates else text


def as_data(text: str) -> Any:
    """Return `text` in the form that records store.

    The form is {"code": ..., "fields": {...}} if the text was made from a template that has a code. Otherwise it is the
    text itself.
    """
    template = text.template if isinstance(text, Sentence) else _templates.get(text)
    if template is None or template.code is None:
        return text + ""
    fields = text.fields if isinstance(text, Sentence) else {}
    return {"code": template.code, "fields": {name: as_data(part) for name, part in fields.items()}}


def from_data(data: Any) -> str:
    """Return the text from which as_data() has made `data`.

    If the code is unknown, or the template has other fields, the result is a text that lists code and fields.
    Precondition: `data` is a text or an object with "code" and "fields", which protocol/records has checked.
    """
    if isinstance(data, str):
        return data
    code, fields = data["code"], {name: from_data(part) for name, part in data["fields"].items()}
    template = _by_code.get(code)
    if template is not None and sorted(template.fields()) == sorted(fields):
        return Sentence(template, fields) if fields else template
    return f"{code} ({', '.join(f'{name}: {part}' for name, part in fields.items())})" if fields else code


def _wants_catalog(environment: Mapping[str, str]) -> bool:
    """Return whether the environment asks for a language other than English that has a catalog.

    The environment has a list of languages. The first in it that is English or has a catalog decides.
    """
    wanted = next((environment[name] for name in VARIABLES if environment.get(name)), "")
    for language in wanted.split(":"):
        if language.partition(".")[0].partition("_")[0] in OWN_LANGUAGES:
            return False
        if gettext.find(DOMAIN, str(CATALOGS), [language]):
            return True
    return False


def _is_utf_8(stream: TextIO) -> bool:
    return codecs.lookup(stream.encoding).name == "utf-8"


def _can_show(stream: TextIO | None) -> bool:
    """Return whether a stream can encode SAMPLE."""
    try:
        SAMPLE.encode((stream and stream.encoding) or "utf-8")  # a StringIO has no encoding; a closed stream is None
    except (UnicodeEncodeError, LookupError):
        return False
    return True
