"""Makes the JSON of recorded games for a page: rows of the list, and each game's positions, moves and reports."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from judge import reasons
from judge.games import GAMES
from judge.games.game import movers_of, moves_in
from judge.games.positions import AnyMove, IllegalMove, Position
from judge.language import _, shown
from judge.play.recheck import disagreements, disagreements_at_end, new_position, recorded_limit_s
from judge.play.scoresheet import in_order
from judge.play.screen import stderr_notes
from judge.reports import forfeits, imports, prints
from judge.review.marks import GameReview
from judge.terminal import printable
from judge.web.texts import Texts, in_each, recorded_in_each
from protocol.records.record import GameRecord, Move, Player

MOST_COLUMNS = 40  # keys of bots' reports that get a column of their own; a readable report has fewer
OTHERS = "..."  # the column for all other keys: it has an object in each row
TOO_DEEP = "[...]"  # stands for a value nested too deep for json
LARGEST_INTEGER = 2**53 - 1  # JavaScript represents integers up to this one exactly
COLUMNS = ("file", "number", "a", "b", "board", "first", "winner", "ending", "fault", "plies", "slowest", "late")
NOW, LATER = "!", ":"  # in the text of a position's hints: whether a hint is for the next move or a later one
TIME_DIGITS = 4  # decimals of seconds: more are not shown, and times are a tenth of a page's bytes per move
SHOWN_CHARACTERS = 8 * 1024  # the last ones of a forfeit's stderr; a record stores up to 64 KB of it


class PositionHistory:
    """Builds the JSON of a game's positions move by move, from the record's board and without its moves.

    `position` is the latest position. `changes` and `movers` are as positions_of() describes them, for the moves added
    so far. Raises ValueError for an unknown game or board.
    """

    def __init__(self, record: GameRecord) -> None:
        self.position = new_position(record)
        self._game = GAMES[record.game]
        self._cells = self._game.cells
        self.start = self._latest = self._cells.codes(self.position)
        self.changes: list[list[str | int]] = []
        self.movers = ""

    def add(self, move: AnyMove) -> None:
        """Play a move and add its changes. Raises IllegalMove or ValueError."""
        mover = self.position.to_move
        self.position.play(move)
        codes = self._cells.codes(self.position)
        self.changes.append(_change(self._latest, codes, self._cells.last(self.position)))
        self.movers += str(mover)
        self._latest = codes

    def board(self) -> dict[str, Any]:
        """Return the `size`, `start` and `move_of_cell`, as positions_of() describes them."""
        size = self._cells.size(self.position)
        return {"size": list(size), "start": self.start, "move_of_cell": list(self._cells.move_of_cell(size))}

    def hints(self) -> str:
        """Return the entry of `hints` (see positions_of()) for the latest position."""
        return " ".join(
            f"{hint.cell}{NOW if hint.is_now else LATER}{hint.sign}" for hint in self._cells.hints(self.position)
        )

    def expected(self, move: Move) -> str:
        """Return the entry of `expected` (see positions_of()) for the latest position.

        `move` is the move that led to this position, with the report of its bot.
        """
        line = (move.report or {}).get("pv")
        moves = moves_in(self._game, line if isinstance(line, list) else [])
        return movers_of(self._game, self.position, moves) if next(moves, None) == move.move else ""

    def after(self, ply: int) -> dict[str, Any]:
        """Return the `changes` and `movers` of the moves after ply number `ply`, and the `line`: see positions_of()."""
        next_mover = "-" if self.position.over else str(self.position.to_move)
        return {
            "changes": self.changes[ply:],
            "movers": self.movers[ply:] + next_mover,
            "line": self._cells.line(self.position),
        }


def positions_of(record: GameRecord, is_running: bool = False) -> tuple[dict[str, Any], Position | None]:
    """Return (the positions of a record as JSON, its last position).

    The last position is None unless all moves are legal and by the side that was to move. For an unknown game or board
    the JSON has only `refusal`. Else it has these keys:

    size: [rows, columns]. start: the characters of the first position's cells (judge/games/game.py). changes: a list
    for each move, with a character and then the numbers of the cells that have this character now, then the next
    character, and so on; the move's own cell comes first. movers: a string with a digit for each move, the player, 0 or
    1, who made it by the rules; then who is to move next, or "-" if the game is over. line: the cells of a winning
    line. refusal: {}, or the reason in each language why there are fewer changes than moves. move_of_cell: as in
    games.game.Cells.

    hints, expected: a text for each position, including the first. Both are [] for a game that `is_running`, because no
    page shows them before the game has ended. The hints of a position are those of Cells, separated by blanks; each is
    the cell's number, NOW or LATER, and the sign. The text in `expected` is for the moves that the last move's report
    expects to follow, its `pv` after that move: a digit for each, the player who makes it.
    """
    try:
        history = PositionHistory(record)
    except ValueError as error:
        sentence = str(error)
        return {"refusal": in_each(lambda: _("cannot be shown: {error}").format(error=shown(sentence)))}, None
    refusal: Texts = {}
    hints, expected = ([], []) if is_running else ([history.hints()], [""])
    for ply, move in enumerate(record.moves, start=1):
        try:
            history.add(move.move)
        except (ValueError, IllegalMove) as error:
            refusal = _refusal(ply, str(error))
            break
        if not is_running:
            hints.append(history.hints())
            expected.append(history.expected(move))
    content = {**history.board(), **history.after(0), "hints": hints, "expected": expected, "refusal": refusal}
    sides = in_order(record.first)
    movers = zip(record.moves, history.movers, strict=not refusal)
    is_sound = not refusal and all(move.side == sides[int(mover)] for move, mover in movers)
    return content, history.position if is_sound else None


def _refusal(ply: int, sentence: str) -> Texts:
    return in_each(lambda: _("ply {ply} cannot be shown: {error}").format(ply=ply, error=shown(sentence)))


def _change(before: str, after: str, moved: int) -> list[str | int]:
    """Return the entry of `changes` (see positions_of()) for a move.

    `before` and `after` are the characters of the cells before and after it, `moved` is the number of its own cell.
    """
    numbers = [moved, *(n for n in range(len(after)) if after[n] != before[n] and n != moved)]
    change: list[str | int] = []
    latest = None
    for number in numbers:
        if after[number] != latest:
            latest = after[number]
            change.append(latest)
        change.append(number)
    return change


def columns(moves: Sequence[Move]) -> dict[str, list[Any]]:
    """Return {key of bots' reports: [its value at each move, None if the report lacks it]}; {} without any report.

    Values are numbers, bools, printable text, or lists of these. Objects and nested lists become the text of their
    JSON.
    """
    found: dict[str, list[Any]] = {}
    for row, move in enumerate(moves):
        for name, value in (move.report or {}).items():
            key = printable(name)
            if (key not in found and len(found) >= MOST_COLUMNS) or key == OTHERS:
                others = found.setdefault(OTHERS, [None] * len(moves))
                others[row] = {**(others[row] or {}), key: _shown(value)}
            else:
                found.setdefault(key, [None] * len(moves))[row] = _shown(value)
    return found


def _shown(value: Any) -> Any:
    if isinstance(value, list) and not any(isinstance(entry, (list, dict)) for entry in value):
        return [_shown(entry) for entry in value]
    if isinstance(value, (list, dict)):
        return printable(_text(value))
    if type(value) is int:
        return value if abs(value) <= LARGEST_INTEGER else str(value)
    return printable(value) if isinstance(value, str) else value


def _text(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return TOO_DEEP


class Source(NamedTuple):
    """A recorded game: the index of its file, its number in the file (from 1), its record, and its review or None."""

    file: int
    number: int
    record: GameRecord
    review: GameReview | None = None


class Distinct:
    """Gives distinct keys numbers from 0, in the order in which they come. `values` has the value for each number."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[Any, int] = {}

    def __contains__(self, key: Any) -> bool:
        return key in self._numbers

    def number(self, key: Any, value: Any) -> int:
        """Return the number of the key. A new key gets the next number, and `value` as its value."""
        if key not in self._numbers:
            self._numbers[key] = len(self.values)
            self.values.append(value)
        return self._numbers[key]


class Rows:
    """Builds the list of games one game at a time. json() returns the list as rows_json() does."""

    def __init__(self, sources: Iterable[Source] = ()) -> None:
        self._players, self._boards = Distinct(), Distinct()
        self._rows: list[list[Any]] = []
        for source in sources:
            self.add(source)

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, source: Source) -> dict[str, Any]:
        """Add a game. Returns its `row`, and the `players` and `boards` that it adds, in the order of their numbers."""
        known = len(self._players.values), len(self._boards.values)
        record = source.record
        names = [printable(player.name) for player in record.players]
        slowest = max((wall_s for wall_s in imports.walls_s(record) if wall_s is not None), default=None)
        row = [
            source.file,
            source.number,
            *(self._players.number(name, name) for name in names),
            self._board_of(record),
            record.first,
            record.winner,
            record.termination.value,
            record.at_fault,
            len(record.moves),
            slowest,
            len(late_plies(record)),
        ]
        self._rows.append(row)
        return {"row": row, "players": self._players.values[known[0] :], "boards": self._boards.values[known[1] :]}

    def _board_of(self, record: GameRecord) -> int:
        key = repr((record.game, record.board))
        return self._boards.number(key, None if key in self._boards else _board_json(record))

    def json(self) -> dict[str, Any]:
        """Return the complete list as rows_json() describes it."""
        return {
            "columns": COLUMNS,
            "rows": self._rows,
            "players": self._players.values,
            "boards": self._boards.values,
        }


