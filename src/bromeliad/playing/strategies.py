"""Strategies by name, and the strategy that asks the solver.

A strategy is written ``name`` or ``name:option:option``:

- ``random`` and ``heuristic`` have no options.
- ``mcts:0.2`` searches for 0.2 seconds per decision.
- ``solver:500sims`` asks the solver with 500 simulations per decision, which is reproducible.
- ``solver:0.1:solo`` ignores what the opponents may still do.
- ``solver:0.1:uniform`` assumes that all unseen cards are equally likely to be among the opponents' discards.
- ``solver:0.1:model=2,1.5`` assumes that a foul costs opponents 2 points, and that they value fantasyland 1.5 times as
  much.
- ``look:0,3`` plays by heuristics, as if a foul cost nothing and fantasyland were worth 3 times as much.
- ``evaluation`` plays by the learned value of both boards, without a search.
- ``response:evaluation``, ``response:solver:200sims`` and ``response:look:0,5`` play the best response to an opponent
  with that strategy; ``response:500sims:evaluation`` sets the number of simulations per decision.

Other packages add strategies through the entry point group ``bromeliad.strategies``: a function that takes a
:class:`StrategyRequest` and returns an :class:`AIStrategy`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import numpy as np

from bromeliad.core.cards import Card, format_cards
from bromeliad.core.game import playout_action
from bromeliad.core.rng import new_rng
from bromeliad.errors import InputError
from bromeliad.games.ofc.game import OfcGame
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.opponents.playouts import seat_spot
from bromeliad.games.ofc.opponents.sampling import Habits
from bromeliad.games.ofc.opponents.seat_values import MARGIN, choose_by_value
from bromeliad.games.ofc.opponents.seats import Seat
from bromeliad.games.ofc.play.seat import OpponentView, SeatView, own_action
from bromeliad.games.ofc.play.strategies import AIStrategy, HeuristicStrategy, MCTSStrategy, RandomStrategy
from bromeliad.games.ofc.rules.files import load_rules
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.spot import ObjectiveName
from bromeliad.solving.answer import ActionAnswer, Answer
from bromeliad.solving.plan import Plan, plan
from bromeliad.solving.request import Discards, SolveRequest, read_request
from bromeliad.solving.solve import solve

STRATEGY_KERNELS = (
    "bromeliad.games.ofc.rules.scoring",
    "bromeliad.games.ofc.exact.last_street",
    "bromeliad.games.ofc.search_spot",
    "bromeliad.games.ofc.exact.earlier_streets",
    "bromeliad.games.ofc.fantasyland.solve",
    "bromeliad.games.ofc.opponents.sampling",
    "bromeliad.games.ofc.opponents.endings",
    "bromeliad.games.ofc.opponents.versus",
    "bromeliad.games.ofc.opponents.playouts",
    "bromeliad.games.ofc.opponents.responses",
)
"""The modules with kernels that strategies may need."""

DEFAULT_OBJECTIVE: ObjectiveName = "versus"
"""The objective of the solver strategy, unless its name gives another."""

DEFAULT_SECONDS = 1.0
_DOUBLINGS = 6  # most doublings of the time if the solver finds nothing
_SIMULATIONS = "sims"
_MODEL = "model="


Answers = Callable[[Plan], Answer]
"""A function from a planned question to its answer."""


@dataclass(frozen=True)
class StrategyRequest:
    """The input of a function that makes a strategy.

    Attributes
    ----------
    rules_name
        The name of a preset or the path of a rule file.
    rules
        The same rules, as read.
    options
        The options after the strategy's name.
    """

    rules_name: str
    rules: RuleSet
    options: tuple[str, ...] = ()


class SolverStrategy(AIStrategy):
    """Plays the best placement of ``bromeliad solve``; its strength depends on its budget.

    Parameters
    ----------
    rules_name
        The name of a preset or the path of a rule file.
    seconds, simulations
        The budget per decision: one of them, or neither for the default time.
    objective
        *versus* considers what the opponents may still do; *solo* only removes their cards from the deck.
    discards
        How hidden discards of opponents are sampled.
    opponent_model
        How opponents value fouls and fantasyland; by default as the solver does.
    answers
        Answers the questions: by default the solver; it may also be one with a store, or one that can be cancelled.
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
        self._answers = answers or solve
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
        return action_of(view.cards, self.ask(view, top=1).best)

    def choose_action(self, view: SeatView, actions: Sequence[Action]) -> Action:
        """Return the action that the solver ranks first."""
        known = {action.to_code(): action for action in actions}
        ranked = (action_of(view.cards, item).to_code() for item in self.ask(view).actions)
        return next((known[code] for code in ranked if code in known), actions[0])

    def evaluate_state(self, view: SeatView) -> float:
        """Return the solver's EV; before a deal, this works only if all deals can be counted in time."""
        return view.finished_value() if view.board.is_complete else self.ask(view).value

    def ask(self, view: SeatView, top: int | None = None) -> Answer:
        """Return the solver's full answer, from which hints and grades are made."""
        return self.answer(plan(self.request(view, top)))

    def answer(self, planned: Plan) -> Answer:
        """Return the solver's answer to a planned question.

        On a busy machine, a short time may not be enough for a single placement. The question is then asked again with
        twice the time, because a player at a table has to move.
        """
        for _ in range(_DOUBLINGS):
            try:
                return self._answers(planned)
            except InputError:
                if planned.request.time is None:
                    raise
                planned = plan(planned.request.model_copy(update={"time": 2.0 * planned.request.time}))
        return self._answers(planned)

    def request(self, view: SeatView, top: int | None = None) -> SolveRequest:
        """Return the decision of a seat as a question to the solver.

        ``top`` limits the boards that an answer for a fantasyland hand lists; other answers list every placement.
        """
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


