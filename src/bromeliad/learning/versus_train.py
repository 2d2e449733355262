"""A training run of the value of two boards, and the duels that measure it."""

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.jit import Floats, kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.core.rng import Rng, new_rng, reseed
from bromeliad.errors import WeightsError
from bromeliad.evaluation.results import Estimate, mean_and_error
from bromeliad.games.ofc.opponents.sampling import deal_fantasyland, fantasyland_bank
from bromeliad.games.ofc.opponents.seat_values import MARGIN, choose_by_value
from bromeliad.games.ofc.opponents.seats import CODES, Banked, Seats, deal, new_seats, place
from bromeliad.games.ofc.opponents.settling import choose_last, net, score_seat
from bromeliad.games.ofc.rules.scoring import Scored
from bromeliad.games.ofc.spot import Spot
from bromeliad.games.ofc.values.versus_learned import (
    BIAS,
    COUNTED_DEALS,
    DENSE,
    DENSE_BIAS,
    OUT,
    OUT_BIAS,
    WIDTH,
    Singles,
    frozen,
    new_versus,
    versus_shapes,
)
from bromeliad.games.ofc.values.weights import Provenance, find_weights, read_weights, save_network
from bromeliad.learning.run import TEST_SEED, Checkpoint, Plan, Run
from bromeliad.learning.versus_td import clear_seats, learn_duels, new_versus_memory

HIDDEN_SHARE = 0.15
"""Share of hands that are played against an opponent in fantasyland."""

_METHOD = 2  # increase when the same settings learn otherwise, so that older stored runs are refused
_SLOWER = 5  # a hand that measures takes as long as this many solo hands
_BANK = 4000  # sampled fantasyland boards, over all numbers of cards
_BANK_SEED = 1 << 20
_FIRST_BIAS = 0.5  # largest initial bias of the first layer
_FIRST_OUT = 0.1  # spread of the initial weights of the outputs
_CHOICES = 1 << 62  # offset of the random stream for choices, which is apart from the stream for deals


