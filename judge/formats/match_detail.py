"""Reader for a match detail, which is Saiblo's answer to /api/matches/ID/: its values, each bot's stdin, and the game.

    info[seat]      code {id, entity, remark, version}, user {username}, rank, score, end_state
                    and, if the requester owns the bot, exit_code and stderr (base64)
    message         a JSON text: record[round][] {status, time in s, memory in bytes, position = seat}
                    and stdinRecords[seat], base64 of everything that the judger wrote to that bot's stdin
    state, error, id, create_time, logic_version, game {id, name}

Match details of 2022 and 2023 have the stderr in message.states[seat].stderr, and may have no record.

The game is reconstructed from the messages to the two bots, because each turn shows a complete board. A seat is 0 or 1,
as in the match detail. No message shows the move that answers the last turn. It is the last move of a game that was
played to its end, or the move with which a bot lost by a fault.
"""

import base64
import binascii
import collections
import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from judge.formats.reading import (
    AN_OBJECT,
    DRAW,
    EXPECTED,
    JSON_OBJECT,
    JUNK,
    NO_KEY,
    TERMINATIONS_OF_SAIBLO,
    Claim,
    DocumentError,
    LoggedGame,
    Problem,
    Reading,
    Source,
    describe,
    object_of,
)
from judge.formats.saiblo import ROUNDS
from judge.language import recorded
from protocol.errors import RemoteProtocolError
from protocol.games.connect_four import MessageDecoder, Opening, Turn
from protocol.records.json_lines import LARGEST_S
from protocol.records.record import Player, Termination

LARGEST = 2**53  # far above any number in a match; up to this number integers are exact as floats
_MISSING = object()
# Texts of expected values, which are parts of problems.
A_STRING = recorded("a string")
AN_INTEGER = recorded("an integer")
AN_INTEGER_BETWEEN = recorded("an integer from {least} to {most}")
A_NUMBER = recorded("a number")
SECONDS = recorded("a number of seconds from 0 to {most}")
A_LIST = recorded("a list")
BASE64 = recorded("base64")
CUT_SHORT = recorded("the base64 is cut short: {number} characters, expected a multiple of 4")
CONNECT_FOUR = 3  # the number of connect four on Saiblo
SEATS = 2
# Texts of problems. JSON has them in English.
A_DETAIL = recorded("a match detail with the keys info and message")
THE_KEYS = recorded("the keys {keys}")
NO_KEYS = recorded("no keys")
OTHER_GAME = recorded("expected {number} (connect four), got {found}: its moves stay unread")
ENTRIES = recorded("{number} entries")
WIRE = "saiblo"
BLANKS = b" \t\r\v\f"
BLANK_NAMES = {
    ord(" "): "blank",
    ord("\t"): "tab",
    ord("\r"): "CR",
    ord("\n"): "LF",
    ord("\v"): "VT",
    ord("\f"): "FF",
}
EXPECTED_BYTES = b"-0123456789 "  # a line may have these bytes in front of its line end
IN_OPENING = recorded("in the opening: {error}")
IN_TURN = recorded("in turn {turn}: {error}")
DOUBLE_BLANK = re.compile(rb"[ \t]{2,}")
OWN = 2  # in the protocol, a stone of the bot that gets the message; 1 is a stone of its opponent
Owners = list[int | None]  # the seats that own the cells, row by row; None for a free cell
# Texts of problems. JSON has them in English.
TWO_OPENINGS = recorded("the two seats were sent different openings")
SAME_MOVER = recorded("both seats' first boards have the same side to move")
BOARD_OF = recorded("seat {seat}'s board with {stones} stones")
DOES_NOT_FOLLOW = recorded("{board} does not follow from the boards before")
TOO_LATE = recorded("{board} comes {number} moves after the last one known: their order is not told")
TOO_MANY = recorded("{board} has one of seat {seat}'s too many")
NO_REST = recorded("{board}: no stone dropped into column {column} comes to rest in row {row}")
OTHER_LAST = recorded("{board} names {named} as the last cell, expected {last}")
OTHER_VALUE = recorded("{key}: expected {expected}, as in the match, got {found}")
NO_COLUMNS = recorded("rounds: expected a list of columns from 0 to {last}")
OTHER_MOVES = recorded("rounds: expected the {number} moves of the match first, got others")
TOO_LONG = recorded("rounds: expected {number} moves, one more than the match shows, got {found}")
SIDES = "AB"  # seat 0 is A, seat 1 is B
OK = "OK"
# Texts of problems. JSON has them in English.
NO_GAME = recorded("no game of two seats could be read")
NOT_TO_THE_END = recorded("the game could not be read to its end: {error}")
NO_LAST_MOVE = recorded("the last move is in no stdin: give the match's replay with --moves")
NO_SCORES = recorded("the scores are unknown")
NO_END_STATE = recorded("an end state is unknown")
NO_TIME = recorded("the time of ply {ply} is unknown")
END_STATES = recorded("Saiblo's end states are {first} and {second}")
KEYS = ("info", "message")
# Texts of places and problems. JSON has them in English.
STDIN_OF = recorded("stdin of seat {seat}")
AT_BYTE = recorded("byte {byte}, {error}")
MOVES = recorded("moves")
THE_GAME = recorded("the game")
NO_GAME_FOR_REPLAY = recorded("no game could be read that it could belong to")


