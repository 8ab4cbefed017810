"""Who may import whom, which files may know which game, and which files must do without numba."""

import fnmatch
import sys

import pytest

from bot.games import NAMES
from bundle.contents import imported_at_start
from bundle.contents import source_of as file_of_module
from tests.house.imports import PACKAGES, imports, python_files, source_of
from tests.places import REPOSITORY

MAY_IMPORT = {
    "protocol": {"protocol"},
    "bot": {"bot", "protocol"},
    "judge": {"judge", "protocol", "argcomplete", "rich", "psutil", "scipy", "tomli"},
}
# Packages of extras: no other room may import them, and nobody but the one file may import the room.
OF_EXTRAS = {
    "judge/server/": ({"anyio", "starlette", "uvicorn"}, "judge/commands/single_games/serve.py"),
    "judge/cluster/": ({"dask", "distributed"}, "judge/command_parts/cluster_run.py"),
}
COMPILER = {"numpy", "numba", "llvmlite"}
COMPILED_FILES = (
    "bot/backends/jit.py",
    "bot/backends/native_compile.py",
    "bot/kernels/*.py",
    "bot/search/*.py",
    "bot/games/*/*.py",
)
GAMES = ("connect_four", "reversi", "dots")
GAME_REGISTRIES = (
    "judge/games/__init__.py",
    "judge/formats/table.py",
    "judge/formats/export.py",
    "judge/formats/botzone_log/reading.py",
    "bot/games/__init__.py",
    "protocol/strategy_library.py",
)
# What a bot with a native engine runs: the standard library alone.
STARTED_WITH = {
    file_of_module(module).relative_to(REPOSITORY).as_posix() for game in NAMES for module in imported_at_start(game)
}


def may_compile(file):
    return any(fnmatch.fnmatchcase(file, pattern) for pattern in COMPILED_FILES) and file not in STARTED_WITH


def import_violations(file, source):
    """Return one sentence for each import that `file` may not make."""
    allowed = set(MAY_IMPORT[file.split("/")[0]]) | set(sys.stdlib_module_names)
    if may_compile(file):
        allowed |= COMPILER
    for room, (packages, _user) in OF_EXTRAS.items():
        if file.startswith(room):
            allowed |= packages
    sentences = []
    for line, name in imports(file, source):
        for room, (_packages, user) in OF_EXTRAS.items():
            if f"{name}.".startswith(room.replace("/", ".")) and not file.startswith(room) and file != user:
                sentences.append(f"{file}:{line} imports {name}, which only {user} may")
        if name.split(".")[0] not in allowed:
            sentences.append(f"{file}:{line} imports {name}")
        for game in GAMES:
            if game in name and game not in file and file not in GAME_REGISTRIES:
                sentences.append(f"{file}:{line} names {name}, which belongs to one game")
    return sentences


@pytest.mark.parametrize("file", python_files(*PACKAGES))
def test_every_file_imports_what_its_package_may(file):
    assert import_violations(file, source_of(file)) == []


@pytest.mark.parametrize(
    "file, source",
    [
        ("protocol/framing.py", "import numpy"),
        ("protocol/framing.py", "from bot import clock"),
        ("protocol/framing.py", "from ..judge import elo"),
        ("bot/shell/clock.py", "import numpy as np"),
        ("bot/shell/clock.py", "def late():\n    from numba import njit"),
        ("bot/games/connect_four/plain.py", "import numba"),
        ("bot/games/connect_four/settings.py", "import numpy"),
        ("bot/games/connect_four/self_test.py", "import numba"),
        ("bot/games/connect_four/alphabeta/engine.py", "import numpy"),
        ("bot/games/reversi/pvs/search_task.py", "import numpy"),
        ("bot/search/uct/edge_nodes/view.py", "import numpy"),
        ("bot/backends/native.py", "def late():\n    import llvmlite"),
        ("bot/backends/compiled.py", "from numba import njit"),
        ("bot/commands/bench.py", "import numpy"),
        ("bot/search/uct/edge_nodes/search.py", "import judge.games.positions"),
        ("bot/search/uct/edge_nodes/search.py", "import scipy"),
        ("bot/search/uct/edge_nodes/search.py", "from ....games.connect_four import rules"),
        ("bot/search/uct/edge_nodes/search.py", "from bot.games import connect_four"),
        ("bot/backends/compiled.py", "importlib.import_module('judge.statistics.elo')"),
        ("judge/statistics/elo.py", "import bot"),
        ("judge/statistics/elo.py", "__import__('numba')"),
        ("judge/play/referee.py", "from protocol.games.connect_four import Turn"),
        ("judge/games/reversi/rules.py", "from ..connect_four.rules import Rules"),
        ("bot/games/connect_four/adapter.py", "from ..reversi import plain"),
        ("bot/shell/session.py", "from protocol.games.reversi import Turn"),
        ("judge/pages/page.py", "import starlette.responses"),
        ("judge/pages/page.py", "def late():\n    import uvicorn"),
        ("judge/commands/records/view.py", "from judge.server import static"),
    ],
)
def test_the_import_check_finds(file, source):
    assert len(import_violations(file, source)) == 1


@pytest.mark.parametrize(
    "file, source",
    [
        ("protocol/games/connect_four/__init__.py", "from ...errors import ProtocolError\nimport struct"),
        (
            "bot/games/connect_four/rules/position.py",
            "import numba\nfrom protocol.games.connect_four import Turn",
        ),
        ("bot/games/__init__.py", "from . import connect_four"),
        ("bot/backends/native_compile.py", "import llvmlite.binding\nimport numba"),
        (
            "bot/search/uct/edge_nodes/tree.py",
            "from numba import njit\nfrom .layout import ROWS",
        ),
        ("judge/games/connect_four/rules.py", "from protocol.games import connect_four"),
        ("judge/statistics/elo.py", "import scipy.stats, rich.table, psutil\nimport protocol.records.record"),
        ("judge/server/static.py", "from starlette.responses import Response"),
        ("judge/commands/single_games/serve.py", "def late():\n    from judge.server import serving"),
    ],
)
def test_the_import_check_allows(file, source):
    assert import_violations(file, source) == []
