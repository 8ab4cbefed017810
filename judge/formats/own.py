"""Reader for our own record files, which have a JSON object in each line.

A record whose game agrees with the rules is kept unchanged.
"""

from judge.formats.reading import Reading, Source
from judge.formats.text import LINE
from judge.language import recorded
from judge.play.recheck import disagreements
from protocol.records.record import GameRecord, OldRecord, RecordError


def looks_like(source: Source) -> bool:
    """Return whether a line of the text has the key that every record has."""
    return any('"record_version"' in line and line.lstrip().startswith("{") for line in source.text.split("\n"))


def read(source: Source) -> Reading:
    """Return the records in a file and the problems of the file.

    A line that is no record, or whose game breaks the rules, is skipped and added to the problems.
    """
    reading = Reading()
    for number, line in enumerate(source.text.split("\n"), start=1):
        if not line.strip():
            continue
        place = LINE.format(line=number)
        try:
            record = GameRecord.from_json(line)
        except RecordError as error:
            old = recorded("{error}; the command {command} writes these old records to a new file in the current form")
            reason = old.format(error=error, command="dropfour convert") if isinstance(error, OldRecord) else str(error)
            reading.complain(place, reason)
            continue
        problems = disagreements(record)
        for problem in problems:
            reading.complain(place, recorded("the game is left out: {problem}").format(problem=problem))
        if not problems:
            reading.games.append(record)
    return reading
