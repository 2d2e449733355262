"""The bench of batch work: its figures for a made-up rate, and a quick run."""

import pytest

from bromeliad.bench import cluster
from bromeliad.bench.cluster import cluster_bench


def test_costs_are_rate_times_size(monkeypatch):
    monkeypatch.setattr(cluster, "cores", lambda: 4)
    row = cluster._cost("book", "opening", 200, (3.6, 0.36), 134_459)
    assert row[5:] == (134_459, pytest.approx(134.459), pytest.approx(13.4459), pytest.approx(33.6, 0.01),
                       pytest.approx(0.336, 0.01))  # fmt: skip


@pytest.mark.accept
def test_ray_is_nearly_as_quick_as_local_processes():
    throughput, starts, costs = cluster_bench(True, 1)
    for section in (throughput, starts, costs):
        assert all(len(row) == len(section.columns) == len(set(section.columns)) for row in section.rows)
    rows = {row[0]: dict(zip(throughput.columns, row, strict=True)) for row in throughput.rows}
    assert rows["Ray"]["ms per item"] >= 50
    assert rows["Ray"]["to local"] + 2 * rows["Ray"]["± "] >= 0.9
