"""Files of learned weights: they read back as written, damaged ones are refused, and the nearest objective is used."""

import numpy as np
import pytest

from bromeliad.errors import WeightsError
from bromeliad.games.ofc.rules.files import parse_rules, preset
from bromeliad.games.ofc.search_spot import error_model
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.games.ofc.values import weights
from bromeliad.games.ofc.values.learned import learned_layout, stage_size
from bromeliad.games.ofc.values.weights import (
    ErrorModel,
    find_weights,
    layout_key,
    learned_for,
    read_header,
    read_weights,
    save_weights,
    use_weights,
)

RULES = preset("pineapple")
SIZE = 4 * stage_size(learned_layout(RULES))


def header(**changes):
    return {
        "rules": "pineapple",
        "game": RULES.game_key,
        "layout": layout_key(RULES),
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


def test_what_serves_is_found_with_its_header(files):
    assert find_weights(RULES, 6.0, ((14, 8.0),)) is None
    weights._forget()
    dear = save_weights(files / "a.npz", header(foul_cost=6.0), some_parts())
    free = save_weights(files / "b.npz", header(foul_cost=0.0), some_parts())
    assert find_weights(RULES, 3.5, ((14, 8.0),)) == (files / "a.npz", dear)
    assert find_weights(RULES, 2.5, ((14, 8.0),)) == (files / "b.npz", free)
    assert find_weights(RULES, 3.0, ((14, 8.0),)) == (files / "a.npz", dear)  # as near: the first
    assert find_weights(preset("house"), 6.0, ()) is None


def test_each_street_has_its_errors(files):
    board = "Qd / 9c 9s / As Ac"
    spots = [
        parse_spot(RULES, cards="As Ah Kd 7c 2s"),
        parse_spot(RULES, cards="Kc 8d 3s", board=board),
        parse_spot(RULES, cards="Kc 8d 3s", board=board.replace("9s", "9s 4h 4d")),
        parse_spot(RULES, cards="Kc 8d 3s", board=board.replace("9s", "9s 4h 4d").replace("Ac", "Ac 7h 7d")),
    ]
    assert [error_model(spot) for spot in spots] == [ErrorModel()] * 4
    errors = ErrorModel(0.5, 1.0), ErrorModel(0.25, 2.0), ErrorModel(0.125, 3.0)
    save_weights(files / "a.npz", header(errors=errors), some_parts())
    weights._forget()
    assert [error_model(spot) for spot in spots] == [*errors, ErrorModel()]


@pytest.mark.parametrize("before", [None, "elsewhere.npz"])
def test_one_file_is_the_only_one_for_a_while(tmp_path, monkeypatch, before):
    if before is None:
        monkeypatch.delenv("BROMELIAD_WEIGHTS", raising=False)
    else:
        monkeypatch.setenv("BROMELIAD_WEIGHTS", before)
    files = weights._files()
    path = tmp_path / "a.npz"
    found = save_weights(path, header(), some_parts())
    with use_weights(path):
        assert weights._files() == [path]
        assert find_weights(RULES, 0.0, ((14, 8.0),)) == (path, found)
        inside = learned_for(RULES, 0.0, ((14, 8.0),))
    with pytest.raises(RuntimeError), use_weights(path):
        raise RuntimeError
    assert weights._files() == files
    if before is None:
        assert not np.array_equal(learned_for(RULES, 0.0, ((14, 8.0),)).weights, inside.weights)


def test_what_ships_serves_pineapple(monkeypatch, tmp_path):
    monkeypatch.delenv("BROMELIAD_WEIGHTS", raising=False)
    monkeypatch.setattr(weights, "weights_directory", lambda: tmp_path)
    weights._forget()
    for cost, worth, name in ((6.0, 9.9, "pineapple.npz"), (0.0, 8.0, "pineapple-free.npz")):
        path, shipped = find_weights(RULES, cost, ((14, worth),))
        assert path.name == name
        assert (shipped.foul_cost, shipped.fantasyland_worth) == (cost, {14: worth})
        assert read_weights(path).provenance == shipped
    weights._forget()


def test_files_for_other_rules_or_layouts_do_not_serve(files):
    save_weights(files / "a.npz", header(game="other"), some_parts())
    save_weights(files / "b.npz", header(layout="other"), some_parts())
    assert learned_for(RULES, 6.0, ((14, 8.0),)).weights.size == 0
    assert learned_for(preset("house"), 6.0, ((14, 8.0),)).weights.size == 0


def test_rules_that_value_boards_alike_share_weights():
    assert preset("progressive").game_key == preset("progressive-keep").game_key
    assert preset("progressive").game_key != RULES.game_key
    settled = parse_rules("base: pineapple\nname: other\nscoring: {scoop: 0}\n")
    assert settled.game_key == RULES.game_key


def test_the_environment_names_the_only_file(tmp_path, monkeypatch):
    save_weights(tmp_path / "a.npz", header(), some_parts())
    monkeypatch.setenv("BROMELIAD_WEIGHTS", str(tmp_path / "a.npz"))
    assert weights._files() == [tmp_path / "a.npz"]
    monkeypatch.setenv("BROMELIAD_WEIGHTS", "")
    assert weights._files() == []
    weights._forget()
    assert parse_spot(RULES).to_search_state().learned.weights.size == 0
    weights._forget()


def test_a_damaged_file_among_others_is_passed_over_but_not_one_that_is_named(files, monkeypatch):
    save_weights(files / "b.npz", header(), some_parts())
    (files / "a.npz").write_bytes(b"half a file")
    weights._forget()
    assert find_weights(RULES, 6.0, ((14, 8.0),))[0] == files / "b.npz"
    monkeypatch.setenv("BROMELIAD_WEIGHTS", str(files / "a.npz"))
    weights._forget()
    with pytest.raises(WeightsError, match="damaged"):
        find_weights(RULES, 6.0, ((14, 8.0),))


def test_a_named_file_for_other_rules_is_refused(tmp_path, monkeypatch):
    save_weights(tmp_path / "a.npz", header(), some_parts())
    monkeypatch.setenv("BROMELIAD_WEIGHTS", str(tmp_path / "a.npz"))
    weights._forget()
    with pytest.raises(WeightsError, match="no weights for these rules: ultimate"):
        find_weights(preset("ultimate"), 6.0, ())
    weights._forget()


def test_a_file_with_too_few_weights_is_refused(files):
    save_weights(files / "a.npz", header(), some_parts()[:16])
    weights._forget()
    with pytest.raises(WeightsError, match="damaged"):
        learned_for(RULES, 6.0, ((14, 8.0),))
