"""Code that all formats share: it decodes the text of a file, parses JSON and judges each game again.

The positions of JSON values in the text are kept. A game that is judged becomes a record.
"""

import bisect
import codecs
import functools
import json
import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import cached_property
from typing import Annotated, Any, ClassVar, get_args, get_origin

import msgspec
from msgspec import Meta, Struct, structs

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

BLANKS = re.compile(r"\s*")
LEAST_SHARE_OF_NULS = 4  # Latin text in UTF-16 has at least one NUL in 4 bytes
LARGEST_BYTES = 256 * MEGABYTE  # the largest file that is read: some 100,000 games
MOST_PROBLEMS = 1000  # at most so many problems of a file are kept, and as many notes
QUOTED = 40  # a message quotes at most so many characters of a value
LARGEST = 2**53  # far above any number in a file; up to this number integers are exact as floats
Whole = Annotated[int, Meta(ge=-LARGEST, le=LARGEST)]
Number = Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]
# Texts of problems. JSON has them in English.
EXPECTED = recorded("expected {expected}, got {found}")
JSON_OBJECT = recorded("a JSON object")
EMPTY_FILE = recorded("an empty file")
AN_OBJECT = recorded("an object")
A_STRING = recorded("a string")
AN_INTEGER = recorded("an integer")
A_NUMBER = recorded("a number")
A_LIST = recorded("a list")
KINDS: dict[Any, str] = {str: A_STRING, int: AN_INTEGER, float: A_NUMBER, list: A_LIST}
LIST_OF = recorded("a list of {number}")
JUNK = recorded("{number} bytes after the JSON are left out")
DRAW = "draw"
# {Saiblo's end state of the side at fault: the first ending of the table that has it}. UE, CANCEL and STLE are not
# here: they are faults of the platform or unexplained.
TERMINATIONS_OF_SAIBLO = {
    "EXIT": Termination.CRASH,
    **{ending.end_state: ending for ending in reversed(Termination) if ending.fault is not None},
}
UNKNOWN = "unknown-{side}"  # the name that a player gets if the file does not name it
# Texts of reasons and problems. Records and JSON have them in English.


class NotWritable(Exception):
    """A record cannot be written in the chosen format. The error's text is the text of the problem."""


@dataclass(frozen=True)
class Value:
    """A parsed JSON value in a file.

    `start` is the index in the file's text at which the value begins, and `end` is the index after it.
    """

    content: Any
    start: int
    end: int


class Source:
    """A file's bytes and its text. The bytes are UTF-8, UTF-16 or UTF-32, as some shells write downloads."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        # Invalid bytes are replaced.
        self.text = data.decode(_encoding(data), "replace").removeprefix("\ufeff")

    @cached_property
    def values(self) -> list[Value]:
        """The JSON objects and lists at the beginning of the text. Other text ends them."""
        return self._parsed[0]

    @cached_property
    def fault(self) -> str:
        """The text of a problem if the file does not begin with a JSON object or list, else ""."""
        return "" if self.values else self._parsed[1]

    @cached_property
    def first(self) -> Any:
        """The first of `values`, or None."""
        return self.values[0].content if self.values else None

    def note_rest(self, reading: "Reading", read: int) -> None:
        """Add a note if anything follows the first `read` JSON values of the file."""
        rest = self.text[self.values[read - 1].end :].strip() if self.values else ""
        if rest:
            reading.note("", JUNK.format(number=len(rest.encode("utf-8", "replace"))))

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text, without line ends."""
        return self.text.splitlines()

    def line_of(self, place: int) -> int:
        """Return the number, from 1, of the line that has the text's character with the index `place`."""
        return bisect.bisect_left(self._newlines, place) + 1

    @cached_property
    def _newlines(self) -> list[int]:
        return [found.start() for found in re.finditer("\n", self.text)]

    @cached_property
    def _parsed(self) -> tuple[list[Value], str]:
        """`values` and the text of the problem after them, or "" if there is no problem."""
        found: list[Value] = []
        end = 0
        while True:
            start = _behind_blanks(self.text, end)
            if start == len(self.text):
                return found, EXPECTED.format(expected=JSON_OBJECT, found=EMPTY_FILE)
            try:
                content, end = json.JSONDecoder().raw_decode(self.text, start)
            except (ValueError, RecursionError) as error:
                return found, parse_fault(error)
            if not isinstance(content, (dict, list)):
                return found, _got(content)
            found.append(Value(without_surrogates(content), start, end))


