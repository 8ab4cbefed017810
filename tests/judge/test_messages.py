"""What people read in the judge is marked for translation, and every catalog has it translated."""

import ast
import re
import string

import pytest
from babel.messages.mofile import read_mo

from judge import language
from judge.web import texts as page_texts
from judge.web.application import ASSETS
from tests.places import REPOSITORY
from translation import brought_up, compiled, faults, po_bytes, read, sources_of_catalogs, template

MARKS = {"_", "marked", "recorded"}
CATALOGS = pytest.mark.parametrize("path", sources_of_catalogs(), ids=lambda path: path.parents[1].name)


def unreadable_marks(source):
    """The lines whose mark is not around a literal text, which the catalogs' extractor cannot read."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return [
        call.lineno
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id in MARKS and call.args
        if isinstance(call.args[0], (ast.JoinedStr, ast.BinOp))
        or (call.func.id != "_" and not isinstance(call.args[0], ast.Constant))
    ]


def test_every_mark_is_around_a_text_that_the_extractor_reads():
    assert unreadable_marks('recorded(HELP)\n_(f"so {many}")\n_("a" + "b")\n_(NAME)\n_("fine")\n') == [1, 2, 3]
    for file in sorted((REPOSITORY / "judge").rglob("*.py")):
        assert unreadable_marks(file.read_text("utf-8")) == [], file


def test_every_text_of_the_pages_is_found_for_translators():
    """Babel overlooks one in a template string beside braces of its own."""
    texts = {text for folder in ("view", "serve") for text in page_texts.texts_of(ASSETS / folder)}
    assert texts <= {message.id for message in template()}


def test_only_the_judges_own_console_is_made():
    """PlainConsole, which judge.terminal.console() makes, escapes what a terminal would obey."""
    makers = {
        file.name for file in (REPOSITORY / "judge").rglob("*.py") if re.search(r"\bConsole\(", file.read_text("utf-8"))
    }
    assert makers == set()


@CATALOGS
def test_a_catalog_has_every_message_translated_and_no_other(path):
    catalog = brought_up(path)
    assert faults(catalog) == []
    assert po_bytes(catalog).decode() == path.read_text("utf-8")  # scripts/translate has been run


@CATALOGS
def test_what_gettext_reads_is_what_the_translator_wrote(path):
    with compiled(path).open("rb") as file:
        found = read_mo(file)
    assert texts_of(found) == texts_of(read(path))


def texts_of(catalog):
    """{message: translation} of a catalog; of one with a plural, both are tuples."""
    return {
        tuple(each) if isinstance(each := message.id, list) else each: tuple(message.string)
        for message in catalog
        if message.id
    }


def test_faults_of_a_translation_are_found():
    catalog = template()
    catalog.add("{number} games", "{count} 局")
    catalog.add("%(value)r of %s", "%s")
    catalog.add("seconds {limit:g}", "{limit} 秒")
    catalog.add("fine {limit:g}", "{limit:g} 好")
    catalog.add("doubtful", "可疑", flags=["fuzzy"])
    found = [fault for fault in faults(catalog) if not fault.startswith("not translated")]
    assert [fault.partition(": ")[0] for fault in found] == ["other fields"] * 3 + ["fuzzy"]
    assert len(faults(catalog)) > 300


def test_every_template_of_records_can_be_told_from_its_texts():
    """Its fields are filled with text, and something of its own stands between them."""
    for text in language.templates():
        parts = list(string.Formatter().parse(text))
        assert all(name is None or (name.isidentifier() and not form and not kind) for _, name, form, kind in parts)
        assert any(literal.strip(" ") for literal, *_ in parts) or len(parts) > 1