class Fields:
    """A JSON object in the file. `place` is its name in problems, such as "info[0].code". The outermost object is "".

    The methods read the value at a key. If the key is missing or the value is of the wrong kind, they add a problem and
    return None. If `optional` is True, the key may be missing or null, and no problem is added.
    """

    def __init__(self, content: dict[str, Any], place: str, problems: list[Problem]) -> None:
        self.content, self.place, self.problems = content, place, problems

    def text(self, key: str, optional: bool = False) -> str | None:
        """Return the string at the key `key`."""
        found: str | None = self._take(key, A_STRING, lambda value: isinstance(value, str), optional)
        return found

    def integer(self, key: str, optional: bool = False, least: int = -LARGEST, most: int = LARGEST) -> int | None:
        """Return the integer at the key `key`, which must be from `least` to `most`."""
        expected = AN_INTEGER if least == -LARGEST else AN_INTEGER_BETWEEN.format(least=least, most=most)
        found: int | None = self._take(
            key, expected, lambda value: type(value) is int and least <= value <= most, optional
        )
        return found

    def number(self, key: str) -> float | None:
        """Return the number at the key `key`, which must be from -LARGEST to LARGEST."""
        found: float | None = self._take(key, A_NUMBER, _is_number_between(-LARGEST, LARGEST), optional=False)
        return found

    def seconds(self, key: str) -> float | None:
        """Return the number of seconds at the key `key`.

        It must be from 0 to LARGEST_S, the longest time that a record may have.
        """
        expected = SECONDS.format(most=LARGEST_S)
        found: float | None = self._take(key, expected, _is_number_between(0, LARGEST_S), optional=False)
        return found

    def fields(self, key: str, optional: bool = False) -> "Fields | None":
        """Return the JSON object at the key `key`, as Fields."""
        content = self._take(key, AN_OBJECT, lambda value: isinstance(value, dict), optional)
        return None if content is None else Fields(content, self.name(key), self.problems)

    def values(self, key: str, optional: bool = False) -> list[Any]:
        """Return the list at the key `key`, or [] if the key is missing or its value is no list."""
        return self._take(key, A_LIST, lambda value: isinstance(value, list), optional) or []

    def objects(self, key: str, optional: bool = False) -> "list[Fields | None]":
        """Return the entries of the list at the key `key`, as Fields. An entry that is no JSON object becomes None."""
        return [
            self.entry(f"{self.name(key)}[{number}]", value) for number, value in enumerate(self.values(key, optional))
        ]

    def entry(self, place: str, value: object) -> "Fields | None":
        """Return `value`, which is at `place` in the file, as Fields.

        If `value` is no JSON object, add a problem and return None.
        """
        if isinstance(value, dict):
            return Fields(value, place, self.problems)
        self.complain(place, AN_OBJECT, describe(value))
        return None

    def binary(self, key: str, optional: bool = False) -> bytes | None:
        """Return the bytes that the string at the key `key` has in base64."""
        text = self.text(key, optional)
        return None if text is None else decoded(text, self.name(key), self.problems)

    def name(self, key: str) -> str:
        """Return the name in problems of the value at the key `key`."""
        return f"{self.place}.{key}" if self.place else key

    def complain(self, place: str, expected: str, found: str) -> None:
        """Add the problem that `found` is at `place` instead of `expected`."""
        self.problems.append(Problem(place, EXPECTED.format(expected=expected, found=found)))

    def _take(self, key: str, expected: str, accepts: Callable[[Any], bool], optional: bool) -> Any:
        value = self.content.get(key, _MISSING)
        if optional and (value is _MISSING or value is None):
            return None
        if value is not _MISSING and accepts(value):
            return value
        self.complain(self.name(key), expected, NO_KEY if value is _MISSING else describe(value))
        return None


