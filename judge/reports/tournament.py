"""The summary of a tournament: standings and crosstable for people, one JSON object for programs."""

import collections
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judge.language import _
from judge.play.scoresheet import ending_in_words
from judge.reports.circumstances import PlayerOf
from judge.reports.tables import ReportTable
from judge.statistics import score
from judge.statistics.ratings import BoardResults, Ratings
from judge.statistics.score import WIN, Score
from protocol.records.record import GameRecord

HELD_MARK = "*"  # stands after a rating that is bounded from one side only
NONE = "-"
ITSELF = "×"  # the cell of the crosstable in which a player would meet itself


@dataclass(frozen=True)
class Standing:
    """A player's row of the standings.

    `player` is the player's number. `against` has the player's Score against each player, in the order of the numbers.
    `elo` and `error` are None if no games link the player to most of the other players. `superiority` is the likelihood
    that the player is stronger than the player in the next row. It is None if there is no next row or the likelihood is
    unknown. If `is_held` is True, the player's rating is bounded from one side only; see statistics/ratings.py.
    """

    player: int
    name: str
    against: Sequence[Score]
    elo: float | None
    error: float | None
    superiority: float | None
    is_held: bool

    @property
    def score(self) -> Score:
        """The player's Score against all players together."""
        return Score(*map(sum, zip(*self.against, strict=True)))


def standings(names: Sequence[str], boards: Iterable[BoardResults], ratings: Ratings | None) -> list[Standing]:
    """Return the Standings of the players. The best player comes first, and players without a rating come last.

    `names[number]` is the name of player `number`. `boards` are all games, grouped by board.
    """
    against = crosstable(len(names), boards)
    elos = [ratings.elo(player) if ratings else None for player in range(len(names))]
    order = sorted(range(len(names)), key=lambda player: (elos[player] is None, -(elos[player] or 0.0), player))
    rows = []
    for player, following in zip(order, [*order[1:], None], strict=True):
        rows.append(
            Standing(
                player=player,
                name=names[player],
                against=against[player],
                elo=elos[player],
                error=ratings.error(player) if ratings else None,
                superiority=ratings.superiority(player, following) if ratings and following is not None else None,
                is_held=ratings is not None and player in ratings.held,
            )
        )
    return rows


def crosstable(players: int, boards: Iterable[BoardResults]) -> list[list[Score]]:
    """Return the crosstable as a list of rows. Its entry [player][other] is the Score of `player` against `other`.

    `players` is the number of players.
    """
    counts = [[[0, 0, 0] for _ in range(players)] for _ in range(players)]
    for board in boards:
        for first, other, result in board:
            counts[first][other][result] += 1
            counts[other][first][WIN - result] += 1  # from LOSS to WIN and from WIN to LOSS
    return [[Score(*results) for results in row] for row in counts]


def signed(elo: float) -> str:
    """Return a rating or a difference of ratings as a rounded number with its sign; 0 has none."""
    return f"{round(elo):+d}" if round(elo) else "0"


def elo_in_words(row: Standing) -> str:
    """Return a text with a player's rating, or NONE if there is none.

    HELD_MARK is part of the text if the rating is bounded from one side only.
    """
    return NONE if row.elo is None else signed(row.elo) + HELD_MARK * row.is_held


def error_in_words(row: Standing) -> str:
    """Return a text with the error of a player's rating, or NONE if the player has no rating."""
    return NONE if row.error is None else f"±{row.error:.0f}"


def superiority_in_words(row: Standing) -> str:
    """Return a text with the likelihood, in percent, that a player is stronger than the player in the next row.

    The text is NONE if the likelihood is unknown.
    """
    return NONE if row.superiority is None else f"{row.superiority:.1%}"


def progress_in_words(rows: Sequence[Standing], played: int, total: int, target: float | None) -> str:
    """Return one line on the state of the tournament, whose standings are `rows`.

    `played` of `total` games have ended. `target` is the value of --target-error in Elo, or None without that option.
    """
    games = _("{played}/{total} games") if target is None else _("{played} games")
    parts = [games.format(played=played, total=total)]
    if rows and rows[0].elo is not None:
        leads = _("{player} leads with {elo} {error} Elo")
        parts.append(leads.format(player=rows[0].name, elo=elo_in_words(rows[0]), error=error_in_words(rows[0])))
    errors = free_errors(rows)
    if target is not None and errors:
        parts.append(
            _("largest error ±{largest:.0f} Elo, wanted ±{target:g}").format(largest=max(errors), target=target)
        )
    return "  ".join(parts)


def free_errors(rows: Sequence[Standing]) -> list[float]:
    """Return the errors of the ratings that are not held. Only these errors become smaller with more games."""
    return [row.error for row in rows if row.error is not None and not row.is_held]


def target_in_words(rows: Sequence[Standing], target: float, is_reached: bool) -> str:
    """Return a sentence that says whether the error of every rating is at most `target` Elo."""
    if not is_reached:
        largest = max(free_errors(rows), default=None)
        if largest is None:
            return _("the wanted error of ±{target:g} Elo is not reached yet").format(target=target)
        return _("the wanted error of ±{target:g} Elo is not reached yet: the largest error is ±{largest:.0f}").format(
            target=target, largest=largest
        )
    if any(row.is_held for row in rows):
        sentence = _(
            "the error of every rating is at most ±{target:g} Elo; for players with {mark} it is the "
            "error within their own group of rivals"
        )
        return sentence.format(target=target, mark=HELD_MARK)
    return _("the error of every rating is at most ±{target:g} Elo").format(target=target)


