"""Saiblo's replay of a match of reversi, a JSON list of boards:

    [{"state": 1, "maze": "2222.."}, .., {"0": 1, "1": 0, "state": -1, "maze": ".."}]

A maze is 64 digits row by row: 0 and 1 a player's disc, 2 an empty cell. The first is the start position, each other
one comes a move later, and the last has the scores: 1 and 0, or 1 and 1 for a draw. The platform's logic of 2021, of
which the source is public, writes it so; it does not say how a game was lost otherwise than on the board. Ours adds
that to the last board as "gameend_reason".
"""

import json
import math
from typing import Any

from judge.formats.documents import EXPECTED, JUNK, NO_KEY, NotThisForm, Source, describe
from judge.formats.endings import REASON, claim_of, words_of
from judge.formats.logged import DRAW, Claim, LoggedGame, Reading
from judge.games.reversi.rules import EMPTY, Reversi, cell_name
from judge.language import recorded
from protocol.records.record import GameRecord, Termination

GAME = "reversi"
SIZE = 8
EMPTY_DIGIT = "2"
STATE, MAZE = "state", "maze"
# Places and problems, as JSON keeps them.
AN_OBJECT_WITH_MAZE = recorded("an object with a maze")
A_LIST = recorded("a list of boards")
A_MAZE = recorded("{number} digits 0, 1 and 2")
START = recorded("the board is not reversi's start position")
NOT_A_MOVE = recorded("the board does not follow from the one before by a move of player {player}")
OTHER_SIZE = recorded("a replay of Saiblo has a board of 8 x 8, this one is {size} x {size}")


def looks_like(source: Source) -> bool:
    """Whether the text begins with such a list, or with what may be the beginning of one."""
    if source.values:
        first = source.values[0].content
        return isinstance(first, list) and any(isinstance(entry, dict) and MAZE in entry for entry in first)
    return source.text.lstrip()[:1] == "[" and f'"{MAZE}"' in source.text


def read(source: Source) -> Reading:
    """The game of a file."""
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
        if maze == _maze(position):  # the last one may be that of the turn before
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
        reading.games.append(LoggedGame("", GAME, board, tuple(moves), claim, move_places=tuple(places)))
    if source.rest or len(source.values) > 1:
        rest = source.text[source.values[0].end :].strip()
        reading.note("", JUNK.format(number=len(rest.encode("utf-8", "replace"))))
    return reading


def _mazes(content: list[Any], reading: Reading) -> list[str]:
    """The boards up to the first that is none, which is named."""
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
    """Play the move that leads to a board, and return its name; None where none does."""
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
    """What the last board says."""
    told: list[Any] = [last.get("0"), last.get("1")]
    words = last.get(REASON)
    scores: list[float] = [score for score in told if type(score) in (int, float) and -math.inf < score < math.inf]
    if last.get(STATE) != -1 or len(scores) < len(told):
        return Claim()
    result = DRAW if scores[0] == scores[1] else "A" if scores[0] > scores[1] else "B"
    return claim_of(result, words if isinstance(words, str) else "")


def write(record: GameRecord) -> str:
    """The replay of a game, with a line end; moves of an opening are moves of it. Raises NotThisForm.

    Precondition: a sound record of this game.
    """
    if record.board["size"] != SIZE:
        raise NotThisForm(OTHER_SIZE.format(size=record.board["size"]))
    position = Reversi(SIZE)
    content: list[dict[str, Any]] = []
    for move in [*record.board["opening"], *(move.move for move in record.moves)]:
        content.append({STATE: len(content) + 1, MAZE: _maze(position)})
        position.play(move)
    if not position.over:  # the turn that got no legal move
        content.append({STATE: len(content) + 1, MAZE: _maze(position)})
    scores = [1, 1] if record.winner is None else [1, 0] if record.winner == record.first else [0, 1]
    last: dict[str, Any] = {"0": scores[0], "1": scores[1], STATE: -1, MAZE: _maze(position)}
    if record.termination is not Termination.NORMAL:
        last[REASON] = words_of(record)
    return json.dumps([*content, last]) + "\n"
