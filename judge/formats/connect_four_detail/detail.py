"""One file with a match detail: what is in it, and the game that it tells of."""

from dataclasses import dataclass, field

from judge.formats.connect_four_detail import match_detail, moves
from judge.formats.connect_four_detail.game import GameIncomplete, game_of
from judge.formats.connect_four_detail.match_detail import Match
from judge.formats.connect_four_detail.stdin_record import Stream, read_stream
from judge.formats.documents import EXPECTED, JSON_OBJECT, JUNK, DocumentError, Source, describe
from judge.formats.logged import Problem, Reading
from judge.formats.saiblo_connect_four import ROUNDS
from judge.language import recorded

KEYS = ("info", "message")
# Places and problems, as JSON keeps them.
STDIN_OF = recorded("stdin of seat {seat}")
AT_BYTE = recorded("byte {byte}, {error}")
MOVES = recorded("moves")
THE_GAME = recorded("the game")
NO_GAME_FOR_REPLAY = recorded("no game could be read that it could belong to")


@dataclass
class Detail:
    """A match detail: `streams` are its seats' (None without one), `game` what they tell of the game, `junk` bytes."""

    match: Match
    streams: list[Stream | None]
    game: moves.Game | None
    junk: int
    problems: list[Problem] = field(default_factory=list)


def looks_like(source: Source) -> bool:
    """Whether the text begins with such an object, or with what may be the beginning of one.

    A replay may have these keys beside its own.
    """
    if source.values:
        first = source.values[0].content
        return isinstance(first, dict) and ROUNDS not in first and any(key in first for key in KEYS)
    return source.text.lstrip()[:1] == "{" and all(f'"{key}"' in source.text for key in KEYS)


def read_detail(source: Source, replay: Source | None = None, replay_name: str = "") -> Detail:
    """The Detail in a file; `replay` is the match's replay, for the last move, which no bot is told.

    Raises DocumentError where the file is none.
    """
    problems: list[Problem] = []
    match = match_detail.read_match(_object(source), problems)
    end = source.values[0].end
    detail = Detail(match, [None] * len(match.seats), None, len(_encoded(source.text[end:].strip())), problems)
    if match.is_connect_four:
        _read_game(detail)
    if replay is not None:
        _take_last_move(detail, replay, replay_name)
    return detail


def read(source: Source, replay: Source | None = None, replay_name: str = "") -> Reading:
    """The game of a file."""
    reading = Reading()
    try:
        detail = read_detail(source, replay, replay_name)
    except DocumentError as error:
        reading.complain("", str(error))
        return reading
    reading.problems += detail.problems
    if detail.junk:
        reading.note("", JUNK.format(number=detail.junk))
    if detail.match.is_connect_four:
        try:
            reading.games.append(game_of(detail.match, detail.game))
        except GameIncomplete as error:
            reading.complain(THE_GAME, str(error))
    return reading


def _object(source: Source) -> dict[str, object]:
    if source.fault:
        raise DocumentError(source.fault)
    content = source.values[0].content
    if not isinstance(content, dict):
        raise DocumentError(EXPECTED.format(expected=JSON_OBJECT, found=describe(content)))
    return content


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _read_game(detail: Detail) -> None:
    """Put the game together from what the seats were sent."""
    detail.streams = [None if seat.stdin is None else read_stream(seat.stdin) for seat in detail.match.seats]
    for number, stream in enumerate(detail.streams):
        if stream is not None and stream.fault is not None:
            text = AT_BYTE.format(byte=stream.fault_byte, error=stream.fault)
            detail.problems.append(Problem(STDIN_OF.format(seat=number), text))
    try:
        detail.game = moves.put_together(detail.streams[: match_detail.SEATS])
    except moves.MovesError as error:
        detail.problems.append(Problem(MOVES, str(error)))
    if detail.game is not None and detail.game.fault is not None:
        detail.problems.append(Problem(MOVES, detail.game.fault))


def _take_last_move(detail: Detail, replay: Source, name: str) -> None:
    try:
        content = _object(replay)
        if detail.game is None:
            raise moves.MovesError(NO_GAME_FOR_REPLAY)
        moves.take_last_move(detail.game, content)
    except (DocumentError, moves.MovesError) as error:
        detail.problems.append(Problem(name, str(error)))
