"""Values a placement to which an answer gives no EV, so that a player's own choice always has figures.

The choice and the best placement are valued with the same random numbers. Every figure of the choice is that of the
answer's best placement plus the measured difference, so the figures agree with the answer.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.budget import Cancel
from bromeliad.core.cards import CardSet
from bromeliad.games.ofc.exact.settlement import POINTS, Part, move_points
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.playing.strategies import action_of
from bromeliad.solving.answer import ActionAnswer, Answer, EvParts
from bromeliad.solving.entry import entry, p_fantasyland, settled_entries, settled_entry
from bromeliad.solving.plan import Plan

if TYPE_CHECKING:
    from bromeliad.games.ofc.opponents.versus import VersusParts

_ROUNDS = 10  # runs of playouts from which the error of a difference is estimated
_FEWEST, _MOST = 512, 20_000  # playouts of all players' hands
_CHANCES = ("p_foul", "p_fantasyland", "p_scoop", "opponent_p_foul", "opponent_p_fantasyland")
_POINTS = ("ev", "royalties", "row_points", "opponent_royalties")


def value_choice(planned: Plan, answer: Answer, choice: Action) -> ActionAnswer:
    """Return the entry of a placement to which the answer of a plan gives no EV."""
    spot, best = planned.spot, action_of(planned.spot.cards, answer.best)
    if planned.method == "fantasyland":
        return _arranged(planned, answer, choice)
    if planned.method == "exact":
        return _counted(planned, answer, choice)
    if planned.method == "table":
        made, better = _at_table(planned, answer, choice, best)
    elif spot.objective == "solo":
        made, better = _alone(planned, choice, best)
    else:
        made, better = _against(planned, choice, best)
    return _anchored(made, better, answer.best)


def _anchored(made: ActionAnswer, better: ActionAnswer, best: ActionAnswer) -> ActionAnswer:
    """Return a choice whose figures are those of the answer's best placement plus the measured differences."""

    def moved(name: str) -> float | None:
        mine, theirs, known = (getattr(item, name) for item in (made, better, best))
        moved_by: float | None = mine if mine is None or theirs is None or known is None else known + mine - theirs
        return moved_by

    assert made.ev is not None
    assert better.ev is not None
    loss = better.ev - made.ev
    fields: dict[str, float | EvParts | None] = {name: moved(name) for name in _POINTS}
    fields |= {name: None if (chance := moved(name)) is None else min(max(chance, 0.0), 1.0) for name in _CHANCES}
    fields["ev_loss"] = max(loss, 0.0)
    fields["stderr"] = None if best.stderr is None else math.hypot(best.stderr, made.ev_loss_stderr or 0.0)
    fields["parts"] = _moved_parts(made.parts, better.parts, best.parts)
    if loss < 0.0:  # better than the search's choice in these playouts: no loss, and an EV not above the best
        fields["ev"], fields["parts"] = best.ev, None
    return made.model_copy(update=fields)


def _moved_parts(made: EvParts | None, better: EvParts | None, best: EvParts | None) -> EvParts | None:
    if made is None or better is None or best is None:
        return None
    moved = {}
    for name in EvParts.model_fields:
        mine, theirs, known = (getattr(parts, name) for parts in (made, better, best))
        moved[name] = None if mine is None or theirs is None or known is None else known + mine - theirs
    return EvParts(**moved)


def _at_table(planned: Plan, answer: Answer, choice: Action, best: Action) -> tuple[ActionAnswer, ActionAnswer]:
    """Play out all players' hands after both placements, with the same cards."""
    from bromeliad.games.ofc.opponents.playouts import count_steps, play_out, seat_spot, with_habits

    request, spot = planned.request, planned.spot
    count = _FEWEST if spot.hidden else min(max(answer.best.visits, _FEWEST), _MOST)
    seats = seat_spot(spot, request.seed, count, inferred=request.discards == "inferred")  # a board for each playout
    steps, parts = np.zeros((count, 2, count_steps(seats))), np.zeros((count, 2, Part.SIZE))
    codes = np.array([choice.to_code(), best.to_code()], np.int64)
    theirs = with_habits(seats, spot.rules, planned.habits)
    play_out(seats.v.copy(), seats, theirs, codes, request.seed, 0, steps, parts)
    values = steps.sum(axis=2)  # without the luck of the deals, which the parts contain
    losses = values[:, 1] - values[:, 0]
    means, errors = parts.mean(axis=0), parts.std(axis=0, ddof=1) / math.sqrt(count)
    errors = np.hypot(errors, 1.0 / count)  # after equal playouts, the next one may differ
    move_points(means, errors, -means[:, Part.LUCK])
    top = float(means[1, :POINTS].sum())
    made, better = (
        settled_entry(
            spot,
            action,
            means[i],
            top,
            parts_stderr=errors[i],
            loss_stderr=_error(losses) if i == 0 else 0.0,
            exact=False,
            visits=count,
        )
        for i, action in enumerate((choice, best))
    )
    return made, better


def _error(sample: NDArray[np.float64]) -> float:
    """Return the standard error of a mean; not 0 for equal values, because the next one may differ by a point."""
    return math.hypot(float(sample.std(ddof=1)) / math.sqrt(len(sample)), 1.0 / len(sample))


