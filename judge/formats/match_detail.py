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
import collections
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from judge.formats.reading import (
    DRAW,
    JUNK,
    TERMINATIONS_OF_SAIBLO,
    Claim,
    LoggedGame,
    Number,
    Problem,
    Reading,
    Source,
    Whole,
)
from judge.formats.saiblo import Replay
from judge.games.connect_four.rules import ConnectFour
from judge.games.positions import IllegalMove
from judge.language import recorded
from judge.terminal import shortened
from protocol.errors import RemoteProtocolError
from protocol.games.connect_four import MessageDecoder, Opening, Turn
from protocol.records.record import Player, RecordError, Termination
from protocol.records.values import Count, converted, decoded

CONNECT_FOUR = 3  # the number of connect four on Saiblo
WIRE = "saiblo"
MOST_NESTED = 8  # the most brackets inside each other in `message`, which has three
BLANKS = b" \t\r\v\f"
BLANK_NAMES = {
    ord(" "): "blank",
    ord("\t"): "tab",
    ord("\r"): "CR",
    ord("\n"): "LF",
    ord("\v"): "VT",
    ord("\f"): "FF",
}
SIDES = "AB"  # seat 0 is A, seat 1 is B
OK = "OK"
# Texts of places and problems. JSON has them in English.
MOVES = recorded("moves")
WRONG_NUMBER = recorded("expected {number} entries, one for each seat, got {found}")


class Code(Struct):
    """The program that played."""

    entity: str | None = None
    id: str | None = None
    version: Whole | None = None
    remark: str | None = None


class User(Struct):
    """Whose program it was."""

    username: str | None = None


class Seat(Struct):
    """What `info` tells of a seat. A person who played has no code."""

    code: Code | None = None
    user: User | None = None
    end_state: str | None = None
    exit_code: Whole | None = None
    rank: Whole | None = None
    score: Number | None = None
    stderr: str | None = None


class SaibloGame(Struct):
    """The game of the match."""

    id: Whole | None = None
    name: str | None = None


class File(Struct):
    """A match detail. The seat of a match that was not played may be null."""

    info: list[Seat | None]
    message: str | None = None
    id: Whole | None = None
    state: str | None = None
    error: str | None = None
    game: SaibloGame | None = None
    create_time: str | None = None
    logic_version: Whole | None = None

    @property
    def game_id(self) -> int | None:
        """The number of the game on Saiblo, or None if it is unknown."""
        return None if self.game is None else self.game.id


class TurnCost(Struct):
    """What the platform measured in one turn of the seat `position`.

    `time` is the time in seconds, and `memory` is the largest memory, in bytes, that the bot has used so far.
    """

    position: Count
    time: Number | None = None
    memory: Whole | None = None
    status: str | None = None


class State(Struct):
    """What details of 2022 tell of a seat."""

    stderr: str | None = None


class Message(Struct):
    """The content of `message`. `record` has the turns of each round."""

    record: list[list[TurnCost]] = []
    stdinRecords: list[str] = []
    states: list[State] = []


def decoded_base64(text: str | None, place: str, problems: list[Problem]) -> bytes | None:
    """Return the bytes that `text` has in base64, or None if `text` is None or not base64.

    A truncated text is decoded up to its last complete group of four characters. For a truncated text, and for one that
    is not base64, a problem with the place `place` is added to `problems`.
    """
    if text is None:
        return None
    text = "".join(text.split())
    end = len(text) // 4 * 4
    try:
        data = base64.b64decode(text[:end], validate=True)
    except ValueError:
        problems.append(Problem(place, recorded("expected base64, got {found}").format(found=repr(shortened(text)))))
        return None
    if end < len(text):
        cut = recorded("the base64 is cut short: it has {number} characters, expected a multiple of 4")
        problems.append(Problem(place, cut.format(number=len(text))))
    return data


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
    fault_byte = fault = None
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
        fault_byte = place if place == len(data) else _number_start(data, place)
        # The turn to which the byte belongs, 0 for the opening. The wrong number may begin in the last message.
        turn = len(messages) - 1 if fault_byte < end else len(messages)
        fault = (
            recorded("in turn {turn}: {error}").format(turn=turn, error=error)
            if turn
            else recorded("in the opening message: {error}").format(error=error)
        )
    return Stream(messages[0] if messages else None, tuple(messages[1:]), data[end:], fault_byte, fault)


