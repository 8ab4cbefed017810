"""Which search a bot plays with, and what it says of that: real processes, whatever is refused to them or broken."""

import re
import sys

import pytest

from bot.backends import native
from bot.backends.compiled import Kernels, KernelsUnavailable
from bot.games.connect_four import adapter
from tests.bot.games.connect_four.helpers.wire_games import WireGame
from tests.bot.helpers.bot_process import BotProcess, play_turns
from tests.bot.helpers.engine_folders import UNKNOWN_INSTRUCTION
from tests.bot.helpers.native_builds import RUNNABLE
from tests.bot.helpers.quick_bot import LOOKS

# Wide enough for a busy machine; the turns are short all the same, those of the plain search by counting.
LIMIT_S = 60.0
SHORT = ("--limit", LIMIT_S, "--info", "--set", "move_seconds=0.4")
BEST = RUNNABLE[0]
# What is said of engines above the best one, where there are any.
BETTER = "".join(f"{name}: not this CPU; " for name in native.NAMES[: native.NAMES.index(BEST)])
BEST_TRIED = BEST + f" ({BETTER}tried)"
RUN = "from tests.bot.helpers.quick_bot import main; main()"
# What is refused to a process, as a program that runs before the bot's.
REFUSALS = {
    "fork": "import os\ndef fork(): raise OSError(11, 'refused')\nos.fork = fork",
    "fork at all": "import os\ndel os.fork",
    "pipe": "import os\ndef pipe(): raise OSError(24, 'refused')\nos.pipe = pipe",
    "ctypes": "import sys\nsys.modules['ctypes'] = None",
    "mmap": "import sys\nsys.modules['mmap'] = None",
    "cpuinfo": "import builtins\nreal = builtins.open\ndef opened(path, *rest, **names):\n"
    "    if str(path) == '/proc/cpuinfo': raise FileNotFoundError(2, 'refused')\n"
    "    return real(path, *rest, **names)\nbuiltins.open = opened",
    "waiting": "import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)",
    "code in the folder": "import ctypes\nreal_library = ctypes.CDLL\ndef library(path, *rest, **names):\n"
    "    if path and path.endswith('.so') and 'x86-64' in path: raise OSError('refused')\n"
    "    return real_library(path, *rest, **names)\nctypes.CDLL = library",
    "memory files": "import os\ndel os.memfd_create",
}
# However busy the machine is, a trial has the time that it needs.
PATIENT = "import bot.backends.native\nbot.backends.native._TRIAL_S = 60.0"


def first_mover(*arguments, refused=(), environment=None, programs=()):
    """(stderr's lines that say which engine plays, --info's line) of a bot whose first turn waits at its start.

    Fails where its reply is late or illegal, or where it does not end in order.
    """
    prelude = "\n".join([*(REFUSALS[name] for name in refused), *programs, RUN])
    game = WireGame()
    with BotProcess(*SHORT, *arguments, command=("-c", prelude), environment=environment) as bot:
        bot.send(game.opening() + game.turn())
        reply, received = bot.reply()
        assert received - bot.started < LIMIT_S
        game.take(reply)
        assert bot.end_after_report(1)[:2] == (0, [])
    assert "Traceback" not in bot.last_words
    (info,) = bot.info_lines()
    return re.findall(r"^dropfour: engine (.*)$", bot.last_words, re.MULTILINE), info


def is_compiled(info):
    """Whether a turn was a compiled search's: the plain one, which counts here, has no depth and fewer iterations."""
    return info["depth"] > 0 and info["iterations"] > LOOKS


@pytest.mark.parametrize(
    "refused, said",
    [
        ((), BEST_TRIED),
        (("fork",), BEST + f" ({BETTER}not tried in a child)"),
        (("pipe", "fork at all"), BEST + f" ({BETTER}not tried in a child)"),
        (("waiting", "code in the folder"), BEST + f" ({BETTER}tried)"),
        (("code in the folder", "memory files"), BEST_TRIED),
        (("code in the folder", "memory files", "fork", "waiting"), BEST + f" ({BETTER}not tried in a child)"),
        (
            ("cpuinfo", "fork"),
            "x86-64 (x86-64-v3: cannot be tried in a child, and the CPU cannot be asked; "
            "x86-64-v2: cannot be tried in a child, and the CPU cannot be asked; not tried in a child)",
        ),
    ],
    ids=[
        "nothing",
        "fork",
        "pipe",
        "no code in the folder",
        "no code in memory either",
        "all of it",
        "fork and cpuinfo",
    ],
)
def test_a_bot_that_is_refused_things_finds_another_way(engines, refused, said):
    engine_lines, info = first_mover(refused=refused, programs=[PATIENT])
    assert engine_lines == [said]
    assert is_compiled(info)


@pytest.mark.parametrize("refused", ["ctypes", "mmap"])
def test_a_bot_that_cannot_have_compiled_code_plays_without(engines, refused):
    engine_lines, info = first_mover("--backend", "native", refused=[refused])
    assert engine_lines == [f"python (ModuleNotFoundError: import of {refused} halted; None in sys.modules)"]
    assert not is_compiled(info)


@pytest.mark.parametrize("refused", [(), ("code in the folder",)], ids=["from its file", "from memory"])
def test_an_engine_that_is_not_for_this_machine(folder, second, refused):
    """Nowhere must the broken engine's code stand in for the next one's: it would end the bot."""
    folder.replace_code(BEST, UNKNOWN_INSTRUCTION)
    engine_lines, info = first_mover(
        "--backend", "native", refused=refused, environment=folder.environment, programs=[PATIENT]
    )
    assert engine_lines == [f"{second} ({BETTER}{BEST}: killed by signal 4; tried)"]
    assert is_compiled(info)


