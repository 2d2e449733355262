"""Signs of a bug or a broken log, by kind."""

from typing import NamedTuple

KINDS = {
    "unreadable": "a line that is not a hand",
    "rules": "unknown rules",
    "order": "an event out of turn",
    "duplicate card": "a card that is dealt twice, or is not in the deck",
    "other cards": "placed or discarded cards that were not dealt",
    "impossible board": "a row with too many cards, or a street with too many or too few",
    "unfinished": "a hand that ends too early",
    "showdown": "showdown boards that differ from the placed cards",
    "score": "scores that differ from the rules",
    "sum": "points that do not sum to zero",
    "chips": "chips that do not follow from points and stacks",
    "repeated hand": "the same hand twice",
    "stored seat": "a stored seat that differs from its hand",
    "EV above best": "a placement with a higher EV than the best one",
    "EV loss": "a loss that is not the best EV minus the EV",
    "EV jump": "an EV that changes by more than half of what a hand can pay",
}
"""The kinds of anomalies and their meaning."""


class Anomaly(NamedTuple):
    """One anomaly."""

    kind: str  # one of KINDS
    source: str  # a file, or a store
    line: int  # line of the file; in a store, the hand's id
    hand: int | None  # the hand's number in the record
    detail: str


class Oddity(Exception):  # noqa: N818 -- raised while reading a hand, turned into an Anomaly at once
    """An error in a hand."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(kind, detail)
        self.kind = kind
        self.detail = detail
