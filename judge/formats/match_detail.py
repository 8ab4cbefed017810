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
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from msgspec import Meta

from judge.formats.reading import (
    DRAW,
    EXPECTED,
    JSON_OBJECT,
    TERMINATIONS_OF_SAIBLO,
    Claim,
    Declared,
    LoggedGame,
    Number,
    Problem,
    Reading,
    Source,
    Whole,
    describe,
    fitted,
)
from judge.formats.saiblo import Replay
from judge.language import recorded
from protocol.errors import RemoteProtocolError
from protocol.games.connect_four import MessageDecoder, Opening, Turn
from protocol.records.record import Player, Termination
from protocol.records.values import Seconds

CONNECT_FOUR = 3  # the number of connect four on Saiblo
SEATS = 2
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
DOUBLE_BLANK = re.compile(rb"[ \t]{2,}")
OWN = 2  # in the protocol, a stone of the bot that gets the message; 1 is a stone of its opponent
Owners = list[int | None]  # the seats that own the cells, row by row; None for a free cell
SIDES = "AB"  # seat 0 is A, seat 1 is B
OK = "OK"
# Texts of places and problems. JSON has them in English.
MOVES = recorded("moves")


class Code(Declared):
    """The program that played."""

    NEEDED = ("entity", "version")
    entity: str | None = None
    id: str | None = None
    version: Whole | None = None
    remark: str | None = None


class User(Declared):
    """Whose program it was."""

    NEEDED = ("username",)
    username: str | None = None


class Info(Declared):
    """What `info` tells of a seat. A person who played has no code."""

    NEEDED = ("user", "end_state", "rank", "score")
    code: Code | None = None
    user: User | None = None
    end_state: str | None = None
    exit_code: Whole | None = None
    rank: Whole | None = None
    score: Number | None = None
    stderr: str | None = None


class SaibloGame(Declared):
    """The game of the match."""

    NEEDED = ("id",)
    id: Whole | None = None
    name: str | None = None


class File(Declared):
    """A match detail."""

    NEEDED = ("id", "state", "game", "info", "message")
    id: Whole | None = None
    state: str | None = None
    error: str | None = None
    game: SaibloGame | None = None
    create_time: str | None = None
    logic_version: Whole | None = None
    info: list[Info] = []
    message: str | None = None


class Measured(Declared):
    """What the platform measured in one turn of the seat `position`."""

    NEEDED = ("position", "time", "memory", "status")
    position: Annotated[int, Meta(ge=0, le=1)] | None = None
    time: Seconds | None = None
    memory: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    status: str | None = None


class State(Declared):
    """What details of 2022 tell of a seat."""

    stderr: str | None = None


class Message(Declared):
    """The content of `message`."""

    NEEDED = ("stdinRecords",)
    record: list[list[Measured]] = []
    stdinRecords: list[str] = []
    states: list[State] = []


def decoded(text: str | None, place: str, problems: list[Problem]) -> bytes | None:
    """Return the bytes that `text` has in base64, or None if it is None or not base64.

    A truncated text is decoded up to its last complete group. In both cases a problem with the place `place` is added
    to `problems`.
    """
    if text is None:
        return None
    text = "".join(text.split())
    whole = len(text) // 4 * 4
    try:
        data = base64.b64decode(text[:whole], validate=True)
    except (binascii.Error, ValueError):
        problems.append(Problem(place, EXPECTED.format(expected=recorded("base64"), found=describe(text))))
        return None
    if whole < len(text):
        problems.append(
            Problem(
                place,
                recorded("the base64 is cut short: {number} characters, expected a multiple of 4").format(
                    number=len(text)
                ),
            )
        )
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

    file: File
    seats: list[Seat]
    turn_costs: list[TurnCost]

    @property
    def game(self) -> int | None:
        """The number of the game on Saiblo, or None if it is unknown."""
        return None if self.file.game is None else self.file.game.id

    @property
    def is_connect_four(self) -> bool:
        """Whether the game is connect four. It is also True if the file does not name the game."""
        return self.game in (None, CONNECT_FOUR)


