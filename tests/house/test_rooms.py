"""A folder is a room with one purpose: few files, short ones, and imports between rooms go one way."""

import collections

import pytest

from bot.backends.sources import source_files
from bot.games import NAMES
from judge.command_table import ROOMS, module_of
from tests.house.imports import PACKAGES, imported_files, imports, python_files, source_of
from tests.places import REPOSITORY

MOST_FILES = 16
LINES_BELOW = 300
EVERYWHERE = python_files(*PACKAGES, "scripts", "tests")
FOLDERS = sorted({file.rpartition("/")[0] for file in EVERYWHERE})

# Rooms of a package, each with those that it may import beside itself.
BOT = {
    "kernels": set(),
    "search": {"kernels"},
    "games": {"kernels", "search"},
    "backends": {"kernels", "games"},
    "shell": {"backends"},
    "commands": {"kernels", "games", "backends", "shell"},
}
JUDGE = {
    "games": set(),
    "players": {"games"},
    "processes": set(),
    "play": {"games", "players", "processes"},
    "runs": {"games", "players", "play", "statistics"},
    "statistics": set(),
    "reports": {"players", "play", "processes", "machine", "statistics"},
    "viewer": {"games", "play", "reports"},
    "forensics": {"games", "players", "play", "processes", "reports"},
    "formats": {"games", "players", "play", "reports"},
    "logic": {"games", "formats"},
    "joining": {"processes"},
    "checks": {"games", "players", "play", "processes"},
    "review": {"games", "players", "play", "processes", "reports", "checks"},
    "pages": {"games", "play", "reports", "statistics", "review"},
    "live": {"games", "players", "play", "runs"},
    "analysis": {"games", "processes"},
    "cluster": {"games", "players", "play", "processes", "checks", "machine", "reports", "runs"},
    "machine": set(),
    "sitting": {"games", "players", "play", "checks", "processes"},
    "server": {
        *("games", "players", "play", "processes", "checks", "runs", "pages"),
        *("live", "analysis", "sitting", "review"),
    },
    "command_line": {"games", "players", "play", "runs"},
    "command_parts": {
        *("players", "play", "processes", "machine", "runs", "reports", "formats", "forensics", "live", "command_line"),
        *("statistics", "cluster"),
    },
}
# A command may use whatever is below it.
JUDGE["commands"] = set(JUDGE)
PROTOCOL = {"botzone": set(), "games": {"botzone"}, "judger": {"records"}, "records": set()}
# What several packages of scripts/ need, each in a file of its own.
SHARED_BY_SCRIPTS = {"checkout", "option_types", "portable_engines", "run_module", "stopping", "whole_file"}
# What a package of scripts/ may import beside its own modules, the standard library and SHARED_BY_SCRIPTS.
SCRIPTS = {
    "bundle": {"bot", "protocol", "rich"},
    "cluster_simulation": set(),
    "connect_four_training": {"bot", "numba", "numpy", "rich"},
    "dots_solving": {"bot", "rich"},
    "judge_bench": {"judge", "protocol"},
    "page_screenshots": {"judge", "protocol"},
    "rating_trials": {"judge"},
    "picture_export": {"judge", "protocol", "rich"},
    "reversi_bench": {"bot"},
    "reversi_training": {"bot", "numba", "numpy"},
    "serve_bench": {"judge", "protocol"},
    "set_up": set(),
    "translation": set(),
    "view_bench": {"judge", "page_screenshots", "protocol"},
    "wheel_build": {"bot"},
    "strength_suite": {"bot", "dots_solving", "protocol", "rich"},
}


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_room_has_few_files(folder):
    assert len(list((REPOSITORY / folder).glob("*.py"))) <= MOST_FILES


@pytest.mark.parametrize("file", EVERYWHERE)
def test_every_file_is_short(file):
    assert len(source_of(file).splitlines()) < LINES_BELOW


def test_what_pages_are_made_of_is_short_and_in_small_rooms():
    folders = [REPOSITORY / "judge" / room / "assets" for room in ("pages", "server")]
    assets = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert [path.name for path in assets if len(path.read_text("utf-8").splitlines()) >= LINES_BELOW] == []
    assert max(collections.Counter(path.parent for path in assets).values()) <= MOST_FILES


@pytest.mark.parametrize("folder", [folder for folder in FOLDERS if folder.split("/")[0] in PACKAGES])
def test_a_room_says_what_it_is_for(folder):
    assert source_of(f"{folder}/__init__.py").startswith('"""')


def room_of(package, file):
    """The room of a package that a file lies in, "" for the package's own folder, None for another package's file."""
    parts = file.split("/")
    return None if parts[0] != package else parts[1] if len(parts) > 2 else ""


