"""On a terminal of 80 columns wins, draws, losses and the score are whole, whatever the players are called."""

import dataclasses
import functools
import io
import itertools

from rich.console import Console

from judge.cli.sprt import _state
from judge.players.players import Contestant
from judge.reports import batch, match
from judge.runs.progress import Progress
from judge.statistics.sprt import Hypotheses, SequentialTest
from protocol.records.record import GameRecord, Player, Termination
from tests.judge.helpers.records import ended

COLUMNS = 80
LONG_NAMES = ("a_name_that_is_as_long_as_they_get_here_", "bot:preset --set one=1 --set two=2 --se")
WINS, DRAWS, LOSSES = 10101, 2023, 8456


@functools.cache
def games(wins: int, draws: int, losses: int) -> list[GameRecord]:
    """Records with these results for A, in pairs."""
    record = ended(Termination.NORMAL)
    players = tuple(Player(name, f"python {name}") for name in LONG_NAMES)
    results = itertools.chain.from_iterable(
        itertools.repeat(winner, count) for winner, count in (("A", wins), (None, draws), ("B", losses))
    )
    return [
        dataclasses.replace(
            record,
            players=players,
            winner=winner,
            first="AB"[number % 2],
            pair=number // 2,
            extra={"id": str(number), "index": number, "reason": "", "A": {}, "B": {}},
        )
        for number, winner in enumerate(results)
    ]


def shown(tables):
    """The lines of tables on a narrow terminal."""
    console = Console(width=COLUMNS, file=io.StringIO(), markup=False, highlight=False, emoji=False)
    for table in tables:
        console.print(table)
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= COLUMNS
    return lines


def row(lines, name):
    """The cells of the first row that begins so."""
    return next(line for line in lines if line.strip().startswith(name)).split()


def test_the_score_of_a_long_match_is_whole():
    lines = shown(match.tables(games(WINS, DRAWS, LOSSES)))
    assert row(lines, "games") == ["games", "number", "won", "drawn", "lost", "score", "Elo", "95", "%"]
    number = WINS + DRAWS + LOSSES
    score = f"{(WINS + DRAWS / 2) / number:.1%}"
    assert row(lines, "all")[:6] == ["all", str(number), str(WINS), str(DRAWS), str(LOSSES), score]
    assert not [line for line in lines if "…" in line]
    title = " ".join("".join(lines[:3]).split())
    assert all(name.replace(" ", "") in title.replace(" ", "") for name in LONG_NAMES)


def test_wide_intervals_do_not_push_the_score_away():
    for wins, losses in [(11, 1), (1, 11), (12, 0)]:
        lines = shown(match.tables(games(wins, 0, losses)))
        assert row(lines, "all")[2:6] == [str(wins), "0", str(losses), f"{wins / 12:.1%}"]
        assert not [line for line in lines if "…" in line]


def test_the_score_of_a_batch_is_whole_and_names_are_folded():
    bot, opponent = (Contestant(name * 3, name) for name in LONG_NAMES)
    records = games(WINS, DRAWS, LOSSES)
    numbers = {record.extra["id"]: 1 + record.extra["index"] for record in records}
    result = batch.Result(opponent, records[:-3], len(records))
    lines = shown(batch.tables(bot, [result, batch.Result(opponent, records[-3:], 4)], numbers)[:1])
    judged, total = WINS + DRAWS + LOSSES, WINS + DRAWS + LOSSES + 4
    points = [str(2 * WINS + DRAWS), "of", str(2 * total)]
    rate = f"{WINS / judged:.1%}"
    assert row(lines, "all")[1:] == [str(WINS), str(DRAWS), str(LOSSES), str(judged), str(total), rate, *points]
    assert row(lines, "opponent")[1:4] == ["won", "drawn", "lost"]
    assert not [line for line in lines if "…" in line]


def test_a_line_of_progress_begins_with_the_results():
    """On a terminal it is cut where that ends."""
    records = games(WINS, DRAWS, LOSSES)
    test = SequentialTest(Hypotheses(0.0, 5.0))
    score = f"{(WINS + DRAWS / 2) / (WINS + DRAWS + LOSSES):.1%}"
    whole = f"{WINS} won {DRAWS} drawn {LOSSES} lost  {score}"
    for line in (
        match.running_score(records, 50000),
        batch.running_score(records, 50000),
        _state(test, records),
    ):
        assert whole in line[:COLUMNS]


def test_a_line_on_a_terminal_is_cut_to_its_width():
    written = io.StringIO()
    progress = Progress(lambda records: "12 won 3 drawn 4 lost  " + "x" * 200)
    progress.console = Console(
        file=written, force_terminal=True, width=COLUMNS, markup=False, _environ={"TERM": "xterm"}
    )
    progress.live.console = progress.console
    with progress:
        progress.show([])
    assert "12 won 3 drawn 4 lost" in written.getvalue()
    assert "x" * COLUMNS not in written.getvalue()
