"""What a review has found: tables for people, one JSON object for programs, a table of Markdown for pages."""

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rich.table import Table

from judge.language import _, marked
from judge.reports.tables import empty_table
from judge.review.games import ReviewedGame
from judge.review.marks import (
    BLUNDER,
    GAVE_AWAY_DRAW,
    GAVE_AWAY_WIN,
    LAST_CHANCE,
    MISTAKE,
    Bounds,
    GameReview,
    MoveReview,
    Sum,
    Worth,
)
from judge.terminal import printable
from protocol.records.review import Reviewer

MARK_WORDS = {
    MISTAKE: marked("mistake"),
    BLUNDER: marked("blunder"),
    GAVE_AWAY_WIN: marked("gave away a win"),
    GAVE_AWAY_DRAW: marked("gave away a draw"),
    LAST_CHANCE: marked("last chance"),
}
UNKNOWN = "-"


class Reviewed(NamedTuple):
    """A game with its review."""

    game: ReviewedGame
    review: GameReview


def player_of(game: ReviewedGame, side: str) -> str:
    """What the player of a side is called, with the side: both may have one name."""
    return f"{side} {printable(game.record.players['AB'.index(side)].name)}"


def sums(found: Iterable[Reviewed]) -> dict[str, Sum]:
    """{player: what its moves add up to}, in the order in which they come."""
    totals: dict[str, Sum] = {}
    for game, review in found:
        for side in "AB":
            name = player_of(game, side)
            totals[name] = totals.get(name, Sum()) + review.sum_of(side)
    return totals


def bounds_in_words(bounds: Bounds) -> str:
    """From where on a move is marked."""
    words = _(
        "mistakes lose more than {mistake:g} of the value, blunders at least {blunder:g}; the last chance is the "
        "loser's last move in a position worth more than {chance:g} and not proven lost"
    )
    return words.format(mistake=bounds.mistake, blunder=bounds.blunder, chance=bounds.chance)


def tables(found: Sequence[Reviewed]) -> list[Table]:
    """The moves that are marked, if there are any, and what each player's moves add up to."""
    marks = [(game, review, move) for game, review in found for move in review.moves if _is_marked(review, move)]
    return [*([_mark_table(marks)] if marks else []), _sum_table(sums(found))]


def _is_marked(review: GameReview, move: MoveReview) -> bool:
    return move.mark is not None or move.ply == review.last_chance


def _mark_table(marks: Iterable[tuple[ReviewedGame, GameReview, MoveReview]]) -> Table:
    side, played, best, what = _("side"), _("played"), _("best"), _("mark")
    numbers = _("before"), _("after"), _("value lost")
    headings = (_("game"), _("ply"), side, played, best, *numbers, what)
    table = empty_table(_("Marked moves"), headings, left=(side, played, best, what), wrapped=(what,))
    for game, review, move in marks:
        table.add_row(
            str(game.number),
            str(move.ply),
            move.side,
            printable(move.played),
            UNKNOWN if move.best is None else printable(move.best),
            _worth_in_words(move.before),
            _worth_in_words(move.after),
            UNKNOWN if move.lost is None else f"{move.lost:.2f}",
            _marks_in_words(review, move),
        )
    return table


def _marks_in_words(review: GameReview, move: MoveReview) -> str:
    marks = [] if move.mark is None else [move.mark]
    if move.ply == review.last_chance and LAST_CHANCE not in marks:
        marks.append(LAST_CHANCE)
    return ", ".join(_(MARK_WORDS[mark]) for mark in marks)


def _worth_in_words(worth: Worth | None) -> str:
    if worth is None:
        return UNKNOWN
    if worth.proven is not None:
        return {"win": _("win"), "draw": _("draw"), "loss": _("loss")}[worth.proven]
    return f"{worth.value:+.2f}"


def _sum_table(totals: dict[str, Sum]) -> Table:
    player, mean = _("player"), _("value lost a move")
    headings = player, _("moves"), _("mistakes"), _("blunders"), _("given away"), mean
    table = empty_table(_("Sum by player"), headings, left=(player,), wrapped=(player, mean))
    for name, total in totals.items():
        table.add_row(name, str(total.moves), *_counts_of(total), _mean_of(total))
    return table


def _counts_of(total: Sum) -> tuple[str, ...]:
    """The mistakes, the blunders, and the results given away."""
    return tuple(map(str, (total.mistakes, total.blunders, total.given_away)))


def _mean_of(total: Sum) -> str:
    return UNKNOWN if total.mean_lost is None else f"{total.mean_lost:.3f}"


def summary(engine: Reviewer, bounds: Bounds, found: Sequence[Reviewed]) -> dict[str, Any]:
    """The content of a JSON object; of each game what the page has, with what tells the game and the moves apart."""
    return {
        "engine": dataclasses.asdict(engine),
        "bounds": {"mistake": bounds.mistake, "blunder": bounds.blunder, "chance": bounds.chance},
        "games": [
            {
                "game": game.number,
                "id": game.record.extra.get("id"),
                "players": [player.name for player in game.record.players],
                "winner": game.record.winner,
                **review.as_json(),
                "plies": [_move_json(move) for move in review.moves],
            }
            for game, review in found
        ],
        "players": {name: total.as_json() for name, total in sums(found).items()},
    }


def _move_json(move: MoveReview) -> dict[str, Any]:
    after = move.after
    return {
        "ply": move.ply,
        "side": move.side,
        "played": move.played,
        **move.as_json(),
        "pv": list(move.pv),
        "value_after": None if after is None else after.value,
        "proven_after": None if after is None else after.proven,
    }


def markdown(found: Sequence[Reviewed]) -> list[str]:
    """The lines of a table with a row for each game: where who lost has lost it."""
    headings = (
        *(_("game"), _("plies"), _("lost by"), _("last chance"), _("greatest loss")),
        *(_("mistakes"), _("blunders"), _("given away"), _("value lost a move")),
    )
    rows = [headings, ["---"] * len(headings), *(_markdown_row(game, review) for game, review in found)]
    return [_markdown_line([*row, *[UNKNOWN] * (len(headings) - len(row))]) for row in rows]


def _markdown_line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def _markdown_row(game: ReviewedGame, review: GameReview) -> list[str]:
    """The cells of a game, those of who lost left out where nobody has."""
    winner = game.record.winner
    row = [str(game.number), str(len(game.record.moves))]
    if winner is None:
        return row
    loser = "AB".replace(winner, "")
    total = review.sum_of(loser)
    own = [move for move in review.moves if move.side == loser]
    chance = next((move for move in own if move.ply == review.last_chance), None)
    greatest = max((move for move in own if move.lost), key=lambda move: move.lost or 0.0, default=None)
    lost = player_of(game, loser), _move_in_words(chance), _move_in_words(greatest)
    return [*row, *lost, *_counts_of(total), _mean_of(total)]


def _move_in_words(move: MoveReview | None) -> str:
    if move is None:
        return UNKNOWN
    words = _("ply {ply}: {played} ({before} to {after}), best {best}")
    if move.best == move.played:
        words = _("ply {ply}: {played} ({before} to {after}), the engine's own move")
    return words.format(
        ply=move.ply,
        played=printable(move.played),
        best=UNKNOWN if move.best is None else printable(move.best),
        before=_worth_in_words(move.before),
        after=_worth_in_words(move.after),
    )
