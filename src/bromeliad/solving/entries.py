"""Turns the results of each method into entries of an answer: every number is exact, sampled or unknown."""

import math
from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.budget import Cancel
from bromeliad.core.game import State, clone
from bromeliad.core.jit import int64
from bromeliad.games.ofc.book.file import BookEntry
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES
from bromeliad.games.ofc.spot import Spot
from bromeliad.games.ofc.values.hand_state import FOUL_COST, HandState
from bromeliad.games.ofc.values.weights import ErrorModel
from bromeliad.solving.answer import ActionAnswer
from bromeliad.solving.entry import counted_fields, entry, in_order, p_fantasyland, settled_entries
from bromeliad.solving.plan import Plan

if TYPE_CHECKING:
    from bromeliad.games.ofc.exact.earlier_streets import ExactValues
    from bromeliad.games.ofc.exact.last_street import LastStreet, Versus
    from bromeliad.games.ofc.fantasyland.solve import FantasylandAnswer
    from bromeliad.search import ActionStatistics, SearchResult

ENOUGH = 30
"""Simulations that a placement needs to be ranked."""


def last_street_actions(spot: Spot, answer: "LastStreet") -> tuple[ActionAnswer, ...]:
    """Return the placements of a last street, best first."""
    actions = [Action.from_code(spot.cards, int(code)) for code in answer.codes]
    return _finished_entries(spot, actions, answer, answer.versus)


def fantasyland_actions(spot: Spot, answer: "FantasylandAnswer") -> tuple[ActionAnswer, ...]:
    """Return the arrangements of a fantasyland hand against finished opponents, best first."""
    from bromeliad.games.ofc.exact.last_street import meet_boards

    rows = [*zip(answer.top, answer.middle, answer.back, answer.discards, strict=True)]
    actions = [Action.from_masks(*masks) for masks in rows]
    met = meet_boards(spot, [masks[:3] for masks in rows]) if spot.objective == "versus" else None
    return _finished_entries(spot, actions, answer, met)


def _finished_entries(
    spot: Spot, actions: Sequence[Action], answer: "LastStreet | FantasylandAnswer", met: "Versus | None"
) -> tuple[ActionAnswer, ...]:
    """Return the entries of placements that fill the board."""
    if met is not None:
        return settled_entries(spot, actions, met)
    best, entries = float(answer.value[0]), []
    for i, action in enumerate(actions):
        ev, foul, royalties = float(answer.value[i]), float(answer.foul[i]), float(answer.royalties[i])
        fantasyland = float(answer.cards[i] > 0)
        entries.append(entry(action, ev, best, **counted_fields(spot, ev, foul, fantasyland, royalties)))
    return tuple(entries)


def exact_actions(spot: Spot, values: "ExactValues") -> tuple[ActionAnswer, ...]:
    """Return the placements of an earlier street, best first; those that a cancelled run did not reach come last."""
    from bromeliad.games.ofc.exact.expectation import Expected

    known = values.means[:, Expected.VALUE]
    best = None if np.isnan(known).all() else float(np.nanmax(known))
    actions = []
    for code, means in zip(values.codes, values.means, strict=True):
        action = Action.from_code(spot.cards, int(code))
        if math.isnan(means[Expected.VALUE]):
            actions.append(entry(action, None, None))
            continue
        value, foul, fantasyland, royalties = map(float, means)
        actions.append(entry(action, value, best, **counted_fields(spot, value, foul, fantasyland, royalties)))
    return in_order(actions)


def book_actions(spot: Spot, entries: Sequence[BookEntry]) -> tuple[ActionAnswer, ...]:
    """Return all placements of a first deal: those in the book, best first, then the others, without an EV."""
    best = entries[0]
    known = [
        entry(
            Action.from_code(spot.cards, item.code),
            item.ev,
            best.ev,
            stderr=item.stderr,
            loss_stderr=0.0 if item is best else math.hypot(item.stderr, best.stderr),  # a book has no paired errors
            exact=False,
            visits=item.visits,
            p_foul=item.p_foul,
            p_fantasyland=p_fantasyland(spot, item.p_foul, item.p_fantasyland),
            royalties=item.royalties,
        )
        for item in entries
    ]
    codes = {item.code for item in entries}
    others = {}
    for rows in product((1, 2, 3), repeat=len(spot.cards)):
        action = Action.from_code(spot.cards, sum(row << (2 * i) for i, row in enumerate(rows)))
        if len(action.top) <= ROW_SIZES[0]:
            others[action.to_code()] = action  # placements that only swap two jokers count as one
    return *known, *(entry(action, None, None) for code, action in sorted(others.items()) if code not in codes)


# --- searches -----------------------------------------------------------------------------------------------------