def _number_start(data: bytes, place: int) -> int:
    """Return the index of the first byte of the number to which the byte `data[place]` belongs, or which it ends.

    A number is any run of bytes without spaces.
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
    ends = collections.Counter(
        blanks_in_words(line[len(body) :] + b"\n") for line, body in zip(lines, bodies, strict=True)
    )
    bodies.append(rest)
    return {
        "bytes": len(data),
        "lines": len(lines),
        "line_ends": dict(ends.most_common()),
        "empty_lines": bodies[:-1].count(b""),
        "leading_blanks": sum(body[:1].isspace() for body in bodies),
        "double_blanks": sum(len(re.findall(rb"[ \t]{2,}", body)) for body in bodies),
        "other_bytes": sum(len(body.translate(None, b"-0123456789 ")) for body in bodies),
        "unclosed_bytes": len(rest),
    }


def blanks_in_words(blanks: bytes) -> str:
    """Return the names of the bytes `blanks`, such as "blank CR LF" for b" \\r\\n"."""
    words = []
    for byte, group in itertools.groupby(blanks):
        count = len(list(group))
        words.append(BLANK_NAMES[byte] if count == 1 else f"{count} x {BLANK_NAMES[byte]}")
    return " ".join(words)


class NoGame(Exception):
    """A file lacks a part of the game, or contradicts itself. The error's text is the text of the problem."""


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


def reconstructed_game(streams: Sequence[Stream | None]) -> Game | None:
    """Return the Game that the messages to the two seats show, or None if no turn was sent.

    `streams` has the Stream of each seat, or None if the file does not have the seat's stdin. Raises NoGame if the
    openings of the two seats differ, or if their first boards do not agree on who moved first.
    """
    given_streams = {seat: stream for seat, stream in enumerate(streams) if stream is not None and stream.turns}
    if not given_streams:
        return None
    openings = {stream.opening for stream in given_streams.values() if stream.opening is not None}
    if len(openings) > 1:
        raise NoGame(recorded("the opening messages to the two seats differ, expected the same board in both"))
    first_movers = {_first_mover(seat, stream.turns[0]) for seat, stream in given_streams.items()}
    if len(first_movers) > 1:
        raise NoGame(recorded("the first boards sent to the two seats do not agree on who moved first"))
    game = Game(openings.pop(), first_movers.pop())
    position = ConnectFour(*game.opening)
    views = [(_count_stones(turn), seat, turn) for seat, stream in given_streams.items() for turn in stream.turns]
    for stones, seat, turn in sorted(views, key=lambda view: view[0]):
        player = int(seat != game.first)
        columns = _new_columns(position, player, turn)
        try:
            for column in columns:
                position.play(column)
        except IllegalMove:
            columns = []
        if (position.last, position.board_for(player)) != (turn.last, turn.board):
            wrong = recorded("seat {seat}'s board with {stones} stones does not follow from the boards before")
            game.fault = wrong.format(seat=seat, stones=stones)
            break
        game.columns += columns
    return game


def _count_stones(turn: Turn) -> int:
    return sum(value != 0 for value in turn.board)


def _first_mover(seat: int, turn: Turn) -> int:
    """Return the seat that moved first. `turn` is the first message to `seat`, which was sent when it was to move."""
    return seat if _count_stones(turn) % 2 == 0 else 1 - seat


def _new_columns(position: ConnectFour, player: int, turn: Turn) -> list[int]:
    """Return the columns of the moves that lead from `position` to the board of `turn`, a message to `player`.

    Returns [] for more than two moves, because their order is unknown.
    """
    before = position.board_for(player)
    cells = [cell for cell, (old, new) in enumerate(zip(before, turn.board, strict=True)) if old != new]
    first_stone = 2 if position.to_move == player else 1  # in messages, 2 is a stone of `player`, 1 of the other side
    cells.sort(key=lambda cell: turn.board[cell] != first_stone)
    return [cell % position.cols for cell in cells] if len(cells) <= 2 else []


def take_last_move(game: Game, replay: Replay) -> None:
    """Set `game.last` to the last move in `replay`. Raises NoGame if it is the replay of another game."""
    known = len(game.columns)
    board = replay.row, replay.col, (replay.nox, replay.noy)
    if board != tuple(game.opening) or replay.rounds[:known] != game.columns or len(replay.rounds) > known + 1:
        raise NoGame(recorded("this is the replay of another game, expected the replay of this match"))
    game.last = replay.rounds[known] if len(replay.rounds) > known else None


