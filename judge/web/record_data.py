"""Makes the JSON of recorded games for pages: the rows of a list, and each game's positions, moves and reports."""

import functools
import json
from collections.abc import Callable, Iterable, Sequence
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
OTHERS = "..."  # the column for all other keys, which has an object in each row
TOO_DEEP = "[...]"  # stands for a value that is nested too deep for json
LARGEST_INTEGER = 2**53 - 1  # JavaScript represents integers up to this number exactly
COLUMNS = ("file", "number", "a", "b", "board", "first", "winner", "ending", "fault", "plies", "slowest", "late")
NOW, LATER = "!", ":"  # in the text of a position's hints, say whether a hint is for the next move or a later move
TIME_DIGITS = 4  # decimals of seconds; more are not shown, and times are a tenth of a page's bytes per move
SHOWN_CHARACTERS = 8 * 1024  # after a forfeit so many characters from the end of stderr are shown, of up to 64 KB


class PositionHistory:
    """Builds the JSON of a game's positions, move by move.

    It begins with the board of `record`; the record's moves are ignored, and the caller adds moves with add().
    `position` is the latest position. positions_of() describes `start`, and `changes` and `movers`, which are about
    the moves added so far. Raises ValueError for an unknown game or board.
    """

    def __init__(self, record: GameRecord) -> None:
        self.position = new_position(record)
        self._game = GAMES[record.game]
        self._cells = self._game.cells
        self.start = self._latest = self._cells.codes(self.position)
        self.changes: list[list[str | int]] = []
        self.movers = ""

    def add(self, move: AnyMove) -> None:
        """Play a move and add what it changes. Raises IllegalMove or ValueError if the move cannot be played."""
        mover = self.position.to_move
        self.position.play(move)
        codes = self._cells.codes(self.position)
        self.changes.append(_cell_changes(self._latest, codes, self._cells.last(self.position)))
        self.movers += str(mover)
        self._latest = codes

    def board(self) -> dict[str, Any]:
        """Return `size`, `start` and `move_of_cell`, which positions_of() describes."""
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
        if next(moves, None) != move.move:  # the bot's line does not begin with the move that it made
            return ""
        return movers_of(self._game, self.position, moves)

    def after(self, ply: int) -> dict[str, Any]:
        """Return `changes`, `movers` and `line`, which positions_of() describes, for the moves after ply `ply`.

        `ply` is the number of moves that are left out at the beginning.
        """
        next_mover = "-" if self.position.over else str(self.position.to_move)
        return {
            "changes": self.changes[ply:],
            "movers": self.movers[ply:] + next_mover,
            "line": self._cells.line(self.position),
        }


def positions_of(record: GameRecord, is_running: bool = False) -> tuple[dict[str, Any], Position | None]:
    """Return (the positions of a record as JSON, the last position).

    The last position is None unless all moves are legal and each was made by the side that was to move. For an unknown
    game or board the JSON has only the key `refusal`. Otherwise it has these keys:

    size: [number of rows, number of columns].
    start: the characters of the cells in the first position; see judge/games/game.py.
    changes: a list for each move. It has a character and the numbers of the cells that get this character by the move,
    then the next character and its cells, and so on. The cell of the move itself comes first.
    movers: a string. It has a digit, 0 or 1, for each move: the player who makes the move by the rules. The last
    character is the player who is to move next, or "-" if the game is over.
    line: the cells of a winning line.
    refusal: {}, or the reason in each language why there are fewer changes than moves.
    move_of_cell: see games.game.Cells.
    hints: a text for each position, including the first, with the hints that Cells gives, separated by blanks. A hint
    is the number of a cell, then NOW or LATER, then a sign.
    expected: a text for each position, including the first. It is about the moves that the report of the last move
    expects to follow, which are those in its `pv` after the last move: a digit, 0 or 1, for the player who makes each.

    `hints` and `expected` are [] if `is_running`, because no page shows them before the game has ended.
    """
    try:
        history = PositionHistory(record)
    except ValueError as error:
        sentence = str(error)
        return {"refusal": in_each(lambda: _("this game cannot be shown: {error}").format(error=shown(sentence)))}, None
    refusal: Texts = {}
    hints = [] if is_running else [history.hints()]
    expected = [] if is_running else [""]
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
    sides_by_rules = [sides[int(mover)] for mover in history.movers]
    is_sound = not refusal and sides_by_rules == [move.side for move in record.moves]
    return content, history.position if is_sound else None


def _refusal(ply: int, sentence: str) -> Texts:
    """Return in each language that the moves from ply `ply` on cannot be shown, because of `sentence`."""
    return in_each(
        lambda: _("the moves from ply {ply} on cannot be shown: {error}").format(ply=ply, error=shown(sentence))
    )


