"""Files of learned weights: what is written is read, what is damaged is refused, and the nearest objective is taken."""

import numpy as np
import pytest

from bromeliad.errors import WeightsError
from bromeliad.games.ofc import weights
from bromeliad.games.ofc.learned import learned_layout, stage_size
from bromeliad.games.ofc.rulefiles import parse_rules, preset
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.games.ofc.weights import game_key, layout_key, learned_for, read_header, read_weights, save_weights

RULES = preset("pineapple")
SIZE = 4 * stage_size(learned_layout(RULES))


def header(**changes):
    return {
        "rules": "pineapple",
        "game": game_key(RULES),
        "layout": layout_key(learned_layout(RULES)),
        "foul_cost": 6.0,
        "fantasyland_worth": {14: 8.0},
        "hands": 1,
        "seed": 1,
        "rate": 1.0,
        "explore": 0.1,
        "package": "0",
        **changes,
    }


def some_parts(seed=1):
    parts = np.zeros((SIZE, 3), np.float32)
    rng = np.random.default_rng(seed)
    parts[rng.integers(0, SIZE, 5000)] = rng.normal(0, 0.5, (5000, 3))
    return parts


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Make a directory the only place of weights."""
    monkeypatch.setattr(weights, "_files", lambda: sorted(tmp_path.glob("*.npz")))
    weights._forget()
    yield tmp_path
    weights._forget()


def test_what_is_written_is_read(tmp_path):
    parts = some_parts()
    written = save_weights(tmp_path / "a.npz", header(), parts)
    read = read_weights(tmp_path / "a.npz")
    assert read.provenance == written == read_header(tmp_path / "a.npz")
    assert np.abs(read.parts[:SIZE] - parts).max() <= 1 / 512
    assert np.abs(read.parts[:SIZE, 1] - parts[:, 1]).max() <= 1 / 8192
    assert not read.parts[SIZE:].any()


def test_a_damaged_file_is_refused_in_one_line(tmp_path):
    path = tmp_path / "a.npz"
    save_weights(path, header(), some_parts())
    whole = path.read_bytes()
    for damaged in (b"", b"not an archive", whole[: len(whole) // 2], whole[:2000] + b"\0\0\0\0" + whole[2004:]):
        path.write_bytes(damaged)
        with pytest.raises(WeightsError, match=r"a\.npz"):
            read_weights(path)
    with pytest.raises(WeightsError, match="cannot be read"):
        read_weights(tmp_path / "missing.npz")


def test_pickles_are_never_loaded(tmp_path):
    np.savez(tmp_path / "a.npz", header=np.array([{"evil": 1}], object))
    with pytest.raises(WeightsError):
        read_header(tmp_path / "a.npz")


def test_the_value_is_put_together_under_the_objective(files):
    parts = some_parts()
    save_weights(files / "a.npz", header(), parts)
    learned = learned_for(RULES, 3.0, ((14, 16.0),))
    expected = parts @ np.array([1.0, -3.0, 2.0])
    assert np.abs(learned.weights - expected).max() < 0.01
    assert not learned.weights.flags.writeable
    assert learned.weights.size == SIZE


def test_the_file_with_the_nearest_objective_serves(files):
    save_weights(files / "a.npz", header(foul_cost=6.0), some_parts(1))
    save_weights(files / "b.npz", header(foul_cost=0.0), some_parts(2))
    near_b = learned_for(RULES, 1.0, ((14, 8.0),)).weights
    assert np.abs(near_b - some_parts(2) @ np.array([1.0, -1.0, 1.0])).max() < 0.01
    near_a = learned_for(RULES, 5.0, ((14, 8.0),)).weights
    assert np.abs(near_a - some_parts(1) @ np.array([1.0, -5.0, 1.0])).max() < 0.02


def test_files_for_other_rules_or_layouts_do_not_serve(files):
    save_weights(files / "a.npz", header(game="other"), some_parts())
    save_weights(files / "b.npz", header(layout="other"), some_parts())
    assert learned_for(RULES, 6.0, ((14, 8.0),)).weights.size == 0
    assert learned_for(preset("house"), 6.0, ((14, 8.0),)).weights.size == 0


def test_rules_that_value_boards_alike_share_weights():
    assert game_key(preset("progressive")) == game_key(preset("progressive-keep"))
    assert game_key(preset("progressive")) != game_key(RULES)
    settled = parse_rules("base: pineapple\nname: other\nscoring: {scoop: 0}\n")
    assert game_key(settled) == game_key(RULES)


def test_the_environment_names_the_only_file(tmp_path, monkeypatch):
    save_weights(tmp_path / "a.npz", header(), some_parts())
    monkeypatch.setenv("BROMELIAD_WEIGHTS", str(tmp_path / "a.npz"))
    assert weights._files() == [tmp_path / "a.npz"]
    monkeypatch.setenv("BROMELIAD_WEIGHTS", "")
    assert weights._files() == []
    weights._forget()
    assert parse_spot(RULES).to_search_state().learned.weights.size == 0
    weights._forget()
