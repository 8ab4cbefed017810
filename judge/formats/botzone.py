"""Reader for the messages that Botzone sends to a bot, in JSON or in the simple form.

A message has all requests to the bot and all its responses so far:

    {"requests": [{"x": -1, "y": -1}, {"x": 2, "y": 2}], "responses": [{"x": 2, "y": 3}]}       reversi
    {"requests": [{"x": 2, "y": 3, "pass": 0}], "responses": []}                                Pencil: dots and boxes
    2, then lines of 2 integers (reversi) or 3 and 2 (Pencil)                                   the simple form

Such a history contains the earlier histories of the same game. A bot that keeps running gets only the latest request.
Requests without a history can be read if the bot's answers, {"response": ..}, stand between them. Botzone has no
connect four, as far as we know.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from dataclasses import field as attribute
from typing import Any, NamedTuple

from msgspec import UNSET, Struct, field

from judge.formats.reading import NO_JSON, Fault, LoggedGame, Reading, Source, Whole
from judge.formats.text import LINE, PART_OF_LINE
from judge.games.reversi.rules import cell_name
from judge.language import recorded
from protocol.errors import LocalProtocolError
from protocol.games.dots import DEFAULT_SIZE, edge_at
from protocol.records.record import RecordError
from protocol.records.values import converted

KEEP_RUNNING = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
NO_PLACE = (-1, -1)
COUNT = re.compile(r"\s*(\d{1,3})\s*")
NUMBERS = re.compile(r"\s*-?\d{1,3}(?:\s+-?\d{1,3}){1,2}\s*")
# Texts of places and problems. JSON has them in English.
NO_REQUEST = recorded("the file lacks the request that this response answers")
REVERSI_SIZE = 8


class Kind(NamedTuple):
    """A game that Botzone has, with its name and its board in records.

    move_at(x, y) returns the move with the coordinates x and y, or None if there is no such move.
    """

    name: str
    board: dict[str, Any]
    move_at: Callable[[int, int], str | None]


def _edge_name(x: int, y: int) -> str | None:
    """Return the name of the edge at (x, y) in the grid of dots, edges and boxes, or None if there is no edge."""
    try:
        return edge_at(x, y)
    except LocalProtocolError:
        return None


def _cell_name_on_board(x: int, y: int) -> str | None:
    """Return the name of the cell in row x and column y, or None if there is no such cell on the board."""
    return cell_name(x, y) if 0 <= x < REVERSI_SIZE and 0 <= y < REVERSI_SIZE else None


DOTS = Kind("dots", {"rows": DEFAULT_SIZE[0], "columns": DEFAULT_SIZE[1], "opening": []}, _edge_name)
REVERSI = Kind("reversi", {"size": REVERSI_SIZE, "opening": []}, _cell_name_on_board)


class Place(Struct):
    """A request without a history, or the content of a response."""

    x: Whole
    y: Whole
    passes: Any = field(default=UNSET, name="pass")  # of Pencil alone


class History(Struct):
    """All requests to a bot and all its responses so far."""

    requests: list[Place]
    responses: list[Place] = []


class Response(Struct):
    """A bot's answer."""

    response: Place


@dataclass(frozen=True)
class _Event:
    """A request or a response with its coordinates.

    `has_pass` says whether it has the key "pass", which requests and responses of Pencil have.
    """

    is_request: bool
    x: int
    y: int
    has_pass: bool
    place: str = attribute(compare=False)


@dataclass
class _Game:
    """A game whose messages are being read. `line` is the number of the line in which its first message begins."""

    line: int
    events: list[_Event] = attribute(default_factory=list)


def looks_like(source: Source) -> bool:
    """Return whether the text has messages in JSON or in the simple form, or may begin with a truncated message."""
    first = source.first
    if first is not None:
        return isinstance(first, dict) and (_is_place(first.get("response")) or isinstance(first.get("requests"), list))
    if source.text.lstrip().startswith("{"):
        return '"requests"' in source.text
    lines = [line for line in source.lines if line.strip()]
    return len(lines) > 1 and bool(COUNT.fullmatch(lines[0])) and bool(NUMBERS.fullmatch(lines[1]))


def _is_place(value: object) -> bool:
    """Return whether a JSON value has the coordinates that a Place needs."""
    return isinstance(value, dict) and "x" in value and "y" in value


def read(source: Source) -> Reading:
    """Return the games in a file and the problems of the file."""
    reading = Reading()
    games: list[_Game] = []
    messages = _json_messages(source, reading) if "{" in source.text else _simple_messages(source, reading)
    for line, events, is_history in messages:
        try:
            _add_message(games, line, events, is_history)
        except Fault as fault:
            reading.complain(fault.place, str(fault))
    for game in games:
        try:
            reading.games.append(_logged_game(game))
        except Fault as fault:
            reading.complain(fault.place, str(fault))
    if not games and not reading.problems:
        reading.complain("", recorded("the file has no game: expected a message with all requests and responses"))
    return reading


Message = tuple[int, list[_Event], bool]  # (number of its line, its events, whether they are a complete history)


