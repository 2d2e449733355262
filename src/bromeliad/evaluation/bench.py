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
    "evaluator": "bromeliad.evaluation.bench_evaluator:evaluator_bench",
    "fantasyland": "bromeliad.evaluation.bench_fantasyland:fantasyland_bench",
    "search": "bromeliad.evaluation.bench_search:search_bench",
    "solver": "bromeliad.evaluation.bench_solver:solver_bench",
    "regret": "bromeliad.evaluation.bench_regret:regret_bench",
    "regret-long": "bromeliad.evaluation.bench_regret:long_regret_bench",
    "policies": "bromeliad.evaluation.bench_regret:policies_bench",
    "calibration": "bromeliad.evaluation.bench_calibration:calibration_bench",
    "weights": "bromeliad.evaluation.bench_calibration:weights_bench",
    "book": "bromeliad.evaluation.bench_book:book_bench",
    "training": "bromeliad.learning.bench_training:training_bench",
    "published": "bromeliad.evaluation.bench_published:published_bench",
    "strength": "bromeliad.evaluation.bench_strength:strength_bench",
    "worth": "bromeliad.evaluation.bench_worth:worth_bench",
    "versus": "bromeliad.evaluation.bench_versus:versus_bench",
    "luck": "bromeliad.evaluation.bench_luck:luck_bench",
    "match": "bromeliad.evaluation.bench_match:match_bench",
    "report": "bromeliad.analysis.bench_report:report_bench",
    "model": "bromeliad.analysis.bench_model:model_bench",
    "gomoku": "bromeliad.evaluation.bench_gomoku:gomoku_bench",
    "cluster": "bromeliad.evaluation.bench_cluster:cluster_bench",
    "storage": "bromeliad.evaluation.bench_storage:storage_bench",
    "sequence": "bromeliad.evaluation.bench_sequence:sequence_bench",
    "sequence-ablation": "bromeliad.evaluation.bench_sequence_ablation:ablation_bench",
    "sequence-course": "bromeliad.evaluation.bench_sequence_course:course_bench",
    "sequence-agreement": "bromeliad.evaluation.bench_sequence_course:agreement_bench",
    "sequence-fit": "bromeliad.learning.sequence:fit_bench",
    "serve": "bromeliad.service.bench_serve:serve_bench",
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
