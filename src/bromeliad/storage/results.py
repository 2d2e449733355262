"""Stored answers of the solver, exact and sampled."""

from collections.abc import Callable
from datetime import datetime
from operator import ge, le
from typing import Any, NamedTuple

from pydantic import ValidationError
from sqlalchemy import ColumnElement, Connection, Row, and_, delete, func, insert, or_, select, update

from bromeliad.core.domain import now
from bromeliad.solving.answer import Answer
from bromeliad.storage.repository import Repository, dialect_insert
from bromeliad.storage.schema import counters, results

HITS, MISSES = "results.hits", "results.misses"


class Effort(NamedTuple):
    """The requested work: a number of simulations, or seconds."""

    simulations: int | None
    time: float | None
    threads: int
    seed: int


class Question(NamedTuple):
    """The question that a result answers."""

    key: str  # hash of the position up to suits, with rules and objective
    asked: str  # hash of the position in its suits, memory, policy and early stop: equal in repeated runs
    effort: Effort
    weights: str  # hash of the program's version, learned weights, policy and early stop; used for sampled answers


class StoredResult(NamedTuple):
    """A stored answer, in canonical suits."""

    id: int
    exact: bool
    answer: Answer
    created_at: datetime
    hits: int


class StreetResults(NamedTuple):
    """The number of exact, or of sampled, results on one street, and how often they were used."""

    street: int | None
    exact: bool
    results: int
    hits: int


class ResultStatistics(NamedTuple):
    """The number of stored results, and how often they were used."""

    results: int
    exact: int
    hits: int
    misses: int
    streets: tuple[StreetResults, ...]

    @property
    def hit_rate(self) -> float | None:
        """The share of questions that the store could answer; None before the first question."""
        asked = self.hits + self.misses
        return self.hits / asked if asked else None


class Results(Repository):
    """The results of a store."""

    def find(self, question: Question) -> StoredResult | None:
        """Return the best stored answer that is good enough for the question, or None."""
        good_enough = and_(results.c.weights == question.weights, _runs(question, ge))
        query = (
            select(results)
            .where(results.c.key == question.key, or_(results.c.exact, good_enough))
            .order_by(results.c.exact.desc(), results.c.time.desc().nulls_last(), results.c.id.desc())
            .limit(1)
        )
        row = self._first(query)
        return None if row is None else _read(row)

    def count_hit(self, result_id: int) -> None:
        """Count the use of a stored answer."""
        with self._store.writing() as connection:
            connection.execute(update(results).where(results.c.id == result_id).values(hits=results.c.hits + 1))
            _count(connection, HITS)

    def keep(self, question: Question, answer: Answer, *, exact: bool) -> None:
        """Store an answer, in canonical suits, in place of those that it supersedes; count a miss."""
        effort = question.effort
        row = {
            "key": question.key,
            "asked": question.asked,
            "rules": answer.rules,
            "objective": answer.objective,
            "street": answer.street,
            "exact": exact,
            "method": answer.method,
            "simulations": effort.simulations,
            "seed": effort.seed,
            "time": effort.time,
            "threads": effort.threads,
            "answer": answer.model_dump_json(),
            "weights": "" if exact else question.weights,
            "created_at": now(),
            "hits": 0,
        }
        with self._store.writing() as connection:
            superseded = [results.c.key == question.key]
            if not exact:
                superseded += [results.c.method == answer.method, results.c.exact.is_(False), _runs(question, le)]
            connection.execute(delete(results).where(*superseded))
            connection.execute(insert(results), row)
            _count(connection, MISSES)

    def statistics(self) -> ResultStatistics:
        """Return the numbers of results and hits, by street and in total."""
        query = (
            select(results.c.street, results.c.exact, func.count(), func.sum(results.c.hits))
            .group_by(results.c.street, results.c.exact)
            .order_by(results.c.street, results.c.exact)
        )
        with self._store.reading() as connection:
            streets = tuple(StreetResults(*row) for row in connection.execute(query))
            counted = {row.name: row.value for row in connection.execute(select(counters))}
        return ResultStatistics(
            results=sum(street.results for street in streets),
            exact=sum(street.results for street in streets if street.exact),
            hits=counted.get(HITS, 0),
            misses=counted.get(MISSES, 0),
            streets=streets,
        )


def _runs(question: Question, compare: Callable[[Any, Any], ColumnElement[bool]]) -> ColumnElement[bool]:
    """Return the condition that results come from the same run or, for a budget of time, that ``compare`` holds.

    ``compare`` compares the time and the threads of a result with those of the question. A run with a time limit cannot
    be repeated, so its seed does not matter: everyone sees the deepest answer to a question.
    """
    effort, asked = question.effort, question.asked
    if effort.simulations is not None:
        same_work = and_(results.c.simulations == effort.simulations, results.c.threads == effort.threads)
        return and_(results.c.seed == effort.seed, results.c.asked == asked, same_work)
    return and_(compare(results.c.time, effort.time), compare(results.c.threads, effort.threads))


def _count(connection: Connection, name: str) -> None:
    """Add one to a counter."""
    start = dialect_insert(connection, counters).values(name=name, value=1)
    connection.execute(
        start.on_conflict_do_update(index_elements=[counters.c.name], set_={"value": counters.c.value + 1})
    )


def _read(row: Row[Any]) -> StoredResult | None:
    """Return a result, or None if this version cannot read its answer."""
    try:
        answer = Answer.model_validate_json(row.answer)
    except ValidationError:
        return None
    return StoredResult(row.id, row.exact, answer, row.created_at, row.hits)
