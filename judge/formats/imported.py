"""Reads files of other programs, for the command `import` and for pages: the games as records, and the problems."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from msgspec import structs

from judge.formats.reading import Problem, Source, named, record_of
from judge.formats.registry import FORMATS, MATCH, Format, format_of, read_match, unknown
from judge.language import _, recorded, shown
from judge.terminal import printable
from protocol.records.record import GameRecord, Player


@dataclass
class ImportedFile:
    """A file of another program that was read. `format` is None if the file's format is unknown.

    `records` has (place in the file, record) for each good game. `left_out` is the number of problems that are not in
    `problems` because there are too many.
    """

    path: Path
    source: Source
    format: Format | None
    records: list[tuple[str, GameRecord]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    left_out: int = 0

    def in_words(self) -> str:
        """Return the file's format and the number of its good games, in the current language.

        Precondition: the format is not None.
        """
        assert self.format is not None
        number = len(self.records)
        form = (
            _("{path}: {number} game, read as {title}") if number == 1 else _("{path}: {number} games, read as {title}")
        )
        return form.format(path=printable(str(self.path)), title=_(self.format.title), number=number)


def read_file(
    path: Path, data: bytes, format_name: str | None, replay: tuple[Path, bytes] | None, names: Sequence[str] | None
) -> ImportedFile:
    """Return the games and problems of a file. `path` is only used as the file's name, and `data` is its content.

    `format_name` is the name of the file's format; if it is None, the content decides. `replay` is (path, content) of
    the replay of the match in the file, which has the last move, or None. `names` are names of A and B that replace the
    names in the file, or None.
    """
    source = Source(data)
    log_format = FORMATS[format_name] if format_name else format_of(source)
    imported = ImportedFile(path, source, log_format)
    if log_format is None:
        imported.problems.append(Problem("", unknown(source)))
        return imported
    if replay is not None and log_format.name == MATCH:
        reading = read_match(source, Source(replay[1]), str(replay[0]))
    else:
        reading = log_format.read(source)
        if replay is not None:
            reading.complain(
                "", recorded("the file is no match detail of Saiblo: give --moves only with a match detail")
            )
    if not reading.games and not reading.problems:
        reading.complain("", recorded("the file has no game"))
    for game in reading.games:
        if names is not None:
            first, second = (_renamed(player, name) for player, name in zip(game.players, names, strict=True))
            players = (first, second)
            game = game.changed(players=players) if isinstance(game, GameRecord) else replace(game, players=players)
        if isinstance(game, GameRecord):
            imported.records.append(("", game))
            continue
        record, problems = record_of(game, log_format.name, path.name)
        for problem in problems:
            reading.add(problem)
        if record is not None:
            imported.records.append((game.place, record))
    imported.problems, imported.left_out = reading.problems, reading.left_out
    return imported


def _renamed(player: Player | None, name: str) -> Player:
    """Return the player with another name. A player whom the file does not name becomes a new Player."""
    return named(name) if player is None else structs.replace(player, name=name)


def problem_lines(file: ImportedFile, most: int) -> list[str]:
    """Return lines that say, in the current language, what is wrong with a file, and where.

    There is a line for each of the first `most` problems. If there are more, a last line says how many.
    """
    lines = []
    for problem in file.problems[:most]:
        parts = [str(file.path), shown(problem.place), shown(problem.text)]
        line = ": ".join(printable(part) for part in parts if part)
        lines.append(_("note: {message}").format(message=line) if problem.is_note else line)
    left_out = max(0, len(file.problems) - most) + file.left_out
    if left_out:
        lines.append(
            _("{path}: {number} more problems or notes are left out here").format(
                path=printable(str(file.path)), number=left_out
            )
        )
    return lines