def _is_number_between(least: int, most: int) -> Callable[[Any], bool]:
    return lambda value: type(value) in (int, float) and least <= value <= most


def decoded(text: str, place: str, problems: list[Problem]) -> bytes | None:
    """Return the bytes that `text` has in base64, or None if it is not base64.

    A truncated text is decoded up to its last complete group. In both cases a problem with the place `place` is added
    to `problems`.
    """
    text = "".join(text.split())
    whole = len(text) // 4 * 4
    try:
        data = base64.b64decode(text[:whole], validate=True)
    except (binascii.Error, ValueError):
        problems.append(Problem(place, EXPECTED.format(expected=BASE64, found=describe(text))))
        return None
    if whole < len(text):
        problems.append(Problem(place, CUT_SHORT.format(number=len(text))))
    return data


@dataclass
class Seat:
    """One player of the match.

    `stderr` and `stdin` are what the bot wrote to stderr and what it got on stdin. Unknown values are None.
    """

    user: str | None = None
    entity: str | None = None
    code: str | None = None
    version: int | None = None
    remark: str | None = None
    end_state: str | None = None
    exit_code: int | None = None
    rank: int | None = None
    score: float | None = None
    stderr: bytes | None = None
    stdin: bytes | None = None


@dataclass(frozen=True)
class TurnCost:
    """What the platform measured in one turn of a seat.

    `round` is the index of the turn's round in the judger's record. `time_s` is the time in seconds, and `memory_bytes`
    is the largest memory that the bot has used so far.
    """

    round: int
    seat: int
    status: str | None
    time_s: float | None
    memory_bytes: int | None


@dataclass
class Match:
    """The values of a match.

    `seats` are in the order of their numbers. `turn_costs` are in the order of the judger's record.
    """

    number: int | None
    game: int | None
    game_name: str | None
    created: str | None
    state: str | None
    error: str | None
    logic_version: int | None
    seats: list[Seat]
    turn_costs: list[TurnCost]

    @property
    def is_connect_four(self) -> bool:
        """Whether the game is connect four. It is also True if the file does not name the game."""
        return self.game in (None, CONNECT_FOUR)


def read_match(content: dict[str, Any], problems: list[Problem]) -> Match:
    """Return the Match that `content`, the JSON object of a match detail, describes.

    For each part that is missing or wrong a problem is added to `problems`. Raises DocumentError if `content` has
    neither the key `info` nor the key `message`.
    """
    if "info" not in content and "message" not in content:
        keys = ", ".join(list(content)[:8])[:80]
        found = THE_KEYS.format(keys=keys) if keys else NO_KEYS
        raise DocumentError(EXPECTED.format(expected=A_DETAIL, found=found))
    top = Fields(content, "", problems)
    number, state, error = top.integer("id"), top.text("state"), top.text("error", optional=True)
    game = top.fields("game")
    game_number = None if game is None else game.integer("id")
    seats = [_seat(info) for info in top.objects("info")]
    message = _message(top)
    turn_costs = [] if message is None else _take_message(message, seats)
    match = Match(
        number,
        game_number,
        None if game is None else game.text("name", optional=True),
        top.text("create_time", optional=True),
        state,
        error,
        top.integer("logic_version", optional=True),
        seats,
        turn_costs,
    )
    if not match.is_connect_four:
        problems.append(Problem("game.id", OTHER_GAME.format(number=CONNECT_FOUR, found=game_number)))
    elif len(seats) != SEATS:
        problems.append(Problem("seats", EXPECTED.format(expected=SEATS, found=len(seats))))
    return match


def _seat(info: Fields | None) -> Seat:
    if info is None:
        return Seat()
    code, user = info.fields("code", optional=True), info.fields("user")  # no code: a person played
    return Seat(
        user=None if user is None else user.text("username"),
        entity=None if code is None else code.text("entity"),
        code=None if code is None else code.text("id", optional=True),
        version=None if code is None else code.integer("version"),
        remark=None if code is None else code.text("remark", optional=True),
        end_state=info.text("end_state"),
        exit_code=info.integer("exit_code", optional=True),
        rank=info.integer("rank"),
        score=info.number("score"),
        stderr=info.binary("stderr", optional=True),
    )


