"""Data that an imported game's file lacks: reported with the game, and not taken for measured."""

from judge.language import _
from judge.terminal import printable
from protocol.records.record import GameRecord

KEY = "imported_from"  # of a record's `extra`
TIMES, DATE, MOVES = "times", "date", "moves"  # keys of that object
UNKNOWN, RECONSTRUCTED = "unknown", "reconstructed"


def walls_s(record: GameRecord) -> list[float | None]:
    """Return the seconds of each move; None where the imported file does not have them."""
    is_partly_unknown = record.kept(KEY).get(TIMES) == UNKNOWN
    return [None if is_partly_unknown and not move.wall_s else move.wall_s for move in record.moves]


def started(record: GameRecord) -> str:
    """Return when the game began, as in the record; "" if the imported file does not say."""
    return "" if record.kept(KEY).get(DATE) == UNKNOWN else record.started


def notes(record: GameRecord) -> list[str]:
    """Return lines on an imported game's file and on what that lacks; [] for a game that was judged here."""
    told = record.kept(KEY)
    if not told:
        return []
    file, name = (printable(str(told.get(key, "?"))[:200]) for key in ("file", "format"))
    lines = [_("imported from {file} ({name})").format(file=file, name=name)]
    if told.get(MOVES) == RECONSTRUCTED:
        lines.append(_("The file tells boards, not the order of moves: this is one order that leads there."))
    if told.get(TIMES) == UNKNOWN and None in walls_s(record):
        lines.append(_("The file does not tell how long every move took."))
    return lines