def action_of(cards: Iterable[Card], item: ActionAnswer | Action) -> Action:
    """Return a placement as an action with these cards in hand."""
    return own_action(cards, (item.top, item.middle, item.back, item.discards))


def _read_options(name: str, options: Sequence[str], *, objectives: bool) -> dict[str, Any]:
    """Return the options after a strategy's name as arguments of its class.

    They are ``0.1`` or ``500sims`` and, if ``objectives``, ``solo``, ``versus``, ``uniform`` or ``model=2,1.5``.
    """
    read: dict[str, Any] = {}
    for text in options:
        count, span = _simulations(text), _seconds(text)
        if objectives and text in ("solo", "versus"):
            read["objective"] = text
        elif objectives and text == "uniform":
            read["discards"] = text
        elif objectives and text.startswith(_MODEL):
            read["opponent_model"] = text.removeprefix(_MODEL)
            read_request({"opponent_model": read["opponent_model"]})  # raises a precise error if it is invalid
        elif count is not None and 0 < count < 2**31:
            read["simulations"] = count
        elif span is not None and 0.01 <= span <= 86400.0:
            read["seconds"] = span
        else:
            raise InputError(
                "{text}: after {name}, write seconds like 0.1, simulations like 500sims{objectives}",
                text=text[:40],
                name=name,
                objectives=InputError(", or solo, versus, uniform or model=2,1.5" if objectives else ""),
            )
    if "seconds" in read and "simulations" in read:
        raise InputError("give a time or a number of simulations, not both")
    return read


def _simulations(text: str) -> int | None:
    count = text.removesuffix(_SIMULATIONS)
    return int(count) if count != text and count.isdecimal() else None