def _message(top: Fields) -> Fields | None:
    text = top.text("message")
    if text is None:
        return None
    try:
        return Fields(object_of(text), "message", top.problems)
    except DocumentError as error:
        top.problems.append(Problem("message", str(error)))
        return None


def _take_message(message: Fields, seats: list[Seat]) -> list[TurnCost]:
    """Set the stdin and stderr of the seats from `message`, and return the turn costs.

    Seats that the match detail does not have in `info` are added to `seats`.
    """
    states = message.objects("states", optional=True)
    records = message.values("stdinRecords")
    seats += [Seat() for _ in range(max(len(records), len(states)) - len(seats))]
    for seat, state in zip(seats, states, strict=False):
        if state is not None and seat.stderr is None:
            seat.stderr = state.binary("stderr", optional=True)
    if len(records) < len(seats) and isinstance(message.content.get("stdinRecords"), list):
        expected = ENTRIES.format(number=len(seats))
        message.complain("message.stdinRecords", expected, str(len(records)))
    for number, text in enumerate(records):
        place = f"message.stdinRecords[{number}]"
        if isinstance(text, str):
            seats[number].stdin = decoded(text, place, message.problems)
        else:
            message.complain(place, A_STRING, describe(text))
    return _turn_costs(message, len(seats) or SEATS, optional=bool(states))


def _turn_costs(message: Fields, seats: int, optional: bool) -> list[TurnCost]:
    turn_costs: list[TurnCost] = []
    for number, entries in enumerate(message.values("record", optional)):
        place = f"message.record[{number}]"
        if not isinstance(entries, list):
            message.complain(place, A_LIST, describe(entries))
            continue
        for position, value in enumerate(entries):
            entry = message.entry(f"{place}[{position}]", value)
            seat = None if entry is None else entry.integer("position", least=0, most=seats - 1)
            if entry is not None and seat is not None:
                time_s, memory = entry.seconds("time"), entry.integer("memory", least=0)
                turn_costs.append(TurnCost(number, seat, entry.text("status"), time_s, memory))
    return turn_costs


@dataclass(frozen=True)
class Stream:
    """The messages that were sent to one seat. `opening` is the first, or None if it is incomplete.

    `turns` are the other messages. `after` has the bytes after the last complete message. `fault_byte` is the index,
    from 0, of the first byte that could not be read, and `fault` says why. Both are None if everything could be read.
    """

    opening: Opening | None
    turns: tuple[Turn, ...]
    after: bytes
    fault_byte: int | None = None
    fault: str | None = None


def read_stream(data: bytes) -> Stream:
    """Return the Stream in `data`, a seat's stdin."""
    decoder = MessageDecoder(WIRE)
    messages: list[Any] = []
    end = place = 0
    try:
        # The bytes are decoded one at a time, so that the place of an error is known.
        for place in range(len(data)):
            decoder.feed(data[place : place + 1])
            message = decoder.next_message()
            if message is not None:
                messages.append(message)
                end = place + 1
        place = len(data)
        decoder.end()
    except RemoteProtocolError as error:
        start = place if place == len(data) else _number_start(data, place)
        number = len(messages) - (start < end)  # the opening is 0; the bad number may begin in the last message
        fault = IN_TURN.format(turn=number, error=error) if number else IN_OPENING.format(error=error)
        return Stream(*_parted(messages), data[end:], start, fault)
    return Stream(*_parted(messages), data[end:])


def _parted(messages: Sequence[Any]) -> tuple[Opening | None, tuple[Turn, ...]]:
    return (messages[0] if messages else None), tuple(messages[1:])


def _number_start(data: bytes, place: int) -> int:
    """Return the index of the first byte of a number in `data`.

    It is the number to which the byte at `place` belongs, or which that byte ends.
    """
    while place > 0 and data[place - 1 : place].strip():
        place -= 1
    return place