def read_match(content: dict[str, Any], problems: list[Problem]) -> Match:
    """Return the Match that `content`, the JSON object of a match detail, describes.

    For each part that is missing or wrong a problem is added to `problems`.
    """

    def complain(place: str, text: str) -> None:
        problems.append(Problem(place, text))

    file = fitted(File, content, "", complain)
    seats = [_seat(number, info or Info(), problems) for number, info in enumerate(file.info)]
    inner = None if file.message is None else Source(file.message.encode())
    if inner is not None and not isinstance(inner.first, dict):
        complain("message", inner.fault or EXPECTED.format(expected=JSON_OBJECT, found=describe(inner.first)))
    is_object = inner is not None and isinstance(inner.first, dict)
    message = fitted(Message, inner.first, "message", complain) if inner is not None and is_object else Message()
    seats += [Seat() for _ in range(max(len(message.stdinRecords), len(message.states)) - len(seats))]
    for number, seat in enumerate(seats):
        if seat.stderr is None and number < len(message.states) and message.states[number] is not None:
            place = f"message.states[{number}].stderr"
            seat.stderr = decoded(message.states[number].stderr, place, problems)
        if number < len(message.stdinRecords):
            place = f"message.stdinRecords[{number}]"
            seat.stdin = decoded(message.stdinRecords[number], place, problems)
    if 0 < len(message.stdinRecords) < len(seats):
        expected = recorded("{number} entries").format(number=len(seats))
        complain("message.stdinRecords", EXPECTED.format(expected=expected, found=str(len(message.stdinRecords))))
    costs = [
        TurnCost(number, cost.position, cost.status, cost.time, cost.memory)
        for number, entries in enumerate(message.record)
        for cost in entries or ()
        if cost is not None and cost.position is not None
    ]
    match = Match(file, seats, costs)
    if not match.is_connect_four:
        complain(
            "game.id",
            recorded("expected {number} (connect four), got {found}: its moves stay unread").format(
                number=CONNECT_FOUR, found=match.game
            ),
        )
    elif len(seats) != SEATS:
        complain("seats", EXPECTED.format(expected=SEATS, found=len(seats)))
    return match


def _seat(number: int, info: Info, problems: list[Problem]) -> Seat:
    code, user = info.code or Code(), info.user or User()
    return Seat(
        user=user.username,
        entity=code.entity,
        code=code.id,
        version=code.version,
        remark=code.remark,
        end_state=info.end_state,
        exit_code=info.exit_code,
        rank=info.rank,
        score=info.score,
        stderr=decoded(info.stderr, f"info[{number}].stderr", problems),
    )


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
        fault = (
            recorded("in turn {turn}: {error}").format(turn=number, error=error)
            if number
            else recorded("in the opening: {error}").format(error=error)
        )
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
        raise MovesError(recorded("the two seats were sent different openings"))
    first = {_first_mover(seat, stream.turns[0]) for seat, stream in told.items()}
    if len(first) > 1:
        raise MovesError(recorded("both seats' first boards have the same side to move"))
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
    where = recorded("seat {seat}'s board with {stones} stones").format(seat=seat, stones=ply)
    cells = [cell for cell, owner in enumerate(after) if owner != board[cell]]
    if game.mover(ply) != seat or any(board[cell] is not None for cell in cells):
        raise MovesError(recorded("{board} does not follow from the boards before").format(board=where))
    if len(cells) > 2:
        raise MovesError(
            recorded("{board} comes {number} moves after the last one known: their order is not told").format(
                board=where, number=len(cells)
            )
        )
    # The side to move placed the first of two new stones.
    cells.sort(key=lambda cell: after[cell] != game.to_move)
    board = list(board)
    for cell in cells:
        row, column = divmod(cell, game.opening.cols)
        if after[cell] != game.to_move:
            raise MovesError(
                recorded("{board} has one of seat {seat}'s too many").format(board=where, seat=after[cell])
            )
        if row != _landing_row(game.opening, board, column):
            raise MovesError(
                recorded("{board}: no stone dropped into column {column} comes to rest in row {row}").format(
                    board=where, column=column, row=row
                )
            )
        board[cell] = after[cell]
        game.columns.append(column)
    last = divmod(cells[-1], game.opening.cols) if cells else turn.last
    if turn.last != last:
        raise MovesError(
            recorded("{board} names {named} as the last cell, expected {last}").format(
                board=where, named=turn.last, last=last
            )
        )
    return board


