"""A game's contract with the interfaces: the command line, the service and the page.

The registry finds a :class:`Playable` by name. The fields of its models are the options of its commands and the fields
of its HTTP requests and forms. This module imports nothing heavy, and modules of playables should not either, because
``--help`` needs only the options.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from bromeliad.core.budget import Budget, Cancel, OnProgress
from bromeliad.core.validation import describe, field_name
from bromeliad.errors import BromeliadError, FieldError, InputError, StoreError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.core.game import Game, State
    from bromeliad.core.table import Table

DEFAULT_TIME = 1.0
"""Seconds per position if neither time nor simulations are given."""

LOCAL = {"local": True}
"""Validation context for local users, who may name files on this machine."""

Answer = dict[str, Any]
"""An answer as plain data.

Every game has ``best``, ``value``, ``method``, ``line``, ``candidates`` (each with ``move``, ``visits``, ``value`` and
``stderr``), ``simulations``, ``elapsed_s`` and ``stop_reason``; a game may add its own keys.
"""

_LONGEST = 4000  # characters
_SECONDS: dict[str, Any] = {"gt": 0, "le": 86400, "allow_inf_nan": False}


def option(default: Any = ..., *, help: str, metavar: str | None = None, **limits: Any) -> Any:
    """Return a model field; the command line and the API's description show ``help``."""
    return Field(default, description=help, title=metavar, **limits)


def wrong(error: BromeliadError) -> FieldError:
    """Return an error in the form that pydantic validators may raise; pydantic adds the field's name."""
    return FieldError(error.template, **error.values)


class Setup(BaseModel):
    """The options that solving, playing and matches share: the variant of the game and the budget per move."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    time: float | None = option(None, help="Seconds per position.", **_SECONDS)
    simulations: int | None = option(None, help="Limit simulations instead of time (reproducible).", ge=1, le=2**31 - 1)
    seed: int = option(1, help="Seed of all randomness.", ge=0, lt=2**63)

    @field_validator("simulations")
    @classmethod
    def _check_budget(cls, value: int | None, info: ValidationInfo) -> int | None:
        if value is not None and info.data.get("time") is not None:
            raise FieldError("give a time or a number of simulations, not both")
        return value

    @property
    def budget(self) -> Budget:
        """The budget of one answer."""
        return Budget(None if self.simulations else self.time or DEFAULT_TIME, self.simulations)


class Request(Setup):
    """A position to answer."""

    position: str = option("", metavar="MOVES", help="The moves so far, in turn.", max_length=_LONGEST)


class Sitting(Setup):
    """A game between a person and the program."""

    time: float | None = option(None, help="Seconds per move of bromeliad.", **_SECONDS)
    seat: int = option(0, help="Your seat.", ge=0, le=99)
    moves: str = option("", metavar="MOVES", help="Start with these moves.", max_length=_LONGEST)

    @property
    def own_seat(self) -> int:
        """The person's seat."""
        return self.seat


def read_options(model: type[BaseModel], data: Mapping[str, Any], prefix: str = "") -> Any:
    """Return the options that a local user gave as plain data.

    Raise InputError for the first invalid field, with ``prefix`` before its name.
    """
    try:
        return model.model_validate(data, context=LOCAL)
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "value_error":  # our own errors name the field themselves
            raise InputError("{problem}", problem=first["ctx"]["error"]) from None
        field = prefix + field_name(first)[:40]
        problem = describe(first, model.model_fields)
        raise InputError("{field}: {problem}", field=field, problem=problem) from None


@dataclass(frozen=True)
class Context:
    """Everything that an interface gives to a question that it asks.

    Attributes
    ----------
    on_progress
        Called with the progress, whose actions are entries of the answer.
    cancel
        Ends the work with the best answer so far.
    ready
        Makes the kernels of these modules ready; without it, kernels are compiled when they are called.
    store
        Returns the :class:`~bromeliad.storage.store.Store` with earlier answers, or None. Called only if a game keeps
        answers there and this one takes time.
    deeper
        Whether to solve again unless the stored answer is exact.
    on_problem
        Called if the store fails; by default a warning is logged.
    once
        Whether there is only one question; if it is tiny, plain Python answers it before Numba would be loaded.
    """

    on_progress: OnProgress | None = None
    cancel: Cancel | None = None
    ready: Callable[[Sequence[str]], None] = lambda modules: None
    store: Callable[[], Any] = lambda: None
    deeper: bool = False
    on_problem: Callable[[StoreError], None] | None = None
    once: bool = False


