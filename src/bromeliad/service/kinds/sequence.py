"""Jobs that answer a position of Sequence by what one seat knows, with live values of the candidates."""

import json
import math
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from bromeliad.core import kernel_cache
from bromeliad.core.budget import Budget
from bromeliad.errors import InputError, PositionError
from bromeliad.games.sequence.evaluators import Evaluators
from bromeliad.games.sequence.game import Sequence
from bromeliad.games.sequence.notation import action_name
from bromeliad.games.sequence.player import Player
from bromeliad.games.sequence.position import Position
from bromeliad.games.sequence.report import answer_data
from bromeliad.games.sequence.rules import MOST_PLAYERS, MOST_TEAMS, SIDE, SequenceRules, rules_named
from bromeliad.search import ActionStatistics, Progress
from bromeliad.service.kinds.kind import Body, Context, Kind, Task, at_most, wrong
from bromeliad.service.settings import Settings

__all__ = ["SEQUENCE_KERNELS", "RuleName", "SequenceJob", "SequenceKind", "SequenceRequest", "checked_rules"]

SEQUENCE_KERNELS = ("bromeliad.games.sequence.game",)
_DEFAULT_TIME = 1.0

RuleName = Literal["course", "official"]
Cards = Annotated[tuple[Annotated[str, Field(max_length=4)], ...], Field(max_length=104)]
Seat = Annotated[str, Field(max_length=2)]


class SequencePosition(BaseModel):
    """What the seat that is to move knows, as ``bromeliad sequence solve --show`` prints it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    board: tuple[Annotated[str, Field(max_length=SIDE)], ...] = Field(max_length=SIDE)
    seat: int = Field(default=0, ge=0, lt=MOST_PLAYERS)
    hand: Cards
    draft: Cards = ()
    discards: Cards | None = None
    known: dict[Seat, Cards] = Field(default_factory=dict, max_length=MOST_PLAYERS)
    sizes: dict[Seat, Annotated[int, Field(ge=0, le=104)]] = Field(default_factory=dict, max_length=MOST_PLAYERS)
    sequences: tuple[Annotated[int, Field(ge=0, le=9)], ...] = Field(default=(), max_length=MOST_TEAMS)
    traded: bool = False
    picking: bool = False
    again: bool = False
    turns: int | None = Field(default=None, ge=0, le=10_000)


class SequenceRequest(BaseModel):
    """A position to answer, and what that may cost: seconds or simulations."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rules: RuleName = "course"
    players: int = Field(default=2, ge=2, le=MOST_PLAYERS)
    position: SequencePosition
    time: float | None = Field(default=None, ge=0.01, le=86400, allow_inf_nan=False)
    simulations: int | None = Field(default=None, ge=1, le=2**31 - 1)
    seed: int = Field(default=1, ge=0, lt=2**63)


class SequenceJob(Body):
    """A position to answer."""

    game: Literal["sequence"]
    request: SequenceRequest


def checked_rules(field: str, name: str, players: int) -> SequenceRules:
    """Return a rule set, or raise that it is not for so many players."""
    try:
        return rules_named(name, players)
    except InputError as error:
        raise wrong(field, error) from None


class SequenceKind(Kind[SequenceRequest]):
    """Answers positions."""

    name = "sequence"
    request = SequenceRequest
    keeps_answers = True

    def __init__(self) -> None:
        self._evaluators = Evaluators()  # of the whole service: what is asked again is known

    def check(self, request: SequenceRequest, settings: Settings) -> Task:
        """Check the limits, and that there can be such a position."""
        at_most("request.time", request.time, settings.max_time)
        if request.time is not None and request.simulations is not None:
            raise wrong("request.simulations", InputError("give a time or a number of simulations, not both"))
        try:
            _position(checked_rules("request.players", request.rules, request.players), request)
        except (PositionError, InputError) as error:
            raise wrong("request.position", error) from None
        return Task(request, partial(self._run, request))

    def _run(self, request: SequenceRequest, context: Context) -> str:
        """Search."""
        context.ready(SEQUENCE_KERNELS)
        game = Sequence(rules_named(request.rules, request.players))
        state = _position(game.rules, request).to_state(game.new_state())

        def progress(found: Progress) -> None:
            context.report(replace(found, actions=tuple(_entries(found.actions))))

        budget = Budget(None if request.simulations else request.time or _DEFAULT_TIME, request.simulations)
        answer = Player(game, seed=request.seed).think(state, budget, on_progress=progress, cancel=context.cancel)
        about = {"game": self.name, "stored": False, "program": kernel_cache.program()}
        return json.dumps(about | answer_data(game, state, answer, self._evaluators))


def _position(rules: SequenceRules, request: SequenceRequest) -> Position:
    return Position.from_data(rules, request.position.model_dump(exclude_none=True))


def _entries(items: Iterable[ActionStatistics]) -> list[dict[str, Any]]:
    """Return what a search knows of its candidates."""
    return [
        {
            "move": action_name(item.action),
            "visits": item.visits,
            "value": item.mean if item.visits else None,
            "error": item.error if math.isfinite(item.error) else None,
        }
        for item in items
    ]