def game_of(detail: "Detail") -> LoggedGame:
    """Return the game of a match of connect four.

    The time at which the match was created is taken for the start of the game, because no other time is known. Raises
    NoGame if moves or other necessary values are missing.
    """
    game, file = detail.game, detail.file
    if game is None:
        raise NoGame(recorded("the file has no readable game between two seats"))
    if game.fault is not None:
        raise NoGame(recorded("the game could not be read to its end: {error}").format(error=game.fault))
    claim = _claim(detail.seats)
    if claim.termination is Termination.NORMAL and game.last is None:
        raise NoGame(recorded("the file lacks the last move: give the match's replay with --moves"))
    columns = game.all_columns if claim.termination is Termination.NORMAL else game.columns
    opening = game.opening
    first, second = (_player(seat) for seat in detail.seats)
    return LoggedGame(
        place="",
        game="connect_four",
        board={"rows": opening.rows, "cols": opening.cols, "forbidden": list(opening.forbidden)},
        moves=tuple(columns),
        claim=claim,
        first=SIDES[game.first],
        sides=tuple(SIDES[game.mover(ply)] for ply in range(len(columns))),
        players=(first, second),
        times_s=tuple(_times_s(len(columns), game, detail.turns)),
        started=file.create_time or None,
        judge_version=f"Saiblo, logic {file.logic_version}",
        extra={"saiblo_match": file.id, "end_states": [seat.end_state for seat in detail.seats]},
    )


def _player(seat: Seat) -> Player:
    """Return the Player of a seat. What the file does not say is written as "?"."""
    code, user = seat.code or Code(), seat.user or User()
    version = None if code.version is None else str(code.version)
    return Player(f"{user.username or '?'}/{code.entity or '?'}", f"saiblo:{code.id or '?'}", version)


def _claim(seats: Sequence[Seat]) -> Claim:
    """Return the Claim that follows from the end states of the seats or, if both are OK, from the scores.

    Raises NoGame if no claim follows from them.
    """
    states = [seat.end_state for seat in seats]
    if None in states:
        raise NoGame(recorded("the file lacks the end_state of a seat"))
    faults = [number for number, state in enumerate(states) if state != OK]
    if not faults:
        first, second = (seat.score for seat in seats)
        if first is None or second is None:
            raise NoGame(recorded("the file lacks the score of a seat"))
        result = DRAW if first == second else "A" if first > second else "B"
        return Claim(result, Termination.NORMAL)
    words = recorded("Saiblo's end states are {first} for seat 0 and {second} for seat 1").format(
        first=states[0], second=states[1]
    )
    termination = TERMINATIONS_OF_SAIBLO.get(str(states[faults[0]]))
    if len(faults) > 1 or termination is None:
        return Claim(None, Termination.VOID, None, words)
    return Claim(SIDES[1 - faults[0]], termination, SIDES[faults[0]], words)


def _times_s(plies: int, game: Game, turns: Sequence[tuple[int, TurnCost]]) -> list[float]:
    """Return, for each of the first `plies` moves, the time in seconds that the platform measured.

    `turns` is `turns` of Detail. The k-th turn of a seat belongs to the seat's k-th move. Raises NoGame if a time is
    unknown.
    """
    times_of_seats = [iter([cost.time for _round, cost in turns if cost.position == seat]) for seat in (0, 1)]
    times_s: list[float] = []
    for ply in range(plies):
        time_s = next(times_of_seats[game.mover(ply)], None)
        if time_s is None:
            raise NoGame(recorded("the time of ply {ply} is unknown").format(ply=ply + 1))
        times_s.append(time_s)
    return times_s


@dataclass
class Detail:
    """The content of a match detail. The lists are in the order of the seats.

    `stderrs` and `stdins` have what a bot wrote to stderr and what it got on stdin, and `streams` the messages in its
    stdin; None if that is unknown. `turns` has (index of the round, what was measured) in the order of the judger's
    record. `game` is the reconstructed game, or None if there is none. `junk` is the number of bytes after the JSON,
    which `problems` have in a note too.
    """

    file: File
    seats: list[Seat]
    stderrs: list[bytes | None]
    stdins: list[bytes | None]
    turns: list[tuple[int, TurnCost]]
    junk: int
    problems: list[Problem]
    streams: list[Stream | None] = field(default_factory=list)
    game: Game | None = None

    @property
    def is_connect_four(self) -> bool:
        """Whether the game is connect four. It is also True if the file does not name the game."""
        return self.file.game_id in (None, CONNECT_FOUR)


def looks_like(source: Source) -> bool:
    """Return whether the text begins with a match detail, or may begin with a truncated match detail.

    Its `info` is a list of what became of the seats, or its `message` holds what they were sent.
    """
    first = source.first
    if first is None:
        return source.text.lstrip()[:1] == "{" and '"info"' in source.text and '"end_state"' in source.text
    if not isinstance(first, dict):
        return False
    seats, message = first.get("info"), first.get("message")
    has_seats = isinstance(seats, list) and any(isinstance(seat, dict) and "end_state" in seat for seat in seats)
    return has_seats or (isinstance(message, str) and "stdinRecords" in message)