def line_facts(data: bytes) -> dict[str, Any]:
    """Return, as the content of a JSON object, counts that describe the form of `data`, a seat's stdin.

    `lines` is the number of lines that end with LF. `line_ends` is {line end, such as "blank CR LF": number of lines}.
    `empty_lines` counts lines that have only blanks, and `leading_blanks` counts other lines that begin with a blank.
    `double_blanks` counts runs of several blanks within lines. `other_bytes` counts bytes within lines that are no
    digit, minus sign or space. `unclosed_bytes` counts the bytes after the last LF.
    """
    *lines, rest = data.split(b"\n")
    bodies = [line.rstrip(BLANKS) for line in lines]
    ends = collections.Counter(in_words(line[len(body) :] + b"\n") for line, body in zip(lines, bodies, strict=True))
    bodies.append(rest)
    return {
        "bytes": len(data),
        "lines": len(lines),
        "line_ends": dict(ends.most_common()),
        "empty_lines": bodies[:-1].count(b""),
        "leading_blanks": sum(body[:1].isspace() for body in bodies),
        "double_blanks": sum(len(DOUBLE_BLANK.findall(body)) for body in bodies),
        "other_bytes": sum(len(body.translate(None, EXPECTED_BYTES)) for body in bodies),
        "unclosed_bytes": len(rest),
    }


def in_words(blanks: bytes) -> str:
    """Return the names of the bytes `blanks`, such as "blank CR LF" for b" \\r\\n"."""
    words = []
    for byte, group in itertools.groupby(blanks):
        count = len(list(group))
        words.append(BLANK_NAMES[byte] if count == 1 else f"{count} x {BLANK_NAMES[byte]}")
    return " ".join(words)


class MovesError(Exception):
    """The game cannot be reconstructed. The error's text is the text of the problem."""


@dataclass
class Game:
    """A reconstructed game. `first` is the seat that moved first.

    `columns` are the moves of both seats in turn, as far as the messages show them. `last` is the column of the move
    that follows if a replay file has this move, else None. If the boards contradict each other or the rules, `fault`
    says where, and `columns` end before that place. Otherwise `fault` is None.
    """

    opening: Opening
    first: int
    columns: list[int] = field(default_factory=list)
    last: int | None = None
    fault: str | None = None

    @property
    def to_move(self) -> int:
        """The seat to move after the moves in `columns`."""
        return self.mover(len(self.columns))

    def mover(self, ply: int) -> int:
        """Return the seat that makes move number `ply`, counted from 0."""
        return (self.first + ply) % 2

    @property
    def all_columns(self) -> list[int]:
        """The columns of all known moves."""
        return self.columns if self.last is None else [*self.columns, self.last]


def put_together(streams: Sequence[Stream | None]) -> Game | None:
    """Return the Game that the messages to the two seats show, or None if no turn was sent.

    `streams` has the Stream of each seat, or None if the file does not have the seat's stdin. Raises MovesError if the
    openings of the two seats differ, or if their first boards do not agree on who moved first.
    """
    told = {seat: stream for seat, stream in enumerate(streams) if stream is not None and stream.turns}
    if not told:
        return None
    openings = {stream.opening for stream in told.values() if stream.opening is not None}
    if len(openings) > 1:
        raise MovesError(TWO_OPENINGS)
    first = {_first_mover(seat, stream.turns[0]) for seat, stream in told.items()}
    if len(first) > 1:
        raise MovesError(SAME_MOVER)
    game = Game(openings.pop(), first.pop())
    views = [(seat, turn) for seat, stream in told.items() for turn in stream.turns]
    board: Owners = [None] * (game.opening.rows * game.opening.cols)
    for seat, turn in sorted(views, key=lambda view: _stones(view[1])):
        try:
            board = _follow(game, board, seat, turn)
        except MovesError as error:
            game.fault = str(error)
            break
    return game


def _stones(turn: Turn) -> int:
    return sum(value != 0 for value in turn.board)


def _first_mover(seat: int, turn: Turn) -> int:
    return seat if _stones(turn) % 2 == 0 else 1 - seat


