"""`check` finds what shows only late in a game, on one size of the board, in one of 200 moves or in a silence.

The checks run side by side, each of them one case at a time; every test looks at one of them. That each fault is found,
and in the case named here, follows from the bots' moves and the check's seed.
"""

import math
from concurrent.futures import ThreadPoolExecutor

import pytest

from judge.checks.effort import USUAL, Effort
from judge.checks.outcomes import Result
from judge.games import DEFAULT_GAME, GAMES
from judge.games.check_cases import Kind
from tests.judge.helpers.checking import LEAST, checked
from tests.judge.helpers.scripted import WIDE_LIMIT_S, bot

CONCURRENT = 16  # they wait for most of their time
WITHOUT_END = Effort(math.inf, USUAL.moves, hurries=False)
SILENT_LIMIT_S = 2.0  # silences are as long
CRASH = "CRASH: it was ended by signal 6"
ILLEGAL = "ILLEGAL_MOVE: "
# A game and the words of a bot that is wrong in this way: in which kind of case it is found, and how the reason begins.
FAULTS = {
    **{(DEFAULT_GAME, ("--abort-at", turn)): (Kind.LONG_GAME, CRASH) for turn in (12, 25, 30, 50)},
    ("reversi", ("--abort-at", 25)): (Kind.LONG_GAME, CRASH),
    ("dots", ("--abort-at", 12)): (Kind.LONG_GAME, CRASH),
    (DEFAULT_GAME, ("--abort-on-cols", 10)): (Kind.WHOLE_GAME, CRASH),
    (DEFAULT_GAME, ("--abort-on-rows", 11)): (Kind.WHOLE_GAME, CRASH),
    **{(game, ("--illegal-in", 200)): (Kind.MANY_GAMES, ILLEGAL) for game in GAMES},
    **{(game, ("--byte-after", 0.3)): (Kind.SLOW_JUDGE, "BAD_FRAME: it sent bytes out of turn") for game in GAMES},
}
SOUND = {(game, ()): Kind.MANY_GAMES for game in GAMES}
REST, THREADS, ONE_THREAD = (
    "at rest while the opponent is to move",
    "few threads and processes",
    "one thread: CPU time within wall time",
)
# What is only told of: the words of a bot, and how the reason of a check begins.
DOUBTS = {("--busy-after", 0.1): (REST, "its threads wanted "), ("--threads", 9): (THREADS, "10 threads at a time")}


def names_of(game, kind):
    """The names of the cases of the kind."""
    return [case.name for case in GAMES[game].check_cases if case.kind is kind]


@pytest.fixture(scope="module")
def checks():
    """{(game, a bot's words): a future of its checks}; those with long silences begin first."""
    with ThreadPoolExecutor(CONCURRENT) as pool:
        of_silence = [*names_of(DEFAULT_GAME, Kind.SLOW_JUDGE), REST, THREADS, ONE_THREAD]
        doubtful = {
            (DEFAULT_GAME, words): pool.submit(
                checked, bot("rarely", *words), SILENT_LIMIT_S, of_silence, DEFAULT_GAME, LEAST
            )
            for words in DOUBTS
        }
        kinds = {**{case: kind for case, (kind, _reason) in FAULTS.items()}, **SOUND}
        yield {
            **doubtful,
            **{
                (game, words): pool.submit(
                    checked, bot("rarely", *words, game=game), WIDE_LIMIT_S, names_of(game, kind), game, WITHOUT_END
                )
                for (game, words), kind in kinds.items()
            },
        }


@pytest.mark.parametrize("game, words", FAULTS)
def test_a_rare_fault_is_found(checks, game, words):
    found = [outcome.reason for outcome in checks[game, words].result().values() if not outcome.passed]
    _, reason = FAULTS[game, words]
    assert found
    assert all(other.startswith(reason) for other in found)


@pytest.mark.parametrize("game, words", SOUND)
def test_the_same_bot_without_a_fault_passes_and_had_the_moves_to_show_one(checks, game, words):
    (outcome,) = checks[game, words].result().values()
    assert outcome.result is Result.PASSED
    assert outcome.moves >= USUAL.moves


def test_only_boards_of_the_size_that_is_wrong_fail(checks):
    found = checks[DEFAULT_GAME, ("--abort-on-cols", 10)].result()
    assert {name for name, outcome in found.items() if not outcome.passed} == {name for name in found if "x 10" in name}


@pytest.mark.parametrize("words", DOUBTS)
def test_what_the_platform_may_put_up_with_is_a_warning(checks, words):
    found = checks[DEFAULT_GAME, words].result()
    name, reason = DOUBTS[words]
    assert [other for other, outcome in found.items() if outcome.result is not Result.PASSED] == [name]
    assert found[name].result is Result.WARNING
    assert found[name].reason.startswith(reason)