class Declared(Struct):
    """A JSON object of a file, with the types that its values have there. Other keys of the object are ignored.

    A key may be missing, or be null, unless NEEDED names it.
    """

    NEEDED: ClassVar[tuple[str, ...]] = ()


def fitted(kind: Any, value: Any, place: str, complain: Callable[[str, str], object]) -> Any:
    """Return `value`, JSON that is at `place` in a file, as `kind`: a Declared, a list of one kind, or a plain type.

    Returns None, and calls complain(place, text of the problem), if the value is of another kind. In an object the
    wrong values alone are left at their defaults; in a list they become None.
    """
    if get_origin(kind) is list and isinstance(value, list):
        (inner,) = get_args(kind)
        return [fitted(inner, entry, f"{place}[{number}]", complain) for number, entry in enumerate(value)]
    if isinstance(kind, type) and issubclass(kind, Declared) and isinstance(value, dict):
        found = {}
        for name, key, inner in _fields(kind):
            inside = f"{place}.{key}" if place else key
            if key in value and (value[key] is not None or name in kind.NEEDED):
                found[name] = fitted(inner, value[key], inside, complain)
            elif name in kind.NEEDED:
                complain(inside, EXPECTED.format(expected=in_words(inner), found=recorded("no such key")))
        return kind(**{name: entry for name, entry in found.items() if entry is not None})
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        complain(place, EXPECTED.format(expected=in_words(kind), found=describe(value)))
    return None


@functools.cache
def _fields(kind: type[Declared]) -> list[tuple[str, str, Any]]:
    """Return (name, key in JSON, type where it is not null) of each field."""
    types = ((field, get_args(field.type)) for field in structs.fields(kind))
    return [(field.name, field.encode_name, args[0] if type(None) in args else field.type) for field, args in types]


def in_words(kind: Any) -> str:
    """Return the words for a declared type in messages, such as "an integer from 0 to 9"."""
    bounds = next((entry for entry in getattr(kind, "__metadata__", ()) if isinstance(entry, Meta)), None)
    plain = get_origin(getattr(kind, "__origin__", kind)) or getattr(kind, "__origin__", kind)
    words = KINDS.get(plain, AN_OBJECT)
    if bounds is not None and bounds.title:
        return bounds.title
    if bounds is None or bounds.ge is None or bounds.ge <= -LARGEST:
        return words
    return recorded("{kind} from {least} to {most}").format(kind=words, least=bounds.ge, most=bounds.le)


def _encoding(data: bytes) -> str:
    """Return the encoding of a file, judged by its first bytes.

    It is UTF-8 if they have neither a byte order mark nor many NULs.
    """
    found = json.detect_encoding(data)
    is_marked = data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF32_BE))
    is_wide = data.count(0) * LEAST_SHARE_OF_NULS >= len(data)
    return found if is_marked or is_wide else "utf-8"


def _behind_blanks(text: str, place: int) -> int:
    """Return the index of the first character at or after `place` that is not blank, or the end of the text."""
    return BLANKS.match(text, place).end()  # type: ignore[union-attr]  # it also matches the empty string


