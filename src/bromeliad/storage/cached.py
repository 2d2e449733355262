"""The way of a question through the store: a solved position is not solved again, whatever its suits."""

import logging
import math
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from bromeliad import __version__
from bromeliad.core.cards import RANKS, SUITS
from bromeliad.core.machine import cores
from bromeliad.errors import StoreError
from bromeliad.games.ofc.hands.canonical import invert_order
from bromeliad.games.ofc.spot import Spot
from bromeliad.games.ofc.values.weights import find_weights
from bromeliad.logs import log_event
from bromeliad.solving.answer import ActionAnswer, Answer
from bromeliad.solving.request import DEFAULT_TIME, SolveRequest
from bromeliad.solving.solve import DEFAULT_TOP, OnProgress, check_request, is_immediate, solve
from bromeliad.storage.keys import hash_of, spot_key
from bromeliad.storage.recorded_solving import solve_in_session
from bromeliad.storage.results import Effort, Question
from bromeliad.storage.store import Store

__all__ = ["AskedQuestion", "Found", "find_stored", "keep_answer", "question_of", "solve_stored"]

_CARD = re.compile(r"\b[2-9TJQKA][cdhs]\b")
T = TypeVar("T")


class AskedQuestion(NamedTuple):
    """A question, how its suits became canonical, and what its rules are called."""

    question: Question
    order: tuple[int, ...]
    rules: str


def solve_stored(
    request: SolveRequest,
    store: Store,
    on_progress: OnProgress | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    *,
    deeper: bool = False,
    before_solving: Callable[[], None] = lambda: None,
    on_problem: Callable[[StoreError], None] | None = None,
) -> Answer:
    """Return the answer of the store if it has a good one, else solve and keep what was found.

    Parameters
    ----------
    on_progress, cancelled
        As :func:`bromeliad.solving.solve.solve` has them.
    deeper
        Solve again what is not known exactly, and keep and return the better answer.
    before_solving
        Called if the store has no answer: the place to compile kernels.
    on_problem
        Told if the store fails, which never costs the answer; by default a warning is logged.

    Raises
    ------
    InputError
        If the request is wrong, or asks for what this version cannot answer.
    """
    if deeper:
        request = request.without_book()
    spot = check_request(request)
    if is_immediate(request):
        before_solving()
        return solve(request, on_progress, cancelled)
    told = on_problem or _log
    asked = question_of(request, spot)
    known = _safely(told, lambda: find_stored(store, asked))
    if known is not None and (known.exact or not deeper):
        _note_hit(store, known)
        return known.answer
    before_solving()
    answer = solve_in_session(request, store, asked.question.key, on_progress, cancelled, told)
    if known is not None and not _is_better(answer, known.answer):
        return known.answer
    if answer.stop_reason != "cancelled":
        _safely(told, lambda: keep_answer(store, asked, answer))
    return answer


def _safely(told: Callable[[StoreError], None], work: Callable[[], T]) -> T | None:
    """Return what some work with the store gives, or None if the store fails."""
    try:
        return work()
    except StoreError as error:
        told(error)
        return None


def _note_hit(store: Store, known: "Found") -> None:
    """Count an answer that was of use, and tell of it; a store that can only be read is good enough to answer."""
    _safely(lambda problem: log_event("hit not counted", problem=problem), lambda: store.results.count_hit(known.id))
    answer = known.answer
    log_event(
        "solve from store",
        rules=answer.rules,
        street=answer.street,
        objective=answer.objective,
        method=answer.method,
        value=answer.value,
    )


def _log(problem: StoreError) -> None:
    logging.getLogger(__name__).warning("solving without the store: %s", problem)


def question_of(request: SolveRequest, spot: Spot) -> AskedQuestion:
    """Return what a request is known by in the store."""
    versus = spot.objective == "versus"
    discards, habits = (request.discards, request.opponent_model) if versus else (None, None)
    listed = (request.top or DEFAULT_TOP) if spot.in_fantasyland else None
    names = spot_key(spot, discards, listed, *([habits] if habits else []))
    found = find_weights(spot.rules, spot.foul_cost, spot.fantasyland_worth)
    effort = Effort(
        simulations=request.simulations,
        time=None if request.simulations else request.time or DEFAULT_TIME,
        threads=request.threads or cores(),
        seed=request.seed,
    )
    engine = hash_of([__version__, found[1].sha256 if found else ""])
    run = names.asked if request.memory is None else hash_of([names.asked, request.memory])
    question = Question(names.key, run, effort, engine)
    return AskedQuestion(question, names.order, spot.rules.name)


class Found(NamedTuple):
    """A stored answer in the suits of the asker."""

    id: int  # of the result
    exact: bool
    answer: Answer


def find_stored(store: Store, asked: AskedQuestion) -> Found | None:
    """Return a stored answer that is good enough, in the asker's suits, without counting it."""
    found = store.results.find(asked.question)
    if found is None:
        return None
    answer = _in_suits(found.answer, invert_order(asked.order))
    given = {"rules": asked.rules, "seed": asked.question.effort.seed}
    return Found(found.id, found.exact, answer.model_copy(update={**given, "stored": True}))


def keep_answer(store: Store, asked: AskedQuestion, answer: Answer) -> None:
    """Keep an answer, in canonical suits."""
    store.results.keep(asked.question, _in_suits(answer, asked.order), exact=_is_exact(answer))


def _is_exact(answer: Answer) -> bool:
    """Say whether nothing can be added to an answer."""
    return answer.method == "exact" and answer.stop_reason == "exact"


def _is_better(new: Answer, old: Answer) -> bool:
    """Say whether an answer is surer than another."""
    error = math.inf if old.best.stderr is None else old.best.stderr
    return _is_exact(new) or (new.best.stderr is not None and new.best.stderr <= error)


def _in_suits(answer: Answer, order: Sequence[int]) -> Answer:
    """Return an answer with every card of ``suit`` in the suit ``order[suit]``."""
    actions = tuple(_action_in_suits(action, order) for action in answer.actions)
    line = tuple(_CARD.sub(lambda match: _card_in_suits(match[0], order), text) for text in answer.line)
    return answer.model_copy(update={"actions": actions, "best": actions[0], "line": line})


def _action_in_suits(action: ActionAnswer, order: Sequence[int]) -> ActionAnswer:
    rows = {}
    for row in ("top", "middle", "back", "discards"):
        cards = [_card_in_suits(name, order) for name in getattr(action, row)]
        rows[row] = tuple(sorted(cards, key=lambda name: (-_rank(name), -SUITS.find(name[1]))))
    return action.model_copy(update=rows)


def _card_in_suits(name: str, order: Sequence[int]) -> str:
    """Return a card's name with its suit changed; a joker has none."""
    return name if name == "Jk" else name[0] + SUITS[order[SUITS.index(name[1])]]


def _rank(name: str) -> int:
    return -1 if name == "Jk" else RANKS.index(name[0])
