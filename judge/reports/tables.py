"""How the tables of all reports look."""

from collections.abc import Collection, Sequence
from typing import Literal

from rich.box import SIMPLE_HEAD
from rich.table import Table


def empty_table(title: str, headings: Sequence[str], left: Collection[str], wrapped: Collection[str] = ()) -> Table:
    """A table without rows; columns are aligned to the right, but for those whose headings are in `left`.

    In the columns of `wrapped` a long cell goes on in a line below.
    """
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        justify: Literal["left", "right"] = "left" if heading in left else "right"
        table.add_column(heading, justify=justify, no_wrap=heading not in wrapped, overflow="fold")
    return table