def _follow(game: Game, board: Owners, seat: int, turn: Turn) -> Owners:
    """Return the board that `turn`, a message to `seat`, shows. Adds to `game` the moves that lead to it from `board`.

    Raises MovesError if the boards contradict each other or the rules.
    """
    after = [None if value == 0 else seat if value == OWN else 1 - seat for value in turn.board]
    ply = _stones(turn)
    where = BOARD_OF.format(seat=seat, stones=ply)
    cells = [cell for cell, owner in enumerate(after) if owner != board[cell]]
    if game.mover(ply) != seat or any(board[cell] is not None for cell in cells):
        raise MovesError(DOES_NOT_FOLLOW.format(board=where))
    if len(cells) > 2:
        raise MovesError(TOO_LATE.format(board=where, number=len(cells)))
    # The side to move placed the first of two new stones.
    cells.sort(key=lambda cell: after[cell] != game.to_move)
    board = list(board)
    for cell in cells:
        row, column = divmod(cell, game.opening.cols)
        if after[cell] != game.to_move:
            raise MovesError(TOO_MANY.format(board=where, seat=after[cell]))
        if row != _landing_row(game.opening, board, column):
            raise MovesError(NO_REST.format(board=where, column=column, row=row))
        board[cell] = after[cell]
        game.columns.append(column)
    last = divmod(cells[-1], game.opening.cols) if cells else turn.last
    if turn.last != last:
        raise MovesError(OTHER_LAST.format(board=where, named=turn.last, last=last))
    return board


def _landing_row(opening: Opening, board: Owners, column: int) -> int | None:
    """Return the row in which a stone dropped into `column` lands, or None if the column is full."""
    free = [
        row
        for row in range(opening.rows)
        if board[row * opening.cols + column] is None and (row, column) != opening.forbidden
    ]
    return max(free, default=None)


def take_last_move(game: Game, replay: dict[str, Any]) -> None:
    """Set `game.last` to the last move in `replay`.

    `replay` is the JSON object of a replay file: {row, col, nox, noy, rounds: columns of the moves}. Raises MovesError
    if it is no replay or the replay of another game.
    """
    opening = game.opening
    row, column = opening.forbidden
    for key, value in {"row": opening.rows, "col": opening.cols, "nox": row, "noy": column}.items():
        if type(replay.get(key)) is not int or replay[key] != value:
            raise MovesError(OTHER_VALUE.format(key=key, expected=value, found=str(replay.get(key))[:24]))
    rounds = replay.get("rounds")
    columns = range(opening.cols)
    if not isinstance(rounds, list) or not all(type(column) is int and column in columns for column in rounds):
        raise MovesError(NO_COLUMNS.format(last=opening.cols - 1))
    known = len(game.columns)
    if rounds[:known] != game.columns:
        raise MovesError(OTHER_MOVES.format(number=known))
    if len(rounds) > known + 1:
        raise MovesError(TOO_LONG.format(number=known + 1, found=len(rounds)))
    game.last = rounds[known] if len(rounds) > known else None


class GameIncomplete(Exception):
    """The match detail does not have everything that a record needs. The error's text says what is missing."""


def game_of(match: Match, game: Game | None) -> LoggedGame:
    """Return the game of a match as a LoggedGame. `game` is the reconstructed game, or None if there is none.

    The time at which the match was created is taken for the start of the game, because no other time is known. Raises
    GameIncomplete if moves or other necessary values are missing.
    """
    if game is None or len(match.seats) != len(SIDES):
        raise GameIncomplete(NO_GAME)
    if game.fault is not None:
        raise GameIncomplete(NOT_TO_THE_END.format(error=game.fault))
    claim = _claim(match.seats)
    columns = game.columns
    if claim.termination is Termination.NORMAL:
        if game.last is None:
            raise GameIncomplete(NO_LAST_MOVE)
        columns = game.all_columns
    opening = game.opening
    first, second = (_player(seat) for seat in match.seats)
    return LoggedGame(
        place="",
        game="connect_four",
        board={"rows": opening.rows, "cols": opening.cols, "forbidden": list(opening.forbidden)},
        moves=tuple(columns),
        claim=claim,
        first=SIDES[game.first],
        sides=tuple(SIDES[game.mover(ply)] for ply in range(len(columns))),
        players=(first, second),
        times_s=tuple(_times_s(len(columns), game, match.turn_costs)),
        started=match.created or None,
        judge_version=f"Saiblo, logic {match.logic_version}",
        extra={"saiblo_match": match.number, "end_states": [seat.end_state for seat in match.seats]},
    )


def _player(seat: Seat) -> Player:
    version = None if seat.version is None else str(seat.version)
    return Player(f"{seat.user or '?'}/{seat.entity or '?'}", f"saiblo:{seat.code or '?'}", version)


