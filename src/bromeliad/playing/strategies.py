"""Strategies by name, and the one that asks the solver.

A strategy is written ``name`` or ``name:option:option``, such as ``random``, ``heuristic``, ``mcts:0.2`` (seconds a
decision), ``solver:500sims`` (simulations a decision: reproducible), ``solver:0.1:solo`` (looks away from what the
opponents may still do), ``solver:0.1:uniform`` (takes all unseen cards as equally likely to be their discards) or
``solver:0.1:model=2,1.5`` (opponents to whom a foul costs 2 points, and fantasyland is worth 1.5 times what it is).
``look:0,3`` plays by the look of its boards, as one to whom a foul costs nothing and fantasyland is worth 3 times what
it is. Packages add theirs through the entry point group ``bromeliad.strategies``: a function that takes a
:class:`StrategyRequest` and returns an :class:`AIStrategy`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import numpy as np

from bromeliad.core.cards import format_cards
from bromeliad.core.game import playout_action
from bromeliad.core.rng import new_rng
from bromeliad.errors import InputError
from bromeliad.games.ofc.game import OfcGame
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.opponents.sampling import Habits
from bromeliad.games.ofc.play.seat import OpponentView, SeatView, own_action
from bromeliad.games.ofc.play.strategies import AIStrategy, HeuristicStrategy, MCTSStrategy, RandomStrategy
from bromeliad.games.ofc.rules.files import load_rules
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.spot import ObjectiveName
from bromeliad.solving.answer import ActionAnswer, Answer
from bromeliad.solving.plan import Plan, plan
from bromeliad.solving.request import Discards, SolveRequest, read_request
from bromeliad.solving.solve import solve

__all__ = [
    "STRATEGY_KERNELS",
    "LookStrategy",
    "SolverStrategy",
    "StrategyRequest",
    "action_of",
    "find_strategy",
    "stated_budget",
    "strategy_names",
]

STRATEGY_KERNELS = (
    "bromeliad.games.ofc.rules.scoring",
    "bromeliad.games.ofc.exact.last_street",
    "bromeliad.games.ofc.search_spot",
    "bromeliad.games.ofc.exact.earlier_streets",
    "bromeliad.games.ofc.fantasyland.solve",
    "bromeliad.games.ofc.opponents.sampling",
    "bromeliad.games.ofc.opponents.versus",
)
"""The warm-ups of what strategies may need."""

DEFAULT_OBJECTIVE: ObjectiveName = "versus"
"""What the solver strategy thinks for, unless its name says otherwise."""

DEFAULT_SECONDS = 1.0
_DOUBLINGS = 6  # of the time, at most, where nothing was found in it
_SIMULATIONS = "sims"
_MODEL = "model="


Answers = Callable[[Plan], Answer]
"""From a planned question to its answer."""


@dataclass(frozen=True)
class StrategyRequest:
    """What a strategy is made from: the rules, as a name or path and as read, and the options behind its name."""

    rules_name: str
    rules: RuleSet
    options: tuple[str, ...] = ()


class SolverStrategy(AIStrategy):
    """Plays what ``bromeliad solve`` answers; its level is the time that it may think.

    Parameters
    ----------
    rules_name
        A preset's name or the path of a rule file.
    seconds, simulations
        The budget of each decision: one of them, or neither for the default time.
    objective
        *versus* counts what the opponents may still do, *solo* only takes their cards out of the deck.
    discards
        How the opponents' hidden discards are drawn.
    opponent_model
        What opponents go by; by default what the solver goes by itself.
    answers
        Who answers questions: the solver by default; or the solver behind a store, or one that can be cancelled.
    """

    def __init__(
        self,
        rules_name: str = "pineapple",
        *,
        seconds: float | None = None,
        simulations: int | None = None,
        objective: ObjectiveName = DEFAULT_OBJECTIVE,
        discards: Discards = "inferred",
        threads: int = 1,
        opponent_model: str | None = None,
        answers: Answers | None = None,
    ) -> None:
        super().__init__()
        self._answers = answers
        if seconds is None and simulations is None:
            seconds = DEFAULT_SECONDS
        budget: dict[str, Any] = {"time": seconds} if simulations is None else {"simulations": simulations}
        self.objective = objective
        self._settings = {
            "rules": rules_name,
            "threads": threads,
            "discards": discards,
            "opponent_model": opponent_model,
            **budget,
        }

    def decide_placement(self, view: SeatView) -> Action:
        """Return the best placement that the solver finds."""
        return action_of(view, self.ask(view, top=1).best)

    def choose_action(self, view: SeatView, actions: Sequence[Action]) -> Action:
        """Return the one of them that the solver ranks first."""
        known = {action.to_code(): action for action in actions}
        ranked = (action_of(view, item).to_code() for item in self.ask(view).actions)
        return next((known[code] for code in ranked if code in known), actions[0])

    def evaluate_state(self, view: SeatView) -> float:
        """Return the solver's EV; before a deal only where it can be counted in the time."""
        return view.finished_value() if view.board.is_complete else self.ask(view).value

    def ask(self, view: SeatView, top: int | None = None) -> Answer:
        """Return the solver's whole answer: what hints and grades are made of."""
        return self.answer(plan(self.request(view, top)))

    def answer(self, planned: Plan) -> Answer:
        """Return the solver's answer to a planned question.

        A busy machine may not value a single placement in a short time; the question is then asked again with twice
        the time, as a player at a table has to move.
        """
        answers = self._answers or solve
        for _ in range(_DOUBLINGS):
            try:
                return answers(planned)
            except InputError:
                if planned.request.time is None:
                    raise
                planned = plan(planned.request.model_copy(update={"time": 2.0 * planned.request.time}))
        return answers(planned)

    def request(self, view: SeatView, top: int | None = None) -> SolveRequest:
        """Return the question that a view is to the solver."""
        data: dict[str, Any] = {
            **self._settings,
            "cards": format_cards(view.cards),
            "board": str(view.board),
            "dead": format_cards(view.discards),
            "objective": self.objective,
            "fantasyland": view.fantasyland > 0,
            "seed": self.seed,
        }
        if view.in_fantasyland and top is not None:
            data["top"] = top
        if self.objective == "versus":
            opponents = [_opponent_text(opponent) for opponent in view.opponents]
            return read_request({**data, "opponents": opponents, "seat": view.seat, "players": view.players})
        open_boards = [str(opponent.board) for opponent in view.opponents if not opponent.fantasyland]
        return read_request({**data, "opponents": open_boards})


