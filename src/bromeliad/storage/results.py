"""Answers of the solver that are kept, exact and sampled."""

from datetime import datetime
from typing import NamedTuple

from pydantic import ValidationError
from sqlalchemy import ColumnElement, Connection, Row, and_, delete, func, insert, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from bromeliad.core.domain import now
from bromeliad.solving.answer import Answer
from bromeliad.storage.repository import Repository
from bromeliad.storage.schema import counters, results

HITS, MISSES = "results.hits", "results.misses"


class Effort(NamedTuple):
    """How much work was asked for: a number of simulations, or seconds."""

    simulations: int | None
    time: float | None
    threads: int
    seed: int


class Question(NamedTuple):
    """What a result answers.

    Attributes
    ----------
    key
        Of the position up to suits, with rules and objective.
    asked
        Of the position in its suits, and the memory given: a number of simulations gives the same answer again only
        for that.
    weights
        Hash of the program's version, the learned weights and the way of searching: they matter to sampled answers
        only.
    """

    key: str
    asked: str
    effort: Effort
    weights: str


class StoredResult(NamedTuple):
    """A stored answer, in canonical suits."""

    id: int
    exact: bool
    answer: Answer
    created_at: datetime
    hits: int


class StreetResults(NamedTuple):
    """The results of one street, exact or sampled."""

    street: int | None
    exact: bool
    results: int
    hits: int


class ResultStatistics(NamedTuple):
    """How much is stored, and how often it was of use."""

    results: int
    exact: int
    hits: int
    misses: int
    streets: tuple[StreetResults, ...]

    @property
    def hit_rate(self) -> float | None:
        """The share of questions that the store could answer; None before the first."""
        asked = self.hits + self.misses
        return self.hits / asked if asked else None


class Results(Repository):
    """The results of a store."""

    def find(self, question: Question) -> StoredResult | None:
        """Return the best stored answer that is good enough, without counting it."""
        query = (
            select(results)
            .where(results.c.key == question.key, or_(results.c.exact, _good_enough(question)))
            .order_by(results.c.exact.desc(), results.c.time.desc().nulls_last(), results.c.id.desc())
            .limit(1)
        )
        with self._store.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else _read(row)

    def count_hit(self, result_id: int) -> None:
        """Note that a stored answer was of use."""
        with self._store.writing() as connection:
            connection.execute(update(results).where(results.c.id == result_id).values(hits=results.c.hits + 1))
            _count(connection, HITS)

    def keep(self, question: Question, answer: Answer, *, exact: bool) -> None:
        """Keep an answer, in canonical suits, in place of those that it makes useless."""
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
            useless = results.c.key == question.key
            if not exact:
                useless = and_(
                    useless, results.c.method == answer.method, results.c.exact.is_(False), _no_better(question)
                )
            connection.execute(delete(results).where(useless))
            connection.execute(insert(results), row)
            _count(connection, MISSES)

    def statistics(self) -> ResultStatistics:
        """Return how much is stored by street, and the hit rate."""
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


def _good_enough(question: Question) -> ColumnElement[bool]:
    """Return what makes a sampled answer good enough: the same run again, or one of at least the same time."""
    effort, same = question.effort, [results.c.weights == question.weights, results.c.seed == question.effort.seed]
    if effort.simulations is not None:
        same += [results.c.asked == question.asked, results.c.simulations == effort.simulations]
        return and_(*same, results.c.threads == effort.threads)
    return and_(*same, results.c.time >= effort.time, results.c.threads >= effort.threads)


def _no_better(question: Question) -> ColumnElement[bool]:
    """Return which sampled answers a new one replaces: the same run, or runs of no more time and threads."""
    effort, same = question.effort, [results.c.seed == question.effort.seed]
    if effort.simulations is not None:
        same += [results.c.asked == question.asked, results.c.simulations == effort.simulations]
        return and_(*same, results.c.threads == effort.threads)
    return and_(*same, results.c.time <= effort.time, results.c.threads <= effort.threads)


def _count(connection: Connection, name: str) -> None:
    """Add one to a counter."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    start = dialect.insert(counters).values(name=name, value=1)
    connection.execute(
        start.on_conflict_do_update(index_elements=[counters.c.name], set_={"value": counters.c.value + 1})
    )


def _read(row: Row[tuple[object, ...]]) -> StoredResult | None:
    """Return a result; one whose answer cannot be read any more counts as none."""
    try:
        answer = Answer.model_validate_json(row.answer)
    except ValidationError:
        return None
    return StoredResult(row.id, row.exact, answer, row.created_at, row.hits)