def rows_json(sources: Iterable[Source]) -> dict[str, Any]:
    """Return the list as JSON: `columns`, `rows` with a value for each column, `players` and `boards`.

    In a row, `a` and `b` are indices into `players`, and `board` is an index into `boards`. A board has the game's
    name, its size such as "9 x 12", and a description in words. `slowest` is the longest time of a move in seconds,
    None if no time is known. `late` is the number of plies that took longer than the limit.
    """
    return Rows(sources).json()


def _board_json(record: GameRecord) -> dict[str, Any]:
    return {"game": printable(record.game), "size": size_in_words(record.board), "words": board_in_words(record)}


def size_in_words(board: dict[str, Any]) -> str:
    """Return the size of a record's board of any game, such as "9 x 12", or "?" if the board has no valid size."""
    size = board.get("size")
    sides: Sequence[Any] = (board.get("rows", size), board.get("cols", board.get("columns", size)))
    return " x ".join(map(str, sides)) if all(type(side) is int and side < 100 for side in sides) else "?"


def game_json(record: GameRecord, review: GameReview | None = None, is_running: bool = False) -> dict[str, Any]:
    """Return, as JSON, all that the page shows of a game. `review` is its review, or None.

    Texts in several languages are {"en": ..., "zh": ...}; other texts come from the record. Times are seconds, or None
    if an imported game's file has none. Lists about moves have one entry for each move. `illegal` is the number of the
    cell that an illegal move at the end named, or None. For a game that `is_running`, termination, notes and verdict
    are empty.
    """
    positions, last = positions_of(record, is_running)
    return {
        "running": is_running,
        "game": printable(record.game),
        "board": board_in_words(record),
        "players": [_player(player) for player in record.players],
        "first": record.first,
        "winner": record.winner,
        "termination": None if is_running else record.termination.value,
        "fault": record.at_fault,
        "reason": reason_of(record),
        "started": printable(imports.started(record)),
        "limit": recorded_limit_s(record),
        **positions,
        "moves": [printable(str(move.move)) for move in record.moves],
        "sides": "".join(move.side for move in record.moves),
        "wall": [None if wall_s is None else round(wall_s, TIME_DIGITS) for wall_s in imports.walls_s(record)],
        "reports": columns(record.moves),
        "late": late_plies(record),
        "review": None if review is None else review.as_json(),
        "notes": {} if is_running else in_each(lambda: "\n".join(_notes(record))),
        "verdict": {} if is_running else _verdict(record, last),
        "illegal": record.extra.get("illegal_cell"),
        **_output_at_fault(record),
    }


