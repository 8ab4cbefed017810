"""Notes on libraries that print to stdout. Printing is harmless here, but on the platform it forfeits the game."""

from collections.abc import Callable, Iterable, Sequence

from judge.language import _
from judge.processes.process import PRINTS_ARE_KEPT_APART
from judge.reports.batch import Result
from judge.terminal import printable, shortened
from protocol.records.record import GameRecord


def has_printed(record: GameRecord, side: str) -> bool:
    """Return whether the library that played this side printed to stdout in the game."""
    return bool(record.kept(side).get("printed_bytes"))


def notes(
    records: Iterable[GameRecord], player_of: Callable[[GameRecord, str], str] = lambda record, side: side
) -> list[str]:
    """Return a line for each player that printed to stdout, about the first game in which the player printed.

    player_of(record, side) returns the name of the player who was `side` in a game. Without it the games must be
    between the same two players.
    """
    firsts: dict[str, str] = {}
    for record in records:
        for side in "AB":
            if has_printed(record, side):
                firsts.setdefault(player_of(record, side), _note(record, side))
    return list(firsts.values())


def _note(record: GameRecord, side: str) -> str:
    """Return a note on the text that `side` printed in the game. Precondition: it has printed."""
    name = printable(record.players["AB".index(side)].name)
    text = shortened(str(record.kept(side).get("printed", "")), 60)
    note = _('note: {side} ({name}) printed "{text}" on stdout: {why}')
    return note.format(side=side, name=name, text=text, why=_(PRINTS_ARE_KEPT_APART))


def counts_in_batch(results: Iterable[Result]) -> dict[str, int]:
    """Return {"libraries": number of opponents that are libraries, "printing": number of libraries that printed}."""
    libraries = [result for result in results if result.opponent.keeps_prints_apart]
    printing = [result for result in libraries if any(has_printed(record, "B") for record in result.records)]
    return {"libraries": len(libraries), "printing": len(printing)}


def batch_notes(results: Sequence[Result]) -> list[str]:
    """Return lines on who printed to stdout in a batch: one line on all opponents, one on the batch's player."""
    counts = counts_in_batch(results)
    form = _("note: {printing} of the {libraries} opponents that are strategy libraries printed on stdout: {why}")
    of_opponents = [form.format(**counts, why=_(PRINTS_ARE_KEPT_APART))] if counts["printing"] else []
    of_player = [_note(record, "A") for result in results for record in result.records if has_printed(record, "A")]
    return of_opponents + of_player[:1]
