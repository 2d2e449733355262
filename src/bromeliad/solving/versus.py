"""Spots against opponents who are still playing, as entries of an answer: every EV says how sure it is."""

import math
from dataclasses import replace

import numpy as np

from bromeliad.core.budget import Cancel
from bromeliad.games.ofc.exact.earlier_streets import ExactValues
from bromeliad.games.ofc.exact.expectation import Expected
from bromeliad.games.ofc.fantasyland.solve import solve_fantasyland
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.opponents.versus import VersusParts, VersusSpot, bank_size, sample_opponents
from bromeliad.games.ofc.rules.scoring import score_board
from bromeliad.games.ofc.search_spot import error_model
from bromeliad.search import ActionStatistics, SearchResult
from bromeliad.solving.answer import ActionAnswer
from bromeliad.solving.entries import entry, left_out_actions, p_fantasyland
from bromeliad.solving.plan import Plan

__all__ = [
    "counted_against",
    "fantasyland_against",
    "last_street_against",
    "opponents_of",
    "part_fields",
    "searched_against",
    "with_opponents_error",
]

PLAYOUTS = 100
"""Ends of the own hand behind the parts of an EV."""

_FEW = 10  # of them, where one error stands for all
_CONSIDERED = 50  # boards of a fantasyland hand, the best by themselves, that meet the opponents' boards


def opponents_of(plan: Plan) -> VersusSpot:
    """Return the plan's spot with its opponents' boards sampled."""
    request = plan.request
    return sample_opponents(
        plan.spot,
        bank_size(plan.budget.seconds),
        request.seed,
        inferred=request.discards == "inferred",
        habits=request.opponent_model,
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


def last_street_against(plan: Plan, against: VersusSpot) -> tuple[ActionAnswer, ...]:
    """Return the placements of a last street, best first: each meets every sampled board."""
    codes = map(int, plan.codes)
    found = [(Action.from_code(plan.spot.cards, code), against.parts(code, 1, 1)) for code in codes]
    return _settled_entries(against, found)


def fantasyland_against(against: VersusSpot, count: int) -> tuple[ActionAnswer, ...]:
    """Return the best boards of a fantasyland hand: those best by themselves, ranked by what they win."""
    spot = against.spot
    alone = solve_fantasyland(replace(spot, objective="solo", opponents=(), hidden=()), max(count, _CONSIDERED))
    found = []
    for masks in zip(alone.top, alone.middle, alone.back, alone.discards, strict=True):
        scored = np.zeros((1, against.banks[0].shape[1]), np.int64)
        score_board(against.state.tables, *masks[:3], len(spot.cards), masks[0] | masks[1] | masks[2], scored[0])
        found.append((Action.from_masks(*masks), against.settled(scored)))
    return _settled_entries(against, found)[:count]


def _settled_entries(against: VersusSpot, found: list[tuple[Action, VersusParts]]) -> tuple[ActionAnswer, ...]:
    """Return entries of full boards, best first, of equal ones those that do not foul."""
    found.sort(key=lambda item: (-item[1].value, item[1].p_foul))
    best = found[0][1].value
    return tuple(_entry(against, action, parts.value, best, parts, 0.0, parts.stderr) for action, parts in found)


def counted_against(against: VersusSpot, values: ExactValues, seed: int, cancel: Cancel) -> tuple[ActionAnswer, ...]:
    """Return placements whose own deals were all counted, best first; those that were not reached come last."""
    evs = values.means[:, Expected.VALUE]
    order = np.argsort(np.where(np.isnan(evs), np.inf, -evs), kind="stable")
    best = None if np.isnan(evs[order[0]]) else float(evs[order[0]])
    split = _Split(against, seed, cancel)
    entries = []
    for i in order:
        action = Action.from_code(against.spot.cards, int(values.codes[i]))
        if math.isnan(evs[i]):
            entries.append(entry(action, None, None))
            continue
        parts, error = split.of(int(values.codes[i]))
        if parts is not None:  # what is counted of the own hand is better than what was played out
            _, foul, fantasyland, royalties = (float(mean) for mean in values.means[i])
            parts = parts._replace(p_foul=foul, p_fantasyland=fantasyland, royalties=royalties)
        entries.append(_entry(against, action, float(evs[i]), best, parts, 0.0, error))
    return tuple(entries)


def searched_against(plan: Plan, against: VersusSpot, result: SearchResult, cancel: Cancel) -> tuple[ActionAnswer, ...]:
    """Return all placements in the order of the search; what it never tried has no EV, what must foul comes last."""
    best = result.actions[0].mean if result.actions[0].visits else None
    split = _Split(against, plan.request.seed, cancel)
    entries = [_searched_entry(against, item, best, split) for item in result.actions]
    return *entries, *with_opponents_error(plan, against, left_out_actions(plan, against.state, result, best))


def with_opponents_error(
    plan: Plan, against: VersusSpot, actions: tuple[ActionAnswer, ...]
) -> tuple[ActionAnswer, ...]:
    """Return entries, their errors with what sampled opponents bring: that of the first placement stands for all."""
    if against.is_certain or not actions:
        return actions
    error = against.parts(int(plan.codes[0]), _FEW, 1).stderr
    return tuple(
        action.model_copy(update={"exact": False, "stderr": math.hypot(action.stderr, error)})
        if action.ev is not None and action.stderr is not None
        else action
        for action in actions
    )


class _Split:
    """Splits EVs into their parts while there is time; the first placement, the best, is split in any case."""

    def __init__(self, against: VersusSpot, seed: int, cancel: Cancel) -> None:
        self._against, self._seed, self._cancel = against, seed, cancel
        self._error = 0.0

    def of(self, action: int) -> tuple[VersusParts | None, float]:
        """Return the parts, if there is time, and the error that sampled opponents bring; else the best one's error."""
        if self._error and self._cancel():
            return None, self._error
        parts = self._against.parts(action, PLAYOUTS, self._seed)
        self._error = self._error or parts.stderr
        return parts, parts.stderr


def _searched_entry(against: VersusSpot, item: ActionStatistics, best: float | None, split: _Split) -> ActionAnswer:
    action = Action.from_code(against.spot.cards, item.action)
    if not item.visits:
        return entry(action, None, None)
    parts, error = split.of(item.action)
    own = error_model(against.spot).stated(item.error, item.visits) if math.isfinite(item.error) else math.inf
    return _entry(against, action, item.mean, best, parts, own, error, item.visits)


def _entry(
    against: VersusSpot,
    action: Action,
    ev: float,
    best: float | None,
    parts: VersusParts | None,
    own_error: float,
    opponents_error: float,
    visits: int = 0,
) -> ActionAnswer:
    """Return an entry; its error has what is sampled of the own hand and of the opponents'."""
    error = math.hypot(own_error, opponents_error)
    return entry(
        action,
        ev,
        best,
        stderr=error if math.isfinite(error) else None,
        exact=against.is_certain and own_error == 0.0,
        visits=visits,
        **(part_fields(against, parts) if parts is not None else {}),
    )
