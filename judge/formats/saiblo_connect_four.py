"""Saiblo's replay of a match of connect four, a JSON object:

    {"row": 9, "col": 9, "nox": 7, "noy": 1, "rounds": [0, 1, 0, 1, 0], "win": 0, "gameend_reason": "text"}

rounds are columns, player 0 first; nox counts from the top. win is 0 or 1 for the player who has won and anything
else for a draw. Known from two programs that read it and no file of the platform's own: what it writes of a draw or a
forfeit is open, so that words of the reason are a guess. Other keys are left alone. Several objects may follow each
other.
"""

import json
from typing import Any

from judge.formats.documents import EXPECTED, JSON_OBJECT, JUNK, NO_KEY, NotThisForm, Source, describe
from judge.formats.endings import REASON, claim_of, words_of
from judge.formats.hand import LINE
from judge.formats.logged import DRAW, LoggedGame, Reading
from judge.language import recorded
from protocol.records.record import GameRecord

GAME = "connect_four"
NUMBERS = ("row", "col", "nox", "noy")
ROUNDS, WIN = "rounds", "win"
DRAWN = 2  # what we write for a draw
LARGEST = 1000  # what no board comes near
# Problems, as JSON keeps them.
AN_INTEGER = recorded("an integer")
A_COLUMN = recorded("a column, an integer")
A_LIST_OF_COLUMNS = recorded("a list of columns")
IN_OBJECT = recorded("line {line}, {key}")

NO_FORBIDDEN_CELL = recorded("a replay of Saiblo names a forbidden cell, and this board has none")


def looks_like(source: Source) -> bool:
    """Whether the text begins with such an object, or with what may be the beginning of one."""
    if source.values:
        first = source.values[0].content
        return isinstance(first, dict) and ROUNDS in first
    return source.text.lstrip()[:1] == "{" and f'"{ROUNDS}"' in source.text


def read(source: Source) -> Reading:
    """The games of a file."""
    reading = Reading()
    if source.fault:
        reading.complain("", source.fault)
    for value in source.values:
        line = source.line_of(value.start)
        if isinstance(value.content, dict):
            game = _game(value.content, line, reading)
            reading.games += [] if game is None else [game]
        else:
            found = EXPECTED.format(expected=JSON_OBJECT, found=describe(value.content))
            reading.complain(LINE.format(line=line), found)
    if source.values and source.rest:
        reading.note("", JUNK.format(number=len(source.rest.encode("utf-8", "replace"))))
    return reading


def _game(content: dict[str, Any], line: int, reading: Reading) -> LoggedGame | None:
    """The game of an object; None where it lacks what a game needs."""

    def wrong(key: str, expected: str, value: object) -> None:
        found = describe(value) if key.partition("[")[0] in content else NO_KEY
        reading.complain(IN_OBJECT.format(line=line, key=key), EXPECTED.format(expected=expected, found=found))

    before = len(reading.problems)
    for key in NUMBERS:
        value = content.get(key)
        if type(value) is not int or not -1 <= value <= LARGEST:
            wrong(key, AN_INTEGER, value)
    rounds = content.get(ROUNDS)
    if not isinstance(rounds, list):
        wrong(ROUNDS, A_LIST_OF_COLUMNS, rounds)
    else:
        for number, column in enumerate(rounds):
            if type(column) is not int or abs(column) > LARGEST:
                wrong(f"{ROUNDS}[{number}]", A_COLUMN, column)
                break
    if len(reading.problems) > before or not isinstance(rounds, list):
        return None
    win, reason = content.get(WIN), content.get(REASON)
    if win is not None and type(win) is not int:
        wrong(WIN, AN_INTEGER, win)
        win = None
    result = None if win is None else {0: "A", 1: "B"}.get(win, DRAW)
    return LoggedGame(
        place=LINE.format(line=line),
        game=GAME,
        board={"rows": content["row"], "cols": content["col"], "forbidden": [content["nox"], content["noy"]]},
        moves=tuple(rounds),
        claim=claim_of(result, reason if isinstance(reason, str) else ""),
        move_places=tuple(IN_OBJECT.format(line=line, key=f"{ROUNDS}[{number}]") for number in range(len(rounds))),
    )


def write(record: GameRecord) -> str:
    """The replay of a game, with a line end. Precondition: a sound record of this game. Raises NotThisForm."""
    cell = record.board["forbidden"]
    if cell is None:
        raise NotThisForm(NO_FORBIDDEN_CELL)
    first = record.first
    content = {
        **dict(zip(NUMBERS, (record.board["rows"], record.board["cols"], *cell), strict=True)),
        ROUNDS: [move.move for move in record.moves],
        WIN: DRAWN if record.winner is None else int(record.winner != first),
        REASON: words_of(record),
    }
    return json.dumps(content) + "\n"
