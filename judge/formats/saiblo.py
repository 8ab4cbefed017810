"""Reader and writer for Saiblo's replays.

A replay of connect four is a JSON object:

    {"row": 9, "col": 9, "nox": 7, "noy": 1, "rounds": [0, 1, 0, 1, 0], "win": 0, "gameend_reason": "text"}

`rounds` has the columns of the moves; player 0 moves first. `nox` is the row of the forbidden cell, counted from the
top, and `noy` is its column. `win` is 0 or 1 for the player who has won, and any other number for a draw. The format is
known from two programs that read it. We have no file from the platform, so the values for a draw or a forfeit are
unknown, and the words of the reason are a guess. Other keys are ignored. Several objects may follow each other.

A replay of reversi is a JSON list of boards:

    [{"state": 1, "maze": "2222.."}, .., {"0": 1, "1": 0, "state": -1, "maze": ".."}]

A maze is 64 digits, row by row: 0 and 1 are discs of players 0 and 1, and 2 is an empty cell. The first board is the
start position, and each later board follows by one move. The last board has the scores: 1 and 0, or 1 and 1 for a draw.
The platform's logic of 2021 has a public source. It writes this form, without the reason of a forfeit. We add the
reason to the last board as "gameend_reason".
"""

import json
import math
import re
from typing import Any

from judge.formats.reading import (
    DRAW,
    EXPECTED,
    JSON_OBJECT,
    JUNK,
    NO_KEY,
    TERMINATIONS_OF_SAIBLO,
    Claim,
    LoggedGame,
    NotWritable,
    Reading,
    Source,
    describe,
)
from judge.formats.text import LINE
from judge.games.reversi.rules import EMPTY, Reversi, cell_name
from judge.language import recorded
from judge.play.scoresheet import opponent
from judge.reasons import reason_of
from protocol.records.record import GameRecord, Termination

REASON = "gameend_reason"  # Saiblo's key for the reason
# {name: termination}. The names are our own names of terminations, and the platform's end states.
NAMES = {
    **{member.value: member for member in Termination if member is not Termination.NORMAL},
    **TERMINATIONS_OF_SAIBLO,
}
# A name must not be part of a Latin word; a digit or Chinese may be next to it, as in 玩家0TLE.
NAME = re.compile(rf"(?<![A-Za-z_])(?:{'|'.join(NAMES)})(?![A-Za-z_])")
# A guess at the words that people write.
WORDS = (
    (re.compile(r"time(?:d| )?-?\s?out|out of time|time limit|超时", re.IGNORECASE), Termination.TIME_FORFEIT),
    (re.compile(r"illegal|invalid|非法|不合法|违规", re.IGNORECASE), Termination.ILLEGAL_MOVE),
    (re.compile(r"crash|runtime error|运行错误|异常退出|崩溃", re.IGNORECASE), Termination.CRASH),
)
CONNECT_FOUR = "connect_four"
NUMBERS = ("row", "col", "nox", "noy")
ROUNDS, WIN = "rounds", "win"
DRAWN = 2  # the value of `win` that we write for a draw
LARGEST = 1000  # the largest size of a board that is read; far above the size of any board
# Texts of problems. JSON has them in English.
AN_INTEGER = recorded("an integer")
A_COLUMN = recorded("a column, an integer")
A_LIST_OF_COLUMNS = recorded("a list of columns")
IN_OBJECT = recorded("line {line}, {key}")

NO_FORBIDDEN_CELL = recorded("a replay of Saiblo names a forbidden cell, and this board has none")
REVERSI = "reversi"
SIZE = 8
EMPTY_DIGIT = "2"
STATE, MAZE = "state", "maze"
# Texts of places and problems. JSON has them in English.
AN_OBJECT_WITH_MAZE = recorded("an object with a maze")
A_LIST = recorded("a list of boards")
A_MAZE = recorded("{number} digits 0, 1 and 2")
START = recorded("the board is not reversi's start position")
NOT_A_MOVE = recorded("the board does not follow from the one before by a move of player {player}")
OTHER_SIZE = recorded("a replay of Saiblo has a board of 8 x 8, this one is {size} x {size}")