def _opponent_text(opponent: OpponentView) -> str:
    return f"fantasyland:{opponent.fantasyland}" if opponent.fantasyland else str(opponent.board)


def action_of(view: SeatView, item: ActionAnswer) -> Action:
    """Return an entry of an answer as an action with the cards in hand."""
    return own_action(view.cards, (item.top, item.middle, item.back, item.discards))


@dataclass(frozen=True)
class _Budget:
    """What the options behind a strategy's name say."""

    seconds: float | None = None
    simulations: int | None = None
    objective: ObjectiveName = DEFAULT_OBJECTIVE
    discards: Discards = "inferred"
    opponent_model: str | None = None


def _read_options(name: str, options: Sequence[str], objectives: bool) -> _Budget:
    """Read ``0.1``, ``500sims``, and where it is allowed ``solo``, ``versus``, ``uniform`` or ``model=2,1.5``."""
    seconds, simulations, objective, discards = None, None, DEFAULT_OBJECTIVE, _Budget.discards
    model: str | None = None
    for text in options:
        count, span = _simulations(text), _seconds(text)
        if objectives and text in ("solo", "versus"):
            objective = text  # type: ignore[assignment]
        elif objectives and text == "uniform":
            discards = "uniform"
        elif objectives and text.startswith(_MODEL):
            model = text.removeprefix(_MODEL)
            read_request({"opponent_model": model})  # says what is wrong with it
        elif count is not None and 0 < count < 2**31:
            simulations = count
        elif span is not None and 0.01 <= span <= 86400.0:
            seconds = span
        else:
            raise InputError(
                "{text}: behind {name} write seconds like 0.1, simulations like 500sims{objectives}",
                text=text[:40],
                name=name,
                objectives=InputError(", or solo, versus, uniform or model=2,1.5" if objectives else ""),
            )
    if seconds is not None and simulations is not None:
        raise InputError("give a time or a number of simulations, not both")
    return _Budget(seconds, simulations, objective, discards, model)


