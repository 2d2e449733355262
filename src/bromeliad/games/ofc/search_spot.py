"""The search of a spot: its parameters, and the split of an EV into its parts."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.budget import OnProgress
from bromeliad.core.game import (
    CHANCE,
    TERMINAL,
    apply,
    clone,
    copy_into,
    playout_action,
    sample_chance,
    to_play,
)
from bromeliad.core.jit import Floats, int64, kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.core.rng import Rng, new_rng
from bromeliad.games.ofc.exact.expectation import Expected, mean_eleven_cards
from bromeliad.games.ofc.exact.pairs import ExactContext
from bromeliad.games.ofc.game import OfcGame
from bromeliad.games.ofc.hands.placements import count_placements
from bromeliad.games.ofc.spot import Spot
from bromeliad.games.ofc.values.hand_state import Field, HandState, board_value
from bromeliad.games.ofc.values.heuristics import is_pair_street
from bromeliad.games.ofc.values.weights import ErrorModel, find_weights
from bromeliad.search import Cancel, Searcher, SearchParams, SearchResult, warm

SPLIT_PLAYOUTS = 200
"""Playouts behind the parts of a sampled EV (foul, fantasyland, royalties), if there is time for them."""

SPLIT_CHUNK = 20
"""Playouts of each placement between two checks of the clock."""

# With many placements, the first round has _SHARE * sqrt(simulations) of them; chosen by measured regret.
_FEW = 30  # up to this number, all placements are tried
_LEAST = 8
_SHARE = 0.25
_SHRINKAGE = 150.0  # a learned value counts as this many simulations
_SPEED = 60_000  # approximate simulations per second and thread; used only for the first round


def default_params(**changes: object) -> SearchParams:
    """Return the search parameters for this game with some changes; docs/strength.md has the measurements."""
    base = SearchParams(
        root_policy="halving",
        shrinkage=_SHRINKAGE,
        playout_random=0.0,
        early_stop="settled",
        settled_expected=0.002,
        final_choice="value",
        puct_c=2.0,
    )
    return base.but(**changes)


def suit_params(spot: Spot, params: SearchParams) -> SearchParams:
    """Return the parameters adapted to a spot; docs/strength.md has the measurements.

    The first street has 232 placements. A short search of all of them learns next to nothing about each, so it begins
    with the best-looking ones, as many as the budget can distinguish. Later streets have so few placements that leaving
    some out costs more than it saves. On the first two streets playouts are long and vary a lot, so means are shrunk
    towards the learned values; later, means are better than learned values after a few simulations.
    """
    if spot.street_index > 1 and params.shrinkage == _SHRINKAGE:
        params = params.but(shrinkage=0.0)
    street = spot.rules.streets[spot.street_index]
    free = [row.position.size - len(row.cards) for row in spot.board.rows]
    if params.first_round is not None or count_placements(street.deal, *free, street.place) <= _FEW:
        return params
    budgets = [params.simulation_limit, params.seconds and params.seconds * params.threads * _SPEED]
    simulations = min(budget for budget in budgets if budget is not None)
    return params.but(first_round=max(_LEAST, round(_SHARE * math.sqrt(simulations))))


def error_model(spot: Spot) -> ErrorModel:
    """Return the errors that searched means have on this street besides sampling error, as measured in training."""
    found = find_weights(spot.rules, spot.foul_cost, spot.fantasyland_worth)
    errors = found[1].errors if found else ()
    return errors[spot.street_index] if spot.street_index < len(errors) else ErrorModel()


def search_spot(
    spot: Spot,
    params: SearchParams,
    searcher: Searcher | None = None,
    on_progress: OnProgress | None = None,
    cancel: Cancel | None = None,
    state: HandState | None = None,
) -> SearchResult:
    """Search a spot that has cards to place; ``state`` gives the objective, by default solo."""
    game = OfcGame(spot.rules)
    root = state or spot.to_search_state()
    return (searcher or Searcher()).search(
        game.info, root, suit_params(spot, params), on_progress=on_progress, cancel=cancel
    )


class _Scratch(NamedTuple):
    """Scratch arrays of :func:`split_actions`."""

    actions: NDArray[np.int64]
    means: NDArray[np.float64]


@kernel
def _split(
    root: HandState, state: HandState, action: int, scratch: _Scratch, rng: Rng, count: int, sums: Floats
) -> None:
    """Play ``count`` hands to the end after a placement, and add up the parts of their values."""
    for _ in range(count):
        copy_into(state, root)
        apply(state, action)
        while True:
            mover = to_play(state)
            if mover == TERMINAL:
                value, fouled, royalties, cards = board_value(state)
                scratch.means[Expected.VALUE] = value
                scratch.means[Expected.FOUL] = fouled
                scratch.means[Expected.FANTASYLAND] = cards > 0
                scratch.means[Expected.ROYALTIES] = royalties
                break
            if mover == CHANCE and is_pair_street(state, state.v[Field.STREET]):
                v = state.v
                context = ExactContext(
                    state.tables, state.worth, state.pay, state.opponent_tables, v[Field.SEEN], v[Field.FANTASYLAND]
                )
                board = v[Field.MASK] | v[Field.MASK + 1] | v[Field.MASK + 2]
                free = v[Field.FREE], v[Field.FREE + 1], v[Field.FREE + 2]
                rows = v[Field.ROW], v[Field.ROW + 1], v[Field.ROW + 2]
                mean_eleven_cards(
                    context, rows[0], rows[1], rows[2], free, board, v[Field.DECK], state.scratch, scratch.means
                )
                break
            if mover == CHANCE:
                apply(state, sample_chance(state, rng))
            else:
                apply(state, playout_action(state, scratch.actions, rng))
        for i in range(Expected.SIZE):
            sums[i] += scratch.means[i]


def split_actions(
    spot: Spot, state: HandState, actions: Sequence[int], seed: int, cancel: Cancel | None = None
) -> NDArray[np.float64]:
    """Return the means of placements' parts (a row each; offsets: ``Expected``) over playouts of the search's own kind.

    Every placement gets the same number of playouts: at least ``SPLIT_CHUNK``, then more until ``cancel`` ends it.
    """
    ended = cancel or Cancel()
    sums = np.zeros((len(actions), Expected.SIZE))
    scratch = _Scratch(np.zeros(OfcGame(spot.rules).info.max_actions, np.int64), np.zeros(Expected.SIZE))
    work, generators = clone(state), [new_rng(seed) for _ in actions]
    played = 0
    while played < SPLIT_PLAYOUTS and not (played and ended()):
        for action, rng, row in zip(actions, generators, sums, strict=True):
            _split(state, work, int64(action), scratch, rng, SPLIT_CHUNK, row)
        played += SPLIT_CHUNK
    return sums / played


def example_line(spot: Spot, root: HandState, action: int, seed: int) -> tuple[str, ...]:
    """Return an example of how a hand may continue after a placement: random deals, placed as in playouts."""
    game, state, rng = OfcGame(spot.rules), clone(root), new_rng(seed)
    scratch = np.zeros(game.info.max_actions, np.int64)
    words = []
    while to_play(state) != TERMINAL:
        words.append(game.action_to_string(state, action))
        apply(state, action)
        mover = to_play(state)
        if mover != TERMINAL:
            action = int(sample_chance(state, rng) if mover == CHANCE else playout_action(state, scratch, rng))
    return tuple(words)


@warmup
def _warm_up() -> None:
    from bromeliad.games.ofc.rules.files import preset
    from bromeliad.games.ofc.spot import parse_spot

    spot = parse_spot(preset("pineapple"), board="Qd / 9c 9s / As Ac", cards="Kc 8d 3s")
    state = spot.to_search_state()
    warm(OfcGame(spot.rules).info, state)
    split_actions(spot, state, [0b111001], 1)
