"""A page of recorded games as one HTML file that needs nothing else: program, style and data inside, and no network.

The data stands in elements that the browser does not run: `page` with what is needed at once, then groups of games,
which are unpacked when one of them is looked at. Names and texts of a record are never part of the HTML.
"""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from string import Template
from typing import Any

from judge import language
from judge.pages.games import game_json
from judge.pages.modules import ASSETS, script
from judge.pages.packing import packed
from judge.pages.rows import Source, rows_json
from judge.pages.totals import totals_json
from judge.pages.words import translations

GROUP = 16  # games that are unpacked together: alike texts pack well
GENERATOR = "dropfour view"  # tells a page of ours from other files
DATA = '<script type="application/octet-stream" id="{id}">{content}</script>\n'
# The page's own program and style, and the empty icon, without which a browser asks for one; nothing else.
POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; img-src data:; base-uri 'none'; form-action 'none'"
)
# In styles/; of two rules the later wins.
STYLES = ("base", "page", "game", "review", "boards", "charts", "list", "statistics")
PLACE_OF_DATA = "$data\n"


def page(sources: Sequence[Source], files: Sequence[str], first: int = 0) -> Iterator[str]:
    """The page in pieces of text; `files` are the names of the sources' files, `first` the index of the game it opens
    with. Precondition: at least one game.
    """
    template = (ASSETS / "page.html").read_text("utf-8")
    style = "\n".join((ASSETS / "styles" / f"{name}.css").read_text("utf-8") for name in STYLES)
    program = script()
    filled = {
        "language": language.spoken(),
        "generator": GENERATOR,
        "policy": POLICY.format(script=_hash(program), style=_hash(style)),
        "style": style,
        "script": program,
    }
    before, after = (Template(part).substitute(filled) for part in template.split(PLACE_OF_DATA))
    yield before
    yield DATA.format(id="page", content=packed(summary_json(sources, files, first)))
    for start in range(0, len(sources), GROUP):
        games = [game_json(source.record, source.review) for source in sources[start : start + GROUP]]
        yield DATA.format(id=f"games-{start // GROUP}", content=packed(games))
    yield after


def summary_json(sources: Sequence[Source], files: Sequence[str], first: int) -> dict[str, Any]:
    """What the page needs at once: the list, the totals, the words of every language."""
    return {
        "files": list(files),
        "first": first,
        "group": GROUP,
        "language": language.spoken(),
        "words": translations(),
        "list": rows_json(sources),
        "totals": totals_json(sources),
    }


def _hash(text: str) -> str:
    """The source of a Content-Security-Policy that allows this text alone, as browsers see it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"
