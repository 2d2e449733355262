"""``/reviews``, ``/hands`` and ``/statistics``: played hands, and how well they were played."""

from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, Field

from bromeliad.analysis.store_report import report_on_store
from bromeliad.errors import InputError, StoreError
from bromeliad.games.ofc.play.history import HandRecord
from bromeliad.games.ofc.play.plain_text import read_plain_text
from bromeliad.service.kinds.kind import Body, StrictModel, checking
from bromeliad.service.kinds.review import ReviewRequest, find_hand
from bromeliad.service.problems import PLAIN, Refusal, documented
from bromeliad.service.routes.jobs import documented_job, job_response
from bromeliad.service.state import ClientId, ServiceDep
from bromeliad.storage.hands import HandOrder, ListedHand, SeatLoss, StoredSeat

router = APIRouter(tags=["history"])
HandId = Annotated[int, Path(ge=1, lt=2**31, description="The number of the hand in the store.")]
PlayerName = Annotated[str, Query(max_length=200, pattern=PLAIN)]
RulesName = Annotated[str | None, Query(max_length=40, pattern=PLAIN)]
_NOT_FOUND = documented(HTTPStatus.NOT_FOUND)
_JOB = {
    **documented_job(HTTPStatus.CREATED, "The job; its answer is the output of `bromeliad review --json`."),
    **documented(HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE),
}
_SOURCE = "store"  # the real path is private
_SCAN_KERNELS = ("bromeliad.analysis.scan",)


class NewReview(ReviewRequest):
    """Hands to review, and whether the job continues after its client has gone."""

    keep: bool = False


class PlainText(StrictModel):
    """Hands as people write them."""

    text: str = Field(max_length=200_000)


class Lines(BaseModel):
    """Hand histories, one line per hand."""

    lines: str


class SeatView(BaseModel):
    """The result of one seat."""

    player: str
    fantasyland: int
    points: int
    royalties: int
    fouled: bool
    next_fantasyland: int
    reviewed: int  # decisions with a review
    ev_loss: float | None  # lost by them; null before a review

    @classmethod
    def of(cls, seat: StoredSeat, loss: SeatLoss | None) -> "SeatView":
        """Return the view of a seat, and of its reviewed decisions if there are any."""
        reviewed, ev_loss = (0, None) if loss is None else loss
        return cls(**seat._asdict(), reviewed=reviewed, ev_loss=ev_loss)


class HandView(BaseModel):
    """A hand of the store."""

    id: int
    game_id: int
    number: int
    rules: str
    played_at: datetime
    seats: list[SeatView]
    starred: bool
    note: str

    @classmethod
    def of(cls, listed: ListedHand) -> "HandView":
        """Return the view of a hand."""
        hand = listed.hand
        return cls(
            **{name: getattr(hand, name) for name in ("id", "game_id", "number", "rules", "played_at")},
            seats=[SeatView.of(seat, listed.losses.get(seat.seat)) for seat in listed.seats],
            starred=listed.starred,
            note=listed.note,
        )


class Note(StrictModel):
    """Changes to a hand's star and note."""

    starred: bool | None = None
    note: str | None = Field(default=None, max_length=2000)


@router.post("/reviews", status_code=201, response_model=None, responses=_JOB)
def review(new: NewReview, service: ServiceDep, client: ClientId) -> Response:
    """Start a review of hands; follow the job at ``/jobs`` like any other."""
    request = ReviewRequest(**new.model_dump(exclude={"keep"}, exclude_unset=True))
    if request.hand_id is not None:
        find_hand(service.store, request.hand_id)
    job = service.jobs.add(client, "review", Body(keep=new.keep), request)
    return job_response(service, job, HTTPStatus.CREATED)


@router.post("/hands/text")
def read_text(plain: PlainText) -> Lines:
    """Convert hands from plain text to hand histories; nothing is stored."""
    with checking("text"):
        return Lines(lines="".join(record.to_line() + "\n" for record in read_plain_text(plain.text)))


@router.get("/hands")
def hands(
    service: ServiceDep,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    offset: Annotated[int, Query(ge=0, lt=2**31)] = 0,
    player: PlayerName | None = None,
    rules: RulesName = None,
    starred: bool = False,
    sort: HandOrder = "newest",
) -> list[HandView]:
    """List the hands of the store, optionally those of a player, of a rule set or with a star.

    The newest hands come first, or those in which the player (or everybody) lost most EV.
    """
    found = service.store.hands.listed(limit, offset, player=player, rules=rules, starred=starred, order=sort)
    return [HandView.of(listed) for listed in found]


@router.patch("/hands/{hand_id}", status_code=204, responses=_NOT_FOUND)
def note(hand_id: HandId, change: Note, service: ServiceDep) -> None:
    """Set or remove a hand's star, or write its note."""
    service.store.hands.note(hand_id, starred=change.starred, text=change.note)


@router.get("/hands/{hand_id}", response_model=None, responses={200: {"model": HandRecord}, **_NOT_FOUND})
def hand(hand_id: HandId, service: ServiceDep) -> Response:
    """Return a hand as a hand history (docs/hand-histories.md)."""
    return Response(service.store.hands.find(hand_id).line, media_type="application/json")


@router.get("/statistics", responses={**_NOT_FOUND, **documented(HTTPStatus.TOO_MANY_REQUESTS)})
async def statistics(
    service: ServiceDep,
    client: ClientId,
    player: Annotated[list[PlayerName] | None, Query(max_length=10)] = None,
    rules: RulesName = None,
) -> dict[str, Any]:
    """Report on the hands of the store, like `bromeliad report --json`."""

    def work() -> dict[str, Any]:
        try:
            found = report_on_store(service.store, players=player or (), rules=rules)
        except StoreError:
            raise
        except InputError as error:
            empty = InputError("the store has no such hand yet")  # without the path of the store, which is private
            raise Refusal(HTTPStatus.NOT_FOUND, empty if "file" in error.values else error) from None
        odd = tuple(item._replace(source=_SOURCE) for item in found.anomaly_list)
        return found.model_copy(update={"source": _SOURCE, "anomaly_list": odd}).model_dump(mode="json")

    return await service.compute(client, work, _SCAN_KERNELS)
