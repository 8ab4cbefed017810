"""What `judge import` makes of files: their format, their games, and the records of those that the rules allow."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from judge.formats.documents import Source
from judge.formats.logged import Problem, named
from judge.formats.referee import record_of
from judge.formats.table import FORMATS, MATCH, Format, format_of, read_match, unknown
from judge.language import recorded
from protocol.records.record import GameRecord, Player

NO_GAME = recorded("no game is in it")
NO_REPLAY_WANTED = recorded("--moves is for a match detail of Saiblo")


@dataclass
class ImportedFile:
    """A file that was read: `format` is None where it has none that is known, `records` are (place, record)."""

    path: Path
    source: Source
    format: Format | None
    records: list[tuple[str, GameRecord]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def read_file(
    path: Path, data: bytes, format_name: str | None, replay: tuple[Path, bytes] | None, names: Sequence[str] | None
) -> ImportedFile:
    """What is in a file, by its content or as the format of that name.

    replay: the path and bytes of a match's replay, for its last move. names: of A and B, in place of the file's.
    """
    source = Source(data)
    found = FORMATS[format_name] if format_name else format_of(source)
    imported = ImportedFile(path, source, found)
    if found is None:
        imported.problems.append(Problem("", unknown(source)))
        return imported
    if replay is not None and found.name == MATCH:
        reading = read_match(source, Source(replay[1]), str(replay[0]))
    else:
        reading = found.read(source)
        if replay is not None:
            reading.complain("", NO_REPLAY_WANTED)
    if not reading.games and not reading.problems:
        reading.complain("", NO_GAME)
    imported.problems += reading.problems
    for game in reading.games:
        if names is not None:
            first, second = (_renamed(player, name) for player, name in zip(game.players, names, strict=True))
            game = replace(game, players=(first, second))
        if isinstance(game, GameRecord):
            imported.records.append(("", game))
            continue
        record, problems = record_of(game, found.name, path.name)
        imported.problems += problems
        if record is not None:
            imported.records.append((game.place, record))
    return imported


def _renamed(player: Player | None, name: str) -> Player:
    return named(name) if player is None else replace(player, name=name)
