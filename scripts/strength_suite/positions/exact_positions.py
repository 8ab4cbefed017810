"""Positions with known value as lines of a file; tests/positions/README.md says what is in a line."""

from pathlib import Path

from bot.games.connect_four.plain import empty_position, winning_cells
from checkout import CHECKOUT
from strength_suite.json_lines import SuiteError, read_lines

SUITE = CHECKOUT / "tests" / "positions" / "exact.jsonl"
OUTCOMES = ("loss", "draw", "win")  # from bad to good
SEEN_FROM_THE_OTHER_SIDE = {"win": "loss", "draw": "draw", "loss": "win"}
FIELDS = ("rows", "columns", "forbidden", "moves")  # what makes a position


def start_of(rows, columns, forbidden):
    """The empty board; forbidden is [row from the top, column] or None."""
    return empty_position(rows, columns, None if forbidden is None else (rows - 1 - forbidden[0], forbidden[1]))


def position_of(entry):
    """The Position (bot.games.connect_four.plain) of an entry, for its side to move.

    Raises SuiteError where a move is not legal or follows the game's end.
    """
    position = start_of(entry["rows"], entry["columns"], entry["forbidden"])
    for ply, column in enumerate(entry["moves"], start=1):
        if position.opponent_has_won() or column not in position.legal_moves():
            raise SuiteError(f"{entry}: move {ply} is not legal")
        position = position.play(column)
    return position


def name_of(entry):
    """A text that tells positions apart: size, forbidden cell, moves."""
    forbidden = "-" if entry["forbidden"] is None else ",".join(map(str, entry["forbidden"]))
    return f"{entry['rows']}x{entry['columns']} {forbidden} {','.join(map(str, entry['moves']))}"


def empty_cells(position):
    """How many stones can still be dropped."""
    return position.rows * position.columns - bool(position.forbidden) - position.plies()


def wins_at_once(position):
    """Whether the side to move can complete a four."""
    return bool(winning_cells(position.own) & position.floor)


def best(outcomes):
    """The best of some outcomes."""
    return max(outcomes, key=OUTCOMES.index)


def keeps_value(entry, column):
    """Whether that move leaves the side that plays it what the position is worth."""
    return entry["moves_values"][str(column)] == entry["value"]


def random_share(entry):
    """The share of an entry's legal moves that keep its value: what a random player scores."""
    return sum(value == entry["value"] for value in entry["moves_values"].values()) / len(entry["moves_values"])


def read_suite(path):
    """The entries of a suite's file (list of dict). Raises SuiteError if there is none or one is wrong."""
    if not Path(path).exists():
        raise SuiteError(f"{path}: there is no such file; scripts/strength make-positions makes one")
    entries = read_lines(path)
    for number, entry in enumerate(entries, start=1):
        missing = {*FIELDS, "value", "moves_values", "kind"} - set(entry)
        if missing:
            raise SuiteError(f"{path}, line {number}: lacks {', '.join(sorted(missing))}")
    if not entries:
        raise SuiteError(f"{path} holds no position")
    return entries


def spread(entries, count):
    """So many of the entries at even distances, all for None or where there are fewer."""
    if count is None or count >= len(entries):
        return list(entries)
    return [entries[index * len(entries) // count] for index in range(count)]
