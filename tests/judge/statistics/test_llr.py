"""`judge llr` and `judge elo` against published figures, by their own laws, and on bad input."""

import itertools
import json
import math

import pytest
from scipy.optimize import minimize

from judge.__main__ import main
from judge.statistics.elo import estimate, expected_score, moments
from judge.statistics.sprt import Hypotheses
from tests.judge.helpers.scripted import run_judge

# fastchess, app/tests/sprt_test.cpp
PUBLISHED = [
    ("--single-games", "36027,68692,36433", 0, 2, "normalized", 0.92),
    ("--single-games", "10650,20431,10871", -1.75, 0.25, "normalized", 2.30),
    ("--single-games", "21184,40708,21404", 0.5, 2.5, "logistic", -1.57),
    ("--pairs", "365,16618,36229,16974,390", 0, 2, "normalized", 2.25),
    ("--pairs", "127,4883,10712,5150,104", -1.75, 0.25, "normalized", 3.01),
    ("--pairs", "223,9863,21279,10037,246", 0.5, 2.5, "logistic", -3.07),
]


@pytest.fixture
def answer(capsys):
    """A function from a command's words to the JSON object that it prints, read as strict JSON."""

    def refuse(word):
        raise AssertionError(f"{word} is not strict JSON")

    def run(*words):
        assert main([*map(str, words), "--json"]) == 0
        return json.loads(capsys.readouterr().out, parse_constant=refuse)

    return run


def test_published_likelihood_ratios(answer):
    for kind, counts, elo0, elo1, model, expected in PUBLISHED:
        found = answer("llr", kind, counts, "--elo0", elo0, "--elo1", elo1, "--model", model)
        assert found["llr"] == pytest.approx(expected, abs=0.005)
        assert found["bounds"] == pytest.approx([-2.944439, 2.944439], abs=1e-6)
        assert found["verdict"] == ("H1" if expected > 2.95 else "H0" if expected < -2.95 else None)


def test_published_ratings(answer):
    """fastchess, app/tests/elo_test.cpp."""
    found = answer("elo", "--pairs", "34,54,63,64,75")
    assert found["elo"] == pytest.approx(55.58, abs=0.005)
    assert found["elo_error"] == pytest.approx(27.65, abs=0.005)
    assert found["nelo"] == pytest.approx(57.94, abs=0.005)
    assert found["nelo_error"] == pytest.approx(28.28, abs=0.005)
    assert 0.99 < found["los"] < 1.0


def test_infinite_ratings_are_null(answer):
    found = answer("elo", "--single-games", "0,0,10")
    assert (found["elo"], found["elo_error"], found["nelo"]) == (None, None, None)
    assert found["elo_interval"] == [pytest.approx(182.73, abs=0.01), None]  # 0.05 ** (1 / 10) is 74.1 %


def test_a_ratio_in_words(tmp_path):
    done = run_judge(
        tmp_path, "llr", "--pairs", PUBLISHED[4][1], "--elo0", -1.75, "--elo1", 0.25, "--model", "normalized"
    )
    assert done.stdout == "LLR 3.01, bounds -2.94 and 2.94: H1\n"


def test_bad_input_is_named(capsys):
    for words, message in [
        (("elo", "--single-games", "1,2"), "'1,2' is not a list of counts, expected L,D,W"),
        (("elo", "--pairs", "1,2,3"), "expected LL,LD,DD+LW,WD,WW"),
        (("elo", "--single-games", "1,-2,3"), "is not a list of counts"),
        (("elo", "--single-games", "1,2.5,3"), "is not a list of counts"),
        (("elo", "--single-games", "0,0,0"), "not all of them 0"),
        (("elo",), "one of the arguments --pairs --single-games is required"),
        (("elo", "--single-games", "1,2,3", "--pairs", "1,2,3,4,5"), "not allowed with argument"),
        (("llr", "--single-games", "1,2,3", "--elo0", 5, "--elo1", 5), "expected elo0 below elo1"),
        (("llr", "--single-games", "1,2,3", "--elo0", "nan", "--elo1", 5), "elo0 is nan"),
        (("llr", "--single-games", "1,2,3", "--elo0", 0, "--elo1", 5000), "elo1 is 5000"),
        (("llr", "--single-games", "1,2,3", "--elo0", 0, "--elo1", 5, "--alpha", 0), "alpha is 0.0"),
        (("llr", "--single-games", "1,2,3", "--elo0", 0, "--elo1", 5, "--model", "other"), "invalid choice"),
    ]:
        with pytest.raises(SystemExit) as ended:
            main([*map(str, words), "--json"])
        assert ended.value.code == 2
        assert message in capsys.readouterr().err


