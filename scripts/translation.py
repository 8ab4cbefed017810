"""`scripts/translate`: brings the catalogs of judge/locale in step with the sources and compiles them.

A message that is new is added without a translation, one that no source has any more is dropped. What is left to
translate, or was translated with other fields, is listed, and the exit status is 1 then.
"""

import argparse
import io
import re
import string
import sys
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from checkout import CHECKOUT
from protocol.records.record import Termination
from whole_file import written_whole

SOURCES = CHECKOUT / "judge"
LOCALES = SOURCES / "locale"
DOMAIN = "dropfour"
KEYWORDS = {"_": None, "marked": None, "recorded": None, "t": None}  # judge/language.py; t in the pages' JavaScript
MODULES = "web/assets/**.js"
METHODS = [("**.py", "python"), (MODULES, "javascript")]
OPTIONS = {MODULES: {"parse_template_string": "true"}}  # a text may stand inside of `${...}`
ENDINGS = "protocol/records/record.py"  # whose table of endings has their names
OF_ARGPARSE = "argparse's own"
WIDTH = 118
HEADER = "# Messages of the judge. scripts/translate keeps this file in step with the sources and compiles it."
KEPT_HEADERS = (b"Project-Id-Version", b"Language:", b"Plural-Forms", b"MIME-Version", b"Content-T")
PERCENT_FIELD = re.compile(r"%(?:\(\w+\))?[a-z]")
# What argparse itself says to people who type a command line wrong, or ask for help; Python 3.10 to 3.14. Neither what
# it says to programmers alone nor what judge/cli/parser.py says in its place.
MESSAGES = (
    "%(heading)s:",
    "ambiguous option: %(option)s could match %(matches)s",
    "argument %(argument_name)s: %(message)s",
    "expected at least one argument",
    "expected at most one argument",
    "expected one argument",
    ("expected %s argument", "expected %s arguments"),
    "ignored explicit argument %r",
    "invalid %(type)s value: %(value)r",
    "invalid choice: %(value)r (choose from %(choices)s)",
    "invalid choice: %(value)r, maybe you meant %(closest)r? (choose from %(choices)s)",
    "not allowed with argument %s",
    "one of the arguments %s is required",
    "options",
    "positional arguments",
    "show this help message and exit",
    "the following arguments are required: %s",
    "unrecognized arguments: %s",
    "usage: ",
)


def sources_of_catalogs():
    """The .po files of all languages."""
    return sorted(LOCALES.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))


def compiled(path):
    """Where the .mo of a .po lies."""
    return path.with_suffix(".mo")


def template():
    """The Catalog of what the judge's sources mark, of endings' names and of argparse's messages, untranslated."""
    found = Catalog(domain=DOMAIN, project="dropfour", charset="utf-8")
    for file, _line, message, _comments, context in extract_from_dir(SOURCES, METHODS, OPTIONS, KEYWORDS):
        found.add(message, locations=[(f"judge/{Path(file).as_posix()}", None)], context=context)
    for ending in Termination:
        found.add(ending.value, locations=[(ENDINGS, None)])
    for message in MESSAGES:
        found.add(message, auto_comments=[OF_ARGPARSE])
    return found


def read(path):
    """The Catalog of a .po file; its language is the folder's name."""
    with path.open("rb") as file:
        return read_po(file, locale=path.parents[1].name, domain=DOMAIN)


def brought_up(path, messages=None):
    """The Catalog of a .po file with every message of the sources and no other; new ones have no translation yet."""
    catalog = read(path)
    catalog.update(messages or template(), no_fuzzy_matching=True)
    catalog.obsolete.clear()
    return catalog


def po_bytes(catalog):
    """A catalog as the bytes of a .po file.

    Neither line numbers nor dates are in it: they would change with every change of a source.
    """
    catalog.header_comment = HEADER
    file = io.BytesIO()
    write_po(file, catalog, width=WIDTH, include_lineno=False, sort_by_file=True)
    header, blank, messages = file.getvalue().partition(b"\n\n")
    lines = [line for line in header.split(b"\n") if line[:1] != b'"' or line[1:].startswith(KEPT_HEADERS)]
    return b"\n".join(lines) + blank + messages


def mo_bytes(catalog):
    """A catalog as the bytes of a .mo file."""
    file = io.BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def fields_of(text):
    """What a message leaves open, sorted: the fields of str.format, or those of % in argparse's."""
    percent = PERCENT_FIELD.findall(text.replace("%%", ""))
    if percent:
        return sorted(percent)
    return sorted(
        f"{name}!{conversion}:{form}"
        for _text, name, form, conversion in string.Formatter().parse(text)
        if name is not None
    )


def faults(catalog):
    """What a translator has left undone, a line each."""
    found = []
    for message in catalog:
        if not message.id:
            continue
        ids = message.id if isinstance(message.id, tuple) else (message.id,)
        texts = message.string if isinstance(message.string, tuple) else (message.string,)
        if not all(texts):
            found.append(f"not translated: {ids[0]!r}")
        elif message.fuzzy:
            found.append(f"fuzzy: {ids[0]!r}")
        elif any(fields_of(text) != fields_of(ids[0]) for text in texts):
            found.append(f"other fields: {ids[0]!r}: {texts[0]!r}")
    return found


def main(words):
    """Run the command; returns the exit status."""
    argparse.ArgumentParser(prog="scripts/translate", description=__doc__.partition(": ")[2]).parse_args(words)
    messages, status = template(), 0
    for path in sources_of_catalogs():
        catalog = brought_up(path, messages)
        for file, content in ((path, po_bytes(catalog)), (compiled(path), mo_bytes(catalog))):
            with written_whole(file) as unfinished:
                unfinished.write_bytes(content)
        found = faults(catalog)
        print(f"{path.relative_to(CHECKOUT)}: {len(catalog)} messages, {len(found)} to be looked at")
        for fault in found:
            print(f"  {fault}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
