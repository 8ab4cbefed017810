"""Standings and crosstables as tables, on a terminal of 80 columns too, and what is told of many players' games."""

import io

from msgspec import structs
from rich.console import Console

from judge.reports import circumstances, forfeits, prints
from judge.reports import tournament as report
from judge.reports.tournament import crosstable, standings
from judge.statistics.ratings import Game, rate
from judge.statistics.score import DRAW, LOSS, WIN, Score
from protocol.records.record import Move, Player, Termination
from tests.judge.helpers.records import ended

COLUMNS = 80
NAMES = ["ada", "bob", "cyd"]
BOARDS = [
    [Game(0, 1, WIN), Game(1, 0, LOSS)],
    [Game(0, 1, LOSS), Game(1, 0, WIN)],
    [Game(0, 1, WIN), Game(1, 0, DRAW)],
    [Game(2, 1, LOSS), Game(1, 2, WIN)],
]


def rows_of(names=NAMES, boards=BOARDS):
    return standings(names, boards, rate(len(names), boards))


def lines_of(table, columns=COLUMNS):
    console = Console(width=columns, file=io.StringIO(), markup=False, highlight=False, emoji=False)
    console.print(table)
    lines = [line for line in console.file.getvalue().splitlines() if line.strip()]
    assert max(map(len, lines)) <= columns
    assert not [line for line in lines if "…" in line]
    return lines


def test_the_best_stands_first_and_who_is_not_rated_last():
    rows = rows_of([*NAMES, "dee"])
    assert [row.name for row in rows] == ["ada", "bob", "cyd", "dee"]
    assert rows[0].score == Score(2, 1, 3)
    assert [row.is_held for row in rows] == [False, False, True, False]
    assert rows[3].elo is rows[3].error is rows[3].superiority is rows[2].superiority is None
    assert 0.5 < rows[0].superiority < rows[1].superiority
    assert [row.elo for row in standings(NAMES, [], None)] == [None] * 3


def test_a_crosstable_has_every_game_twice():
    against = crosstable(3, BOARDS)
    assert against[0][1] == Score(2, 1, 3)
    assert against[1][0] == Score(3, 1, 2)
    assert against[2][0] == Score(0, 0, 0)
    table = lines_of(report.crosstable_table(rows_of()))
    assert table[-3].split() == ["1", "ada", "×", "58"]
    assert table[-2].split() == ["2", "bob", "42", "×", "100"]
    assert table[-1].split() == ["3", "cyd", "0", "×"]


def test_standings_lose_columns_and_a_crosstable_does_not_fit_where_a_number_would_be_cut():
    names = [f"bot:a-preset --set a={number}" for number in range(12)]
    boards = [[Game(one, other, WIN), Game(other, one, WIN)] * 1000 for other in range(12) for one in range(other)]
    boards = [[game] for board in boards for game in board]
    rows = rows_of(names, boards)
    headings = ["player", "Elo", "95", "%", "games", "won", "drawn", "lost", "score", "LOS"]
    for columns, gone in ((100, ()), (72, ("won", "drawn", "lost")), (60, ("won", "drawn", "lost", "LOS"))):
        lines = lines_of(report.standings_table(rows), columns)
        assert lines[1].split() == [heading for heading in headings if heading not in gone]
        assert all(any(name in line for line in lines) for name in names)
        assert all(report.elo_in_words(row) in line.split() for row, line in zip(rows, lines[3:], strict=True))
    cross = report.crosstable_table(rows)
    widths = [columns for columns in range(60, 140) if cross.fits(Console(width=columns, file=io.StringIO()))]
    assert widths[-1] == 139 and max(map(len, lines_of(cross, widths[0]))) == widths[0] > 80


def test_marks_are_explained_where_they_are_used():
    ratings = rate(3, BOARDS)
    told = report.notes(rows_of(), ratings)
    assert told[0].startswith("moving first is worth ")
    assert told[0].endswith("% of games between equals are draws")
    assert told[1].startswith("the results of pairs vary 1.")
    assert told[2].startswith("* means: all of the player's results against the largest group of rivals went one way")
    with_dee = rows_of([*NAMES, "dee"])
    assert (
        report.notes(with_dee, rate(4, BOARDS))[-1]
        == "- means: no rating, because no games link the player to most of the others"
    )
    assert len(report.notes(rows_of(NAMES[:2], BOARDS[:3]), rate(2, BOARDS[:3]))) == 2
    assert report.notes([], None) == []
    table = lines_of(report.standings_table(rows_of(), former=[2]))
    assert any("cyd (out of" in line for line in table)
    assert any(f"{round(ratings.elo(2)):+d}*" in line for line in table)