def _simulations(text: str) -> int | None:
    count = text.removesuffix(_SIMULATIONS)
    return int(count) if count != text and count.isdecimal() else None


def _seconds(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def stated_budget(text: str) -> tuple[float, int]:
    """Return the most seconds and simulations a decision that the options behind a strategy's name state, or 0."""
    options = text.strip().split(":")[1:]
    seconds = max((_seconds(option) or 0.0 for option in options), default=0.0)
    return seconds, max((_simulations(option) or 0 for option in options), default=0)


class LookStrategy(HeuristicStrategy):
    """Plays by the look of boards, as opponents are played on, with what it goes by told.

    Parameters
    ----------
    habits
        What a foul costs it, and what fantasyland is worth to it as a multiple of its worth.
    """

    def __init__(self, habits: Habits) -> None:
        super().__init__()
        self._habits = habits

    def decide_placement(self, view: SeatView) -> Action:
        """Return the best-looking placement by its habits."""
        if view.in_fantasyland:
            return super().decide_placement(view)
        spot = view.to_spot()
        worth = tuple((cards, self._habits.fantasyland * value) for cards, value in spot.fantasyland_worth)
        own = replace(spot, foul_cost=self._habits.foul_cost, fantasyland_worth=worth)
        scratch = np.zeros(OfcGame(view.rules).info.max_actions, np.int64)
        action = Action.from_code(spot.cards, int(playout_action(own.to_search_state(), scratch, new_rng(self.seed))))
        return own_action(view.cards, (action.top, action.middle, action.back, action.discards))


def _look(request: StrategyRequest) -> AIStrategy:
    default = f"{request.rules.objective.foul_cost},1"
    habits = read_request({"opponent_model": ":".join(request.options) or default}).opponent_model
    assert habits is not None
    return LookStrategy(habits)


def _random(request: StrategyRequest) -> AIStrategy:
    _no_options("random", request)
    return RandomStrategy()


def _heuristic(request: StrategyRequest) -> AIStrategy:
    _no_options("heuristic", request)
    return HeuristicStrategy()


def _no_options(name: str, request: StrategyRequest) -> None:
    if request.options:
        raise InputError("{name} takes no options, not {text}", name=name, text=":".join(request.options)[:40])


def _mcts(request: StrategyRequest) -> AIStrategy:
    budget = _read_options("mcts", request.options, objectives=False)
    return MCTSStrategy(request.rules, seconds=budget.seconds, simulations=budget.simulations)


def _solver(request: StrategyRequest) -> AIStrategy:
    budget = _read_options("solver", request.options, objectives=True)
    return SolverStrategy(
        request.rules_name,
        seconds=budget.seconds,
        simulations=budget.simulations,
        objective=budget.objective,
        discards=budget.discards,
        opponent_model=budget.opponent_model,
    )


Factory = Callable[[StrategyRequest], AIStrategy]
_OWN: dict[str, Factory] = {"random": _random, "heuristic": _heuristic, "mcts": _mcts, "solver": _solver, "look": _look}


@cache
def _foreign() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group="bromeliad.strategies") if entry.name not in _OWN}


def strategy_names() -> tuple[str, ...]:
    """Return the names of all strategies."""
    return (*_OWN, *_foreign())


def find_strategy(text: str, rules_name: str = "pineapple") -> AIStrategy:
    """Return a new strategy, written as the module's docstring says.

    Raises
    ------
    InputError
        If there is no such strategy, or it has no such option.
    """
    name, *options = text.strip().split(":")
    if name not in _OWN and name not in _foreign():
        raise InputError(
            "there is no strategy {name}; strategies: {names}", name=name[:40], names=", ".join(strategy_names())
        )
    factory: Factory = _OWN.get(name) or _foreign()[name].load()
    return factory(StrategyRequest(rules_name, load_rules(rules_name), tuple(options)))