def searched_actions(plan: Plan, result: "SearchResult", cancel: Cancel) -> tuple[ActionAnswer, ...]:
    """Return all placements, best first; placements searched too little to be ranked have no EV and come last.

    Chances and royalties are sampled until ``cancel`` ends it. They do not come from the sample behind the EV, so the
    EV has no parts.
    """
    from bromeliad.games.ofc.search_spot import error_model, split_actions

    spot, seed = plan.spot, plan.request.seed
    best, errors = ranked_best(result.actions), error_model(spot)
    guesses = learned_guesses(plan.state, result.actions, best)
    ranked = [item.action for item in result.actions if is_ranked(item, best)]
    means = dict(zip(ranked, split_actions(spot, plan.state, ranked, seed, cancel), strict=True))
    actions = [
        _searched_entry(spot, item, best, means.get(item.action), errors, guesses.get(item.action))
        for item in result.actions
    ]
    return in_order((*actions, *left_out_actions(plan, plan.state, result, best)))


def ranked_best(items: "Sequence[ActionStatistics]") -> "ActionStatistics | None":
    """Return the action that a search chose, or None if it tried none."""
    return items[0] if items and items[0].visits else None


def is_ranked(item: "ActionStatistics", best: "ActionStatistics | None") -> bool:
    """Return whether a search can rank a placement.

    The search chooses among the placements that it kept to the end. A placement that was dropped early may show a
    higher value, or one from a few lucky simulations; such values are no basis for a ranking.
    """
    if best is None or not item.visits or not math.isfinite(item.score):
        return False
    return item is best or (item.visits >= min(ENOUGH, best.visits) and item.score <= best.score)


def learned_guesses(
    state: State, items: "Sequence[ActionStatistics]", best: "ActionStatistics | None"
) -> dict[int, float]:
    """Return, by code, the learned values of placements that a search did not rank."""
    from bromeliad.search.halving import estimate_children

    codes = np.array([item.action for item in items if not is_ranked(item, best)], np.int64)
    guesses = np.zeros(len(codes))
    estimate_children(state, clone(state), codes, int64(0), guesses)
    return dict(zip(codes.tolist(), guesses.tolist(), strict=True))


def left_out_actions(
    plan: Plan, state: HandState, result: "SearchResult", best: "ActionStatistics | None"
) -> tuple[ActionAnswer, ...]:
    """Return the placements that a search left out because the board must foul after them."""
    searched = {item.action for item in result.actions}
    left_out = (int(code) for code in plan.codes if int(code) not in searched)
    value, spot = -float(state.worth[FOUL_COST]), plan.spot
    error = None if best is None else stated_error(best.error)
    return tuple(
        entry(
            Action.from_code(spot.cards, code),
            value,
            None if best is None else max(best.score, value),
            loss_stderr=error,
            **counted_fields(spot, value, 1.0, 0.0, 0.0),
        )
        for code in left_out
    )


def searched_so_far(spot: Spot, items: "Sequence[ActionStatistics]") -> tuple[ActionAnswer, ...]:
    """Return the ranked placements of a running search, without their chances."""
    from bromeliad.games.ofc.search_spot import error_model

    best, errors = ranked_best(items), error_model(spot)
    return in_order(_searched_entry(spot, item, best, None, errors, None) for item in items if is_ranked(item, best))


def _searched_entry(
    spot: Spot,
    item: "ActionStatistics",
    best: "ActionStatistics | None",
    means: NDArray[np.float64] | None,
    errors: ErrorModel,
    guess: float | None,
) -> ActionAnswer:
    """Return the entry of a searched placement; ``errors`` models what adds to the sampling error."""
    action = Action.from_code(spot.cards, item.action)
    if best is None or not is_ranked(item, best):
        return entry(action, None, None, visits=item.visits, guess=guess)
    from bromeliad.games.ofc.exact.expectation import Expected

    foul, fantasyland, royalties = (None, None, None) if means is None else map(float, means[Expected.FOUL :])
    error, loss_error = searched_errors(item, best, errors)
    return entry(
        action,
        item.score,
        best.score,
        stderr=stated_error(error),
        loss_stderr=stated_error(loss_error),
        exact=False,
        visits=item.visits,
        p_foul=foul,
        p_fantasyland=p_fantasyland(spot, foul, fantasyland),
        royalties=royalties,
    )


def searched_errors(item: "ActionStatistics", best: "ActionStatistics", errors: ErrorModel) -> tuple[float, float]:
    """Return the standard errors of a searched EV and of its loss.

    Without a fitted model of the errors, the distance by which shrinking moved a mean counts as an error too: it moved
    towards a rule of thumb, which may be far off. Equal simulations have an error, too, as if one differed by a point.
    """
    error, loss_error = errors.stated(item.error, item.visits), errors.stated_loss(item.loss_error, item.visits)
    if errors != ErrorModel() or not math.isfinite(item.mean):
        return error, loss_error
    moved, best_moved = item.score - item.mean, best.score - best.mean
    error, loss_error = math.hypot(error, moved), math.hypot(loss_error, moved - best_moved)
    surprise = 1.0 / math.sqrt(item.visits * max(item.visits - 1, 1))
    return error or surprise, loss_error if item is best else loss_error or surprise


def stated_error(error: float) -> float | None:
    """Return a standard error, or None if it is unknown."""
    return error if math.isfinite(error) else None
