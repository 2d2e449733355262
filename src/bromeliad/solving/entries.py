"""What the methods found, as entries of an answer: every number labelled exact, sampled, or not known."""

import math
from collections.abc import Iterable, Sequence
from itertools import product

import numpy as np

from bromeliad.core.budget import Cancel
from bromeliad.games.ofc.book.file import BookEntry
from bromeliad.games.ofc.exact.earlier_streets import ExactValues
from bromeliad.games.ofc.exact.expectation import Expected
from bromeliad.games.ofc.exact.last_street import LastStreet
from bromeliad.games.ofc.fantasyland.solve import FantasylandAnswer
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES
from bromeliad.games.ofc.rules.showdown import show_down
from bromeliad.games.ofc.spot import Spot
from bromeliad.games.ofc.values.hand_state import FOUL_COST, HandState
from bromeliad.games.ofc.values.weights import ErrorModel
from bromeliad.search import ActionStatistics, SearchResult
from bromeliad.solving.answer import ActionAnswer
from bromeliad.solving.plan import Plan

__all__ = [
    "book_actions",
    "entry",
    "exact_actions",
    "fantasyland_actions",
    "last_street_actions",
    "lead",
    "left_out_actions",
    "p_fantasyland",
    "searched_actions",
    "searched_so_far",
]


def _names(cards: Iterable[object]) -> tuple[str, ...]:
    return tuple(str(card) for card in cards)


def entry(
    action: Action,
    ev: float | None,
    best: float | None,
    *,
    stderr: float | None = 0.0,
    exact: bool = True,
    visits: int = 0,
    p_foul: float | None = None,
    p_fantasyland: float | None = None,
    royalties: float | None = None,
    p_scoop: float | None = None,
    row_points: float | None = None,
    opponent_royalties: float | None = None,
    opponent_p_foul: float | None = None,
    opponent_p_fantasyland: float | None = None,
) -> ActionAnswer:
    """Return one entry of an answer; where ``ev`` is None, nothing is known."""
    known = ev is not None and best is not None
    return ActionAnswer(
        top=_names(action.top),
        middle=_names(action.middle),
        back=_names(action.back),
        discards=_names(action.discards),
        ev=ev,
        ev_loss=max(best - ev, 0.0) if known else None,  # type: ignore[operator]
        stderr=stderr if known else None,
        exact=exact and known,
        visits=visits,
        p_foul=p_foul,
        p_fantasyland=p_fantasyland,
        royalties=royalties,
        p_scoop=p_scoop,
        row_points=row_points,
        opponent_royalties=opponent_royalties,
        opponent_p_foul=opponent_p_foul,
        opponent_p_fantasyland=opponent_p_fantasyland,
    )


def p_fantasyland(spot: Spot, foul: float | None, by_board: float | None) -> float | None:
    """Return the probability of fantasyland; where the first deal decided, every board that does not foul has it."""
    if foul is None or spot.rules.fantasyland.first_street is None:
        return by_board
    return 1.0 - foul if spot.fantasyland_cards else 0.0


def last_street_actions(spot: Spot, answer: LastStreet) -> tuple[ActionAnswer, ...]:
    """Return the placements of a last street, best first."""
    return tuple(
        _finished_entry(spot, answer, i, Action.from_code(spot.cards, int(code))) for i, code in enumerate(answer.codes)
    )


def fantasyland_actions(spot: Spot, answer: FantasylandAnswer) -> tuple[ActionAnswer, ...]:
    """Return the arrangements of a fantasyland hand, best first."""
    rows = zip(answer.top, answer.middle, answer.back, answer.discards, strict=True)
    return tuple(_finished_entry(spot, answer, i, Action.from_masks(*masks)) for i, masks in enumerate(rows))


def _finished_entry(spot: Spot, answer: LastStreet | FantasylandAnswer, i: int, action: Action) -> ActionAnswer:
    """Return the entry of a placement that fills the board: everything about it is known."""
    versus = spot.objective == "versus"
    others = show_down(spot.rules, spot.opponents).players if versus else ()
    foul = float(answer.foul[i])
    return entry(
        action,
        float(answer.value[i]),
        float(answer.value[0]),
        p_foul=foul,
        p_fantasyland=p_fantasyland(spot, foul, float(answer.cards[i] > 0)),
        royalties=float(answer.royalties[i]),
        p_scoop=float(answer.scoops[i]) if versus else None,
        row_points=float(answer.row_points[i]) if versus else None,
        opponent_royalties=float(sum(player.royalties for player in others)) if versus else None,
        opponent_p_foul=sum(player.fouled for player in others) / len(others) if versus else None,
        opponent_p_fantasyland=sum(player.fantasyland > 0 for player in others) / len(others) if versus else None,
    )


