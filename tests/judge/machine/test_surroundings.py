"""Terminal, folders and the bot's engines, as they are and as they may be."""

import io
import sys
from pathlib import Path

import pytest

from judge.machine.facts import (
    FULL_BYTES,
    LITTLE_BYTES,
    Processor,
    State,
    Terminal,
    examine_folder,
    place_fact,
    read_terminal,
    terminal_facts,
)
from judge.machine.packages import Engine, NoStatus, ask_bot, engine_facts
from tests.places import REPOSITORY


def test_a_terminal_is_judged_by_what_it_shows():
    for terminal, state, word in [
        (Terminal(None, "xterm", "16 colours", "utf-8"), State.OK, "a file or a pipe"),
        (Terminal((120, 40), "xterm-256color", "256 colours", "utf-8"), State.OK, "120 x 40, 256 colours"),
        (Terminal((80, 24), "dumb", "no colours", "utf-8"), State.WARNING, "TERM=dumb"),
        (Terminal((80, 24), "", "no colours", "utf-8"), State.WARNING, "redrawn"),
        (Terminal((60, 24), "xterm", "16 colours", "utf-8"), State.WARNING, "tables break"),
    ]:
        shape, _ = terminal_facts(terminal)
        assert (shape.state, word in shape.text, bool(shape.advice)) == (state, True, state is not State.OK)


def test_the_environment_tells_the_colours():
    for environment, colours in [
        ({"TERM": "xterm-256color"}, "256 colours"),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, "all colours"),
        ({"TERM": "linux"}, "16 colours"),
        ({"TERM": "dumb", "COLORTERM": "truecolor"}, "no colours"),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, "no colours (NO_COLOR is set)"),
        ({}, "no colours"),
    ]:
        stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        assert read_terminal(stream, environment) == Terminal(None, environment.get("TERM", ""), colours, "ascii")


def test_output_that_is_not_utf_8_is_a_warning():
    for encoding, state in [("utf-8", State.OK), ("UTF8", State.OK), ("ascii", State.WARNING)]:
        _, characters = terminal_facts(Terminal(None, "", "", encoding))
        assert (characters.state, bool(characters.advice)) == (state, state is not State.OK)


def test_a_folder_that_is_not_there_yet_is_looked_at_from_above(tmp_path):
    place = examine_folder(tmp_path / "a" / "b")
    assert (place.path, place.refusal) == (tmp_path / "a" / "b", "")
    assert place.free > 0
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_refuses_files_says_why(tmp_path):
    (tmp_path / "file").write_text("")
    place = examine_folder(tmp_path / "file" / "records")
    assert place.refusal == "Not a directory"
    for is_needed, state in ((True, State.MISSING), (False, State.WARNING)):
        fact = place_fact("records", place, "go elsewhere", is_needed)
        assert (fact.state, fact.advice) == (state, "go elsewhere")


def test_a_full_disk(tmp_path):
    for free, state in [
        (0, State.MISSING),
        (FULL_BYTES - 1, State.MISSING),
        (FULL_BYTES, State.WARNING),
        (LITTLE_BYTES - 1, State.WARNING),
        (LITTLE_BYTES, State.OK),
    ]:
        place = examine_folder(tmp_path, {tmp_path: free}.get)
        fact = place_fact("records", place, "go elsewhere", is_needed=True)
        assert (fact.state, "go elsewhere" in fact.advice) == (state, state is not State.OK), free


def test_a_disk_that_does_not_tell_its_size(tmp_path):
    def refuses(path):
        raise OSError("no such call")

    assert place_fact("records", examine_folder(tmp_path, refuses), "", is_needed=True).state is State.OK


V3, V2 = Processor("x86_64", "A CPU", "x86-64-v3"), Processor("x86_64", "A CPU", "x86-64-v2")


def engine(kernels, level=None, impossible=None, data_fault=None, numba=True):
    return Engine("chess", kernels, level, "a reason", impossible, numba, "/cache", data_fault)


def test_engines_are_judged_by_what_the_bot_would_load():
    for found, processor, state, text, advice in [
        (engine("native", "x86-64-v3"), V3, State.OK, "native, for x86-64-v3", ""),
        (engine("native", "x86-64-v2"), V2, State.OK, "native, for x86-64-v2", ""),
        (engine("native", "x86-64-v2"), V3, State.WARNING, "which is faster (a reason)", "build chess"),
        (engine("numba"), V3, State.WARNING, "half a second later", "build chess builds it"),
        (engine("numba", impossible="no nm"), V3, State.WARNING, "half a second later", "can be built: no nm"),
        (engine("none"), V3, State.WARNING, "compiles while it plays", "build chess builds it"),
        (engine("none", impossible="no nm"), V3, State.WARNING, "compiles while it plays", "build chess fills numba"),
        (engine("none", impossible="no", numba=False), V3, State.WARNING, "by a small search", "install numba"),
        (engine("native", "x86-64-v2", "no nm"), V3, State.WARNING, "faster", "can be built: no nm"),
    ]:
        (fact,) = engine_facts([found], processor, "build")
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
