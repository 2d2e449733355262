"""The benches by name, each loaded when it is asked for."""

from collections.abc import Callable
from importlib import import_module
from typing import cast

from bromeliad.errors import InputError
from bromeliad.evaluation.report import Section

__all__ = ["Bench", "bench_names", "get_bench"]

Bench = Callable[[bool, int], list[Section]]
"""A measurement: takes (quick, seed)."""

_BENCHES = {
    "evaluator": "bromeliad.evaluation.bench_evaluator:evaluator_bench",
    "fantasyland": "bromeliad.evaluation.bench_fantasyland:fantasyland_bench",
}


def bench_names() -> tuple[str, ...]:
    """Return the names of all benches."""
    return tuple(_BENCHES)


def get_bench(name: str) -> Bench:
    """Return a bench by name."""
    if name not in _BENCHES:
        raise InputError(
            "there is no bench {name}; benches: {benches}", name=name, benches=", ".join(("all", *_BENCHES))
        )
    module, _, attribute = _BENCHES[name].partition(":")
    return cast(Bench, getattr(import_module(module), attribute))
