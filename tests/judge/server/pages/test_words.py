"""The texts of the application's pages are marked for the catalogs, and translated."""

import re
from pathlib import Path

from judge import server
from judge.pages import words as of_view
from judge.pages.modules import ASSETS
from judge.server.words import WORDS

TEXT = re.compile(r'\bt\(\s*"((?:[^"\\]|\\.)*)"')
OWN = Path(server.__file__).with_name("assets")


def used(folder):
    return {text for path in folder.rglob("*.js") for text in TEXT.findall(path.read_text("utf-8"))}


def test_every_text_of_the_pages_is_marked_for_the_catalogs():
    assert used(OWN) - used(ASSETS) == set(WORDS)
    assert list(WORDS) == sorted(set(WORDS))


def test_every_text_has_a_translation_with_its_fields():
    fields = re.compile(r"\{(\w+)\}")
    for catalog in of_view.translations(WORDS).values():
        for text in WORDS:
            assert catalog[text] != text
            assert sorted(fields.findall(catalog[text])) == sorted(fields.findall(text))