def _seconds(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def stated_budget(text: str) -> tuple[float, int]:
    """Return the largest seconds and simulations per decision in the options after a strategy's name, or 0."""
    options = text.strip().split(":")[1:]
    seconds = max((_seconds(option) or 0.0 for option in options), default=0.0)
    return seconds, max((_simulations(option) or 0 for option in options), default=0)


class LookStrategy(HeuristicStrategy):
    """Plays by the heuristics of playouts, as simulated opponents do, with given habits.

    Parameters
    ----------
    habits
        The player's cost of a foul, and the factor by which the player multiplies the worth of fantasyland.
    """

    def __init__(self, habits: Habits) -> None:
        super().__init__()
        self.habits = habits

    def decide_placement(self, view: SeatView) -> Action:
        """Return the best placement by the heuristics and habits."""
        if view.in_fantasyland:
            return super().decide_placement(view)
        spot = view.to_spot()
        worth = tuple((cards, self.habits.fantasyland * value) for cards, value in spot.fantasyland_worth)
        own = replace(spot, foul_cost=self.habits.foul_cost, fantasyland_worth=worth)
        scratch = np.zeros(OfcGame(view.rules).info.max_actions, np.int64)
        action = Action.from_code(spot.cards, int(playout_action(own.to_search_state(), scratch, new_rng(self.seed))))
        return action_of(view.cards, action)


class EvaluationStrategy(SolverStrategy):
    """Plays by the learned value of both boards, without a search; the solver plays the last street and fantasyland."""

    def decide_placement(self, view: SeatView) -> Action:
        """Return the placement with the highest learned value."""
        planned = plan(self.request(view, 1))
        if planned.method != "table":
            return action_of(view.cards, self.answer(planned).best)
        seats = seat_spot(planned.spot, self.seed, 1)
        own = seats.v[-1, Seat.OWN]
        code = choose_by_value(seats, own, seats.v[-1, Seat.HAND], MARGIN, False)
        return action_of(view.cards, Action.from_code(planned.spot.cards, int(code)))


def _evaluation(request: StrategyRequest) -> AIStrategy:
    _no_options("evaluation", request)
    return EvaluationStrategy(request.rules_name, simulations=1000)


def _look(request: StrategyRequest) -> AIStrategy:
    default = f"{request.rules.objective.foul_cost},1"
    model = read_request({"opponent_model": ":".join(request.options) or default}).opponent_model
    assert model is not None
    return LookStrategy(Habits(*model))


def _response(request: StrategyRequest) -> AIStrategy:
    from bromeliad.playing.response import RESPONSE_SIMULATIONS, ResponseStrategy

    simulations, options = RESPONSE_SIMULATIONS, request.options
    if options and (count := _simulations(options[0])):
        simulations, options = count, options[1:]
    opponent = find_strategy(":".join(options), request.rules_name)
    if isinstance(opponent, LookStrategy):
        return ResponseStrategy(request.rules_name, opponent.habits, simulations)
    if isinstance(opponent, SolverStrategy):
        return ResponseStrategy(request.rules_name, None, simulations)
    raise InputError("response plays against evaluation, solver or look, not against {name}", name=options[0][:40])


def _random(request: StrategyRequest) -> AIStrategy:
    _no_options("random", request)
    return RandomStrategy()


def _heuristic(request: StrategyRequest) -> AIStrategy:
    _no_options("heuristic", request)
    return HeuristicStrategy()


def _no_options(name: str, request: StrategyRequest) -> None:
    if request.options:
        raise InputError("{name} takes no options: leave out {text}", name=name, text=":".join(request.options)[:40])


def _mcts(request: StrategyRequest) -> AIStrategy:
    return MCTSStrategy(request.rules, **_read_options("mcts", request.options, objectives=False))


def _solver(request: StrategyRequest) -> AIStrategy:
    return SolverStrategy(request.rules_name, **_read_options("solver", request.options, objectives=True))


Factory = Callable[[StrategyRequest], AIStrategy]
_OWN: dict[str, Factory] = {
    "random": _random,
    "heuristic": _heuristic,
    "mcts": _mcts,
    "solver": _solver,
    "look": _look,
    "evaluation": _evaluation,
    "response": _response,
}


@cache
def _foreign() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group="bromeliad.strategies") if entry.name not in _OWN}


def strategy_names() -> tuple[str, ...]:
    """Return the names of all strategies."""
    return (*_OWN, *_foreign())


def find_strategy(text: str, rules_name: str = "pineapple") -> AIStrategy:
    """Return a new strategy by its name, in the form that the module's docstring describes.

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
