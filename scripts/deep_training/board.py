"""The rules for many games at once, on PyTorch's tensors; the tests hold them to plain.py.

A set of cells is int32[n, COLUMNS], one lane a column, with row r from the bottom in bit r: board.py's layout in
wider lanes, so that a shift by three rows loses nothing.
"""

from typing import NamedTuple

import numpy as np
import torch
from torch.nn import functional

from bot.games.connect_four.board import COLUMN_BITS, MAX_COLUMNS, MAX_ROWS
from connect_four_training.positions import NO_CELL

COLUMNS, ROWS = MAX_COLUMNS, MAX_ROWS
REACH = 3  # a stone counts for cells at most so far away
# What the network sees, in this order; each is 0 or 1 for every cell.
PLANES = (
    "own stones",
    "opponent's stones",
    "forbidden cell",
    "free cells",
    "own winning cells",
    "opponent's winning cells",
    "floor",
    "cells above the floor",
    "odd rows",
    "columns with an odd number of free cells",
    "cells above an odd number of free cells",
    "board",
)


class Boards(NamedTuple):
    """n positions, each for its side to move; all of them int32[n, COLUMNS] sets of cells."""

    own: torch.Tensor
    opponent: torch.Tensor
    forbidden: torch.Tensor
    board: torch.Tensor

    def free(self):
        """The cells that a stone may still come to lie in."""
        return self.board & ~(self.own | self.opponent | self.forbidden)

    def floor(self):
        """The cell that a stone falls to, one a column, none in a full column."""
        free = self.free()
        return free & -free

    def above(self, floor):
        """For each cell of `floor` the next one that a stone may lie in, none at the top."""
        above = floor << 1
        return (above + (above & self.forbidden)) & self.board

    def play(self, columns):
        """The positions after each side to move has dropped a stone in its column, int64[n]; none of them is full."""
        chosen = functional.one_hot(columns, COLUMNS).to(torch.int32)
        return self._replace(own=self.opponent, opponent=self.own | self.floor() * chosen)

    def chosen(self, which):
        """The positions that an index or a mask chooses."""
        return Boards(*(cells[which] for cells in self))

    def mirrored(self, which):
        """The positions with left and right exchanged where bool[n] `which` says so."""
        order = mirror_order(self.board, which)
        return Boards(*(cells.gather(1, order) for cells in self))


class Look(NamedTuple):
    """What one look ahead says of n positions, as plain.tactical_columns does.

    outcome: float32[n], 1, 0 or -1 for the side to move, NaN where it is open; columns: bool[n, COLUMNS], those worth
    playing.
    """

    outcome: torch.Tensor
    columns: torch.Tensor


def boards_of(rows, device="cpu"):
    """The Boards of POSITION[n] (connect_four_training/positions.py)."""
    column = np.arange(COLUMNS)
    board = np.where(column < rows["columns"][:, None], (1 << rows["rows"].astype(np.int32)[:, None]) - 1, 0)
    is_forbidden = (column == rows["forbidden_column"][:, None]) & (rows["forbidden_row"][:, None] != NO_CELL)
    forbidden = np.where(is_forbidden, 1 << (rows["forbidden_row"][:, None].astype(np.int32) % COLUMN_BITS), 0)
    stones = (np.ascontiguousarray(rows[side]).view("<u2") for side in ("own", "opponent"))
    return Boards(*(torch.as_tensor(cells.astype(np.int32), device=device) for cells in (*stones, forbidden, board)))


def mirror_order(board, which):
    """int64[n, COLUMNS]: from which column each one comes when the positions that bool[n] `which` says are mirrored."""
    columns = (board != 0).sum(1, keepdim=True)
    place = torch.arange(COLUMNS, device=board.device).expand(len(board), COLUMNS)
    return torch.where(which[:, None] & (place < columns), columns - 1 - place, place)


def winning_cells(stones):
    """Every cell with three of the stones in line with it; occupied cells and cells off the board may be among them."""
    cells = (stones << 1) & (stones << 2) & (stones << 3)
    padded = functional.pad(stones, (REACH, REACH))
    for slope in (-1, 0, 1):
        left1, left2, left3 = (_neighbours(padded, -distance, slope) for distance in (1, 2, 3))
        right1, right2, right3 = (_neighbours(padded, distance, slope) for distance in (1, 2, 3))
        cells = cells | (left1 & left2 & (left3 | right1)) | (right1 & right2 & (right3 | left1))
    return cells


def _neighbours(padded, distance, slope):
    """The cells whose neighbour so many columns to the right, on a line of that slope, is in the set."""
    lanes = padded[:, REACH + distance : REACH + distance + COLUMNS]
    up = distance * slope
    return lanes >> up if up >= 0 else lanes << -up


def look(boards):
    """The Look at n positions that no one has won yet."""
    floor = boards.floor()
    wins = (winning_cells(boards.own) & floor) != 0
    threats = winning_cells(boards.opponent)
    blocks = (threats & floor) != 0
    legal = floor != 0
    safe = legal & ((threats & boards.above(floor)) == 0)
    is_won, is_forced = wins.any(1), blocks.any(1)
    is_lost = ~is_won & ((blocks.sum(1) > 1) | (~is_forced & legal.any(1) & ~safe.any(1)))
    outcome = torch.full(is_won.shape, torch.nan, device=floor.device)
    outcome[is_won], outcome[is_lost], outcome[~legal.any(1)] = 1.0, -1.0, 0.0
    quiet = torch.where(safe.any(1, keepdim=True), safe, legal)
    return Look(outcome, torch.where(is_won[:, None], wins, torch.where(is_forced[:, None], blocks, quiet)))


def planes_of(boards):
    """What the network sees of n positions: float32[n, len(PLANES), COLUMNS, ROWS]."""
    free, floor = boards.free(), boards.floor()
    odd_rows = boards.board & sum(1 << row for row in range(1, ROWS, 2))
    below = free  # becomes: whether an odd number of free cells lies in this row and below
    for step in (1, 2, 4, 8):
        below = below ^ (below << step)
    odd = (below >> (ROWS - 1) & 1) * boards.board
    sets = (
        boards.own,
        boards.opponent,
        boards.forbidden,
        free,
        winning_cells(boards.own) & free,
        winning_cells(boards.opponent) & free,
        floor,
        boards.above(floor),
        odd_rows,
        odd,
        below << 1 & boards.board,
        boards.board,
    )
    bits = torch.arange(ROWS, dtype=torch.int32, device=free.device)
    return (torch.stack(sets, 1)[..., None] >> bits & 1).float()
