"""``/jobs``: start, follow, cancel and resume jobs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.sse import EventSourceResponse, ServerSentEvent

from bromeliad.service.jobs.job import Job, JobView
from bromeliad.service.kinds.catalogue import JobBody
from bromeliad.service.problems import PLAIN, documented, problem_of
from bromeliad.service.state import ClientId, OneStream, Service, ServiceDep

router = APIRouter(prefix="/jobs", tags=["jobs"])
JobId = Annotated[str, Path(max_length=40, pattern=PLAIN, description="The id of the job.")]
_ENDING = 5.0  # seconds for a cancelled job to end
_NOT_FOUND = documented(HTTPStatus.NOT_FOUND)
_FULL = documented(HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)


def documented_job(status: HTTPStatus = HTTPStatus.OK, what: str = "The job.") -> dict[int | str, dict[str, Any]]:
    """Return OpenAPI documentation for a route that answers with a job."""
    return {int(status): {"model": JobView, "description": what}}


def job_response(service: Service, job: Job, status: HTTPStatus = HTTPStatus.OK) -> Response:
    """Return a job as the answer of a route."""
    return Response(job.to_json(service.jobs.position(job)), status, media_type="application/json")


@router.post("", status_code=201, response_model=None, responses={**documented_job(HTTPStatus.CREATED), **_FULL})
async def create(body: JobBody, service: ServiceDep, client: ClientId) -> Response:
    """Start a job; get its answer, or stream its progress, by the job's id."""
    job = await service.jobs.ask(client, body.game, body, body.request)
    return job_response(service, job, HTTPStatus.CREATED)


@router.get("", response_model=None, responses={200: {"model": list[JobView], "description": "The jobs."}})
def list_jobs(service: ServiceDep, client: ClientId) -> Response:
    """List your jobs, newest first, and then the interrupted ones; without `X-Client` there are none."""
    jobs = (job.to_json(service.jobs.position(job)) for job in service.jobs.list(client))
    return Response(f"[{', '.join(jobs)}]", media_type="application/json")


async def _find(job_id: JobId, service: ServiceDep) -> Job:
    job = service.jobs.known(job_id)
    if job is None:
        return await run_in_threadpool(service.jobs.find, job_id)
    job.touch()
    return job


FoundJob = Annotated[Job, Depends(_find)]


@router.get("/{job_id}", response_model=None, responses={**documented_job(), **_NOT_FOUND})
async def show(job: FoundJob, service: ServiceDep) -> Response:
    """Show a job: its progress, or its answer."""
    return job_response(service, job)


@router.delete(
    "/{job_id}", response_model=None, responses={**documented_job(what="The job, with its best answer."), **_NOT_FOUND}
)
async def cancel(job: FoundJob, service: ServiceDep) -> Response:
    """Cancel a job; a running one returns its best answer so far."""
    await run_in_threadpool(service.jobs.cancel, job)
    with suppress(TimeoutError):
        async with asyncio.timeout(_ENDING):
            async for _ in service.jobs.follow(job):
                pass
    return job_response(service, job)


@router.post(
    "/{job_id}/resume",
    response_model=None,
    responses={**documented_job(), **_NOT_FOUND, **_FULL, **documented(HTTPStatus.CONFLICT)},
)
def resume(job: FoundJob, service: ServiceDep, client: ClientId) -> Response:
    """Resume an interrupted job from the start."""
    return job_response(service, service.jobs.resume(job.id, client))


@router.get("/{job_id}/events", response_class=EventSourceResponse, responses={**_NOT_FOUND, **_FULL})
async def events(job: FoundJob, service: ServiceDep, place: OneStream) -> AsyncIterator[ServerSentEvent]:
    """Stream a job: ``progress`` events, and at the end ``done`` with the job or ``failed`` with a problem."""
    async for _ in service.jobs.follow(job):
        data = job.progress_json(service.jobs.position(job))
        yield ServerSentEvent(raw_data=data, event="progress")
    if job.error is not None:
        problem = problem_of(job.error, "request")
        yield ServerSentEvent(raw_data=problem.model_dump_json(exclude_none=True), event="failed")
    else:
        yield ServerSentEvent(raw_data=job.to_json(), event="done")