def claim_of(result: str | None, words: str) -> Claim:
    """Return the Claim that follows from `result` ("A", "B", DRAW or None) and `words`, the file's words about the end.

    If the words name a fault, the side that lost is at fault.
    """
    found = _termination(words)
    if found is not None and not found.counts:
        return Claim(None, found, None, words)
    if found is None or result in (None, DRAW):
        return Claim(result, None, None, words)
    return Claim(result, found, opponent(result) if found.fault else None, words)


def _termination(words: str) -> Termination | None:
    """Return the termination that `words` state, or None if they state none.

    A name in NAMES decides; if `words` have none, the first pattern in WORDS that matches decides.
    """
    name = NAME.search(words)
    if name:
        return NAMES[name[0]]
    guesses = [(match.start(), guess) for pattern, guess in WORDS if (match := pattern.search(words))]
    return min(guesses)[1] if guesses else None


def reason_text(record: GameRecord) -> str:
    """Return words that say how the game of a record ended. claim_of() finds the same ending in these words."""
    reason = reason_of(record)
    if record.termination is Termination.NORMAL:
        return reason
    return f"{record.termination}: {reason}"


def looks_like_connect_four(source: Source) -> bool:
    """Return whether the text begins with a connect four replay, or may begin with a truncated replay."""
    if source.values:
        first = source.values[0].content
        return isinstance(first, dict) and ROUNDS in first
    return source.text.lstrip()[:1] == "{" and f'"{ROUNDS}"' in source.text


def read_connect_four(source: Source) -> Reading:
    """Return the games in a file and its problems."""
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
    """Return the game in `content`, a JSON object that begins in line `line` of the file.

    A problem is added to `reading` for each missing or wrong value. Returns None if a necessary value is missing or
    wrong.
    """

    def wrong(key: str, expected: str, value: object) -> None:
        found = describe(value) if key.partition("[")[0] in content else NO_KEY
        reading.complain(IN_OBJECT.format(line=line, key=key), EXPECTED.format(expected=expected, found=found))

    before = reading.number
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
    if reading.number > before or not isinstance(rounds, list):
        return None
    win, reason = content.get(WIN), content.get(REASON)
    if win is not None and type(win) is not int:
        wrong(WIN, AN_INTEGER, win)
        win = None
    result = None if win is None else {0: "A", 1: "B"}.get(win, DRAW)
    return LoggedGame(
        place=LINE.format(line=line),
        game=CONNECT_FOUR,
        board={"rows": content["row"], "cols": content["col"], "forbidden": [content["nox"], content["noy"]]},
        moves=tuple(rounds),
        claim=claim_of(result, reason if isinstance(reason, str) else ""),
        move_places=tuple(IN_OBJECT.format(line=line, key=f"{ROUNDS}[{number}]") for number in range(len(rounds))),
    )


def write_connect_four(record: GameRecord) -> str:
    """Return the text of a replay of a game of connect four, with a line end.

    Raises NotWritable if a replay cannot express the game. Precondition: `record` is a valid record of connect four.
    """
    cell = record.board["forbidden"]
    if cell is None:
        raise NotWritable(NO_FORBIDDEN_CELL)
    first = record.first
    content = {
        **dict(zip(NUMBERS, (record.board["rows"], record.board["cols"], *cell), strict=True)),
        ROUNDS: [move.move for move in record.moves],
        WIN: DRAWN if record.winner is None else int(record.winner != first),
        REASON: reason_text(record),
    }
    return json.dumps(content) + "\n"


def looks_like_reversi(source: Source) -> bool:
    """Return whether the text begins with a reversi replay, or may begin with a truncated replay."""
    if source.values:
        first = source.values[0].content
        return isinstance(first, list) and any(isinstance(entry, dict) and MAZE in entry for entry in first)
    return source.text.lstrip()[:1] == "[" and f'"{MAZE}"' in source.text


