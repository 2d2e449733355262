"""Rounds that measure the worth of fantasyland: fantasyland hands of every size against two normal hands."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.cluster import Batch
from bromeliad.errors import InputError
from bromeliad.evaluation.worth_hands import (
    FOUL,
    NEXT_CARDS,
    NORMALS,
    ROYALTIES,
    Boards,
    Settled,
    deal_rounds,
    play_normally,
    set_fantasyland,
    settle_boards,
)
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.rules.rule_tables import rule_tables
from bromeliad.games.ofc.spot import Spot, parse_spot

KERNELS = ("bromeliad.evaluation.worth_hands",)
_BATCH = 100  # rounds per item of work
Floats = NDArray[np.float64]


class Sample(NamedTuple):
    """Played rounds, each with one fantasyland hand of every size and two normal hands."""

    points: Floats  # [round, size] of the fantasyland hand, mean over its opponents
    royalties: Floats  # [round, size]
    next_cards: NDArray[np.int64]  # [round, size]
    normal_points: Floats  # [round, player] of rows and scoop, against the other normal player
    normal_fouls: Floats
    normal_royalties: Floats
    normal_next: NDArray[np.int64]

    @classmethod
    def of(cls, columns: Iterable[list[Any]]) -> "Sample":
        """Return a sample from its columns as lists."""
        arrays: list[Any] = []
        for name, column in zip(cls._fields, columns, strict=True):
            arrays.append(np.array(column, np.int64 if name in ("next_cards", "normal_next") else np.float64))
        return cls(*arrays)


class Rounds(NamedTuple):
    """An item of work: ``size`` rounds under one objective, starting with number ``first``."""

    rules: RuleSet
    worth: tuple[tuple[int, float], ...]
    foul_cost: float
    seed: int
    first: int
    size: int


class Table:
    """Plays rounds under one rule set, and reports the progress of the whole work."""

    def __init__(
        self,
        rules: RuleSet,
        count: int,
        seed: int,
        batch: Batch,
        report: Callable[[float], None],
        cancelled: Callable[[], bool],
    ) -> None:
        self.rules, self.seed = rules, seed
        self.sizes = _sizes(rules)
        self.done, self.count = 0, count  # rounds played, and rounds of the whole work
        self.report, self.cancelled = report, cancelled
        self.learned = False  # whether normal players use a learned evaluation
        self._batch = batch
        self._plays = 0

    def play(self, worth: Mapping[int, float], foul_cost: float, first: int, count: int) -> Sample:
        """Return rounds, starting with number ``first``; at least one batch, even if the work is cancelled."""
        items = [
            Rounds(self.rules, tuple(worth.items()), foul_cost, self.seed, start, min(_BATCH, first + count - start))
            for start in range(first, first + count, _BATCH)
        ]
        self._plays += 1
        named = ((f"play {self._plays}, rounds from {item.first}", item) for item in items)
        parts: list[Sample] = []
        for result in self._batch.ordered(play_rounds, named, KERNELS, self.cancelled):
            self._take(result, items[len(parts)], parts)
        if not parts:
            self._take(play_rounds(items[0]), items[0], parts)
        return Sample(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def _take(self, result: dict[str, Any], item: Rounds, parts: list[Sample]) -> None:
        parts.append(Sample.of(result["sample"]))
        self.learned = result["learned"]
        self.done += item.size
        self.report(self.done / self.count)


def play_rounds(item: Rounds) -> dict[str, Any]:
    """Play rounds; return their sample as lists, and whether normal players used a learned evaluation."""
    rules, sizes = item.rules, _sizes(item.rules)
    spot = parse_spot(rules, objective="solo", foul_cost=item.foul_cost, fantasyland_worth=dict(item.worth))
    deals = deal_rounds(rules, max(sizes, default=0), item.size, item.seed, item.first)
    root = spot.to_search_state()
    normal = [play_normally(root, deals.normal[player]) for player in range(NORMALS)]
    between = settle_boards(rule_tables(rules), normal[0], normal[1], 0)
    both = np.stack([between[:, Settled.MINE : Settled.THEIRS], between[:, Settled.THEIRS :]], axis=1)
    hands = [_fantasyland(spot, deals.fantasyland[:, :size], normal) for size in sizes]
    settled = np.stack(hands, axis=1) if hands else np.zeros((item.size, 0, Settled.SIZE))
    sample = Sample(
        points=settled[:, :, Settled.TOTAL],
        royalties=settled[:, :, Settled.MINE + ROYALTIES],
        next_cards=settled[:, :, Settled.MINE + NEXT_CARDS].astype(np.int64),
        normal_points=between[:, Settled.POINTS, None] * np.array([1.0, -1.0]),
        normal_fouls=both[:, :, FOUL].astype(np.float64),
        normal_royalties=both[:, :, ROYALTIES].astype(np.float64),
        normal_next=both[:, :, NEXT_CARDS],
    )
    return {"sample": [column.tolist() for column in sample], "learned": root.learned.weights.size > 0}


def _fantasyland(spot: Spot, hands: NDArray[np.int64], normal: list[Boards]) -> Floats:
    """Return the settlements of fantasyland hands, averaged over the normal players."""
    boards, tables = set_fantasyland(spot, hands), rule_tables(spot.rules)
    met = [settle_boards(tables, boards, theirs, hands.shape[1]) for theirs in normal]
    means: Floats = np.mean(met, axis=0)
    return means


def _sizes(rules: RuleSet) -> tuple[int, ...]:
    """Return the possible numbers of fantasyland cards; raise if the deck is too small for the rounds."""
    fantasyland = rules.fantasyland
    reachable = bool(fantasyland.entry) and fantasyland.first_street is None
    sizes = rules.fantasyland_cards() if reachable else ()
    if rules.players.max < NORMALS:
        raise InputError("{rules} is for one player: there is no opponent to settle with", rules=rules.name)
    if NORMALS * rules.cards_per_player + max(sizes, default=0) > rules.deck_size:
        raise InputError(
            "the deck of {rules} has too few cards for a fantasyland hand and two others", rules=rules.name
        )
    return sizes
