"""A game's contract with the interfaces: what the command line, the service and the page ask of every game.

The search meets a game through the generic functions of :mod:`bromeliad.core.game`. The interfaces meet it through a
:class:`Playable`, which the registry finds by name. The fields of its models are the options of its commands, the
fields of its HTTP requests and the fields of its forms. This module imports nothing heavy, and the module of a playable
should not either: a command that shows its help asks for the options and for nothing else.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from bromeliad.core.budget import Budget, Cancel, OnProgress
from bromeliad.core.validation import describe, field_name
from bromeliad.errors import BromeliadError, FieldError, InputError
from bromeliad.i18n import tr

if TYPE_CHECKING:
    from bromeliad.core.game import Game, State
    from bromeliad.core.table import Table

__all__ = [
    "DEFAULT_TIME",
    "LOCAL",
    "Answer",
    "Playable",
    "Request",
    "Setup",
    "Sitting",
    "Strategy",
    "TurnGame",
    "option",
    "read_options",
    "wrong",
]

DEFAULT_TIME = 1.0
"""Seconds for a position, if neither time nor simulations are given."""

LOCAL = {"local": True}
"""Context of a validation: whoever asks sits at this machine, and may name its files."""

Answer = dict[str, Any]
"""An answer as plain data.

Every game has ``best``, ``value``, ``method``, ``line``, ``candidates`` (each with ``move``, ``visits``, ``value`` and
``stderr``), ``simulations``, ``elapsed_s`` and ``stop_reason``; a game may add its own keys.
"""

_LONGEST = 4000  # letters of the moves of a game
_SECONDS: dict[str, Any] = {"gt": 0, "le": 86400, "allow_inf_nan": False}


def option(default: Any = ..., *, help: str, metavar: str | None = None, **limits: Any) -> Any:
    """Return a field of a model of options: ``help`` is shown by the command line and the description of the API."""
    return Field(default, description=help, title=metavar, **limits)


def wrong(error: BromeliadError) -> FieldError:
    """Return an error as one that a validator may raise: pydantic adds the field at fault."""
    return FieldError(error.template, **error.values)


class Setup(BaseModel):
    """Which game is played and what a move may cost: the options that solving, playing and matches share."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    time: float | None = option(None, help="Seconds for a position.", **_SECONDS)
    simulations: int | None = option(None, help="Count simulations instead of time: reproducible.", ge=1, le=2**31 - 1)
    seed: int = option(1, help="Seed of all randomness.", ge=0, lt=2**63)

    @field_validator("simulations")
    @classmethod
    def _check_budget(cls, value: int | None, info: ValidationInfo) -> int | None:
        if value is not None and info.data.get("time") is not None:
            raise FieldError("give a time or a number of simulations, not both")
        return value

    @property
    def budget(self) -> Budget:
        """What one answer may cost."""
        return Budget(None if self.simulations else self.time or DEFAULT_TIME, self.simulations)


class Request(Setup):
    """A position to answer."""

    position: str = option("", metavar="MOVES", help="The moves so far, in turn.", max_length=_LONGEST)


class Sitting(Setup):
    """A game between a person and the program."""

    time: float | None = option(None, help="Seconds that bromeliad thinks a move.", **_SECONDS)
    seat: int = option(0, help="Your seat.", ge=0, le=99)
    moves: str = option("", metavar="MOVES", help="Begin with these moves.", max_length=_LONGEST)

    @property
    def own_seat(self) -> int:
        """The person's seat."""
        return self.seat


def read_options(model: type[BaseModel], data: Mapping[str, Any], prefix: str = "") -> Any:
    """Return the options that plain data of somebody at this machine describes.

    Raises
    ------
    InputError
        Says what is wrong with the first field at fault; ``prefix`` is put before its name.
    """
    try:
        return model.model_validate(data, context=LOCAL)
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "value_error":  # an error of ours, which names what it is about
            raise InputError("{problem}", problem=first["ctx"]["error"]) from None
        field = prefix + field_name(first)[:40]
        problem = describe(first, model.model_fields)
        raise InputError("{field}: {problem}", field=field, problem=problem) from None


