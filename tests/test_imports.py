"""Who may import whom, which files may know which game, which must run on Python 3.8, and file lengths.

The rules are those of docs/architecture.md. The checks read source files and import nothing of them,
except where a fresh interpreter shows what a bot's start-up loads.
"""

import ast
import fnmatch
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGES = ("protocol", "bot", "judge")
MAX_LINES = 300

MAY_IMPORT = {
    "protocol": {"protocol"},
    "bot": {"bot", "protocol"},
    "judge": {"judge", "protocol", "rich", "psutil", "scipy", "tomli"},
}
COMPILER = {"numpy", "numba", "llvmlite"}
COMPILED_FILES = ("bot/jit.py", "bot/native_build.py", "bot/search/*.py", "bot/games/*/*.py")

GAMES = ("connect_four", "reversi", "dots")
GAME_REGISTRIES = ("judge/games.py", "bot/games/__init__.py", "protocol/strategy_library.py")

# What a bot with a native engine runs: standard library alone, and Python 3.8 has to do.
BUNDLE_FILES = (
    "protocol/*.py",
    "bot/__init__.py",
    "bot/assembly.py",
    "bot/clock.py",
    "bot/compiled.py",
    "bot/guard.py",
    "bot/code_places.py",
    "bot/inbox.py",
    "bot/kernel_sources.py",
    "bot/ladder.py",
    "bot/log.py",
    "bot/native.py",
    "bot/options.py",
    "bot/player.py",
    "bot/session.py",
    "bot/games/__init__.py",
    *(f"bot/games/connect_four/{name}.py" for name in ("endgame", "lookout", "principal_variation")),
    *(
        f"bot/games/*/{name}.py"
        for name in (
            "__init__",
            "board",
            "entry_points",
            "exercise",
            "move_names",
            "plain*",
            "presets",
            "seat",
            "settings",
            "*engine",
            "*layout",
            "pattern_set",
            "dialogue",
            "turn_decoder",
        )
    ),
    *(
        f"bot/search/{name}.py"
        for name in ("__init__", "decision", "memory", "scores", "settings_table", "tree_view", "*engine", "*layout")
    ),
)
NOT_IN_BUNDLE = ("protocol/interfaces.py", "protocol/record*.py", "protocol/strategy_library.py")
SLOW_TO_IMPORT = ("argparse", "dataclasses", "json", "re", "threading", "typing")
# What a bot imports once it has time, or a clock that bears it.
IMPORTED_LATE = ("ctypes", "hashlib", "mmap", "subprocess", "tempfile", "numba", "numpy", "bot.jit", "bot.native_build")


def python_files():
    files = [path for package in PACKAGES for path in sorted((REPOSITORY / package).rglob("*.py"))]
    return [path.relative_to(REPOSITORY).as_posix() for path in files]


def matches(file, patterns):
    return any(fnmatch.fnmatchcase(file, pattern) for pattern in patterns)


def in_bundle(file):
    return matches(file, BUNDLE_FILES) and not matches(file, NOT_IN_BUNDLE)


def imports(file, source):
    """Return (line, dotted name) of everything that `source` imports, relative imports made absolute.

    `from a import b` counts as a.b, be b a module or not; import_module("a") and __import__("a") count.
    """
    package = file.split("/")[:-1]
    found = []
    for node in ast.walk(ast.parse(source)):
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
    return found


def import_violations(file, source):
    """Return one sentence for each import that `file` may not make."""
    allowed = set(MAY_IMPORT[file.split("/")[0]]) | set(sys.stdlib_module_names)
    if matches(file, COMPILED_FILES) and not in_bundle(file):
        allowed |= COMPILER
    sentences = []
    for line, name in imports(file, source):
        if name.split(".")[0] not in allowed:
            sentences.append(f"{file}:{line} imports {name}")
        for game in GAMES:
            if game in name and game not in file and file not in GAME_REGISTRIES:
                sentences.append(f"{file}:{line} names {name}, which belongs to one game")
    return sentences


def syntax_3_8_violation(file, source):
    """Return the error that Python 3.8's grammar finds in `source`, None if it finds none."""
    try:
        ast.parse(source, file, feature_version=(3, 8))
    except SyntaxError as error:
        return f"{file}:{error.lineno} {error.msg}"
    return None


@pytest.mark.parametrize("file", python_files())
def test_every_file_imports_what_its_package_may(file):
    assert import_violations(file, (REPOSITORY / file).read_text("utf-8")) == []


@pytest.mark.parametrize("file", [file for file in python_files() if in_bundle(file)])
def test_every_bundle_file_is_python_3_8(file):
    assert syntax_3_8_violation(file, (REPOSITORY / file).read_text("utf-8")) is None


@pytest.mark.parametrize("file", python_files())
def test_every_file_is_short(file):
    assert len((REPOSITORY / file).read_text("utf-8").splitlines()) < MAX_LINES


