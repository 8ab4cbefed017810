"""What the source files of this repository import, read from them; nothing of them is run."""

import ast
from functools import cache

from tests.places import REPOSITORY

PACKAGES = ("protocol", "bot", "judge")


@cache
def python_files(*folders):
    """Paths of all Python files below these folders, from the repository on, in order."""
    files = [path for folder in folders for path in sorted((REPOSITORY / folder).rglob("*.py"))]
    return [path.relative_to(REPOSITORY).as_posix() for path in files]


def source_of(file):
    return (REPOSITORY / file).read_text("utf-8")


def nodes(tree, for_type_checkers=True):
    """Every node of a syntax tree, or those that can run: without the bodies of `if TYPE_CHECKING:`."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        is_guard = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        waiting += node.orelse if is_guard and not for_type_checkers else ast.iter_child_nodes(node)


def imports(file, source, for_type_checkers=True):
    """Return (line, dotted name) of everything that `source` imports, relative imports made absolute.

    `from a import b` counts as a.b, be b a module or not; import_module("a") and __import__("a") count.
    """
    package = file.split("/")[:-1]
    found = []
    for node in nodes(ast.parse(source), for_type_checkers):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, node.module] if node.module else base)
            found += [(node.lineno, f"{origin}.{alias.name}") for alias in node.names]
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("import_module", "__import__"):
                found.append((node.lineno, str(node.args[0].value)))
    return sorted(found)


def file_of(name):
    """The file of the module that a dotted name from `imports` is or lies in; None where it is not ours."""
    parts = name.split(".")
    for count in (len(parts), len(parts) - 1):
        path = "/".join(parts[:count])
        for candidate in (f"{path}.py", f"{path}/__init__.py"):
            if path and (REPOSITORY / candidate).is_file():
                return candidate
    return None


def imported_files(file):
    """The files of this repository that a file imports, wherever it does, but for type checkers alone."""
    found = {file_of(name) for _, name in imports(file, source_of(file), for_type_checkers=False)}
    return found - {None, file}
