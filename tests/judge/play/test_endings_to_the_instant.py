"""How a game ends by every rule that referee.py names, to the instant: scripted players, a clock that tests move."""

import functools
import itertools
import threading
from types import SimpleNamespace

import pytest

from judge.games import DEFAULT_GAME
from judge.games.dots.board import Board as DotsBoard
from judge.play import clock, referee, scoresheet, seat
from judge.play.clock import LATE_WAKE_S, POLL_S, PROMPT_S, STALL_AFTER_S, START_POLL_S, TurnUsage
from judge.play.observer import EventSink, Observer
from judge.play.recheck import disagreements
from judge.play.referee import (
    IDLE_POLL_S,
    IDLE_S,
    KNOWN_REPORT_WAIT_S,
    MEMORY_PERIOD_S,
    MEMORY_SHARE,
    REPORT_CPU_S,
    REPORT_STEP_S,
    REPORT_WAIT_S,
    Interrupted,
)
from judge.play.seat import Seat
from judge.processes.start import CannotStart, JudgeFailure
from judge.reasons import reason_of
from protocol.framing import encode_frame
from protocol.records.record import GameRecord
from tests.judge.helpers.scripted import PLIES_OF_FIRST_LEGAL_PLAY, replies_of
from tests.judge.helpers.virtual_table import (
    BEGIN_S,
    Player,
    Table,
    closes,
    ends,
    ends_behind_open_pipes,
    holds,
    legal,
    logs,
    says,
    waits_for_a_core,
    works,
)

LIMIT_S = 1.0
STEP_S = 2.0**-10  # just before, just after
PLIES = PLIES_OF_FIRST_LEGAL_PLAY[DEFAULT_GAME]
AT = 3  # the turn at which something goes wrong
LAST = PLIES // 2 - 1  # of either side
THINKING_S = 0.25
QUESTION = encode_frame(b"#0" + b"2" * 27 + b"01" + b"2" * 6 + b"10" + b"2" * 27 + b"#")


@pytest.fixture
def table(monkeypatch):
    """A function from the players to a Table."""
    return lambda **players: Table(monkeypatch, **players)


def off_board(turn):
    return turn.reply((0, 20))


def and_behind_it(more):
    return lambda turn: legal(turn) + more


def at(*acts, turn=AT, **others):
    """A player that does this at one of its turns, and plays on."""
    return Player({turn: acts}, **others)


def judged(record):
    """(termination, whose fault); the winner must be the other then, and the record sound."""
    assert disagreements(record) == [], record.extra
    if record.at_fault:
        assert record.winner == {"A": "B", "B": "A"}[record.at_fault]
    return str(record.termination), record.at_fault


def test_constants_are_the_documented_ones():
    assert (STALL_AFTER_S, LATE_WAKE_S) == (1.0, 0.25)
    assert PROMPT_S == 0.05
    assert (POLL_S, START_POLL_S, MEMORY_PERIOD_S, MEMORY_SHARE) == (0.05, 0.01, 0.05, 100)
    assert (REPORT_WAIT_S, KNOWN_REPORT_WAIT_S, IDLE_S) == (0.02, 0.25, 0.15)


