"""Errors name the parameter, and defaults are the numbers in the documents."""

from dataclasses import fields

import pytest

from bromeliad.errors import InputError
from bromeliad.search import SearchParams
from bromeliad.search.params import DEFAULT_SIMULATIONS

RANGES = {field.name: field.metadata["range"] for field in fields(SearchParams) if field.metadata}
CHOICES = {"early_stop", "final_choice", "parallel", "policy", "root_policy"}
FLAGS = {"fixed_candidates", "manage_time", "prune_bounds", "prune_hopeless", "prune_statistics"}
OPTIONAL = {
    *("candidates", "first_play", "first_round", "playout_depth", "seconds", "simulations"),
    *("tree_depth", "value_scale", "widening_k"),
}


def test_defaults():
    params = SearchParams()
    assert (params.uct_c, params.puct_c, params.dominance, params.prune_visits) == (1.414, 1.0, 0.7, 100)
    assert (params.playout_random, params.shrinkage) == (0.15, 150.0)
    assert params.simulation_limit == DEFAULT_SIMULATIONS == 1000
    assert SearchParams(seconds=1.0).simulation_limit is None
    assert SearchParams(seconds=1.0, simulations=5).simulation_limit == 5


def test_every_field_is_checked():
    names = {field.name for field in fields(SearchParams)}
    assert names == CHOICES | FLAGS | set(RANGES)
    assert set(RANGES) >= OPTIONAL


@pytest.mark.parametrize("name", sorted(CHOICES | FLAGS | set(RANGES)))
def test_only_optional_fields_may_be_none(name):
    if name in OPTIONAL:
        assert getattr(SearchParams(**{name: None}), name) is None
    else:
        with pytest.raises(InputError, match=name):
            SearchParams(**{name: None})


@pytest.mark.parametrize("name", sorted(RANGES))
def test_ranges(name):
    low, high = RANGES[name]
    for wrong in (low - 1, high * 2 + 1, "many", True, float("nan")):
        with pytest.raises(InputError, match=name):
            SearchParams(**{name: wrong})


@pytest.mark.parametrize("name", sorted(CHOICES))
def test_choices(name):
    with pytest.raises(InputError, match=name):
        SearchParams(**{name: "sideways"})


@pytest.mark.parametrize("name", sorted(FLAGS))
def test_flags(name):
    with pytest.raises(InputError, match=name):
        SearchParams(**{name: 1})


def test_what_must_fit_together():
    with pytest.raises(InputError, match="table_mb"):
        SearchParams(memory_mb=10, table_mb=6)
    with pytest.raises(InputError, match="seconds"):
        SearchParams(manage_time=True)


def test_but_changes_a_copy():
    params = SearchParams(simulations=5)
    assert params.but(simulations=6).simulations == 6
    assert params.simulations == 5
    with pytest.raises(InputError, match="speed"):
        params.but(speed=3)
