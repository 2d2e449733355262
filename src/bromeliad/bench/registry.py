"""The benches by name, each loaded when it is asked for."""

from collections.abc import Callable
from importlib import import_module
from typing import cast

from bromeliad.errors import InputError
from bromeliad.evaluation.report import Section

__all__ = ["BATCHES", "Bench", "bench_names", "get_bench"]

Bench = Callable[..., list[Section]]
"""A measurement: takes (quick, seed), one of :data:`BATCHES` a batch too."""

BATCHES = ("fantasyland", "regret", "regret-long", "policies", "calibration", "worth", "match", "book")
"""Benches of many independent parts, which any number of workers may share."""

_BENCHES = {
    "evaluator": "bromeliad.bench.evaluator:evaluator_bench",
    "fantasyland": "bromeliad.bench.fantasyland:fantasyland_bench",
    "search": "bromeliad.bench.search:search_bench",
    "solver": "bromeliad.bench.solver:solver_bench",
    "regret": "bromeliad.bench.regret:regret_bench",
    "regret-long": "bromeliad.bench.regret:long_regret_bench",
    "policies": "bromeliad.bench.regret:policies_bench",
    "calibration": "bromeliad.bench.calibration:calibration_bench",
    "weights": "bromeliad.bench.calibration:weights_bench",
    "book": "bromeliad.bench.book:book_bench",
    "training": "bromeliad.bench.training:training_bench",
    "published": "bromeliad.bench.published:published_bench",
    "strength": "bromeliad.bench.strength:strength_bench",
    "worth": "bromeliad.bench.worth:worth_bench",
    "versus": "bromeliad.bench.versus:versus_bench",
    "luck": "bromeliad.bench.luck:luck_bench",
    "match": "bromeliad.bench.match:match_bench",
    "report": "bromeliad.bench.report:report_bench",
    "model": "bromeliad.bench.model:model_bench",
    "gomoku": "bromeliad.bench.gomoku:gomoku_bench",
    "cluster": "bromeliad.bench.cluster:cluster_bench",
    "storage": "bromeliad.bench.storage:storage_bench",
    "sequence": "bromeliad.bench.sequence:sequence_bench",
    "sequence-ablation": "bromeliad.bench.sequence_ablation:ablation_bench",
    "sequence-course": "bromeliad.bench.sequence_course:course_bench",
    "sequence-agreement": "bromeliad.bench.sequence_course:agreement_bench",
    "sequence-fit": "bromeliad.learning.sequence:fit_bench",
    "serve": "bromeliad.bench.serve:serve_bench",
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
