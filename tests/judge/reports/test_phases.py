"""Start-up, first move and later moves are told apart, whoever's clock ran while a side started."""

from msgspec import structs

from judge.reports import batch, match, phases
from judge.terminal import console
from protocol.records.record import Move, Termination
from tests.judge.helpers.records import ended
from tests.judge.helpers.scripted import bot


def game(walls, first="A", start_up=None, **extra):
    """A record whose sides, from `first` on, took so long for their moves, by turns; half of it on the processor."""
    sides = "AB" if first == "A" else "BA"
    moves = tuple(Move(sides[number % 2], 0, wall_s, wall_s / 2) for number, wall_s in enumerate(walls))
    measured = {side: {"start_up_s": taken} for side, taken in (start_up or {}).items()}
    record = ended(Termination.NORMAL)
    return structs.replace(
        record, first=first, moves=moves, winner="A", pair=0, extra={**record.extra, **measured, **extra}
    )


def walls(records, side):
    return {name: phase.walls_s for name, phase in phases.phases(records, side).items() if phase.walls_s}


def test_the_first_movers_first_move_has_its_start_up():
    record = game((3.0, 1.0, 0.5, 0.25), start_up={"A": 2.0, "B": 1.5})
    assert walls([record], "A") == {"start_up": [2.0], "first_move_with_start_up": [3.0], "later_moves": [0.5]}
    assert walls([record], "B") == {"start_up": [1.5], "first_move": [1.0], "later_moves": [0.25]}


def test_both_or_neither_start_on_their_clocks_under_other_conditions():
    for conditions, names in [
        ({"free_start": True}, {"first_move"}),
        ({"freeze": True}, {"first_move_with_start_up"}),
        ({"free_start": True, "freeze": True}, {"first_move"}),
    ]:
        record = game((3.0, 1.0), **conditions)
        assert set(walls([record], "A")) == set(walls([record], "B")) == names, conditions


def test_times_go_by_who_moved_after_a_pass_too():
    record = game((5.0, 1.0, 3.0, 2.0))
    moves = [structs.replace(move, side=side) for move, side in zip(record.moves, "ABBA", strict=True)]
    passed = structs.replace(record, moves=moves)
    assert walls([passed], "A") == {"first_move_with_start_up": [5.0], "later_moves": [2.0]}
    assert walls([passed], "B") == {"first_move": [1.0], "later_moves": [3.0]}


def test_old_records_have_no_start_up():
    for kept in ({}, {"start_up_s": None}):
        assert "start_up" not in walls([game((1.0,), A=kept)], "A")


def test_the_figures_of_json():
    found = phases.summary([game((0.5, 1.0, 0.2, 1.0, 0.4), start_up={"A": 0.25})])["A"]
    assert found["start_up"] == {"games": 1, "mean_s": 0.25, "p95_s": 0.25, "slowest_s": 0.25}
    later = {"moves": 2, "mean_s": 0.3, "p95_s": 0.4, "slowest_s": 0.4}
    later_cpu = {"cpu_mean_s": 0.15, "cpu_p95_s": 0.2, "cpu_slowest_s": 0.2}
    assert found["later_moves"] == {**later, **later_cpu}
    assert found["first_move"] == {"moves": 0, **dict.fromkeys([*list(later)[1:], *later_cpu])}


def test_a_game_in_words():
    record = game((0.5, 1.0, 0.2, 1.0, 0.4), start_up={"A": 0.25})
    assert phases.in_words(record) == [
        "times of A: start-up 0.25 s; first move 0.50 s, including start-up; later moves 0.30 s on average, the "
        "slowest 0.40 s",
        "times of B: first move 1.00 s; later moves 1.00 s on average, the slowest 1.00 s",
    ]
    assert phases.in_words(game(())) == []


def printed(tables):
    shown = console()
    shown.width = 80
    with shown.capture() as captured:
        for table in tables:
            shown.print(table)
    return captured.get()


def test_the_tables_of_a_match_and_a_batch_have_a_row_for_each():
    records = [game((0.5, 1.0, 0.2), start_up={"A": 0.25}), game((0.75, 0.125, 0.1, 0.3), first="B")]
    of_batch = batch.tables(batch.results([bot("random_mover")], records, 1), {}, verbose=True)
    for text in map(printed, (match.details(records), of_batch)):
        rows = [line.split("  ") for line in text.splitlines()]
        found = {row[0].strip(): [cell.strip() for cell in row[1:] if cell.strip()] for row in rows}
        assert found["start-up"] == ["0.250 / 0.250 / 0.250", "-"]
        assert found["first move"] == ["0.125 / 0.125 / 0.125", "1.000 / 1.000 / 1.000"]
        assert found["first move, with start-up"] == ["0.500 / 0.500 / 0.500", "0.750 / 0.750 / 0.750"]
        assert found["later moves"] == ["0.250 / 0.300 / 0.300", "0.100 / 0.100 / 0.100"]
        assert found["CPU, later moves"] == ["0.125 / 0.150 / 0.150", "0.050 / 0.050 / 0.050"]
