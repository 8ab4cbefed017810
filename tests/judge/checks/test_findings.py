"""What `judge check` finds wrong with a player: every case and every limit, by scripted players in no time.

test_check.py has real processes for what only these show.
"""

import itertools
import math

import pytest

from judge.checks import games
from judge.checks.checks import (
    FEW_TURNS,
    GROUPS,
    LIMITS,
    Checks,
    Group,
    Outcome,
    Result,
    in_order,
    names,
    outcomes,
    run_case,
)
from judge.checks.games import Bench
from judge.checks.trial import USUAL, Effort
from judge.games import DEFAULT_GAME
from judge.games import GAMES as ALL_GAMES
from judge.games.check_cases import Kind
from judge.games.connect_four import checks as connect_four_checks
from judge.play.clock import TurnUsage
from judge.play.referee import Interrupted
from judge.players.players import Contestant
from judge.processes.start import CannotStart
from protocol.framing import encode_frame
from protocol.records.record import Termination
from tests.contracts.games import GAMES
from tests.judge.helpers.virtual_table import (
    Act,
    Player,
    Table,
    closes,
    ends,
    holds,
    legal,
    logs,
    says,
    works,
)

LIMIT_S = 1.0
QUICK_S = 1 / 64
WITHOUT_END = Effort(math.inf, USUAL.moves, hurries=False)
FEW_MOVES = Effort(math.inf, 0, hurries=False)
CASES = {case.kind: case for case in reversed(ALL_GAMES[DEFAULT_GAME].check_cases)}
FIRST, SECOND = (case.name for case in ALL_GAMES[DEFAULT_GAME].check_cases[:2])
TOP_CORNER = next(case.name for case in connect_four_checks.CASES if "top corner" in case.name)
(
    TIME_LIMIT,
    START_UP,
    OUTPUT_LIMIT,
    PRINTS,
    MEMORY,
    STDERR,
    ONE_THREAD,
    FEW_THREADS,
    AT_REST,
) = (name for name, _ in LIMITS)


def name_of(kind):
    return CASES[kind].name


def quick(turn):
    return [says(legal, QUICK_S)]


def player(answers=None, **others):
    """One that is quick, but where it says otherwise."""
    return Player(answers or {}, **{"usual": quick, **others})


def checked(monkeypatch, a, only=None, effort=FEW_MOVES, **others):
    """{check's name: Outcome} of a player, in no time."""
    table = Table(monkeypatch, A=a)
    conditions = table.conditions(LIMIT_S, effort=effort, **others)
    found = in_order(list(outcomes(Contestant("A", "A"), conditions, only)), conditions.game)
    return {outcome.name: outcome for outcome in found}


def failed(found):
    """{name: (Result, reason)} of what was not passed."""
    return {
        outcome.name: (outcome.result, outcome.reason)
        for outcome in found.values()
        if outcome.result is not Result.PASSED
    }


def test_a_sound_player_passes_every_check(monkeypatch):
    found = checked(monkeypatch, player(), effort=WITHOUT_END)
    assert failed(found) == {} and list(found) == names(DEFAULT_GAME)
    seen = {name: outcome.reason for name, outcome in found.items()}
    assert sum(outcome.moves for outcome in found.values()) >= USUAL.moves
    assert seen[name_of(Kind.BYTE_BY_BYTE)] == seen[name_of(Kind.IN_PARTS)] == "the player made 3 moves"
    assert seen[name_of(Kind.JOINED)] == "the player's first move came after 0.016 s"
    silent = "the player sent nothing in 13 pauses before its turns, the longest of 1.5 s"
    assert seen[name_of(Kind.SLOW_JUDGE)] == silent
    ended = "the player ended 0.000 s after the end of its input"
    assert seen[name_of(Kind.END_BEFORE_TURN)] == seen[name_of(Kind.END_AFTER_REPLY)] == ended
    assert seen[name_of(Kind.LONG_SEARCH)] == "the player made 8 moves and held at most 0 MB of memory"
    assert seen[TIME_LIMIT] == "the player's slowest move took 0.016 s, the limit is 1 s"
    assert found[TIME_LIMIT].moves == found[TIME_LIMIT].longest == 0
    assert seen[START_UP] == "the player's slowest first move came 0.016 s after its process had started"
    assert seen[OUTPUT_LIMIT] == "no reply of the player is longer than 2048 bytes"
    assert seen[MEMORY] == "the player held at most 0 MB of memory, the limit is 1000 MB"
    assert seen[FEW_THREADS] == "the player's threads at the same time: at most 1"
    assert seen[ONE_THREAD].startswith("the player used at most 0.00 s of CPU time in a game")
    assert seen[AT_REST].startswith("the player's threads wanted 0.00 s of CPU time in ")


