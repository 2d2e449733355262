"""The opening book: the best placements of every first deal, in a file that is mapped into memory.

A file has a header (rules, objective, and the runs that built it) and one record of fixed size per canonical hand, in
the order of the hands' masks. A record has the best placements; of symmetric placements it has one. Opening a book
reads only its header. Looking up a hand reads its record.
"""

import hashlib
import struct
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from bromeliad.core.kernel_cache import cached_object
from bromeliad.errors import BookError
from bromeliad.games.ofc.book.first_deals import canonical_opening, code_in_suits, symmetric_codes
from bromeliad.games.ofc.rules.rule_set import Model

FORMAT = 1
ENTRIES = 4  # placements per hand
UNIT = 10  # simulations per unit of a record's ``visits``
MOST_VISITS = 65535  # the largest ``visits`` of a record
_MAGIC = b"BROMBOOK"
_LENGTH = struct.Struct("<I")  # of the header, after the magic bytes
_LONGEST = 1 << 20
_SHARE = 250  # how a probability of 1 is stored
_UNKNOWN = 255

_ENTRY = np.dtype(
    [
        ("ev", "<f4"),
        ("stderr", "<f2"),  # rounded up
        ("guess", "<f2"),  # the value before its playouts
        ("royalties", "<f2"),  # NaN: unknown
        ("visits", "<u2"),  # simulations and playouts, in tens
        ("code", "u1"),  # the row of each card as a digit in base three, lowest card first; see pack_code
        ("foul", "u1"),  # probabilities in parts of 250
        ("fantasyland", "u1"),
    ]
)
RECORD = np.dtype([("hand", "<i8"), ("entries", _ENTRY, (ENTRIES,))])
"""A hand and its best placements, best first."""


class BookRun(Model):
    """One run of `bromeliad book build`: its settings and its calibration."""

    seed: int
    hands: int
    simulations: int  # per hand, of the search for candidates
    playouts: int  # per hand, at most
    gain: float  # a hand is settled once more playouts have at most this expected gain
    bias: float  # mean error of the guesses
    common: float  # standard deviation of the guesses' error that all placements of a hand share
    own: tuple[float, ...]  # standard deviation of each placement's own error, by its rank among the candidates
    spread: float  # standard deviation of a playout
    beside: float  # standard error that playouts do not reduce
    weights: str  # hash of the learned evaluation; empty if there was none
    package: str  # version of the program


class BookHeader(Model):
    """The rules and the objective of a book, and the runs that built it."""

    format: int
    rules: str
    game: str  # key of the rules that affect the value of a board
    objective: str
    foul_cost: float
    fantasyland_worth: dict[int, float]
    jokers: int
    hands: int
    runs: tuple[BookRun, ...]
    sha256: str  # of the records


class BookEntry(NamedTuple):
    """One placement of a hand in a book."""

    code: int
    ev: float
    stderr: float
    visits: int
    p_foul: float | None
    p_fantasyland: float | None
    royalties: float | None


class Book(NamedTuple):
    """An open book."""

    path: Path
    header: BookHeader
    records: NDArray[Any]

    def find(self, mask: int) -> tuple[BookEntry, ...]:
        """Return the entries of a hand, best first, in its own suits; none if the book lacks the hand."""
        hand, order = canonical_opening(mask)
        place = bisect_left(self.records["hand"], hand)
        if place == len(self.records) or self.records["hand"][place] != hand:
            return ()
        found: list[BookEntry] = []
        for item in self.records["entries"][place]:
            if np.isnan(item["ev"]):
                break
            codes = symmetric_codes(hand, unpack_code(int(item["code"])))
            found.extend(_entry(item, code_in_suits(mask, order, code)) for code in codes)
        return tuple(found)

    def check(self) -> None:
        """Raise BookError if the contents have changed since they were written."""
        whole = hashlib.sha256(self.records.tobytes()).hexdigest() == self.header.sha256
        if not whole or not np.all(self.records["hand"][1:] > self.records["hand"][:-1]):
            raise _no_book(self.path)


