"""Our own record files, a JSON object a line: records are taken as they are, and judged again."""

from judge.formats.documents import Source
from judge.formats.hand import LINE
from judge.formats.logged import Reading
from judge.language import recorded
from judge.play.recheck import disagreements
from protocol.records.record import GameRecord, RecordError

KEY = '"record_version"'
TORN = recorded("a torn line, which is left out")


def looks_like(source: Source) -> bool:
    """Whether a line of the text has a record's key."""
    return any(KEY in line and line.lstrip().startswith("{") for line in source.text.split("\n"))


def read(source: Source) -> Reading:
    """The records of a file; a line that is none is named and left out."""
    reading = Reading()
    lines = source.text.split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        place = LINE.format(line=number)
        try:
            record = GameRecord.from_json(line)
        except RecordError as error:
            reading.complain(place, TORN if number == len(lines) else str(error))
            continue
        reading.games.append(record)
        for sentence in disagreements(record):
            reading.complain(place, sentence)
    return reading