class VersusRun(Run):
    """A training run of the value of two boards; it starts from the solo weights of the same rules and objective."""

    def __init__(self, spot: Spot, plan: Plan) -> None:
        super().__init__(spot, plan)
        found = find_weights(spot.rules, spot.foul_cost, spot.fantasyland_worth)
        if found is None:
            raise WeightsError("{rules} has no solo weights to start from: train them first", rules=spot.rules.name)
        path, self._solo = found
        root, (rows, layers) = spot.to_search_state(), versus_shapes(spot.rules)
        parts = read_weights(path).parts[: root.learned.weights.size]
        network = np.zeros(rows, np.float32), first_layers(layers, plan.seed)
        values = new_versus(spot.rules, root.learned, parts, self._solo.fantasyland_worth, *network)
        self._memory = new_versus_memory(rows[0], layers)
        bank = fantasyland_samples(spot)
        self.seats = new_seats(root, 2, values, bank)
        before = values._replace(rows=values.rows.copy(), layers=values.layers.copy())
        self._before = new_seats(root, 2, before, bank)

    def identity(self) -> dict[str, Any]:
        """Return the settings that a stored run must have to be resumed by this one."""
        return {**super().identity(), "counted": COUNTED_DEALS, "method": _METHOD}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that learning changes."""
        values, memory = self.seats.values, self._memory
        return {
            "rows": values.rows,
            "layers": values.layers,
            "row_squares": memory.row_squares,
            "layer_squares": memory.layer_squares,
        }

    def learn(self, count: int) -> None:
        """Learn from the next hands."""
        plan = self.plan
        learn_duels(
            self.seats,
            self._memory,
            self.rng,
            plan.seed,
            self.done,
            count,
            plan.hands,
            plan.rate,
            plan.explore,
            HIDDEN_SHARE,
        )
        self.done += count

    def measure(self) -> Checkpoint:
        """Return what the weights win per hand from the initial ones, if both settle the last street best."""
        decks = min(self.plan.test_hands, self.plan.hands) // (2 * _SLOWER)
        decks = max(decks, 1)
        won = duel(self.seats, self._before, decks, TEST_SEED + self.plan.seed)
        return Checkpoint(self.done, won.value, won.stderr, 0.0, 0.0)

    def save(self, path: Path) -> Provenance:
        """Write the network."""
        values = self.seats.values
        about = {"objective": "versus", "solo": self._solo.sha256, "counted": values.counted}
        return save_network(path, {**self.provenance(), **about}, values.rows, values.layers)


def first_layers(shape: tuple[int, int], seed: int) -> Singles:
    """Return random layers for untrained networks, as in He et al., "Delving deep", ICCV 2015."""
    random, streets = np.random.default_rng(seed), shape[0]
    layers = np.zeros(shape, np.float32)
    layers[:, BIAS : BIAS + WIDTH] = random.uniform(0.0, _FIRST_BIAS, (streets, WIDTH))
    layers[:, DENSE:DENSE_BIAS] = random.normal(0.0, math.sqrt(2.0 / WIDTH), (streets, DENSE_BIAS - DENSE))
    layers[:, OUT:OUT_BIAS] = random.normal(0.0, _FIRST_OUT, (streets, OUT_BIAS - OUT))
    return layers


def fantasyland_samples(spot: Spot) -> NDArray[np.int64]:
    """Return the bank of hidden opponents: boards of fantasyland hands, with the cards that they were dealt."""
    cards = spot.rules.fantasyland_cards()
    each = math.ceil(_BANK / len(cards))
    bank = np.zeros((each * len(cards), 1, Banked.SIZE), np.int64)
    for i, number in enumerate(cards):
        rows = bank[i * each : (i + 1) * each, 0]
        rows[:, : Scored.SIZE] = fantasyland_bank(spot, number, each, _BANK_SEED + number)
        rows[:, Banked.CARDS] = list(deal_fantasyland(spot.unseen, number, each, _BANK_SEED + number))
        rows[:, Banked.NUMBER] = number
    return bank


# --- duels ------------------------------------------------------------------------------------------------------------


@kernel
def _play(first: Seats, second: Seats, deals: Rng, choices: Rng) -> float:
    """Play one hand between two evaluations; return what the first seat gets."""
    clear_seats(first)
    for street in range(first.streets.size // 2):
        last = 2 * street + 2 == first.streets.size
        for seat in range(2):
            mover = first if seat == 0 else second
            hand = deal(mover, street, deals)
            if last:
                code = mover.lists[CODES, choose_last(mover, seat, hand, choices)]
            else:
                code = choose_by_value(mover, seat, hand, MARGIN, False)
            place(mover, seat, hand, code)
            if last:
                score_seat(first, seat)
                score_seat(second, seat)
    return net(first, first.boards[0], first.boards[1])


@kernel
def _play_decks(one: Seats, two: Seats, seed: int, first: int, deals: Rng, choices: Rng, out: Floats) -> None:
    """Play each deck twice, with the seats swapped, and write what ``one`` wins per hand into ``out``."""
    for i in range(out.size):
        reseed(deals, seed, first + i)
        reseed(choices, seed, first + i + _CHOICES)
        won = _play(one, two, deals, choices)
        reseed(deals, seed, first + i)
        reseed(choices, seed, first + i + _CHOICES)
        out[i] = 0.5 * (won - _play(two, one, deals, choices))


def duel(one: Seats, two: Seats, decks: int, seed: int) -> Estimate:
    """Return what the evaluation of ``one`` wins per hand from that of ``two``, on mirrored decks."""
    one = one._replace(values=frozen(one.values))
    other = two._replace(v=one.v, values=frozen(two.values))
    out: NDArray[np.float64] = np.zeros(decks)
    _play_decks(one, other, seed, 0, new_rng(0), new_rng(0), out)
    return mean_and_error(out)


@warmup
def _warm_up() -> None:
    from bromeliad.games.ofc.rules.files import preset
    from bromeliad.games.ofc.spot import parse_spot

    rules = preset("pineapple")
    state = parse_spot(rules).to_search_state()
    rows, layers = versus_shapes(rules)
    networks = np.zeros(rows, np.float32), np.zeros(layers, np.float32)
    values = new_versus(rules, state.learned, np.zeros((state.learned.weights.size, 3), np.float32), {}, *networks)
    seats = new_seats(state, 2, values, np.zeros((1, 1, Banked.SIZE), np.int64))
    learn_duels(seats, new_versus_memory(rows[0], layers), new_rng(1), 1, 0, 1, 2, 1.0, 0.5, 0.0)
    duel(seats, seats, 2, 1)