def test_no_engine_works(folder):
    for name in native.NAMES:
        folder.library(name).unlink()
    engine_lines, info = first_mover("--backend", "native", environment=folder.environment)
    missing = "; ".join(f"{name}: No such file or directory" for name in RUNNABLE)
    assert engine_lines == [f"python ({BETTER}{missing})"]
    assert not is_compiled(info)


@pytest.mark.parametrize(
    "arguments, reason",
    [(("--backend", "jit"), "native: not asked for"), (("--backend", "auto"), "native: no native engine here")],
)
def test_numba_where_a_native_engine_is_not_wanted_or_not_there(kernels, tmp_path, arguments, reason):
    program = (
        "import os, sys\nfrom bot.commands.options import session_from\n"
        f"os._exit(session_from(sys.argv[1:], 'connect_four', engines={str(tmp_path / 'none')!r}).run())"
    )
    game = WireGame(first=False)
    with BotProcess(*arguments, *SHORT, command=("-c", program)) as bot:
        bot.send(game.opening())
        bot.wait_for_words("engine ")
        assert max(play_turns(bot, game, 1)) < LIMIT_S
        assert bot.end_after_report(1)[:2] == (0, [])
    assert bot.last_words.splitlines()[0] == f"dropfour: engine numba ({reason})"
    assert is_compiled(bot.info_lines()[0])


@pytest.mark.parametrize(
    "backend, said, compiled",
    [
        ("python", "python (asked for)", False),
        ("native", BEST_TRIED, True),
        (native.NAMES[-1], native.NAMES[-1] + " (tried)", True),
    ],
)
def test_the_backend_that_is_asked_for(engines, backend, said, compiled):
    engine_lines, info = first_mover("--backend", backend, programs=[PATIENT])
    assert engine_lines == [said]
    assert is_compiled(info) == compiled


@pytest.mark.parametrize("backend", ["native", native.NAMES[-1]])
def test_a_native_engine_that_is_not_built(backend, tmp_path):
    engine_lines, info = first_mover("--backend", backend, environment={"DROPFOUR_CACHE_DIR": str(tmp_path)})
    assert engine_lines == ["python (no native engine here)"]
    assert not is_compiled(info)


PATIENT_BOT = """
import os, sys
from bot.shell.session_builder import build_session
from bot.backends.compiled import Kernels
from bot.games.connect_four import adapter
from bot.shell.log import Log
log = Log()
def report(turn, move, decision, elapsed_s):
    numba = "there" if "numba" in sys.modules else "not there"
    log.say("turn %%d: numba is %%s, depth %%d" %% (turn, numba, decision.depth))
kernels = Kernels(adapter.GAME, sys.argv[1], engines=%r)
settings = adapter.preset("default").with_values(["move_seconds=0.1"])
from tests.bot.helpers import quick_bot
adapter.PlainSearch.think = quick_bot.counted(adapter.PlainSearch.think)
os._exit(build_session(adapter, kernels, log, settings, limit=%r, patient=True, report=report).run())
"""


@pytest.mark.parametrize(
    "backend, together",
    [
        ("jit", False),
        ("auto", False),
        ("jit", True),
    ],
)
def test_a_patient_player_leaves_numba_alone_until_its_first_turn_is_answered(kernels, tmp_path, backend, together):
    game = WireGame()
    with BotProcess(backend, command=("-c", PATIENT_BOT % (str(tmp_path / "none"), LIMIT_S))) as bot:
        bot.send(game.opening())
        if not together:
            bot.wait_until_idle()
        assert max(play_turns(bot, game, 1)) < LIMIT_S
        bot.wait_for_words("engine numba")
        assert max(play_turns(bot, game, 1)) < LIMIT_S
        bot.wait_for_words("turn 2:")
        assert bot.end()[:2] == (0, [])
    first, second = (line for line in bot.last_words.splitlines() if "turn" in line)
    assert first == "dropfour: turn 1: numba is not there, depth 0"
    assert second.startswith("dropfour: turn 2: numba is there, depth ")


class TestKernels:
    """compiled.Kernels as its callers without a clock use it."""

    @pytest.mark.parametrize("backend", ["native", BEST])
    def test_native_engines_only(self, folder, backend):
        kernels = Kernels(adapter.GAME, backend, str(folder.path))
        assert kernels.may_be_native() and kernels.ready() and kernels.available()
        assert kernels.obtain().name == BEST
        assert "numba" in sys.modules or kernels.load_s() < 0.1

    @pytest.mark.parametrize("backend", ["native", BEST])
    def test_native_engines_that_are_not_there(self, tmp_path, backend):
        kernels = Kernels(adapter.GAME, backend, str(tmp_path))
        for _ in range(2):
            with pytest.raises(KernelsUnavailable, match="no native engine here"):
                kernels.obtain()
        assert not (kernels.may_be_native() or kernels.ready() or kernels.available())
        assert not kernels.has_failed_to_compile()

    def test_numba_in_place_of_native_engines(self, tmp_path, kernels):
        found = Kernels(adapter.GAME, "auto", str(tmp_path)).obtain()
        assert found.search is kernels.search
        assert (found.name, found.reason) == ("numba", "native: no native engine here")
