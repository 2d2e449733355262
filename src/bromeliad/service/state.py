"""The running service: its parts, and their start and end."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from http import HTTPStatus
from typing import Annotated, TypeVar

from anyio.to_thread import current_default_thread_limiter
from fastapi import Depends, Header, Request

from bromeliad.errors import InputError
from bromeliad.service.clients import Client, Clients, usual_address
from bromeliad.service.games import Games
from bromeliad.service.guard import API
from bromeliad.service.jobs.manager import JobManager
from bromeliad.service.jobs.warming import Warmer
from bromeliad.service.jobs.workers import Workers
from bromeliad.service.metrics import Metrics
from bromeliad.service.problems import Refusal
from bromeliad.service.quizzes import Quizzes
from bromeliad.service.sequence_games import SequenceGames
from bromeliad.service.settings import Settings
from bromeliad.storage import Store

_THREADS = 8  # for requests that use the store; more would only slow down the event loop
_SWEEP = 1.0  # seconds between checks for jobs whose clients have gone
_PATIENCE = 2.0  # seconds for a worker to end
T = TypeVar("T")


class Streams:
    """Counts the event streams of each client and address; used on the event loop only."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._open: Counter[Client] = Counter()

    @contextmanager
    def opened(self, client: Client) -> Iterator[None]:
        """Count a stream for the duration of the block; raise if there are too many."""
        self._check(client)
        self._open[client] += 1
        try:
            yield
        finally:
            self._open[client] -= 1
            self._open = +self._open  # drops zeros

    def _check(self, client: Client) -> None:
        near = sum(count for other, count in self._open.items() if other.address == client.address)
        own = self._open[client] if client.name else 0  # clients without a name cannot be told apart
        if own >= self._settings.max_streams_of_client or near >= self._settings.max_streams_of_address:
            raise Refusal(HTTPStatus.TOO_MANY_REQUESTS, InputError("too many of your event streams are open"))
        if self._open.total() >= self._settings.max_streams:
            raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, InputError("the service is too busy: try again later"))


class Service:
    """The parts that requests use."""

    def __init__(self, settings: Settings, store: Store, metrics: Metrics) -> None:
        self.settings, self.store, self.metrics = settings, store, metrics
        self.clients = Clients(store)
        self.streams = Streams(settings)
        self.workers = Workers(settings.workers)
        self.warmer = Warmer(lambda: self.workers.queue.running() > 0)
        self.jobs = JobManager(settings, store, self.workers, self.warmer, metrics)
        self.games = Games(store)
        self.sequence = SequenceGames(store)
        self.quizzes = Quizzes(store)

    async def compute(self, client: Client, function: Callable[[], T], kernels: tuple[str, ...]) -> T:
        """Run a function on a worker thread when the client's turn comes and the kernels are ready.

        Raises
        ------
        Refusal
            If too many jobs are waiting.
        """
        self.jobs.check_room(client)

        def ready() -> T:
            self.warmer.wait(kernels)
            return function()

        return await asyncio.wrap_future(self.workers.compute(client, ready))

    async def sweep(self) -> None:
        """Regularly cancel the jobs whose clients have gone."""
        while True:
            await asyncio.sleep(_SWEEP)
            await asyncio.to_thread(self.jobs.sweep)


@asynccontextmanager
async def running(settings: Settings, store: Store, metrics: Metrics) -> AsyncIterator[Service]:
    """Run a service on an open store for the duration of the block."""
    current_default_thread_limiter().total_tokens = _THREADS
    service = Service(settings, store, metrics)
    service.warmer.start()
    service.workers.start()
    sweeping = asyncio.create_task(service.sweep())
    try:
        yield service
    finally:
        sweeping.cancel()
        with suppress(asyncio.CancelledError):
            await sweeping
        service.jobs.close()
        await asyncio.to_thread(service.workers.close, _PATIENCE)
        service.warmer.close()


# Dependencies are coroutines: FastAPI calls plain functions on a thread, and even /health would wait for one.


async def _service(request: Request) -> Service:
    found: Service = request.app.state.service
    return found


ClientSecret = Annotated[
    str | None,
    Header(max_length=100, alias="X-Client", description="The secret that `POST /clients` gave this client."),
]


async def _client(request: Request, x_client: ClientSecret = None) -> Client:
    address = usual_address(request.client.host) if request.client else ""
    if x_client is None:
        return Client(address)
    name = (await _service(request)).clients.name_of(x_client)
    if name is None:
        unknown = InputError("X-Client must be a secret that this service gave you: POST {path}", path=f"{API}/clients")
        raise Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, unknown, "X-Client")
    return Client(address, name)


async def _stream(service: "ServiceDep", client: "ClientId") -> AsyncIterator[None]:
    with service.streams.opened(client):
        yield


ServiceDep = Annotated[Service, Depends(_service)]
"""The running service."""

ClientId = Annotated[Client, Depends(_client)]
"""The client that sent the request."""

OneStream = Annotated[None, Depends(_stream)]
"""A place among the limited number of event streams, held until the answer ends."""