def _json_messages(source: Source, reading: Reading) -> Iterator[Message]:
    """Yield the messages in JSON. A message that is wrong is skipped and added to the problems."""
    for line, content in _json_values(source, reading):
        keys = content if isinstance(content, dict) else {}
        kind: Any = History if "requests" in keys else Response if "response" in keys else Place
        try:
            message = converted(content, kind)
        except RecordError as error:
            reading.complain(LINE.format(line=line), str(error))
            continue
        if isinstance(message, Place):
            yield line, [_event(message, "", line)], False
        elif isinstance(message, Response):
            yield line, [_event(message.response, "response", line)], False
        elif len(message.requests) == len(message.responses) + 1:
            requests = [_event(place, f"requests[{number}]", line) for number, place in enumerate(message.requests)]
            responses = [_event(place, f"responses[{number}]", line) for number, place in enumerate(message.responses)]
            events = requests[:1]
            for response, request in zip(responses, requests[1:], strict=True):
                events += [response, request]
            yield line, events, True
        else:
            wrong = recorded(
                "the message has {requests} requests and {responses} responses: expected one response fewer than "
                "requests"
            )
            counts = {"requests": len(message.requests), "responses": len(message.responses)}
            reading.complain(LINE.format(line=line), wrong.format(**counts))


def _json_values(source: Source, reading: Reading) -> Iterator[tuple[int, Any]]:
    """Yield (number of its line, content) for each JSON value of the file.

    If the file has anything but JSON values, each line is parsed by itself. Lines that begin with KEEP_RUNNING are
    skipped, and lines that are no JSON are added to the problems.
    """
    values, _fault = source.parsed
    if values and not source.bytes_behind(len(values)):
        yield from ((value.line, value.content) for value in values)
        return
    for line, text in enumerate(source.lines, start=1):
        if text.strip() and not text.startswith(KEEP_RUNNING):
            try:
                yield line, json.loads(text)
            except (ValueError, RecursionError) as error:
                reading.complain(LINE.format(line=line), NO_JSON.format(error=error))


def _event(place: Place, part: str, line: int) -> _Event:
    """Return the event of a request or a response, `place`.

    `part` is its name in the message, such as "requests[0]" or "response"; it is "" for a request without a history.
    `line` is the number of the message's line.
    """
    where = PART_OF_LINE.format(line=line, part=part) if part else LINE.format(line=line)
    is_request = not part.startswith("response")
    return _Event(is_request, place.x, place.y, place.passes is not UNSET, where)


def _simple_messages(source: Source, reading: Reading) -> Iterator[Message]:
    """Yield the histories in the simple form. Incomplete histories are added to the problems.

    The data that the bot stores, and requests without a history, are skipped.
    """
    lines = source.lines
    index = 0  # of the next line
    while index < len(lines):
        count = COUNT.fullmatch(lines[index])
        index += 1
        first = index  # the number of the line with the count
        if count is None or int(count[1]) < 1:
            continue
        expected = 2 * int(count[1]) - 1
        events: list[_Event] = []
        while index < len(lines) and len(events) < expected and NUMBERS.fullmatch(lines[index]):
            x, y, *passes = (int(part) for part in lines[index].split())
            index += 1
            events.append(_Event(len(events) % 2 == 0, x, y, bool(passes), LINE.format(line=index)))
        if len(events) < expected:
            problem = recorded("the message in the file has {number} lines of moves, expected {expected}").format(
                number=len(events), expected=expected
            )
            reading.complain(LINE.format(line=first), problem)
            if len(events) % 2 == 0:
                events = events[:-1]  # a history ends with a request
        if events:
            yield first, events, True


def _add_message(games: list[_Game], line: int, events: list[_Event], is_history: bool) -> None:
    """Add the events of a message to the game that the message continues, or begin a new game.

    `line` is the number of the message's line. `is_history` says whether the events are a complete history; otherwise
    there is only one. Raises Fault if a request or a response is missing before it.
    """
    if is_history:
        if not games or events[: len(games[-1].events)] != games[-1].events:
            games.append(_Game(line))
        games[-1].events = events
        return
    event = events[0]
    if not games:
        if not event.is_request:
            raise Fault(event.place, NO_REQUEST)
        games.append(_Game(line))
    earlier = games[-1].events
    if earlier and earlier[-1].is_request == event.is_request:
        raise Fault(
            event.place,
            recorded("this request follows another request: the file lacks the bot's response to the first one")
            if event.is_request
            else NO_REQUEST,
        )
    earlier.append(event)


def _logged_game(game: _Game) -> LoggedGame:
    """Return the game that the events of `game` describe. Raises Fault if an event is at no place of the board.

    A request has a move of the other side, and a response a move of the bot. Events at NO_PLACE have no move.
    """
    kind = DOTS if any(event.has_pass for event in game.events if event.is_request) else REVERSI
    first = game.events[0]
    bot_begins = (first.x, first.y) == NO_PLACE
    moves: list[str] = []
    sides: list[str] = []
    places: list[str] = []
    for event in game.events:
        if (event.x, event.y) == NO_PLACE:
            continue
        move = kind.move_at(event.x, event.y)
        if move is None:
            raise Fault(
                event.place,
                recorded("x {x}, y {y} is no move on the board of {game}").format(x=event.x, y=event.y, game=kind.name),
            )
        moves.append(move)
        sides.append("A" if event.is_request != bot_begins else "B")
        places.append(event.place)
    return LoggedGame(
        place=LINE.format(line=game.line),
        game=kind.name,
        board=kind.board,
        moves=tuple(moves),
        sides=tuple(sides),
        move_places=tuple(places),
    )