def _cell_changes(before: str, after: str, moved: int) -> list[str | int]:
    """Return the entry of `changes` (see positions_of()) for a move.

    `before` and `after` are the characters of the cells before and after the move. `moved` is the number of the cell of
    the move itself.
    """
    changed = [number for number in range(len(after)) if after[number] != before[number] and number != moved]
    entry: list[str | int] = []
    latest_code = None
    for number in (moved, *changed):
        if after[number] != latest_code:
            latest_code = after[number]
            entry.append(latest_code)
        entry.append(number)
    return entry


def report_columns(moves: Sequence[Move]) -> dict[str, list[Any]]:
    """Return the bots' reports as {key in the reports: [value at each move]}, or {} if there are no reports.

    The value is None at a move whose report lacks the key. Other values are numbers, bools, printable texts, or lists
    of these. An object or a nested list becomes a text with its JSON. There are columns for the first MOST_COLUMNS
    keys; all other keys share the column OTHERS, which has {key: value} at each move.
    """
    columns: dict[str, list[Any]] = {}
    for row, move in enumerate(moves):
        for name, value in (move.report or {}).items():
            key = printable(name)
            if (key not in columns and len(columns) >= MOST_COLUMNS) or key == OTHERS:
                others = columns.setdefault(OTHERS, [None] * len(moves))
                others[row] = {**(others[row] or {}), key: _report_value(value)}
            else:
                columns.setdefault(key, [None] * len(moves))[row] = _report_value(value)
    return columns


def _report_value(value: Any) -> Any:
    """Return a value of a bot's report as report_columns() describes it."""
    if isinstance(value, list) and not any(isinstance(entry, (list, dict)) for entry in value):
        return [_report_value(entry) for entry in value]
    if isinstance(value, (list, dict)):
        return printable(_json_text(value))
    if type(value) is int:
        return value if abs(value) <= LARGEST_INTEGER else str(value)
    return printable(value) if isinstance(value, str) else value


def _json_text(value: Any) -> str:
    """Return a value as JSON text, or TOO_DEEP if it is nested too deep."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return TOO_DEEP


class Source(NamedTuple):
    """A recorded game.

    `file` is the index of the game's file, from 0, and `number` is the game's number in the file, from 1. `review` is
    the game's review, or None.
    """

    file: int
    number: int
    record: GameRecord
    review: GameReview | None = None


class Distinct:
    """Numbers distinct keys from 0, in the order of their first use. `values` has the value of each key by number."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._numbers: dict[Any, int] = {}

    def number(self, key: Any, make: Callable[[], Any]) -> int:
        """Return the number of `key`. A new key gets the next number, and its value is make()."""
        if key not in self._numbers:
            self._numbers[key] = len(self.values)
            self.values.append(make())
        return self._numbers[key]


class Rows:
    """Builds the list of games that rows_json() describes, one game at a time."""

    def __init__(self, sources: Iterable[Source] = ()) -> None:
        self._players, self._boards = Distinct(), Distinct()
        self._rows: list[list[Any]] = []
        for source in sources:
            self.add(source)

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, source: Source) -> dict[str, Any]:
        """Add a game to the list. Returns the game's `row`, and the `players` and `boards` that are new in the list.

        `players` and `boards` are in the order of their indices.
        """
        players_before, boards_before = len(self._players.values), len(self._boards.values)
        record = source.record
        names = [printable(player.name) for player in record.players]
        slowest = max((wall_s for wall_s in imports.move_times_s(record) if wall_s is not None), default=None)
        row = [
            source.file,
            source.number,
            *(self._players.number(name, functools.partial(str, name)) for name in names),
            self._boards.number(repr((record.game, record.board)), lambda: _board_json(record)),
            record.first,
            record.winner,
            record.termination.value,
            record.at_fault,
            len(record.moves),
            slowest,
            len(late_plies(record)),
        ]
        self._rows.append(row)
        return {
            "row": row,
            "players": self._players.values[players_before:],
            "boards": self._boards.values[boards_before:],
        }

    def json(self) -> dict[str, Any]:
        """Return the complete list as rows_json() describes it."""
        return {
            "columns": COLUMNS,
            "rows": self._rows,
            "players": self._players.values,
            "boards": self._boards.values,
        }


def rows_json(sources: Iterable[Source]) -> dict[str, Any]:
    """Return the list of games as JSON with the keys `columns`, `rows`, `players` and `boards`.

    A row has a value for each of the `columns`. In a row `a` and `b` are indices into `players`, and `board` is an
    index into `boards`. A board has the name of the `game`, the `size` such as "9 x 12", and a description in `words`.
    `slowest` is the longest time of a move in seconds, or None if no time is known. `late` is the number of plies that
    took longer than the limit.
    """
    return Rows(sources).json()