def standings_table(rows: Sequence[Standing], former: Collection[int] = ()) -> ReportTable:
    """Return the table of the standings. `former` are the numbers of the players who are no longer in this run."""
    headings = ("", _("player"), "Elo", "95 %", _("games"), _("won"), _("drawn"), _("lost"), _("score"), "LOS")
    table = ReportTable(
        _("Standings"), headings, left=headings[1:2], spare=(headings[5:8], headings[9:], headings[4:5])
    )
    for place, row in enumerate(rows, start=1):
        name = _("{player} (out of the tournament)").format(player=row.name) if row.player in former else row.name
        counts = (row.score.games, row.score.wins, row.score.draws, row.score.losses)
        table.add_row(
            str(place),
            name,
            elo_in_words(row),
            error_in_words(row),
            *map(str, counts),
            score.percent(row.score),
            superiority_in_words(row),
        )
    return table


def crosstable_table(rows: Sequence[Standing]) -> ReportTable:
    """Return the crosstable: the points, in percent, of the player of each row against the player of each column.

    Rows and columns are in the order of the standings.
    """
    places = [str(place) for place in range(1, len(rows) + 1)]
    headings = ("", _("player"), *places)
    table = ReportTable(_("Crosstable: points of the row in percent"), headings, headings[1:2])
    for place, row in zip(places, rows, strict=True):
        shares = [row.against[other.player].share for other in rows]
        cells = ["" if share is None else f"{100 * share:.0f}" for share in shares]
        cells[int(place) - 1] = ITSELF
        table.add_row(place, row.name, *cells)
    return table


def forfeits_table(records: Sequence[GameRecord], player_of: PlayerOf) -> ReportTable | None:
    """Return the table of the numbers of forfeits by player and termination, or None if there are no forfeits.

    player_of(record, side) returns the name of the player who was `side` in a game.
    """
    counts = _count_forfeits(records, player_of)
    if not counts:
        return None
    headings = (_("player"), _("ending"), _("games"))
    table = ReportTable(_("Forfeits"), headings, left=headings[:2])
    for (player, ending), number in counts.most_common():
        table.add_row(player, ending_in_words(ending), str(number))
    return table


def _count_forfeits(records: Sequence[GameRecord], player_of: PlayerOf) -> collections.Counter[tuple[str, str]]:
    """Return {(name of a player, termination): number of games that the player forfeited}."""
    return collections.Counter(
        (player_of(record, record.at_fault), record.termination.value) for record in records if record.at_fault
    )


def notes(rows: Sequence[Standing], ratings: Ratings | None) -> list[str]:
    """Return sentences on the advantage of moving first, on draws and dispersion, and on how to read the standings."""
    if ratings is None:
        return []
    advantage, error = ratings.first_move
    lines = [
        _("moving first is worth {elo} ±{error:.0f} Elo; {share} of games between equals are draws").format(
            elo=signed(advantage), error=error, share=f"{ratings.draws:.1%}"
        ),
        _(
            "the results of pairs vary {dispersion:.2f} times as much as results of independent games "
            "would; the errors include this"
        ).format(dispersion=ratings.dispersion),
    ]
    if any(row.is_held for row in rows):
        held = _(
            "{mark} means: all of the player's results against the largest group of rivals went one way, so the "
            "rating is only a bound, computed as if half a game had gone the other way"
        )
        lines.append(held.format(mark=HELD_MARK))
    if any(row.elo is None for row in rows):
        unlinked = _("{none} means: no rating, because no games link the player to most of the others")
        lines.append(unlinked.format(none=NONE))
    return lines


def summary(
    rows: Sequence[Standing],
    ratings: Ratings | None,
    commands: Mapping[int, tuple[str, str | None]],
    former: Collection[int],
) -> dict[str, Any]:
    """Return the tournament as the content of a JSON object.

    `commands` maps the number of a player to the player's (command, version).
    `former` are the numbers of the players who are no longer in this run. In the JSON, row k and column k of the
    crosstable belong to player k of the list of players, and a cell is [wins, draws, losses].
    """
    advantage = None if ratings is None else ratings.first_move
    return {
        "players": [
            {
                "name": row.name,
                "command": commands[row.player][0],
                "version": commands[row.player][1],
                "elo": _rounded(row.elo),
                "elo_error": _rounded(row.error),
                "los": _rounded(row.superiority, 4),
                "held": row.is_held,
                "plays_on": row.player not in former,
                "games": row.score.games,
                "wins": row.score.wins,
                "draws": row.score.draws,
                "losses": row.score.losses,
            }
            for row in rows
        ],
        "crosstable": [
            # A Score is (losses, draws, wins).
            [None if row is other else list(reversed(row.against[other.player])) for other in rows]
            for row in rows
        ],
        "first_move": None
        if advantage is None
        else {"elo": _rounded(advantage[0]), "elo_error": _rounded(advantage[1])},
        "draws_between_equals": None if ratings is None else _rounded(ratings.draws, 4),
        "pair_dispersion": None if ratings is None else _rounded(ratings.dispersion, 4),
    }


def forfeits_as_json(records: Sequence[GameRecord], player_of: PlayerOf) -> dict[str, dict[str, int]]:
    """Return the numbers of forfeits as {name of a player: {termination: number of games that the player forfeited}}.

    player_of(record, side) returns the name of the player who was `side` in a game.
    """
    faults: dict[str, dict[str, int]] = {}
    for (player, ending), number in _count_forfeits(records, player_of).items():
        faults.setdefault(player, {})[ending] = number
    return faults


def _rounded(figure: float | None, digits: int = 2) -> float | None:
    return None if figure is None else round(figure, digits)
