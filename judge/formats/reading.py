"""Code that all formats share: it decodes the text of a file, parses JSON and judges each game again.

The positions of JSON values in the text are kept. A game that is judged becomes a record.
"""

import codecs
import json
import re
import uuid
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import cached_property
from typing import Annotated, Any

from msgspec import Meta

from judge.games import GAMES
from judge.games.positions import AnyMove, IllegalMove, Position
from judge.language import as_data, recorded
from judge.play.scoresheet import in_order, opponent
from judge.players.players import own_version
from judge.reasons import AS_LOGGED, AS_LOGGED_ALONE, ILLEGAL_LAST, RESIGNED, UNFINISHED, VOID_BY_FILE, WON
from judge.reports import imports
from judge.terminal import MEGABYTE
from protocol.records.json_lines import without_surrogates
from protocol.records.record import SIDES, GameRecord, Move, Player, RecordError, Termination
from protocol.records.values import Value as Type
from protocol.records.values import converted

BLANKS = re.compile(r"\s*")
LARGEST_BYTES = 256 * MEGABYTE  # the largest file that is read: some 100,000 games
MOST_PROBLEMS = 1000  # at most so many problems of a file are kept, and as many notes
LARGEST = 2**53  # far above any number in a file; up to this number integers are exact as floats
Whole = Annotated[int, Meta(ge=-LARGEST, le=LARGEST)]
Number = Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]
# Texts of problems. JSON has them in English.
NO_JSON = recorded("the JSON cannot be read: {error}")
EMPTY_FILE = recorded("the file is empty")
NO_OBJECT = recorded("the file begins with {found}, expected a JSON object or list")
JUNK = recorded("{number} bytes after the JSON were ignored")
DRAW = "draw"
# {Saiblo's end state of the side at fault: the first ending of the table that has it}. UE, CANCEL and STLE are not
# here: they are faults of the platform or unexplained.
TERMINATIONS_OF_SAIBLO = {
    "EXIT": Termination.CRASH,
    **{ending.end_state: ending for ending in reversed(Termination) if ending.fault is not None},
}
UNKNOWN = "unknown-{side}"  # the name that a player gets if the file does not name it


class NotWritable(Exception):
    """A record cannot be written in the chosen format. The error's text is the text of the problem."""


class Fault(Exception):
    """A part of a file is wrong. The error's text is the text of the problem, and `place` says where the part is."""

    def __init__(self, place: str, text: str) -> None:
        super().__init__(text)
        self.place = place


@dataclass(frozen=True)
class Value:
    """A parsed JSON value in a file.

    `line` is the number, from 1, of the line of the file in which the value begins. `end` is the index after the value
    in the file's text.
    """

    content: Any
    line: int
    end: int


class Source:
    """A file's bytes and its text. The bytes are UTF-8, UTF-16 or UTF-32, as some shells write downloads."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        # Invalid bytes are replaced.
        self.text = data.decode(_text_encoding(data), "replace").removeprefix("\ufeff")

    @cached_property
    def first(self) -> Any:
        """The first JSON object or list of the file, or None if it does not begin with one."""
        return self.parsed[0][0].content if self.parsed[0] else None

    def converted(self, kind: type[Type]) -> Type:
        """Return `first` converted to the type `kind`.

        Raises RecordError if there is no such value, or if a field of it is wrong; the error names the field.
        """
        if self.first is None:
            raise RecordError(self.parsed[1])
        return converted(self.first, kind)

    def bytes_behind(self, values_read: int) -> int:
        """Return how many bytes, without blanks at the ends, follow the first `values_read` JSON values of the file.

        Return 0 if the file does not begin with a JSON value.
        """
        values, _fault = self.parsed
        return len(self.text[values[values_read - 1].end :].strip().encode("utf-8", "replace")) if values else 0

    def note_rest(self, reading: "Reading", values_read: int) -> None:
        """Add a note to `reading` if anything but blanks follows the first `values_read` JSON values of the file."""
        if number := self.bytes_behind(values_read):
            reading.note("", JUNK.format(number=number))

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text, without line ends."""
        return self.text.splitlines()

    @cached_property
    def parsed(self) -> tuple[list[Value], str]:
        """(the JSON objects and lists at the beginning of the text, what is wrong with the text after them).

        If nothing follows them, the second item has no meaning, unless the file is empty.
        """
        values: list[Value] = []
        line, end = 1, 0
        # The pattern matches the empty string too.
        while (start := BLANKS.match(self.text, end).end()) < len(self.text):  # type: ignore[union-attr]
            line += self.text.count("\n", end, start)
            try:
                content, end = json.JSONDecoder().raw_decode(self.text, start)
            except (ValueError, RecursionError) as error:
                return values, NO_JSON.format(error=error)
            if not isinstance(content, (dict, list)):
                return values, NO_OBJECT.format(found=json.dumps(content)[:40])
            values.append(Value(without_surrogates(content), line, end))
            line += self.text.count("\n", start, end)
        return values, EMPTY_FILE


