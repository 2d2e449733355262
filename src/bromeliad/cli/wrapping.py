"""Breaking lines by the columns that they take in a terminal: a Chinese character takes two and needs no space."""

import re
from unicodedata import east_asian_width

__all__ = ["columns", "wrap"]

_WIDE = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
_CLOSING = "，。、；：！？）」』】"
_OPENING = "（「『【"
# A word; or one wide character with the punctuation that may not be parted from it.
_PIECE = re.compile(rf"\s+|[{_OPENING}]*(?:[{_WIDE}]|[^\s{_WIDE}]+)[{_CLOSING}]*")


def columns(text: str) -> int:
    """Return how many terminal columns a text takes."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def wrap(text: str, width: int) -> list[str]:
    """Break a text into lines of at most ``width`` columns, unless one word alone is wider."""
    lines = [""]
    for piece in _PIECE.findall(text):
        space = piece.isspace()
        if lines[-1] and columns(lines[-1]) + columns(piece) > width and not space:
            lines.append("")
        if lines[-1] or not space:
            lines[-1] += " " if space else piece
    return [line.rstrip() for line in lines]