def exact_actions(spot: Spot, values: ExactValues) -> tuple[ActionAnswer, ...]:
    """Return the placements of an earlier street, best first; those that a cancelled run did not reach come last."""
    evs = values.means[:, Expected.VALUE]
    order = np.argsort(np.where(np.isnan(evs), np.inf, -evs), kind="stable")
    best = None if np.isnan(evs[order[0]]) else float(evs[order[0]])
    actions = []
    for i in order:
        value, foul, fantasyland, royalties = (None if math.isnan(x) else float(x) for x in values.means[i])
        action = Action.from_code(spot.cards, int(values.codes[i]))
        fantasyland = p_fantasyland(spot, foul, fantasyland)
        actions.append(entry(action, value, best, p_foul=foul, p_fantasyland=fantasyland, royalties=royalties))
    return tuple(actions)


def book_actions(spot: Spot, entries: Sequence[BookEntry]) -> tuple[ActionAnswer, ...]:
    """Return all placements of a first deal: those of a book, best first, then the others without an EV."""
    best = entries[0].ev
    known = [
        entry(
            Action.from_code(spot.cards, item.code),
            item.ev,
            best,
            stderr=item.stderr,
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
            others[action.to_code()] = action  # of two placements that differ by two jokers, one
    return *known, *(entry(action, None, None) for code, action in sorted(others.items()) if code not in codes)


def searched_actions(plan: Plan, result: SearchResult, cancel: Cancel) -> tuple[ActionAnswer, ...]:
    """Return all placements in the order of the search; what it never tried has no EV, what must foul comes last.

    Parts of the EV are sampled for the best placements until ``cancel`` says that it is enough.
    """
    from bromeliad.games.ofc.search_spot import error_model, split_action

    spot, seed = plan.spot, plan.request.seed
    errors = error_model(spot)
    best = result.actions[0].mean if result.actions[0].visits else None
    actions = []
    for item in result.actions:
        parts = split_action(spot, plan.state, item.action, seed, cancel) if item.visits else None
        actions.append(_searched_entry(spot, item, best, parts, errors))
    return *actions, *left_out_actions(plan, plan.state, result, best)


def left_out_actions(
    plan: Plan, state: HandState, result: SearchResult, best: float | None
) -> tuple[ActionAnswer, ...]:
    """Return the placements that a search left out, since the board must foul after them."""
    searched = {item.action for item in result.actions}
    left_out = (int(code) for code in plan.codes if int(code) not in searched)
    value = -float(state.worth[FOUL_COST])
    return tuple(
        entry(Action.from_code(plan.spot.cards, code), value, best, p_foul=1.0, p_fantasyland=0.0, royalties=0.0)
        for code in left_out
    )


def searched_so_far(spot: Spot, items: Iterable[ActionStatistics]) -> tuple[ActionAnswer, ...]:
    """Return what a running search knows of its best placements, without the parts of their EVs."""
    from bromeliad.games.ofc.search_spot import error_model

    tried = [item for item in items if item.visits]
    best = tried[0].mean if tried else None
    errors = error_model(spot)
    return tuple(_searched_entry(spot, item, best, None, errors) for item in tried)


def _searched_entry(
    spot: Spot, item: ActionStatistics, best: float | None, parts: np.ndarray | None, errors: ErrorModel
) -> ActionAnswer:
    """Return a searched entry; ``errors`` is what comes on top of the sampling error."""
    action = Action.from_code(spot.cards, item.action)
    if not item.visits:
        return entry(action, None, None)
    foul, fantasyland, royalties = (None, None, None) if parts is None else map(float, parts[Expected.FOUL :])
    return entry(
        action,
        item.mean,
        best,
        stderr=errors.stated(item.error, item.visits) if math.isfinite(item.error) else None,
        exact=False,
        visits=item.visits,
        p_foul=foul,
        p_fantasyland=p_fantasyland(spot, foul, fantasyland),
        royalties=royalties,
    )


def lead(actions: Iterable[ActionAnswer]) -> float:
    """Return how sure it is that the first placement is better than the second, by their stated errors."""
    first, second, *_ = *actions, None, None
    if first is None or second is None or first.ev is None or second.ev is None:
        return 1.0
    error = math.hypot(first.stderr or 0.0, second.stderr or 0.0)
    return 1.0 if error == 0.0 else 0.5 * math.erfc(-(first.ev - second.ev) / error / math.sqrt(2.0))
