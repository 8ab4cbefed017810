"""Files of Compete, the course's own runner for two strategy libraries: the result file and the log that it prints.

A is the player under test, B its opponent. A round is two games on one board:

    0:
    1   35      0          result code, A's seconds, B's seconds: A moved first
    1   17      0          B moved first
    (an empty line)
    ...
    Stat:
    ratio of A wins : 1
    ...

Lines end with LF, and seconds are counted as Compete counts them on Linux. Each move adds the difference of time(NULL)
before and after the move, which is a whole number. A short move during which a second ends therefore counts 1.

The log shows boards without moves, so this module searches for an order of moves that leads to each board. Before the
last move nobody may have four in a line. If the board without the last stone has no four in a line, no earlier board
has it either. The order therefore only has to alternate between the players and fill each column from below.
"""

import functools
import itertools
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from judge.formats.reading import DRAW, Claim, LoggedGame, Reading, Source
from judge.formats.text import LINE
from judge.games import DEFAULT_GAME, GAMES
from judge.games.positions import Cell
from judge.language import recorded
from judge.play.recheck import recorded_limit_s
from judge.play.scoresheet import in_order, opponent
from protocol.records.record import Fault, GameRecord, Termination

TIE, A_WON, B_WON, A_BUG, A_ILLEGAL, B_BUG, B_ILLEGAL, A_TIMEOUT, B_TIMEOUT = range(9)
A_NOT_LOADED, B_NOT_LOADED = -1, -2  # a game with one of these codes counts as a win for neither side

WON_BY_A = (A_WON, B_BUG, B_ILLEGAL, B_TIMEOUT)
WON_BY_B = (B_WON, A_BUG, A_ILLEGAL, A_TIMEOUT)

NORMAL_CODES = {None: TIE, "A": A_WON, "B": B_WON}
FAULT_CODES: dict[Termination, dict[str | None, int]] = {
    Termination.ILLEGAL_MOVE: {"A": A_ILLEGAL, "B": B_ILLEGAL},
    Termination.STARTUP_FAILURE: {"A": A_NOT_LOADED, "B": B_NOT_LOADED},
}
TIMEOUTS: dict[str | None, int] = {"A": A_TIMEOUT, "B": B_TIMEOUT}
OTHER_FAULTS: dict[str | None, int] = {"A": A_BUG, "B": B_BUG}  # Compete has no codes for frames and memory limits
LIMIT_S = 3.0  # Compete's limit, for records without a limit, which are of imported games and of games of people
MOST_STEPS = 200_000  # the most steps of a search for an order; real games need a few hundred

Columns = Sequence[Sequence[int]]  # for each column, the owners of its stones from below: player 0 or player 1
EMPTY, FORBIDDEN = ".", "X"
Stacks = list[list[int]]  # like Columns, but 0 is the side that moved first and 1 is the other side
# The line that Compete prints for each result code.
VERDICTS = {
    TIE: "A and B tied",
    A_WON: "A - won",
    B_WON: "B - won",
    A_BUG: "A - bug occurred",
    A_ILLEGAL: "A - made illegal step",
    B_BUG: "B - bug occurred",
    B_ILLEGAL: "B - made illegal step",
    A_TIMEOUT: "A - timed out",
    B_TIMEOUT: "B - timed out",
    A_NOT_LOADED: "Load File A Error",
    B_NOT_LOADED: "Load File B Error",
}
# {what Compete prints of a side that could not begin: the side}
STARTUP_FAILURES = {
    VERDICTS[A_NOT_LOADED]: "A",
    VERDICTS[B_NOT_LOADED]: "B",
    "Function Interface Error in A": "A",
    "Function Interface Error in B": "B",
}
FAULTS = {
    "bug occurred": Termination.CRASH,
    "made illegal step": Termination.ILLEGAL_MOVE,
    "timed out": Termination.TIME_FORFEIT,
}
FIRST = re.compile(r"([AB]) first:")
SIZE = re.compile(r"M = (\d{1,3}), N = (\d{1,3})")
ROW = re.compile(r"[ABX.](?: [ABX.])+")
RESULT = re.compile(r"-?\d\t\d+\t\d+")