def read_reversi(source: Source) -> Reading:
    """Return the game in a file and the problems of the file."""
    reading = Reading()
    if source.fault:
        reading.complain("", source.fault)
        return reading
    content = source.values[0].content
    if not isinstance(content, list):
        reading.complain("", EXPECTED.format(expected=A_LIST, found=describe(content)))
        return reading
    mazes = _mazes(content, reading)
    position = Reversi(SIZE)
    moves: list[str] = []
    places: list[str] = []
    for number, maze in enumerate(mazes):
        place = f"[{number}].{MAZE}"
        if maze == _maze(position):  # the last board may be the same as the board before
            continue
        played = None if number == 0 else _play(position, maze)
        if played is None:
            reading.complain(place, START if number == 0 else NOT_A_MOVE.format(player=position.to_move))
            return reading
        moves.append(played)
        places.append(place)
    if mazes:
        claim = _claim(content[len(mazes) - 1]) if len(mazes) == len(content) else Claim()
        board = {"size": SIZE, "opening": []}
        reading.games.append(LoggedGame("", REVERSI, board, tuple(moves), claim, move_places=tuple(places)))
    if source.rest or len(source.values) > 1:
        rest = source.text[source.values[0].end :].strip()
        reading.note("", JUNK.format(number=len(rest.encode("utf-8", "replace"))))
    return reading


def _mazes(content: list[Any], reading: Reading) -> list[str]:
    """Return the mazes in `content` up to the first entry that is no board. A problem is added for such an entry."""
    found: list[str] = []
    for number, entry in enumerate(content):
        if not isinstance(entry, dict):
            problem = EXPECTED.format(expected=AN_OBJECT_WITH_MAZE, found=describe(entry))
            reading.complain(f"[{number}]", problem)
            break
        maze = entry.get(MAZE)
        if not isinstance(maze, str) or len(maze) != SIZE * SIZE or set(maze) - set("012"):
            got = describe(maze) if MAZE in entry else NO_KEY
            problem = EXPECTED.format(expected=A_MAZE.format(number=SIZE * SIZE), found=got)
            reading.complain(f"[{number}].{MAZE}", problem)
            break
        found.append(maze)
    return found


def _maze(position: Reversi) -> str:
    return "".join(map(str, position.cells()))


def _play(position: Reversi, maze: str) -> str | None:
    """Play the move that leads from `position` to `maze` and return its name, or None if no legal move does."""
    cells = [cell for cell, digit in enumerate(maze) if digit != EMPTY_DIGIT and _owner(position, cell) is EMPTY]
    if len(cells) != 1:
        return None
    name = cell_name(*divmod(cells[0], SIZE))
    if name not in position.legal_moves():
        return None
    position.play(name)
    return name if _maze(position) == maze else None


def _owner(position: Reversi, cell: int) -> int | None:
    row, column = divmod(cell, SIZE)
    return position.owner[row][column]


def _claim(last: dict[str, Any]) -> Claim:
    """Return the Claim that follows from the scores and the reason in `last`, the last board."""
    told: list[Any] = [last.get("0"), last.get("1")]
    words = last.get(REASON)
    scores: list[float] = [score for score in told if type(score) in (int, float) and -math.inf < score < math.inf]
    if last.get(STATE) != -1 or len(scores) < len(told):
        return Claim()
    result = DRAW if scores[0] == scores[1] else "A" if scores[0] > scores[1] else "B"
    return claim_of(result, words if isinstance(words, str) else "")


def write_reversi(record: GameRecord) -> str:
    """Return the text of a replay of a game of reversi, with a line end. It includes the moves of the opening.

    Raises NotWritable if a replay cannot express the game. Precondition: `record` is a valid record of reversi.
    """
    if record.board["size"] != SIZE:
        raise NotWritable(OTHER_SIZE.format(size=record.board["size"]))
    position = Reversi(SIZE)
    content: list[dict[str, Any]] = []
    for move in [*record.board["opening"], *(move.move for move in record.moves)]:
        content.append({STATE: len(content) + 1, MAZE: _maze(position)})
        position.play(move)
    if not position.over:  # the turn without a legal move
        content.append({STATE: len(content) + 1, MAZE: _maze(position)})
    scores = [1, 1] if record.winner is None else [1, 0] if record.winner == record.first else [0, 1]
    last: dict[str, Any] = {"0": scores[0], "1": scores[1], STATE: -1, MAZE: _maze(position)}
    if record.termination is not Termination.NORMAL:
        last[REASON] = reason_text(record)
    return json.dumps([*content, last]) + "\n"
