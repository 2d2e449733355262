"""How the service is, and by which rules it can play."""

from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel

from bromeliad import __version__
from bromeliad.games.ofc.rules.files import preset, preset_names
from bromeliad.games.ofc.rules.rule_set import Objective, Players, Street
from bromeliad.i18n import tr
from bromeliad.service.kinds.ofc import check_preset
from bromeliad.service.problems import Refusal, documented
from bromeliad.service.state import ServiceDep

router = APIRouter(tags=["service"])


class JobCounts(BaseModel):
    """How many jobs there are."""

    running: int
    queued: int


class Health(BaseModel):
    """How the service is."""

    status: Literal["ok"] = "ok"
    version: str = __version__
    jobs: JobCounts
    uptime_s: float
    kernels: Literal["ready", "warming"]


class FantasylandSummary(BaseModel):
    """The numbers of cards that fantasyland hands have; none where the first street decides."""

    cards: tuple[int, ...]


class RulesSummary(BaseModel):
    """A rule set in short."""

    name: str
    title: str
    jokers: int
    players: Players
    streets: tuple[Street, ...]
    fantasyland: FantasylandSummary
    objective: Objective


@router.get("/health")
async def health(service: ServiceDep) -> Health:
    """Tell how the service is."""
    busy, waiting = service.jobs.counts()
    return Health(
        jobs=JobCounts(running=busy, queued=waiting),
        uptime_s=service.metrics.uptime(),
        kernels="ready" if service.warmer.is_done else "warming",
    )


@router.get("/metrics", response_class=PlainTextResponse)
def metrics(service: ServiceDep) -> PlainTextResponse:
    """Tell figures about the service as Prometheus reads them."""
    return PlainTextResponse(service.metrics.exposition(), media_type="text/plain; version=0.0.4")


@router.get("/rules")
def list_rules() -> list[RulesSummary]:
    """List the rule sets."""
    return [_summary(name) for name in preset_names()]


def _summary(name: str) -> RulesSummary:
    rules = preset(name)
    cards = () if rules.fantasyland.first_street else rules.fantasyland_cards()
    return RulesSummary(
        name=name,
        title=tr(rules.summary),
        jokers=rules.jokers.count,
        players=rules.players,
        streets=rules.streets,
        fantasyland=FantasylandSummary(cards=cards),
        objective=rules.objective,
    )


@router.get("/rules/{name}", responses=documented(HTTPStatus.NOT_FOUND))
def show_rules(name: Annotated[str, Path(max_length=40)]) -> dict[str, Any]:
    """Show a whole rule set."""
    try:
        check_preset(name)
    except Refusal as refusal:
        raise Refusal(HTTPStatus.NOT_FOUND, refusal.error, refusal.field) from None
    return preset(name).model_dump(mode="json")
