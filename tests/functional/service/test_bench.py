"""``bromeliad bench serve`` runs, and states the load under which it measured."""

import pytest

from bromeliad.bench.serve import serve_bench


@pytest.mark.accept
def test_the_service_stands_a_small_load():
    load, start = serve_bench(quick=True, seed=1)
    known, new = (dict(zip(load.columns, row, strict=True)) for row in load.rows)
    for row in (known, new):
        assert row["answers"] > 10
        assert row["errors"] == 0
        assert row["lost"] == 0
        assert row["/health asked"] > 10
    assert known["from the store"] == known["answers"]
    assert new["from the store"] == 0
    assert [row[0] for row in start.rows] == ["warm", "warm"]
    assert "Load of the machine" in " ".join(load.notes)
