"""Benches register themselves; their fingerprints follow the code and the data that they depend on."""

import re
from pathlib import Path

import pytest

from bromeliad.bench import registry
from bromeliad.bench.registry import bench, find_benches, get_bench, state_of
from bromeliad.bench.results import UNKNOWN, Block
from bromeliad.core import fingerprint
from bromeliad.errors import InputError

PACKAGE = Path(registry.__file__).parent


def files(name):
    """Return the names of the data files that a bench depends on."""
    found = get_bench(name)
    modules = {each for root in (found.run.__module__, *found.depends) for each in fingerprint.closure(root, True)}
    return {path.name for path in registry._data_files(modules)}


@pytest.fixture
def forgotten():
    """Forget a bench that a test registers."""
    before = dict(registry._BENCHES)
    yield
    registry._BENCHES.clear()
    registry._BENCHES.update(before)


class TestRegistry:
    def test_finds_every_decorated_function(self):
        declared = re.findall(r'^@bench\(\s*"([\w-]+)"', "".join(p.read_text() for p in PACKAGE.glob("*.py")), re.M)
        assert sorted(found.name for found in find_benches()) == sorted(declared)
        assert len(declared) == len(set(declared)) >= 28

    def test_the_quickest_comes_first(self):
        minutes = [found.minutes for found in find_benches()]
        assert minutes == sorted(minutes)
        assert min(minutes) > 0

    def test_attributes(self, forgotten):
        @bench("toy", minutes=2, batches=True, page="toys")
        def toy(quick, seed, batch):
            return []

        find_benches.cache_clear()
        found = get_bench("toy")
        find_benches.cache_clear()
        assert (found.run, found.minutes, found.batches, found.page) == (toy, 2, True, "toys")

    def test_what_a_bench_depends_on_exists(self):
        for found in find_benches():
            assert set(found.depends) <= set(fingerprint.package_modules())

    def test_unknown(self):
        with pytest.raises(InputError, match="there is no bench nope"):
            get_bench("nope")


class TestFingerprint:
    def test_is_of_the_code_and_the_data_that_figures_depend_on(self):
        assert {"pineapple.yaml", "ultimate.yaml"} <= files("evaluator")
        assert not {"pineapple.npz", "pineapple.book"} & files("evaluator")
        assert {"pineapple.npz", "pineapple.book", "pineapple.yaml"} <= files("regret")
        assert "model.npz" in files("gomoku")
        assert not files("sequence-fit")

    def test_benches_of_different_games_do_not_share_code_of_games(self):
        names = {name: fingerprint.closure(get_bench(name).run.__module__, True) for name in ("regret", "gomoku")}
        assert not [name for name in names["regret"] if name.startswith("bromeliad.games.gomoku")]
        assert not [name for name in names["gomoku"] if name.startswith("bromeliad.games.ofc.values")]

    def test_changes_with_a_data_file_but_not_with_words_in_it(self, tmp_path):
        path = tmp_path / "rules.yaml"
        path.write_text("name: a  # why\nsize: 3\n")
        first = registry._content(path)
        registry._content.cache_clear()
        path.write_text("# other words\nname: a\nsize: 3\n")
        assert registry._content(path) == first
        registry._content.cache_clear()
        path.write_text("name: a\nsize: 4\n")
        assert registry._content(path) != first
        registry._content.cache_clear()

    def test_changes_with_code_on_the_way(self, monkeypatch):
        def meaning(name):
            found = real(name)
            return found and found._replace(loose="changed" if name == "bromeliad.search.mcts" else found.loose)

        real, names = fingerprint._meaning, ("evaluator", "regret", "gomoku")
        before = {name: get_bench(name).fingerprint for name in names}
        monkeypatch.setattr(fingerprint, "_meaning", meaning)
        after = {name: type(found).fingerprint.func(found) for name in names if (found := get_bench(name))}
        assert [name for name in names if before[name] != after[name]] == ["regret", "gomoku"]


def test_states():
    own = get_bench("evaluator").fingerprint
    assert re.fullmatch("[0-9a-f]{16}", own)
    codes = {"fresh": own, "stale": "0" * 16, "unknown": UNKNOWN}
    for state, code in codes.items():
        assert state_of(Block("evaluator", code, "2030-01-01", "")) == state
    assert state_of(Block("evaluator, with a twist", own, "", "")) == "fresh"
    assert state_of(Block("no longer there", own, "", "")) == "unknown"