def _entry(item: Any, code: int) -> BookEntry:
    royalties = float(item["royalties"])
    return BookEntry(
        code=code,
        ev=float(item["ev"]),
        stderr=float(item["stderr"]),
        visits=int(item["visits"]) * UNIT,
        p_foul=_share(int(item["foul"])),
        p_fantasyland=_share(int(item["fantasyland"])),
        royalties=None if np.isnan(royalties) else royalties,
    )


def _share(stored: int) -> float | None:
    return None if stored == _UNKNOWN else stored / _SHARE


def pack_share(share: float) -> int:
    """Return a probability as a record stores it; NaN means unknown."""
    return _UNKNOWN if np.isnan(share) else round(min(max(share, 0.0), 1.0) * _SHARE)


def pack_code(code: int, cards: int) -> int:
    """Return the code of a placement without discards as a record stores it: per card, its row as a digit 0 to 2."""
    return sum(((code >> (2 * i) & 3) - 1) * 3**i for i in range(cards))


def unpack_code(stored: int, cards: int = 5) -> int:
    """Return the placement code from a record; the inverse of :func:`pack_code`."""
    return sum((stored // 3**i % 3 + 1) << (2 * i) for i in range(cards))


def round_up(errors: NDArray[np.float64]) -> NDArray[np.float16]:
    """Return standard errors as a record stores them, rounded up."""
    near = errors.astype(np.float16)
    return np.where(near < errors, np.nextafter(near, np.float16(np.inf)), near)


def _no_book(path: Path) -> BookError:
    return BookError(
        "{path} is not an opening book, is damaged, or has another version: build it with `bromeliad book build`",
        path=path,
    )


def open_book(path: Path) -> Book:
    """Open a book.

    Raises
    ------
    BookError
        If the file cannot be read, is not a book of this format, or is incomplete.
    """
    try:
        with path.open("rb") as file:
            head = file.read(len(_MAGIC) + _LENGTH.size)
            if not head.startswith(_MAGIC) or len(head) < len(_MAGIC) + _LENGTH.size:
                raise _no_book(path)
            length = _LENGTH.unpack(head[len(_MAGIC) :])[0]
            header = _read_header(path, file.read(min(length, _LONGEST)))
        offset = len(head) + length
        if path.stat().st_size != offset + header.hands * RECORD.itemsize or not header.hands:
            raise _no_book(path)
        records = np.memmap(path, RECORD, "r", offset, (header.hands,))
    except OSError as error:
        raise BookError("{path} cannot be read: {problem}", path=path, problem=error.strerror or error) from error
    return Book(path, header, records)


def _read_header(path: Path, text: bytes) -> BookHeader:
    name = f"book-header-{hashlib.sha256(text).hexdigest()[:24]}"
    try:
        header = cached_object(name, lambda: BookHeader.model_validate_json(text))
    except ValidationError as error:
        raise _no_book(path) from error
    if header.format != FORMAT:
        raise _no_book(path)
    return header


def write_book(path: Path, about: BookHeader, runs: Sequence[BookRun], records: NDArray[Any]) -> BookHeader:
    """Write a book; return its header, with hands, runs and hash set. The file appears complete or not at all."""
    contents = records.tobytes()
    changes = {"hands": len(records), "runs": tuple(runs), "sha256": hashlib.sha256(contents).hexdigest()}
    header = about.model_copy(update=changes)
    text = header.model_dump_json().encode()
    from tempfile import NamedTemporaryFile  # here, because most commands only read books

    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as fresh:
        try:
            fresh.write(_MAGIC + _LENGTH.pack(len(text)) + text + contents)
            fresh.flush()
            Path(fresh.name).replace(path)
        except OSError:
            Path(fresh.name).unlink()
            raise
    path.chmod(0o644)
    return header
