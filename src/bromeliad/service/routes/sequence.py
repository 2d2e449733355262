"""``/sequence/games``: play Sequence against the agent. Hidden cards never leave the service."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path
from pydantic import BaseModel, Field

from bromeliad.errors import InputError
from bromeliad.games.sequence.playable import SequencePlayable
from bromeliad.games.sequence.rules import rules_named
from bromeliad.playing.sequence_game import Seating
from bromeliad.service.kinds.kind import StrictModel, at_most, checking, wrong
from bromeliad.service.problems import PLAIN, documented
from bromeliad.service.sequence_games import SequenceSitting
from bromeliad.service.state import ClientId, Service, ServiceDep

router = APIRouter(prefix="/sequence/games", tags=["sequence"])
GameId = Annotated[str, Path(max_length=40, pattern=PLAIN, description="The id of the game.")]
RuleName = Literal["course", "official"]
_FOUND = documented(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
_FULL = documented(HTTPStatus.TOO_MANY_REQUESTS)


class NewSequence(StrictModel):
    """A game to start: its rules, your seat, the opponent and its time per turn."""

    rules: RuleName = "course"
    players: Literal[2, 3, 4] = 2
    seat: int = Field(default=0, ge=0, le=3)
    opponent: Literal["random", "greedy", "mcts"] = "mcts"
    time: float = Field(default=0.5, ge=0.01, le=86400, allow_inf_nan=False)
    seed: int | None = Field(default=None, ge=0, lt=2**63)


class SequenceMove(StrictModel):
    """A move: ``7c@20``, ``Jh-20``, ``7c!``, ``keep``, ``+7c`` or ``pass``."""

    move: str = Field(max_length=12)


class SeatView(BaseModel):
    """A seat: its number of cards, and those that you know."""

    seat: int
    team: int
    cards: int
    known: list[str]


class LoggedMove(BaseModel):
    """A move of a seat."""

    seat: int
    move: str


class SequenceView(BaseModel):
    """A game as the human player sees it; ``position`` can be analysed, and is only given on your turn."""

    id: str
    rules: RuleName
    seat: int
    opponent: str
    time: float
    board: list[str]
    players: list[SeatView]
    draft: list[str]
    discards: list[str]
    deck: int
    sequences: list[int]
    goal: int
    turn: int
    mover: int | None
    moves: list[str]
    over: bool
    winner: int | None
    log: list[LoggedMove]
    can_undo: bool
    position: dict[str, Any] | None


def _view(sitting: SequenceSitting) -> SequenceView:
    with sitting.lock:
        game = sitting.game
        position = game.position()
        return SequenceView(
            **game.view(),
            id=game.id,
            seat=game.seating.seat,
            opponent=game.seating.opponent,
            time=game.seating.seconds,
            log=[LoggedMove(seat=seat, move=move) for seat, move in game.log],
            can_undo=game.can_undo(),
            position=None if position is None else position.to_data(),
        )


@router.post("", status_code=201, responses=_FULL)
async def start(new: NewSequence, service: ServiceDep, client: ClientId) -> SequenceView:
    """Start a game; opponents who move first have already done so."""
    with checking("players"):
        rules_named(new.rules, new.players)
    at_most("time", new.time, service.settings.max_time)
    if new.seat >= new.players:
        raise wrong("seat", InputError("the seat must be 0 to {last}", last=new.players - 1))
    seating = Seating(rules=new.rules, players=new.players, seat=new.seat, opponent=new.opponent, seconds=new.time)
    return await service.compute(
        client, lambda: _view(service.sequence.start(seating, new.seed)), SequencePlayable.kernels
    )


async def _find(game_id: GameId, service: ServiceDep, client: ClientId) -> SequenceSitting:
    return await service.compute(client, lambda: service.sequence.find(game_id), SequencePlayable.kernels)


FoundGame = Annotated[SequenceSitting, Depends(_find)]


@router.get("/{game_id}", responses={**_FOUND, **_FULL})
def show(sitting: FoundGame) -> SequenceView:
    """Show a game, waiting for a move in progress."""
    return _view(sitting)


@router.post("/{game_id}/play", responses={**_FOUND, **_FULL})
async def play(body: SequenceMove, sitting: FoundGame, service: ServiceDep, client: ClientId) -> SequenceView:
    """Play your move; the opponents play after you."""
    return await _step(service, client, sitting, lambda: _play(sitting, body.move))


@router.post("/{game_id}/undo", responses={**_FOUND, **_FULL})
async def undo(sitting: FoundGame, service: ServiceDep, client: ClientId) -> SequenceView:
    """Undo your last move and all later ones; the cards stay the same."""
    return await _step(service, client, sitting, sitting.game.undo)


def _play(sitting: SequenceSitting, move: str) -> None:
    with checking("move"):
        sitting.game.play(move)


async def _step(service: Service, client: ClientId, sitting: SequenceSitting, step: Callable[[], None]) -> SequenceView:
    def work() -> SequenceView:
        service.sequence.play(sitting, step)
        return _view(sitting)

    return await service.compute(client, work, SequencePlayable.kernels)
