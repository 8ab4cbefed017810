"""The wheel: what is in it, and that it plays all games where numba is not installed."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

import portable_engines
import wheel_build
from bot.backends import native
from bot.games import NAMES
from protocol.records.record import Termination, read_records
from tests.bot.helpers.native_builds import RUNNABLE
from tests.places import REPOSITORY
from tests.programs import c_compiler

# Python looks for this module as it starts: from then on there is no numba.
WITHOUT_NUMBA = "import sys\nsys.modules['numba'] = sys.modules['llvmlite'] = None\n"
SMALL = {"connect_four": ("--rows", "9", "--cols", "9"), "reversi": ("--size", "8"), "dots": ("--size", "4x4")}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel with the engine of this CPU alone: the others take a minute to build."""
    c_compiler()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "NAMES", (RUNNABLE[0],))
        return wheel_build.build(tmp_path_factory.mktemp("wheel"), lambda text: None)


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A folder that holds what the wheel installs, and hides numba."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as content:
        content.extractall(folder)
    (folder / "sitecustomize.py").write_text(WITHOUT_NUMBA)
    return folder


@pytest.fixture
def run(installed, tmp_path):
    """A function: a module of the wheel, run in an empty folder with an empty cache."""

    def run_module(*words, folder=installed):
        return subprocess.run(
            [sys.executable, "-m", *map(str, words)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(folder), "DROPFOUR_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
        )

    return run_module


@pytest.fixture
def bare(installed, tmp_path):
    """A copy of what the wheel installs without its engines."""
    folder = tmp_path / "bare"
    shutil.copytree(installed, folder)
    shutil.rmtree(folder / "bot" / "engines")
    return folder


def test_it_holds_engines_and_weights_that_load_with_the_standard_library_alone(wheel):
    """Its name tells platform, version and sources; numba is no package that it needs."""
    version = re.search(r'^version = "(.+)"$', (REPOSITORY / "pyproject.toml").read_text("utf-8"), re.MULTILINE)[1]
    assert re.fullmatch(rf"dropfour-{re.escape(version)}\+[0-9a-f]{{12}}-py3-none-linux_x86_64\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as content:
        names = set(content.namelist())
        assert "judge/locale/zh/LC_MESSAGES/dropfour.mo" in names
        (metadata,) = [name for name in names if name.endswith("METADATA")]
        needed = re.findall(r"^Requires-Dist: (\S+)(.*)$", content.read(metadata).decode(), re.MULTILINE)
    for game in NAMES:
        assert {f"bot/engines/{game}/{RUNNABLE[0]}.so", f"bot/engines/{game}/{native.MANIFEST}"} <= names
    for game in ("connect_four", "reversi"):
        assert f"bot/games/{game}/weights.bin" in names
    folders = [REPOSITORY / "judge" / name for name in ("web/assets", "templates")]
    assets = [path for folder in folders for path in folder.rglob("*.*") if path.suffix != ".pyc"]
    assert len(assets) > 50
    assert {path.relative_to(REPOSITORY).as_posix() for path in assets} <= names
    for name, condition in needed:
        assert not name.startswith(("numba", "llvmlite")) or 'extra == "compile"' in condition
    assert wheel_build.missing_engines(wheel) == ""


@pytest.mark.slow
def test_the_hash_tells_sources_apart(installed, tmp_path):
    hashes = {wheel_build.source_hash(installed)}
    copy = tmp_path / "copy"
    shutil.copytree(installed, copy)
    hashes.add(wheel_build.source_hash(copy))
    assert len(hashes) == 1
    with open(copy / "judge" / "program.py", "a") as source:
        source.write("# changed\n")
    assert wheel_build.source_hash(copy) not in hashes


@pytest.mark.slow
def test_a_wheel_without_an_engine_is_told(wheel, tmp_path):
    damaged = tmp_path / wheel.name
    with zipfile.ZipFile(wheel) as content, zipfile.ZipFile(damaged, "w") as less:
        for name in content.namelist():
            if name != f"bot/engines/dots/{native.MANIFEST}":
                less.writestr(name, content.read(name))
    assert wheel_build.missing_engines(damaged).splitlines()[-1].startswith("bot.backends.jit: numba is not installed")


@pytest.mark.slow
@pytest.mark.parametrize("game", NAMES)
def test_it_plays_without_numba(run, tmp_path, game):
    player = "bot --iterations 100"
    options = ("--game", game, *SMALL[game], "--limit", 60, "--seed", 1, "--quiet", "--sandbox", "off")
    done = run("judge", "play", player, player, *options)
    assert (done.returncode, done.stderr) == (0, "")  # where an engine is missing, a note says so
    ((record,), _) = read_records(tmp_path / "records" / "play.jsonl")
    assert record.termination is Termination.NORMAL


@pytest.mark.slow
def test_its_reversi_has_learned(run):
    words = ("bot", "analyze", "--game", "reversi", "--iterations", 3000, "--json")
    inside = run(*words)
    outside = subprocess.run(
        [sys.executable, "-m", *map(str, words)], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    values = [json.loads(done.stdout)["value"] for done in (inside, outside)]
    assert values[0] == values[1]


@pytest.mark.slow
def test_a_match_is_refused_without_an_engine(run, bare):
    done = run("judge", "match", "bot", "bot", "--games", 2, folder=bare)
    assert done.returncode == 2
    assert "player 'bot' has no compiled engine and would play weaker" in done.stderr
    assert "'bot --backend python'" in done.stderr


@pytest.mark.slow
def test_a_match_without_an_engine_on_purpose_is_played(run, bare):
    player = "bot --backend python --limit 0.45"
    done = run("judge", "match", player, player, "--games", 2, "--limit", 60, "--seed", 1, folder=bare)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_single_game_without_an_engine_begins_with_a_word(run, bare):
    player = "bot --limit 0.45"
    done = run("judge", "play", player, player, "--limit", 60, "--quiet", folder=bare)
    assert done.returncode == 0
    assert f"note: player {player!r}: " in done.stderr and "numba is not installed" in done.stderr


@pytest.mark.slow
def test_a_revision_needs_a_checkout(run, installed):
    done = run("judge", "match", "bot", "bot@v1", "--games", 2)
    assert done.returncode == 2
    assert f"bot@v1: {installed} is no git checkout, so it has no revisions" in done.stderr


def test_damaged_weights_make_no_wheel(monkeypatch, tmp_path):
    monkeypatch.setattr(portable_engines, "fault_in_data", lambda game: "damaged" if game == "reversi" else "")
    monkeypatch.setattr(native, "NAMES", (RUNNABLE[0],))
    c_compiler()
    with pytest.raises(wheel_build.WheelError, match="reversi: damaged"):
        wheel_build.build(tmp_path, lambda text: None)
