"""A page of recorded games as one HTML file that contains its program, style and data and needs no network.

The data is in elements that the browser does not run: `page` has what is needed at once, the others have groups of
games, which are unpacked when one of their games is shown. Names and texts of a record are never part of the HTML.

The program is bundled from the modules in assets/view, because a single file cannot load others. Each module except the
entry point becomes a function, so that its names stay apart, and comes after the modules that it imports. The entry
point comes last. Only these forms of import and export are understood, each at the beginning of a line:

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
FIRST = "app.js"  # the entry point, which imports all others directly or indirectly
IMPORT = re.compile(r'^import \{([\w\s,]+)\} from "([\w./]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
LEFT_OVER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
GROUP = 16  # games that are compressed together: similar texts compress well
GENERATOR = "dropfour view"  # marks a page of ours among other files
DATA = '<script type="application/octet-stream" id="{id}">{content}</script>\n'
# Allows only the page's own program and style, and its empty icon, without which browsers would request one.
POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; img-src data:; base-uri 'none'; form-action 'none'"
)
# Files in styles/, in this order: a later rule overrides an earlier one.
STYLES = ("base", "page", "game", "review", "boards", "charts", "list", "statistics")
PLACE_OF_DATA = "$data\n"


def packed(content: Any) -> str:
    """Return the content as JSON that is compressed by zlib and written in base64."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"), LEVEL)).decode("ascii")


class ModuleError(ValueError):
    """The modules cannot be bundled. str() says which module is wrong and why."""


def script(sources: Mapping[str, str] | None = None) -> str:
    """Return the bundled program. `sources` is {path below assets/view: module}; None stands for the modules there.

    Raises ModuleError for a missing module, a cycle of imports, or a form of import or export that is not understood.
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
    """Append to `order` the modules that the module `name` imports, directly or not, and then the module itself.

    `above` has the chain of modules that led here, to find cycles. Raises ModuleError.
    """
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
    """Return the path below assets/view of a module that the module `name` imports as "./x.js" or "../x.js"."""
    parts: list[str] = []
    for part in (PurePosixPath(name).parent / imported).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def _body(name: str, source: str) -> tuple[str, list[str]]:
    """Return (the module as statements of a function or script, the names that it exports). Raises ModuleError."""
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
    """Yield the page in pieces of text.

    `files` are the names of the files that the sources refer to. `first` is the index, from 0, of the game that the
    page opens with. Precondition: there is at least one game.
    """
    template = (ASSETS / "page.html").read_text("utf-8")
    style = "\n".join((ASSETS / "styles" / f"{name}.css").read_text("utf-8") for name in STYLES)
    program = script()
    filled = {
        "language": language.current_language(),
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
    """Return, as JSON, what the page needs at once: the list, the totals and the texts in every language."""
    return {
        "files": list(files),
        "first": first,
        "group": GROUP,
        "language": language.current_language(),
        "words": translations(ASSETS),
        "list": rows_json(sources),
        "totals": totals_json(sources),
    }


def _hash(text: str) -> str:
    """Return the source expression of a Content-Security-Policy that allows exactly this script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"
