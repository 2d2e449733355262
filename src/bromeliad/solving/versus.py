"""Values spots against sampled opponents, as entries of an answer: every EV has its error."""

import math
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bromeliad.core.budget import Cancel, OnProgress, Progress
from bromeliad.games.ofc.exact.earlier_streets import ExactValues
from bromeliad.games.ofc.exact.expectation import Expected
from bromeliad.games.ofc.exact.last_street import meet_boards, solve_last_street
from bromeliad.games.ofc.exact.replies import Replies
from bromeliad.games.ofc.exact.settlement import Part
from bromeliad.games.ofc.fantasyland.solve import solve_fantasyland
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.opponents.endings import bank_of_boards, opponent_replies
from bromeliad.games.ofc.opponents.sampling import opponent_banks
from bromeliad.games.ofc.opponents.versus import VersusParts, VersusSpot, bank_size, sample_opponents
from bromeliad.games.ofc.search_spot import error_model
from bromeliad.search import ActionStatistics, SearchResult
from bromeliad.solving.answer import ActionAnswer
from bromeliad.solving.entries import (
    is_ranked,
    last_street_actions,
    learned_guesses,
    left_out_actions,
    ranked_best,
    searched_errors,
    stated_error,
)
from bromeliad.solving.entry import entry, in_order, p_fantasyland, settled_entries
from bromeliad.solving.plan import Plan

PLAYOUTS = 100
"""Playouts of the player's own hand behind the parts of an EV."""

_ROUND_SEEDS = 1 << 40  # between the seeds of two rounds of samples, below _SEEDS
_SEEDS = 1 << 63
_FEW = 10  # playouts behind an error that is used for all placements
_FEWEST, _MOST, _PER_SECOND = 50, 1000, 500  # boards of a fantasyland hand that are compared with the opponents'
_REPRODUCIBLE = 200  # the number of these boards if the budget is a number of simulations


def opponents_of(plan: Plan) -> VersusSpot:
    """Return the plan's spot with sampled boards of its opponents."""
    request = plan.request
    return sample_opponents(
        plan.spot,
        bank_size(plan.budget.seconds),
        request.seed,
        inferred=request.discards == "inferred",
        habits=plan.habits,
        alone=plan.state,
    )


def part_fields(against: VersusSpot, parts: VersusParts) -> dict[str, float | None]:
    """Return the parts of an EV as fields of an entry."""
    return {
        "p_foul": parts.p_foul,
        "p_fantasyland": p_fantasyland(against.spot, parts.p_foul, parts.p_fantasyland),
        "royalties": parts.royalties,
        "p_scoop": parts.p_scoop,
        "row_points": parts.row_points,
        "opponent_royalties": against.opponent_royalties,
        "opponent_p_foul": against.opponent_p_foul,
        "opponent_p_fantasyland": against.opponent_p_fantasyland,
    }


def last_street_against(plan: Plan, on_progress: OnProgress | None, cancel: Cancel) -> tuple[ActionAnswer, ...]:
    """Return the placements of a last street, best first, valued against the boards that opponents may finish with.

    Without an early stop, opponents are sampled again, in rounds, until the time is up or the work is cancelled.
    """
    spot, request, start = plan.spot, plan.request, time.perf_counter()
    goes_by = spot.to_state().worth
    if plan.habits is not None:
        goes_by = goes_by * plan.habits.fantasyland

    def replies(number: int) -> list[Replies]:
        return opponent_replies(
            spot,
            bank_size(plan.budget.seconds),
            (request.seed + number * _ROUND_SEEDS) % _SEEDS,
            inferred=request.discards == "inferred",
            habits=plan.habits,
        )

    def more() -> Iterator[list[Replies]]:
        number, seconds = 1, plan.budget.seconds
        while seconds is not None and not request.early_stop and not cancel():
            if (time.perf_counter() - start) * (number + 1) / number > seconds:
                return  # another round would be late
            if on_progress is not None:
                on_progress(Progress((time.perf_counter() - start) / seconds))
            yield replies(number)
            number += 1

    return last_street_actions(spot, solve_last_street(spot, replies(0), goes_by, more()))


def fantasyland_against(plan: Plan) -> tuple[ActionAnswer, ...]:
    """Return the best boards of a fantasyland hand: the best solo boards, ranked by what they win.

    The opponents do not see the player's board before the showdown, so they are sampled as if they played alone.
    """
    spot, request = plan.spot, plan.request
    inferred = request.discards == "inferred"
    count = bank_size(plan.budget.seconds)
    banks = opponent_banks(spot, count, request.seed, inferred=inferred, habits=plan.habits)
    hidden = (0,) * len(spot.opponents) + spot.hidden
    alone = solve_fantasyland(replace(spot, objective="solo", opponents=(), hidden=()), _considered(plan))
    rows = [*zip(alone.top, alone.middle, alone.back, alone.discards, strict=True)]
    met = meet_boards(spot, [row[:3] for row in rows], [*map(bank_of_boards, banks, hidden)])  # at least one is sampled
    order = np.lexsort((met.parts[:, Part.FOULED], -met.value))[: plan.listed]
    return settled_entries(spot, [Action.from_masks(*rows[i]) for i in order], met.ordered(order))


