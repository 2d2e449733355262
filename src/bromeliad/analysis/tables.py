"""Tables of words and figures: the same in the terminal and on a page."""

from typing import NamedTuple

__all__ = ["Row", "Table"]


class Row(NamedTuple):
    """One row of a table; a sum is set apart from the rows above it."""

    cells: tuple[str, ...]
    is_sum: bool = False


class Table(NamedTuple):
    """A table; its first ``texts`` columns are words, the others figures."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    texts: int = 1
    note: str = ""