@pytest.mark.parametrize(
    "file, source",
    [
        ("protocol/framing.py", "import numpy"),
        ("protocol/framing.py", "from bot import clock"),
        ("protocol/framing.py", "from ..judge import elo"),
        ("bot/clock.py", "import numpy as np"),
        ("bot/clock.py", "def late():\n    from numba import njit"),
        ("bot/games/connect_four/plain.py", "import numba"),
        ("bot/games/connect_four/settings.py", "import numpy"),
        ("bot/games/connect_four/exercise.py", "import numba"),
        ("bot/games/connect_four/alphabeta_engine.py", "import numpy"),
        ("bot/search/tree_view.py", "import numpy"),
        ("bot/native.py", "def late():\n    import llvmlite"),
        ("bot/compiled.py", "from numba import njit"),
        ("bot/bench.py", "import numpy"),
        ("bot/search/uct.py", "import judge.rules"),
        ("bot/search/uct.py", "import scipy"),
        ("bot/search/uct.py", "from ..games.connect_four import rules"),
        ("bot/search/uct.py", "from ..games import connect_four"),
        ("bot/compiled.py", "importlib.import_module('judge.elo')"),
        ("judge/elo.py", "import bot"),
        ("judge/elo.py", "__import__('numba')"),
        ("judge/referee.py", "from protocol.connect_four import Turn"),
        ("judge/rules/reversi.py", "from .connect_four import Rules"),
        ("bot/games/connect_four/seat.py", "from ..reversi import plain"),
        ("bot/session.py", "from protocol.reversi import Turn"),
    ],
)
def test_the_import_check_finds(file, source):
    assert len(import_violations(file, source)) == 1


@pytest.mark.parametrize(
    "file, source",
    [
        ("protocol/connect_four.py", "from .errors import ProtocolError\nimport struct"),
        ("bot/games/connect_four/rules.py", "import numpy, numba\nfrom protocol.connect_four import Turn"),
        ("bot/games/__init__.py", "from . import connect_four"),
        ("bot/native_build.py", "import llvmlite.binding\nimport numba"),
        ("bot/search/tree.py", "from numba import njit\nfrom .layout import ROWS\nfrom .. import clock"),
        ("judge/rules/connect_four.py", "from protocol import connect_four"),
        ("judge/elo.py", "import scipy.stats, rich.table, psutil\nimport protocol.record"),
    ],
)
def test_the_import_check_allows(file, source):
    assert import_violations(file, source) == []


def test_the_3_8_check_finds_younger_syntax():
    younger = syntax_3_8_violation("bot/clock.py", "match 1:\n    case 1:\n        pass")
    assert younger.startswith("bot/clock.py:") and "3.10" in younger
    assert syntax_3_8_violation("bot/clock.py", "if (n := 1): pass") is None


def run_fresh(interpreter, code):
    """Run `code` without site packages and with the repository on its path; return its stdout."""
    prelude = f"import sys; sys.path.insert(0, {str(REPOSITORY)!r}); sys.dont_write_bytecode = True\n"
    command = [interpreter, "-I", "-S", "-c", prelude + code]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout


ROUND_TRIP = """
from protocol.connect_four import *
opening, turn = Opening(9, 12, (8, 3)), Turn((8, 0), (9,) * 12, (1,) + (0,) * 107)
def spoken(wire):
    decoder = MessageDecoder(wire)
    decoder.feed(encode_opening(opening, wire) + encode_turn(turn, wire))
    assert (decoder.next_message(), decoder.next_message(), decoder.next_message()) == (opening, turn, None)
    decoder.end()
    replies = ReplyDecoder(wire)
    replies.feed(greeting(wire) + encode_reply(Reply(8, 4), wire))
    assert replies.next_reply() == Reply(8, 4)
"""


def test_a_bots_start_up_loads_nothing_slow():
    code = ROUND_TRIP + "spoken('saiblo'); spoken('saiblo-v2'); print(*sys.modules)"
    loaded = set(run_fresh(sys.executable, code).split())
    assert "protocol.connect_four" in loaded
    assert loaded.isdisjoint(SLOW_TO_IMPORT)


ASSEMBLED = """
from bot.assembly import assemble
from bot.compiled import Kernels
from bot.games.connect_four import seat
from bot.log import Log
session = assemble(seat, Kernels(seat.GAME, engines="nowhere"), Log())
"""


def test_a_whole_bot_loads_nothing_slow_before_its_first_message():
    loaded = set(run_fresh(sys.executable, ASSEMBLED + "print(*sys.modules)").split())
    assert {"bot.player", "bot.native", "bot.games.connect_four.plain"} <= loaded
    assert loaded.isdisjoint(SLOW_TO_IMPORT + IMPORTED_LATE)


@pytest.fixture
def python_3_8():
    """A real interpreter of that version."""
    interpreter = shutil.which("python3.8")
    if interpreter is None or subprocess.run([interpreter, "-V"], capture_output=True).returncode != 0:
        pytest.skip("no python3.8 on this machine")
    return interpreter


def test_the_protocol_runs_on_a_real_python_3_8(python_3_8):
    code = ROUND_TRIP + "for wire in WIRES: spoken(wire)\nprint(sys.version_info[:2])"
    assert run_fresh(python_3_8, code) == "(3, 8)\n"


def test_every_bundle_file_can_be_imported_by_a_real_python_3_8(python_3_8):
    modules = [file[:-3].replace("/", ".") for file in python_files() if in_bundle(file)]
    code = f"import importlib\nfor name in {modules}: importlib.import_module(name)\n"
    assert run_fresh(python_3_8, ASSEMBLED + code + "print(sys.version_info[:2])") == "(3, 8)\n"
