"""What plot() draws of a match and of a tournament. The extra `plot` has matplotlib, without which this is skipped."""

import itertools
import json
import os
import subprocess
import sys

import pytest

from judge import plot, run_match
from judge.statistics import elo, score
from tests.places import REPOSITORY

NOTEBOOK = REPOSITORY / "docs" / "plots.ipynb"
WHY = "need matplotlib: scripts/setup plot"


@pytest.fixture
def pyplot(tmp_path, monkeypatch):
    """matplotlib's figures, which need no screen and keep their fonts in the test's folder."""
    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path))
    monkeypatch.setenv("MPLBACKEND", "Agg")
    found = pytest.importorskip("matplotlib.pyplot", reason=WHY)
    yield found
    found.close("all")


def first(position):
    return position.legal_moves[0]


def last(position):
    return position.legal_moves[-1]


def middle(position):
    return position.legal_moves[len(position.legal_moves) // 2]


def test_a_match_is_its_score_over_the_games_with_its_band(pyplot):
    match = run_match(first, last, 16, seed=3)
    axes = match.plot()
    records = [game.record for game in match.games]
    (line, _half) = axes.get_lines()
    points = [{"A": 1, "B": 0}.get(game.winner, 0.5) for game in match.games]
    assert list(line.get_ydata()) == [sum(points[:number]) / number for number in range(1, 17)]
    (band,) = axes.collections
    vertices = band.get_paths()[0].vertices
    found = elo.estimate(score.pairs_that_count(records))
    at_end = sorted({round(y, 6) for x, y in vertices if x == 16})
    assert at_end == sorted({round(elo.expected_score(bound), 6) for bound in (found.lower, found.upper)})
    assert axes.get_title() == "first against last"
    assert min(x for x, _y in vertices) >= 10  # no band from fewer than five pairs


def test_a_tournament_is_its_crosstable_with_the_best_first(pyplot, tmp_path):
    players, points = (first, last, middle), {}
    for one, other in itertools.combinations(players, 2):
        match = run_match(one, other, 4, seed=3)
        match.save(tmp_path / "all.jsonl")
        points[one.__name__, other.__name__] = (match.wins + match.draws / 2) / 4
        points[other.__name__, one.__name__] = (match.losses + match.draws / 2) / 4
    _figure, given = pyplot.subplots()
    axes = plot(tmp_path / "all.jsonl", given)
    assert axes is given
    names = [label.get_text().split(" ")[0] for label in axes.get_yticklabels()]
    assert sorted(names) == ["first", "last", "middle"]
    drawn = {tuple(map(round, text.get_position())): text.get_text() for text in axes.texts}
    assert drawn == {
        (column, row): f"{points[one, other]:.0%}"
        for row, one in enumerate(names)
        for column, other in enumerate(names)
        if one != other
    }


def test_no_game_with_a_result_is_no_plot(pyplot):
    with pytest.raises(ValueError, match="at least one game with a result"):
        run_match(first, last, 0).plot()


@pytest.mark.slow
def test_the_notebook_runs(pyplot, tmp_path):
    cells = [cell for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    program = tmp_path / "notebook.py"
    program.write_text("\n\n".join("".join(cell["source"]) for cell in cells), "utf-8")
    done = subprocess.run(
        [sys.executable, program],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("bot --iterations 100 - bot --iterations 30: ")
