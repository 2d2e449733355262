"""The figures that Prometheus reads: their names and kinds are a contract."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from bromeliad.service.metrics import Metrics
from bromeliad.storage import open_store

HEADS = """\
# HELP bromeliad_http_responses_total Answers by status.
# TYPE bromeliad_http_responses_total counter
# HELP bromeliad_jobs_total Ended jobs by status.
# TYPE bromeliad_jobs_total counter
# HELP bromeliad_job_seconds_total Time that workers spent on jobs.
# TYPE bromeliad_job_seconds_total counter
# HELP bromeliad_cpu_seconds_total Processor time of this process.
# TYPE bromeliad_cpu_seconds_total counter
# HELP bromeliad_peak_memory_bytes Peak memory.
# TYPE bromeliad_peak_memory_bytes gauge
# HELP bromeliad_jobs Running and waiting jobs.
# TYPE bromeliad_jobs gauge
# HELP bromeliad_store_lookups_total Look-ups in the store by result.
# TYPE bromeliad_store_lookups_total counter
"""


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "store.sqlite") as store:
        yield store


def values_of(metrics):
    """Return the values by name and labels, as the library's own parser reads them."""
    families = text_string_to_metric_families(metrics.exposition().decode())
    return {(sample.name, *sample.labels.values()): sample.value for family in families for sample in family.samples}


def test_names_and_kinds_are_what_they_always_were(store):
    text = Metrics(store).exposition().decode()
    assert "".join(f"{line}\n" for line in text.splitlines() if line.startswith("#")) == HEADS


def test_what_is_counted_is_told(store):
    metrics = Metrics(store)
    for status in (200, 200, 404):
        metrics.count_response(status)
    metrics.count_job("completed", 1.5)
    metrics.count_job("aborted", 0.25)
    metrics.count_jobs_now = lambda: (2, 7)
    values = values_of(metrics)
    assert values["bromeliad_http_responses_total", "200"] == 2
    assert values["bromeliad_http_responses_total", "404"] == 1
    assert values["bromeliad_jobs_total", "completed"] == 1
    assert values["bromeliad_jobs_total", "aborted"] == 1
    assert values["bromeliad_job_seconds_total",] == 1.75
    assert (values["bromeliad_jobs", "running"], values["bromeliad_jobs", "queued"]) == (2, 7)
    assert (values["bromeliad_store_lookups_total", "yes"], values["bromeliad_store_lookups_total", "no"]) == (0, 0)
    assert values["bromeliad_peak_memory_bytes",] > 1e6


def test_two_services_count_apart(store):
    one, other = Metrics(store), Metrics(store)
    one.count_response(200)
    assert ("bromeliad_http_responses_total", "200") not in values_of(other)