def parse_fault(error: Exception) -> str:
    """Return the text of the problem for `error`, which a JSON parser has raised.

    The text is no JSON, or a number has too many digits, or values are nested too deep.
    """
    form = (
        recorded("no JSON: {error}")
        if isinstance(error, json.JSONDecodeError)
        else recorded("JSON that cannot be read: {error}")
    )
    return EXPECTED.format(expected=JSON_OBJECT, found=form.format(error=error))


def _got(content: object) -> str:
    return EXPECTED.format(expected=JSON_OBJECT, found=describe(content))


def describe(value: object) -> str:
    """Return a short description of a JSON value."""
    if isinstance(value, dict):
        return AN_OBJECT
    if isinstance(value, list):
        return LIST_OF.format(number=len(value))
    if isinstance(value, str):
        return json.dumps(value[:QUOTED]) + ("..." if len(value) > QUOTED else "")
    return json.dumps(value)[:QUOTED]


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
    judged = _Judged(logged)
    judged.play()
    if judged.position is None or judged.is_refused:
        return None, judged.problems
    termination, winner, at_fault, reason = judged.ending(judged.position)
    imported: dict[str, Any] = {"format": format_name, "file": file_name, "place": logged.place}
    if logged.claim.words:
        imported["words"] = logged.claim.words
    if len(logged.times_s) < len(judged.moves) or None in logged.times_s:
        imported[imports.TIMES] = imports.UNKNOWN
    if logged.is_one_order:
        imported[imports.MOVES] = imports.RECONSTRUCTED
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    if logged.started is None:
        imported[imports.DATE] = imports.UNKNOWN
    try:
        record = GameRecord(
            game=logged.game,
            board=logged.board,
            players=_players(logged),
            first=logged.first,
            moves=tuple(judged.moves),
            winner=winner,
            termination=termination,
            at_fault=at_fault,
            started=logged.started or now,
            finished=logged.started or now,
            judge_version=logged.judge_version or own_version(),
            extra={**logged.extra, "id": uuid.uuid4().hex, "reason": as_data(reason), imports.KEY: imported},
        )
        record.to_json()
    except RecordError as error:  # a record may not have such a value
        return None, [*judged.problems, Problem(logged.place, str(error))]
    return record, judged.problems


def _players(logged: LoggedGame) -> tuple[Player, Player]:
    first, second = (
        player or named(UNKNOWN.format(side=side)) for side, player in zip("AB", logged.players, strict=True)
    )
    return first, second


