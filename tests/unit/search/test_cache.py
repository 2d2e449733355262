"""Caches keep their budgets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bromeliad.errors import InputError
from bromeliad.search import LruCache, TtlCache
from bromeliad.search.cache import ACTION_ITEMS, EXPIRY_SECONDS, MAX_BYTES, STATE_ITEMS


def test_the_least_recently_used_goes_first():
    cache = LruCache(max_items=2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]
    used = cache.statistics()
    assert (used.items, used.hits, used.misses, used.evicted) == (2, 3, 1, 1)
    assert used.hit_rate == 0.75


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 50)), max_size=60))
def test_bytes_stay_within_the_budget(puts):
    cache = LruCache(max_items=5, max_bytes=100, size_of=lambda value: value)
    newest = {}
    for key, size in puts:
        cache.put(key, size)
        newest[key] = size
        used = cache.statistics()
        assert used.size <= 100
        assert used.items <= 5
    assert all(cache.get(key) in (None, size) for key, size in newest.items())


def test_what_is_larger_than_the_budget_is_not_kept():
    cache = LruCache(max_bytes=10, size_of=lambda value: value)
    cache.put("a", 5)
    cache.put("a", 11)
    assert cache.get("a") is None
    assert cache.statistics().size == 0


def test_taking_forgets():
    cache = LruCache()
    cache.put("a", 1)
    assert cache.take("a") == 1
    assert cache.take("a") is None


def test_values_expire():
    now = [0.0]
    cache = TtlCache(clock=lambda: now[0])
    cache.put("a", 1)
    now[0] = 300.0
    assert cache.get("a") == 1
    now[0] = 300.1
    assert cache.get("a") is None
    assert cache.statistics().expired == 1


def test_defaults_are_the_documents():
    assert (ACTION_ITEMS, STATE_ITEMS, EXPIRY_SECONDS, MAX_BYTES) == (10_000, 5_000, 300.0, 500 * 2**20)


def test_no_room_is_an_error():
    with pytest.raises(InputError, match="at least 1"):
        LruCache(max_items=0)
