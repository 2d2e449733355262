"""``/reviews``, ``/hands`` and ``/statistics``: what was played, and how well."""

from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel

from bromeliad.analysis.store_report import report_on_store
from bromeliad.errors import InputError, StoreError
from bromeliad.games.ofc.play.history import HandRecord
from bromeliad.service.jobs.job import JobView
from bromeliad.service.kinds.kind import Body
from bromeliad.service.kinds.review import ReviewRequest, find_hand
from bromeliad.service.problems import PLAIN, Refusal, documented
from bromeliad.service.state import ClientId, ServiceDep

router = APIRouter(tags=["history"])
HandId = Annotated[int, Path(ge=1, lt=2**31, description="The number of the hand in the store.")]
PlayerName = Annotated[str, Query(max_length=200, pattern=PLAIN)]
RulesName = Annotated[str | None, Query(max_length=40, pattern=PLAIN)]
_NONE = documented(HTTPStatus.NOT_FOUND)
_TOLD: dict[int | str, dict[str, Any]] = {
    201: {"model": JobView, "description": "The job; its answer is that of `bromeliad review --json`."},
    **documented(HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE),
}
_SOURCE = "store"  # where it is on this machine is nobody's business
_SCORED = ("bromeliad.analysis.scan",)


class NewReview(ReviewRequest):
    """Hands to review, and whether the job goes on although its client goes away."""

    keep: bool = False


class SeatView(BaseModel):
    """How a hand ended for one seat."""

    player: str
    fantasyland: int
    points: int
    royalties: int
    fouled: bool
    next_fantasyland: int


class HandView(BaseModel):
    """A hand of the store."""

    id: int
    game_id: int
    number: int
    rules: str
    played_at: datetime
    seats: list[SeatView]


@router.post("/reviews", status_code=201, response_model=None, responses=_TOLD)
def review(new: NewReview, service: ServiceDep, client: ClientId) -> Response:
    """Have hands reviewed; the job is watched at ``/jobs`` like any other."""
    request = ReviewRequest(**new.model_dump(exclude={"keep"}, exclude_unset=True))
    if request.hand_id is not None:
        find_hand(service.store, request.hand_id)
    job = service.jobs.add(client, "review", Body(keep=new.keep), request)
    return Response(job.to_json(service.jobs.position(job)), 201, media_type="application/json")


@router.get("/hands")
def hands(
    service: ServiceDep,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    offset: Annotated[int, Query(ge=0, lt=2**31)] = 0,
    player: PlayerName | None = None,
    rules: RulesName = None,
) -> list[HandView]:
    """List the hands of the store, of a player or by some rules, newest first."""
    return [
        HandView(
            id=hand.id,
            game_id=hand.game_id,
            number=hand.number,
            rules=hand.rules,
            played_at=hand.played_at,
            seats=[SeatView.model_validate(seat, from_attributes=True) for seat in seats],
        )
        for hand, seats in service.store.hands.newest(limit, offset, player=player, rules=rules)
    ]


@router.get("/hands/{hand_id}", response_model=None, responses={200: {"model": HandRecord}, **_NONE})
def hand(hand_id: HandId, service: ServiceDep) -> Response:
    """Return the history of a hand (docs/hand-histories.md)."""
    try:
        found = service.store.hands.find(hand_id)
    except StoreError as error:
        raise Refusal(HTTPStatus.NOT_FOUND, error) from None
    return Response(found.line, media_type="application/json")


@router.get("/statistics", responses={**_NONE, **documented(HTTPStatus.TOO_MANY_REQUESTS)})
async def statistics(
    service: ServiceDep,
    client: ClientId,
    player: Annotated[list[PlayerName] | None, Query(max_length=10)] = None,
    rules: RulesName = None,
) -> dict[str, Any]:
    """Tell what the hands of the store say of their players, as `bromeliad report --json` does."""

    def work() -> dict[str, Any]:
        try:
            found = report_on_store(service.store, players=player or (), rules=rules)
        except InputError as error:
            empty = InputError("there is no such hand in the store yet")
            raise Refusal(HTTPStatus.NOT_FOUND, error if player else empty) from None
        odd = tuple(item._replace(source=_SOURCE) for item in found.anomaly_list)
        return found.model_copy(update={"source": _SOURCE, "anomaly_list": odd}).model_dump(mode="json")

    return await service.compute(client, work, _SCORED)