@pytest.mark.parametrize("game", GAMES)
def test_a_game_has_its_own_runs_and_the_limits(game):
    found = names(game)
    assert found == [case.name for case in ALL_GAMES[game].check_cases] + [name for name, _ in LIMITS]
    assert len(set(found)) == len(found)
    assert any("asked twice running" in name for name in found) == (game == "reversi")
    assert {GROUPS[case.kind] for case in ALL_GAMES[game].check_cases} == set(Group) - {Group.BUILD}


# What a player does at its first turn: which of these checks fail, and how the reason begins.
AT_ONCE = [FIRST, *(name for name, _ in LIMITS)]
OFF_BOARD = says(lambda turn: turn.reply((0, 40)))
FAULTS = {
    "an illegal move": ([OFF_BOARD], {FIRST: "ILLEGAL_MOVE: column 40 is off the board"}),
    "no length": ([says(bytes(4))], {FIRST: "BAD_FRAME: "}),
    "no numbers": ([says(encode_frame(b"left please"))], {FIRST: "BAD_FRAME: "}),
    "more behind a reply": (
        [says(lambda turn: legal(turn) + b"\n")],
        {
            FIRST: 'BAD_FRAME: it printed "\\n" on stdout out of turn; stdout is for replies alone',
            PRINTS: 'the player printed "\\n" in 1 of 1 games; stdout is for',
        },
    ),
    "two replies": ([says(legal, 0.0), says(legal, 0.0)], {FIRST: "BAD_FRAME: it sent bytes out of turn"}),
    "text": (
        [says(b"thinking...\n"), says(legal)],
        {
            FIRST: "OUTPUT_LIMIT: ",
            OUTPUT_LIMIT: "a reply of the player is longer than 2048 bytes, in 1 of 1 games",
            PRINTS: 'the player printed "thinking...\\n',
        },
    ),
    "too long a reply": (
        [says((2049).to_bytes(4, "big"))],
        {FIRST: "OUTPUT_LIMIT: ", OUTPUT_LIMIT: "a reply of the player is longer than 2048 bytes"},
    ),
    "an end": ([ends(3)], {FIRST: "CRASH: it ended with status 3"}),
    "an end behind a reply": ([says(legal, 0.0), ends(0, 0.0)], {FIRST: "CRASH: it ended with status 0"}),
    "a closed stdout": ([closes()], {FIRST: "CRASH: it closed its stdout"}),
    "a late reply": (
        [says(legal, 1.5)],
        {FIRST: "TIME_FORFEIT: it took 1.500 s", TIME_LIMIT: "a move of the player took over 1 s, in 1 of 1 games"},
    ),
    "silence": (
        [],
        {
            FIRST: "STALL: it said nothing for 2.000 s",
            TIME_LIMIT: "a move of the player took over 1 s",
            START_UP: "no first move",
        },
    ),
    "too much memory": (
        [holds(1_200_000_000, 0.0), says(legal)],
        {FIRST: "MEMORY_LIMIT: it held 1200 MB of memory", MEMORY: "the player held at most 1200 MB of memory"},
    ),
    "much stderr": (
        [logs(b"x" * 65537, 0.0), says(legal)],
        {STDERR: "the player wrote 65,537 bytes to stderr in one game; the platform takes 65,536"},
    ),
}


@pytest.mark.parametrize("what", FAULTS)
def test_a_fault_fails_what_it_is_about_for_the_right_reason(monkeypatch, what):
    acts, expected = FAULTS[what]
    wanted = AT_ONCE if what != "much stderr" else [FIRST, STDERR]
    found = failed(checked(monkeypatch, player({0: acts}), wanted))
    if TIME_LIMIT in expected:
        expected = {START_UP: "no first move came in time", **expected}
    no_move = {TIME_LIMIT: "the player made no move in time", START_UP: "no first move came in time"}
    more = no_move if FIRST in found and TIME_LIMIT not in expected else {}
    for name, reason in expected.items():
        result, said = found.pop(name)
        assert result is Result.FAILED and said.startswith(reason), said
    assert all(reason.startswith(more.get(name, "nothing")) for name, (_, reason) in found.items()), found