def result_code(record: GameRecord) -> int:
    """Return Compete's result code for a game. A resignation counts as a normal end of the game.

    Precondition: the game is not VOID.
    """
    if record.termination.fault is None:
        return NORMAL_CODES[record.winner]
    others = TIMEOUTS if record.termination.fault is Fault.TIME else OTHER_FAULTS
    return FAULT_CODES.get(record.termination, others)[record.at_fault]


def seconds(record: GameRecord) -> dict[str, int]:
    """Return {"A": n, "B": n}, where n is the number of whole seconds that Compete would have counted for the side.

    The moves are taken to follow each other without a pause, from the record's start time on. A move that took longer
    than the limit counts as the limit, because Compete stops waiting then. The time of an illegal or failed last move
    is not recorded and counts as 0.
    """
    spans = [(move.side, move.wall_s) for move in record.moves]
    if record.termination.fault is Fault.TIME and record.at_fault is not None:
        limit_s = recorded_limit_s(record)
        spans.append((record.at_fault, LIMIT_S if limit_s is None else limit_s))
    counted = {"A": 0, "B": 0}
    now = _seconds_since_1970(record.started)
    for side, span_s in spans:
        counted[side] += math.floor(now + span_s) - math.floor(now)
        now += span_s
    return counted


def _seconds_since_1970(moment: str) -> float:
    """Return the seconds from 1970 to `moment`, a time in the form of ISO 8601, or 0.0 if it is no such time."""
    try:
        return datetime.fromisoformat(moment).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def result_file(rounds: Iterable[Sequence[GameRecord]]) -> bytes:
    """Return the bytes of a result file.

    A round is a pair of records of games on one board. The first is of the game in which A moved first, the second of
    the game in which B did. Precondition: there is at least one round and no VOID game.
    """
    lines = []
    codes = []
    for number, games in enumerate(rounds):
        lines.append(f"{number}:")
        for record in games:
            counted = seconds(record)
            codes.append(result_code(record))
            lines.append(f"{codes[-1]}\t{counted['A']}\t{counted['B']}")
        lines.append("")
    wins_of_a = sum(code in WON_BY_A for code in codes) / len(codes)
    wins_of_b = sum(code in WON_BY_B for code in codes) / len(codes)
    ties = codes.count(TIE) / len(codes)
    lines += [
        "Stat:",
        f"ratio of A wins : {wins_of_a:g}",  # six significant digits, as a C++ stream prints a double
        f"ratio of B wins : {wins_of_b:g}",
        f"ratio of Tie : {ties:g}",
        "",
        f"ratio of (A wins + tie) : {wins_of_a + ties:g}",
        f"ratio of (B wins + tie) : {wins_of_b + ties:g}",
    ]
    return "".join(f"{line}\n" for line in lines).encode("ascii")


class NoOrder(Exception):
    """No order of moves that leads to the board was found."""


def alternating_moves(columns: Columns, start_heights: Sequence[int], first: int) -> list[int]:
    """Return the columns of moves that fill `columns` if the players move in turn and player `first` begins.

    `start_heights` has, for each column, the number of stones that are on the board already. Raises NoOrder if no order
    of moves was found within MOST_STEPS steps.
    """
    full = tuple(map(len, columns))
    steps = itertools.count()

    @functools.cache
    def moves_from(heights: tuple[int, ...], player: int) -> tuple[int, ...] | None:
        """Return the columns of the moves from these heights on, or None if there is no such order."""
        if next(steps) > MOST_STEPS:
            raise NoOrder
        if heights == full:
            return ()
        for column in _columns_to_try(columns, heights, player):
            higher = (*heights[:column], heights[column] + 1, *heights[column + 1 :])
            later_moves = moves_from(higher, 1 - player)
            if later_moves is not None:
                return column, *later_moves
        return None

    moves = moves_from(tuple(start_heights), first)
    if moves is None:
        raise NoOrder
    return list(moves)


def _columns_to_try(columns: Columns, heights: Sequence[int], player: int) -> list[int]:
    """Return the columns whose next stone belongs to `player`. The most promising column comes first.

    `heights` has the number of stones that are in each column already. A column with more stones left comes sooner. If
    two columns have equally many left, a column in which a stone of the other player follows comes sooner, because the
    other player can move there next.
    """
    candidates = [
        column
        for column, owners in enumerate(columns)
        if heights[column] < len(owners) and owners[heights[column]] == player
    ]
    candidates.sort(key=lambda column: _urgency(columns[column], heights[column], player))
    return candidates[::-1]


