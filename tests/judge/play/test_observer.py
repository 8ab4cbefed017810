"""Whoever is told of a game or a run may fail: the games have their records all the same, and one line tells of it."""

import pytest

from judge.play.observer import Observer, ObserverGroup
from judge.runs.progress import Progress
from protocol.records.record import Termination, read_records
from tests.judge.helpers.records import ended
from tests.judge.helpers.scripted import WIDE_LIMIT_S, command, run_judge
from tests.judge.helpers.virtual_table import Table

NOTE = "note: showing the game failed, so no more of it is shown; the game goes on: "


class Failing(Observer):
    """Fails in one of its methods, and counts how often it was asked to do anything."""

    def __init__(self, method):
        self.calls = 0
        self._method = method

    def _call(self, method):
        self.calls += 1
        if method == self._method:
            raise ValueError("no \x1b[2J picture")

    def started(self, plan, position):
        self._call("started")

    def thinking(self, side):
        self._call("thinking")

    def moved(self, side, position, move):
        self._call("moved")


@pytest.mark.parametrize("method, calls", [("started", 1), ("thinking", 2), ("moved", 3)])
def test_an_observer_that_fails_costs_no_game_its_record(method, calls, capsys, monkeypatch):
    observer = Failing(method)
    record = Table(monkeypatch).play(observer)
    assert (record.termination, len(record.moves)) == (Termination.NORMAL, 28)
    assert observer.calls == calls
    assert capsys.readouterr().err == f"{NOTE}ValueError: no \\x1b[2J picture\n"


class Noting(Observer):
    """Notes what it is told."""

    def __init__(self):
        self.told = []

    def begun(self, game_id):
        self.told.append(game_id)

    def started(self, plan, position):
        self.told.append("started")

    def thinking(self, side):
        self.told.append(side)

    def moved(self, side, position, move):
        self.told.append(move)


def test_of_several_observers_one_may_fail_without_the_others(capsys, monkeypatch):
    failing, noting = Failing("moved"), Noting()
    record = Table(monkeypatch).play(ObserverGroup([failing, noting]))
    assert failing.calls == 3
    assert noting.told[:4] == [record.extra["id"], "started", "A", record.moves[0]]
    assert [told for told in noting.told[2:] if told not in ("A", "B")] == list(record.moves)
    assert capsys.readouterr().err.count("\n") == 1


def test_a_progress_that_fails_is_told_of_once(capsys):
    def line(records):
        raise KeyError("score")

    with Progress(line, to_play=3) as progress:
        for _ in range(3):
            progress.show([], ended(Termination.NORMAL))
    assert capsys.readouterr().err == f"{NOTE}KeyError: 'score'\n"


def test_a_match_whose_progress_fails_is_played_to_its_end(tmp_path, monkeypatch):
    def show(progress, records, latest, number):
        raise RuntimeError("cannot draw")

    monkeypatch.setattr(Progress, "_show", show)
    mover = command("first_legal")
    words = ("match", mover, mover, "--games", 2, "--limit", WIDE_LIMIT_S, "--free-start", "--record", "m.jsonl")
    done = run_judge(tmp_path, *words)
    assert (done.returncode, done.stderr) == (0, f"{NOTE}RuntimeError: cannot draw\n")
    assert len(read_records(tmp_path / "m.jsonl")[0]) == 2