def test_stderr_is_judged_for_the_longest_game(monkeypatch):
    for a_turn, result, reason in (
        (
            600,
            Result.PASSED,
            "the player would write at most 47,600 bytes to stderr in the longest game; the platform ",
        ),
        (
            900,
            Result.FAILED,
            "at the rate of its games the player writes 68,900 bytes to stderr in 72 moves; the platform ",
        ),
    ):
        chatty = player(usual=lambda turn, a_turn=a_turn: [logs(b"x" * (a_turn if turn.number else 5000)), says(legal)])
        found = checked(monkeypatch, chatty, [FIRST, STDERR])
        assert (found[STDERR].result, found[STDERR].reason.startswith(reason)) == (result, True)
        assert found[FIRST].reason == f"the player made {found[FIRST].moves} moves, the slowest in 0.250 s"


def test_a_reply_that_goes_wrong_is_no_text(monkeypatch):
    for data in (bytes(4), encode_frame(b"3"), encode_frame(b"3 4")[:5]):
        found = checked(monkeypatch, player({0: [says(data), ends(3, 0.5)]}), [FIRST, PRINTS])
        assert not found[FIRST].passed and found[PRINTS].result is Result.PASSED


def test_text_that_comes_last_is_named_too(monkeypatch):
    found = checked(monkeypatch, player(at_end=(says(b"bye\n", 0.0), ends(0, 0.01))), [FIRST, PRINTS])
    assert failed(found) == {
        PRINTS: (
            Result.FAILED,
            'the player printed "bye\\n" in 1 of 1 games, after its last reply: maybe from a buffer, which fills '
            "up before the end of a longer game; print to stderr instead",
        )
    }


@pytest.mark.parametrize("turns", [1, 3])
def test_bytes_out_of_turn_show_where_the_judge_is_slow(monkeypatch, turns):
    acts = [says(legal, QUICK_S), says(b"x", QUICK_S + 0.4)]
    found = checked(monkeypatch, player({turns: acts}), [name_of(Kind.SLOW_JUDGE)])
    ((result, reason),) = failed(found).values()
    assert result is Result.FAILED and reason.startswith('BAD_FRAME: it printed "x" on stdout out of turn; ')


def test_a_player_that_ends_before_it_is_asked_has_crashed(monkeypatch):
    found = checked(monkeypatch, player(at_start=(ends(0, 0.125),)), [name_of(Kind.SLOW_JUDGE)])
    (outcome,) = found.values()
    assert (outcome.forfeit, outcome.reason) == (Termination.CRASH, "CRASH: it ended with status 0")


@pytest.mark.parametrize("kind", [Kind.END_BEFORE_TURN, Kind.END_AFTER_REPLY])
def test_what_follows_the_end_of_the_input(monkeypatch, kind):
    name = name_of(kind)

    def seen(**others):
        outcome = checked(monkeypatch, player(**others), [name])[name]
        return outcome.result, outcome.reason

    assert seen(at_end=(ends(0, 0.898),)) == (Result.PASSED, "the player ended 0.900 s after the end of its input")
    runs_on = seen(at_end=())
    assert runs_on[0] is Result.WARNING
    assert runs_on[1].startswith(
        "the player still runs 1 s after the end of its input, as the platform's own main() does"
    )
    left = "the player ended but left 2 of its processes running: end them before the player ends"
    assert seen(children=2) == (Result.FAILED, left)
    # One that takes more and more memory then is not waited for.
    hoarding = tuple(holds(number * 10**8, number / 128) for number in range(64))
    assert seen(at_end=hoarding)[0] is Result.WARNING


def test_what_a_loop_at_the_end_costs_is_not_the_games(monkeypatch):
    at_end = tuple(act for number in range(1, 99) for act in (logs(b"x" * 1000, number / 128), holds(10**8, 0.5)))
    wanted = [name_of(Kind.END_AFTER_REPLY), STDERR, MEMORY]
    found = checked(monkeypatch, player(at_end=at_end), wanted)
    assert list(failed(found)) == [name_of(Kind.END_AFTER_REPLY)]
    assert found[MEMORY].reason == "the player held at most 0 MB of memory, the limit is 1000 MB"


