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

import copy
import json
import math
import re
from typing import Annotated, Any

from msgspec import Meta, Struct, field

from judge.formats.reading import (
    DRAW,
    TERMINATIONS_OF_SAIBLO,
    Claim,
    LoggedGame,
    NotWritable,
    Number,
    Reading,
    Source,
    Whole,
)
from judge.formats.text import LINE, PART_OF_LINE
from judge.games.reversi.rules import Reversi
from judge.language import recorded
from judge.play.scoresheet import opponent
from judge.reasons import reason_of
from protocol.records.record import GameRecord, RecordError, Termination
from protocol.records.values import converted

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
KEYS = ("row", "col", "nox", "noy", "rounds")
MOST_MISSING = 1  # a text with all of KEYS but one is recognized, so that the missing key is reported
DRAWN = 2  # the value of `win` that we write for a draw

REVERSI = "reversi"
SIZE = 8


def claim_of(result: str | None, words: str) -> Claim:
    """Return the Claim that follows from `result` ("A", "B", DRAW or None) and `words`, the file's words about the end.

    If the words name a fault, the side that lost is at fault.
    """
    termination = _termination(words)
    if termination is not None and not termination.counts:
        return Claim(None, termination, None, words)
    if termination is None or result in (None, DRAW):
        return Claim(result, None, None, words)
    return Claim(result, termination, opponent(result) if termination.fault else None, words)


