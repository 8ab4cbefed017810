"""Encoding, folders and the bot's engines, as they are and as they may be."""

import shutil
import sys
import types
from pathlib import Path

import pytest

from judge.machine.facts import State, clock_fact, encoding_fact, folder_fact
from judge.machine.packages import Engine, NoStatus, ask_bot, engine_facts
from tests.places import REPOSITORY


def test_output_that_is_not_utf_8_is_a_warning():
    for encoding, state in [("utf-8", State.OK), ("UTF8", State.OK), ("ascii", State.WARNING)]:
        fact = encoding_fact(encoding)
        assert (fact.state, bool(fact.advice)) == (state, state is not State.OK)


def test_a_kernel_that_does_not_count_waiting_is_a_warning():
    for counts, state in [(True, State.OK), (False, State.WARNING)]:
        fact = clock_fact(counts)
        assert (fact.state, bool(fact.advice)) == (state, state is not State.OK)


def test_a_folder_that_is_not_there_yet_is_looked_at_from_above(tmp_path, monkeypatch):
    missing, warning = State.MISSING, State.WARNING
    for free, state in [(0, missing), (49, missing), (50, warning), (999, warning), (1000, State.OK)]:
        free_bytes = {tmp_path: types.SimpleNamespace(free=free * 10**6)}
        monkeypatch.setattr(shutil, "disk_usage", free_bytes.get)
        fact = folder_fact("records", tmp_path / "a" / "b", "go elsewhere", State.MISSING)
        assert (fact.state, "go elsewhere" in fact.advice) == (state, state is not State.OK), free
        assert str(tmp_path / "a" / "b") in fact.text
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_refuses_files_says_why(tmp_path):
    (tmp_path / "file").write_text("")
    for broken in (State.MISSING, State.WARNING):
        fact = folder_fact("records", tmp_path / "file" / "records", "go elsewhere", broken)
        assert (fact.state, fact.advice, "Not a directory" in fact.text) == (broken, "go elsewhere", True)


V3, V2 = "x86-64-v3", "x86-64-v2"


def engine(kernels, level=None, impossible=None, data_fault=None, numba=True):
    return Engine("chess", kernels, level, "a reason", impossible, numba, "/cache", data_fault)


def test_engines_are_judged_by_what_the_bot_would_load():
    for status, level, state, text, advice in [
        (engine("native", "x86-64-v3"), V3, State.OK, "native code for x86-64-v3", ""),
        (engine("native", "x86-64-v2"), V2, State.OK, "native code for x86-64-v2", ""),
        (engine("native", "x86-64-v2"), V3, State.WARNING, "which is faster (a reason)", "build chess"),
        (engine("numba"), V3, State.WARNING, "half a second later", "build the engine with build chess"),
        (engine("numba", impossible="no nm"), V3, State.WARNING, "half a second later", "can be built: no nm"),
        (engine("none"), V3, State.WARNING, "compiles it during its game", "build the engine with build chess"),
        (
            engine("none", impossible="no nm"),
            V3,
            State.WARNING,
            "compiles it during its game",
            "compile the engine by numba with build chess",
        ),
        (engine("none", impossible="no", numba=False), V3, State.WARNING, "plays weaker", "install numba"),
        (engine("native", "x86-64-v2", "no nm"), V3, State.WARNING, "faster", "can be built: no nm"),
    ]:
        (fact,) = engine_facts([status], level, "build")
        assert (fact.name, fact.state, text in fact.text) == ("chess engine", state, True)
        assert advice in fact.advice and bool(advice) == bool(fact.advice)


def test_weights_are_there_or_missing():
    for fault, state in [("", State.OK), ("damaged: so; get it", State.MISSING)]:
        _, fact = engine_facts([engine("native", "x86-64-v3", data_fault=fault)], V3, "build")
        assert (fact.name, fact.state, bool(fact.advice)) == ("chess weights", state, bool(fault))


def test_a_bot_that_does_not_answer_is_told(tmp_path):
    (tmp_path / "bot" / "backends").mkdir(parents=True)  # comes before one that is installed
    for name in ("bot/__init__.py", "bot/backends/__init__.py"):
        (tmp_path / name).touch()
    (tmp_path / "bot" / "backends" / "status.py").write_text("raise SystemExit('no bot here')")
    environment = {"PATH": "/usr/bin:/bin"}
    with pytest.raises(NoStatus, match="no bot here"):
        ask_bot(tmp_path, sys.executable, environment)
    with pytest.raises(NoStatus):
        ask_bot(tmp_path, str(tmp_path / "no-python"), environment)


@pytest.mark.parametrize("answer", ["print('hello')", "print('{}')", "print('[1]')", "raise SystemExit(3)"])
def test_an_answer_that_is_none_is_told(tmp_path, answer):
    package = tmp_path / "bot" / "backends"
    package.mkdir(parents=True)
    (package / "status.py").write_text(answer)
    with pytest.raises(NoStatus):
        ask_bot(tmp_path, sys.executable, {"PATH": "/usr/bin:/bin"})


def test_the_bot_of_this_checkout_answers_for_every_game():
    assert [engine.game for engine in ask_bot(Path(REPOSITORY))] == ["connect_four", "reversi", "dots"]
