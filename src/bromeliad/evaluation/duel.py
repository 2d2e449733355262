"""Duels: two players who see only their own cards play hands from one deck and settle them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.game import apply, clone, copy_into
from bromeliad.core.jit import Floats, Ints, int64, kernel
from bromeliad.errors import InputError
from bromeliad.evaluation.play import Deals, Hands, deal_hands
from bromeliad.evaluation.results import PlainResult, mean_and_error
from bromeliad.evaluation.strength import Player
from bromeliad.games.ofc.rules.scoring import Scored, score_board, settle
from bromeliad.games.ofc.search_spot import default_params
from bromeliad.games.ofc.spot import Spot
from bromeliad.games.ofc.values.hand_state import Field, HandState

SEATS = 2
_BATCH = 250  # decks between two progress reports if neither level searches
_SEAT_STREAM = 1 << 32  # distance of the hand numbers of different seats


class _Settled(NamedTuple):
    """Offsets into a settled hand: points of the first player, then the results of both."""

    ROWS: int = 0
    SCOOP: int = 1
    ROYALTIES: int = 2
    WORTH: int = 3
    FOUL: int = 4  # two entries
    FANTASYLAND: int = 6  # two entries
    SIZE: int = 8


Settled = _Settled()


@dataclass(frozen=True)
class Versus(PlainResult):
    """The points that ``level`` wins from ``other`` per hand; two hands per deck, with seats swapped."""

    level: str
    other: str
    hands: int
    mean: float
    stderr: float
    rows: float
    scoop: float
    royalties: float
    fantasyland: float  # worth of the fantasylands that ``level`` reaches, minus that of ``other``
    p_foul: float
    p_foul_other: float
    p_fantasyland: float
    p_fantasyland_other: float
    foul_cost: float
    fantasyland_worth: dict[int, float]
    rules: str
    budget: str
    threads: int
    seed: int
    cancelled: bool = False

    @property
    def label(self) -> str:
        """A name for the measurement."""
        return f"{self.level} versus {self.other}, {self.budget}, foul cost {self.foul_cost:g}"


@kernel
def _replay(state: HandState, root: HandState, deals: Ints, codes: Ints) -> None:
    """Replay a hand."""
    copy_into(state, root)
    for street in range(deals.size):
        apply(state, deals[street])
        apply(state, codes[street])


@kernel
def _score(state: HandState, seen: int, out: Ints) -> None:
    v = state.v
    score_board(state.tables, v[Field.MASK], v[Field.MASK + 1], v[Field.MASK + 2], v[Field.FANTASYLAND], seen, out)


@kernel
def _settle_hands(
    root: HandState,
    one: HandState,
    two: HandState,
    deals: Ints,
    codes: Ints,
    other_deals: Ints,
    other_codes: Ints,
    scored: Ints,
    points: Ints,
    out: Floats,
) -> None:
    """Settle the hands of two players."""
    for i in range(deals.shape[0]):
        _replay(one, root, deals[i], codes[i])
        _replay(two, root, other_deals[i], other_codes[i])
        seen = int64(0)
        for row in range(3):
            seen |= one.v[Field.MASK + row] | two.v[Field.MASK + row]
        _score(one, seen, scored[0])
        _score(two, seen, scored[1])
        settle(root.tables, scored[0], scored[1], points)
        out[i, Settled.ROWS] = points[0] + points[1] + points[2]
        out[i, Settled.SCOOP] = points[3]
        out[i, Settled.ROYALTIES] = scored[0, Scored.ROYALTIES] - scored[1, Scored.ROYALTIES]
        out[i, Settled.WORTH] = root.worth[scored[0, Scored.NEXT_CARDS]] - root.worth[scored[1, Scored.NEXT_CARDS]]
        for player in range(SEATS):
            out[i, Settled.FOUL + player] = scored[player, Scored.FOUL]
            out[i, Settled.FANTASYLAND + player] = scored[player, Scored.NEXT_CARDS] > 0


def settle_hands(root: HandState, deals: tuple[Deals, Deals], hands: tuple[Hands, Hands]) -> NDArray[np.float64]:
    """Return the results of the first of two players in each hand (offsets: ``Settled``)."""
    out = np.zeros((len(deals[0]), Settled.SIZE))
    scored, points = np.zeros((SEATS, Scored.SIZE), np.int64), np.zeros(4, np.int64)
    played = deals[0], hands[0].codes, deals[1], hands[1].codes
    _settle_hands(root, clone(root), clone(root), *played, scored, points, out)
    return out


def measure_versus(
    spot: Spot,
    level: str,
    other: str,
    hands: int,
    *,
    seed: int = 1,
    seconds: float | None = None,
    simulations: int | None = None,
    threads: int = 1,
    on_progress: Callable[[float], None] = lambda fraction: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Versus:
    """Play two levels against each other; every deck is played twice, with seats swapped.

    Both play for the objective of ``spot`` and see only their own cards. The result is rows, scoop and royalties by the
    rules, and the worth of fantasyland. For the parameters see :func:`.strength.measure_strength`.
    """
    params = default_params(seconds=seconds, simulations=simulations, threads=threads, seed=seed)
    players = Player(spot, level, params), Player(spot, other, params)
    root = players[0].root
    _check_deck(root)
    batch = 1 if "search" in (level, other) else _BATCH
    decks = -(-hands // SEATS)
    settled: list[NDArray[np.float64]] = []
    for first in range(0, decks, batch):
        deals = [deal_hands(root, min(batch, decks - first), seed, first, seat) for seat in range(SEATS)]
        both = []
        for seat in range(SEATS):
            sides = deals[seat], deals[1 - seat]
            played = [players[i].play(sides[i], first + (seat ^ i) * _SEAT_STREAM) for i in range(SEATS)]
            both.append(settle_hands(root, sides, (played[0], played[1])))
        settled.append((both[0] + both[1]) / SEATS)
        on_progress(min(first + batch, decks) / decks)
        if cancelled():
            break
    return _summary(spot, players, np.concatenate(settled), seed, decks)


def _check_deck(root: HandState) -> None:
    dealt = int(root.streets[2 * int(root.v[Field.STREET]) :: 2].sum())
    if SEATS * dealt > int(root.v[Field.DECK]).bit_count():
        raise InputError("the deck does not have enough cards for two players")


def _summary(
    spot: Spot, players: tuple[Player, Player], settled: NDArray[np.float64], seed: int, wanted: int
) -> Versus:
    mean, stderr = mean_and_error(settled[:, : Settled.FOUL].sum(axis=1))
    means = [float(value) for value in settled.mean(axis=0)]
    searching = next((player for player in players if player.level == "search"), players[0])
    return Versus(
        level=players[0].level,
        other=players[1].level,
        hands=SEATS * len(settled),
        mean=mean,
        stderr=stderr,
        rows=means[Settled.ROWS],
        scoop=means[Settled.SCOOP],
        royalties=means[Settled.ROYALTIES],
        fantasyland=means[Settled.WORTH],
        p_foul=means[Settled.FOUL],
        p_foul_other=means[Settled.FOUL + 1],
        p_fantasyland=means[Settled.FANTASYLAND],
        p_fantasyland_other=means[Settled.FANTASYLAND + 1],
        foul_cost=spot.foul_cost,
        fantasyland_worth=dict(spot.fantasyland_worth),
        rules=spot.rules.name,
        budget=searching.budget,
        threads=searching.threads,
        seed=seed,
        cancelled=len(settled) < wanted,
    )