def _board_json(record: GameRecord) -> dict[str, Any]:
    """Return an entry of `boards`; see rows_json()."""
    return {"game": printable(record.game), "size": size_in_words(record.board), "words": board_in_words(record)}


def size_in_words(board: dict[str, Any]) -> str:
    """Return the rows and columns of `board`, a board in a record, as in "9 x 12", or "?" if it has no valid size."""
    size = board.get("size")
    sides: Sequence[Any] = (board.get("rows", size), board.get("cols", board.get("columns", size)))
    return " x ".join(map(str, sides)) if all(type(side) is int and side < 100 for side in sides) else "?"


def game_json(record: GameRecord, review: GameReview | None = None, is_running: bool = False) -> dict[str, Any]:
    """Return, as JSON, everything that a page shows of a game. `review` is the game's review, or None.

    Texts in several languages are {"en": ..., "zh": ...}; other texts come from the record. Times are in seconds. They
    are None for an imported game whose file has no times. Lists about moves have one entry for each move. `late` has
    the numbers of the plies that took longer than the limit; for `reports` see report_columns(). `illegal` is the
    number of the cell that was named by an illegal move at the end of the game, or None. If `is_running`,
    `termination`, `notes` and `verdict` are empty. For the other keys about positions see positions_of().
    """
    positions, last = positions_of(record, is_running)
    return {
        "running": is_running,
        "game": printable(record.game),
        "board": board_in_words(record),
        "players": [_player_json(player) for player in record.players],
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
        "wall": [None if wall_s is None else round(wall_s, TIME_DIGITS) for wall_s in imports.move_times_s(record)],
        "reports": report_columns(record.moves),
        "late": late_plies(record),
        "review": None if review is None else review.as_json(),
        "notes": {} if is_running else in_each(lambda: "\n".join(_notes(record))),
        "verdict": {} if is_running else _disagreements(record, last),
        "illegal": record.extra.get("illegal_cell"),
        **_output_at_fault(record),
    }


def _player_json(player: Player) -> dict[str, str | None]:
    """Return a player's `name`, `command` and `version` as printable texts. An unknown version is None."""
    version = None if player.version is None else printable(player.version)
    return {"name": printable(player.name), "command": printable(player.command), "version": version}


def board_in_words(record: GameRecord) -> Texts:
    """Return a description of the board that the game began with, in each language."""
    return in_each(lambda: _board_in_words(record))


def _board_in_words(record: GameRecord) -> str:
    """Return a description of the board in the current language, or the record's JSON for an unknown game or board."""
    try:
        words: str = GAMES[record.game].read_board(record.board).in_words()
    except (KeyError, ValueError):
        return printable(f"{record.game} {record.board}"[:200])
    return printable(words)


def reason_of(record: GameRecord) -> Texts:
    """Return the reason why the game ended, in each language."""
    return {name: printable(text) for name, text in recorded_in_each(reasons.reason_of(record)).items()}


def _disagreements(record: GameRecord, last: Position | None) -> Texts:
    """Return in each language where the rules disagree with the record, one sentence in each line.

    Returns {} if they agree. `last` is the second item that positions_of() returns for the record. It saves playing the
    moves again, which takes long in reversi.
    """
    if last is not None and not disagreements_at_end(record, last):
        return {}
    return in_each(lambda: "\n".join(disagreements(record)))


def late_plies(record: GameRecord) -> list[int]:
    """Return the numbers, from 1, of the plies that took longer than the limit, or [] if the game had no limit."""
    limit_s = recorded_limit_s(record)
    if limit_s is None:
        return []
    return [ply for ply, move in enumerate(record.moves, start=1) if move.wall_s > limit_s]


def _notes(record: GameRecord) -> list[str]:
    """Return the notes on a game. The output of a player that forfeited is left out because it is shown separately."""
    return [
        *imports.notes(record),
        *forfeits.notes(record),
        *prints.notes([record]),
        *stderr_notes(record),
    ]


def _output_at_fault(record: GameRecord) -> dict[str, str]:
    """Return what the player at fault wrote: the end of its `stderr`, and the part of its `stdout` that is no reply.

    A text is "" if the record has no such output or no player is at fault.
    """
    output = record.kept(record.at_fault) if record.at_fault else {}
    return {
        "stderr": _printable_text(output.get("stderr"))[-SHOWN_CHARACTERS:],
        "stdout": _printable_text(output.get("stdout")),
    }


def _printable_text(text: Any) -> str:
    """Return `text` with each of its lines made printable, or "" if `text` is not a str."""
    return "\n".join(map(printable, text.split("\n"))) if isinstance(text, str) else ""
