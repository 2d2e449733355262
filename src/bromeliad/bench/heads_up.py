"""Answers against an opponent: strength in matches, coverage of stated errors, errors of leads, scatter of matches."""

import numpy as np
from numpy.typing import NDArray

from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.core.machine import cores
from bromeliad.games.ofc.exact.settlement import Part
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.opponents.playouts import count_steps, play_out, seat_spot
from bromeliad.games.ofc.play.seat import SeatView
from bromeliad.games.ofc.play.table import Table
from bromeliad.games.ofc.rules.files import preset
from bromeliad.matches.ofc import OfcMatch
from bromeliad.matches.runner import play_match
from bromeliad.playing.strategies import EvaluationStrategy, SolverStrategy, action_of
from bromeliad.solving.plan import plan
from bromeliad.solving.request import SolveRequest
from bromeliad.solving.solve import solve

_RULES = "pineapple"
_MATCHES = (("evaluation", "look:6,1", 4000), ("solver:0.1", "evaluation", 400), ("solver:0.1", "look:6,1", 400))
_UNLIKE = ("look:6,1", "look:2,2")  # two quick, different players for the scatter of matches
_SHORT_MATCHES, _SHORT_HANDS = 200, 60
_COVERED = 3, 4  # streets
_ACTIONS = 300  # per street
_SIMULATIONS = 3000  # per search whose errors are checked
_REFERENCE = 20_000  # playouts per reference
_LEADS = 100  # positions
_Z = 1.96


@bench("heads-up", minutes=45, page="strength")
def heads_up_bench(quick: bool, seed: int) -> list[Section]:
    """Measure the strength of the solver heads-up, and whether its stated errors are right."""
    return [
        _matches(quick, seed),
        _coverage(8 if quick else _ACTIONS, 400 if quick else _REFERENCE, seed),
        _leads(2 if quick else _LEADS, seed),
        _luck(6 if quick else _SHORT_MATCHES, seed),
    ]


def _matches(quick: bool, seed: int) -> Section:
    rows: list[tuple[object, ...]] = []
    for first, second, hands in _MATCHES:
        for number in (seed, seed + 1):
            result = play_match(OfcMatch([first, second], 4 if quick else hands, rules_name=_RULES, seed=number))
            player = result.players[0]
            luckless = player.luck_adjusted_mean, player.luck_adjusted_stderr
            rows.append((first, second, number, result.hands, player.mean, player.stderr, *luckless))
    columns = ("player", "opponent", "seed", "hands", "points", "±", "without luck", "± ")
    notes = [f"{_RULES}: points per hand, every deck twice with the seats swapped. ± is one standard error over decks."]
    return Section("Heads-up matches", columns, rows, notes)


class Watcher(EvaluationStrategy):
    """Plays by the evaluation, and records the views on which it decides."""

    def __init__(self) -> None:
        super().__init__(_RULES, simulations=_SIMULATIONS)
        self.views: list[SeatView] = []

    def decide_placement(self, view: SeatView) -> Action:
        """Record the view; return the evaluation's placement."""
        self.views.append(view)
        return super().decide_placement(view)


def _views(street: int, count: int, seed: int) -> list[SeatView]:
    """Return decisions on a street, from both seats, in hands in which nobody is in fantasyland."""
    watchers, found = (Watcher(), Watcher()), list[SeatView]()
    table = Table(preset(_RULES), watchers, seed=seed)
    while len(found) < count:
        for watcher in watchers:
            watcher.views.clear()
        table.play_hand()
        for view in (view for watcher in watchers for view in watcher.views):
            if view.street + 1 == street and not view.fantasyland and not view.opponents[0].fantasyland:
                found.append(view)
    return found[:count]


def _question(view: SeatView, seed: int, **budget: float) -> SolveRequest:
    asked = SolverStrategy(_RULES, simulations=_SIMULATIONS).request(view)
    return asked.model_copy(update={"simulations": None, "time": None, "seed": seed, "early_stop": False, **budget})


