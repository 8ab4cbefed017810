"""The tables of all reports.

In a table that is too wide for the screen some columns are left out, or each row becomes a block of lines.
"""

import string
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Literal

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from judge.terminal import lines_of, printable

BETWEEN = 3  # columns of the screen between two cells of a table
TITLE_STYLE = "bold"
ESCAPES = str.maketrans({mark: f"\\{mark}" for mark in string.punctuation})  # of Markdown
INDENT, GAP = "  ", "  "  # stand before the lines of a block, and between the cells of a line


def markdown(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table in Markdown. The cells are Markdown, see as_markdown()."""
    return [f"| {' | '.join(cells)} |" for cells in (headings, ["---"] * len(headings), *rows)]


def as_markdown(text: str) -> str:
    """Return Markdown that shows `text`, a name or a move, made printable and otherwise as it is."""
    return printable(text).translate(ESCAPES)


class ReportTable:
    """A table of texts for rich, in which no text is ever cut.

    `left`, `wrapped` and `spare` name columns by their headings. Columns in `left` are left-aligned, all others
    right-aligned. A cell of a column in `wrapped` contains sentences and may continue on the next line.

    `spare` is a list of groups of columns. If the screen is too narrow, these groups are left out one after the other.
    If that is not enough, each row becomes a block of lines: first the cells up to the first left-aligned column, then
    the other cells, each after its heading. In a block a cell that is a Text loses its style.
    """

    def __init__(
        self,
        title: str,
        headings: Sequence[str],
        left: Collection[str],
        spare: Sequence[Collection[str]] = (),
        wrapped: Collection[str] = (),
    ) -> None:
        self.title, self.headings = title, headings
        self.rows: list[tuple[str | Text, ...]] = []
        self._left, self._spare, self._wrapped = left, spare, wrapped
        self._sections: set[int] = set()  # numbers of rows below which there is a line

    def add_row(self, *cells: str | Text) -> None:
        """Add a row with one cell for each heading."""
        self.rows.append(cells)

    def add_section(self) -> None:
        """Put a line below the row that was added last."""
        self._sections.add(len(self.rows))

    def fits(self, console: Console) -> bool:
        """Return whether the table with all its columns fits the console's width."""
        return self._width(self.headings) <= console.width

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the widest form of the table that fits the screen."""
        shown = list(self.headings)
        for group in [(), *self._spare]:
            shown = [heading for heading in shown if heading not in group]
            if self._width(shown) <= options.max_width:
                yield self._table(shown)
                yield _line("")
                return
        yield from self._blocks(options.max_width)

    def _width(self, shown: Collection[str]) -> int:
        """Return the smallest number of columns of the screen that a table of the columns `shown` needs."""
        rows = (map(str, row) for row in self.rows)
        columns = [column for column in zip(self.headings, *rows, strict=True) if column[0] in shown]
        texts = (
            (word for cell in column for word in cell.split()) if column[0] in self._wrapped else column
            for column in columns
        )
        return sum(max(map(cell_len, column), default=0) for column in texts) + BETWEEN * (len(columns) - 1)

    def _table(self, shown: Sequence[str]) -> Table:
        """Return rich's table of the columns `shown`."""
        title = _line(self.title, TITLE_STYLE)
        # The table has no edge, so that the three tables of a match and its verdict fit a terminal of 24 rows.
        table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for heading in shown:
            justify: Literal["left", "right"] = "left" if heading in self._left else "right"
            table.add_column(heading, justify=justify, no_wrap=heading not in self._wrapped)
        for number, row in enumerate(self.rows, start=1):
            cells = (cell for heading, cell in zip(self.headings, row, strict=True) if heading in shown)
            table.add_row(*cells, end_section=number in self._sections)
        return table

    def _blocks(self, width: int) -> Iterator[Text]:
        """Yield the lines of a screen of `width` columns, with a block for each row; see the class."""
        names = 1 + next((place for place, heading in enumerate(self.headings) if heading in self._left), 0)
        yield _line(self.title, TITLE_STYLE)
        for row in self.rows:
            cells = list(zip(self.headings, map(str, row), strict=True))
            name = (cell if heading in self._left else f"{heading} {cell}" for heading, cell in cells[:names] if cell)
            yield _line(GAP.join(map(str.strip, name)))
            others = [f"{heading} {cell}" for heading, cell in cells[names:] if cell]
            for line in _packed(others, width - len(INDENT)):
                yield _line(INDENT + line)
        yield _line("")


def _line(text: str, style: str = "") -> Text:
    """Return a Text that rich neither wraps nor cuts."""
    return Text(text, style, no_wrap=True, overflow="ignore")


def _packed(cells: Sequence[str], width: int) -> list[str]:
    """Return lines of at most `width` columns of the screen that contain the cells.

    A cell that is wider than a line is broken between its words.
    """
    lines: list[str] = []
    for cell in cells:
        if lines and cell_len(lines[-1] + GAP + cell) <= width:
            lines[-1] += GAP + cell
        else:
            lines += lines_of(cell, width)
    return lines