def _alone(planned: Plan, choice: Action, best: Action) -> tuple[ActionAnswer, ActionAnswer]:
    """Play out the player's own hand after both placements; equal seeds deal equal cards."""
    from bromeliad.games.ofc.search_spot import split_actions

    spot, seed = planned.spot, planned.request.seed

    def runs(action: Action) -> NDArray[np.float64]:
        code = action.to_code()
        return np.array([split_actions(spot, planned.state, [code], seed + run)[0] for run in range(_ROUNDS)])

    def of(action: Action, means: NDArray[np.float64], losses: NDArray[np.float64] | None) -> ActionAnswer:
        value, foul, fantasyland, royalties = means.mean(axis=0).tolist()
        return entry(
            action,
            value,
            value,
            loss_stderr=0.0 if losses is None else _error(losses),
            exact=False,
            p_foul=foul,
            p_fantasyland=p_fantasyland(spot, foul, fantasyland),
            royalties=royalties,
        )

    made, better = runs(choice), runs(best)
    return of(choice, made, better[:, 0] - made[:, 0]), of(best, better, None)


def _against(planned: Plan, choice: Action, best: Action) -> tuple[ActionAnswer, ActionAnswer]:
    """Value both placements against the same sampled boards of the opponents."""
    from bromeliad.solving.versus import PLAYOUTS, opponents_of, part_fields

    against, seed = opponents_of(planned), planned.request.seed

    def runs(action: Action) -> "list[VersusParts]":
        return [against.parts(action.to_code(), PLAYOUTS, seed + run) for run in range(_ROUNDS)]

    def of(action: Action, found: "list[VersusParts]", error: float) -> ActionAnswer:
        fields = [part_fields(against, run) for run in found]
        means = {name: _mean([run[name] for run in fields]) for name in fields[0]}
        value = _mean([run.value for run in found])
        return entry(action, value, value, loss_stderr=error, exact=False, **means)

    made, better = runs(choice), runs(best)
    losses = np.array([one.value - two.value for one, two in zip(better, made, strict=True)])
    error = math.hypot(_error(losses), against.loss_stderr(made[0], better[0]))
    return of(choice, made, error), of(best, better, 0.0)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _counted(planned: Plan, answer: Answer, choice: Action) -> ActionAnswer:
    """Count all future deals after a placement that an interrupted count did not reach."""
    from bromeliad.games.ofc.exact.earlier_streets import solve_exact
    from bromeliad.solving.entries import exact_actions
    from bromeliad.solving.versus import counted_against, opponents_of

    codes = np.array([choice.to_code()], np.int64)
    if planned.meets_opponents:
        against = opponents_of(planned)
        values = solve_exact(planned.spot, 1, state=against.state, codes=codes)
        (made,) = counted_against(against, values, planned.request.seed, Cancel())
    else:
        (made,) = exact_actions(planned.spot, solve_exact(planned.spot, 1, state=planned.state, codes=codes))
    return _below(made, answer.best)


def _below(made: ActionAnswer, best: ActionAnswer) -> ActionAnswer:
    """Return an entry that was valued alone, with its loss against the best one."""
    assert made.ev is not None
    assert best.ev is not None
    error = None if made.stderr is None or best.stderr is None else math.hypot(made.stderr, best.stderr)
    return made.model_copy(update={"ev_loss": max(best.ev - made.ev, 0.0), "ev_loss_stderr": error})


def _arranged(planned: Plan, answer: Answer, choice: Action) -> ActionAnswer:
    """Value an arrangement of a fantasyland hand that the answer does not list."""
    from bromeliad.games.ofc.exact.last_street import meet_boards
    from bromeliad.games.ofc.opponents.endings import bank_of_boards
    from bromeliad.games.ofc.opponents.sampling import opponent_banks
    from bromeliad.games.ofc.opponents.versus import bank_size

    spot, request = planned.spot, planned.request
    top, middle, back = (CardSet.from_cards(row).mask for row in (choice.top, choice.middle, choice.back))
    if spot.objective == "solo":
        return _below(_finished(planned, choice), answer.best)
    banks = None
    if planned.meets_opponents:
        inferred = request.discards == "inferred"
        found = opponent_banks(
            spot, bank_size(planned.budget.seconds), request.seed, inferred=inferred, habits=planned.habits
        )
        banks = [*map(bank_of_boards, found, (0,) * len(spot.opponents) + spot.hidden)]
    (made,) = settled_entries(spot, [choice], meet_boards(spot, [(top, middle, back)], banks))
    return _below(made, answer.best)


def _finished(planned: Plan, choice: Action) -> ActionAnswer:
    """Return the solo entry of a full board."""
    from bromeliad.games.ofc.play.seat import board_after
    from bromeliad.games.ofc.rules.scoring import Scored
    from bromeliad.solving.entry import NO_ERROR, solo_parts

    spot = planned.spot
    scored = board_after(spot.board, choice).scored(spot.rules, spot.fantasyland_cards, spot.opponents_open)
    foul, cards, royalties = (float(scored[at]) for at in (Scored.FOUL, Scored.NEXT_CARDS, Scored.ROYALTIES))
    worth = 0.0 if foul else dict(spot.fantasyland_worth).get(int(cards), 0.0)
    value = -spot.foul_cost if foul else royalties + worth
    return entry(
        choice,
        value,
        value,
        p_foul=foul,
        p_fantasyland=p_fantasyland(spot, foul, float(cards > 0 and not foul)),
        royalties=0.0 if foul else royalties,
        parts=solo_parts(spot, value, foul, 0.0 if foul else royalties),
        parts_stderr=NO_ERROR,
    )
