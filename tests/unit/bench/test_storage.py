"""The bench of reports: it measures new processes, not this one."""

from bromeliad.bench import storage


def test_reports_are_measured_in_processes_of_their_own(monkeypatch):
    monkeypatch.setattr(storage, "DECISIONS", 2000)
    ballast = bytearray(512 << 20)  # memory of this process, which the figures must not contain
    ballast[:: 1 << 12] = b"x" * (1 << 17)
    (section,) = storage.report_bench(True, 1)
    rows = [dict(zip(section.columns, row, strict=True)) for row in section.rows]
    assert [row["command"] for row in rows] == ["report --json", "report --html"]
    for row in rows:
        assert row["processor seconds"] > 0.0
        assert 20.0 < row["peak MB"] < len(ballast) / (1 << 20)
