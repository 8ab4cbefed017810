"""The summary of a batch, for each opponent and in total, as tables and as the content of a JSON object."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from judge.language import _, marked
from judge.play.scoresheet import ending_in_words
from judge.players.players import Contestant
from judge.reasons import reason_as_json
from judge.reports import phases
from judge.reports.match import score_in_words
from judge.reports.tables import ReportTable, as_markdown
from judge.reports.tables import markdown as table_in_markdown
from judge.statistics import score
from protocol.records.record import GameRecord

POINTS_PER_WIN, POINTS_PER_DRAW = 2, 1  # the course grades a batch with these points
RESULT_WORDS: dict[int | None, str] = {score.LOSS: marked("lost"), score.DRAW: marked("drawn")}
# (result as a word, opponent, record, number of the game in the record file), see games_not_won()
GameNotWon = tuple[str, Contestant, GameRecord, int | None]


@dataclass(frozen=True)
class Result:
    """The games against one opponent.

    `records` are in the order of the schedule. `total` is the number of games that are planned.
    """

    opponent: Contestant
    records: list[GameRecord]
    total: int

    @property
    def judged(self) -> int:
        """The number of games that have a result: all games except VOID games."""
        return score.score(self.records).games


def results(opponents: Sequence[Contestant], records: Sequence[GameRecord], rounds: int) -> list[Result]:
    """Return a Result for each opponent, made from all records of a batch of `rounds` rounds.

    The number of a pair, modulo the number of opponents, is the index of the pair's opponent.
    """
    return [
        Result(
            opponent,
            [record for record in records if record.pair is not None and record.pair % len(opponents) == index],
            2 * rounds,
        )
        for index, opponent in enumerate(opponents)
    ]


def running_score(records: Sequence[GameRecord], total: int) -> str:
    """Return one line with the score of the batch so far. `total` is the number of games that are planned."""
    games = _("{played}/{total} games").format(played=len(records), total=total)
    return f"{games}  {score_in_words(records)}"


def figures(records: Sequence[GameRecord], total: int) -> dict[str, Any]:
    """Return, as JSON, the counts of games, the wins per judged game, the points, and the most points possible.

    `total` is the number of games that are planned. The course grades a batch with these points.
    """
    result = score.score(records)
    return {
        "wins": result.wins,
        "losses": result.losses,
        "draws": result.draws,
        "judged": result.games,
        "total": total,
        "rate": round(result.wins / result.games, 4) if result.games else None,
        "score": POINTS_PER_WIN * result.wins + POINTS_PER_DRAW * result.draws,
        "most_score": POINTS_PER_WIN * total,
    }


def games_not_won(results: Iterable[Result], numbers: Mapping[str, int]) -> list[GameNotWon]:
    """Return (result as a word, opponent, record, number of the game) for each game lost or drawn, in order.

    `numbers` maps the id of a game to the game's number in the record file. The number in the result is None if the
    game is not in `numbers`.
    """
    return [
        (RESULT_WORDS[score.result(record)], result.opponent, record, numbers.get(record.extra["id"]))
        for result in results
        for record in result.records
        if score.result(record) in RESULT_WORDS
    ]


def summary(results: Sequence[Result], numbers: Mapping[str, int]) -> dict[str, Any]:
    """Return the batch as the content of a JSON object.

    `numbers` maps the id of a game to the game's number in the record file.
    """
    records = [record for result in results for record in result.records]
    not_won = games_not_won(results, numbers)
    return {
        **figures(records, sum(result.total for result in results)),
        "opponents": [
            {
                "name": result.opponent.name,
                "command": result.opponent.command,
                **figures(result.records, result.total),
            }
            for result in results
        ],
        **{
            word: [
                _game_as_json(opponent, record, number)
                for result, opponent, record, number in not_won
                if result == word
            ]
            for word in RESULT_WORDS.values()
        },
        "terminations": score.terminations(records),
        "at_fault": {side: score.forfeits(records, side) for side in "AB"},
        "times": phases.summary(records),
    }


def _game_as_json(opponent: Contestant, record: GameRecord, number: int | None) -> dict[str, Any]:
    return {
        "game": number,
        "opponent": opponent.name,
        "first": record.first,
        **record.board,
        "plies": len(record.moves),
        "termination": record.termination.value,
        "at_fault": record.at_fault,
        **reason_as_json(record),
    }


def tables(results: Sequence[Result], numbers: Mapping[str, int], verbose: bool) -> list[ReportTable]:
    """Return the tables of a batch: the score and, if there are any, the games that were lost or drawn.

    With `verbose` there is also a table of times. `numbers` maps the id of a game to the game's number in the record
    file.
    """
    counts = _("won"), _("drawn"), _("lost"), _("games judged"), _("games planned")
    headings = (_("opponent"), *counts, _("win rate"), _("points"))
    table = ReportTable(
        _("Score against each opponent"), headings, left=headings[:1], spare=(headings[-1:], counts[3:])
    )
    for result in results:
        table.add_row(result.opponent.name, *_cells(figures(result.records, result.total)))
    records = [record for result in results for record in result.records]
    if len(results) > 1:
        table.add_section()
        table.add_row(_("all"), *_cells(figures(records, sum(result.total for result in results))))
    not_won = games_not_won(results, numbers)
    tables = [table]
    if records and verbose:
        names = _("BOT's times"), _("opponents' times")
        tables.append(phases.table(_("Seconds: mean / 95 % / slowest"), records, *names))
    if not_won:
        tables.append(_table_of_games(not_won))
    return tables


def _cells(figures: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the cells of a row of the score table, without the opponent, from the result of figures()."""
    rate = "-" if figures["rate"] is None else f"{figures['rate']:.1%}"
    counts = (str(figures[name]) for name in ("wins", "draws", "losses", "judged", "total"))
    return (*counts, rate, f"{figures['score']}/{figures['most_score']}")


