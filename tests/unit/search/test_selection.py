"""Selection, expansion and pruning kernels against the formulas written out in plain Python."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bromeliad.core.jit import JIT, kernel
from bromeliad.core.rng import new_rng
from bromeliad.search.expansion import list_candidates
from bromeliad.search.params import SearchParams
from bromeliad.search.policies import make_policy, refresh
from bromeliad.search.pruning import ORDER_HEURISTIC, ORDER_VALUE, ORDER_VISITS, order_score, review
from bromeliad.search.selection import choose_outcome, select_child
from bromeliad.search.settings import Scratch, make_settings, new_scratch, pack
from bromeliad.search.tree import (
    BOUND,
    COUNT,
    FIRST,
    MEAN,
    PRIOR,
    SQUARES,
    VALUE,
    VISITS,
    TreePool,
    clear_node,
    find_outcome,
    take_nodes,
)
from bromeliad_games.tictactoe import TicTacToe
from games import trio

pytestmark = pytest.mark.kernel
EXAMPLES = 200 if JIT else 40
GAME = TicTacToe()


@kernel
def call_select(tree, record, policy, span):
    return select_child(tree, 0, record, policy, span)


@kernel
def call_review(tree, record, policy, span):
    review(tree, 0, record, policy, span)


@kernel
def call_outcome(tree, drawn, record):
    return choose_outcome(tree, 0, drawn, record)


@kernel
def call_find(tree, node, key):
    return find_outcome(tree, node, key)


@kernel
def call_list(state, scratch, record):
    return list_candidates(state, scratch, record)


@kernel
def add_children(tree, visits, values, priors, policy):
    first = take_nodes(tree, visits.size)
    for i in range(visits.size):
        clear_node(tree, first + i, i, 0, priors[i])
        tree.ints[first + i, VISITS] = visits[i]
        tree.reals[first + i, VALUE] = values[i]
        if visits[i] > 0:
            refresh(tree, first + i, policy)
    tree.ints[0, FIRST] = first
    tree.ints[0, COUNT] = visits.size


def policy_of(name="uct", **numbers):
    return make_policy(SearchParams(policy=name, **numbers))


def packed(**changes):
    names = {name: value for name, value in changes.items() if name in SearchParams.__dataclass_fields__}
    others = {name: value for name, value in changes.items() if name not in names}
    made = make_settings(SearchParams(**names), GAME.info, GAME.new_state())
    return pack(made._replace(**others))


def tree_of(visits, means, priors, policy):
    tree = TreePool(1 << 20).reset(0)
    values = np.array(means) * np.array(visits)
    add_children(tree, np.array(visits, np.int64), values, np.array(priors), policy)
    tree.ints[0, VISITS] = sum(visits)
    return tree


children = st.lists(
    st.tuples(st.integers(1, 500), st.floats(-1, 1, allow_nan=False), st.floats(0.01, 1)), min_size=1, max_size=12
)


@settings(max_examples=EXAMPLES, deadline=None)
@given(children, st.sampled_from(["uct", "puct"]), st.floats(0.0, 3.0), st.floats(0.5, 20.0))
def test_the_most_urgent_child_is_chosen(rows, name, c, span):
    visits, means, priors = zip(*rows, strict=True)
    means = [mean * span for mean in means]
    policy = policy_of(name, uct_c=c, puct_c=c)
    tree = tree_of(visits, means, priors, policy)
    total = sum(visits)
    urgency = [
        mean + c * span * (p * math.sqrt(total) / (1 + n) if name == "puct" else math.sqrt(math.log(total) / n))
        for n, mean, p in zip(visits, means, priors, strict=True)
    ]
    chosen = call_select(tree, packed(), policy, span) - 1
    assert urgency[chosen] == pytest.approx(max(urgency), rel=1e-5, abs=1e-5 * span)


def test_uct_visits_every_child_before_any_twice():
    tree = tree_of([5, 4, 0, 0], [1.0, 1.0, 0.0, 0.0], [0.25] * 4, policy_of())
    assert call_select(tree, packed(), policy_of(), 1.0) == 3


@pytest.mark.parametrize(("reduction", "expected"), [(0.0, 2), (10.0, 1)])
def test_first_play_urgency_is_the_mean_less_a_reduction(reduction, expected):
    policy = policy_of("puct", first_play=reduction)
    tree = tree_of([10, 0], [0.5, 0.0], [0.5, 0.5], policy)
    assert call_select(tree, packed(), policy, 1.0) == expected


@pytest.mark.parametrize(("visits", "expected"), [(15, 1), (16, 2)])
def test_widening_opens_a_child_when_the_visits_allow_it(visits, expected):
    tree = tree_of([visits, 0], [0.0, 0.0], [0.5, 0.5], policy_of())
    # A second child needs 1 < 0.25 * visits ** 0.5, or the first one less than its due.
    assert call_select(tree, packed(widening_k=0.2501, widening_alpha=0.5), policy_of(), 1.0) == expected


def test_chance_widening_repeats_outcomes_in_turn_when_it_is_full():
    tree = TreePool(1 << 20).reset(0)
    record = packed(chance_k=2.0, chance_alpha=0.0)
    first, second = call_outcome(tree, 100, record), call_outcome(tree, 200, record)
    assert first != second
    assert call_outcome(tree, 100, record) == first
    assert {call_outcome(tree, 300, record), call_outcome(tree, 400, record)} == {first, second}
    assert call_find(tree, 0, 300) == 0
    assert tree.ints[0, COUNT] == 2


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=60))
def test_outcomes_are_found_again(keys):
    tree = TreePool(1 << 20).reset(0)
    record = packed(chance_k=1000.0, chance_alpha=0.0)
    nodes = {key: call_outcome(tree, key, record) for key in keys}
    assert len(set(nodes.values())) == len(nodes)
    assert all(call_find(tree, 0, key) == node for key, node in nodes.items())


def test_candidates_come_by_softmax_of_their_scores_and_are_limited():
    scratch: Scratch = new_scratch(trio.INFO, new_rng(3))
    state = trio.new_trio()
    made = make_settings(SearchParams(candidates=2, temperature=0.5), trio.INFO, state)
    assert call_list(state, scratch, pack(made)) == 2
    weights = [math.exp(-0.1 * action / 0.5) for action in (0, 1)]
    assert list(scratch.actions[:2]) == [0, 1]
    assert scratch.scores[:2] == pytest.approx([weight / sum(weights) for weight in weights])


def test_equal_candidates_are_shuffled():
    scratch = new_scratch(GAME.info, new_rng(3))
    record = packed()
    orders = set()
    for _ in range(20):
        assert call_list(GAME.new_state(), scratch, record) == 9
        assert sorted(scratch.actions) == list(range(9))
        orders.add(tuple(scratch.actions))
    assert len(orders) > 10


@settings(max_examples=EXAMPLES, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(1, 400), st.floats(-1, 1), st.floats(0, 1), st.floats(-1, 2)), min_size=2, max_size=8
    ),
    st.floats(0.5, 4.0),
    st.floats(0.0, 0.3),
)
def test_a_review_closes_what_the_rules_say(rows, z, margin):
    visits, means, deviations, bounds = zip(*rows, strict=True)
    tree = tree_of(visits, means, [1.0] * len(rows), policy_of())
    for i in range(len(rows)):
        tree.reals[i + 1, SQUARES] = visits[i] * (deviations[i] ** 2 + means[i] ** 2)
        tree.floats[BOUND, i + 1] = bounds[i]
    record = packed(prune_statistics=True, prune_z=z, bound_margin=margin, confidence_margin=margin, bounded=True)
    call_review(tree, record, policy_of(), 1.0)
    known = [i for i in range(len(rows)) if visits[i] >= 100]
    best = max((means[i] for i in known), default=-math.inf)
    for i in range(len(rows)):
        upper = means[i] + z * deviations[i] / math.sqrt(visits[i])
        gaps = [bounds[i] - (best - margin)] + ([upper - (best - margin)] if i in known else [])
        if any(abs(gap) < 1e-5 for gap in gaps):
            continue  # float32 may fall on either side
        leads = i in known and means[i] == best
        closed = math.isinf(tree.floats[MEAN, i + 1])
        assert closed == (min(gaps) < 0 and not leads) or means.count(best) > 1


def test_order_is_the_weighted_sum():
    assert order_score(9, 0.5, 0.25) == pytest.approx(0.3 * math.log(10) + 0.5 * 0.5 + 0.2 * 0.25)
    assert (ORDER_VISITS, ORDER_VALUE, ORDER_HEURISTIC) == (0.3, 0.5, 0.2)


def test_priors_are_in_the_tree():
    tree = tree_of([1, 1], [0.0, 0.0], [0.75, 0.25], policy_of("puct"))
    assert list(tree.floats[PRIOR, 1:3]) == [0.75, 0.25]