def test_a_whole_game_is_recorded(table):
    record = table().play(first="B", pair=3, index=7)
    assert judged(record) == ("NORMAL", None)
    assert (record.winner, reason_of(record)) == ("A", "A has four in a line")
    assert [move.move for move in record.moves] == [0] * 9 + [1] * 9 + [2] * 9 + [3]
    assert [move.side for move in record.moves] == ["B", "A"] * (PLIES // 2)
    assert {move.wall_s for move in record.moves} == {THINKING_S}
    assert (record.first, record.pair, record.seed, record.extra["index"]) == ("B", 3, 1, 7)
    assert [(player.name, player.command) for player in record.players] == [("A", "A"), ("B", "B")]
    assert GameRecord.from_json(record.to_json()) == record
    assert record.extra["A"]["exit_status"] is None and "stdout" not in record.extra["A"]


# What the mover does in its turn, and what that is: of bytes, an end, and a clock that has run out the first decides.
OF_THE_MOVER = {
    "at the limit": ([says(legal, LIMIT_S)], "NORMAL"),
    "just after the limit": ([says(legal, LIMIT_S + STEP_S)], "TIME_FORFEIT"),
    "at the last moment before a stall": ([says(legal, LIMIT_S + STALL_AFTER_S)], "TIME_FORFEIT"),
    "just after that": ([says(legal, LIMIT_S + STALL_AFTER_S + STEP_S)], "STALL"),
    "never": ([], "STALL"),
    "illegal": ([says(off_board)], "ILLEGAL_MOVE"),
    "illegal, and more": ([says(lambda turn: off_board(turn) + b"x")], "ILLEGAL_MOVE"),
    "illegal, after the limit": ([says(off_board, LIMIT_S + STEP_S)], "TIME_FORFEIT"),
    "garbage": ([says(encode_frame(b"left please"))], "BAD_FRAME"),
    "garbage, after the limit": ([says(encode_frame(b"left please"), LIMIT_S + STEP_S)], "TIME_FORFEIT"),
    "no length": ([says(bytes(4))], "BAD_FRAME"),
    "one number": ([says(encode_frame(b"3"))], "BAD_FRAME"),
    "too long": ([says((2049).to_bytes(4, "big"))], "OUTPUT_LIMIT"),
    "too long, after the limit": ([says((2049).to_bytes(4, "big"), LIMIT_S + STEP_S)], "TIME_FORFEIT"),
    "text": ([says(b"thinking...\n")], "OUTPUT_LIMIT"),
    "a part of a frame": ([says(bytes(3))], "STALL"),
    "a part, and its end": ([says(bytes(3)), ends(0, 0.5)], "CRASH"),
    "a reply and more": ([says(and_behind_it(b"\n"))], "BAD_FRAME"),
    "two replies": ([says(legal), says(legal)], "BAD_FRAME"),
    "a reply, and more a moment later": ([says(legal), says(b"\n", THINKING_S + STEP_S)], "BAD_FRAME"),
    "a reply, and its end": ([says(legal), ends(3)], "CRASH"),
    "an end": ([ends(3)], "CRASH"),
    "an end at the limit": ([ends(3, LIMIT_S)], "CRASH"),
    "an end after the limit": ([ends(3, LIMIT_S + STEP_S)], "TIME_FORFEIT"),
    "a closed stdout": ([closes()], "CRASH"),
    "too much memory": ([holds(10**9 + 1), says(legal, 0.75)], "MEMORY_LIMIT"),
    "too much memory, with the reply": ([holds(10**9 + 1), says(legal)], "MEMORY_LIMIT"),
    "too much memory, with an illegal reply": ([holds(10**9 + 1), says(off_board)], "MEMORY_LIMIT"),
    "as much memory as it may": ([holds(10**9), says(legal, 0.75)], "NORMAL"),
    "too much memory, after the limit": ([holds(10**9 + 1, LIMIT_S + STEP_S)], "STALL"),
}


@pytest.mark.parametrize("what", OF_THE_MOVER)
def test_what_the_mover_does_has_its_name(table, what):
    for side in "AB":
        assert_ends_as_expected(table, what, side)


def assert_ends_as_expected(table, what, side):
    acts, termination = OF_THE_MOVER[what]
    record = table(**{side: at(*acts)}).play()
    assert judged(record) == (termination, None if termination == "NORMAL" else side)
    if termination != "NORMAL":
        gave_one = any(what.startswith(begin) for begin in ("a reply", "two replies"))
        assert replies_of(record, side) == AT + gave_one
        assert len(record.extra[side]["waits_s"]) == AT + 1 + (what == "a reply, and its end")
    else:
        assert (record.winner, len(record.moves)) == ("B", PLIES)
    if termination == "MEMORY_LIMIT":
        assert record.extra[side]["peak_rss_bytes"] == 10**9 + 1


def test_a_move_at_the_limit_took_the_limit(table):
    record = table(A=at(says(legal, LIMIT_S))).play()
    assert record.moves[2 * AT].wall_s == LIMIT_S and "overtime_s" not in record.extra["A"]


def test_the_reason_is_told_in_words(table):
    for acts, reason in (
        ([says(legal, 1.5)], "A took 1.500 s, over the limit of 1 s"),
        ([], "A said nothing for 2.000 s, over the limit of 1 s"),
        ([says(off_board)], "A: column 20 is off the board, expected 0..8"),
        (
            [says(b"thinking...\n")],
            'A printed "thinking...\\n" on stdout where a reply was due; stdout is for replies alone, other text '
            "belongs on stderr (frame length: expected at most 2048 bytes, received 1952999790 bytes (header "
            "7468696e))",
        ),
        (
            [says((2049).to_bytes(4, "big"))],
            "A: frame length: expected at most 2048 bytes, received 2049 bytes (header 00000801)",
        ),
        ([ends(3)], "A ended with status 3"),
        ([ends(-11)], "A was ended by signal 11 (SIGSEGV, Segmentation fault)"),
        ([ends(-64)], "A was ended by signal 64 (SIGRTMAX, Real-time signal 30)"),
        ([ends(-99)], "A was ended by signal 99"),
        ([closes(0.25), ends(0, 0.25 + seat.EXIT_WAIT_S - 0.5)], "A ended with status 0"),
        ([closes(0.25), ends(0, 0.25 + seat.EXIT_WAIT_S + 0.5)], "A closed its stdout"),
        ([holds(1_499_999_999)], "A held 1500 MB of memory, over the limit of 1000 MB"),
        (
            [says(and_behind_it(b"!"))],
            'A printed "!" on stdout out of turn; stdout is for replies alone, other text belongs on stderr',
        ),
        ([says(legal), says(legal, 0.375)], "A sent bytes out of turn"),
    ):
        assert reason_of(table(A=at(*acts)).play()) == reason


@pytest.mark.parametrize("cell, number", [((0, 1), 1), ((0, 20), None)])
def test_the_cell_of_an_illegal_move_is_kept(table, cell, number):
    record = table(A=at(says(lambda turn: turn.reply(cell)))).play()
    assert (judged(record), record.extra.get("illegal_cell")) == (("ILLEGAL_MOVE", "A"), number)


def test_what_a_player_at_fault_said_is_kept(table):
    said = at(logs(b"a word\n", 0.1), says(b"thinking...\n" + b"x" * 2000))
    record = table(A=said, B=at(logs(b"another\n"), says(legal), turn=0)).play()
    assert record.extra["A"]["stdout"] == ("thinking...\n" + "x" * 2000)[:1024]
    assert (record.extra["A"]["stderr"], record.extra["A"]["stderr_bytes"]) == ("a word\n", 7)
    assert "stderr" not in record.extra["B"] and record.extra["B"]["stderr_bytes"] == 8


def test_what_was_said_out_of_turn_is_kept(table):
    record = table(A=at(says(legal), says(b"oh", 0.375))).play()
    assert (judged(record), record.extra["A"]["stdout"]) == (("BAD_FRAME", "A"), "oh")
    assert len(record.moves) == 2 * AT + 1


def test_times_are_kept_to_the_microsecond_and_the_millisecond(table):
    moment_s = 2.0**-10
    record = table(A=at(works(), says(legal, moment_s), works(False, moment_s))).play()
    assert (record.moves[2 * AT].wall_s, record.moves[2 * AT].cpu_s) == (0.000977, 0.001)
    assert (record.moves[2 * AT + 2].cpu_s, record.extra["A"]["cpu_s"]) == (0.0, 0.001)


class TestOfTheSideThatIsNotToMove:
    """A has made its move number AT, and B, which is to move, thinks for a second or more."""

    @staticmethod
    def play(table, *acts, b=None):
        b = [says(legal, 0.75)] if b is None else b
        return table(A=at(says(legal), *acts), B=at(*b)).play()

    def test_any_bytes_are_a_bad_frame_at_once(self, table):
        for data in (b"x", bytes(4), (2049).to_bytes(4, "big"), encode_frame(b"0 0"), b"z" * 65536):
            record = self.play(table, says(data, 0.5))
            assert judged(record) == ("BAD_FRAME", "A") and len(record.moves) == 2 * AT + 1

    def test_bytes_at_the_others_limit_are_one(self, table):
        assert judged(self.play(table, says(b"x", 0.25 + LIMIT_S), b=())) == ("BAD_FRAME", "A")

    def test_bytes_after_it_do_not_count(self, table):
        for b, ending in (([says(legal, 1.5)], "TIME_FORFEIT"), ([], "STALL")):
            assert judged(self.play(table, says(b"x", 0.25 + LIMIT_S + STEP_S), b=b)) == (ending, "B")

    def test_bytes_that_come_with_the_others_reply_are_one(self, table):
        record = self.play(table, says(b"x", 1.0))
        assert judged(record) == ("BAD_FRAME", "A")
        assert len(record.moves) == 2 * AT + 2  # the reply was first

    def test_its_end_is_a_crash_when_its_turn_comes(self, table):
        for act in (ends(3, 0.5), closes(0.5)):
            record = self.play(table, act)
            assert judged(record) == ("CRASH", "A") and len(record.moves) == 2 * AT + 2

    def test_too_much_memory_is_its_fault_at_the_next_look(self, table):
        record = self.play(table, holds(10**9 + 1, 0.5))
        assert judged(record) == ("MEMORY_LIMIT", "A") and len(record.moves) == 2 * AT + 1

    def test_too_much_memory_after_the_others_limit_does_not_count(self, table):
        assert judged(self.play(table, holds(10**9 + 1, 0.25 + LIMIT_S + STEP_S), b=())) == ("STALL", "B")


def test_nothing_counts_after_a_move_that_ends_the_game(table):
    for act in (ends(3), closes(), says(b"x"), says(encode_frame(b"0 0"))):
        record = table(B=at(says(legal), act, turn=LAST)).play()
        assert (judged(record), record.winner, len(record.moves)) == (("NORMAL", None), "B", PLIES), act


def test_an_end_before_the_others_winning_move_does_not_count(table):
    record = table(A=at(says(legal), ends(3), turn=LAST)).play()
    assert (judged(record), record.winner, record.extra["A"]["exit_status"]) == (("NORMAL", None), "B", 3)


def test_memory_counts_before_a_winning_move(table):
    record = table(B=at(holds(10**9 + 1), says(legal), turn=LAST)).play()
    assert (judged(record), len(record.moves)) == (("MEMORY_LIMIT", "B"), PLIES - 1)


def test_an_exit_behind_open_pipes_is_noticed_at_the_next_look(table):
    noting = Noting()
    record = table(A=at(ends_behind_open_pipes(3))).play(events=noting)
    assert (judged(record), reason_of(record)) == (("CRASH", "A"), "A ended with status 3")
    _, _, began, ended, _ = noting.turns[-1]
    assert 0.25 < ended - began <= 0.25 + POLL_S


class TestMemory:
    @pytest.mark.parametrize("cost_s, period_s", [(0.0, MEMORY_PERIOD_S), (1 / 1024, 2 * MEMORY_SHARE / 1024)])
    def test_it_is_looked_at_every_50_ms_or_rarer_where_looks_cost_much(self, table, cost_s, period_s):
        watched = table(A=at(turn=0))
        watched.look_costs_s = cost_s  # of each side
        watched.play(limit_s=4.0)
        looks = sorted(set(watched.looks))
        gaps = [after - before for before, after in itertools.pairwise(looks)]
        assert period_s - 1e-9 <= min(gaps) and max(gaps) < period_s + POLL_S + 0.01

    def test_without_a_limit_nobody_looks(self, table):
        watched = table(A=at(holds(10**12), says(legal)))
        assert judged(watched.play(memory_limit_bytes=None)) == ("NORMAL", None) and watched.looks == []


class TestQuestions:
    """On the rules of reversi."""

    @staticmethod
    def play(table, *acts, b=None, **plan):
        return table(A=at(*acts), B=b).play(game="reversi", **plan)

    def test_they_are_answered_at_once_and_on_the_clock(self, table):
        asking = table(A=at(says(QUESTION), says(QUESTION, 0.5), says(legal, LIMIT_S)))
        record = asking.play(game="reversi")
        assert judged(record) == ("NORMAL", None)
        assert [move.wall_s for move in record.moves if move.side == "A"][AT] == LIMIT_S
        sent = {process.argv[0]: process.sent for process in asking.processes}
        answer = bytes(ord("0") + (cell in (20, 29, 34, 43)) for cell in range(64))
        assert sent["A"].count(answer) == 2 and answer not in sent["B"]

    @pytest.mark.parametrize(
        "acts, ending",
        [
            ([says(QUESTION)], "STALL"),
            ([says(QUESTION), says(legal, LIMIT_S + STEP_S)], "TIME_FORFEIT"),
            ([says(QUESTION, LIMIT_S)], "STALL"),
            ([says(QUESTION, LIMIT_S + STEP_S)], "TIME_FORFEIT"),
            ([says(QUESTION), ends(3)], "CRASH"),
            ([says(lambda turn: QUESTION + legal(turn))], "NORMAL"),
            ([says(lambda turn: QUESTION * 3 + legal(turn))], "NORMAL"),
            ([says(lambda turn: QUESTION + legal(turn) + b"x")], "BAD_FRAME"),
            ([says(QUESTION), says(b"x", 0.5)], "STALL"),
            ([says(legal), says(QUESTION, 0.375)], "BAD_FRAME"),
            ([says(encode_frame(b"#0222#"))], "BAD_FRAME"),
            ([says(encode_frame(b"-1"))], "BAD_FRAME"),
            ([says(encode_frame(b"-1-1"))], "BAD_FRAME"),
        ],
    )
    def test_how_turns_with_them_end(self, table, acts, ending):
        assert judged(self.play(table, *acts)) == (ending, None if ending == "NORMAL" else "A")

    def test_a_judge_that_did_not_run_is_not_charged_to_a_side_that_asked(self, table):
        for asks, ending in ((True, "NORMAL"), (False, "TIME_FORFEIT")):
            acts = [*([says(QUESTION)] if asks else []), says(legal, LIMIT_S + 0.5)]
            waiting = table(A=at(*acts, used=kept_off(STEP_S)))
            waiting.own_wait = lambda now: now - BEGIN_S
            assert judged(waiting.play(game="reversi"))[0] == ending

    def test_only_what_it_waited_in_that_turn_counts(self, table):
        waiting = table(A=at(says(QUESTION), says(legal, LIMIT_S + 0.5), used=kept_off(STEP_S)))
        waiting.own_wait = lambda now: 60.0
        assert judged(waiting.play(game="reversi")) == ("TIME_FORFEIT", "A")


class TestStart:
    def test_a_command_that_cannot_be_executed(self, table):
        for side, first in itertools.product("AB", repeat=2):
            record = table(**{side: Player(refused=CannotStart("x: Permission denied"))}).play(first=first)
            assert (judged(record), record.moves) == (("STARTUP_FAILURE", side), ())
            assert reason_of(record) == "x: Permission denied" and record.extra[side] == {}

    def test_of_two_the_first_mover_is_at_fault(self, table):
        for first in "AB":
            record = table(**{side: Player(refused=CannotStart(side)) for side in "AB"}).play(first=first)
            assert (judged(record), reason_of(record)) == (("STARTUP_FAILURE", first), first)

    @pytest.mark.parametrize("error", [JudgeFailure("no process left"), OSError("no process left")])
    def test_a_machine_that_fails_judges_nobody(self, table, error):
        failing = table(B=Player(refused=error))
        record = failing.play(first="B")
        assert (judged(record), record.winner) == (("VOID", None), None)
        assert reason_of(record) == "the judge failed: no process left"
        assert [process.argv[0] for process in failing.ended] == ["A"]

    @pytest.mark.parametrize(
        "took_s, ending", [(LIMIT_S - THINKING_S, "NORMAL"), (LIMIT_S - THINKING_S + STEP_S, "TIME_FORFEIT")]
    )
    def test_it_is_on_the_first_movers_clock(self, table, took_s, ending):
        record = table(A=Player(starts_s=took_s)).play(free_start=False)
        assert judged(record)[0] == ending
        if ending == "NORMAL":
            assert [move.wall_s for move in record.moves[:4]] == [LIMIT_S, THINKING_S, THINKING_S, THINKING_S]
            assert [move.cpu_s for move in record.moves[:3]] == [took_s, 0.0, 0.0]

    def test_how_long_it_took_is_seen_every_10_ms_of_the_first_turn(self, table):
        for starts_s in (0.125, 0.5):
            record = table(A=Player(starts_s=starts_s)).play(free_start=False)
            assert starts_s <= record.extra["A"]["start_up_s"] <= starts_s + START_POLL_S + 0.001

    def test_the_second_mover_starts_meanwhile(self, table):
        record = table(B=Player(starts_s=0.5)).play(free_start=False)
        # The rest of its start, and its thinking, on its clock; the wait for a report is on nobody's.
        assert record.moves[1].wall_s == pytest.approx(0.5 - REPORT_WAIT_S)

    def test_a_free_start_is_on_nobodys_clock(self, table):
        started = table(A=Player(starts_s=5.0))
        record = started.play()
        assert record.moves[0].wall_s == THINKING_S and record.moves[0].cpu_s == 0.0
        assert record.extra["A"]["cpu_s"] == 5.0
        assert record.extra["A"]["start_up_s"] == pytest.approx(5.0, abs=0.05)

    def test_it_ends_after_a_while(self, table, monkeypatch):
        for cap_s in (0.5, 2.0):
            busy = table(A=Player(starts_s=60.0))
            monkeypatch.setattr(referee, "IDLE_CAP_S", cap_s)
            assert judged(busy.play()) == ("STALL", "A")
            assert busy.now - BEGIN_S == pytest.approx(cap_s + LIMIT_S + STALL_AFTER_S, abs=0.03)

    def test_both_have_to_have_been_idle_for_a_moment(self, table):
        for busy in (works, waits_for_a_core):
            noting = Noting()
            a = Player(at_start=(busy(True, 0.0625), busy(False, 0.3125)))
            table(A=a, B=Player(starts_s=0.1875)).play(events=noting)
            began = noting.turns[0][2] - BEGIN_S
            assert 0.3125 + IDLE_S - IDLE_POLL_S <= began <= 0.3125 + IDLE_S + 2 * IDLE_POLL_S, busy

    def test_who_misbehaves_before_its_first_turn(self, table):
        for side in "AB":
            for act, ending in ((says(b"x", 0.125), "BAD_FRAME"), (holds(2 * 10**9, 0.0), "MEMORY_LIMIT")):
                record = table(**{side: Player(at_start=(act,))}).play()
                assert (judged(record), record.moves) == ((ending, side), ())

    def test_who_ends_before_its_first_turn_is_asked_first(self, table):
        assert judged(table(B=Player(at_start=(ends(0, 0.0),))).play()) == ("CRASH", "B")


def kept_off(kept_s, ran_s=0.0):
    """What is measured of a side that others keep from running for so long in every turn."""
    return lambda elapsed_s: TurnUsage(kept_s, ran_s)


class TestAllowance:
    """What the machine did not give a side is not on its clock."""

    @pytest.mark.parametrize(
        "late_s, waited_s, ending",
        [
            (0.5, 0.5, "NORMAL"),
            (0.5 + STEP_S, 0.5, "TIME_FORFEIT"),
            (0.5, 0.0, "TIME_FORFEIT"),
            (0.5, 60.0, "NORMAL"),
            (LIMIT_S, 60.0, "NORMAL"),
            (30 * LIMIT_S, 60.0, "NORMAL"),
        ],
    )
    def test_it_is_given_as_far_as_it_goes(self, table, late_s, waited_s, ending):
        player = at(says(legal, LIMIT_S + late_s), used=kept_off(waited_s))
        record = table(A=player).play()
        assert judged(record) == (ending, "A" if ending == "TIME_FORFEIT" else None)
        if ending == "NORMAL":
            assert record.moves[2 * AT].wall_s == LIMIT_S + late_s
            assert record.extra["A"]["overtime_s"] == {str(2 * AT + 1): late_s}
            assert set(record.extra["A"]["waits_s"]) == {round(waited_s, 3)}

    def test_a_stall_comes_later_too(self, table):
        noting = Noting()
        assert judged(table(A=at(used=kept_off(0.5))).play(events=noting)) == ("STALL", "A")
        _, _, began, ended, _ = noting.turns[-1]
        assert ended - began == LIMIT_S + 0.5 + STALL_AFTER_S

    def test_the_reason_tells_what_was_counted_and_what_the_machine_took(self, table):
        by_clock = (
            "by its clock, over the limit of 1 s: {} s passed, and for 0.500 s of them the machine ran other programs"
        )
        record = table(A=at(used=kept_off(0.5))).play()
        assert reason_of(record) == f"A said nothing for 2.000 s {by_clock.format('2.500')}"
        record = table(A=at(says(legal, LIMIT_S + 0.75), used=kept_off(0.5))).play()
        assert reason_of(record) == f"A took 1.250 s {by_clock.format('1.750')}"

    def test_what_the_side_ran_was_not_kept_from_it(self, table):
        player = at(says(legal, LIMIT_S + 0.5), used=lambda elapsed_s: TurnUsage(60.0, elapsed_s))
        assert judged(table(A=player).play()) == ("TIME_FORFEIT", "A")

    def test_who_has_computed_longer_than_its_limit_is_late(self, table):
        used = lambda elapsed_s: TurnUsage(60.0, elapsed_s - 0.25 if elapsed_s < 1.5 else elapsed_s)  # noqa: E731
        for says_at_s, ending in ((1.25, "NORMAL"), (1.25 + STEP_S, "TIME_FORFEIT"), (2.0, "TIME_FORFEIT")):
            assert judged(table(A=at(says(legal, says_at_s), used=used)).play())[0] == ending

    def test_the_strict_clock_gives_nothing(self, table):
        record = table(A=at(says(legal, LIMIT_S + STEP_S), used=kept_off(60.0))).play(strict_clock=True)
        assert judged(record) == ("TIME_FORFEIT", "A") and record.extra["strict_clock"] is True

    def test_what_is_said_of_the_cores_is_what_the_record_says(self, table):
        """Of a wait that is too long by less than its last digit."""
        waited_s = scoresheet.LEAST_SHORTAGE_S + 0.0002
        players = {side: Player(usual=lambda turn: [says(legal, 1 / 64)], used=kept_off(waited_s)) for side in "AB"}
        record = table(**players).play()
        assert record.extra["short_of_core"] == scoresheet.as_json(scoresheet.turns_by_player([record]))


class TestALateJudge:
    """The judge sleeps from half a turn on: A's turn number 0 begins at `began`."""

    BEGAN = BEGIN_S  # without a free start

    def play(self, table, until_s, *acts, b=None, **plan):
        sleepy = table(A=at(*acts, turn=0), B=b)
        sleepy.sleeps = [(self.BEGAN + 0.5, self.BEGAN + until_s)]
        return sleepy.play(free_start=False, **plan)

    def test_what_it_sees_only_because_it_looked_late_is_in_time(self, table):
        for says_at_s in (0.75, LIMIT_S, 1.25):
            record = self.play(table, 1.5, says(legal, says_at_s))
            assert judged(record) == ("NORMAL", None)
            assert record.moves[0].wall_s == 1.5 and record.extra["A"]["overtime_s"] == {"1": 0.5}

    def test_what_it_would_have_seen_late_anyway_is_late(self, table):
        assert judged(self.play(table, 1.5, says(legal, 1.75))) == ("TIME_FORFEIT", "A")

    def test_it_may_have_been_stopped_just_after_the_clock_began(self, table, monkeypatch):
        sleepy = table(A=at(turn=0))
        send_turn = Seat.send_turn

        def send_and_stop(seat, position):
            send_turn(seat, position)
            sleepy.now += 2 * LIMIT_S + 2 * POLL_S

        monkeypatch.setattr(Seat, "send_turn", send_and_stop)
        record = sleepy.play()
        assert judged(record) == ("VOID", None) and "the judge woke up" in reason_of(record)

    @pytest.mark.parametrize("late_s, least_s", [(PROMPT_S / 2, LIMIT_S - PROMPT_S / 2), (0.75, LIMIT_S - PROMPT_S)])
    def test_a_message_that_it_writes_late_leaves_a_side_its_time(self, table, monkeypatch, late_s, least_s):
        """A's first message comes `late_s` after the start of its clock. It then has `least_s` to reply."""
        for says_at_s, ending in ((least_s - STEP_S, "NORMAL"), (least_s + STEP_S, "TIME_FORFEIT")):
            sleepy, late = table(A=at(says(legal, says_at_s), turn=0)), iter([late_s])
            send_turn = Seat.send_turn

            def send_late(seat, position, sleepy=sleepy, late=late, send_turn=send_turn):
                sleepy.now += next(late, 0.0)
                send_turn(seat, position)

            with monkeypatch.context() as patch:
                patch.setattr(Seat, "send_turn", send_late)
                assert judged(sleepy.play(free_start=False))[0] == ending

    def test_a_second_limit_judges_nobody(self, table):
        record = self.play(table, 0.5 + POLL_S + LIMIT_S + 0.25, says(legal, 0.75))
        assert judged(record) == ("VOID", None)
        assert "the judge woke up 1." in reason_of(record) and "while A was to move" in reason_of(record)

    def test_a_second_limit_says_nothing_against_who_had_it_left(self, table):
        """Others kept the mover from running for so long that its reply is in time, whenever it came."""
        sleepy = table(A=at(says(legal, 0.75), turn=0, used=kept_off(2.0)))
        sleepy.sleeps = [(self.BEGAN + 0.5, self.BEGAN + 2.5)]
        assert judged(sleepy.play(free_start=False)) == ("NORMAL", None)

    def test_by_the_strict_clock_a_quarter_of_a_second_is_too_late(self, table):
        for until_s, ending in ((1.0 + STEP_S, "VOID"), (0.78, "NORMAL"), (LIMIT_S, "NORMAL")):
            record = self.play(table, until_s, says(legal, 0.75), strict_clock=True)
            assert judged(record) == (ending, None)

    def test_how_late_is_still_a_verdict(self, table):
        """It would wake up at the limit itself, with which the reply comes."""
        for late_s, strict, ending in (
            (LATE_WAKE_S, True, "TIME_FORFEIT"),
            (LATE_WAKE_S + STEP_S, True, "VOID"),
            (LIMIT_S, False, "NORMAL"),
            (LIMIT_S + STEP_S, False, "VOID"),
        ):
            sleepy = table(A=at(says(legal, LIMIT_S), turn=0))
            sleepy.sleeps = [(self.BEGAN + LIMIT_S, self.BEGAN + LIMIT_S + late_s)]
            record = sleepy.play(free_start=False, strict_clock=strict)
            assert str(record.termination) == ending, (late_s, strict)

    @pytest.mark.parametrize("strict, until_s", [(False, 2.5), (True, 1.5)])
    def test_who_kept_it_from_looking_voids_nothing(self, table, monkeypatch, strict, until_s):
        """The mover uses all cores while the judge has none."""
        monkeypatch.setattr(clock, "usable_cores", lambda: 2.0)
        for cores, ending in ((0.75, "VOID"), (2.0, "TIME_FORFEIT")):
            used = functools.partial(lambda cores, elapsed_s: TurnUsage(0.0, cores * elapsed_s), cores)
            sleepy = table(A=at(says(legal, 0.75), turn=0, used=used))
            sleepy.sleeps = [(self.BEGAN + 0.5, self.BEGAN + until_s)]
            assert judged(sleepy.play(free_start=False, strict_clock=strict))[0] == ending

    @pytest.mark.parametrize(
        "thinks_s, late_s, acts, ending",
        [
            (LIMIT_S, STEP_S, (), "STALL"),  # nothing is left of its limit
            (0.5, 0.75, (), "STALL"),  # half of it is
            (0.5, 0.75, (says(legal, 0.5),), "NORMAL"),
        ],
    )
    def test_who_has_computed_out_of_turn_is_owed_no_punctual_judge(self, table, thinks_s, late_s, acts, ending):
        """A computes while B thinks, though it should be stopped. In its next turn the judge wakes up late."""
        players = {
            "A": Player({0: [says(legal), works(after_s=THINKING_S)], 1: [works(False), *acts]}),
            "B": Player(usual=lambda turn: [says(legal, thinks_s)]),
        }
        plan, noting = {"freeze": True, "undrained_stderr": True}, Noting()
        table(**players).play(events=noting, **plan)
        _, _, started, _, _ = noting.turns[2]
        sleepy, wake = table(**players), started + max(POLL_S, LIMIT_S - thinks_s)
        sleepy.sleeps = [(wake, wake + late_s)]
        assert judged(sleepy.play(**plan))[0] == ending


class TestFreeze:
    def test_who_is_not_to_move_is_stopped_and_woken_before_its_clock_begins(self, table):
        frozen = table()
        record = frozen.play(freeze=True)
        assert judged(record) == ("NORMAL", None) and record.extra["freeze"] is True
        assert [side for _, side in frozen.frozen] == ["B", "A"] * (PLIES // 2)
        # Each is woken for its turn, and A, which waits at the end, to hear of that.
        assert [side for _, side in frozen.thawed] == ["B", "A"] * (PLIES // 2)
        assert {move.wall_s for move in record.moves} == {THINKING_S}

    def test_a_game_without_it_stops_nobody(self, table):
        free = table()
        free.play()
        assert free.frozen == free.thawed == []

    def test_the_second_mover_is_stopped_as_soon_as_it_has_its_opening(self, table):
        for first, waiter in ("AB", "BA"):
            frozen = table()
            frozen.play(freeze=True, free_start=False, first=first)
            assert frozen.frozen[0] == (BEGIN_S, waiter)
            assert [side for _, side in frozen.frozen][:3] == [waiter, first, waiter]

    def test_with_a_free_start_both_start_first(self, table):
        frozen = table(B=Player(starts_s=2.0))
        frozen.play(freeze=True)
        assert frozen.frozen[0][0] >= BEGIN_S + 2.0

    def test_bytes_that_a_side_sent_before_it_was_stopped_are_out_of_turn(self, table):
        assert judged(table(A=at(says(and_behind_it(b"x")))).play(freeze=True)) == ("BAD_FRAME", "A")


class TestReports:
    """Of A's move number AT: a line of JSON on stderr, before the reply or after it."""

    REPORT = b'{"value": 0.5}\n'

    def play(self, table, after_s, turn=AT, before=False, **plan):
        answers = {turn: [says(legal), logs(self.REPORT, THINKING_S + after_s)]}
        if before:
            answers[0] = [logs(b'{"value": 1}\n', 0.125), says(legal)]
        record = table(A=Player(answers)).play(**plan)
        assert judged(record) == ("NORMAL", None)
        return [move.report for move in record.moves if move.side == "A"]

    def test_it_comes_with_the_reply(self, table):
        for after_s in (-0.125, 0.0):
            reports = self.play(table, after_s)
            assert [number for number, report in enumerate(reports) if report] == [AT]
            assert reports[AT] == {"value": 0.5}

    def test_the_first_may_come_a_moment_after_the_reply(self, table):
        for after_s, comes in ((REPORT_WAIT_S - STEP_S, True), (REPORT_WAIT_S + STEP_S, False)):
            assert (self.play(table, after_s, turn=0)[0] is not None) is comes

    def test_later_ones_of_who_never_wrote_one_are_not_waited_for(self, table):
        assert self.play(table, STEP_S)[AT] is None

    def test_who_is_known_to_write_them_has_longer(self, table):
        for after_s, comes in ((KNOWN_REPORT_WAIT_S - STEP_S, True), (0.5, False)):
            assert (self.play(table, after_s, before=True)[AT] is not None) is comes

    def test_who_is_stopped_has_longer_at_once(self, table):
        assert self.play(table, KNOWN_REPORT_WAIT_S - STEP_S, turn=0, freeze=True)[0] == {"value": 0.5}

    def test_who_computes_after_its_reply_gains_and_loses_little_by_the_wait(self, table):
        """The judge waits a moment for A's report, on no clock. What A computes while B moves is on its next one."""
        for thinks_s, ending in ((0.25, "NORMAL"), (0.25 + 2 * STEP_S, "TIME_FORFEIT")):
            left_s = LIMIT_S - 0.25 - KNOWN_REPORT_WAIT_S
            answers = {0: [says(legal), works(after_s=THINKING_S)], 1: [works(False), says(legal, left_s - STEP_S)]}
            thinking, noting = Player({0: [says(legal, thinks_s)]}), Noting()
            record = table(A=Player(answers), B=thinking).play(freeze=True, events=noting)
            assert judged(record)[0] == ending
            (_, _, _, replied, _), (_, _, asked, _, _), *_ = noting.turns
            assert REPORT_CPU_S <= asked - replied <= REPORT_CPU_S + REPORT_STEP_S

    def test_one_that_comes_late_is_not_the_next_moves_but_shows_that_there_are_some(self, table):
        answers = {
            0: [says(legal), logs(self.REPORT, THINKING_S + 0.0625)],
            AT: [says(legal), logs(self.REPORT, THINKING_S + 0.125)],
        }
        record = table(A=Player(answers)).play()
        reports = [move.report for move in record.moves if move.side == "A"]
        assert [number for number, report in enumerate(reports) if report] == [AT]

    def test_an_unread_stderr_tells_nothing(self, table):
        assert not any(self.play(table, -0.125, undrained_stderr=True))

    def test_who_has_ended_is_not_waited_for(self, table):
        noting = Noting()
        assert judged(table(A=at(says(legal), ends(0), turn=0)).play(events=noting)) == ("CRASH", "A")
        (_, _, _, ended, _), (_, _, began, _, _), *_ = noting.turns
        assert began == ended

    def test_the_wait_is_on_nobodys_clock(self, table):
        record = table(A=Player({0: [logs(self.REPORT, 0.125), says(legal)]})).play()
        assert {move.wall_s for move in record.moves} == {THINKING_S}


class Noting(Observer, EventSink):
    """Notes what it is told, by the methods of Observer and EventSink."""

    def __init__(self):
        self.told, self.turns = [], []

    def begun(self, game_id):
        self.told.append(("begun", game_id))

    def started(self, plan, position):
        self.told.append(("started",))

    def thinking(self, side):
        self.told.append(("thinking", side))

    def moved(self, side, position, move):
        self.told.append(("moved", side, len(position.moves)))

    def begin(self):
        self.told.append(("begin",))

    def process_started(self, seat):
        self.told.append(("seated", seat.side))

    def turn(self, side, ply, started, ended, used):
        self.turns.append((side, ply, started, ended, used))

    def conclude(self, record, seats):
        self.told.append(("conclude", record.extra["id"], [seat.side for seat in seats]))


@pytest.mark.parametrize("free_start", [True, False])
def test_who_is_told_of_a_game_hears_of_everything_in_its_order(table, free_start):
    noting = Noting()
    player = at(says(legal, 0.5), turn=1, used=kept_off(0.125))
    record = table(B=player).play(noting, events=noting, first="B", free_start=free_start)
    marker = record.extra["id"]
    start = [("begin",), ("begun", marker), ("started",)]
    seated = [("seated", "A"), ("seated", "B")]
    thinking = [("thinking", "B")]
    beginning = [*start, *seated, *thinking] if free_start else [*start, *thinking, *seated]
    assert noting.told[:8] == [*beginning, ("moved", "B", 1), ("thinking", "A")]
    assert noting.told[-1] == ("conclude", marker, ["B", "A"])
    assert [(side, ply) for side, ply, *_ in noting.turns] == [("BA"[ply % 2], ply + 1) for ply in range(PLIES)]
    assert [ended - started for _, _, started, ended, _ in noting.turns[:3]] == [0.25, 0.25, 0.5]
    assert [used for *_, used in noting.turns[:2]] == [kept_off(0.125)(0.0), TurnUsage()]


def test_a_turn_that_is_lost_is_told_of_too(table):
    noting = Noting()
    table(A=at()).play(events=noting)
    side, ply, started, ended, _ = noting.turns[-1]
    assert (side, ply, ended - started) == ("A", 2 * AT + 1, LIMIT_S + STALL_AFTER_S)


def test_stopping_discards_the_game_and_ends_its_processes(table):
    stop = threading.Event()
    stopped = table()

    class StopAtTheThirdPly(Observer):
        def moved(self, side, position, move):
            if len(position.moves) == 3:
                stop.set()

    with pytest.raises(Interrupted):
        stopped.play(StopAtTheThirdPly(), stop, freeze=True)
    assert set(stopped.ended) == set(stopped.processes) and len(stopped.ended) == 2
    with pytest.raises(Interrupted):
        table().play(stop=stop)


def test_of_several_moves_in_one_reply_the_first_has_the_time_and_the_report(table):
    board = DotsBoard(1, 2, ("AAA", "ABA", "BAA"))
    first = Player(usual=lambda turn: [says(b"move 1 ABB\n")])
    second = Player(
        {0: [says(b"name x\n", 0.0), logs(b'{"value": 1}\n', 0.1), works(), says(b"move 2 BBAAAB\n")]},
        usual=lambda turn: [says(b"move 1 BCA\n")],
    )
    record = table(A=first, B=second).play(game="dots", board=board)
    assert judged(record)[0] == "NORMAL"
    moves = [(move.side, move.move, move.wall_s, move.report) for move in record.moves]
    assert moves[:2] == [("B", "BBA", THINKING_S, {"value": 1}), ("B", "AAB", 0.0, None)]
    assert record.moves[0].cpu_s == THINKING_S and record.moves[1].cpu_s == 0.0


def test_lines_of_dots_that_are_no_turn_have_their_names(table):
    board = DotsBoard(1, 2, ("AAA", "ABA", "BAA"))
    for line, ending in (
        (b"move 0\n", "BAD_FRAME"),
        (b"move 1 AA\n", "BAD_FRAME"),
        (b"move 2 BBA\n", "BAD_FRAME"),
        (b"left please\n", "BAD_FRAME"),
        (b"name x\nname x\n", "BAD_FRAME"),
        (b" " * 2049, "OUTPUT_LIMIT"),
        (b"move 1 AHA\n", "ILLEGAL_MOVE"),
        (b"move 1 AAA\n", "ILLEGAL_MOVE"),
        (b"move 1 BBA\n", "ILLEGAL_MOVE"),  # it completes a box, and stops
        (b"move 2 BCAABB\n", "ILLEGAL_MOVE"),  # the first completes nothing
    ):
        record = table(B=Player({0: [says(line)]})).play(game="dots", board=board)
        assert judged(record) == (ending, "B"), line


def test_a_greeting_out_of_turn_is_no_fault_but_a_second_one_is(table):
    board = DotsBoard(1, 2, ("AAA", "ABA", "BAA"))
    for greetings, ending in ((1, "NORMAL"), (2, "BAD_FRAME")):
        first = Player(
            at_start=tuple(says(b"name x\n", 0.1) for _ in range(greetings)),
            usual=lambda turn: [says(b"move 1 ABB\n")],
        )
        second = Player({0: [says(b"move 2 BBAAAB\n")]}, usual=lambda turn: [says(b"move 1 BCA\n")])
        assert judged(table(A=first, B=second).play(game="dots", board=board))[0] == ending


def test_the_judge_does_not_look_again_before_something_can_have_happened(table, monkeypatch):
    """Looks come every 50 ms, so a turn of a quarter of a second has half a dozen."""
    looks = []
    watched = table()
    pump = watched.pump
    for module in (referee.__name__, "judge.play.clock"):
        monkeypatch.setattr(f"{module}.pump", lambda *words: looks.append(0) or pump(*words))
    watched.play()
    assert len(looks) < PLIES * 10


def test_whatever_fails_at_its_end_processes_and_sandboxes_of_a_game_are_closed(table, monkeypatch):
    """Such as for lack of a descriptor."""

    def fail(*words):
        raise OSError("no descriptor is left")

    failing, closed = table(), []
    sandboxes = SimpleNamespace(of=lambda player: None, close=lambda: closed.append(True))
    monkeypatch.setattr(referee, "sandboxes_for", lambda *words: sandboxes)
    monkeypatch.setattr(Seat, "thaw", fail)
    with pytest.raises(OSError, match="no descriptor"):
        failing.play()
    assert set(failing.ended) == set(failing.processes) and len(failing.ended) == 2 and closed == [True]
