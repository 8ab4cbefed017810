"""A strength is stated in words only where the results bear it."""

from judge.reports import match as report
from tests.judge.helpers.scripted import run_judge

strength = report.strength_in_words


def test_too_few_results_have_no_strength():
    for counts in [(0, 0, 0), (4, 1, 4), (0, 0, 9), (0, 0, 4, 0, 0), (0, 0, 0, 0, 4)]:
        assert strength(counts) == ("-",) * 4, counts


def test_enough_results_have_one():
    assert strength((40, 0, 60))[:2] == ("+70.4 +-70.6", "+3 .. +144")


def test_all_results_alike_have_a_bound():
    """0.05 ** (1 / 20) is 86.09 %, 316.6 Elo."""
    for counts in [(0, 0, 20), (0, 0, 0, 0, 20)]:
        assert strength(counts)[:3] == ("over +317", "over +317", "-"), counts
        assert strength(counts[::-1])[:3] == ("under -317", "under -317", "-"), counts


def test_results_alike_in_the_middle_have_an_interval_but_no_normalized_elo(tmp_path):
    assert strength((0, 0, 20, 0, 0)) == ("+0.0 +-48.6", "-49 .. +49", "-", "50.0%")
    lines = run_judge(tmp_path, "elo", "--pairs", "0,0,20,0,0").stdout.splitlines()
    assert lines[:2] == ["Elo  0.00 +- 48.65  (95 %: -48.65 .. 48.65)", "nElo -"]


def test_no_figure_is_minus_zero():
    for counts in ((5, 3, 5), (1000001, 0, 1000000)):
        assert strength(counts).elo.startswith("+0.0 ") and strength(counts).n_elo.startswith("+0.0 ")


def test_the_command_says_the_same(tmp_path):
    assert run_judge(tmp_path, "elo", "--single-games", "0,0,20").stdout.splitlines()[:2] == [
        "Elo  over 316.64  (95 %)",
        "nElo -",
    ]
    lines = run_judge(tmp_path, "elo", "--pairs", "34,54,63,64,75").stdout.splitlines()
    assert lines[0].startswith("Elo  55.58 +- 27.65 ") and lines[1] == "nElo 57.94 +- 28.28"
