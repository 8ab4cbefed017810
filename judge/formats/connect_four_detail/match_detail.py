"""A match detail, as GET /api/matches/ID/ answers, as values; what cannot be had of it is None.

    info[seat]      code {id, entity, remark, version}, user {username}, rank, score, end_state
                    and, where the one who asks owns the bot, exit_code and stderr (base64)
    message         a JSON text: record[round][] {status, time in s, memory in bytes, position = seat}
                    and stdinRecords[seat], base64 of all that the judger wrote to that bot's stdin
    state, error, id, create_time, logic_version, game {id, name}

Details of 2022 and 2023 have the stderr in message.states[seat].stderr, and may have no record.
"""

from dataclasses import dataclass
from typing import Any

from judge.formats.connect_four_detail.fields import A_LIST, A_STRING, Fields, decoded
from judge.formats.documents import EXPECTED, DocumentError, describe, object_of
from judge.formats.logged import Problem
from judge.language import recorded

CONNECT_FOUR = 3  # the game's number on Saiblo
SEATS = 2
# Problems, as JSON keeps them.
A_DETAIL = recorded("a match detail with the keys info and message")
THE_KEYS = recorded("the keys {keys}")
NO_KEYS = recorded("no keys")
OTHER_GAME = recorded("expected {number} (connect four), got {found}: its moves stay unread")
ENTRIES = recorded("{number} entries")


@dataclass
class Seat:
    """One player of the match. `stderr` and `stdin` are bytes."""

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
class Charge:
    """What the platform noted of one turn: the judger's round, the seat, seconds, and bytes (greatest so far)."""

    round: int
    seat: int
    status: str | None
    time_s: float | None
    memory_bytes: int | None


@dataclass
class Match:
    """A match: `seats` by number, `charges` in the order of the record."""

    number: int | None
    game: int | None
    game_name: str | None
    created: str | None
    state: str | None
    error: str | None
    logic_version: int | None
    seats: list[Seat]
    charges: list[Charge]

    @property
    def is_connect_four(self) -> bool:
        """True too where the file does not say which game it is."""
        return self.game in (None, CONNECT_FOUR)


def read_match(content: dict[str, Any], problems: list[Problem]) -> Match:
    """The Match in a detail's JSON object; adds to `problems` for each part that is missing or wrong.

    Raises DocumentError where the object is no match detail at all.
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
    charges = [] if message is None else _take_message(message, seats)
    match = Match(
        number,
        game_number,
        None if game is None else game.text("name", optional=True),
        top.text("create_time", optional=True),
        state,
        error,
        top.integer("logic_version", optional=True),
        seats,
        charges,
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


def _take_message(message: Fields, seats: list[Seat]) -> list[Charge]:
    """Give the seats their stdin and stderr, adding seats that `info` lacks; return the charges."""
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
    return _charges(message, len(seats) or SEATS, optional=bool(states))


def _charges(message: Fields, seats: int, optional: bool) -> list[Charge]:
    charges: list[Charge] = []
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
                charges.append(Charge(number, seat, entry.text("status"), time_s, memory))
    return charges
