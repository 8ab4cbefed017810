"""Connect four games that the judge has recorded, and the positions that lie in them."""

import gzip
from dataclasses import dataclass
from pathlib import Path

from protocol.records.record import GameRecord, RecordError, Termination
from strength_suite.json_lines import SuiteError, whole_lines
from strength_suite.positions.exact_positions import empty_cells, position_of

GAME = "connect_four"


@dataclass(frozen=True)
class Game:
    """A finished game: forbidden is [row from the top, column] or None, moves are columns."""

    rows: int
    columns: int
    forbidden: list | None
    moves: tuple

    def entry_with(self, empty):
        """The game's position with so many empty cells, as FIELDS of exact_positions; None if it has none.

        The position after the last move is the game's end and not counted.
        """
        plies = self.cells() - empty
        if not 0 <= plies < len(self.moves):
            return None
        moves = list(self.moves[:plies])
        return {"rows": self.rows, "columns": self.columns, "forbidden": self.forbidden, "moves": moves}

    def cells(self):
        """How many stones the empty board takes."""
        start = {"rows": self.rows, "columns": self.columns, "forbidden": self.forbidden, "moves": []}
        return empty_cells(position_of(start))

    def last_empty(self):
        """Empty cells before the last move."""
        return self.cells() - len(self.moves) + 1


def read_games(paths):
    """The connect four games in record files, plain or compressed (.gz), that ended by the rules; each once.

    Raises SuiteError naming the file that cannot be read, or where there is no such game at all.
    """
    games = []
    for path in paths:
        for number, line in enumerate(_lines(Path(path)), start=1):
            try:
                record = GameRecord.from_json(line)
            except RecordError as error:
                raise SuiteError(f"{path}, line {number}: {error}") from error
            if record.game == GAME and record.termination is Termination.NORMAL:
                board = record.board
                columns = tuple(move.move for move in record.moves)
                games.append(Game(board["rows"], board["cols"], board["forbidden"], columns))
    if not games:
        raise SuiteError(f"no finished game in {', '.join(map(str, paths)) or 'no file at all'}")
    return list({(game.rows, game.columns, str(game.forbidden), game.moves): game for game in games}.values())


def _lines(path):
    try:
        content = path.read_bytes()
        return whole_lines(gzip.decompress(content) if path.suffix == ".gz" else content).splitlines()
    except (OSError, EOFError) as error:
        raise SuiteError(f"{path} cannot be read: {error}") from error
