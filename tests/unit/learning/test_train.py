"""Training: it learns, it is reproducible, and a stopped run ends with the same weights."""

import numpy as np
import pytest

from bromeliad.core.game import clone
from bromeliad.core.jit import JIT
from bromeliad.core.rng import new_rng
from bromeliad.errors import InputError, WeightsError
from bromeliad.evaluation.regret import all_codes
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.games.ofc.values.hand_state import Field
from bromeliad.games.ofc.values.heuristics import rows_after
from bromeliad.games.ofc.values.learned import Learned, learned_layout, learned_terms, stage_size
from bromeliad.games.ofc.values.weights import read_weights
from bromeliad.learning.run import Plan
from bromeliad.learning.td import learn_hands, new_memory
from bromeliad.learning.train import train, unfinished

TOGETHER = {"8c 8d 8h 8s 4c": "8s 8h 8d 8c", "Ac 2d 3h 4s 5c": "Ac 5c 4s 3h 2d", "Kh Qh Jh Th 9h": "Kh Qh Jh Th 9h"}
only_compiled = pytest.mark.skipif(not JIT, reason="thousands of hands")


def learner(name, **objective):
    spot = parse_spot(preset(name), objective="solo", **objective)
    layout = learned_layout(spot.rules)
    size = (len(spot.rules.streets) - 1) * stage_size(layout)
    state = spot.to_state()._replace(learned=Learned(layout, np.zeros(size, np.float32)))
    return state, new_memory(size, 2000)


def learn(state, memory, count, seed=1, first=0, explore=0.1):
    work = clone(state)._replace(learned=state.learned)
    learn_hands(state, work, memory, new_rng(1), seed, first, count, 1.0, explore)


@pytest.mark.kernel
@pytest.mark.parametrize("name", ["pineapple", "ultimate", "regular", "deuce"])
def test_the_value_is_its_parts_under_the_objective(name):
    state, memory = learner(name, foul_cost=3.5)
    learn(state, memory, 300 if JIT else 2)
    together = memory.parts @ np.array([1.0, -3.5, 1.0], np.float32)
    assert np.abs(state.learned.weights).max() > 0.01
    assert np.abs(state.learned.weights - together).max() < 1e-3


@pytest.mark.kernel
def test_hands_depend_on_seed_and_number_only():
    once, twice, other = learner("pineapple"), learner("pineapple"), learner("pineapple")
    count = 40 if JIT else 2
    learn(*once, 2 * count)
    learn(*twice, count)
    learn(*twice, count, first=count)
    learn(*other, 2 * count, seed=2)
    assert np.array_equal(once[0].learned.weights, twice[0].learned.weights)
    assert not np.array_equal(once[0].learned.weights, other[0].learned.weights)


@only_compiled
@pytest.mark.parametrize("cards", ["8c 8d 8h 8s 4c", "Ac 2d 3h 4s 5c", "Kh Qh Jh Th 9h"])
def test_what_greedy_play_never_comes_to_is_tried(cards):
    """Quads among the first cards come once in four thousand hands; their boards must not look worthless unseen."""
    state, memory = learner("pineapple", foul_cost=0.0, fantasyland_worth={14: 8.0})
    learn(state, memory, 20_000, explore=0.5)
    spot = parse_spot(preset("pineapple"), cards=cards, objective="solo")
    root = spot.to_search_state()._replace(learned=state.learned)
    code = next(c for c in all_codes(root) if str(Action.from_code(spot.cards, int(c))).endswith(TOGETHER[cards]))
    rows = rows_after(root, code)
    terms = learned_terms(state.learned, 0, 1.0, *rows, root.v[Field.DECK])
    assert np.count_nonzero(memory.errors[list(terms), 1]) >= 0.75 * len(terms)


@only_compiled
def test_it_learns(tmp_path):
    spot = parse_spot(preset("pineapple"), objective="solo", foul_cost=0.0, fantasyland_worth={14: 8.0})
    plan = Plan(30_000, checkpoints=3, test_hands=2000, calibration=0)
    result = train(spot, plan, tmp_path / "a.npz")
    assert [point.hands for point in result.curve] == [10_000, 20_000, 30_000]
    assert result.curve[-1].mean > result.curve[0].mean + 2 * result.curve[0].stderr
    assert result.curve[-1].mean > 1.5  # random play gets 0.03
    file = read_weights(tmp_path / "a.npz")
    assert file.provenance == result.provenance
    assert file.provenance.hands == 30_000
    assert not unfinished(tmp_path / "a.npz").exists()


@only_compiled
def test_a_run_that_was_stopped_comes_to_the_same_weights(tmp_path):
    spot = parse_spot(preset("pineapple"), objective="solo")
    plan = Plan(45_000, checkpoints=2, test_hands=100, calibration=0)
    whole = train(spot, plan, tmp_path / "whole.npz")
    asked = iter([False, True])
    first = train(spot, plan, tmp_path / "cut.npz", cancelled=lambda: next(asked))
    assert first.provenance is None
    assert 0 < first.done < 45_000
    assert unfinished(tmp_path / "cut.npz").exists()
    second = train(spot, plan, tmp_path / "cut.npz")
    assert second.curve == whole.curve
    assert (tmp_path / "cut.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()


@only_compiled
def test_a_run_with_other_settings_is_not_mixed_in(tmp_path):
    spot = parse_spot(preset("pineapple"), objective="solo")
    train(spot, Plan(30_000), tmp_path / "a.npz", cancelled=lambda: True)
    with pytest.raises(WeightsError, match="other settings"):
        train(spot, Plan(40_000), tmp_path / "a.npz")
    unfinished(tmp_path / "a.npz").write_bytes(b"rubbish")
    with pytest.raises(WeightsError, match="not a stored run"):
        train(spot, Plan(30_000), tmp_path / "a.npz")


def test_values_are_not_learned_where_the_first_deal_decides(tmp_path):
    with pytest.raises(InputError, match="first deal"):
        train(parse_spot(preset("house"), objective="solo"), Plan(1000), tmp_path / "a.npz")
