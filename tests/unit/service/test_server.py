"""How the service listens, and that /health waits for no thread."""

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest
from anyio.to_thread import current_default_thread_limiter
from httpx2 import ASGITransport, AsyncClient

from bromeliad.errors import InputError
from bromeliad.service.app import _listen, create_app
from bromeliad.service.settings import Settings
from bromeliad.storage import open_store


def test_answers_do_not_wait_for_acknowledgements():
    with _listen(Settings(port=0)) as listener, socket.create_connection(listener.getsockname()) as asker:
        answering, _ = listener.accept()
        with answering:
            assert answering.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        asker.close()


def test_a_port_that_is_taken_is_told():
    with _listen(Settings(port=0)) as listener, pytest.raises(InputError, match="give another --port"):
        _listen(Settings(port=listener.getsockname()[1]))


async def ask_without_threads(app):
    """Return the answer of /health while every thread for requests is busy."""
    async with app.router.lifespan_context(app):
        limiter = current_default_thread_limiter()
        for number in range(int(limiter.total_tokens)):
            limiter.acquire_on_behalf_of_nowait(number)
        async with AsyncClient(transport=ASGITransport(app), base_url="http://127.0.0.1") as client:
            async with asyncio.timeout(60):
                answer = await client.get("/api/v1/health")
        for number in range(int(limiter.total_tokens)):
            limiter.release_on_behalf_of(number)
        return answer


def test_the_health_is_told_though_every_thread_is_taken(tmp_path):
    with open_store(tmp_path / "store.sqlite") as store:
        asking = ask_without_threads(create_app(Settings(), store))
        with ThreadPoolExecutor(1) as other:  # an earlier test may have left an event loop in this thread
            answer = other.submit(asyncio.run, asking).result()
    assert answer.status_code == 200
    assert answer.json()["jobs"] == {"running": 0, "queued": 0}