def test_bounds_follow_from_the_risks():
    lower, upper = Hypotheses(0, 5, alpha=0.01, beta=0.1).bounds
    assert lower == pytest.approx(math.log(0.1 / 0.99))
    assert upper == pytest.approx(math.log(0.9 / 0.01))


@pytest.mark.parametrize("model", ["logistic", "normalized"])
def test_swapping_players_and_hypotheses_turns_the_sign(model):
    for counts in ([40, 3, 60], [5, 0, 30, 1, 22], [0, 0, 1, 0, 0]):
        forward = Hypotheses(-10, 40, model=model).llr(counts)
        backward = Hypotheses(-40, 10, model=model).llr(counts[::-1])
        assert forward == pytest.approx(-backward, abs=1e-6)


@pytest.mark.parametrize("model", ["logistic", "normalized"])
def test_every_count_has_a_figure(model):
    """Few games, or all of one kind, are what a test begins with."""
    for counts in itertools.chain(itertools.product((0, 1, 50), repeat=3), itertools.product((0, 2, 300), repeat=5)):
        for strengths in ((-5, 5), (0, 50), (-1000, 1000)) if any(counts) else ():
            assert math.isfinite(Hypotheses(*strengths, model=model).llr(counts))


def most_likely(counts, condition):
    """The distribution of greatest likelihood that meets the condition, by a general optimizer."""
    found = minimize(
        lambda shares: -sum(count * math.log(share) for count, share in zip(counts, shares, strict=True)),
        [1 / len(counts)] * len(counts),
        bounds=[(1e-9, 1)] * len(counts),
        constraints=[{"type": "eq", "fun": condition}, {"type": "eq", "fun": lambda shares: sum(shares) - 1}],
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 1000},
    )
    assert found.success
    return found.x


@pytest.mark.parametrize("model", ["logistic", "normalized"])
@pytest.mark.parametrize("counts", [[30, 20, 50], [6, 9, 40, 20, 12]])
def test_hypotheses_are_the_most_likely_of_their_kind(counts, model):
    classes = [index / (len(counts) - 1) for index in range(len(counts))]

    def deviation(elo):
        if model == "logistic":
            return lambda shares: moments(classes, shares)[0] - expected_score(elo)
        games = 2 if len(counts) == 5 else 1
        ratio = elo * math.log(10) / 800 * math.sqrt(games)
        return lambda shares: moments(classes, shares)[0] - 0.5 - ratio * math.sqrt(moments(classes, shares)[1])

    under0, under1 = (most_likely(counts, deviation(elo)) for elo in (0, 60))
    expected = sum(
        count * math.log(share1 / share0) for count, share0, share1 in zip(counts, under0, under1, strict=True)
    )
    assert Hypotheses(0, 60, model=model).llr(counts) == pytest.approx(expected, abs=1e-4)


def test_the_ratio_is_greatest_at_the_measured_strength():
    counts = [20, 15, 40, 25, 35]
    measured = estimate(counts).elo
    far, near = (
        Hypotheses(measured - 100, measured).llr(counts),
        Hypotheses(measured - 20, measured).llr(counts),
    )
    assert far > near > 0 > Hypotheses(measured, measured + 50).llr(counts)
