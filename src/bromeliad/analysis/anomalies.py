"""What suggests a bug or a broken log, each kind by name."""

from typing import NamedTuple

KINDS = {
    "unreadable": "a line that is no hand",
    "rules": "rules that are not known",
    "order": "an event out of turn",
    "duplicate card": "a card that is dealt twice, or is not in the deck",
    "other cards": "cards placed or discarded that were not dealt",
    "impossible board": "a row with too many cards, or a street with too many or too few",
    "unfinished": "a hand that ends too early",
    "showdown": "boards at the showdown that are not those that were placed",
    "score": "scores that are not those of the rules",
    "sum": "points that do not add up to nothing",
    "chips": "chips that do not follow from points and stacks",
    "repeated hand": "the same hand twice",
    "stored seat": "what is stored of a seat is not what the hand says",
    "EV above best": "a placement that is worth more than the best one",
    "EV loss": "a loss that is not the best EV less the EV",
    "EV jump": "an EV that jumps by more than half of what a hand can pay",
}
"""The kinds of anomalies, and what they mean in words."""


class Anomaly(NamedTuple):
    """One thing that should not be."""

    kind: str  # one of KINDS
    source: str  # a file, or a store
    line: int  # in the file; in a store the number of the hand there
    hand: int | None  # as the record numbers it
    detail: str


class Oddity(Exception):  # noqa: N818 -- found while reading a hand, turned into an Anomaly at once
    """What is wrong with a hand."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(kind, detail)
        self.kind = kind
        self.detail = detail