def _player(player: Player) -> dict[str, str | None]:
    version = None if player.version is None else printable(player.version)
    return {"name": printable(player.name), "command": printable(player.command), "version": version}


def board_in_words(record: GameRecord) -> Texts:
    """Return a description of the board that the game began with, in each language."""
    return in_each(lambda: _board_in_words(record))


def _board_in_words(record: GameRecord) -> str:
    try:
        words: str = GAMES[record.game].read_board(record.board).in_words()
    except (KeyError, ValueError):
        return printable(f"{record.game} {record.board}"[:200])
    return printable(words)


def reason_of(record: GameRecord) -> Texts:
    """Return the reason why the game ended, in each language."""
    return {name: printable(text) for name, text in recorded_in_each(reasons.reason_of(record)).items()}


def _verdict(record: GameRecord, last: Position | None) -> Texts:
    """Return in each language where the rules disagree with the record, one sentence per line; {} if they agree.

    `last` is the last position if all moves are legal, else None. It saves playing the moves again, which takes long in
    reversi.
    """
    if last is not None and not disagreements_at_end(record, last):
        return {}
    return in_each(lambda: "\n".join(disagreements(record)))


def late_plies(record: GameRecord) -> list[int]:
    """Return the numbers, from 1, of the plies that took longer than the limit; [] without a limit."""
    limit_s = recorded_limit_s(record)
    if limit_s is None:
        return []
    return [ply for ply, move in enumerate(record.moves, start=1) if move.wall_s > limit_s]


def _notes(record: GameRecord) -> list[str]:
    """Return the notes on a game. The stderr and stdout of a player that forfeited are shown separately."""
    return [
        *imports.notes(record),
        *forfeits.notes(record),
        *prints.notes([record]),
        *stderr_notes(record),
    ]


def _output_at_fault(record: GameRecord) -> dict[str, str]:
    """Return, for the player at fault, the end of its recorded stderr, and its recorded stdout that was no reply.

    The texts are "" if there are none or no player is at fault.
    """
    kept = record.kept(record.at_fault) if record.at_fault else {}
    return {
        "stderr": _lines(kept.get("stderr"))[-SHOWN_CHARACTERS:],
        "stdout": _lines(kept.get("stdout")),
    }


def _lines(text: Any) -> str:
    """Return the text with each line made printable, or "" if `text` is not a str."""
    return "\n".join(map(printable, text.split("\n"))) if isinstance(text, str) else ""
