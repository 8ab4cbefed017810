"""What a check takes and is worth: odds, the shares of its cases, how long it will last; by a clock told the time."""

import math
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from judge.checks import checks as check_outcomes
from judge.checks.checks import Checks, claim, in_order, names
from judge.checks.games import Bench, Claim, Shares
from judge.checks.trial import THOROUGH, USUAL, CheckConditions, moves_needed, odds
from judge.cli import check
from judge.games import GAMES
from judge.games.check_cases import Kind
from judge.play.scoresheet import Conditions
from judge.players.players import Contestant
from judge.processes.start import JudgeFailure
from tests.judge.helpers.checking import LEAST
from tests.judge.helpers.scripted import ENGINES, WIDE_LIMIT_S, bot, run_judge
from tests.places import PYTHON

LIMIT_S = 3.0
THREE_MINUTES_S = 180.0


class Clock:
    """Says what it is told."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def conditions(**others):
    play = Conditions(others.pop("limit_s", LIMIT_S), memory_limit_bytes=None)
    return CheckConditions(play, 1, threading.Event(), **others)


def test_odds_are_those_of_a_fault_in_one_of_200_moves():
    assert odds(0) == 0
    assert odds(1) == pytest.approx(1 / 200)
    assert odds(60) == pytest.approx(0.2597, abs=1e-4)
    assert moves_needed(0.95) == 598
    assert odds(USUAL.moves) >= 0.99 > odds(USUAL.moves - 1)
    assert odds(THOROUGH.moves) >= 0.999


def test_odds_are_never_told_better_than_they_are():
    for share, words in [
        (0, "0 %"),
        (0.2597, "25 %"),
        (0.9899, "98 %"),
        (0.9907, "99.0 %"),
        (0.99999, "99.9 % or more"),
    ]:
        assert check.in_percent(share) == words


def test_a_lane_is_shared_by_weight_after_what_each_takes_at_least(clock):
    shares = Shares({"a": Claim(10, 3), "b": Claim(20, 1), "c": Claim(0, 4)}, 1, 110, clock)
    assert shares.begin("a") == clock.now + 10 + 30
    shares.finish("a")
    assert shares.begin("b") == clock.now + 20 + 90 / 5  # it was quick: what it has left is the others'
    clock.now += 100
    shares.finish("b")
    assert shares.begin("c") == shares.end
    assert shares.end == 1110


def test_lanes_share_what_those_at_work_have_left(clock):
    shares = Shares({"a": Claim(0, 1), "b": Claim(0, 1)}, 2, 100, clock)
    assert shares.begin("a") == clock.now + 100
    assert shares.begin("b") == clock.now + 100


def test_a_case_that_begins_again_has_the_share_it_had(clock):
    shares = Shares({"a": Claim(0, 1), "b": Claim(0, 1)}, 1, 100, clock)
    until = shares.begin("a")
    shares.finish("a")
    clock.now += 10
    assert shares.begin("a") == until == 1050


def test_a_case_without_a_claim_goes_on_to_the_end(clock):
    assert Shares({}, 1, 50, clock).begin("other") == clock.now + 50


@pytest.mark.parametrize("jobs", [1, 4])
@pytest.mark.parametrize("game", GAMES)
def test_the_slowest_player_is_through_in_three_minutes(clock, game, jobs):
    """Every case takes its whole share, and a turn more; two lanes are as the first of them to be free."""
    cases = list(GAMES[game].check_cases)
    claims = {case.name: claim(case, LIMIT_S) for case in cases}
    shares = Shares(claims, jobs, USUAL.seconds_at(LIMIT_S), clock)
    began = clock.now
    running = []
    for case in sorted(cases, key=lambda case: -case.weight):
        if len(running) == jobs:
            clock.now, name = min(running)
            running.remove((clock.now, name))
            shares.finish(name)
        least = clock.now + claims[case.name].least_s
        running.append((max(least, shares.begin(case.name)), case.name))
    assert max(until for until, _name in running) - began < THREE_MINUTES_S - 2 * LIMIT_S


def test_what_a_case_takes_at_least_is_that_of_its_kind():
    """The turns, and the pauses in seconds with a limit of 3 s."""
    least = {
        Kind.WHOLE_GAME: (1, 0.0),
        Kind.LONG_GAME: (1, 0.0),
        Kind.AGAINST_ITSELF: (2, 0.0),
        Kind.MANY_GAMES: (1, 0.0),
        Kind.LATE_POSITIONS: (1, 0.0),
        Kind.BYTE_BY_BYTE: (3, 0.1),
        Kind.IN_PARTS: (3, 0.5),
        Kind.JOINED: (1, 0.0),
        Kind.SLOW_JUDGE: (2, 8.0),
        Kind.END_BEFORE_TURN: (0, 4.0),
        Kind.END_AFTER_REPLY: (1, 1.0),
        Kind.UNREAD_STDERR: (2, 0.0),
        Kind.LONG_SEARCH: (4, 0.0),
    }
    for game in GAMES.values():
        for case in game.check_cases:
            turns, pause_s = least[case.kind]
            assert claim(case, LIMIT_S) == Claim(turns * LIMIT_S + pause_s, case.weight)


def test_a_longer_limit_gives_a_check_more_time():
    assert USUAL.seconds_at(0.5) == USUAL.seconds_at(3.0) < THREE_MINUTES_S
    assert USUAL.seconds_at(6.0) == 2 * USUAL.seconds_at(3.0)
    assert THOROUGH.seconds_at(3.0) == math.inf


def test_a_player_that_is_told_its_limit_is_told_a_short_one_in_most_games():
    command = f"{PYTHON} -S -s '{ENGINES / 'misbehave.py'}' legal --limit {{limit}}"
    told = Bench(Contestant("told", command), conditions())
    assert told.hurried_limit_s == pytest.approx(0.2)
    assert Bench(Contestant("told", command), conditions(effort=THOROUGH)).hurried_limit_s is None
    assert Bench(Contestant("told", command), conditions(limit_s=0.1)).hurried_limit_s is None
    assert Bench(bot("misbehave", "legal"), conditions()).hurried_limit_s is None
    assert Bench(Contestant("none", "'"), conditions()).hurried_limit_s is None


def test_a_case_in_which_the_machine_fails_is_made_again(monkeypatch):
    failures = [JudgeFailure("no process"), JudgeFailure("no process")]
    real = check_outcomes.run_case

    def run(bench, case):
        if failures:
            raise failures.pop()
        return real(bench, case)

    monkeypatch.setattr(check_outcomes, "run_case", run)
    name = next(iter(names("connect_four")))
    checks = Checks(bot("first_legal"), conditions(limit_s=WIDE_LIMIT_S, effort=LEAST), [name])
    (outcome,) = checks.outcomes()
    assert outcome.passed
    assert not failures
    assert checks.bench.moves == outcome.moves == 1  # of the attempt that counts


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_machine_that_goes_on_failing_costs_no_other_check(monkeypatch, jobs):
    wanted = names("connect_four")[:2]
    real = check_outcomes.run_case

    def run(bench, case):
        if case.name == wanted[0]:
            raise JudgeFailure("no process")
        return real(bench, case)

    monkeypatch.setattr(check_outcomes, "run_case", run)
    checks = Checks(bot("first_legal"), conditions(limit_s=WIDE_LIMIT_S, jobs=jobs, effort=LEAST), wanted)
    assert [outcome.name for outcome in checks.outcomes()] == wanted[1:]
    assert checks.not_made == {wanted[0]: "no process"}


def test_where_the_machine_fails_in_all_games_no_limit_is_judged(monkeypatch):
    def run(bench, case):
        raise JudgeFailure("no process")

    monkeypatch.setattr(check_outcomes, "run_case", run)
    wanted = [*names("connect_four")[:2], *(name for name, _check in check_outcomes.LIMITS)]
    checks = Checks(bot("first_legal"), conditions(limit_s=WIDE_LIMIT_S, effort=LEAST), wanted)
    assert (list(checks.outcomes()), checks.not_made) == ([], dict.fromkeys(wanted, "no process"))


def test_cases_run_side_by_side_and_their_outcomes_have_an_order():
    """Each of three cases waits until all three have begun."""
    barrier = threading.Barrier(3, timeout=60)
    wanted = names("connect_four")[:3]
    checks = Checks(bot("first_legal"), conditions(limit_s=WIDE_LIMIT_S, jobs=3, effort=LEAST), wanted)
    with pytest.MonkeyPatch.context() as patch:
        real = check_outcomes.run_case

        def run(bench, case):
            barrier.wait()
            return real(bench, case)

        patch.setattr(check_outcomes, "run_case", run)
        found = in_order(list(checks.outcomes()), "connect_four")
    assert [outcome.name for outcome in found] == wanted
    assert all(outcome.passed for outcome in found)


def test_a_share_is_dealt_once_even_if_lanes_begin_together(clock):
    claims = {str(number): Claim(0, 1) for number in range(8)}
    shares = Shares(claims, 8, 100, clock)
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(shares.begin, claims)) == {clock.now + 100}


def test_more_checks_at_a_time_than_cores_are_a_bad_argument(tmp_path):
    done = run_judge(tmp_path, "check", "no-such-program", "--jobs", 10**6)
    assert done.returncode == 2
    assert "--jobs 1000000: each check needs a processor core of its own" in done.stderr
