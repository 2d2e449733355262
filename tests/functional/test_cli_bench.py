"""``bromeliad bench status`` and ``bench all --stale``, with benches that measure nothing."""

import re

import pytest

from bromeliad.bench import registry
from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.errors import UnsupportedError


@pytest.fixture
def toys(monkeypatch, tmp_path):
    """Replace all benches by three; yield the list of (name, seed) of those that were measured."""
    measured = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_BENCHES", {})
    monkeypatch.setattr(registry, "iter_modules", lambda *args: [])

    def sections(name, seed):
        measured.append((name, seed))
        return [Section(name, ("seed",), [(seed,)], [])]

    bench("slow", minutes=50, page="page")(lambda quick, seed: sections("slow", seed))
    bench("quick", minutes=1)(lambda quick, seed: sections("quick", seed))
    bench("middling", minutes=3, batches=True)(lambda quick, seed, batch: sections("middling", seed))
    registry.find_benches.cache_clear()
    yield measured
    registry.find_benches.cache_clear()


def states(run):
    found = run("bench", "status", "--json").json["blocks"]
    return {(block["document"], block["block"]): block["state"] for block in found}


def make_stale(path, *names):
    """Change the fingerprints of some blocks."""
    text = path.read_text()
    for name in names:
        text = re.sub(rf"(<!-- bench {name} -->\n<!-- code )\w+", r"\g<1>0123", text)
    path.write_text(text)


def test_figures_are_fresh_until_the_code_changes(run, toys, tmp_path):
    results, page = tmp_path / "benchmarks" / "RESULTS.md", tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    page.write_text("# Page\n")
    assert run("bench", "all", "--write", "--workers", "1").code == 0
    assert [name for name, _ in toys] == ["quick", "middling", "slow"]
    names = {("benchmarks/RESULTS.md", name) for name in ("quick", "middling", "slow")}
    assert states(run) == dict.fromkeys(names | {("docs/page.md", "slow")}, "fresh")
    make_stale(results, "quick", "slow")
    found = states(run)
    assert [found["benchmarks/RESULTS.md", name] for name in ("quick", "middling", "slow")] == [
        "stale",
        "fresh",
        "stale",
    ]
    assert "Stale" not in results.read_text()
    shown = run("bench", "status", "--write")
    assert results.read_text().count("> **Stale:**") == 2
    assert "> **Stale:**" not in page.read_text()
    assert re.search(r"slow\W+stale\W+\d{4}-\d\d-\d\d\W+bromeliad bench slow --seed 1", shown.out)
    assert run("bench", "status", "--json").json["blocks"][0].keys() == {
        "document", "block", "state", "measured", "command", "code"
    }  # fmt: skip


def test_stale_figures_are_measured_again_with_their_seeds(run, toys, tmp_path):
    results = tmp_path / "benchmarks" / "RESULTS.md"
    for name, seed in (("slow", "2"), ("quick", "3"), ("middling", "4")):
        run("bench", name, "--seed", seed, "--write")
    make_stale(results, "slow", "middling")
    toys.clear()
    result = run("bench", "all", "--stale", "--minutes", "10", "--workers", "1")
    assert toys == [("middling", 4)]
    assert "not enough time left for slow" in result.err
    assert run("bench", "all", "--stale").code == 0
    assert toys == [("middling", 4), ("slow", 2)]
    assert set(states(run).values()) == {"fresh"}
    assert run("bench", "all", "--stale").code == 0
    assert len(toys) == 2


def test_what_cannot_be_measured_here_keeps_its_figures(run, toys, tmp_path):
    def broken(quick, seed):
        raise UnsupportedError("this machine cannot measure it")

    results = tmp_path / "benchmarks" / "RESULTS.md"
    run("bench", "all", "--write", "--workers", "1")
    make_stale(results, "quick", "middling", "slow")
    before = results.read_text()
    bench("quick", minutes=1)(broken)
    bench("middling", minutes=3)(lambda quick, seed: [Section("middling", ("seed",), [], ["not measured"])])
    bench("slow", minutes=5)(broken)
    registry.find_benches.cache_clear()
    result = run("bench", "all", "--stale")
    assert result.code == 1
    assert result.err.count("this machine cannot measure it") == 2
    assert results.read_text() == before


def test_the_solvers_bench_has_iterations_and_a_time_limit(run, toys, tmp_path):
    given = []

    def solver(quick, seed, **options):
        given.append(options)
        return [Section("solver", ("seed",), [(seed,)], [])]

    bench("solver", minutes=5)(solver)
    registry.find_benches.cache_clear()
    assert run("bench", "solver", "--iterations", "7", "--time-limit", "2.5", "--write").code == 0
    assert run("bench", "solver").code == 0
    assert given == [{"iterations": 7, "time_limit": 2.5}, {}]
    assert states(run) == {("benchmarks/RESULTS.md", "solver, --iterations 7 --time-limit 2.5"): "fresh"}
    text = (tmp_path / "benchmarks" / "RESULTS.md").read_text()
    assert "bromeliad bench solver --iterations 7 --time-limit 2.5 --seed 1" in text
    assert run("bench", "quick", "--iterations", "7").problem == "--iterations is only for bench solver"
    assert run("bench", "solver", "--hands", "7").problem == "--hands is only for bench strength"
    assert run("bench", "all", "--time-limit", "1").problem == "--time-limit is only for bench solver"


@pytest.mark.parametrize("args", [("quick", "--stale"), ("status", "--minutes", "3")])
def test_options_of_all(run, toys, args):
    assert run("bench", *args).problem == "--stale and --minutes are only for bench all"
