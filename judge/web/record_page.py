"""A page of recorded games as one HTML file that needs nothing else: program, style and data inside, and no network.

The data stands in elements that the browser does not run: `page` with what is needed at once, then groups of games,
which are unpacked when one of them is looked at. Names and texts of a record are never part of the HTML.

The program is put together of the modules in assets/view, as a page that is one file has nobody to ask for them. Each
module but the first becomes a function of its own, so that its names stay its own, and comes behind those that it
imports; the first, which everything begins with, comes last. These forms of the language are used, each at the
beginning of a line, and no other is understood:

    import { name, other } from "./module.js";
    export function name(...     export class Name ...     export const name = ...
"""

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from string import Template
from typing import Any

from judge import language
from judge.web.record_data import Source, game_json, rows_json
from judge.web.texts import translations
from judge.web.totals import totals_json

LEVEL = 9  # of zlib: pages are written once
ASSETS = Path(__file__).with_name("assets") / "view"
FIRST = "app.js"  # which imports all others, one after the other
IMPORT = re.compile(r'^import \{([\w\s,]+)\} from "([\w./]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
LEFT_OVER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
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


def packed(content: Any) -> str:
    """The content, of which JSON is made, as characters of base64."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"), LEVEL)).decode("ascii")


class ModuleError(ValueError):
    """The modules cannot be put together; str() says which and why."""


def script(sources: Mapping[str, str] | None = None) -> str:
    """The whole program. `sources` are the modules by their paths below assets/, by default those there.

    Raises ModuleError for a module that is missing, imports itself by way of others, or has a form not understood.
    """
    read = _sources() if sources is None else sources
    order: list[str] = []
    _visit(FIRST, read, order, [])
    *parts, last = [_body(name, read[name]) for name in order]
    functions = [_as_function(name, *part) for name, part in zip(order, parts, strict=False)]
    return "".join(functions) + last[0]


def _sources() -> dict[str, str]:
    return {path.relative_to(ASSETS).as_posix(): path.read_text("utf-8") for path in ASSETS.rglob("*.js")}


def _visit(name: str, sources: Mapping[str, str], order: list[str], above: list[str]) -> None:
    """Append the module to the order, behind those that it imports."""
    if name in order:
        return
    if name in above:
        raise ModuleError(f"{' imports '.join([*above[above.index(name) :], name])}")
    if name not in sources:
        raise ModuleError(f"there is no module {name}, which {above[-1]} imports")
    for found in IMPORT.finditer(sources[name]):
        _visit(_path(name, found[2]), sources, order, [*above, name])
    order.append(name)


def _path(name: str, imported: str) -> str:
    """The path below assets/ of a module that the module `name` imports as "./x.js" or "../x.js"."""
    parts: list[str] = []
    for part in (PurePosixPath(name).parent / imported).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def _body(name: str, source: str) -> tuple[str, list[str]]:
    """The module as statements of a function or of a script, and the names that it exports."""
    imported = IMPORT.sub(lambda found: f"const {{{found[1]}}} = {_variable(_path(name, found[2]))};\n", source)
    exported = [found[1] for found in EXPORT.finditer(imported)]
    body = EXPORT.sub("", imported)
    left = LEFT_OVER.search(body)
    if left:
        raise ModuleError(f"{name}: {left[0]}: a form that judge/web/record_page.py does not understand")
    return body, exported


def _as_function(name: str, body: str, exported: Sequence[str]) -> str:
    return f"const {_variable(name)} = (() => {{\n{body}return {{ {', '.join(exported)} }};\n}})();\n"


def _variable(name: str) -> str:
    return "module_" + re.sub(r"\W", "_", name.removesuffix(".js"))


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
        "words": translations(ASSETS),
        "list": rows_json(sources),
        "totals": totals_json(sources),
    }


def _hash(text: str) -> str:
    """The source of a Content-Security-Policy that allows this text alone, as browsers see it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"
