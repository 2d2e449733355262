"""Training of the value of two boards: seeded, resumable with the same result, found by the solver."""

import numpy as np
import pytest

from bromeliad.core.jit import JIT
from bromeliad.errors import WeightsError
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.games.ofc.values.versus_learned import versus_shapes
from bromeliad.games.ofc.values.weights import find_weights, read_header, read_network, versus_for
from bromeliad.learning import versus_train
from bromeliad.learning.run import Plan
from bromeliad.learning.train import train

pytestmark = pytest.mark.skipif(not JIT, reason="thousands of playouts take minutes without compiled kernels")

MOST_BYTES = 16_000_000
PLAN = Plan(60, checkpoints=2, test_hands=20, calibration=0, objective="versus")


@pytest.fixture(autouse=True)
def _small_samples(monkeypatch):
    monkeypatch.setattr(versus_train, "_BANK", 6)


def test_a_stopped_run_ends_as_one_that_was_not(tmp_path):
    spot = parse_spot(preset("pineapple"))
    whole = train(spot, PLAN, tmp_path / "whole.npz")
    asked = iter([False, True])
    stopped = train(spot, PLAN, tmp_path / "again.npz", cancelled=lambda: next(asked, False))
    assert stopped.provenance is None
    resumed = train(spot, PLAN, tmp_path / "again.npz")
    assert resumed.provenance == whole.provenance
    assert resumed.provenance.objective == "versus"
    first, second = (read_network(tmp_path / name, spot.rules) for name in ("whole.npz", "again.npz"))
    assert first[0] == second[0]
    for i in (1, 2):
        assert (first[i] == second[i]).all()
        assert first[i].any()


def test_a_run_begins_with_the_solo_values(tmp_path):
    run = versus_train.VersusRun(parse_spot(preset("pineapple")), PLAN)
    assert run.measure().mean == 0.0  # equal weights on mirrored decks
    run.learn(20)
    assert run.done == 20
    for array in run.arrays().values():
        assert np.isfinite(array).all()


def test_rules_without_solo_weights_are_refused():
    with pytest.raises(WeightsError, match="train them first"):
        versus_train.VersusRun(parse_spot(preset("regular")), PLAN)


@pytest.mark.parametrize("rules", ["pineapple", "progressive", "ultimate"])
def test_what_ships_serves_its_rules(rules):
    spot = parse_spot(preset(rules))
    path, header = find_weights(spot.rules, spot.foul_cost, spot.fantasyland_worth, "versus")
    assert path.stat().st_size <= MOST_BYTES
    assert header.objective == "versus"
    assert header.solo == read_header(path.with_name(f"{rules}.npz")).sha256
    values = versus_for(spot.rules, spot.fantasyland_worth)
    assert (values.rows.shape, values.layers.shape) == versus_shapes(spot.rules)


def test_rules_that_nothing_was_learned_for_have_no_values():
    other = parse_spot(preset("regular"))
    assert len(versus_for(other.rules, other.fantasyland_worth).layers) == 0