def _urgency(owners: Sequence[int], height: int, player: int) -> tuple[int, int]:
    """Return (number of stones after the next one in a column, 1 if the first of them is not the player's).

    `owners` are the owners of the column's stones from below, and `height` is the index of the next stone.
    """
    rest = owners[height + 1 :]
    uncovers = bool(rest) and rest[0] != player
    return len(rest), int(uncovers)


class Impossible(Exception):
    """The boards of a game contradict each other or the rules. The error's text is the text of the problem."""


def moves_of(printed: Sequence[Sequence[str]], first: str) -> tuple[dict[str, Any], list[int], bool]:
    """Find moves that lead to the printed boards of a game.

    Returns (the empty board in the form of records, the columns of the moves, whether the order of the moves is
    certain). `printed` are the boards in order, each as rows of marks from the top; each board has the stones of the
    board before it. `first` is the side that moved first, "A" or "B". Raises Impossible if there are no such moves, and
    ValueError for a board size that the rules do not allow.
    """
    rows, cols = len(printed[-1]), len(printed[-1][0])
    cells = [divmod(number, cols) for number, mark in enumerate("".join(printed[-1])) if mark == FORBIDDEN]
    if len(cells) != 1:
        raise Impossible(recorded("expected one forbidden cell X on the board, got {number}").format(number=len(cells)))
    board = {"rows": rows, "cols": cols, "forbidden": list(cells[0])}
    all_stacks = [_stacks(marks, cells[0], first) for marks in printed]
    # A board that is printed twice in a row counts once.
    return board, *_moves_between([stacks for stacks, _same in itertools.groupby(all_stacks)], board)


def _stacks(board: Sequence[str], forbidden: Cell, first: str) -> Stacks:
    """Return, for each column of `board`, its stones from below: 0 for the side `first`, 1 for the other side.

    Raises Impossible if a stone has nothing below it, or if the players cannot have so many stones.
    """
    stacks: Stacks = []
    for column in range(len(board[0])):
        stack: list[int] = []
        has_gap = False
        for row in reversed(range(len(board))):
            mark = board[row][column]
            if (row, column) == forbidden:
                continue
            if mark in (EMPTY, FORBIDDEN):
                has_gap = True
            elif has_gap:
                raise Impossible(
                    recorded("the stone in row {row}, column {column} has nothing below it").format(
                        row=row, column=column
                    )
                )
            else:
                stack.append(int(mark != first))
        stacks.append(stack)
    own, other = (sum(stack.count(player) for stack in stacks) for player in (0, 1))
    if own - other not in (0, 1):
        raise Impossible(
            recorded(
                "the board has {first} stones of {side}, which moved first, and {second} of the other side: "
                "expected equal numbers, or one more of {side}"
            ).format(first=own, side=first, second=other)
        )
    return stacks


def _moves_between(boards: Sequence[Stacks], start: dict[str, Any]) -> tuple[list[int], bool]:
    """Return (columns of moves that lead from each board to the next, whether the order of the moves is certain).

    `start` is the empty board in the form of records. Raises Impossible if there are no such moves.
    """
    for before, after in zip(boards, boards[1:], strict=False):
        if any(old != new[: len(old)] for old, new in zip(before, after, strict=True)):
            raise Impossible(recorded("this board does not follow from the board before it"))
    before = boards[-2] if len(boards) > 1 else [[] for _stack in boards[-1]]
    for last in _last_columns(before, boards[-1], start):
        goals = [*boards[:-1], _without_last_stone(boards[-1], last)]
        order: list[int] = []
        heights = [0] * len(boards[-1])
        is_certain = True
        try:
            for number, stacks in enumerate(goals, start=1):
                added = alternating_moves(stacks, heights, len(order) % 2)
                # The order of one or two new stones is certain, because the side to move placed the first of them.
                is_certain &= len(added) + (number == len(goals) and last is not None) <= 2
                order += added
                heights = [len(stack) for stack in stacks]
        except NoOrder:
            continue
        return order if last is None else [*order, last], is_certain
    raise Impossible(recorded("no order of moves leads to this board"))


