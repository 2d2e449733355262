"""Sources of hands: files of hand histories, or a store."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from bromeliad.errors import BromeliadError
from bromeliad.games.ofc.play.history import HandRecord, parse_record, read_lines


class Sourced(NamedTuple):
    """The line of a hand, and its source."""

    source: str  # a file, or a store
    line: int  # line of the file; in a store, the hand's id
    text: str

    @property
    def record(self) -> HandRecord | BromeliadError:
        """The hand, or the error of its line; parsed at every access."""
        try:
            return parse_record(self.text)
        except BromeliadError as error:
            return error


def from_files(paths: Iterable[str | Path]) -> Iterator[Sourced]:
    """Yield the lines of files."""
    for path in paths:
        for line, text in read_lines(path):
            yield Sourced(str(path), line, text)


def count_lines(path: str | Path) -> int:
    """Return the number of lines of a file, for a progress bar."""
    return sum(1 for _ in read_lines(path))
