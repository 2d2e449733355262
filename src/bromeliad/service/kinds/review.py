"""Jobs that review hands: ``bromeliad review`` over HTTP."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Annotated

from pydantic import Field

from bromeliad.analysis.decision_judge import Judges
from bromeliad.analysis.decisions import Decisions, read_decisions
from bromeliad.analysis.review import review, summarise
from bromeliad.analysis.sources import Sourced
from bromeliad.analysis.stored import ReviewKeeper
from bromeliad.core.budget import Cancel, Progress
from bromeliad.core.machine import cores
from bromeliad.core.playable import Context
from bromeliad.errors import BromeliadError, InputError, NotStoredError
from bromeliad.games.ofc.spot import ObjectiveName
from bromeliad.playing.strategies import STRATEGY_KERNELS
from bromeliad.service.kinds.kind import Kind, StrictModel, Task, at_most, wrong
from bromeliad.service.problems import PLAIN
from bromeliad.service.settings import Settings
from bromeliad.solving.request import DEFAULT_SEED
from bromeliad.storage import Store
from bromeliad.storage.cached import solve_stored

_SOURCE = "histories"
_MOST_HANDS = 200


class ReviewRequest(StrictModel):
    """Hands to review: lines of hand histories (docs/hand-histories.md), or the number of a hand in the store."""

    lines: str = ""
    hand_id: int | None = Field(default=None, ge=1, lt=2**31)
    players: tuple[Annotated[str, Field(max_length=200, pattern=PLAIN)], ...] = Field(default=(), max_length=4)
    objective: ObjectiveName | None = None
    time: float | None = Field(default=None, ge=0.01, le=86400, allow_inf_nan=False)  # seconds per decision
    simulations: int | None = Field(default=None, ge=1, le=2**31 - 1)
    threads: int | None = Field(default=None, ge=1, le=256)
    seed: int = Field(default=DEFAULT_SEED, ge=0, lt=2**63)


class ReviewKind(Kind[ReviewRequest]):
    """Reviews the decisions of hands. If a hand is in the store, its losses are stored too."""

    name = "review"
    request = ReviewRequest
    time_factor = 10.0  # a review has many decisions

    def check(self, request: ReviewRequest, settings: Settings) -> Task:
        """Check the hands and the limits."""
        at_most("time", request.time, settings.max_time)
        at_most("threads", request.threads, cores())
        if request.time is not None and request.simulations is not None:
            raise wrong("simulations", InputError("give a time or a number of simulations, not both"))
        if bool(request.lines.strip()) == (request.hand_id is not None):
            raise wrong("lines", InputError("give either lines or hand_id"))
        if request.hand_id is None:
            _read(request, _pasted(request.lines))
        return Task(request, partial(self._run, request))

    def _run(self, request: ReviewRequest, context: Context) -> str:
        """Judge every decision; return the summary as JSON."""
        context.ready(STRATEGY_KERNELS)
        store: Store = context.store()
        report = context.on_progress or (lambda progress: None)
        cancel = context.cancel or Cancel()
        hand_id = request.hand_id
        read = _read(request, _pasted(request.lines) if hand_id is None else [find_hand(store, hand_id)])
        with Judges(
            seconds=request.time,
            simulations=request.simulations,
            objective=request.objective,
            threads=request.threads,
            seed=request.seed,
            cancel=cancel,
            answers=lambda planned, cancel: solve_stored(planned, store, cancel=cancel),
        ) as judges:
            reviewed = review(
                read.decisions,
                judges,
                lambda fraction: report(Progress(fraction)),
                cancel,
                (lambda judged: None) if hand_id is None else ReviewKeeper(store).keep,
            )
        return summarise(_SOURCE, read.hands, len(read.decisions), reviewed).model_dump_json()


def _pasted(lines: str) -> Iterator[Sourced]:
    for number, line in enumerate(lines.splitlines(), start=1):
        if line.strip():
            yield Sourced(_SOURCE, number, line)


def find_hand(store: Store, hand_id: int) -> Sourced:
    """Return a hand of the store; raise if there is none."""
    try:
        hand = store.hands.find(hand_id)
    except NotStoredError as error:
        raise wrong("hand_id", InputError(error.template, **error.values)) from None
    return Sourced(_SOURCE, hand.id, hand.line)


def _read(request: ReviewRequest, hands: Iterable[Sourced]) -> Decisions:
    """Return the decisions in hands; raise if a hand cannot be replayed or there are too many."""
    try:
        read = read_decisions(_SOURCE, hands, request.players)
    except BromeliadError as error:
        raise wrong("players" if request.players else "lines", InputError("{problem}", problem=error)) from None
    for sourced, problem in read.problems:
        raise wrong("lines", InputError("line {line}: {problem}", line=sourced.line, problem=problem))
    at_most("lines", read.hands, _MOST_HANDS)
    return read