def _last_columns(before: Stacks, stacks: Stacks, start: dict[str, Any]) -> Sequence[int | None]:
    """Return the columns in which the last move may have been made. If nobody has four in a line, returns [None].

    `before` is the board that was printed before, or an empty board if there is none. `start` is the empty board in the
    form of records.
    """
    if not _has_four(stacks, start):
        return [None]
    player = (sum(map(len, stacks)) - 1) % 2
    return [
        column
        for column, stack in enumerate(stacks)
        if len(stack) > len(before[column])
        and stack[-1] == player
        and not _has_four(_without_last_stone(stacks, column), start)
    ]


def _without_last_stone(stacks: Stacks, column: int | None) -> Stacks:
    """Return a copy of the stacks without the highest stone in `column`. None for `column` takes no stone away."""
    return [stack[:-1] if number == column else stack for number, stack in enumerate(stacks)]


def _has_four(stacks: Stacks, start: dict[str, Any]) -> bool:
    """Return whether one of the players has four in a line by the rules.

    `start` is the empty board in the form of records.
    """
    game = GAMES[DEFAULT_GAME]
    position = game.new_position(game.read_board(start))
    placed: list[Cell] = []
    for column, stack in enumerate(stacks):
        for owner in stack:
            row = position.landing_row(column)
            position.owner[row][column] = owner
            placed.append((row, column))
    return any(position.completes_line(*cell) for cell in placed)


def claim_of(text: str) -> Claim | None:
    """Return the Claim in a line that states the result of a game, or None for any other line."""
    if text == VERDICTS[TIE]:
        return Claim(DRAW, Termination.NORMAL)
    if text == "Platform Error":
        return Claim(None, Termination.VOID, None, text)
    if text in STARTUP_FAILURES:
        side = STARTUP_FAILURES[text]
        return Claim(opponent(side), Termination.STARTUP_FAILURE, side, text)
    side, separator, words = text.partition(" - ")
    if not separator or side not in ("A", "B"):
        return None
    if words == "won":
        return Claim(side, Termination.NORMAL)
    return Claim(opponent(side), FAULTS[words], side, text) if words in FAULTS else None


@dataclass
class _Game:
    """What the lines of a log say about one game. `rows` is a list of (number of the line, marks of a board's row)."""

    line: int
    first: str
    size: tuple[int, int] | None
    rows: list[tuple[int, str]] = field(default_factory=list)
    claim: Claim = Claim()


def looks_like(source: Source) -> bool:
    """Return whether a line says which side moves first."""
    return any(FIRST.fullmatch(line.strip()) for line in source.lines)


def looks_like_results(source: Source) -> bool:
    """Return whether the text has a line of a result file."""
    return any(RESULT.fullmatch(line.strip()) for line in source.lines)


def read_results(source: Source) -> Reading:
    """Return a Reading without games, whose only problem is that a result file has no moves."""
    reading = Reading()
    reading.complain(
        "",
        recorded(
            "this is Compete's result file, which has no moves: import the log that Compete prints, "
            "which has the boards"
        ),
    )
    return reading


def read(source: Source) -> Reading:
    """Return the games in a log and the problems of the log."""
    reading = Reading()
    games = _games_in_log(source.lines)
    if not games:
        reading.complain("", recorded('the file has no game: expected lines such as "A first:"'))
    for game in games:
        place = LINE.format(line=game.line)
        try:
            reading.games.append(_logged_game(game, place))
        except (Impossible, ValueError) as fault:
            reading.complain(place, str(fault))
    return reading


def _games_in_log(lines: Iterable[str]) -> list[_Game]:
    """Return the games in a log: for each line "A first:" or "B first:" the rows and the result that follow it."""
    games: list[_Game] = []
    size: tuple[int, int] | None = None
    is_open = False
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if match := SIZE.fullmatch(text):
            size = int(match[1]), int(match[2])
        elif match := FIRST.fullmatch(text):
            games.append(_Game(number, match[1], size))
            is_open = True
        elif is_open and (row := _row_marks(text, size)):
            games[-1].rows.append((number, row))
        elif is_open and (claim := claim_of(text)) is not None:
            games[-1].claim = claim
            is_open = False
    return games


