"""The page of recorded games: one HTML file that contains its program, style and data and needs no network.

The data is in elements that the browser does not run. The element `page` has the data that is needed at once. Each
other element has a group of games and is unpacked when one of its games is shown. Names and texts from a record are
never part of the HTML.

The program is bundled from the modules in assets/view, because a single file cannot load other files. Each module
except the entry point becomes a function, so that its names cannot clash with those of other modules. It comes after
the modules that it imports; the entry point comes last. Only these forms of import and export are understood, each at
the beginning of a line:

    import { name, other } from "./module.js";
    export function name(...     export class Name ...     export const name = ...

A library, which is there as others have published it, ends with `export{a as name,b as other};`.
"""

import base64
import hashlib
import json
import posixpath
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

from judge import language
from judge.web.game_words import games_json
from judge.web.record_data import Source, game_json, rows_json
from judge.web.texts import translations
from judge.web.totals import totals_json

LEVEL = 9  # the best compression of zlib, because a page is written only once
ASSETS = Path(__file__).with_name("assets") / "view"
ENTRY_POINT = "app.js"  # the entry point, which imports all others directly or indirectly
IMPORT = re.compile(r'^import \{([\w\s,]+)\} from "([\w./]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
COMMENT = re.compile(r"^ *//.*\n", re.MULTILINE)  # in a line of its own; a library's notice is written /* ... */
LIBRARY_EXPORT = re.compile(r"export\{([\w$,\s]+)\};\s*\Z")
UNKNOWN_FORM = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
GROUP = 16  # games that are compressed together: similar texts compress well
GENERATOR = "dropfour view"  # by this text a page that this program has written is recognized
DATA = '<script type="application/octet-stream" id="{id}">{content}</script>\n'
# Allows only the page's own program and style, and its empty icon, without which browsers would request one.
POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; img-src data:; base-uri 'none'; form-action 'none'"
)
# Files in styles/, in this order: a later rule overrides an earlier one.
STYLES = ("base", "page", "game", "review", "boards", "charts", "list", "statistics")
DATA_MARK = "$data\n"


def packed(content: Any) -> str:
    """Return the content as JSON that is compressed by zlib and written in base64."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"), LEVEL)).decode("ascii")


class ModuleError(ValueError):
    """The JavaScript modules cannot be bundled. The error's text says which module is wrong and why."""


def script(sources: Mapping[str, str] | None = None) -> str:
    """Return the program of the page, bundled from JavaScript modules.

    `sources` maps a module's path relative to assets/view to the module's text. None stands for all modules in
    assets/view. Raises ModuleError if a module is missing, if modules import each other in a cycle, or if a form of
    import or export is not understood.
    """
    read = _read_modules() if sources is None else sources
    order: list[str] = []
    _append_with_imports(ENTRY_POINT, read, order, [])
    functions = [_function_of_module(name, *_without_imports(name, read[name])) for name in order[:-1]]
    body, _exported = _without_imports(ENTRY_POINT, read[ENTRY_POINT])
    return "".join(functions) + body


def _read_modules() -> dict[str, str]:
    """Return {path relative to assets/view: text} of all modules that are there."""
    return {path.relative_to(ASSETS).as_posix(): path.read_text("utf-8") for path in ASSETS.rglob("*.js")}


def _append_with_imports(name: str, sources: Mapping[str, str], order: list[str], above: list[str]) -> None:
    """Append to `order` the modules that the module `name` imports, directly or not, and then the module itself.

    A module that is in `order` already is not appended again. `above` is the chain of modules, each importing the next,
    that leads to `name`; it serves to find cycles. Raises ModuleError for a cycle or a missing module.
    """
    if name in order:
        return
    if name in above:
        raise ModuleError(" imports ".join([*above[above.index(name) :], name]))
    if name not in sources:
        raise ModuleError(f"there is no module {name}, which {above[-1]} imports")
    for _names, imported in IMPORT.findall(sources[name]):
        _append_with_imports(_imported_path(name, imported), sources, order, [*above, name])
    order.append(name)


def _imported_path(name: str, imported: str) -> str:
    """Return the path, relative to assets/view, of a module that the module `name` imports.

    `imported` is the path in the import, such as "./x.js" or "../x.js".
    """
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), imported))


def _without_imports(name: str, source: str) -> tuple[str, list[str]]:
    """Return (JavaScript of the module `name` without comments, imports and exports, the exported properties).

    An import becomes a constant that takes names from the variable of the imported module. An exported property is
    JavaScript for an object: "name", or "name: local name" in a library. Raises ModuleError for a form of import or
    export that is not understood.
    """

    def constant_of_import(found: re.Match[str]) -> str:
        return f"const {{{found[1]}}} = {_variable_of_module(_imported_path(name, found[2]))};\n"

    code = IMPORT.sub(constant_of_import, COMMENT.sub("", source))
    exported = EXPORT.findall(code)
    body = EXPORT.sub("", code)
    library = LIBRARY_EXPORT.search(body)
    if library:
        exported = ["{1}: {0}".format(*each.split(" as ")) for each in library[1].split(",")]
        body = body[: library.start()] + "\n"
    unknown = UNKNOWN_FORM.search(body)
    if unknown:
        raise ModuleError(f"{name}: {unknown[0]}: a form that judge/web/record_page.py does not understand")
    return body, exported


def _function_of_module(name: str, body: str, exported: Sequence[str]) -> str:
    """Return JavaScript that runs a module in a function and keeps an object with what the module exports.

    `body` and `exported` are what _without_imports() returns for the module `name`.
    """
    return f"const {_variable_of_module(name)} = (() => {{\n{body}return {{ {', '.join(exported)} }};\n}})();\n"


def _variable_of_module(name: str) -> str:
    return "module_" + re.sub(r"\W", "_", name.removesuffix(".js"))


def page(sources: Sequence[Source], files: Sequence[str], first: int = 0) -> Iterator[str]:
    """Yield, in pieces, the HTML text of the page that shows the games `sources`.

    `files` are the names of the record files; the field `file` of a Source is an index into them. `first` is the index,
    from 0, of the game that the page shows when it is opened. Precondition: there is at least one game.
    """
    template = (ASSETS / "page.html").read_text("utf-8")
    style = "\n".join((ASSETS / "styles" / f"{name}.css").read_text("utf-8") for name in STYLES)
    program = script()
    filled = {
        "language": language.current_language(),
        "generator": GENERATOR,
        "policy": POLICY.format(script=_policy_source(program), style=_policy_source(style)),
        "style": style,
        "script": program,
    }
    before, after = (Template(part).substitute(filled) for part in template.split(DATA_MARK))
    yield before
    yield DATA.format(id="page", content=packed({**summary_json(sources, files, first), "games": games_json()}))
    for start in range(0, len(sources), GROUP):
        games = [game_json(source.record, source.review) for source in sources[start : start + GROUP]]
        yield DATA.format(id=f"games-{start // GROUP}", content=packed(games))
    yield after


def summary_json(sources: Sequence[Source], files: Sequence[str], first: int) -> dict[str, Any]:
    """Return, as JSON, the data that the page needs at once.

    It has the list of games, the totals and the texts of the page in every language. For the parameters see page().
    """
    return {
        "files": list(files),
        "first": first,
        "group": GROUP,
        "language": language.current_language(),
        "words": translations(ASSETS),
        "list": rows_json(sources),
        "totals": totals_json(sources),
    }


def _policy_source(text: str) -> str:
    """Return the source expression of a Content-Security-Policy that allows exactly this script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"
