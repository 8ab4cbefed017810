"""The data of an imported game that the imported file does not have.

The record has replacements for such data. Reports say that the data is missing, and do not treat the replacements as
measured values.
"""

from judge.language import _
from judge.terminal import printable
from protocol.records.record import GameRecord

IMPORT_KEY = "imported_from"  # the key of a record's `extra` for the object that describes the imported file
TIMES, DATE, MOVES = "times", "date", "moves"  # keys of that object, for the values UNKNOWN or RECONSTRUCTED
UNKNOWN, RECONSTRUCTED = "unknown", "reconstructed"


def move_times_s(record: GameRecord) -> list[float | None]:
    """Return the time of each move in seconds, or None for a move whose time the imported file does not have."""
    has_unknown_times = record.kept(IMPORT_KEY).get(TIMES) == UNKNOWN
    return [None if has_unknown_times and not move.wall_s else move.wall_s for move in record.moves]


def started(record: GameRecord) -> str:
    """Return the time at which the game began, as the record has it, or "" if the imported file does not say."""
    return "" if record.kept(IMPORT_KEY).get(DATE) == UNKNOWN else record.started


def notes(record: GameRecord) -> list[str]:
    """Return lines on the file from which a game was imported, and on the data that the file does not have.

    Returns [] for a game that was not imported.
    """
    facts = record.kept(IMPORT_KEY)
    if not facts:
        return []
    file, name = (printable(str(facts.get(key, "?"))[:200]) for key in ("file", "format"))
    lines = [_("this game was imported from {file} (format {name})").format(file=file, name=name)]
    if facts.get(MOVES) == RECONSTRUCTED:
        lines.append(
            _("The imported file has only boards: the moves shown here are one order that leads to these boards.")
        )
    if facts.get(TIMES) == UNKNOWN and None in move_times_s(record):
        lines.append(_("The imported file lacks the time of some moves."))
    return lines
