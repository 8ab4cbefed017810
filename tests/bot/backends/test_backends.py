"""Which search a bot plays with, and what it says of that: real processes, whatever is refused to them or broken."""

import os
import re
import sys

import pytest

from bot.backends import jit, native, native_build
from bot.backends.compiled import NATIVE_LOAD_S, Kernels, KernelsUnavailable
from bot.backends.jit import JitKernels
from bot.backends.sources import KEPT_VERSIONS
from bot.games.connect_four import adapter
from tests.bot.games.connect_four.helpers.wire_games import WireGame
from tests.bot.helpers.bot_process import BotProcess, play_turns
from tests.bot.helpers.engine_folders import UNKNOWN_INSTRUCTION, EngineFolder
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


NOT_ASKED = "cannot be tried in a child, and the CPU cannot be asked"


@pytest.mark.parametrize(
    "refused, said",
    [
        ((), BEST_TRIED),
        pytest.param(("pipe", "fork at all"), f"{BEST} ({BETTER}not tried in a child)", marks=pytest.mark.slow),
        pytest.param(("waiting", "code in the folder"), BEST_TRIED, marks=pytest.mark.slow),
        (("code in the folder", "memory files", "fork", "waiting"), f"{BEST} ({BETTER}not tried in a child)"),
        (
            ("cpuinfo", "fork"),
            f"x86-64 (x86-64-v3: {NOT_ASKED}; x86-64-v2: {NOT_ASKED}; not tried in a child)",
        ),
    ],
    ids=lambda given: " and ".join(given) or "nothing" if isinstance(given, tuple) else "",
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


def test_numba_where_there_is_no_native_engine(kernels, tmp_path):
    program = (
        "import os, sys\nfrom bot.commands.options import session_from\n"
        f"os._exit(session_from(sys.argv[1:], 'connect_four', engines={str(tmp_path / 'none')!r}).run())"
    )
    game = WireGame(first=False)
    with BotProcess("--backend", "auto", *SHORT, command=("-c", program)) as bot:
        bot.send(game.opening())
        bot.wait_for_words("engine ")
        assert max(play_turns(bot, game, 1)) < LIMIT_S
        assert bot.end_after_report(1)[:2] == (0, [])
    assert bot.last_words.splitlines()[0] == "dropfour: engine numba (native: no native engine here)"
    assert is_compiled(bot.info_lines()[0])


def test_the_backend_that_is_asked_for(engines):
    for backend, said, compiled in (
        ("python", "python (asked for)", False),
        (native.NAMES[-1], f"{native.NAMES[-1]} (tried)", True),
    ):
        engine_lines, info = first_mover("--backend", backend, programs=[PATIENT])
        assert (engine_lines, is_compiled(info)) == ([said], compiled)


def test_a_native_engine_that_is_not_built(tmp_path):
    engine_lines, info = first_mover("--backend", "native", environment={"DROPFOUR_CACHE_DIR": str(tmp_path)})
    assert engine_lines == ["python (no native engine here)"]
    assert not is_compiled(info)


PATIENT_BOT = """
import os, sys
from bot.shell.session import build_session
from bot.backends.compiled import Kernels
from bot.games.connect_four import adapter
from bot.shell.player import Log
log = Log()
def report(turn, move, decision, elapsed_s):
    numba = "there" if "numba" in sys.modules else "not there"
    log.report("turn %%d: numba is %%s, depth %%d" %% (turn, numba, decision.depth))
kernels = Kernels(adapter.GAME, sys.argv[1], engines=%r)
settings = adapter.preset("default").with_values(["move_seconds=0.1"])
from tests.bot.helpers import quick_bot
adapter.PlainSearch.think = quick_bot.counted(adapter.PlainSearch.think)
os._exit(build_session(adapter, kernels, log, settings, limit=%r, patient=True, report=report).run())
"""


@pytest.mark.parametrize("together", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_patient_player_leaves_numba_alone_until_its_first_turn_is_answered(kernels, tmp_path, together):
    game = WireGame()
    with BotProcess("jit", command=("-c", PATIENT_BOT % (str(tmp_path / "none"), LIMIT_S))) as bot:
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
        for backend, reason in (("auto", "native: no native engine here"), ("jit", "native: not asked for")):
            found = Kernels(adapter.GAME, backend, str(tmp_path)).obtain()
            assert found.search is kernels.search
            assert (found.name, found.reason) == ("numba", reason)

    def test_no_kernels_at_all(self):
        found = Kernels(adapter.GAME, "python")
        assert not (found.may_be_native() or found.available() or found.ready())
        with pytest.raises(KernelsUnavailable, match="^--backend python has no compiled search$"):
            found.obtain()

    def test_neither_native_engines_nor_numba(self, tmp_path, monkeypatch):
        monkeypatch.setattr(jit, "is_available", lambda: False)
        found = Kernels(adapter.GAME, "auto", str(tmp_path))
        with pytest.raises(KernelsUnavailable, match="no compiled search: no native engine here; and numba is not"):
            found.obtain()
        assert not found.available() and not found.ready()

    def test_a_cache_that_cannot_be_written(self, tmp_path, monkeypatch):
        (tmp_path / "file").touch()
        monkeypatch.setenv("DROPFOUR_CACHE_DIR", str(tmp_path / "file" / "cache"))
        with pytest.raises(KernelsUnavailable, match="^the kernel cache cannot be used: "):
            Kernels(adapter.GAME, "jit").obtain()

    def test_an_engine_is_built_where_it_is_missing_and_can_be(self, engines, tmp_path, monkeypatch):
        """By callers without a clock, of `auto` and `native` alone, and not where a folder of engines is named."""
        monkeypatch.setenv("DROPFOUR_CACHE_DIR", str(tmp_path))
        built, reports = [], []

        def build(game, report):
            built.append(game)
            report("building ..")
            EngineFolder(engines, tmp_path)

        monkeypatch.setattr(native_build, "build_for_this_cpu", build)
        assert Kernels(adapter.GAME, "native").obtain(reports.append).name == BEST
        assert (built, reports) == ([adapter.GAME], ["building .."])
        for kernels in (Kernels(adapter.GAME, BEST, str(tmp_path)), Kernels(adapter.GAME, "native", str(tmp_path))):
            with pytest.raises(KernelsUnavailable):
                kernels.obtain()
        assert len(built) == 1

    def test_how_long_loading_may_take(self):
        assert Kernels(adapter.GAME).load_s() == NATIVE_LOAD_S
        assert Kernels(adapter.GAME, "jit").load_s() == jit.LOAD_S


class Compiling(JitKernels):
    """numba's kernels whose loading compiles nothing: `loads` counts it."""

    loads = 0

    def load(self):
        self.loads += 1


class Process:
    """What stands for the process that compiles; status: None while it runs."""

    def __init__(self, status=None):
        self.status, self.asked = status, []

    def poll(self):
        return self.status

    def kill(self):
        self.asked.append("kill")

    def wait(self):
        self.asked.append("wait")


class TestJitKernels:
    """numba's cache without numba: when it is full, and the process that fills it."""

    @pytest.fixture(autouse=True)
    def cache(self, tmp_path, monkeypatch):
        monkeypatch.setenv("DROPFOUR_CACHE_DIR", str(tmp_path))
        return tmp_path

    def test_one_of_several_fills_the_cache_and_marks_it_complete(self, cache):
        first, second, reports = Compiling(adapter.GAME), Compiling(adapter.GAME), []
        assert first.available() and not first.ready()
        assert first.compile(reports.append) is True
        assert first.ready() and second.ready() and [path.name for path in cache.rglob(jit.MARKER)] == [jit.MARKER]
        assert first.compile(reports.append) is False and second.compile(reports.append) is False
        assert (first.loads, second.loads, len(reports)) == (1, 0, 1)

    def test_what_fails_to_compile_leaves_no_marker(self, cache, monkeypatch):
        monkeypatch.setattr(Compiling, "load", lambda self: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            Compiling(adapter.GAME).compile()
        assert list(cache.rglob(jit.MARKER)) == []

    def test_old_caches_are_dropped(self, cache):
        for number in range(KEPT_VERSIONS):
            (cache / str(number)).mkdir()
            (cache / str(number) / jit.MARKER).touch()
        Compiling(adapter.GAME).compile()
        assert len(list(cache.rglob(jit.MARKER))) == KEPT_VERSIONS

    def test_without_numba_nothing_can_be_had(self, monkeypatch):
        monkeypatch.setattr(jit, "is_available", lambda: False)
        kernels = JitKernels(adapter.GAME)
        kernels.start_compiling()
        assert not (kernels.available() or kernels.ready() or kernels.has_failed_to_compile())
        with pytest.raises(OSError, match="numba is not installed"):
            kernels.compile()

    def test_one_process_compiles_and_is_ended(self, monkeypatch):
        begun = []
        monkeypatch.setattr(jit.subprocess, "Popen", lambda words, **others: begun.append((words, others)) or Process())
        kernels = JitKernels(adapter.GAME)
        kernels.stop_compiling()
        kernels.start_compiling()
        kernels.start_compiling()
        ((words, others),) = begun
        assert words == [sys.executable, "-m", "bot.backends.jit", "--nice", adapter.GAME]
        assert {others[stream] for stream in ("stdin", "stdout", "stderr")} == {jit.subprocess.DEVNULL}
        assert not kernels.has_failed_to_compile()
        kernels.stop_compiling()
        assert kernels._compiler.asked == ["kill", "wait"]

    def test_a_process_that_has_ended(self, cache):
        kernels = Compiling(adapter.GAME)
        for status, failed in ((None, False), (0, False), (1, True), (-9, True)):
            kernels._compiler = Process(status)
            assert kernels.has_failed_to_compile() is failed, status
        kernels.stop_compiling()
        assert kernels._compiler.asked == []
        kernels.compile()  # by another one meanwhile
        assert not kernels.has_failed_to_compile()

    def test_where_no_process_may_be_started_numba_is_not_available(self, monkeypatch):
        def refuse(*words, **others):
            raise OSError(11, "refused")

        monkeypatch.setattr(jit.subprocess, "Popen", refuse)
        kernels = JitKernels(adapter.GAME)
        kernels.start_compiling()
        assert not kernels.available() and not kernels.has_failed_to_compile()

    def test_the_command_says_what_it_has_done(self, cache, monkeypatch, capsys):
        nice, made = [], []
        monkeypatch.setattr(os, "nice", nice.append)
        monkeypatch.setattr(jit, "_end_with_parent", lambda: nice.append("with its parent"))
        monkeypatch.setattr(jit, "JitKernels", lambda game: made.append(game) or Compiling(game))
        jit.main(["--nice", "dots"])
        jit.main(["dots"])
        jit.main([])
        assert (nice, made) == ([5, "with its parent"], ["dots", "dots", "connect_four"])
        said = re.sub(r"compiled in \d\.\d s", "compiled", capsys.readouterr().out).splitlines()
        compiling = "compiling the search kernels (once for this version and machine) .."
        assert said == [compiling, "compiled", "the search kernels are ready", compiling, "compiled"]

    def test_the_command_says_why_it_cannot(self, cache, monkeypatch):
        (cache / "file").touch()
        monkeypatch.setenv("DROPFOUR_CACHE_DIR", str(cache / "file"))
        with pytest.raises(SystemExit, match="bot.backends.jit: the kernel cache cannot be written: "):
            jit.main([])
        monkeypatch.setattr(jit, "is_available", lambda: False)
        with pytest.raises(SystemExit, match="numba is not installed; the bot plays without compiled code"):
            jit.main([])
