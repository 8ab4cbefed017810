"""The HTML that every page of the application begins with, which asks for all that is there; the pages' texts."""

import re
from pathlib import Path

from judge import web
from judge.web.record_page import ASSETS, STYLES
from judge.web.texts import texts_of, translations

OWN = Path(web.__file__).with_name("assets") / "serve"
SHELL = (OWN / "shell.html").read_text("utf-8")
LINK = re.compile(r'(?:href|src)="/assets/(view|serve)/([\w./]+)"')
IMPORT = re.compile(r'^import \{[\w\s,]+\} from "([\w./]+)";\n', re.MULTILINE)


def test_the_shell_has_the_styles_of_both_in_their_order():
    links = LINK.findall(SHELL)
    assert [name for room, name in links if room == "view"] == [f"styles/{name}.css" for name in STYLES]
    own = {name for room, name in links if room == "serve"}
    assert own == {"app.js", *(f"styles/{path.name}" for path in (OWN / "styles").iterdir())}


def test_every_module_is_imported_and_there():
    """A missing one would leave the page empty, one that nobody imports would be forgotten."""
    found, waiting = set(), [OWN / "app.js"]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            for name in IMPORT.findall(path.read_text("utf-8")):
                other = (path.parent / name).resolve()
                in_view = "/view/" in name
                waiting.append(ASSETS / name.rpartition("/view/")[2] if in_view else other)
    assert {path for path in found if OWN in path.parents} == set(OWN.rglob("*.js"))
    assert all(path.is_file() for path in found)


def test_every_text_has_a_translation_with_its_fields():
    fields = re.compile(r"\{(\w+)\}")
    for catalog in translations(ASSETS, OWN).values():
        for text in texts_of(OWN):
            assert catalog[text] != text
            assert sorted(fields.findall(catalog[text])) == sorted(fields.findall(text))