class Strategy(Protocol):
    """Somebody who plays: a strategy by its name."""

    name: str

    def choose(self, state: "State") -> int:
        """Return an action of the mover, by what the mover may know."""


class Playable(ABC):
    """A game as the interfaces meet it. One object serves all threads of a process.

    Attributes
    ----------
    name
        As in ``bromeliad NAME solve`` and ``{"game": NAME}``.
    request
        The model of a question about a position; the fields are the options of ``solve`` and of a job.
    local
        What the command line assumes that a job does not: values of fields.
    kernels
        The modules whose warm-ups make its kernels ready.
    strategies
        Names of who can play it.
    """

    name: str
    request: type[BaseModel]
    local: ClassVar[dict[str, Any]] = {}
    kernels: tuple[str, ...]
    strategies: tuple[str, ...]

    @abstractmethod
    def game(self, setup: Any = None) -> "Game":
        """Return the game for the search, with the rules of a setup (None: the usual ones)."""

    @abstractmethod
    def think(self, request: Any, on_progress: OnProgress | None = None, cancel: Cancel | None = None) -> Answer:
        """Answer a question; the actions that progress tells of are candidates as plain data.

        Raises
        ------
        InputError
            If the rules do not allow the position.
        """


class TurnGame(Playable):
    """A game that is played move by move at a :class:`~bromeliad.core.table.Table`: solved, played and matched.

    Attributes
    ----------
    setup, sitting
        The models of what a match and a game against the program are asked with.
    match_setup
        The model of what a match is asked with if it is not ``setup``.
    solve_help, play_help, match_help
        What the commands say of themselves.
    colours
        What the side that begins and the other are called, if players have words for them.
    """

    setup: type[Setup] = Setup
    request: type[Setup] = Request
    sitting: type[Sitting] = Sitting
    match_setup: type[Setup] | None = None
    colours: tuple[str, str] | None = None
    solve_help = "Find the best move of a position: the moves so far, in turn, as they are typed in a game."
    play_help = "Play a game in the terminal. Type a move, or hint, moves, undo or quit."
    match_help = """Let two strategies play each other, each opening twice with sides swapped.

    A strategy is random or mcts; mcts takes seconds a move (mcts:0.1) or simulations (mcts:200sims: reproducible).
    Ctrl-C shows the score so far."""

    @abstractmethod
    def table(self, setup: Any, seed: int) -> "Table[Any]":
        """Return the beginning of a game by the rules of a setup; whatever is dealt is dealt by the seed."""

    def openings(self, setup: Any) -> Iterator[tuple[int, str]]:
        """Yield where two games of a match with swapped sides begin: the seed of the table, and the first moves."""
        from bromeliad.core.table import deal_seeds

        return ((seed, "") for seed in deal_seeds(setup.seed))

    @abstractmethod
    def read(self, request: Any) -> "State":
        """Return the position that is asked about."""

    @abstractmethod
    def answer(
        self, state: "State", setup: Any, on_progress: OnProgress | None = None, cancel: Cancel | None = None
    ) -> Answer:
        """Think about a position within the budget of a setup."""

    @abstractmethod
    def strategy(self, name: str, setup: Any) -> Strategy:
        """Return a strategy by its name, with the rules, the budget and the seed of a setup."""

    def think(self, request: Any, on_progress: OnProgress | None = None, cancel: Cancel | None = None) -> Answer:
        """Read the position, and think about it."""
        return self.answer(self.read(request), request, on_progress, cancel)

    def from_line(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the fields of a request that a line of ``solve --positions`` gives."""
        return data

    def show(self, request: Any) -> Any:
        """Return the position that is asked about as plain data, such as the request takes."""
        return request.position

    def in_words(self, answer: Answer) -> str:
        """Say an answer in the reader's language."""
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


_SHOWN = 10  # candidates, of an answer in words
