"""What the ladder runs: Python 3.8's grammar, a start that loads nothing slow, and a hash of all that is compiled."""

import ast
import shutil
import subprocess
import sys

import pytest

from bot.backends.sources import source_files
from bot.games import NAMES
from bundle.contents import LATE, bundled_modules, imported_at_start, imported_modules, source_of
from tests.places import REPOSITORY

SLOW_TO_IMPORT = ("argparse", "dataclasses", "json", "re", "threading", "typing")
# What a bot imports once it has time, or a clock that bears it.
IMPORTED_LATE = (
    "ctypes",
    "hashlib",
    "mmap",
    "subprocess",
    "tempfile",
    "numba",
    "numpy",
    "bot.backends.jit",
    "bot.backends.native_build",
)


def syntax_3_8_violation(file, source):
    """Return the error that Python 3.8's grammar finds in `source`, None if it finds none."""
    try:
        ast.parse(source, file, feature_version=(3, 8))
    except SyntaxError as error:
        return f"{file}:{error.lineno} {error.msg}"
    return None


def test_every_bundled_file_is_python_3_8():
    for module in sorted({module for game in NAMES for module in bundled_modules(game)}):
        assert syntax_3_8_violation(module, source_of(module).read_text("utf-8")) is None


def test_the_3_8_check_finds_younger_syntax():
    younger = syntax_3_8_violation("bot/shell/guard.py", "match 1:\n    case 1:\n        pass")
    assert younger.startswith("bot/shell/guard.py:") and "3.10" in younger
    assert syntax_3_8_violation("bot/shell/guard.py", "if (n := 1): pass") is None


def run_fresh(interpreter, code):
    """Run `code` without site packages and with the repository on its path; return its stdout."""
    prelude = f"import sys; sys.path.insert(0, {str(REPOSITORY)!r}); sys.dont_write_bytecode = True\n"
    command = [interpreter, "-I", "-S", "-c", prelude + code]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout


ROUND_TRIP = """
from protocol.games.connect_four import *
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
    assert "protocol.games.connect_four" in loaded
    assert loaded.isdisjoint(SLOW_TO_IMPORT)


ASSEMBLED = """
from bot.shell.session import build_session
from bot.backends.compiled import Kernels
from bot.games import adapter_of, part_of
from bot.shell.player import Log
session = build_session(adapter_of(GAME), Kernels(GAME, engines="nowhere"), Log())
"""


@pytest.mark.parametrize("game", NAMES)
def test_a_whole_bot_loads_nothing_slow_before_its_first_message(game):
    assembled = f"GAME = {game!r}{ASSEMBLED}"
    loaded = set(run_fresh(sys.executable, assembled + "print(*sys.modules)").split())
    assert {"bot.shell.player", "bot.backends.native", f"bot.games.{game}.plain"} <= loaded
    assert loaded.isdisjoint(SLOW_TO_IMPORT + IMPORTED_LATE)
    with_engine = set(run_fresh(sys.executable, assembled + "part_of(GAME, 'self_test'); print(*sys.modules)").split())
    assert with_engine.isdisjoint({*SLOW_TO_IMPORT, "hashlib", "subprocess", "numba", "numpy", "bot.backends.jit"})


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
    """But for those that numba compiles, which does not run on it."""
    modules = sorted({module for game in NAMES for module in imported_at_start(game)} | LATE)
    code = f"import importlib\nfor name in {modules}: importlib.import_module(name)\n"
    assert (
        run_fresh(python_3_8, "GAME = 'connect_four'" + ASSEMBLED + code + "print(sys.version_info[:2])") == "(3, 8)\n"
    )


@pytest.mark.parametrize("game", NAMES)
def test_every_module_that_kernels_and_their_self_test_import_decides_the_hash(game):
    """Otherwise a change of it would load code compiled before."""
    waiting, found = [f"bot.games.{game}.kernels", f"bot.games.{game}.self_test"], set()
    while waiting:
        module = waiting.pop()
        source = source_of(module)
        if source is not None and source not in found and module.startswith("bot"):
            found.add(source)
            waiting += imported_modules(module)
    files = {source.relative_to(REPOSITORY / "bot").as_posix() for source in found}
    assert {"kernels/machine.py", "search/alphabeta.py", "search/limits.py"} <= files
    assert files - {"__init__.py"} <= set(source_files(game))


def test_the_hash_is_of_all_kernels_of_one_game():
    files = source_files("dots")
    assert files == sorted(files)
    assert {"kernels/machine.py", "search/uct/wide_tree/tree.py", "games/dots/solver.py"} <= set(files)
    assert not [file for file in files if "connect_four" in file]
