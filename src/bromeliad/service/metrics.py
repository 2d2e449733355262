"""Metrics of the service, for Prometheus."""

import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from threading import Lock

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from bromeliad.storage import Store


class Metrics:
    """The metrics of one service; the JobManager sets ``count_jobs_now``, which returns running and waiting jobs."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._started = time.monotonic()
        self._lock = Lock()
        self._responses: Counter[str] = Counter()
        self._jobs: Counter[str] = Counter()
        self._seconds = 0.0
        self.count_jobs_now: Callable[[], tuple[int, int]] = lambda: (0, 0)
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def count_response(self, status: int) -> None:
        """Count a response."""
        with self._lock:
            self._responses[str(status)] += 1

    def count_job(self, status: str, seconds: float) -> None:
        """Count an ended job and the time that a worker spent on it."""
        with self._lock:
            self._jobs[status] += 1
            self._seconds += seconds

    def uptime(self) -> float:
        """Return the seconds since the service started."""
        return time.monotonic() - self._started

    def exposition(self) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics; called by the registry."""
        with self._lock:
            responses, jobs, seconds = dict(self._responses), dict(self._jobs), self._seconds
        usage = resource.getrusage(resource.RUSAGE_SELF)
        peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        busy, waiting = self.count_jobs_now()
        stored = self._store.results.statistics()
        lookups = {"yes": stored.hits, "no": stored.misses}
        yield _labelled(CounterMetricFamily, "http_responses", "Answers by status.", "status", responses)
        yield _labelled(CounterMetricFamily, "jobs", "Ended jobs by status.", "status", jobs)
        yield CounterMetricFamily("bromeliad_job_seconds", "Time that workers spent on jobs.", seconds)
        cpu = usage.ru_utime + usage.ru_stime
        yield CounterMetricFamily("bromeliad_cpu_seconds", "Processor time of this process.", cpu)
        yield GaugeMetricFamily("bromeliad_peak_memory_bytes", "Peak memory.", peak)
        yield _labelled(
            GaugeMetricFamily, "jobs", "Running and waiting jobs.", "state", {"running": busy, "queued": waiting}
        )
        yield _labelled(CounterMetricFamily, "store_lookups", "Look-ups in the store by result.", "found", lookups)


def _labelled(
    kind: type[CounterMetricFamily | GaugeMetricFamily], name: str, about: str, label: str, values: Mapping[str, float]
) -> Metric:
    """Return a metric with one value per value of its label."""
    family = kind(f"bromeliad_{name}", about, labels=[label])
    for value, number in values.items():
        family.add_metric([value], number)
    return family
