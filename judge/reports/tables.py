"""The common style of the tables of all reports."""

from collections.abc import Collection, Sequence
from typing import Literal

from rich.box import SIMPLE_HEAD
from rich.table import Table


def empty_table(title: str, headings: Sequence[str], left: Collection[str], wrapped: Collection[str] = ()) -> Table:
    """Return a table without rows; columns are right-aligned, those whose headings are in `left` left-aligned.

    Long cells in the columns of `wrapped` continue on the next line.
    """
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        justify: Literal["left", "right"] = "left" if heading in left else "right"
        table.add_column(heading, justify=justify, no_wrap=heading not in wrapped, overflow="fold")
    return table