def room_violations(package, rooms, file, imported):
    """One sentence for each file that may not be imported from the room of `file`."""
    room = room_of(package, file)
    allowed = {room, "", *rooms[room]} if room else {None}
    return [
        f"{file} imports {other}"
        for other in sorted(imported)
        if room and room_of(package, other) is not None and room_of(package, other) not in allowed
    ]


@pytest.mark.parametrize("package, rooms", [("bot", BOT), ("judge", JUDGE), ("protocol", PROTOCOL)])
def test_every_room_imports_what_it_may(package, rooms):
    folders = {path.name for path in (REPOSITORY / package).iterdir() if (path / "__init__.py").exists()}
    assert folders == set(rooms)
    found = [room_violations(package, rooms, file, imported_files(file)) for file in python_files(package)]
    assert sum(found, []) == []


def test_the_room_check_finds():
    assert room_violations("bot", BOT, "bot/kernels/lanes.py", {"bot/search/scores.py"}) == [
        "bot/kernels/lanes.py imports bot/search/scores.py"
    ]
    assert room_violations("judge", JUDGE, "judge/play/seat.py", {"judge/runs/ledger.py", "judge/games/game.py"}) == [
        "judge/play/seat.py imports judge/runs/ledger.py"
    ]


def test_every_file_in_the_judges_commands_is_a_command():
    folder = REPOSITORY / "judge" / "commands"
    assert {path.name for path in folder.iterdir() if path.is_dir() and path.name != "__pycache__"} == set(ROOMS)
    files = {f"judge.commands.{path.parent.name}.{path.stem}" for path in folder.glob("*/*.py")}
    assert files == {
        *(f"judge.commands.{room}.__init__" for room in ROOMS),
        *(module_of(command) for commands in ROOMS.values() for command in commands),
    }


def circles(graph):
    """The sets of two nodes and more of {node: nodes} each of which leads to all the others (Tarjan 1972)."""
    order, lowest, stack, found = {}, {}, [], []

    def visit(node):
        order[node] = lowest[node] = len(order)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in order:
                visit(other)
                lowest[node] = min(lowest[node], lowest[other])
            elif other in stack:
                lowest[node] = min(lowest[node], order[other])
        if lowest[node] == order[node]:
            members = set()
            while node not in members:
                members.add(stack.pop())
            if len(members) > 1:
                found.append(members)

    for node in graph:
        if node not in order:
            visit(node)
    return found


def test_circles_are_found():
    assert circles({1: {2}, 2: {3}, 3: {2, 4}, 4: {5}, 5: set()}) == [{2, 3}]
    assert circles({1: {2, 3}, 2: {3}, 3: set()}) == []


def test_no_files_import_each_other():
    assert circles({file: imported_files(file) for file in python_files(*PACKAGES)}) == []


def test_no_rooms_import_each_other():
    """Rooms at every depth; a file beside rooms is one of its own."""

    def node_of(file):
        folder = file.rpartition("/")[0]
        return file if any(other.startswith(folder + "/") for other in FOLDERS) else folder

    graph = {}
    for file in python_files(*PACKAGES):
        graph.setdefault(node_of(file), set()).update(node_of(other) for other in imported_files(file))
    assert circles({node: others - {node} for node, others in graph.items()}) == []


@pytest.mark.parametrize("file", python_files("scripts"))
def test_every_script_imports_what_its_package_may(file):
    parts = file.split("/")
    if len(parts) == 2:
        assert parts[1].removesuffix(".py") in SHARED_BY_SCRIPTS
        return
    imported = {name.split(".")[0] for _, name in imports(file, source_of(file))}
    watched = {*PACKAGES, *SCRIPTS, "numba", "numpy", "rich", "scipy"}
    assert imported & watched <= SCRIPTS[parts[1]] | {parts[1]}


@pytest.mark.parametrize("game", NAMES)
@pytest.mark.parametrize(
    "start, some",
    [
        ("kernels.py", {"bot/kernels/machine.py", "bot/search/alphabeta/search.py"}),
        ("self_test.py", {"bot/search/alphabeta/engine.py", "bot/search/process_memory.py"}),
    ],
)
def test_every_module_that_kernels_and_their_self_test_import_decides_the_hash(game, start, some):
    """Otherwise a change of it would load code compiled before."""
    waiting, found = [f"bot/games/{game}/{start}"], set()
    while waiting:
        file = waiting.pop()
        if file not in found and file.startswith("bot/"):
            found.add(file)
            waiting += imported_files(file)
    assert some <= found
    assert {file.removeprefix("bot/") for file in found} <= set(source_files(game))


def test_a_kernel_of_a_deeper_folder_decides_the_hash():
    files = source_files("dots")
    assert files == sorted(files)
    assert {"kernels/machine.py", "search/uct/child_blocks/tree.py", "games/dots/solver/search.py"} <= set(files)
    assert not [file for file in files if "connect_four" in file]
