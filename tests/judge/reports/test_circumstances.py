"""Under what conditions games were played, in words and for programs."""

from msgspec import structs

from judge.reports import circumstances
from protocol.records.record import Move, Termination
from tests.judge.helpers.records import ended


def game(state=None, short_of=0, turns=50, termination=Termination.NORMAL):
    """A game before which the machine was in this state, in which A waited in so many of its turns."""
    moves = tuple(Move(side, 0, 1.0, 0.5) for _ in range(turns) for side in "AB")
    waits_s = {"A": [0.4] * short_of + [0.0] * (turns - short_of), "B": [0.0] * turns}
    sides = {side: {"waits_s": found} for side, found in waits_s.items()}
    machine = {} if state is None else {"machine": {"state": state}}
    return structs.replace(ended(termination), moves=moves, extra={"index": 0, **sides, **machine})


def test_a_run_is_as_idle_as_its_worst_part():
    for states, expected in [
        (["idle", "idle"], "idle"),
        (["idle", "busy"], "busy"),
        (["idle", None], None),
        ([None, None], None),
        ([None, "busy"], "busy"),
        (["\x1b[31m"], None),
    ]:
        records = [game(state) for state in states]
        assert circumstances.machine_state(records) == expected, states
        assert circumstances.summary(records, 0)["machine"]["state"] == expected, states


def test_what_a_record_has_in_place_of_a_state_is_none():
    for machine in (None, "idle", 5, [], {"state": ["idle"]}, {"state": {}}):
        record = structs.replace(game(), extra={"index": 0, "machine": machine})
        assert circumstances.machine_state([record]) is None, machine
        assert circumstances.summary([record], 0)["machine"]["games"] == {"idle": 0, "busy": 0, "not_measured": 1}


def test_shares_within_the_bound_are_told_without_a_warning():
    records = [game("idle", short_of=1), game("idle")]
    assert circumstances.lines(records, 0) == ["moves slowed by other programs: 1.0% of A's, 0.0% of B's"]
    assert circumstances.warnings(game(short_of=1)) == []


def test_shares_above_the_bound_are_a_warning():
    assert circumstances.lines([game("idle", short_of=3)], 0) == [
        "warning: moves slowed by other programs: 6.0% of A's, 0.0% of B's; 3 of these moves lost more than 2% of the "
        "time limit: do not trust the result, play again on an idle machine"
    ]
    assert len(circumstances.warnings(game(short_of=3))) == 1
    assert circumstances.summary([game(short_of=3)], 0)["short_of_core"]["warning"] is True


def test_old_records_are_not_measured():
    assert circumstances.lines([ended(Termination.NORMAL)], 0) == ["moves slowed by other programs: not measured"]
    assert circumstances.warnings(ended(Termination.NORMAL)) == []


def test_void_attempts_and_a_busy_machine_are_told():
    records = [game("busy"), game("idle"), game("idle", termination=Termination.VOID)]
    assert circumstances.lines(records, 6)[1:] == [
        "attempts at games that did not count (VOID): 6; games left without a result: 1",
        "the machine was busy before the runs with 1 of the 3 games; no player lost enough time to change a result, so "
        "the results can be trusted",
    ]
    assert circumstances.summary(records, 6)["void_attempts"] == 6


def test_a_busy_machine_has_one_sentence_that_says_whether_the_results_can_be_trusted():
    (told,) = circumstances.lines([game("busy", short_of=3)], 0)
    assert told.endswith("do not trust the result, play again on an idle machine")
    unmeasured = structs.replace(game("busy"), extra={"index": 0, "machine": {"state": "busy"}})
    assert circumstances.lines([unmeasured], 0, verbose=False) == [
        "the machine was busy before the runs with 1 of the 1 games; how much time the players lost was not measured, "
        "so do not trust the results"
    ]