def test_start_up_is_charged_to_the_first_move(monkeypatch):
    wanted = [FIRST, SECOND, START_UP]
    found = checked(monkeypatch, player(starts_s=0.5), wanted)
    assert found[START_UP].reason == "the player's slowest first move came 0.516 s after its process had started"
    found = checked(monkeypatch, player(starts_s=2.5), wanted)
    assert failed(found)[FIRST][1].startswith("STALL: ")
    assert failed(found)[START_UP][1].startswith("no first move came in time when the player's start counted")


def test_threads_are_told_and_more_than_one_at_work_fails(monkeypatch):
    found = checked(monkeypatch, player(threads=9), [FIRST, FEW_THREADS, ONE_THREAD])
    assert failed(found) == {
        FEW_THREADS: (
            Result.WARNING,
            "the player had 9 threads at a time: the platform limits their number, but has not published the limit",
        )
    }
    assert failed(checked(monkeypatch, player(threads=8), [FIRST, FEW_THREADS])) == {}


def test_who_computes_while_the_judge_is_slow_is_told_of(monkeypatch):
    busy = player(usual=lambda turn: [works(False), says(legal, QUICK_S), works(True, QUICK_S + 0.1)])
    found = checked(monkeypatch, busy, [name_of(Kind.SLOW_JUDGE), AT_REST])
    result, reason = failed(found)[AT_REST]
    assert result is Result.WARNING and reason.startswith("the player's threads wanted ")
    assert reason.endswith("the platform may stop a player that is not to move, or count its work")
    assert (
        checked(monkeypatch, player(), [FIRST, AT_REST])[AT_REST].reason
        == "not measured: the player never had to wait for long"
    )
    found = checked(monkeypatch, player(), [name_of(Kind.SLOW_JUDGE), AT_REST])
    wanted = "the player's threads wanted 0.00 s of CPU time in the 8.00 s in which the player waited"
    assert found[AT_REST].reason == wanted
    assert found[name_of(Kind.SLOW_JUDGE)].elapsed_s == round(found[name_of(Kind.SLOW_JUDGE)].elapsed_s, 3) > 10


@pytest.mark.parametrize("kind", [Kind.BYTE_BY_BYTE, Kind.IN_PARTS])
def test_the_opponent_moves_between_the_players_turns(monkeypatch, kind):
    turns = []
    asked = player(usual=lambda turn: turns.append(turn) or quick(turn))
    assert failed(checked(monkeypatch, asked, [name_of(kind)])) == {}
    assert len(turns) == FEW_TURNS
    for before, after in itertools.pairwise(turns):
        assert after.last not in (None, before.cells[0])


def test_a_full_pipe_of_stderr_is_a_case_of_its_own(monkeypatch):
    """Nobody reads it: the costs of that trial are not the game's."""
    found = checked(monkeypatch, player({0: [logs(b"x" * 70000, 0.0), says(legal)]}), [name_of(Kind.UNREAD_STDERR)])
    assert failed(found) == {}
    bench = Bench(Contestant("A", "A"), Table(monkeypatch, A=player()).conditions(effort=FEW_MOVES))
    run_case(bench, CASES[Kind.UNREAD_STDERR])
    assert (len(bench.unread_costs), bench.costs) == (1, [])
    assert bench.moves == len(bench.unread_costs[0].walls_s) > 0


KEPT_OFF = TurnUsage(60.0)


def test_a_machine_that_did_not_run_the_player_is_asked_again_and_fails_no_check_in_the_end(monkeypatch):
    kept = player({1: [says(legal, 1.5)]}, used=lambda elapsed_s: KEPT_OFF)
    found = checked(monkeypatch, kept, [FIRST, TIME_LIMIT])
    assert failed(found) == {}
    assert found[TIME_LIMIT].reason.endswith(
        "; moves that were late only because the machine did not run the player: 1"
    )
    assert checked(monkeypatch, player({1: [says(legal, 2.5)]}, used=lambda elapsed_s: KEPT_OFF), [FIRST]) == {}


def test_a_command_that_cannot_start_fails_everything(monkeypatch):
    found = checked(monkeypatch, Player(refused=CannotStart("x: No such file or directory")), [FIRST, SECOND])
    assert {outcome.reason for outcome in found.values()} == {"STARTUP_FAILURE: x: No such file or directory"}


