"""``/clients``, ``/health``, ``/metrics`` and ``/rules``."""

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
from bromeliad.service.state import ClientSecret, ServiceDep

router = APIRouter(tags=["service"])


class JobCounts(BaseModel):
    """Numbers of jobs."""

    running: int
    queued: int


class Health(BaseModel):
    """The state of the service."""

    status: Literal["ok"] = "ok"
    version: str = __version__
    jobs: JobCounts
    uptime_s: float
    kernels: Literal["ready", "warming"]


class FantasylandSummary(BaseModel):
    """The sizes of fantasyland hands; none if the first street determines them."""

    cards: tuple[int, ...]


class RulesSummary(BaseModel):
    """A summary of a rule set."""

    name: str
    title: str
    jokers: int
    players: Players
    streets: tuple[Street, ...]
    fantasyland: FantasylandSummary
    objective: Objective


class NewClient(BaseModel):
    """A client: the secret to send as ``X-Client``."""

    client: str


@router.post("/clients")
async def new_client(service: ServiceDep, x_client: ClientSecret = None) -> NewClient:
    """Return a secret for a new client, or the one that was sent, if this service gave it."""
    if x_client is None or service.clients.name_of(x_client) is None:
        x_client = service.clients.new_secret()
    return NewClient(client=x_client)


@router.get("/health")
async def health(service: ServiceDep) -> Health:
    """Show the state of the service."""
    busy, waiting = service.jobs.counts()
    return Health(
        jobs=JobCounts(running=busy, queued=waiting),
        uptime_s=service.metrics.uptime(),
        kernels="ready" if service.warmer.is_done else "warming",
    )


@router.get("/metrics", response_class=PlainTextResponse)
def metrics(service: ServiceDep) -> PlainTextResponse:
    """Show the metrics of the service for Prometheus."""
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