def _termination(words: str) -> Termination | None:
    """Return the termination that `words` state, or None if they state none.

    A name in NAMES decides; if `words` have none, the match of a pattern in WORDS that begins first decides.
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


class Replay(Struct):
    """A replay of connect four: the size, the forbidden cell, the columns of the moves, who won, and why."""

    row: Whole
    col: Whole
    nox: Whole
    noy: Whole
    rounds: list[Whole]
    win: Number | None = None
    gameend_reason: Any = None


def looks_like_connect_four(source: Source) -> bool:
    """Return whether the text begins with a connect four replay, or may begin with a truncated replay."""
    if source.first is not None:
        return isinstance(source.first, dict) and sum(key not in source.first for key in KEYS) <= MOST_MISSING
    return source.text.lstrip()[:1] == "{" and '"rounds"' in source.text


def read_connect_four(source: Source) -> Reading:
    """Return the games in a file and its problems."""
    reading = Reading()
    values, fault = source.parsed
    if not values:
        reading.complain("", fault)
    for value in values:
        try:
            reading.games.append(_game(converted(value.content, Replay), value.line))
        except RecordError as error:
            reading.complain(LINE.format(line=value.line), str(error))
    source.note_rest(reading, len(values))
    return reading


def _game(replay: Replay, line: int) -> LoggedGame:
    """Return the game in a replay that begins in line `line`."""
    result = None if replay.win is None else "A" if replay.win == 0 else "B" if replay.win == 1 else DRAW
    reason = replay.gameend_reason
    return LoggedGame(
        place=LINE.format(line=line),
        game=CONNECT_FOUR,
        board={"rows": replay.row, "cols": replay.col, "forbidden": [replay.nox, replay.noy]},
        moves=tuple(replay.rounds),
        claim=claim_of(result, reason if isinstance(reason, str) else ""),
        move_places=tuple(PART_OF_LINE.format(line=line, part=f"rounds[{ply}]") for ply in range(len(replay.rounds))),
    )


def write_connect_four(record: GameRecord) -> str:
    """Return the text of a replay of a game of connect four, with a line end.

    Raises NotWritable if a replay cannot express the game. Precondition: `record` is a valid record of connect four.
    """
    cell = record.board["forbidden"]
    if cell is None:
        raise NotWritable(recorded("a replay of Saiblo needs a forbidden cell, and this board has none"))
    content = {
        "row": record.board["rows"],
        "col": record.board["cols"],
        "nox": cell[0],
        "noy": cell[1],
        "rounds": [move.move for move in record.moves],
        "win": DRAWN if record.winner is None else int(record.winner != record.first),
        REASON: reason_text(record),
    }
    return json.dumps(content) + "\n"


class Board(Struct):
    """A board of a replay of reversi. The last one has state -1, the scores of players 0 and 1, and our reason."""

    maze: Annotated[str, Meta(pattern="^[012]{64}\\Z")]
    state: Any = None
    first: Any = field(default=None, name="0")
    second: Any = field(default=None, name="1")
    gameend_reason: Any = None


def looks_like_reversi(source: Source) -> bool:
    """Return whether the text begins with a reversi replay, or may begin with a truncated replay."""
    first = source.first
    if first is not None:
        return isinstance(first, list) and any(isinstance(entry, dict) and "maze" in entry for entry in first)
    return source.text.lstrip()[:1] == "[" and '"maze"' in source.text


def read_reversi(source: Source) -> Reading:
    """Return the game in a file and the problems of the file.

    Boards after one that cannot be read are left out. If a board does not follow from the one before it, there is no
    game.
    """
    reading = Reading()
    boards: list[Board] = []
    try:
        for number, entry in enumerate(source.converted(list[Any])):
            boards.append(converted(entry, Board, f"[{number}]"))
    except RecordError as error:
        reading.complain("", str(error))
    position = Reversi(SIZE)
    moves: list[str] = []
    places: list[str] = []
    for number, board in enumerate(boards):
        place = f"[{number}].maze"
        if board.maze == _maze_of(position):  # the start position, or a last board equal to the board before
            continue
        if number == 0:
            reading.complain(place, recorded("the board is not reversi's start position"))
            return reading
        move = _move_to(position, board.maze)
        if move is None:
            wrong = recorded("no move of player {player} leads from the board before to this board")
            reading.complain(place, wrong.format(player=position.to_move))
            return reading
        position.play(move)
        moves.append(move)
        places.append(place)
    if boards:
        claim = Claim() if reading.problems else _claim_of_board(boards[-1])
        start = {"size": SIZE, "opening": []}
        reading.games.append(LoggedGame("", REVERSI, start, tuple(moves), claim, move_places=tuple(places)))
    source.note_rest(reading, 1)
    return reading


def _maze_of(position: Reversi) -> str:
    """Return the 64 digits of a position as a replay of reversi has them."""
    return "".join(map(str, position.cells()))


def _move_to(position: Reversi, maze: str) -> str | None:
    """Return the legal move that leads from `position` to the board `maze`, or None if there is none."""
    for move in position.legal_moves():
        after = copy.deepcopy(position)
        after.play(move)
        if _maze_of(after) == maze:
            return move
    return None


def _claim_of_board(last: Board) -> Claim:
    """Return the Claim that follows from the scores and the reason in `last`, the last board.

    It is empty if the board is not marked as the last one or lacks a score.
    """
    scores = [score for score in (last.first, last.second) if type(score) in (int, float) and abs(score) < math.inf]
    if last.state != -1 or len(scores) < 2:
        return Claim()
    result = DRAW if scores[0] == scores[1] else "A" if scores[0] > scores[1] else "B"
    return claim_of(result, last.gameend_reason if isinstance(last.gameend_reason, str) else "")


def write_reversi(record: GameRecord) -> str:
    """Return the text of a replay of a game of reversi, with a line end. It includes the moves of the opening.

    Raises NotWritable if a replay cannot express the game. Precondition: `record` is a valid record of reversi.
    """
    if record.board["size"] != SIZE:
        raise NotWritable(
            recorded("a replay of Saiblo needs a board of 8 x 8, and this board is {size} x {size}").format(
                size=record.board["size"]
            )
        )
    position = Reversi(SIZE)
    content: list[dict[str, Any]] = []
    for move in [*record.board["opening"], *(move.move for move in record.moves)]:
        content.append({"state": len(content) + 1, "maze": _maze_of(position)})
        position.play(move)
    if not position.over:  # the turn without a legal move
        content.append({"state": len(content) + 1, "maze": _maze_of(position)})
    scores = [1, 1] if record.winner is None else [1, 0] if record.winner == record.first else [0, 1]
    last: dict[str, Any] = {"0": scores[0], "1": scores[1], "state": -1, "maze": _maze_of(position)}
    if record.termination is not Termination.NORMAL:
        last[REASON] = reason_text(record)
    return json.dumps([*content, last]) + "\n"
