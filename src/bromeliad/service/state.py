"""The running service: its parts, and how they start and end together."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Annotated, TypeVar

from anyio.to_thread import current_default_thread_limiter
from fastapi import Depends, Header, Request

from bromeliad.service.games import Games
from bromeliad.service.jobs.manager import JobManager
from bromeliad.service.jobs.warming import Warmer
from bromeliad.service.jobs.workers import Workers
from bromeliad.service.metrics import Metrics
from bromeliad.service.quizzes import Quizzes
from bromeliad.service.sequence_games import SequenceGames
from bromeliad.service.settings import Settings
from bromeliad.storage import Store

_THREADS = 8  # for requests that read or write the store; more of them would only keep the event loop waiting
_SWEEP = 1.0  # seconds between two looks for jobs whose clients have gone
_PATIENCE = 2.0  # seconds that a worker gets to end
T = TypeVar("T")


class Service:
    """What requests are answered with."""

    def __init__(self, settings: Settings, store: Store, metrics: Metrics) -> None:
        self.settings, self.store, self.metrics = settings, store, metrics
        self.workers = Workers(settings.workers)
        self.warmer = Warmer(lambda: self.workers.queue.running() > 0)
        self.jobs = JobManager(settings, store, self.workers, self.warmer, metrics)
        self.games = Games(store)
        self.sequence = SequenceGames(store)
        self.quizzes = Quizzes(store)

    async def compute(self, client: str, function: Callable[[], T], kernels: tuple[str, ...] = ()) -> T:
        """Have something computed on a worker's thread when the client's turn comes, its kernels ready.

        Raises
        ------
        Refusal
            If too much waits already.
        """
        self.jobs.check_room(client)

        def ready() -> T:
            self.warmer.wait(kernels)
            return function()

        return await asyncio.wrap_future(self.workers.compute(client, ready))

    async def sweep(self) -> None:
        """Look for jobs whose clients have gone, again and again."""
        while True:
            await asyncio.sleep(_SWEEP)
            await asyncio.to_thread(self.jobs.sweep)


@asynccontextmanager
async def running(settings: Settings, store: Store, metrics: Metrics) -> AsyncIterator[Service]:
    """Start a service on an open store, and end it at the end of the block."""
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


# Dependencies are coroutines, as FastAPI calls plain functions on a thread: even /health would wait for one.


async def _service(request: Request) -> Service:
    found: Service = request.app.state.service
    return found


async def _client(
    request: Request,
    x_client: Annotated[
        str | None, Header(max_length=100, description="Who asks: a random name that a client keeps.")
    ] = None,
) -> str:
    return x_client or (request.client.host if request.client else "")


ServiceDep = Annotated[Service, Depends(_service)]
"""The running service."""

ClientId = Annotated[str, Depends(_client)]
"""Who asks, for a fair queue."""
