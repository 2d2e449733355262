"""What it costs to play against a fantasyland hand that is set after the other boards are open."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bromeliad.bench.heads_up import Watcher
from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.evaluation.results import mean_and_error
from bromeliad.evaluation.worth import with_commit
from bromeliad.games.ofc.play.seat import SeatView
from bromeliad.games.ofc.play.table import Table
from bromeliad.games.ofc.rules.files import dump_rules, preset
from bromeliad.playing.strategies import SolverStrategy, action_of
from bromeliad.solving.answer import Answer
from bromeliad.solving.solve import solve

_RULES, _CARDS = "pineapple", 14
_ORDERS = ("first", "last")  # before or after the other boards are open
_HANDS = 100
_SIMULATIONS = 6000  # per search


@bench("set-last", minutes=30, page="strength")
def set_last_bench(quick: bool, seed: int) -> list[Section]:
    """Compare a normal player's decisions against a hand that is set first with those against one that is set last."""
    with TemporaryDirectory() as folder:
        rules = [_rule_file(Path(folder), order) for order in _ORDERS]
        return [_section(rules, 2 if quick else _HANDS, 200 if quick else _SIMULATIONS, seed)]


def _rule_file(folder: Path, order: str) -> str:
    path = folder / f"{order}.yaml"
    path.write_text(dump_rules(with_commit(preset(_RULES), order)), "utf-8")
    return str(path)


def _views(hands: int, seed: int) -> list[SeatView]:
    """Return the decisions of a normal player whose opponent is in fantasyland."""
    watcher = Watcher()
    table = Table(preset(_RULES), (watcher, Watcher()), seed=seed)
    for _ in range(hands):
        table.fantasyland = [0, _CARDS]
        table.play_hand()
    return watcher.views


def _section(rules: list[str], hands: int, simulations: int, seed: int) -> Section:
    found: dict[int, list[tuple[float, bool, bool]]] = {}
    for view in _views(hands, seed):
        first, last, again = (
            _answer(view, file, simulations, number)
            for file, number in ((rules[0], seed), (rules[1], seed), (rules[0], seed + 1))
        )
        best = [action_of(view.cards, answer.best).to_code() for answer in (first, last, again)]
        effect = (last.best.ev or 0.0) - (first.best.ev or 0.0)
        found.setdefault(view.street + 1, []).append((effect, best[0] != best[1], best[0] != best[2]))
    rows: list[tuple[object, ...]] = []
    for street, decisions in sorted(found.items()):
        effects, changed, by_chance = (mean_and_error(column) for column in np.array(decisions, float).T)
        shares = (100.0 * figure for figure in (*changed, *by_chance))
        rows.append((street, len(decisions), *effects, *shares))
    columns = ("street", "decisions", "points", "±", "other placement %", "± %", "by another seed %", "± % ")
    notes = [
        f"{_RULES}: a normal hand against a hidden fantasyland hand of {_CARDS} cards; {hands} hands that the value of"
        f" both boards plays, {simulations:,} playouts per search. points: the EV of the best placement if the hand is"
        " set last, less its EV if it is set first, by the same random numbers. ± is one standard error over hands.",
        "other placement: the best placement is another one. by another seed: the same for two searches of which both"
        " have the hand set first, so this share is due to chance.",
    ]
    return Section("A fantasyland hand that is set last", columns, rows, notes)


def _answer(view: SeatView, rules: str, simulations: int, seed: int) -> Answer:
    asked = SolverStrategy(rules, simulations=simulations).request(view)
    return solve(asked.model_copy(update={"seed": seed, "early_stop": False}))
