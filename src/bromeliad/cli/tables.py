"""Tables of analyses in the terminal."""

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from bromeliad.cli.base import one_line

if TYPE_CHECKING:
    from bromeliad.analysis.pages import Table

__all__ = ["print_table"]


def print_table(console: Console, table: "Table") -> None:
    """Print a table under its title."""
    console.print(Text(table.title, style="bold"))
    out = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for number, column in enumerate(table.columns):
        is_text = number < table.texts
        out.add_column(Text(column), justify="left" if is_text else "right", no_wrap=not is_text, min_width=3)
    for row in table.rows:
        out.add_row(*(Text(one_line(cell)) for cell in row.cells), style="bold" if row.is_sum else "")
    console.print(out)
    if table.note:
        console.print(Text(table.note, style="dim"))
    console.print()
