"""Rounds that measure the worth of fantasyland: two normal hands, and fantasyland hands of every size against each.

The two normal players meet in both seatings, so the luck of their cards does not hide the worth of the seats. Normal
hands are played by the value of both boards and against the boards that they meet. If no such values fit the rules,
they are played for the solo objective and ignore the other board.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.cluster import Batch
from bromeliad.core.jit import Floats
from bromeliad.errors import InputError
from bromeliad.evaluation.worth_hands import (
    FOUL,
    NEXT_CARDS,
    NORMALS,
    ROYALTIES,
    Boards,
    Deals,
    Settled,
    deal_rounds,
    play_normally,
    set_fantasyland,
    settle_boards,
)
from bromeliad.evaluation.worth_seats import answer_last, play_seats, seats_for_worth
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.rules.rule_tables import rule_tables
from bromeliad.games.ofc.spot import Spot, parse_spot

KERNELS = ("bromeliad.evaluation.worth_hands", "bromeliad.evaluation.worth_seats")
_BATCH = 250  # rounds per item of work


class Sample(NamedTuple):
    """Played rounds: two normal hands against each other, and a fantasyland hand of every size against each player."""

    points: Floats  # [round, size, player] of the fantasyland hand
    royalties: Floats  # [round, size, player] its own
    next_cards: NDArray[np.int64]  # [round, size, player]
    met_next: NDArray[np.int64]  # [round, size, player] of the normal hand that it meets
    normal_points: Floats  # [round, seating, seat] of rows and scoop, between the normal players
    normal_total: Floats  # [round, seating] points that the second seat wins from the first
    normal_fouls: Floats  # [round, seating, seat]
    normal_royalties: Floats
    normal_next: NDArray[np.int64]

    @classmethod
    def of(cls, columns: Iterable[list[Any]]) -> "Sample":
        """Return a sample from its columns as lists."""
        arrays: list[Any] = []
        for name, column in zip(cls._fields, columns, strict=True):
            arrays.append(np.array(column, np.int64 if name.endswith(("_next", "next_cards")) else np.float64))
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
        self.evaluation = "guide"  # of normal players
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
        self.evaluation = result["evaluation"]
        self.done += item.size
        self.report(self.done / self.count)


def play_rounds(item: Rounds) -> dict[str, Any]:
    """Play rounds; return their sample as lists, and the evaluation by which normal players played."""
    rules, sizes = item.rules, _sizes(item.rules)
    spot = parse_spot(rules, objective="solo", foul_cost=item.foul_cost, fantasyland_worth=dict(item.worth))
    deals = deal_rounds(rules, max(sizes, default=0), item.size, item.seed, item.first)
    evaluation, seatings, met = _normal_hands(item, spot, deals)
    between = np.stack([settle_boards(rule_tables(rules), first, second, 0) for first, second in seatings], axis=1)
    both = np.stack([between[..., Settled.MINE : Settled.THEIRS], between[..., Settled.THEIRS :]], axis=2)
    hands = [_fantasyland(spot, deals.fantasyland[:, :size], met[size]) for size in sizes]
    settled = np.stack(hands, axis=1) if hands else np.zeros((item.size, 0, NORMALS, Settled.SIZE))
    sample = Sample(
        points=settled[..., Settled.TOTAL],
        royalties=settled[..., Settled.MINE + ROYALTIES],
        next_cards=settled[..., Settled.MINE + NEXT_CARDS].astype(np.int64),
        met_next=settled[..., Settled.THEIRS + NEXT_CARDS].astype(np.int64),
        normal_points=between[..., Settled.POINTS, None] * np.array([1.0, -1.0]),
        normal_total=-between[..., Settled.TOTAL].astype(np.float64),
        normal_fouls=both[..., FOUL].astype(np.float64),
        normal_royalties=both[..., ROYALTIES].astype(np.float64),
        normal_next=both[..., NEXT_CARDS],
    )
    return {"sample": [column.tolist() for column in sample], "evaluation": evaluation}


def _normal_hands(item: Rounds, spot: Spot, deals: Deals) -> tuple[str, list[list[Boards]], dict[int, list[Boards]]]:
    """Return the evaluation, the boards by seating and seat, and each player's boards against fantasyland by size."""
    sizes, dealt = _sizes(item.rules), deals.normal
    seats = seats_for_worth(spot, sizes, item.seed + item.first)
    if seats is None:
        root = spot.to_search_state()
        alone = [play_normally(root, dealt[player]) for player in range(NORMALS)]
        return "learned" if root.learned.weights.size else "guide", [alone, alone[::-1]], dict.fromkeys(sizes, alone)
    number = item.seed, item.first
    seatings = [list(play_seats(seats.normal, order, *number)) for order in (dealt, dealt[::-1].copy())]
    players = [dealt[player : player + 1] for player in range(NORMALS)]
    met = {size: [play_seats(seats.hidden[size], one, *number)[0] for one in players] for size in sizes}
    return "versus", seatings, met


def _fantasyland(spot: Spot, hands: NDArray[np.int64], met: list[Boards]) -> Floats:
    """Return the settlements [round, player] of fantasyland hands with each normal player."""
    boards = answer_last(spot, hands, met) or [set_fantasyland(spot, hands)] * len(met)
    tables, cards = rule_tables(spot.rules), hands.shape[1]
    settled = [settle_boards(tables, mine, theirs, cards) for mine, theirs in zip(boards, met, strict=True)]
    return np.stack(settled, axis=1).astype(np.float64)


def _sizes(rules: RuleSet) -> tuple[int, ...]:
    """Return the possible numbers of fantasyland cards; raise InputError if the rounds need more players or cards."""
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