class _Judged:
    """Plays a logged game again by the rules, up to the first illegal move."""

    def __init__(self, logged: LoggedGame) -> None:
        self.logged = logged
        self.problems: list[Problem] = []
        self.moves: list[Move] = []
        self.position: Position | None = None
        self.is_refused = False
        self._illegal: str | None = None  # if the game was lost by an illegal last move, why the move is illegal
        try:
            game = GAMES[logged.game]
            self.position = game.new_position(game.read_board(logged.board))
        except ValueError as error:
            self._complain(str(error))

    def play(self) -> None:
        """Play the moves. Stop at the first move that is illegal or made by the wrong side, and refuse the game.

        The game is not refused if, as the file says, a side lost it by an illegal last move.
        """
        position, logged = self.position, self.logged
        if position is None:
            return
        for ply, move in enumerate(logged.moves, start=1):
            side = self._to_move(position)
            place = logged.move_places[ply - 1] if logged.move_places else logged.place
            if logged.sides and logged.sides[ply - 1] != side and not position.over:
                self._refuse(
                    place,
                    recorded("ply {ply} is {logged}'s by the file, but {side} was to move").format(
                        ply=ply, logged=logged.sides[ply - 1], side=side
                    ),
                )
                return
            try:
                position.play(move)
            except IllegalMove as error:
                if ply == len(logged.moves) and not position.over and self._lost_by_illegal_move(side):
                    self._illegal = str(error)
                else:
                    self._refuse(place, recorded("ply {ply} is not legal: {error}").format(ply=ply, error=error))
                return
            time_s = logged.times_s[ply - 1] if ply <= len(logged.times_s) else None
            self.moves.append(Move(side, move, time_s or 0.0))

    def ending(self, position: Position) -> tuple[Termination, str | None, str | None, str]:
        """Return (termination, winner, side at fault, reason) for the record.

        If the file's claim about the end is wrong, a problem is added. `position` is the last position of the game.
        """
        claim = self.logged.claim
        if position.over and claim.termination is not Termination.VOID:
            return self._over(position, claim)
        if self._illegal is not None:
            side = self._to_move(position)
            reason = ILLEGAL_LAST.format(side=side, error=self._illegal)
            return Termination.ILLEGAL_MOVE, opponent(side), side, reason
        if claim.termination is Termination.VOID:
            return Termination.VOID, None, None, self._words(claim, VOID_BY_FILE)
        if claim.termination is Termination.RESIGNATION and claim.result in SIDES:
            return claim.termination, claim.result, None, RESIGNED.format(side=opponent(claim.result))
        if claim.termination in (None, Termination.NORMAL) or claim.at_fault is None:
            if claim.result is not None or claim.termination is not None:
                self._complain(
                    recorded(
                        "the file says {logged}, but the game is not over and the file does not say why it ended: VOID"
                    ).format(logged=_result_in_words(claim.result))
                )
            else:
                self.problems.append(Problem(self.logged.place, UNFINISHED, is_note=True))
            return Termination.VOID, None, None, self._words(claim, UNFINISHED)
        return self._forfeit(position, claim, claim.termination, claim.at_fault)

    def _over(self, position: Position, claim: Claim) -> tuple[Termination, str | None, str | None, str]:
        winner = None if position.winner is None else in_order(self.logged.first)[position.winner]
        if claim.at_fault is not None:
            self._complain(
                recorded("the file says {ending} by {side}, but by the rules the game was over").format(
                    ending=claim.termination, side=claim.at_fault
                )
            )
        elif claim.result is not None and claim.result != (winner or DRAW):
            logged, result = (_result_in_words(each) for each in (claim.result, winner or DRAW))
            self._complain(
                recorded("the file says {logged}, by the rules it is {result}").format(logged=logged, result=result)
            )
        ending = GAMES[self.logged.game].ending(position)
        return Termination.NORMAL, winner, None, ending if winner is None else WON.format(side=winner, ending=ending)

    def _forfeit(
        self, position: Position, claim: Claim, ending: Termination, side: str
    ) -> tuple[Termination, str | None, str | None, str]:
        if claim.result == side:
            self._complain(
                recorded("the file says {ending} by {side}, and that {side} has won").format(ending=ending, side=side)
            )
        if ending.is_by_mover and side != self._to_move(position):
            self._complain(
                recorded("the file says {ending} by {side}, but {other} was to move").format(
                    ending=ending, side=side, other=self._to_move(position)
                )
            )
        return ending, opponent(side), side, self._words(claim, AS_LOGGED_ALONE)

    def _lost_by_illegal_move(self, side: str) -> bool:
        """Return whether, by what the file says, `side` lost or may have lost the game by its last move."""
        claim = self.logged.claim
        if claim.termination is Termination.ILLEGAL_MOVE:
            return claim.at_fault == side
        return claim.termination is None and claim.result == opponent(side)

    def _to_move(self, position: Position) -> str:
        return in_order(self.logged.first)[position.to_move]

    @staticmethod
    def _words(claim: Claim, otherwise: str) -> str:
        return AS_LOGGED.format(words=claim.words) if claim.words else otherwise

    def _refuse(self, place: str, text: str) -> None:
        self.is_refused = True
        self.problems.append(Problem(place, text))

    def _complain(self, text: str) -> None:
        self.problems.append(Problem(self.logged.place, text))


def _result_in_words(result: str | None) -> str:
    return recorded("a draw") if result in (None, DRAW) else recorded("a win of {side}").format(side=result)
