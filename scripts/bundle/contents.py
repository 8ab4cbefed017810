"""Which source files a bundle holds: main.py's imports and theirs, as the sources say."""

import ast

from checkout import CHECKOUT

PACKAGES = ("bot", "protocol")
# What a start on the ladder imports, by the ways it is named: in main.py, or put together at run time.
START = (
    "bot.ladder",
    "bot.games.{game}.adapter",
    "bot.games.{game}.self_test",
)
# Imported for arguments alone, or when numba has to do.
LATE = {"bot.commands.options", "bot.backends.jit", "bot.backends.sources"}
# What else is imported by a name put together at run time.
OTHERS = ("bot.commands.options", "bot.backends.jit", "bot.games.{game}.kernels")
# Imported by commands that a bundle does not have.
LEFT_OUT = {"bot.backends.native_build"}


def bundled_modules(game):
    """Names of the modules, sorted; packages by their own names."""
    return _imported_from(START + OTHERS, game, LEFT_OUT)


def imported_at_start(game):
    """Those that a start on the ladder imports, or may: not the command line, and nothing that numba compiles."""
    return _imported_from(START, game, LATE | LEFT_OUT)


def _imported_from(roots, game, left_out):
    """Names of these modules and of all that they import, and those import, but for the ones left out; sorted."""
    waiting, found = [root.format(game=game) for root in roots], set()
    while waiting:
        module = waiting.pop()
        if module in found or module in left_out or source_of(module) is None:
            continue
        found.add(module)
        waiting += [module.rpartition(".")[0], *imported_modules(module)]
    return sorted(found)


def source_of(module):
    """The file of a module of this checkout, None for what is none (a name inside one, another package)."""
    if module.partition(".")[0] not in PACKAGES:
        return None
    path = CHECKOUT.joinpath(*module.split("."))
    for candidate in (path / "__init__.py", path.with_suffix(".py")):
        if candidate.exists():
            return candidate
    return None


def imported_modules(module):
    """Every dotted name that a module's source imports, wherever it does, but for type checkers alone."""
    source = source_of(module)
    package = module.split(".") if source.name == "__init__.py" else module.split(".")[:-1]
    for node in _nodes_that_run(ast.parse(source.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, node.module] if node.module else base)
            yield origin
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def _nodes_that_run(tree):
    """Every node of a syntax tree but for the bodies of `if TYPE_CHECKING:`."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            waiting += node.orelse
        else:
            waiting += ast.iter_child_nodes(node)


if __name__ == "__main__":  # for scripts/lint: the bundled files by their paths in the checkout, a line each
    from bot.games import NAMES

    bundled = {source_of(module) for game in NAMES for module in bundled_modules(game)}
    scripts = (CHECKOUT / "scripts" / "bundle").glob("*main.py")
    print(*sorted(path.relative_to(CHECKOUT).as_posix() for path in {*bundled, *scripts}), sep="\n")
