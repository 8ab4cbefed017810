"""The page's program, JavaScript modules in assets/, as one script: a page that is one file has nobody to ask for them.

Each module but the first becomes a function of its own, so that its names stay its own, and comes behind those that it
imports; the first, which everything begins with, comes last. These forms of the language are used, each at the
beginning of a line, and no other is understood:

    import { name, other } from "./module.js";
    export function name(...     export class Name ...     export const name = ...
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

ASSETS = Path(__file__).with_name("assets")
FIRST = "app.js"  # which imports all others, one after the other
IMPORT = re.compile(r'^import \{([\w\s,]+)\} from "([\w./]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
LEFT_OVER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


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
        raise ModuleError(f"{name}: {left[0]}: a form that judge/pages/modules.py does not understand")
    return body, exported


def _as_function(name: str, body: str, exported: Sequence[str]) -> str:
    return f"const {_variable(name)} = (() => {{\n{body}return {{ {', '.join(exported)} }};\n}})();\n"


def _variable(name: str) -> str:
    return "module_" + re.sub(r"\W", "_", name.removesuffix(".js"))
