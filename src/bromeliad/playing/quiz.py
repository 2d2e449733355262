"""Quiz positions: decisions out of self-play, as hard as they are wanted, and what an answer to one was worth."""

import math
import time
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from bromeliad.errors import InputError
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.dealer import Dealer, shuffled_deck
from bromeliad.games.ofc.play.seat import OpponentView, SeatView, board_after, own_action
from bromeliad.games.ofc.play.strategies import HeuristicStrategy
from bromeliad.games.ofc.rules.legality import verify_placement
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.spot import ObjectiveName
from bromeliad.playing.strategies import SolverStrategy
from bromeliad.solving.answer import ActionAnswer, Answer
from bromeliad.solving.plan import Plan, plan
from bromeliad.solving.request import SolveRequest

__all__ = [
    "Difficulty",
    "EvParts",
    "Quiz",
    "check_street",
    "explain",
    "make_quiz",
    "quiz_action",
    "quiz_view",
    "view_of",
]

Difficulty = Literal["easy", "medium", "hard"]

LEADS: dict[Difficulty, tuple[float, float]] = {"easy": (1.5, math.inf), "medium": (0.5, 1.5), "hard": (0.05, 0.5)}
"""Points by which the best placement of a quiz beats the next, before the last street."""

LAST_STREET = 6.0
"""How many times more they are on the last street, where points are whole and most hands leave no choice."""

PLAYERS = 2
_TIE = 1e-6  # points that tell no two placements apart


class Quiz(NamedTuple):
    """A decision to be made, its answer, and by how much the best placement leads."""

    request: SolveRequest
    answer: Answer
    lead: float


def check_street(rules: RuleSet, street: int) -> None:
    """Raise if the rules have no such street (from 1)."""
    if not 1 <= street <= len(rules.streets):
        raise InputError("{rules} has streets 1 to {last}", rules=rules.name, last=len(rules.streets))


def quiz_view(rules: RuleSet, street: int, seed: Sequence[int]) -> SeatView:
    """Return a decision of a street (from 1) out of a hand that the rules of thumb play with themselves."""
    check_street(rules, street)
    deck, dealt = shuffled_deck(rules, seed), 0
    dealer, strategy = Dealer(rules, [0] * PLAYERS), HeuristicStrategy()
    wanted = 1 + int(np.random.default_rng(list(seed)).integers(PLAYERS)), street
    while True:
        size = dealer.deal_size
        dealer.deal(deck[dealt : dealt + size])
        dealt += size
        assert dealer.due is not None
        view = dealer.view(dealer.due[0])
        if dealer.due == wanted:
            return view
        dealer.place(strategy.decide_placement(view))


def make_quiz(
    rules_name: str,
    rules: RuleSet,
    street: int,
    difficulty: Difficulty,
    *,
    seed: int,
    objective: ObjectiveName,
    answer: Callable[[SolveRequest], Answer],
    seconds: float,
    threads: int,
    patience: float,
) -> Quiz:
    """Return a position of a street; if none as hard as wanted turns up in time, the nearest that did.

    Parameters
    ----------
    answer
        Solves a request.
    seconds, threads
        What one answer may cost.
    patience
        Seconds that the search for a position may take.
    """
    solver = SolverStrategy(rules_name, seconds=seconds, objective=objective, threads=threads)
    scale = LAST_STREET if street == len(rules.streets) else 1.0
    low, high = (scale * points for points in LEADS[difficulty])
    best: Quiz | None = None
    end = time.monotonic() + patience
    number = 0
    while best is None or (not low <= best.lead < high and time.monotonic() < end):
        request = solver.request(quiz_view(rules, street, (seed, number)))
        found = answer(request)
        quiz = Quiz(request, found, lead(found))
        if best is None or _off(quiz.lead, low, high) < _off(best.lead, low, high):
            best = quiz
        number += 1
    return best


def lead(answer: Answer) -> float:
    """Return by how many points the best placements beat the next that is worse; 0 if all are alike."""
    losses = (item.ev_loss for item in answer.actions if item.ev_loss is not None)
    return next((loss for loss in losses if loss > _TIE), 0.0)


def _off(value: float, low: float, high: float) -> float:
    """Return how far a lead is from what is wanted; where all placements are alike there is nothing to ask."""
    return max(low - value, value - high, 0.0) if value else math.inf


def view_of(question: SolveRequest | Plan) -> SeatView:
    """Return what the seat that a question is about sees."""
    planned = plan(question)
    spot = planned.spot
    opponents = tuple(OpponentView(board, 0, 0) for board in spot.opponents)
    opponents += tuple(OpponentView(spot.board.empty(), 0, cards) for cards in spot.hidden)
    return SeatView(
        rules=spot.rules,
        seat=planned.request.seat or 1,
        players=1 + len(opponents),
        street=0 if spot.in_fantasyland else spot.street_index,
        cards=spot.cards,
        board=spot.board,
        discards=spot.dead,
        fantasyland=spot.fantasyland_cards,
        opponents=opponents,
    )


def quiz_action(view: SeatView, rows: Sequence[Sequence[str]]) -> Action:
    """Return the placement that somebody answers with: top, middle, back and discards by the names of their cards.

    Raises
    ------
    PlacementError
        If the rules forbid it.
    """
    action = own_action(view.cards, rows)
    placed = (*action.top, *action.middle, *action.back)
    verify_placement(view.deal, view.street + 1, view.cards, placed, action.discards)
    board_after(view.board, action)
    return action


class EvParts(NamedTuple):
    """Why one placement is better than another: points of the difference by where they come from, None if unknown."""

    royalties: float | None
    foul: float | None
    fantasyland: float | None  # of one's own next hand
    rows: float | None
    opponents: float | None  # what is left against opponents: scoops, their royalties, and both sides' fantasyland
    p_foul: float | None  # differences of chances
    p_fantasyland: float | None


def explain(answer: Answer, chosen: ActionAnswer) -> EvParts:
    """Split what the best placement has over another one."""

    def more(name: str) -> float | None:
        mine, theirs = getattr(answer.best, name), getattr(chosen, name)
        return None if mine is None or theirs is None else mine - theirs

    versus = answer.objective == "versus"
    ev, royalties, p_foul, rows = more("ev"), more("royalties"), more("p_foul"), more("row_points")
    foul = None if versus or p_foul is None else -answer.foul_cost * p_foul
    known = [part for part in (royalties, foul, rows) if part is not None]
    rest = None if ev is None or royalties is None else ev - sum(known)
    solo, against = (None, rest) if versus else (rest, None)
    return EvParts(royalties, foul, solo, rows, against, p_foul, more("p_fantasyland"))
