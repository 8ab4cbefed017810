"""A recorded game's screen for a terminal of any size: the board always whole, the rest as there is room."""

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from judge import terminal
from judge.language import _, marked
from judge.play.recheck import disagreements
from judge.play.scoresheet import in_order
from judge.play.screen import result_in_words
from judge.reports import forfeits
from judge.terminal import lines_of
from judge.viewer import curve
from judge.viewer.browser import Browser
from judge.viewer.positions import RecordedPositions
from protocol.records.record import GameRecord

GAP = 3  # columns between the board and the text beside it
LEAST_BESIDE = 24  # columns: with fewer the text stands above and below the board
CURVE_ROWS = 3  # two sides' and the mark below them
ROWS_ABOVE = 2  # of text above the board before there are curves
VALUE_WIDTH = len("A X +0.12 ")
MORE = marked("(more after q)")


class GameView:
    """What is shown of a game; `title` is a line on which one it is. `console` says how text is measured."""

    def __init__(self, positions: RecordedPositions, title: str, console: Console) -> None:
        record = positions.record
        self._positions, self._title, self._console = positions, title, console
        self._stones = dict(zip(in_order(record.first), positions.game.stones, strict=True))
        values = {side: curve.values_of(record, side, positions.last) for side in "AB"}
        self._values = {side: found for side, found in values.items() if any(value is not None for value in found)}
        self._with_blocks = console.encoding.startswith("utf")
        self.result = [result_in_words(record), *forfeits.notes(record), *verdict(record)]

    def lines(self, browser: Browser, width: int, height: int) -> list[Text]:
        """The screen as `height` lines of at most `width` columns."""
        board = _lines_of(self._positions.game.picture(self._positions.position(browser.ply)))
        columns = max(line.cell_len for line in board)
        if columns > width or len(board) + 2 > height:
            return self._too_small(columns, len(board) + 2, width, height)
        spare = height - len(board) - 2  # rows for more than the board, the move and the prompt
        beside = width - columns - GAP
        above: list[Text] = []
        if beside < LEAST_BESIDE:
            most = max(spare - CURVE_ROWS, min(spare, ROWS_ABOVE))
            above = self._wrapped(self._result(browser), width, most) or self._players()[:most]
        values = self._curves(browser.ply, width)[: spare - len(above)]
        rows = height - 2 - len(above) - len(values)  # of the board and what is beside and below it
        if beside >= LEAST_BESIDE:
            board = _side_by_side(board, self._wrapped([*self._result(browser), *self._about()], beside, rows), columns)
        has_gap = len(board) < rows
        move = Text(self._positions.move_in_words(browser.ply))
        prompt = Text(browser.prompt(), "bold" if browser.typed or browser.message else "dim")
        found = [*above, *board, *[Text()] * has_gap, move, *values]
        found += [*[Text() for _ in range(height - len(found) - 1)], prompt]
        for line in found:
            line.truncate(width, overflow="ellipsis")
        return found

    def _too_small(self, columns: int, rows: int, width: int, height: int) -> list[Text]:
        """What is said instead of a board that would be cut."""
        needed = _("the board needs {columns} x {rows}, this terminal has {width} x {height}; q leaves")
        told = Text(needed.format(columns=columns, rows=rows, width=width, height=height))
        lines = self._broken(told, max(width, 1))[:height]
        return [*lines, *[Text()] * (height - len(lines))]

    def _about(self) -> list[Text]:
        """Which game it is, who plays, and who began."""
        record = self._positions.record
        first = record.moves[0].side if record.moves else record.first
        lines = [Text(self._title, "bold"), Text(terminal.printable(record.started), "dim")]
        for side, player in zip("AB", record.players, strict=True):
            lines.append(Text(f"{self._name(side)} {terminal.printable(player.name)}"))
            if player.version is not None:
                lines.append(Text(f"    {terminal.printable(player.version)}", "dim"))
        return [*lines, Text(_("{side} moves first").format(side=first))]

    def _players(self) -> list[Text]:
        """The same in two lines: the players, and which game it is."""
        record = self._positions.record
        first = record.moves[0].side if record.moves else record.first
        names = [
            f"{self._name(side)} {terminal.printable(player.name)}"
            for side, player in zip("AB", record.players, strict=True)
        ]
        told = _("{side} moves first: {first} against {second}")
        return [Text(told.format(side=first, first=names[0], second=names[1])), Text(self._title, "dim")]

    def _name(self, side: str) -> str:
        return f"{side} {self._stones[side]}"

    def _result(self, browser: Browser) -> list[Text]:
        """How the game ended, once its last position is shown."""
        return [Text(line) for line in self.result] if browser.ply == self._positions.last else []

    def _curves(self, ply: int, width: int) -> list[Text]:
        """A row of values for each side that states them, and the mark below the current ply."""
        room = width - VALUE_WIDTH
        if not self._values or room < 1:
            return []
        rows = []
        for side, values in self._values.items():
            value = values[ply - 1] if ply else None
            label = Text(f"{self._name(side)} {'' if value is None else f'{value:+.2f}':5} ")
            rows.append(label + curve.curve(values, side, ply, room, self._with_blocks))
        return [*rows, Text(" " * VALUE_WIDTH + curve.marker(self._positions.last, ply, room), "dim")]

    def _wrapped(self, lines: Iterable[Text], width: int, height: int) -> list[Text]:
        """The lines broken at that width, at most `height`; where they are more, the last one says so."""
        wrapped = [part for line in lines for part in self._broken(line, width)]
        return wrapped if len(wrapped) <= height else [*wrapped[: height - 1], Text(_(MORE), "dim")][:height]

    def _broken(self, line: Text, width: int) -> list[Text]:
        """The line broken at that width, which it may be between any two characters of Chinese."""
        parts = [line] if line.plain.isascii() else [Text(part, line.style) for part in lines_of(line.plain, width)]
        return [part for parted in parts for part in parted.wrap(self._console, width)]


def verdict(record: GameRecord) -> list[str]:
    """Whether the rules agree with the record, in lines."""
    found = disagreements(record)
    told = _("NOT what the rules say: {sentence}")
    return [told.format(sentence=terminal.sentence(sentence)) for sentence in found] or [
        _("The rules agree with the record.")
    ]


def _lines_of(picture: Text) -> list[Text]:
    return [line.copy() for line in picture.split("\n")]


def _side_by_side(board: Sequence[Text], beside: Sequence[Text], columns: int) -> list[Text]:
    """Lines of the board, `columns` wide, each with a line of text behind it; text may go on below the board."""
    lines = []
    for row in range(max(len(board), len(beside))):
        line = board[row].copy() if row < len(board) else Text()
        if row < len(beside):
            line.pad_right(columns + GAP - line.cell_len)
            line.append_text(beside[row])
        lines.append(line)
    return lines
