"""``/games``: play against the AI."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import Field

from bromeliad.playing.quiz import Rows
from bromeliad.playing.strategies import STRATEGY_KERNELS, find_strategy, stated_budget
from bromeliad.service.game_views import GameView, view_game, view_now
from bromeliad.service.games import GameOptions, Sitting
from bromeliad.service.kinds.kind import StrictModel, at_most, checking
from bromeliad.service.kinds.ofc import check_preset
from bromeliad.service.problems import PLAIN, documented
from bromeliad.service.settings import Settings
from bromeliad.service.state import ClientId, Service, ServiceDep

router = APIRouter(prefix="/games", tags=["games"])
GameId = Annotated[str, Path(max_length=40, pattern=PLAIN, description="The id of the game.")]
CardName = Annotated[str, Field(max_length=4)]
_FOUND = documented(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
_FULL = documented(HTTPStatus.TOO_MANY_REQUESTS)
_MOST_SIMULATIONS = 100_000  # per decision of an opponent


class NewGame(StrictModel):
    """A game to start: its opponents, rules and number of hands."""

    rules: str = Field(default="pineapple", max_length=40)
    opponents: tuple[Annotated[str, Field(max_length=60)], ...] = Field(
        default=("solver:0.2",), min_length=1, max_length=3
    )
    seed: int | None = Field(default=None, ge=0, lt=2**63)
    grade: bool = False
    grade_time: float = Field(default=1.0, ge=0.01, le=86400, allow_inf_nan=False)
    hands: int | None = Field(default=None, ge=1, le=10_000)


class Placement(StrictModel):
    """Where the cards in hand go."""

    top: tuple[CardName, ...] = Field(default=(), max_length=3)
    middle: tuple[CardName, ...] = Field(default=(), max_length=5)
    back: tuple[CardName, ...] = Field(default=(), max_length=5)
    discards: tuple[CardName, ...] = Field(default=(), max_length=4)

    @property
    def rows(self) -> Rows:
        """The cards of top, middle, back, and the discards."""
        return self.top, self.middle, self.back, self.discards


@router.post("", status_code=201, responses=_FULL)
async def start(new: NewGame, service: ServiceDep, client: ClientId) -> GameView:
    """Start a game; opponents who act first have already done so."""
    check_preset(new.rules)
    at_most("grade_time", new.grade_time, service.settings.max_time)
    for number, name in enumerate(new.opponents):
        _check_opponent(name, new.rules, f"opponents.{number}", service.settings)
    options = GameOptions(new.grade, new.grade_time)

    def begin() -> GameView:
        return view_game(service.games.start(new.rules, new.opponents, new.seed, new.hands, options))

    return await service.compute(client, begin, STRATEGY_KERNELS)


def _check_opponent(name: str, rules: str, field: str, settings: Settings) -> None:
    """Raise if there is no such strategy, or if it would exceed the limits of the service."""
    with checking(field):
        find_strategy(name, rules)
    seconds, simulations = stated_budget(name)
    at_most(field, seconds, settings.max_time)
    at_most(field, simulations, _MOST_SIMULATIONS)


async def _find(game_id: GameId, service: ServiceDep) -> Sitting:
    return await run_in_threadpool(service.games.find, game_id)


FoundGame = Annotated[Sitting, Depends(_find)]


@router.get("/{game_id}", responses=_FOUND)
def show(sitting: FoundGame, service: ServiceDep) -> GameView:
    """Show a game; while an opponent thinks, as it was before that."""
    return view_now(sitting, service.store)


@router.post("/{game_id}/place", responses={**_FOUND, **_FULL})
async def place(placement: Placement, sitting: FoundGame, service: ServiceDep, client: ClientId) -> GameView:
    """Place your cards; the opponents act after you."""
    return await _play(service, client, sitting, lambda: sitting.place(placement.rows, service.store))


@router.post("/{game_id}/undo", responses={**_FOUND, **_FULL})
async def undo(sitting: FoundGame, service: ServiceDep, client: ClientId) -> GameView:
    """Undo your last placement of this hand; the cards stay the same."""
    return await _play(service, client, sitting, sitting.undo)


@router.post("/{game_id}/next", responses={**_FOUND, **_FULL})
async def next_hand(sitting: FoundGame, service: ServiceDep, client: ClientId) -> GameView:
    """Deal the next hand."""
    return await _play(service, client, sitting, sitting.next_hand)


@router.get("/{game_id}/history", responses=_FOUND, response_class=Response)
def history(sitting: FoundGame) -> Response:
    """Return the finished hands, one line of JSON per hand (docs/hand-histories.md)."""
    lines = "".join(record.to_line() + "\n" for record in sitting.records())
    return Response(lines, media_type="application/x-ndjson")


async def _play(service: Service, client: ClientId, sitting: Sitting, step: Callable[[], None]) -> GameView:
    def work() -> GameView:
        view_now(sitting)  # keeps a view to show meanwhile
        service.games.play(sitting, step)
        return view_game(sitting)

    return await service.compute(client, work, STRATEGY_KERNELS)