class Rate(NamedTuple):
    """How the batch's player did against an opponent, or against all of them ("all"), on one side or on both.

    `side` is "first" for the games in which the player moved first, "second", or "both". `rate` is the share of games
    that it won, and `lower` to `upper` is the 95 % interval of this share. All three are None without a judged game.
    """

    opponent: str
    side: str
    games: int
    wins: int
    draws: int
    losses: int
    rate: float | None
    lower: float | None
    upper: float | None


def rates(results: Sequence[Result]) -> list[Rate]:
    """Return a Rate for each opponent and side. The last three Rates are against all opponents together."""
    all_records = [record for result in results for record in result.records]
    rows = []
    for name, records in [*((result.opponent.name, result.records) for result in results), ("all", all_records)]:
        for side, firsts in (("first", "A"), ("second", "B"), ("both", "AB")):
            counted = score.score(record for record in records if record.first in firsts)
            counts = counted.games, counted.wins, counted.draws, counted.losses
            share = round(counted.wins / counted.games, 4) if counted.games else None
            interval = score.rate_interval(counted) if counted.games else (None, None)
            rows.append(Rate(name, side, *counts, share, *interval))
    return rows


def markdown(results: Sequence[Result]) -> list[str]:
    """Return the lines of a table of rates() in Markdown."""
    sides = {"first": _("first"), "second": _("second"), "both": _("both sides")}
    rows = []
    for row in rates(results):
        counts = map(str, (row.games, row.wins, row.draws, row.losses))
        rate = interval = "-"
        if row.rate is not None:
            rate, interval = f"{row.rate:.1%}", f"{row.lower:.1%} .. {row.upper:.1%}"
        rows.append([as_markdown(row.opponent), sides[row.side], *counts, rate, interval])
    headings = (_("opponent"), _("BOT's side"), _("games"), _("won"), _("drawn"), _("lost"), _("win rate"), "95 %")
    return table_in_markdown(headings, rows)


def _table_of_games(games: Iterable[GameNotWon]) -> ReportTable:
    headings = _("game"), _("opponent"), _("result"), _("BOT's side"), _("plies"), _("ending")
    left = (*headings[1:4], headings[5])
    table = ReportTable(_("Games that BOT lost or drew"), headings, left=left, spare=(headings[3:5],))
    for word, opponent, record, number in games:
        table.add_row(
            "-" if number is None else str(number),
            opponent.name,
            _(word),
            _("first") if record.first == "A" else _("second"),
            str(len(record.moves)),
            ending_in_words(record.termination, record.at_fault),
        )
    return table


def file_names(results: Iterable[Result]) -> list[str]:
    """Return a file name for each Result, made from the opponent's name. If two were the same, one gets a number."""
    names: list[str] = []
    for result in results:
        base = re.sub(r"[^\w.@:+=-]", "_", result.opponent.name).lstrip(".") or "player"
        name, copy = f"{base}.txt", 2
        while name in names:
            name, copy = f"{base}-{copy}.txt", copy + 1
        names.append(name)
    return names