def read_detail(source: Source, replay: Source | None = None, replay_name: str = "") -> Detail:
    """Return the Detail in a file. Raises RecordError, which names the place, if it is none.

    `replay` is the file with the match's replay, which has the last move, or None. `replay_name` is the name of that
    file in problems. Problems of the match detail's parts and of the replay are in `problems` of the result.
    """
    file = source.converted(File)
    problems: list[Problem] = []
    message = Message()
    try:
        if file.message is not None:
            message = converted(decoded(file.message, dict[str, Any], MOST_NESTED, "message"), Message, "message")
    except RecordError as error:
        problems.append(Problem("", str(error)))
    seats = [seat or Seat() for seat in file.info]
    stderrs, stdins = _stderrs(seats, message, problems), _stdins(seats, message, problems)
    turns = [(number, cost) for number, costs in enumerate(message.record) for cost in costs]
    detail = Detail(file, seats, stderrs, stdins, turns, source.bytes_behind(1), problems, [None] * len(seats))
    if not detail.is_connect_four:
        unread = recorded(
            "expected game number {number} (connect four), got {found}: the moves of other games are not read"
        )
        problems.append(Problem("game.id", unread.format(number=CONNECT_FOUR, found=file.game_id)))
    elif len(seats) != len(SIDES):
        problems.append(Problem("info", WRONG_NUMBER.format(number=len(SIDES), found=len(seats))))
    else:
        _read_game(detail)
    if detail.junk:
        problems.append(Problem("", JUNK.format(number=detail.junk), is_note=True))
    if replay is not None:
        try:
            if detail.game is None:
                raise NoGame(recorded("the match detail has no readable game to which this replay could belong"))
            take_last_move(detail.game, replay.converted(Replay))
        except (NoGame, RecordError) as error:
            problems.append(Problem(replay_name, str(error)))
    return detail


def _stderrs(seats: Sequence[Seat], message: Message, problems: list[Problem]) -> list[bytes | None]:
    """Return for each seat what its bot wrote to stderr, or None if it is unknown. Adds what is wrong to `problems`."""
    stderrs = [decoded_base64(seat.stderr, f"info[{number}].stderr", problems) for number, seat in enumerate(seats)]
    for number, state in enumerate(message.states[: len(seats)]):
        if stderrs[number] is None:
            stderrs[number] = decoded_base64(state.stderr, f"message.states[{number}].stderr", problems)
    return stderrs


def _stdins(seats: Sequence[Seat], message: Message, problems: list[Problem]) -> list[bytes | None]:
    """Return for each seat what its bot got on stdin, or None if it is unknown. Adds what is wrong to `problems`."""
    texts = message.stdinRecords
    stdins = [decoded_base64(text, f"message.stdinRecords[{number}]", problems) for number, text in enumerate(texts)]
    if 0 < len(texts) < len(seats):
        wrong = WRONG_NUMBER.format(number=len(seats), found=len(texts))
        problems.append(Problem("message.stdinRecords", wrong))
    return [*stdins, *[None] * len(seats)][: len(seats)]


def _read_game(detail: Detail) -> None:
    """Set `streams` and `game` of `detail` from the stdin of the seats, and add the problems that are found."""
    detail.streams = [None if data is None else read_stream(data) for data in detail.stdins]
    for number, stream in enumerate(detail.streams):
        if stream is not None and stream.fault is not None:
            text = recorded("the messages cannot be read from byte {byte} on, {error}").format(
                byte=stream.fault_byte, error=stream.fault
            )
            detail.problems.append(Problem(recorded("stdin of seat {seat}").format(seat=number), text))
    try:
        detail.game = reconstructed_game(detail.streams)
        if detail.game is not None and detail.game.fault is not None:
            raise NoGame(detail.game.fault)
    except NoGame as error:
        detail.problems.append(Problem(MOVES, str(error)))


def read(source: Source, replay: Source | None = None, replay_name: str = "") -> Reading:
    """Return the game in a file, if it is connect four, and the problems of the file.

    For `replay` and `replay_name` see read_detail().
    """
    reading = Reading()
    try:
        detail = read_detail(source, replay, replay_name)
    except RecordError as error:
        reading.complain("", str(error))
        return reading
    for problem in detail.problems:
        reading.add(problem)
    if detail.is_connect_four:
        try:
            reading.games.append(game_of(detail))
        except NoGame as error:
            reading.complain(recorded("the game"), str(error))
    return reading