def _text_encoding(data: bytes) -> str:
    """Return the name of the encoding of a file.

    It is UTF-8 if the file has neither a byte order mark nor many NULs.
    """
    encoding = json.detect_encoding(data)
    is_marked = data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF32_BE))
    # Latin text in UTF-16 has at least one NUL in 4 bytes.
    is_wide = data.count(0) * 4 >= len(data)
    return encoding if is_marked or is_wide else "utf-8"


def named(name: str) -> Player:
    """Return a Player for a player of whom a file has only the name.

    The player's command becomes `imported:NAME`, which does not start a program.
    """
    return Player(name, f"imported:{name}")


@dataclass(frozen=True)
class Problem:
    """A problem of a file. `place` says where in the file the problem is; "" means the whole file.

    `place` and `text` are made from templates of recorded(), or are data. If `is_note` is True, the file is in order,
    and the text only informs the reader.
    """

    place: str
    text: str
    is_note: bool = False


@dataclass(frozen=True)
class Claim:
    """What a file states about the end of a game. A part that the file does not state is None, or "" for `words`.

    `result` is "A", "B" or DRAW. `termination` says how the game ended. `at_fault` is the side that forfeited, "A" or
    "B". `words` are the file's own words.
    """

    result: str | None = None
    termination: Termination | None = None
    at_fault: str | None = None
    words: str = ""


@dataclass(frozen=True)
class LoggedGame:
    """One game of a file, before it is judged.

    `board` and `moves` have the form of records and are not checked. `first` is the side that moves first. `sides` has
    the side of each move, or is () if the file does not say it. `move_places` has the place of each move in the file,
    or is () if all moves have the game's place. In `players` a player whom the file does not name is None. `times_s`
    has the seconds of each move, with None for an unknown time; it is () if all are unknown. `started` is None if the
    file has no such time. `is_one_order` is True if the file has only positions, to which several orders of the moves
    lead.
    """

    place: str
    game: str
    board: dict[str, Any]
    moves: tuple[AnyMove, ...]
    claim: Claim = Claim()
    first: str = "A"
    sides: tuple[str, ...] = ()
    move_places: tuple[str, ...] = ()
    players: tuple[Player | None, Player | None] = (None, None)
    times_s: tuple[float | None, ...] = ()
    started: str | None = None
    judge_version: str | None = None
    is_one_order: bool = False
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass
class Reading:
    """The content of a file: its games in order, and the problems and notes that reading it has found.

    Games of our own record files are GameRecords. `problems` holds the first MOST_PROBLEMS problems and the first
    MOST_PROBLEMS notes. `number` counts all problems, and `notes` counts all notes.
    """

    games: list[LoggedGame | GameRecord] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    number: int = 0
    notes: int = 0

    def complain(self, place: str, text: str) -> None:
        """Add a problem with the place `place` and the text `text`."""
        self.add(Problem(place, text))

    def note(self, place: str, text: str) -> None:
        """Add a note with the place `place` and the text `text`."""
        self.add(Problem(place, text, is_note=True))

    def add(self, problem: Problem) -> None:
        """Add a problem or a note."""
        self.number += not problem.is_note
        self.notes += problem.is_note
        if (self.notes if problem.is_note else self.number) <= MOST_PROBLEMS:
            self.problems.append(problem)

    @property
    def left_out(self) -> int:
        """The number of problems and notes that were not kept."""
        return self.number + self.notes - len(self.problems)


