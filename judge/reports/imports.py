"""What a game that was imported does not have from its file: told with it, and not taken for measured."""

from judge.language import _
from judge.terminal import printable
from protocol.records.record import GameRecord

KEY = "imported_from"  # of a record's `extra`
TIMES, DATE, MOVES = "times", "date", "moves"  # of what stands there
UNKNOWN, RECONSTRUCTED = "unknown", "reconstructed"


def walls_s(record: GameRecord) -> list[float | None]:
    """How long each move took in seconds; None where its file does not tell."""
    is_partly_unknown = record.kept(KEY).get(TIMES) == UNKNOWN
    return [None if is_partly_unknown and not move.wall_s else move.wall_s for move in record.moves]


def started(record: GameRecord) -> str:
    """When the game began, as records have it; "" where its file does not tell."""
    return "" if record.kept(KEY).get(DATE) == UNKNOWN else record.started


def notes(record: GameRecord) -> list[str]:
    """Where an imported game comes from, and what of it is not its file's; [] for a game that was judged here."""
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