def _landing_row(opening: Opening, board: Owners, column: int) -> int | None:
    """Return the row in which a stone dropped into `column` lands, or None if the column is full."""
    free = [
        row
        for row in range(opening.rows)
        if board[row * opening.cols + column] is None and (row, column) != opening.forbidden
    ]
    return max(free, default=None)


def take_last_move(game: Game, replay: Replay) -> None:
    """Set `game.last` to the last move in `replay`. Raises MovesError if it is the replay of another game."""
    opening = game.opening
    row, column = opening.forbidden
    for key, value in {"row": opening.rows, "col": opening.cols, "nox": row, "noy": column}.items():
        if getattr(replay, key) != value:
            raise MovesError(
                recorded("{key}: expected {expected}, as in the match, got {found}").format(
                    key=key, expected=value, found=str(getattr(replay, key))
                )
            )
    rounds = replay.rounds or []
    if not all(column in range(opening.cols) for column in rounds):
        raise MovesError(recorded("rounds: expected a list of columns from 0 to {last}").format(last=opening.cols - 1))
    known = len(game.columns)
    if rounds[:known] != game.columns:
        raise MovesError(
            recorded("rounds: expected the {number} moves of the match first, got others").format(number=known)
        )
    if len(rounds) > known + 1:
        raise MovesError(
            recorded("rounds: expected {number} moves, one more than the match shows, got {found}").format(
                number=known + 1, found=len(rounds)
            )
        )
    game.last = rounds[known] if len(rounds) > known else None


class GameIncomplete(Exception):
    """The match detail does not have everything that a record needs. The error's text says what is missing."""


def game_of(match: Match, game: Game | None) -> LoggedGame:
    """Return the game of a match as a LoggedGame. `game` is the reconstructed game, or None if there is none.

    The time at which the match was created is taken for the start of the game, because no other time is known. Raises
    GameIncomplete if moves or other necessary values are missing.
    """
    if game is None or len(match.seats) != len(SIDES):
        raise GameIncomplete(recorded("no game of two seats could be read"))
    if game.fault is not None:
        raise GameIncomplete(recorded("the game could not be read to its end: {error}").format(error=game.fault))
    claim = _claim(match.seats)
    columns = game.columns
    if claim.termination is Termination.NORMAL:
        if game.last is None:
            raise GameIncomplete(recorded("the last move is in no stdin: give the match's replay with --moves"))
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
        started=match.file.create_time or None,
        judge_version=f"Saiblo, logic {match.file.logic_version}",
        extra={"saiblo_match": match.file.id, "end_states": [seat.end_state for seat in match.seats]},
    )


def _player(seat: Seat) -> Player:
    version = None if seat.version is None else str(seat.version)
    return Player(f"{seat.user or '?'}/{seat.entity or '?'}", f"saiblo:{seat.code or '?'}", version)


