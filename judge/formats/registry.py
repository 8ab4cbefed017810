"""The table of formats, and functions that recognize the format of a file by its content and write records as files."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from judge.formats import botzone, compete, contest, match_detail, own, saiblo, text
from judge.formats.reading import EMPTY_FILE, NotWritable, Reading, Source
from judge.games import DEFAULT_GAME
from judge.language import marked, recorded
from protocol.records.record import GameRecord

LOG, RESULTS = "log.txt", "result.txt"
Numbered = Sequence[tuple[int, GameRecord]]
Refused = list[tuple[int, str]]  # the number of each game left out, and the reason
REPLAYS: dict[str, Callable[[GameRecord], str]] = {
    saiblo.CONNECT_FOUR: saiblo.write_connect_four,
    saiblo.REVERSI: saiblo.write_reversi,
}

text_of = text.write


@dataclass(frozen=True)
class Format:
    """A format that can be read. `title` describes the format for people."""

    name: str
    title: str
    looks_like: Callable[[Source], bool]
    read: Callable[[Source], Reading]


# In the order in which format_of() tries them.
FORMATS = {
    log_format.name: log_format
    for log_format in (
        Format("record", marked("records of dropfour"), own.looks_like, own.read),
        Format("saiblo-match", marked("a match detail of Saiblo"), match_detail.looks_like, match_detail.read),
        Format(
            "saiblo",
            marked("a connect four replay of Saiblo"),
            saiblo.looks_like_connect_four,
            saiblo.read_connect_four,
        ),
        Format("saiblo-reversi", marked("a reversi replay of Saiblo"), saiblo.looks_like_reversi, saiblo.read_reversi),
        Format("compete", marked("the log that Compete prints"), compete.looks_like, compete.read),
        Format("compete-result", marked("Compete's result file"), compete.looks_like_results, compete.read_results),
        Format("contest", marked("messages of SAU's contest platform"), contest.looks_like, contest.read),
        Format("text", marked("text written by hand"), text.looks_like, text.read),
        Format("botzone", marked("messages of Botzone"), botzone.looks_like, botzone.read),
    )
}
MATCH = "saiblo-match"
read_match = match_detail.read  # unlike Format.read, it also takes the match's replay, which has the last move


def format_of(source: Source) -> Format | None:
    """Return the first Format that fits the content of a file, or None if no Format fits."""
    return next((log_format for log_format in FORMATS.values() if log_format.looks_like(source)), None)


def unknown(source: Source) -> str:
    """Return the text of the problem with a file that no format fits."""
    if not source.text.strip():
        return EMPTY_FILE
    return recorded("the format of the file is unknown: if you know it, name it with --format")


def saiblo_replays(records: Numbered) -> tuple[dict[str, str], Refused]:
    """Return ({file name: replay in Saiblo's format}, [(number of a game, why it cannot be written)])."""
    files: dict[str, str] = {}
    refused: Refused = []
    for number, record in records:
        try:
            if record.game not in REPLAYS:
                raise NotWritable(recorded("Saiblo does not have the game {game}").format(game=record.game))
            files[f"game-{number}.json"] = REPLAYS[record.game](record)
        except NotWritable as error:
            refused.append((number, str(error)))
    return files, refused


def compete_files(records: Numbered) -> tuple[dict[str, str], Refused]:
    """Return ({LOG: the log, RESULTS: the result file}, [(number of a game, why it is left out)]) for Compete.

    The first item is {} if no pair of games is complete.
    """
    refused = [
        (number, recorded("Compete does not have the game {game}").format(game=record.game))
        for number, record in records
        if record.game != DEFAULT_GAME
    ]
    playable = [(number, record) for number, record in records if record.game == DEFAULT_GAME]
    rounds, alone = compete.in_rounds([record for _number, record in playable])
    missing = recorded(
        "Compete plays two games on each board, and the game in which the other side moves first is missing"
    )
    refused += [(playable[index][0], missing) for index in alone]
    if not rounds:
        return {}, refused
    return {LOG: compete.write(rounds), RESULTS: compete.result_file(rounds).decode("ascii")}, refused
