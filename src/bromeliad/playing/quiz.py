"""Quizzes: decisions of a given difficulty, drills through whole hands, and explanations of wrong answers."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Literal, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict

from bromeliad.core.cards import Card
from bromeliad.errors import InputError
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.dealer import Dealer, PlayedHand, shuffled_deck
from bromeliad.games.ofc.play.seat import OpponentView, SeatView, board_after, own_action
from bromeliad.games.ofc.play.strategies import HeuristicStrategy
from bromeliad.games.ofc.rules.legality import verify_placement
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.spot import ObjectiveName
from bromeliad.playing.strategies import SolverStrategy, action_of
from bromeliad.playing.themes import Theme, may_have, streets_of, themes_of
from bromeliad.solving.answer import ActionAnswer, Answer, EvParts
from bromeliad.solving.plan import Plan, plan
from bromeliad.solving.request import SolveRequest

Difficulty = Literal["easy", "medium", "hard"]

_LEADS: dict[Difficulty, tuple[float, float]] = {"easy": (1.5, math.inf), "medium": (0.5, 1.5), "hard": (0.05, 0.5)}
"""Range of points by which the best placement of a quiz beats the next, before the last street."""

SEAT = 1
"""The player's seat in a drill."""

Rows = tuple[tuple[str, ...], ...]
"""A placement as the names of its cards: top, middle, back and discards."""

_LAST_STREET = 6.0  # factor of these ranges on the last street, where points are integers and few hands leave a choice
_PLAYERS = 2
_UNFIT = 1000  # unsuitable decisions in a row, after which any decision will do
_TIE = 1e-6  # placements closer than this are equal
_OBVIOUS = 6.0  # points: if every other placement loses as much, there is nothing to decide


class Quiz(NamedTuple):
    """A decision, its answer, and the lead of the best placement."""

    request: SolveRequest
    answer: Answer
    lead: float


def check_street(rules: RuleSet, street: int) -> None:
    """Raise InputError if the rules have no such street (from 1)."""
    if not 1 <= street <= len(rules.streets):
        raise InputError("{rules} has streets 1 to {last}", rules=rules.name, last=len(rules.streets))


def quiz_view(rules: RuleSet, street: int, seed: Sequence[int]) -> SeatView:
    """Return a decision on a street (from 1) of a hand in which the heuristic strategy plays itself."""
    check_street(rules, street)
    deck, dealer, strategy = shuffled_deck(rules, seed), Dealer(rules, [0] * _PLAYERS), HeuristicStrategy()
    wanted = 1 + int(np.random.default_rng(list(seed)).integers(_PLAYERS)), street
    while True:
        view = _deal_turn(dealer, deck)
        if dealer.due == wanted:
            return view
        dealer.place(strategy.decide_placement(view))


def _deal_turn(dealer: Dealer, deck: Sequence[Card]) -> SeatView:
    """Deal the next turn's cards from the deck, and return the view of the seat that acts."""
    assert dealer.due is not None
    dealt = len(deck) - dealer.undealt.size
    dealer.deal(deck[dealt : dealt + dealer.deal_size])
    return dealer.view(dealer.due[0])


def make_quiz(
    rules_name: str,
    rules: RuleSet,
    street: int | None,
    difficulty: Difficulty,
    *,
    seed: int,
    objective: ObjectiveName,
    answer: Callable[[SolveRequest], Answer],
    seconds: float,
    threads: int,
    patience: float,
    theme: Theme | None = None,
) -> Quiz:
    """Return a position of the wanted difficulty, or the closest one found in time.

    Parameters
    ----------
    street
        From 1; None for any street, or any street of the theme.
    theme
        The subject of the decision. If no position with it is found in time, the result is one that only seemed to have
        it.
    answer
        Solves a request.
    seconds, threads
        Limits of one answer.
    patience
        Seconds to look for a position.
    """
    solver = SolverStrategy(rules_name, seconds=seconds, objective=objective, threads=threads)
    best: Quiz | None = None
    nearest = math.inf
    end = time.monotonic() + patience
    for view in _views(rules, street, theme, seed):
        request = solver.request(view)
        found = answer(request)
        scale = _LAST_STREET if view.street + 1 == len(rules.streets) else 1.0
        low, high = (scale * points for points in _LEADS[difficulty])
        quiz = Quiz(request, found, lead(found))
        off = _off(quiz.lead, low, high)
        if theme is not None and theme not in themes_of(view, found):
            off = math.inf
        if best is None or off < nearest:
            best, nearest = quiz, off
        if nearest == 0.0 or time.monotonic() >= end:
            break
    assert best is not None
    return best


def _views(rules: RuleSet, street: int | None, theme: Theme | None, seed: int) -> Iterator[SeatView]:
    """Yield decisions of self-play on the wanted street that may have the wanted theme."""
    streets = streets_of(theme, len(rules.streets)) if theme else range(1, len(rules.streets) + 1)
    for number in count():
        at = street or streets[(seed + number) % len(streets)]
        view = quiz_view(rules, at, (seed, number))
        if theme is None or number % _UNFIT == _UNFIT - 1 or may_have(theme, view):
            yield view