def _claim(seats: Sequence[Seat]) -> Claim:
    """Return the Claim that follows from the end states of the seats or, if both are OK, from the scores.

    Raises GameIncomplete if no claim follows from them.
    """
    faults = [number for number, seat in enumerate(seats) if seat.end_state != OK]
    words = recorded("Saiblo's end states are {first} and {second}").format(
        first=seats[0].end_state, second=seats[1].end_state
    )
    if not faults:
        first, second = (seat.score for seat in seats)
        if first is None or second is None:
            raise GameIncomplete(recorded("the scores are unknown"))
        return Claim(DRAW if first == second else SIDES[first < second], Termination.NORMAL)
    state = seats[faults[0]].end_state
    if state is None:
        raise GameIncomplete(recorded("an end state is unknown"))
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
            raise GameIncomplete(recorded("the time of ply {ply} is unknown").format(ply=ply + 1))
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

    Its `info` is a list of what became of the seats, or its `message` holds what they were sent.
    """
    first = source.first
    if first is None:
        return source.text.lstrip()[:1] == "{" and '"info"' in source.text and '"end_state"' in source.text
    if not isinstance(first, dict):
        return False
    info, message = first.get("info"), first.get("message")
    seats = info if isinstance(info, list) else []
    return any(isinstance(seat, dict) and "end_state" in seat for seat in seats) or (
        isinstance(message, str) and "stdinRecords" in message
    )


def read_detail(source: Source, replay: Source | None = None, replay_name: str = "") -> Detail | str:
    """Return the Detail in a file, or the text of the problem if it is none.

    `replay` is the file with the match's replay, which has the last move, or None. `replay_name` is the name of that
    file in problems.
    """
    if source.fault or not isinstance(source.first, dict):
        return source.fault or EXPECTED.format(expected=JSON_OBJECT, found=describe(source.first))
    if not source.first.keys() & {"info", "message"}:
        keys = ", ".join(list(source.first)[:8])[:80]
        return EXPECTED.format(
            expected=recorded("a match detail with the keys info and message"),
            found=recorded("the keys {keys}").format(keys=keys) if keys else recorded("no keys"),
        )
    problems: list[Problem] = []
    match = read_match(source.first, problems)
    junk = source.text[source.values[0].end :].strip().encode("utf-8", "replace")
    detail = Detail(match, [None] * len(match.seats), None, len(junk), problems)
    if match.is_connect_four:
        _read_game(detail)
    if replay is not None:
        _take_last_move(detail, replay, replay_name)
    return detail


def read(source: Source, replay: Source | None = None, replay_name: str = "") -> Reading:
    """Return the game in a file and the problems of the file. For `replay` and `replay_name` see read_detail()."""
    reading = Reading()
    detail = read_detail(source, replay, replay_name)
    if isinstance(detail, str):
        reading.complain("", detail)
        return reading
    for problem in detail.problems:
        reading.add(problem)
    source.note_rest(reading, 1)
    if detail.match.is_connect_four:
        try:
            reading.games.append(game_of(detail.match, detail.game))
        except GameIncomplete as error:
            reading.complain(recorded("the game"), str(error))
    return reading


def _read_game(detail: Detail) -> None:
    """Set `streams` and `game` of `detail` from the stdin of the seats, and add the problems that are found."""
    detail.streams = [None if seat.stdin is None else read_stream(seat.stdin) for seat in detail.match.seats]
    for number, stream in enumerate(detail.streams):
        if stream is not None and stream.fault is not None:
            text = recorded("byte {byte}, {error}").format(byte=stream.fault_byte, error=stream.fault)
            detail.problems.append(Problem(recorded("stdin of seat {seat}").format(seat=number), text))
    try:
        detail.game = put_together(detail.streams[:SEATS])
    except MovesError as error:
        detail.problems.append(Problem(MOVES, str(error)))
    if detail.game is not None and detail.game.fault is not None:
        detail.problems.append(Problem(MOVES, detail.game.fault))


def _take_last_move(detail: Detail, source: Source, name: str) -> None:
    if detail.game is None:
        detail.problems.append(Problem(name, recorded("no game could be read that it could belong to")))
        return
    wrong: list[str] = []
    replay = fitted(Replay, source.first, "", lambda place, text: wrong.append(f"{place}: {text}" if place else text))
    try:
        if wrong or source.fault:
            raise MovesError(source.fault or wrong[0])
        take_last_move(detail.game, replay)
    except MovesError as error:
        detail.problems.append(Problem(name, str(error)))