def test_a_check_can_be_stopped(monkeypatch):
    table = Table(monkeypatch, A=player())
    conditions = table.conditions(effort=FEW_MOVES)
    checks = Checks(Contestant("A", "A"), conditions).outcomes()
    assert isinstance(next(checks), Outcome)
    conditions.stop.set()
    with pytest.raises(Interrupted):
        next(checks)
    assert len(table.ended) == len(table.processes)


def wrong_on(is_wrong, acts):
    """A player that does these acts where is_wrong(turn) holds, in no time at all."""
    return player(usual=lambda turn: acts if is_wrong(turn) else quick(turn))


class TestRareFaults:
    """What shows late in a game, on one size of the board, or in one of 200 moves."""

    @pytest.mark.parametrize("turn", [12, 25, 30, 50])
    def test_late_in_a_game(self, monkeypatch, turn):
        wanted = [case.name for case in ALL_GAMES[DEFAULT_GAME].check_cases if case.kind is Kind.LONG_GAME]
        crashing = player({turn - 1: [ends(-6)]})
        reasons = {outcome.reason for outcome in checked(monkeypatch, crashing, wanted).values() if not outcome.passed}
        assert reasons == {"CRASH: it was ended by signal 6 (SIGABRT, Aborted)"}

    def test_only_boards_of_the_size_that_is_wrong_fail(self, monkeypatch):
        wanted = [case.name for case in ALL_GAMES[DEFAULT_GAME].check_cases if case.kind is Kind.WHOLE_GAME]
        crashing = wrong_on(lambda turn: turn.columns == 10, [ends(-6)])
        found = checked(monkeypatch, crashing, wanted)
        assert set(failed(found)) == {name for name in wanted if "x 10" in name} != set()

    @pytest.mark.parametrize("game", [DEFAULT_GAME, "reversi"])
    def test_in_one_of_200_moves(self, monkeypatch, game):
        wanted = [case.name for case in ALL_GAMES[game].check_cases if case.kind is Kind.MANY_GAMES]
        count = itertools.count(1)
        off_board = [says(lambda turn: turn.reply((9, 9) if game == "reversi" else (0, 40)), QUICK_S)]
        illegal = wrong_on(lambda turn: next(count) % 200 == 0, off_board)
        illegal.game = game
        (outcome,) = checked(monkeypatch, illegal, wanted, WITHOUT_END).values()
        assert outcome.result is Result.FAILED and outcome.reason.startswith("ILLEGAL_MOVE: ")
        assert outcome.moves == 200

    def test_where_many_games_show_nothing_there_were_moves_enough_for_it(self, monkeypatch):
        wanted = [name_of(Kind.MANY_GAMES)]
        (outcome,) = checked(monkeypatch, player(), wanted, WITHOUT_END).values()
        assert outcome.result is Result.PASSED
        assert USUAL.moves <= outcome.moves < USUAL.moves + 72
        (few,) = checked(monkeypatch, player(), wanted, FEW_MOVES).values()
        assert f" in {games.FEWEST_GAMES} games, " in few.reason

    def test_when_the_board_is_nearly_full_it_is_a_doubt(self, monkeypatch):
        monkeypatch.setattr(games, "LATE_POSITIONS", 2)
        wanted = [name_of(Kind.LATE_POSITIONS)]
        (outcome,) = checked(monkeypatch, player({0: [ends(3)]}), wanted).values()
        assert outcome.result is Result.WARNING
        assert outcome.reason.startswith("it ended with status 3; this was the player's first move, on a board with ")
        (outcome,) = checked(monkeypatch, player(), wanted).values()
        assert outcome.reason.endswith(f" moves from {games.LATE_POSITIONS} late positions") and outcome.moves == 0

    def test_a_full_column_shows_on_the_smallest_boards(self, monkeypatch):
        """As of one that does not know where it may still play."""
        wanted = [TOP_CORNER]
        full = wrong_on(
            lambda turn: 0 not in [column for _, column in turn.cells],
            [Act("say", lambda turn: turn.reply((-1, 0)), QUICK_S)],
        )
        (outcome,) = checked(monkeypatch, full, wanted).values()
        assert outcome.reason.startswith("ILLEGAL_MOVE: column 0 is full")
