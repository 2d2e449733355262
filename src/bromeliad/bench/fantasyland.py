"""The fantasyland solver: its time per hand, and the value of perfectly set hands."""

import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.cluster import Batch
from bromeliad.core.cards import DECK_SIZE, Card, CardSet
from bromeliad.evaluation.results import mean_and_error
from bromeliad.evaluation.worth_hands import NEXT_CARDS, ROYALTIES, Settled, set_fantasyland, settle_boards
from bromeliad.games.ofc.fantasyland.solve import solve_fantasyland
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.rules.rule_tables import rule_tables
from bromeliad.games.ofc.spot import Spot, parse_spot

_KERNELS = ("bromeliad.evaluation.worth_hands",)

Hands = NDArray[np.int64]  # [hand, card]
SIZES = (14, 15, 16, 17)
_PIECE = 200  # hands per item of work


class _Prototype(NamedTuple):
    """Figures of an earlier prototype in C."""

    ms: float
    royalties: float
    stay: float


_PROTOTYPE = {
    14: _Prototype(1.8, 12.25, 9.6),
    15: _Prototype(3.7, 16.0, 18.4),
    16: _Prototype(7.2, 20.4, 35.6),
    17: _Prototype(9.9, 24.3, 53.8),
}
_LIMIT_MS = {14: 5, 15: 20, 16: 80, 17: 300}


def _deal(rng: np.random.Generator, count: int, size: int, jokers: int = 0) -> Hands:
    """Return random hands with exactly this many jokers."""
    naturals = rng.random((count, DECK_SIZE)).argsort(axis=1)[:, : size - jokers]
    return np.hstack([naturals, np.tile(np.arange(DECK_SIZE, DECK_SIZE + jokers), (count, 1))])


def _spot(rules: str, hand: Hands, worth: dict[int, float] | None = None) -> Spot:
    cards = " ".join(str(Card(int(card))) for card in hand)
    return parse_spot(preset(rules), cards=cards, objective="solo", fantasyland=True, fantasyland_worth=worth)


def _time_spots(spots: list[Spot], k: int) -> tuple[NDArray[np.float64], float]:
    """Return the wall time of each spot and the mean processor time, in milliseconds."""
    times = np.zeros(len(spots))
    solve_fantasyland(spots[0], k)
    start_cpu = time.thread_time()
    for i, spot in enumerate(spots):
        start = time.perf_counter()
        solve_fantasyland(spot, k)
        times[i] = time.perf_counter() - start
    return times * 1e3, (time.thread_time() - start_cpu) / len(spots) * 1e3


def _against_board(spot: Spot, rng: np.random.Generator) -> Spot:
    """Return the spot against a known board: thirteen random other cards, set perfectly."""
    others = CardSet.deck() - CardSet.from_cards(spot.cards)
    rest = rng.choice([card.value for card in others], 13, replace=False)
    best = solve_fantasyland(replace(spot, cards=tuple(Card(int(card)) for card in rest)), 1)
    rows = (CardSet(int(mask[0])) for mask in (best.top, best.middle, best.back))
    return replace(spot, opponents=(PlayerArrangement.of(*rows),), objective="versus")


def _speed(rng: np.random.Generator, hands: int) -> Section:
    rows: list[tuple[object, ...]] = []

    def add(size: int, what: str, k: int, spots: list[Spot]) -> None:
        times, cpu = _time_spots(spots, k)
        plain = what == "pineapple" and k == 1
        limit: object = _LIMIT_MS[size] if plain else "-"
        known: object = _PROTOTYPE[size].ms if plain else "-"
        error = float(times.std(ddof=1) / np.sqrt(len(times)))
        mean, median, longest = float(times.mean()), float(np.median(times)), float(times.max())
        rows.append((size, what, k, mean, error, cpu, median, longest, limit, known, len(times)))

    for k in (1, 10):
        for size in SIZES:
            add(size, "pineapple", k, [_spot("pineapple", hand) for hand in _deal(rng, hands, size)])
    for jokers in (1, 2):
        for size in SIZES:
            spots = [_spot("ultimate", hand) for hand in _deal(rng, hands // 4, size, jokers)]
            add(size, f"ultimate, {jokers} joker{'s' * (jokers > 1)}", 1, spots)
    for size in SIZES:
        spots = [_against_board(_spot("pineapple", hand), rng) for hand in _deal(rng, hands // 4, size)]
        add(size, "pineapple, one known board", 1, spots)
    columns = ("cards", "rules", "k", "ms per hand", "± s.e.", "CPU ms", "median", "longest", "limit", "C prototype")
    notes = [
        "Milliseconds per hand, one thread, from the checked spot to the k best boards; wall time, except CPU ms, which"
        " does not include other programs.",
        "Bounds prove every answer best; nothing is sampled.",
    ]
    return Section("Time to set a hand", (*columns, "hands"), rows, notes)


def set_hands(item: tuple[list[list[int]], float]) -> list[list[float]]:
    """Set pineapple hands to maximise royalties plus the worth of a stay; return royalties and stays by hand."""
    hands, worth = np.array(item[0], np.int64), item[1]
    boards = set_fantasyland(_spot("pineapple", hands[0], {14: worth}), hands)
    settled = settle_boards(rule_tables(preset("pineapple")), boards, boards, hands.shape[1])
    royalties, stays = settled[:, Settled.MINE + ROYALTIES], settled[:, Settled.MINE + NEXT_CARDS] > 0
    return [royalties.astype(float).tolist(), stays.astype(float).tolist()]


def _set_all(hands: Hands, worth: float, batch: Batch) -> NDArray[np.float64]:
    """Return the royalties [0] and stays [1] of hands, which workers set in pieces."""
    pieces = ((str(i), (hands[i : i + _PIECE].tolist(), worth)) for i in range(0, len(hands), _PIECE))
    return np.concatenate([np.array(part) for part in batch.ordered(set_hands, pieces, _KERNELS)], axis=1)


def _worth(rng: np.random.Generator, hands: int, batch: Batch) -> Section:
    rows: list[tuple[object, ...]] = []
    for size in SIZES:
        royalties, stays = _set_all(_deal(rng, hands, size), 10.0, batch.part(f"{size} cards"))
        known = _PROTOTYPE[size]
        rows.append(
            (size, *mean_and_error(royalties), known.royalties, *mean_and_error(100 * stays), known.stay, hands)
        )
    columns = ("cards", "royalties", "± s.e.", "C prototype", "stay %", "± s.e. %", "C prototype %", "hands")
    return Section("Hands set for royalties + 10 for a stay", columns, rows, ["Pineapple, stay rule (a)."])


def _stay_rate(rng: np.random.Generator, hands: int, batch: Batch) -> Section:
    royalties, stays = _set_all(_deal(rng, hands, 14), 10.8, batch.part("stay rate"))
    row = (14, *mean_and_error(100 * stays), 10.5, *mean_and_error(royalties), hands)
    columns = ("cards", "stay %", "± s.e. %", "published %", "royalties", "± s.e.", "hands")
    notes = ["Pineapple, stay rule (a): trips on top or quads or better in back."]
    return Section("Hands set for royalties + 10.8 for a stay", columns, [row], notes)


@bench("fantasyland", minutes=5, batches=True)
def fantasyland_bench(quick: bool, seed: int, batch: Batch) -> list[Section]:
    """Measure the fantasyland solver's time, and the royalties and stays of perfectly set hands."""
    rng = np.random.default_rng(seed)
    return [
        _speed(rng, 40 if quick else 1_000),
        _worth(rng, 100 if quick else 4_000, batch),
        _stay_rate(rng, 200 if quick else 100_000, batch),
    ]