def _coverage(actions: int, playouts: int, seed: int) -> Section:
    rows: list[tuple[object, ...]] = []
    for street in _COVERED:
        found: list[NDArray[np.float64]] = []
        views = iter(_views(street, actions, seed + street))
        while sum(map(len, found)) < actions:
            found.append(_misses(next(views), playouts, seed))
        off, error, reference = np.concatenate(found)[:actions].T
        inside = np.abs(off) <= _Z * np.hypot(error, reference)
        share = float(inside.mean())
        scatter = float(np.sqrt(share * (1 - share) / actions))
        rows.append((street, actions, 100 * share, 100 * scatter, float(off.mean()), float(np.median(error))))
    columns = ("street", "actions", "contained %", "±", "bias", "median error")
    notes = [
        f"EVs of searches with {_SIMULATIONS:,} playouts against {playouts:,} other playouts of each action in which"
        " both sides play the same policy; the reference's error is included. Target: 95 ± 2. ± treats actions as"
        " independent. bias: mean of stated − reference, in points.",
    ]
    return Section("Coverage of stated intervals against an opponent", columns, rows, notes)


def _misses(view: SeatView, playouts: int, seed: int) -> NDArray[np.float64]:
    """Return for each action: stated EV − reference, the stated error, and the reference's error."""
    planned = plan(_question(view, seed, simulations=_SIMULATIONS))
    ranked = [item for item in solve(planned).actions if item.ev is not None]
    seats = seat_spot(planned.spot, seed, 1)
    codes = np.array([action_of(view.cards, item).to_code() for item in ranked])
    steps, parts = np.zeros((playouts, codes.size, count_steps(seats))), np.zeros((playouts, codes.size, Part.SIZE))
    play_out(seats.v.copy(), seats, seats, codes, seed + 1, 0, steps, parts)
    values = steps.sum(axis=2)
    stated = np.array([(item.ev, item.stderr) for item in ranked], float)
    error = values.std(axis=0, ddof=1) / np.sqrt(playouts)
    return np.stack([stated[:, 0] - values.mean(axis=0), stated[:, 1], error], axis=1)


def _leads(positions: int, seed: int) -> Section:
    errors = []
    for view in _views(1, positions, seed + 1):
        ranked = [item for item in solve(_question(view, seed, time=1.0)).actions if item.ev is not None]
        errors.append(ranked[1].ev_loss_stderr if len(ranked) > 1 else 0.0)
    row = (1, positions, 1.0, cores(), *np.quantile(np.array(errors, float), [0.5, 0.9]))
    notes = ["Standard error of the best placement's lead over the second, early stop off. Target: median ≤ 0.1."]
    return Section(
        "Leads on the first street", ("street", "positions", "seconds", "threads", "median error", "90 %"), [row], notes
    )


def _luck(matches: int, seed: int) -> Section:
    """Compare the scatter of the means of many short matches, and of their luck, with the stated errors."""
    found = []
    for number in range(matches):
        match = OfcMatch(list(_UNLIKE), _SHORT_HANDS, rules_name=_RULES, seed=seed + 10_000 + number)
        play_match(match)
        found.append([match.tally.mean(), match.tally.mean_without_luck(), match.tally.luck()])
    rows: list[tuple[object, ...]] = []
    for name, estimates in zip(("raw", "without luck", "difference"), zip(*found, strict=True), strict=True):
        values, error = np.array([(one.mean, one.stderr) for one in estimates]).T
        weight = 1 / error**2
        common = float((weight * values).sum() / weight.sum())
        units = float((((values - common) / error) ** 2).sum() / (matches - 1))
        rows.append((name, matches, _SHORT_HANDS, common, float(1 / np.sqrt(weight.sum())), units))
    columns = ("means", "matches", "hands each", "points", "±", "variance in units of the stated")
    notes = [f"{_UNLIKE[0]} against {_UNLIKE[1]}. If stated errors are true, the last column is 1. Target: 1 ± 0.3."]
    return Section("Scatter of short matches", columns, rows, notes)
