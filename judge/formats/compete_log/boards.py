"""Boards that Compete prints as moves that lead to them."""

from collections.abc import Sequence
from typing import Any

from judge.formats.compete_log.order import NoOrder, alternating
from judge.games import DEFAULT_GAME, GAMES
from judge.games.positions import Cell
from judge.language import recorded

EMPTY, FORBIDDEN = ".", "X"
Stacks = list[list[int]]  # of each column its stones from below, 0 those of who began
# Problems, as JSON keeps them.
FORBIDDEN_CELLS = recorded("expected one forbidden cell X on the board, got {number}")
HANGING = recorded("the stone in row {row}, column {column} has nothing below it")
STONES = recorded("{first} stones of {side}, who began, and {second} of the other: no game has them")
OTHER_BOARD = recorded("the board does not follow from the one before")
NO_ORDER = recorded("no order of moves leads to this board")


class Impossible(Exception):
    """The boards of a game cannot be; str() is the problem's text."""


def moves_of(printed: Sequence[Sequence[str]], first: str) -> tuple[dict[str, Any], list[int], bool]:
    """(the board as records have it, columns that lead to the last of the boards, whether they are the only ones).

    printed: boards, each as rows of marks from the top; a later one has the stones of the one before. Raises
    Impossible, and ValueError for a board of a size that the rules do not know.
    """
    rows, cols = len(printed[-1]), len(printed[-1][0])
    cells = [divmod(number, cols) for number, mark in enumerate("".join(printed[-1])) if mark == FORBIDDEN]
    if len(cells) != 1:
        raise Impossible(FORBIDDEN_CELLS.format(number=len(cells)))
    board = {"rows": rows, "cols": cols, "forbidden": list(cells[0])}
    found = [_stacks(marks, cells[0], first) for marks in printed]
    # A board that is printed twice tells no more than once.
    stacks = [each for number, each in enumerate(found) if number == 0 or each != found[number - 1]]
    return board, *_order(stacks, board)


def _stacks(board: Sequence[str], forbidden: Cell, first: str) -> Stacks:
    """The stones of each column from below, 0 for those of who began. Raises Impossible."""
    stacks: Stacks = []
    for column in range(len(board[0])):
        stack: list[int] = []
        is_open = False
        for row in reversed(range(len(board))):
            mark = board[row][column]
            if (row, column) == forbidden:
                continue
            if mark in (EMPTY, FORBIDDEN):
                is_open = True
            elif is_open:
                raise Impossible(HANGING.format(row=row, column=column))
            else:
                stack.append(int(mark != first))
        stacks.append(stack)
    own, other = (sum(stack.count(player) for stack in stacks) for player in (0, 1))
    if own - other not in (0, 1):
        raise Impossible(STONES.format(first=own, side=first, second=other))
    return stacks


def _order(boards: Sequence[Stacks], start: dict[str, Any]) -> tuple[list[int], bool]:
    """(columns that lead from board to board, whether they are the only ones). Raises Impossible."""
    for before, after in zip(boards, boards[1:], strict=False):
        if any(old != new[: len(old)] for old, new in zip(before, after, strict=True)):
            raise Impossible(OTHER_BOARD)
    before = boards[-2] if len(boards) > 1 else [[] for _stack in boards[-1]]
    for last in _last_columns(before, boards[-1], start):
        steps = [*boards[:-1], _without(boards[-1], last)]
        order: list[int] = []
        heights = [0] * len(boards[-1])
        is_one = True
        try:
            for number, stacks in enumerate(steps, start=1):
                added = alternating(stacks, heights, len(order) % 2)
                # Of two stones the first is that of who was to move.
                is_one &= len(added) + (number == len(steps) and last is not None) <= 2
                order += added
                heights = [len(stack) for stack in stacks]
        except NoOrder:
            continue
        return order if last is None else [*order, last], is_one
    raise Impossible(NO_ORDER)


def _last_columns(before: Stacks, stacks: Stacks, start: dict[str, Any]) -> Sequence[int | None]:
    """The columns that the last stone may have been dropped into, where somebody has four in a line; else [None].

    before: the board before this one, an empty one at least.
    """
    if not _has_four(stacks, start):
        return [None]
    player = (sum(map(len, stacks)) - 1) % 2
    return [
        column
        for column, stack in enumerate(stacks)
        if len(stack) > len(before[column]) and stack[-1] == player and not _has_four(_without(stacks, column), start)
    ]


def _without(stacks: Stacks, column: int | None) -> Stacks:
    return [stack[:-1] if number == column else stack for number, stack in enumerate(stacks)]


def _has_four(stacks: Stacks, start: dict[str, Any]) -> bool:
    """Whether anybody has four in a line, by the rules."""
    game = GAMES[DEFAULT_GAME]
    position = game.new_position(game.read_board(start))
    placed: list[Cell] = []
    for column, stack in enumerate(stacks):
        for owner in stack:
            row = position.landing_row(column)
            position.owner[row][column] = owner
            placed.append((row, column))
    return any(position.completes_line(*cell) for cell in placed)
