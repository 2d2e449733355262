"""Figures about the service itself, as Prometheus reads them."""

import resource
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from threading import Lock
from typing import NamedTuple

__all__ = ["Metrics", "Sample", "exposition"]


class Sample(NamedTuple):
    """One metric: its kind is ``counter`` or ``gauge``, its values stand by the value of a label."""

    name: str
    kind: str
    help: str
    label: str
    values: Mapping[str, float]


class Metrics:
    """Counters that everybody may add to."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self._lock = Lock()
        self._responses: Counter[str] = Counter()
        self._jobs: Counter[str] = Counter()
        self._seconds = 0.0

    def count_response(self, status: int) -> None:
        """Count an answer."""
        with self._lock:
            self._responses[str(status)] += 1

    def count_job(self, status: str, seconds: float) -> None:
        """Count a job that ended, and the time that a worker spent on it."""
        with self._lock:
            self._jobs[status] += 1
            self._seconds += seconds

    def uptime(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self.started

    def samples(self) -> list[Sample]:
        """Return what was counted."""
        with self._lock:
            responses, jobs, seconds = dict(self._responses), dict(self._jobs), self._seconds
        usage = resource.getrusage(resource.RUSAGE_SELF)
        peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        return [
            Sample("bromeliad_http_responses_total", "counter", "Answers by status.", "status", responses),
            Sample("bromeliad_jobs_total", "counter", "Jobs that ended, by how.", "status", jobs),
            Sample("bromeliad_job_seconds_total", "counter", "Time that workers spent on jobs.", "", {"": seconds}),
            Sample("bromeliad_uptime_seconds", "gauge", "Time since the start.", "", {"": self.uptime()}),
            Sample(
                "bromeliad_cpu_seconds_total",
                "counter",
                "Processor time of this process.",
                "",
                {"": usage.ru_utime + usage.ru_stime},
            ),
            Sample("bromeliad_peak_memory_bytes", "gauge", "Most memory so far.", "", {"": float(peak)}),
        ]


def exposition(samples: Iterable[Sample]) -> str:
    """Write samples in the text format of Prometheus."""
    lines = []
    for sample in samples:
        lines += [f"# HELP {sample.name} {sample.help}", f"# TYPE {sample.name} {sample.kind}"]
        for value, number in sample.values.items():
            label = f'{{{sample.label}="{value}"}}' if sample.label else ""
            lines.append(f"{sample.name}{label} {number:.12g}")
    return "\n".join(lines) + "\n"
