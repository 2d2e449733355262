"""Rounds that show what fantasyland is worth: what a fantasyland hand of every size gets from two normal hands."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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
from bromeliad.games.ofc.rules import RuleSet
from bromeliad.games.ofc.spot import Spot, parse_spot
from bromeliad.games.ofc.tables import rule_tables

__all__ = ["Floats", "Sample", "Table"]

_BATCH = 100  # rounds between two reports

Floats = NDArray[np.float64]


class Sample(NamedTuple):
    """Rounds that were played: in each one fantasyland hand of every size and two normal hands."""

    points: Floats  # [round, size] got by the fantasyland hand, mean over its opponents
    royalties: Floats  # [round, size]
    next_cards: NDArray[np.int64]  # [round, size]
    normal_points: Floats  # [round, player] of rows and scoop, against the other normal player
    normal_fouls: Floats
    normal_royalties: Floats
    normal_next: NDArray[np.int64]


class Table:
    """Plays rounds under one rule set, and tells how much of the whole work is done."""

    def __init__(
        self, rules: RuleSet, count: int, seed: int, report: Callable[[float], None], cancelled: Callable[[], bool]
    ) -> None:
        self.rules, self.seed = rules, seed
        self.sizes = _sizes(rules)
        self.done, self.count = 0, count  # rounds played, and rounds of the whole work
        self.report, self.cancelled = report, cancelled
        self.learned = False  # whether normal players go by a learned evaluation

    def play(self, worth: Mapping[int, float], foul_cost: float, first: int, count: int) -> Sample:
        """Return rounds number ``first`` and following, as many as there is time for, at least one batch."""
        spot = parse_spot(self.rules, objective="solo", foul_cost=foul_cost, fantasyland_worth=worth)
        parts: list[Sample] = []
        for start in range(first, first + count, _BATCH):
            size = min(_BATCH, first + count - start)
            parts.append(self._batch(spot, start, size))
            self.done += size
            self.report(self.done / self.count)
            if self.cancelled():
                break
        return Sample(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def _batch(self, spot: Spot, first: int, count: int) -> Sample:
        deals = deal_rounds(self.rules, max(self.sizes, default=0), count, self.seed, first)
        root = spot.to_search_state()
        self.learned = root.learned.weights.size > 0
        normal = [play_normally(root, deals.normal[player]) for player in range(NORMALS)]
        tables = rule_tables(self.rules)
        between = settle_boards(tables, normal[0], normal[1], 0)
        both = np.stack([between[:, Settled.MINE : Settled.THEIRS], between[:, Settled.THEIRS :]], axis=1)
        points = between[:, Settled.POINTS, None] * np.array([1.0, -1.0])
        hands = [self._fantasyland(spot, deals.fantasyland[:, :size], normal) for size in self.sizes]
        settled = np.stack(hands, axis=1) if hands else np.zeros((count, 0, Settled.SIZE))
        return Sample(
            points=settled[:, :, Settled.TOTAL],
            royalties=settled[:, :, Settled.MINE + ROYALTIES],
            next_cards=settled[:, :, Settled.MINE + NEXT_CARDS].astype(np.int64),
            normal_points=points,
            normal_fouls=both[:, :, FOUL].astype(np.float64),
            normal_royalties=both[:, :, ROYALTIES].astype(np.float64),
            normal_next=both[:, :, NEXT_CARDS],
        )

    def _fantasyland(self, spot: Spot, hands: NDArray[np.int64], normal: list[Boards]) -> Floats:
        """Return the settlements of fantasyland hands, means over the normal players that they meet."""
        boards, tables = set_fantasyland(spot, hands), rule_tables(self.rules)
        met = [settle_boards(tables, boards, theirs, hands.shape[1]) for theirs in normal]
        means: Floats = np.mean(met, axis=0)
        return means


def _sizes(rules: RuleSet) -> tuple[int, ...]:
    """Return the numbers of cards that fantasyland hands can have; check that the rounds can be dealt."""
    fantasyland = rules.fantasyland
    reachable = bool(fantasyland.entry) and fantasyland.first_street is None
    sizes = rules.fantasyland_cards() if reachable else ()
    if rules.players.max < NORMALS:
        raise InputError("{rules} is for one player: there is nobody to settle with", rules=rules.name)
    if NORMALS * rules.cards_per_player + max(sizes, default=0) > rules.deck_size:
        raise InputError(
            "the deck of {rules} has too few cards for a fantasyland hand and two others", rules=rules.name
        )
    return sizes
