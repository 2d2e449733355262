"""Notation of cells and positions: ``H8`` is a column and a row counted from below, ``H8I9…`` a position."""

import re

from bromeliad.errors import InputError, PositionError
from bromeliad.games.gomoku.rules import LARGEST

COLUMNS = "ABCDEFGHIJKLMNOPQRST"
"""Names of the columns, from the left."""
_CELL = re.compile(r"([A-Ta-t])([1-9][0-9]?)")
LONGEST = 3 * LARGEST * LARGEST
"""Maximum length of a position, in characters."""


def cell_name(cell: int, size: int) -> str:
    """Return the name of a cell; cells are numbered row by row from the top left."""
    row, column = divmod(int(cell), size)
    return f"{COLUMNS[column]}{size - row}"


def parse_cell(text: str, size: int) -> int:
    """Return the number of a cell such as ``H8``; raise InputError if the board has no such cell."""
    match = _CELL.fullmatch(text.strip()) if len(text) < 20 else None
    if match is not None:
        column, row = COLUMNS.index(match[1].upper()), size - int(match[2])
        if column < size and 0 <= row < size:
            return row * size + column
    raise InputError("{text!r} is not a cell: write A1 to {last}", text=text[:20], last=f"{COLUMNS[size - 1]}{size}")


def parse_stones(text: str, size: int) -> list[int]:
    """Read a position: its stones in the order of play, black first.

    Raise PositionError if the text contains anything but cells, or a cell twice.
    """
    packed = "".join(text.split()).replace(",", "")
    cells = [parse_cell(match[0], size) for match in _CELL.finditer(packed)] if len(packed) <= LONGEST else []
    if "".join(cell_name(cell, size) for cell in cells) != packed.upper():
        raise PositionError("{text!r} is not a position: write stones in turn, black first, as in H8I9", text=text[:40])
    if len(set(cells)) < len(cells):
        raise PositionError("{text!r} has two stones on one cell", text=text[:40])
    return cells
