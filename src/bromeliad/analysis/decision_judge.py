"""Solvers that judge decisions, with the same budget for each decision."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from bromeliad.analysis.decisions import Decision
from bromeliad.core.budget import Cancel
from bromeliad.core.machine import cores
from bromeliad.errors import InputError
from bromeliad.games.ofc.rules.files import dump_rules, preset, preset_names
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.spot import ObjectiveName
from bromeliad.playing.strategies import DEFAULT_OBJECTIVE, SolverStrategy
from bromeliad.solving.answer import Answer
from bromeliad.solving.plan import Plan
from bromeliad.solving.request import DEFAULT_SEED
from bromeliad.solving.solve import solve

Answers = Callable[[Plan, Cancel], Answer]
"""Answers a planned question; the handle may end the work early."""


def _solve(planned: Plan, cancel: Cancel) -> Answer:
    return solve(planned, cancel=cancel)


class _RulesNames:
    """Names of rule sets for questions to the solver; rules that are not a preset are written to a temporary file."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="bromeliad-rules-")
        self._known: list[tuple[RuleSet, str]] = []

    def of(self, rules: RuleSet) -> str:
        """Return a preset's name, or the path of a file with these rules."""
        for known, name in self._known:
            if known is rules or known == rules:
                return name
        if rules.name in preset_names() and preset(rules.name) == rules:
            name = rules.name
        else:
            path = Path(self._folder.name) / f"{len(self._known)}.yaml"
            path.write_text(dump_rules(rules), encoding="utf-8")
            name = str(path)
        self._known.append((rules, name))
        return name

    def close(self) -> None:
        """Remove the files."""
        self._folder.cleanup()


class Judges:
    """Returns the solver that judges a decision, with the rules of its hand; the end of the ``with`` block cleans up.

    Parameters
    ----------
    seconds, simulations
        The budget per decision: one of them, or neither for the default time.
    objective
        *versus* by default; a hand without opponents is judged by *solo*.
    cancel
        Once it is cancelled, answers are the best found so far.
    answers
        Answers the questions: the solver by default, or the solver behind a store.
    """

    def __init__(
        self,
        *,
        seconds: float | None = None,
        simulations: int | None = None,
        objective: ObjectiveName | None = None,
        threads: int | None = None,
        seed: int = DEFAULT_SEED,
        cancel: Cancel | None = None,
        answers: Answers = _solve,
    ) -> None:
        if seconds is not None and simulations is not None:
            raise InputError("give a time or a number of simulations, not both")
        self._seconds, self._simulations = seconds, simulations
        self._objective = objective
        self._threads = threads or cores()
        self._seed = seed
        self._cancel, self._answers = cancel or Cancel(), answers
        self._names = _RulesNames()
        self._known: dict[tuple[str, str], SolverStrategy] = {}

    def __call__(self, decision: Decision) -> SolverStrategy:
        """Return the solver for a decision."""
        objective = "solo" if not decision.view.opponents else self._objective or DEFAULT_OBJECTIVE
        rules_name = self._names.of(decision.view.rules)
        key = rules_name, objective
        if key not in self._known:
            self._known[key] = SolverStrategy(
                rules_name,
                seconds=self._seconds,
                simulations=self._simulations,
                objective=objective,
                threads=self._threads,
                answers=lambda planned: self._answers(planned, self._cancel),
            )
            self._known[key].begin_hand(self._seed)
        return self._known[key]

    def __enter__(self) -> "Judges":
        return self

    def __exit__(self, *error: object) -> None:
        self._names.close()