ALONE = Context()
"""The context of a program that only wants the answer."""


class Strategy(NamedTuple):
    """A player of a game: its name, and a function that chooses an action from what the mover knows."""

    name: str
    choose: Callable[["State"], int]


class Playable(ABC):
    """A game as the interfaces see it. All threads of a process share one object."""

    name: str  # as in ``bromeliad NAME solve`` and ``{"game": NAME}``
    request: type[BaseModel]  # the model of a question

    @abstractmethod
    def game(self, setup: Any = None) -> "Game":
        """Return the game for the search, with the rules of a setup (None: the default rules)."""

    @abstractmethod
    def think(self, question: Any, context: Context = ALONE) -> Any:
        """Answer a request, or raise InputError if the rules do not allow the position.

        The command line and the jobs of the service ask all their questions here.
        """


class TurnGame(Playable):
    """A game that is played move by move at a :class:`~bromeliad.core.table.Table`."""

    kernels: tuple[str, ...]  # the modules whose warm-ups compile its kernels
    strategies: tuple[str, ...]
    setup: type[Setup] = Setup
    request: type[Setup] = Request  # its fields are the options of ``solve`` and of a job
    local: ClassVar[dict[str, Any]] = {}  # defaults that only the command line uses, by field
    sitting: type[Sitting] = Sitting  # the options of a game against the program
    match_setup: type[Setup] | None = None  # the options of a match, if they are not those of `setup`
    colours: tuple[str, str] | None = None  # names of the first and the second side, if the game has any
    solve_help = "Find the best move in a position. Write the moves so far in turn, as you type them in a game."
    play_help = "Play a game in the terminal. Type a move, or help, hint, moves, undo or quit."
    match_help = """Play two strategies against each other, each opening twice with sides swapped.

    A strategy is random or mcts; mcts takes seconds per move (mcts:0.1) or simulations (mcts:200sims, reproducible).
    Ctrl-C shows the score so far."""

    @abstractmethod
    def table(self, setup: Any, seed: int) -> "Table[Any]":
        """Return a table at the start of a game, with the rules of a setup; the seed determines the deals."""

    def openings(self, setup: Any) -> Iterator[tuple[int, str]]:
        """Yield the openings of a match, each played twice with sides swapped: a table's seed and the first moves."""
        from bromeliad.core.table import deal_seeds

        return ((seed, "") for seed in deal_seeds(setup.seed))

    @abstractmethod
    def read(self, request: Any) -> "State":
        """Return the position of a request."""

    @abstractmethod
    def answer(
        self, state: "State", setup: Any, on_progress: OnProgress | None = None, cancel: Cancel | None = None
    ) -> Answer:
        """Answer a position within the budget of a setup."""

    @abstractmethod
    def strategy(self, name: str, setup: Any) -> Strategy:
        """Return a strategy by name, with the rules, budget and seed of a setup."""

    def think(self, question: Any, context: Context = ALONE) -> Answer:
        """Read the position of a request and answer it; the actions of progress reports are plain data."""
        context.ready(self.kernels)
        return self.answer(self.read(question), question, context.on_progress, context.cancel)

    def from_line(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the fields of a request from a line of ``solve --positions``."""
        return data

    def show(self, request: Any) -> Any:
        """Return the position of a request as plain data, in the form that requests take."""
        return request.position

    def in_words(self, answer: Answer) -> str:
        """Return an answer as text in the reader's language."""
        best, line = " ".join(answer.get("turn") or [answer["best"]]), " ".join(answer["line"])
        seconds = f"{answer['elapsed_s']:.2f}"
        lines = [
            tr("Best is {best}, value {value}: {line}", best=best, value=f"{answer['value']:+.3f}", line=line),
            tr("{count} simulations in {seconds} s", count=f"{answer['simulations']:,}", seconds=seconds),
        ]
        for item in answer["candidates"][:_SHOWN]:
            stderr = "" if item["stderr"] is None else f" ± {item['stderr']:.3f}"
            points = f"  {item['points']:>7,}" if "points" in item else ""
            value = "" if item["value"] is None else f"{item['value']:+.3f}"
            lines.append(f"{item['move']:<8}{item['visits']:>9,}  {value}{stderr}{points}")
        return "\n".join(lines)


_SHOWN = 10  # candidates in the text