def lead(answer: Answer) -> float:
    """Return the points by which the best placements beat the next one; 0 if all are equal."""
    losses = (item.ev_loss for item in answer.actions if item.ev_loss is not None)
    return next((loss for loss in losses if loss > _TIE), 0.0)


def _off(value: float, low: float, high: float) -> float:
    """Return the distance of a lead from the wanted range; infinite if all placements are equal."""
    return max(low - value, value - high, 0.0) if value else math.inf


def view_of(question: SolveRequest | Plan) -> SeatView:
    """Return the view of the player in a question."""
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
    """Return the placement with these card names in top, middle, back and discards.

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


# --- drills ----------------------------------------------------------------------------------------------------------


class DrillStep(NamedTuple):
    """The next decision of a drill, or the finished hand."""

    moves: tuple[Rows, ...]  # the player's placements so far
    skipped: int  # forced choices that were played on the way
    view: SeatView | None
    played: PlayedHand | None


def is_forced(answer: Answer) -> bool:
    """Return whether there is nothing to decide: all placements are equal, or every other one loses too much."""
    margin = lead(answer)
    return margin == 0.0 or margin >= _OBVIOUS


def drill_step(rules: RuleSet, seed: int, moves: Sequence[Rows], answer: Callable[[SeatView], Answer]) -> DrillStep:
    """Return the next decision that is worth asking; forced choices are played.

    Parameters
    ----------
    moves
        The player's placements so far; the opponent plays the heuristic strategy.
    answer
        Solves a decision.
    """
    deck, dealer, opponent = shuffled_deck(rules, (seed,)), Dealer(rules, [0] * _PLAYERS), HeuristicStrategy()
    done, skipped, number = list(moves), 0, 0
    while dealer.due is not None:
        view = _deal_turn(dealer, deck)
        if view.seat != SEAT:
            dealer.place(opponent.decide_placement(view))
            continue
        if number == len(done):
            found = answer(view)
            if not is_forced(found):
                return DrillStep(tuple(done), skipped, view, None)
            done.append(rows_of(action_of(view.cards, found.best)))
            skipped += 1
        dealer.place(own_action(view.cards, done[number]))
        number += 1
    return DrillStep(tuple(done), skipped, None, dealer.finish())


def rows_of(action: Action | ActionAnswer) -> Rows:
    """Return the names of the cards of a placement."""
    rows = (action.top, action.middle, action.back, action.discards)
    return tuple(tuple(map(str, row)) for row in rows)


# --- explanations ----------------------------------------------------------------------------------------------------


class Explanation(BaseModel):
    """Why the best placement beats the chosen one: differences in points, by part, and in chances."""

    model_config = ConfigDict(frozen=True)

    royalties: float | None
    foul: float | None
    fantasyland: float | None  # of the player's own next hand
    rows: float | None  # with scoops, if these are known separately
    opponents: float | None  # the rest against opponents: their royalties and fantasyland
    p_foul: float | None
    p_fantasyland: float | None


def explain(answer: Answer, chosen: ActionAnswer) -> Explanation:
    """Split the difference in EV between the best placement and another one."""

    def more(name: str) -> float | None:
        mine, theirs = getattr(answer.best, name), getattr(chosen, name)
        return None if mine is None or theirs is None else mine - theirs

    chances = {name: more(name) for name in ("p_foul", "p_fantasyland")}
    if answer.best.parts is not None and chosen.parts is not None:
        return Explanation(**_differences(answer.best.parts, chosen.parts), **chances)
    versus = answer.objective == "versus"
    ev, royalties, p_foul, rows = more("ev"), more("royalties"), more("p_foul"), more("row_points")
    foul = None if versus or p_foul is None else -answer.foul_cost * p_foul
    known = [part for part in (royalties, foul, rows) if part is not None]
    rest = None if ev is None or royalties is None else ev - sum(known)
    return Explanation(
        royalties=royalties,
        foul=foul,
        fantasyland=None if versus else rest,
        rows=rows,
        opponents=rest if versus else None,
        **chances,
    )


def _differences(best: EvParts, chosen: EvParts) -> dict[str, float | None]:
    """Return the parts of an explanation from the parts of both EVs."""

    def more(*names: str) -> float | None:
        pairs = [(getattr(best, name), getattr(chosen, name)) for name in names]
        known = [mine - theirs for mine, theirs in pairs if mine is not None and theirs is not None]
        return sum(known) if known else None

    return {
        "royalties": more("royalties"),
        "foul": more("foul"),
        "fantasyland": more("fantasyland"),
        "rows": more("rows", "scoop"),
        "opponents": more("opponent_royalties", "opponent_fantasyland"),
    }