def _considered(plan: Plan) -> int:
    """Return how many boards of a fantasyland hand to rank, however many are listed."""
    seconds = plan.budget.seconds
    return _REPRODUCIBLE if seconds is None else int(min(max(_PER_SECOND * seconds, _FEWEST), _MOST))


def counted_against(against: VersusSpot, values: ExactValues, seed: int, cancel: Cancel) -> tuple[ActionAnswer, ...]:
    """Return placements, best first, for which the player's deals were all counted; those not reached come last."""
    evs = values.means[:, Expected.VALUE]
    order = np.argsort(np.where(np.isnan(evs), np.inf, -evs), kind="stable")
    split = _Split(against, seed, cancel)
    entries = []
    for i in order:
        action = Action.from_code(against.spot.cards, int(values.codes[i]))
        if math.isnan(evs[i]):
            entries.append(entry(action, None, None))
            continue
        found = split.of(int(values.codes[i]))
        if found.parts is not None:  # counted figures of the player's own hand are better than sampled ones
            _, foul, fantasyland, royalties = (float(mean) for mean in values.means[i])
            counted = found.parts._replace(p_foul=foul, p_fantasyland=fantasyland, royalties=royalties)
            found = found._replace(parts=counted)
        entries.append(_entry(against, action, (float(evs[i]), float(evs[order[0]])), found, (0.0, 0.0)))
    return tuple(entries)


def searched_against(plan: Plan, against: VersusSpot, result: SearchResult, cancel: Cancel) -> tuple[ActionAnswer, ...]:
    """Return all placements, best first; placements searched too little to be ranked have no EV and come last."""
    best = ranked_best(result.actions)
    guesses = learned_guesses(against.state, result.actions, best)
    split = _Split(against, plan.request.seed, cancel)
    entries = [_searched_entry(against, item, best, split, guesses.get(item.action)) for item in result.actions]
    left_out = left_out_actions(plan, against.state, result, best)
    return in_order((*entries, *with_opponents_error(plan, against, left_out)))


def with_opponents_error(
    plan: Plan, against: VersusSpot, actions: tuple[ActionAnswer, ...]
) -> tuple[ActionAnswer, ...]:
    """Return entries whose errors include that of the sampled opponents, estimated once, for the first placement."""
    if against.is_certain or not actions:
        return actions
    error = against.parts(int(plan.codes[0]), _FEW, 1).stderr
    return tuple(
        action.model_copy(update={"exact": False, "stderr": math.hypot(action.stderr, error)})
        if action.ev is not None and action.stderr is not None
        else action
        for action in actions
    )


class _Found(NamedTuple):
    """The parts of an EV, if there was time to sample them, and what sampled opponents add to the errors."""

    parts: VersusParts | None
    error: float
    loss_error: float


class _Split:
    """Splits EVs into their parts while there is time; the first placement, the best, is always split."""

    def __init__(self, against: VersusSpot, seed: int, cancel: Cancel) -> None:
        self._against, self._seed, self._cancel = against, seed, cancel
        self._best: VersusParts | None = None

    def of(self, action: int) -> _Found:
        """Return the parts and errors of a placement; once time is up, no parts and the errors of the best one."""
        if self._best is not None and self._cancel():
            return _Found(None, self._best.stderr, math.sqrt(2.0) * self._best.stderr)
        parts = self._against.parts(action, PLAYOUTS, self._seed)
        self._best = self._best or parts
        return _Found(parts, parts.stderr, self._against.loss_stderr(parts, self._best))


def _searched_entry(
    against: VersusSpot, item: ActionStatistics, best: ActionStatistics | None, split: _Split, guess: float | None
) -> ActionAnswer:
    action = Action.from_code(against.spot.cards, item.action)
    if best is None or not is_ranked(item, best):
        return entry(action, None, None, visits=item.visits, guess=guess)
    own, found = searched_errors(item, best, error_model(against.spot)), split.of(item.action)
    return _entry(against, action, (item.score, best.score), found, own, item.visits)


def _entry(
    against: VersusSpot,
    action: Action,
    values: tuple[float, float],
    found: _Found,
    own_errors: tuple[float, float],
    visits: int = 0,
) -> ActionAnswer:
    """Return an entry whose errors combine those of the player's own hand and of the sampled opponents.

    Parameters
    ----------
    values
        EV of the placement and of the best one.
    own_errors
        Errors of the EV and of its loss that come from the player's own hand.
    """
    return entry(
        action,
        *values,
        stderr=stated_error(math.hypot(own_errors[0], found.error)),
        loss_stderr=stated_error(math.hypot(own_errors[1], found.loss_error)),
        exact=against.is_certain and own_errors[0] == 0.0,
        visits=visits,
        **(part_fields(against, found.parts) if found.parts is not None else {}),
    )