def record_of(logged: LoggedGame, format_name: str, file_name: str) -> tuple[GameRecord | None, list[Problem]]:
    """Judge a game and return (the game's record, the game's problems).

    The record is None if the rules refuse the board or a move. If the game is over by the rules, the result by the
    rules counts, unless the file says that the game is VOID. A game that is not over ends by the fault or the
    resignation that the file states. If the file states neither, the game is VOID. `format_name` and `file_name` are
    stored in the record.
    """
    problems: list[Problem] = []
    try:
        position = GAMES[logged.game].new_position(GAMES[logged.game].read_board(logged.board))
        moves, illegal = _play_moves(logged, position)
        termination, winner, at_fault, reason = _ending(logged, position, illegal, problems)
        imported: dict[str, Any] = {"format": format_name, "file": file_name, "place": logged.place}
        if logged.claim.words:
            imported["words"] = logged.claim.words
        if len(logged.times_s) < len(moves) or None in logged.times_s:
            imported[imports.TIMES] = imports.UNKNOWN
        if logged.is_one_order:
            imported[imports.MOVES] = imports.RECONSTRUCTED
        if logged.started is None:
            imported[imports.DATE] = imports.UNKNOWN
        started = logged.started or datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        first, second = (
            player or named(UNKNOWN.format(side=side)) for side, player in zip("AB", logged.players, strict=True)
        )
        record = GameRecord(
            game=logged.game,
            board=logged.board,
            players=(first, second),
            first=logged.first,
            moves=tuple(moves),
            winner=winner,
            termination=termination,
            at_fault=at_fault,
            started=started,
            finished=started,
            judge_version=logged.judge_version or own_version(),
            extra={**logged.extra, "id": uuid.uuid4().hex, "reason": as_data(reason), imports.IMPORT_KEY: imported},
        )
        record.to_json()
    except Fault as fault:
        return None, [Problem(fault.place, str(fault))]
    except (ValueError, RecordError) as error:  # the rules refuse the board, or a record may not have such a value
        return None, [*problems, Problem(logged.place, str(error))]
    return record, problems


def _play_moves(logged: LoggedGame, position: Position) -> tuple[list[Move], str | None]:
    """Play the moves of a game on `position`, its empty board.

    Returns (the moves, why the move after them is illegal). The second item is a text only if the file says that the
    side with the last move lost by this move; else it is None. Raises Fault for any other move that is illegal or made
    by the wrong side.
    """
    moves: list[Move] = []
    for number, move in enumerate(logged.moves):
        side = in_order(logged.first)[position.to_move]
        place = logged.move_places[number] if logged.move_places else logged.place
        if logged.sides and logged.sides[number] != side and not position.over:
            wrong = recorded("the file says that {logged} made ply {ply}, but it was {side}'s turn")
            raise Fault(place, wrong.format(ply=number + 1, logged=logged.sides[number], side=side))
        try:
            position.play(move)
        except IllegalMove as error:
            claim = logged.claim
            is_claimed = (claim.termination, claim.at_fault) == (Termination.ILLEGAL_MOVE, side) or (
                (claim.termination, claim.result) == (None, opponent(side))
            )
            if number + 1 == len(logged.moves) and is_claimed and not position.over:
                return moves, str(error)
            wrong = recorded("ply {ply} is not legal: {error}")
            raise Fault(place, wrong.format(ply=number + 1, error=error)) from None
        time_s = logged.times_s[number] if number < len(logged.times_s) else None
        moves.append(Move(side, move, time_s or 0.0))
    return moves, None


