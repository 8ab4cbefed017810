"""A strength is stated in words only where the results bear it."""

from judge.reports import match as report
from tests.judge.helpers.scripted import run_judge

TOLD = (report.elo_in_words, report.interval_in_words, report.n_elo_in_words, report.los_in_words)


def test_too_few_results_have_no_strength():
    for counts in [(0, 0, 0), (4, 1, 4), (0, 0, 9), (0, 0, 4, 0, 0), (0, 0, 0, 0, 4)]:
        assert [told(counts) for told in TOLD] == ["-"] * 4, counts


def test_enough_results_have_one():
    assert report.elo_in_words((40, 0, 60)) == "+70.4 +-70.6"
    assert report.interval_in_words((40, 0, 60)) == "+3 .. +144"


def test_all_results_alike_have_a_bound():
    """0.05 ** (1 / 20) is 86.09 %, 316.6 Elo."""
    for counts in [(0, 0, 20), (0, 0, 0, 0, 20)]:
        assert [told(counts) for told in TOLD[:3]] == ["over +317", "over +317", "-"], counts
        assert [told(counts[::-1]) for told in TOLD[:3]] == ["under -317", "under -317", "-"], counts


def test_results_alike_in_the_middle_have_an_interval_but_no_normalized_elo(tmp_path):
    assert [told((0, 0, 20, 0, 0)) for told in TOLD] == ["+0.0 +-48.6", "-49 .. +49", "-", "50.0%"]
    lines = run_judge(tmp_path, "elo", "--pairs", "0,0,20,0,0").stdout.splitlines()
    assert lines[:2] == ["Elo  0.00 +- 48.65  (95 %: -48.65 .. 48.65)", "nElo -"]


def test_no_figure_is_minus_zero():
    assert report.elo_in_words((5, 3, 5)).startswith("+0.0 ")
    assert report.n_elo_in_words((5, 3, 5)).startswith("+0.0 ")
    assert report.elo_in_words((1000001, 0, 1000000)).startswith("+0.0 ")


def test_the_command_says_the_same(tmp_path):
    assert run_judge(tmp_path, "elo", "--single-games", "0,0,20").stdout.splitlines()[:2] == [
        "Elo  over 316.64  (95 %)",
        "nElo -",
    ]
    assert run_judge(tmp_path, "elo", "--single-games", "20,0,20").stdout.startswith("Elo  0.00 +- ")