def _claim(seats: Sequence[Seat]) -> Claim:
    """Return the Claim that follows from the end states of the seats or, if both are OK, from the scores.

    Raises GameIncomplete if no claim follows from them.
    """
    faults = [number for number, seat in enumerate(seats) if seat.end_state != OK]
    words = END_STATES.format(first=seats[0].end_state, second=seats[1].end_state)
    if not faults:
        first, second = (seat.score for seat in seats)
        if first is None or second is None:
            raise GameIncomplete(NO_SCORES)
        return Claim(DRAW if first == second else SIDES[first < second], Termination.NORMAL)
    state = seats[faults[0]].end_state
    if state is None:
        raise GameIncomplete(NO_END_STATE)
    if len(faults) > 1 or state not in TERMINATIONS_OF_SAIBLO:
        return Claim(None, Termination.VOID, None, words)
    return Claim(SIDES[1 - faults[0]], TERMINATIONS_OF_SAIBLO[state], SIDES[faults[0]], words)


def _times_s(plies: int, game: Game, turn_costs: Sequence[TurnCost]) -> list[float]:
    """Return, for each of the first `plies` moves, the time in seconds that the platform measured.

    The k-th TurnCost of a seat belongs to the seat's k-th move. Raises GameIncomplete if a time is unknown.
    """
    times = [[turn_cost.time_s for turn_cost in turn_costs if turn_cost.seat == seat] for seat in (0, 1)]
    found: list[float] = []
    for ply in range(plies):
        own = times[game.mover(ply)]
        time_s = own[ply // 2] if ply // 2 < len(own) else None
        if time_s is None:
            raise GameIncomplete(NO_TIME.format(ply=ply + 1))
        found.append(time_s)
    return found


@dataclass
class Detail:
    """The content of a match detail.

    `streams` has the Stream of each seat, or None if the file does not have the seat's stdin. `game` is the
    reconstructed game, or None if there is none. `junk` is the number of bytes after the JSON.
    """

    match: Match
    streams: list[Stream | None]
    game: Game | None
    junk: int
    problems: list[Problem] = field(default_factory=list)


def looks_like(source: Source) -> bool:
    """Return whether the text begins with a match detail, or may begin with a truncated match detail.

    A JSON object with the key `rounds` is a replay, even if it has the keys of a match detail.
    """
    if source.values:
        first = source.values[0].content
        return isinstance(first, dict) and ROUNDS not in first and any(key in first for key in KEYS)
    return source.text.lstrip()[:1] == "{" and all(f'"{key}"' in source.text for key in KEYS)


def read_detail(source: Source, replay: Source | None = None, replay_name: str = "") -> Detail:
    """Return the Detail in a file. `replay` is the file with the match's replay, which has the last move, or None.

    `replay_name` is the name of that file in problems. Raises DocumentError if `source` is no match detail.
    """
    problems: list[Problem] = []
    match = read_match(_object(source), problems)
    end = source.values[0].end
    detail = Detail(match, [None] * len(match.seats), None, len(_encoded(source.text[end:].strip())), problems)
    if match.is_connect_four:
        _read_game(detail)
    if replay is not None:
        _take_last_move(detail, replay, replay_name)
    return detail


def read(source: Source, replay: Source | None = None, replay_name: str = "") -> Reading:
    """Return the game in a file and the problems of the file. For `replay` and `replay_name` see read_detail()."""
    reading = Reading()
    try:
        detail = read_detail(source, replay, replay_name)
    except DocumentError as error:
        reading.complain("", str(error))
        return reading
    for problem in detail.problems:
        reading.add(problem)
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
    """Set `streams` and `game` of `detail` from the stdin of the seats, and add the problems that are found."""
    detail.streams = [None if seat.stdin is None else read_stream(seat.stdin) for seat in detail.match.seats]
    for number, stream in enumerate(detail.streams):
        if stream is not None and stream.fault is not None:
            text = AT_BYTE.format(byte=stream.fault_byte, error=stream.fault)
            detail.problems.append(Problem(STDIN_OF.format(seat=number), text))
    try:
        detail.game = put_together(detail.streams[:SEATS])
    except MovesError as error:
        detail.problems.append(Problem(MOVES, str(error)))
    if detail.game is not None and detail.game.fault is not None:
        detail.problems.append(Problem(MOVES, detail.game.fault))


def _take_last_move(detail: Detail, replay: Source, name: str) -> None:
    try:
        content = _object(replay)
        if detail.game is None:
            raise MovesError(NO_GAME_FOR_REPLAY)
        take_last_move(detail.game, content)
    except (DocumentError, MovesError) as error:
        detail.problems.append(Problem(name, str(error)))