# (termination, winner, side at fault, reason) of a record; winner and side are "A", "B" or None
_Ending = tuple[Termination, str | None, str | None, str]


def _ending(logged: LoggedGame, position: Position, illegal: str | None, problems: list[Problem]) -> _Ending:
    """Return the ending for the record of a game whose last position is `position`.

    If the file's claim about the end is wrong, a problem is added to `problems`. `illegal` says why the move that lost
    the game is illegal; it is None if no move was.
    """

    def complain(text: str, **fields: Any) -> None:
        problems.append(Problem(logged.place, text.format(**fields)))

    claim = logged.claim
    if position.over and claim.termination is not Termination.VOID:
        return _ending_by_rules(logged, position, problems)
    to_move = in_order(logged.first)[position.to_move]
    if illegal is not None:
        reason = ILLEGAL_LAST.format(side=to_move, error=illegal)
        return Termination.ILLEGAL_MOVE, opponent(to_move), to_move, reason
    words = AS_LOGGED.format(words=claim.words) if claim.words else ""
    if claim.termination is Termination.VOID:
        return Termination.VOID, None, None, words or VOID_BY_FILE
    if claim.termination is Termination.RESIGNATION and claim.result in SIDES:
        return claim.termination, claim.result, None, RESIGNED.format(side=opponent(claim.result))
    if claim.termination is None or claim.termination is Termination.NORMAL or claim.at_fault is None:
        if claim == Claim(words=claim.words):  # the file states nothing else
            problems.append(Problem(logged.place, UNFINISHED, is_note=True))
        else:
            complain(
                recorded(
                    "the file says that the result is {logged}, but the game is not over and the file does not "
                    "say why it ended: the game counts as VOID"
                ),
                logged=_result_in_words(claim.result),
            )
        return Termination.VOID, None, None, words or UNFINISHED
    claimed = {"ending": claim.termination, "side": claim.at_fault}
    if claim.result == claim.at_fault:
        complain(recorded("the file says {ending} by {side}, but also that {side} has won"), **claimed)
    if claim.termination.is_by_mover and claim.at_fault != to_move:
        complain(recorded("the file says {ending} by {side}, but {other} was to move"), **claimed, other=to_move)
    return claim.termination, opponent(claim.at_fault), claim.at_fault, words or AS_LOGGED_ALONE


def _ending_by_rules(logged: LoggedGame, position: Position, problems: list[Problem]) -> _Ending:
    """Return the ending for the record of a game that is over by the rules in `position`.

    If the file's claim differs from it, a problem is added to `problems`.
    """
    claim = logged.claim
    winner = None if position.winner is None else in_order(logged.first)[position.winner]
    if claim.at_fault is not None:
        wrong = recorded("the file says {ending} by {side}, but by the rules the game was already over")
        problems.append(Problem(logged.place, wrong.format(ending=claim.termination, side=claim.at_fault)))
    elif claim.result is not None and claim.result != (winner or DRAW):
        wrong = recorded("the file says that the result is {logged}, but by the rules it is {result}")
        results = {"logged": _result_in_words(claim.result), "result": _result_in_words(winner)}
        problems.append(Problem(logged.place, wrong.format(**results)))
    ending = GAMES[logged.game].ending(position)
    return Termination.NORMAL, winner, None, ending if winner is None else WON.format(side=winner, ending=ending)


def _result_in_words(result: str | None) -> str:
    """Return a recorded() message for a result, which is "A", "B", or DRAW or None for a draw."""
    return recorded("a draw") if result in (None, DRAW) else recorded("a win of {side}").format(side=result)