def _row_marks(text: str, size: tuple[int, int] | None) -> str:
    """Return the marks of the board's row in a line of the log, or "" if the line has no row.

    A text that a library has printed may stand in front of the row. `size` is the size of the board, or None if it is
    not known yet.
    """
    if size is not None and size[1]:
        length = 2 * size[1] - 1  # of a row, whose marks have blanks between them
        before, text = text[:-length], text[-length:]
        if before.endswith(("A", "B", "X", ".", " ")):  # the row is longer than the board is wide
            return ""
    return text.replace(" ", "") if ROW.fullmatch(text) else ""


def _logged_game(game: _Game, place: str) -> LoggedGame:
    """Return the game with moves that lead to its boards. `place` is its place in the file.

    Raises Impossible if there are no such moves, and ValueError for a board size that the rules do not allow.
    """
    printed = _printed_boards(game)
    board, order, is_certain = moves_of(printed, game.first)
    return LoggedGame(
        place=place,
        game=DEFAULT_GAME,
        board=board,
        moves=tuple(order),
        claim=game.claim,
        first=game.first,
        is_one_order=not is_certain,
    )


def _printed_boards(game: _Game) -> list[list[str]]:
    """Return the boards of a game, each as its rows from the top.

    Raises Impossible if there is no board, or if a board has another size than expected.
    """
    if not game.rows:
        raise Impossible(recorded("the log has no board of this game"))
    height = game.size[0] if game.size else len(game.rows)
    width = game.size[1] if game.size else len(game.rows[0][1])
    texts = [text for _line, text in game.rows]
    if height == 0 or len(texts) % height or any(len(text) != width for text in texts):
        found = f"{len(texts)} x {max(map(len, texts))}"
        raise Impossible(
            recorded("the size of the board is {found}, expected {expected}").format(
                found=found, expected=f"{height} x {width}"
            )
        )
    return [texts[start : start + height] for start in range(0, len(texts), height)]


def in_rounds(records: Sequence[GameRecord]) -> tuple[list[tuple[GameRecord, GameRecord]], list[int]]:
    """Return (rounds, sorted indices of the records that are in no round).

    A round is two games between the same players on one board. The first is the game in which A moved first, the second
    the game in which B did. VOID games are in no round.
    """
    waiting: dict[str, int] = {}  # {side that moved first, and all that a round shares: index of the record}
    alone: list[int] = []
    rounds: list[tuple[GameRecord, GameRecord]] = []
    for index, record in enumerate(records):
        players = [(player.name, player.command, player.version) for player in record.players]
        key, partner = (f"{side} {record.pair} {record.board} {players}" for side in in_order(record.first))
        if not record.termination.counts:
            alone.append(index)
        elif partner in waiting:
            pair = (records[waiting.pop(partner)], record)
            rounds.append(pair if record.first == "B" else pair[::-1])
        elif key in waiting:
            alone.append(index)
        else:
            waiting[key] = index
    return rounds, sorted([*alone, *waiting.values()])


def write(rounds: Sequence[tuple[GameRecord, GameRecord]]) -> str:
    """Return the log that Compete would print for `rounds`, which are made by in_rounds().

    Precondition: there is at least one round, and all records are valid records of connect four.
    """
    lines: list[str] = []
    for number, games in enumerate(rounds):
        board = games[0].board
        lines += [f"Round {number}:", f"M = {board['rows']}, N = {board['cols']}"]
        for record in games:
            code = result_code(record)
            lines.append(f"{record.first} first:")
            if code >= 0:  # a library that could not be loaded has not played
                lines += board_lines(record)
            lines.append(VERDICTS[code])
        lines.append("")
    results = result_file(rounds).decode("ascii")
    return "".join(f"{line}\n" for line in lines) + results[results.index("Stat:\n") :]


def board_lines(record: GameRecord) -> list[str]:
    """Return the rows of a game's last board in the form in which Compete prints them.

    Precondition: `record` is a valid record of connect four.
    """
    position = GAMES[DEFAULT_GAME].new_position(GAMES[DEFAULT_GAME].read_board(record.board))
    for move in record.moves:
        position.play(move.move)
    marks: dict[int | None, str] = {None: EMPTY}
    marks.update(enumerate(in_order(record.first)))
    return [
        "".join(
            (FORBIDDEN if (row, column) == position.forbidden else marks[owner]) + " "
            for column, owner in enumerate(owners)
        )
        for row, owners in enumerate(position.owner)
    ]
