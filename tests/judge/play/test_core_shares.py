"""Which turns were short of a core."""

from msgspec import structs

from judge.play import scoresheet
from judge.play.scoresheet import COSTLY_SHARE, FEWEST_COSTLY, LEAST_SHORTAGE_S, MOST_SHORT, Turns
from protocol.records.record import Move, Termination
from tests.judge.helpers.records import ended


def turn(wall_s=1.0, cpu_s=0.5, side="A"):
    return Move(side, 0, wall_s, cpu_s)


def test_a_turn_is_short_that_waited_for_a_twentieth_of_its_time():
    for wall_s, cpu_s, wait_s, is_short in (
        (1.0, 0.9, 0.0, False),
        (1.0, 0.9, 0.05, False),  # it had 95 %
        (1.0, 0.9, 0.06, True),
        (1.0, 1.0, 0.06, False),  # it ran all the time: its own threads crowded each other out
        (1.0, 8.0, 0.9, False),
        (1.0, 0.95, 0.06, True),  # processor time is counted in steps
        (1.0, None, 0.06, True),
        (0.01, 0.0, LEAST_SHORTAGE_S, False),  # a moment, whatever the turn
        (0.01, 0.0, 0.006, True),
        (3.0, 1.0, 2.0, True),
    ):
        found = scoresheet.turns_of_moves([turn(wall_s, cpu_s)], "A", [wait_s], limit_s=100.0)
        assert found == Turns(1, int(is_short), 0), (wall_s, cpu_s, wait_s)


def test_a_turn_is_costly_that_lost_enough_of_the_limit():
    assert COSTLY_SHARE == 0.02
    for limit_s, wall_s, wait_s, is_costly in (
        (3.0, 1.0, 0.055, False),
        (3.0, 1.0, 0.065, True),
        (0.1, 0.1, 0.004, False),
        (0.1, 0.1, 0.006, True),
    ):
        found = scoresheet.turns_of_moves([turn(wall_s, 0.0)], "A", [wait_s], limit_s)
        assert found.costly == int(is_costly), (limit_s, wait_s)


def test_turns_are_those_of_the_side_and_moves_of_one_turn_count_once():
    moves = [turn(), turn(side="B"), turn(), turn(0.0, 0.0), turn(0.0, 0.0), turn(side="B"), turn()]
    assert scoresheet.turns_of_moves(moves, "A", [0.0, 0.2, 0.2], 3.0) == Turns(3, 2, 2)
    assert scoresheet.turns_of_moves(moves, "B", [0.2, 0.0], 3.0) == Turns(2, 1, 1)


def test_a_last_turn_without_a_move_is_left_out():
    assert scoresheet.turns_of_moves([turn()], "A", [0.0, 0.9], 3.0) == Turns(1, 0)


def game(waits_s, moves=1, side="A"):
    of_side = {} if waits_s is None else {"waits_s": waits_s}
    record = ended(Termination.NORMAL)
    return structs.replace(record, moves=(turn(side=side),) * moves, extra={**record.extra, side: of_side})


def test_a_record_without_waits_is_not_measured():
    assert scoresheet.turns_of_record(game(None), "A") == Turns()


def test_games_add_up_and_old_ones_are_left_out():
    records = [game([0.5, 0.0], 2), game(None), game([0.0, 0.0, 0.0], 3)]
    assert scoresheet.turns_by_player(records) == {"A": Turns(5, 1, 1), "B": Turns()}
    assert scoresheet.turns_by_player(iter(records[:1]))["A"] == Turns(2, 1, 1)


def test_either_side_with_enough_costly_turns_is_a_warning():
    assert (MOST_SHORT, FEWEST_COSTLY) == (0.02, 3)
    for measured, costly, warning in ((100, 0, False), (100, 2, False), (100, 3, True), (4, 2, False), (150, 3, False)):
        found = Turns(measured, measured, costly)
        for turns in ({"A": found, "B": Turns(100, 0)}, {"A": Turns(), "B": found}):
            assert scoresheet.needs_warning(turns) == scoresheet.as_json(turns)["warning"] == warning


def test_instant_moves_that_waited_are_no_warning():
    """A game of four moves of 8 ms each, which waited for 6 ms of them."""
    moves = [turn(0.008, 0.001) for _ in range(4)]
    record = structs.replace(
        ended(Termination.NORMAL), moves=tuple(moves), extra={"limit_s": 3.0, "A": {"waits_s": [0.006] * 4}}
    )
    found = scoresheet.turns_by_player([record])
    assert found["A"] == Turns(4, 4, 0) and not scoresheet.needs_warning(found)


def test_shares_for_programs():
    shares = scoresheet.as_json({"A": Turns(9, 3, 3), "B": Turns(0, 0)})
    assert shares == {"A": 0.3333, "B": None, "bound": 0.02, "warning": True}