def test_ratings_are_whole_and_have_a_sign():
    assert [report.signed(elo) for elo in (0.4, -0.4, 12.6, -1.0)] == ["0", "0", "+13", "-1"]


def test_a_line_tells_who_leads_and_what_is_wanted():
    rows = rows_of()
    assert report.progress_in_words(rows, 5, 20, None).startswith("5/20 games  ada leads with +")
    largest = max(row.error for row in rows if not row.is_held)
    assert report.progress_in_words(rows, 5, 20, 30.0).startswith("5 games  ada leads with +")
    assert report.progress_in_words(rows, 5, 20, 30.0).endswith(f"largest error ±{largest:.0f} Elo, wanted ±30")
    assert report.progress_in_words(standings(NAMES, [], None), 0, 20, 30.0) == "0 games"


def test_json_has_no_figure_that_is_not_known():
    rows = rows_of([*NAMES, "dee"])
    found = report.summary(rows, rate(4, BOARDS), dict.fromkeys(range(4), ("x", None)), [3])
    assert [player["plays_on"] for player in found["players"]] == [True, True, True, False]
    assert found["players"][3]["elo"] is None
    assert found["crosstable"][0][:3] == [None, [3, 1, 2], [0, 0, 0]]
    empty = report.summary(standings(NAMES, [], None), None, dict.fromkeys(range(3), ("x", None)), [])
    assert empty["first_move"] is empty["draws_between_equals"] is empty["pair_dispersion"] is None


def between(first, second, at_fault=None, termination=Termination.CRASH, **kept):
    record = ended(termination if at_fault else Termination.NORMAL, at_fault)
    sides = {"A": {"waits_s": [0.0] * 10}, "B": {"waits_s": [0.0] * 10}, **kept}
    moves = tuple(Move(side, 0, 1.0, 0.5) for _ in range(10) for side in "AB")
    return structs.replace(
        record,
        players=(Player(first, first), Player(second, second)),
        moves=moves,
        extra={"id": f"{first} {second}", "index": 0, "reason": "it went", **sides},
    )


def name_of(record, side):
    return record.players["AB".index(side)].name


def test_what_happened_is_told_by_player_on_whichever_side_it_was():
    waited = {"waits_s": [0.4] * 5 + [0.0] * 5}
    records = [
        between("ada", "bob", "B"),
        between("bob", "cyd", "A", B={**waited, "printed_bytes": 3, "printed": "hey"}),
        between("cyd", "ada", A={**waited, "printed_bytes": 3, "printed": "hey"}),
        between("cyd", "bob", "B", Termination.STALL),
    ]
    assert report.forfeits_as_json(records, name_of) == {"bob": {"CRASH": 2, "STALL": 1}}
    table = lines_of(report.forfeits_table(records, name_of))
    assert [line.split() for line in table[-2:]] == [["bob", "CRASH", "2"], ["bob", "STALL", "1"]]
    assert report.forfeits_table(records[2:3], name_of) is None
    numbers = {record.extra["id"]: number for number, record in enumerate(records, 1)}
    assert forfeits.first_of_each_kind(records, numbers, name_of) == [
        "game 1: CRASH by B (bob): it went",
        "game 4: STALL by B (bob): it went",
    ]
    assert [note.partition(" printed")[0] for note in prints.notes(records, name_of)] == ["note: B (cyd)"]
    (shares,) = circumstances.lines(records, 0, name_of)
    assert "moves slowed by other programs: at most 33.3% of a player's moves (cyd)" in shares
    assert shares.startswith("warning: ")
    found = circumstances.summary(records, 0, name_of)["short_of_core"]
    assert found["players"] == {"ada": 0.0, "bob": 0.0, "cyd": 0.3333}
    assert (found["bound"], found["warning"]) == (0.02, True)
    assert circumstances.lines([ended(Termination.NORMAL)], 0, name_of) == [
        "moves slowed by other programs: not measured"
    ]
