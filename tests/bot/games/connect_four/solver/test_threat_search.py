"""The threat search: what it calls safe, lost or won is so within its depth, and the engine avoids a deep trap."""

import time

import pytest

from bot.games.connect_four.plain import empty_position, tactical_columns
from bot.games.connect_four.settings import DEFAULT
from bot.games.connect_four.solver import engine as solver_engine
from bot.games.connect_four.solver import threat_search as threat_search_module
from bot.games.connect_four.solver.threat_search import FIRST_DEPTH, ThreatSearch
from bot.games.connect_four.uct import engine as uct
from bot.games.connect_four.uct.engine import UctEngine
from bot.search.process_memory import PROCESS_MB
from bot.search.scores import outcome, plies_to_end
from tests.bot.games.connect_four.helpers.exhaustive import Solver, random_positions
from tests.bot.helpers.engine_trials import on_processor_time, overrun_s

SIZES = ((4, 4, 2), (4, 5, 8), (5, 4, 8), (5, 5, 12), (4, 6, 11))
# A game that was lost: 10 rows, 12 columns, the forbidden cell in row 4 from the bottom and column 3. Column 5 is next
# to lose.
TRAP = (4, 8, 4, 4, 3, 5, 7, 5, 1, 2, 2, 5, 5, 4, 1, 3, 1, 1, 2, 4, 4)
INTO_THE_TRAP = 5
PATIENCE_S = 120.0


@pytest.fixture(autouse=True)
def processor_time(monkeypatch):
    """Budgets that are as good on a busy machine."""
    on_processor_time(monkeypatch, uct, threat_search_module, solver_engine)


def free_cells(position):
    return position.rows * position.columns - (position.forbidden != 0) - position.plies()


@pytest.fixture
def threat_search(kernels):
    return ThreatSearch(kernels, table_mb=1)


def trap():
    position = empty_position(10, 12, (4, 3))
    for column in TRAP:
        position = position.play(column)
    return position


@pytest.mark.parametrize("count", [100, pytest.param(250, marks=pytest.mark.slow)])
def test_what_it_says_is_so(threat_search, count):
    everything = Solver()
    safe = lost = won = 0
    for position in random_positions(31, count, SIZES):
        if tactical_columns(position)[0] is not None:
            continue
        scores = everything.move_scores(position)
        best = max(scores, key=scores.get)
        threat_search.open(position)
        for seconds in (0.0005, 0.002, 0.05):
            threat_search.work(seconds, best)
            for column in position.legal_moves():
                depth = threat_search.depth(column)
                if depth > FIRST_DEPTH:
                    safe += 1
                    assert outcome(scores[column]) != "loss" or plies_to_end(scores[column]) > depth
            for column, bound in threat_search.lost.items():
                lost += 1
                assert outcome(scores[column]) == "loss"
                assert plies_to_end(scores[column]) <= free_cells(position) + 1 + bound
            if threat_search.column is not None:
                won += 1
                assert outcome(scores[threat_search.column]) == "win"
                assert plies_to_end(scores[threat_search.column]) <= free_cells(position) + 1 - threat_search.lower
            if threat_search.upper < 0:
                assert outcome(scores[best]) == "loss"
    assert min(safe, lost, won) > count / 5


def test_it_finds_the_trap(threat_search):
    position = trap()
    threat_search.open(position)
    started = time.monotonic()
    while INTO_THE_TRAP not in threat_search.lost:
        assert time.monotonic() - started < PATIENCE_S
        threat_search.work(0.02, INTO_THE_TRAP)
    assert threat_search.column is None and threat_search.upper >= 0


def test_the_engine_keeps_out_of_it(kernels):
    threat_search = ThreatSearch(kernels, table_mb=16)
    threat_search.open(trap())
    column = UctEngine(kernels, DEFAULT, PROCESS_MB + 100, seed=3).think(trap(), budget_s=2.5).move
    started = time.monotonic()
    while threat_search.depth(column) < 10:
        assert column not in threat_search.lost
        assert time.monotonic() - started < PATIENCE_S
        threat_search.work(0.05, column)


def test_it_keeps_to_its_time_and_to_nothing_where_tactics_decide(threat_search):
    threat_search.open(empty_position(12, 12, (0, 0)))
    _, over_s = overrun_s(lambda: threat_search.work(0.1, 6), 0.1)
    assert -0.01 < over_s < 0.2
    decided = empty_position(6, 7)
    for column in (3, 0, 3, 0, 3, 0):
        decided = decided.play(column)
    threat_search.open(decided)
    threat_search.work(10, 3)
    assert threat_search.lost == {} and threat_search.column is None
