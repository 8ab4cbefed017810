"""Draws the games of a match or of a tournament with matplotlib, which the extra `plot` installs."""

import itertools
from collections.abc import Sequence
from typing import Any

from judge.reports.match import FEWEST_PAIRS
from judge.reports.tournament import standings
from judge.reports.verdict import names
from judge.statistics import elo, score
from judge.statistics.ratings import rate
from judge.terminal import printable
from judge.web.totals import games_by_board
from protocol.records.record import GameRecord

MOST_POINTS = 200  # the most points of the band; each of them is computed from all games before it


def draw(records: Sequence[GameRecord], axes: Any) -> None:
    """Draw the games on `axes`: the score over the games if there are two players, the crosstable if there are more.

    Raises ValueError if no game has a result.
    """
    counted = [record for record in records if record.termination.counts]
    if not counted:
        raise ValueError("a plot needs at least one game with a result")
    if len({tuple(player.command for player in record.players) for record in counted}) == 1:
        _draw_score(counted, axes)
    else:
        _draw_crosstable(counted, axes)


def _draw_score(records: Sequence[GameRecord], axes: Any) -> None:
    """Draw A's share of the points after each game, with its 95 % interval, computed from the pairs so far."""
    points = itertools.accumulate({"A": 1.0, None: 0.5, "B": 0.0}[record.winner] for record in records)
    shares = [total / number for number, total in enumerate(points, start=1)]
    axes.plot(range(1, len(shares) + 1), shares, label="score")
    step = max(1, len(records) // MOST_POINTS)
    band = []
    for number in [*range(step, len(records), step), len(records)]:
        counts = score.pairs_that_count(records[:number])
        if sum(counts) >= FEWEST_PAIRS:
            strength = elo.estimate(counts)
            band.append((number, elo.expected_score(strength.lower), elo.expected_score(strength.upper)))
    if band:
        axes.fill_between(*zip(*band, strict=True), alpha=0.25, label="95 %")
    new, old = names(records)
    axes.axhline(0.5, color="grey", linewidth=1)
    axes.set(xlabel="games", ylabel="share of the points", ylim=(0, 1), title=f"{new} against {old}")
    axes.legend()


def _draw_crosstable(records: Sequence[GameRecord], axes: Any) -> None:
    """Draw the points, in percent, of the player of each row against that of each column, the best player first."""
    players = list(dict.fromkeys(printable(player.name) for record in records for player in record.players))
    boards = games_by_board(records, players)
    rows = standings(players, boards, rate(len(players), boards))
    shares = [[row.against[other.player].share for other in rows] for row in rows]
    colours = [[float("nan") if share is None else share for share in row] for row in shares]
    axes.imshow(colours, vmin=0, vmax=1, cmap="RdYlGn")
    for place, row in enumerate(shares):
        for other, share in enumerate(row):
            if share is not None:
                axes.text(other, place, f"{share:.0%}", ha="center", va="center")
    labels = [row.name if row.elo is None else f"{row.name} ({row.elo:+.0f})" for row in rows]
    axes.set_yticks(range(len(rows)), labels)
    axes.set_xticks(range(len(rows)), [str(place + 1) for place in range(len(rows))])
    axes.set_title("points of the row against the column")
