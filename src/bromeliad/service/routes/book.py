"""``/book``: the opening book."""

from http import HTTPStatus
from typing import Annotated, Literal

from fastapi import APIRouter, Query

from bromeliad.analysis.openings import Explored, explore, read_condition, read_openings
from bromeliad.errors import InputError
from bromeliad.games.ofc.book.shelf import find_books
from bromeliad.service.kinds.kind import checking
from bromeliad.service.kinds.ofc import check_preset, checked
from bromeliad.service.problems import Refusal, documented
from bromeliad.service.state import ServiceDep
from bromeliad.solving.answer import Answer
from bromeliad.solving.request import SolveRequest
from bromeliad.solving.solve import solve

router = APIRouter(prefix="/book", tags=["book"])


@router.get("/answer", responses=documented(HTTPStatus.NOT_FOUND))
def answer(
    service: ServiceDep,
    cards: Annotated[str, Query(max_length=100, description="The five cards of the first deal.")],
    rules: Annotated[str, Query(max_length=40)] = "pineapple",
) -> Answer:
    """Return the book's answer to a first deal at once: the output of ``bromeliad solve --json`` without a budget."""
    planned = checked(SolveRequest(cards=cards, rules=rules), service.settings, "query")
    if planned.method != "book":
        raise Refusal(HTTPStatus.NOT_FOUND, InputError("no opening book knows this deal"))
    return solve(planned)


@router.get("/deals", responses=documented(HTTPStatus.NOT_FOUND))
def deals(
    rules: Annotated[str, Query(max_length=40)] = "pineapple",
    conditions: Annotated[
        list[Annotated[str, Query(max_length=60)]],
        Query(alias="filter", max_length=40, description="Conditions such as kind=pair or lead>=1."),
    ] = [],  # noqa: B006 -- FastAPI copies it
    sort: Literal["ev", "lead", "stderr", "foul", "fantasyland", "royalties", "share"] = "ev",
    descending: bool = True,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Explored:
    """Explore the first deals of the book: the output of ``bromeliad book explore --json``, page by page."""
    check_preset(rules, "query.rules")
    with checking("query.filter"):
        read = [read_condition(text) for text in conditions]
    spot = SolveRequest(rules=rules).to_spot()
    books = find_books(spot.rules, spot.foul_cost, spot.fantasyland_worth)
    if not books:
        raise Refusal(HTTPStatus.NOT_FOUND, InputError("there is no opening book for {rules}", rules=rules))
    return explore(read_openings(books[0]), read, sort=sort, descending=descending, limit=limit, offset=offset)
