"""The transposition table against a dictionary."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bromeliad.core.jit import JIT, kernel
from bromeliad.search.transposition import BUCKET, new_age, new_table, read_statistics, table_add, table_read

pytestmark = pytest.mark.kernel
EXAMPLES = 100 if JIT else 30


@kernel
def add(table, key, sums, weight):
    table_add(table, key, sums, 0, weight)


@kernel
def read(table, key, enough, values):
    return table_read(table, key, enough, values)


def sums_of(*values):
    sums = np.zeros((1, 2 * len(values)))
    sums[0, : len(values)] = values
    return sums


@settings(max_examples=EXAMPLES, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(1, 40), st.floats(-5, 5), st.floats(-5, 5), st.integers(1, 3)), min_size=1, max_size=80
    ),
    st.integers(1, 4),
)
def test_a_large_table_knows_every_mean(adds, enough):
    table = new_table(1 << 20, 2)
    new_age(table)
    known = {}
    for key, one, two, weight in adds:
        add(table, key, sums_of(one, two), weight)
        count, total = known.get(key, (0, np.zeros(2)))
        known[key] = (count + weight, total + np.array([one, two]))
    values = np.zeros(2)
    for key in range(1, 41):
        count, total = known.get(key, (0, None))
        assert read(table, key, enough, values) == (count >= enough)
        if count >= enough:
            assert values == pytest.approx(total / count)
    used = read_statistics(table)
    assert (used.probes, used.stores, used.replaced) == (40, len(known), 0)
    assert used.hits == sum(count >= enough for count, _ in known.values())
    assert used.hit_rate == used.hits / 40


def test_a_full_bucket_gives_up_its_least_visited_position():
    table = new_table(300, 1)
    assert table.slots.shape[0] == BUCKET
    new_age(table)
    for key in range(1, BUCKET + 1):
        add(table, key, sums_of(1.0), 10 + key)
    add(table, 99, sums_of(1.0), 1)
    values = np.zeros(1)
    assert [read(table, key, 1, values) for key in (1, 2, 3, 4, 99)] == [False, True, True, True, True]
    assert read_statistics(table).replaced == 1


def test_an_earlier_search_is_not_believed_and_goes_first():
    table = new_table(300, 1)
    new_age(table)
    add(table, 1, sums_of(1.0), 1000)
    new_age(table)
    values = np.zeros(1)
    assert not read(table, 1, 1, values)
    for key in range(11, 11 + BUCKET):
        add(table, key, sums_of(2.0), 1)
    assert all(read(table, key, 1, values) for key in range(11, 11 + BUCKET))
    assert read_statistics(table).replaced == 0


@pytest.mark.parametrize("budget", [0, 100, 1000, 1 << 20])
def test_a_table_stays_within_its_budget(budget):
    table = new_table(budget, 3)
    assert table.slots.shape[0] == 1 or sum(array.nbytes for array in table) <= budget
