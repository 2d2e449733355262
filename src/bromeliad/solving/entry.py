"""One entry of an answer: a placement with its value; every number is exact, sampled or unknown."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bromeliad.games.ofc.exact.settlement import POINTS, Part
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.spot import Spot
from bromeliad.solving.answer import ActionAnswer, EvParts

if TYPE_CHECKING:
    from bromeliad.games.ofc.exact.last_street import Versus

_DIGITS = 12  # digits of a chance: rounding errors add up when probabilities are summed
_CLOSE = 1.96  # standard errors of a 95 % interval


def _names(cards: Iterable[object]) -> tuple[str, ...]:
    return tuple(str(card) for card in cards)


def entry(
    action: Action,
    ev: float | None,
    best: float | None,
    *,
    stderr: float | None = 0.0,
    loss_stderr: float | None = 0.0,
    exact: bool = True,
    **fields: Any,
) -> ActionAnswer:
    """Return one entry of an answer; ``ev`` is None if nothing is known. ``fields`` are other fields of the entry."""
    known = ev is not None and best is not None
    return ActionAnswer(
        top=_names(action.top),
        middle=_names(action.middle),
        back=_names(action.back),
        discards=_names(action.discards),
        ev=ev,
        ev_loss=max(best - ev, 0.0) if known else None,  # type: ignore[operator]
        ev_loss_stderr=loss_stderr if known else None,
        stderr=stderr if known else None,
        exact=exact and known,
        **{**_NOTHING, **fields},
    )


_NOTHING: dict[str, Any] = {
    "visits": 0,
    **dict.fromkeys(("p_foul", "p_fantasyland", "royalties", "p_scoop", "row_points")),
}


def settled_entry(
    spot: Spot,
    action: Action,
    parts: NDArray[np.float64],
    best: float,
    *,
    parts_stderr: NDArray[np.float64] | None = None,
    stderr: float | None = 0.0,
    loss_stderr: float | None = 0.0,
    exact: bool = True,
    visits: int = 0,
) -> ActionAnswer:
    """Return the entry of a placement against opponents, whose EV is the sum of its parts.

    Parameters
    ----------
    parts
        Points and counts, summed over all opponents, by the offsets of ``Part``.
    best
        EV of the best placement.
    parts_stderr
        Standard errors of the points; 0 by default.
    stderr, loss_stderr
        Standard errors of the EV and of its loss; the second is paired.
    """
    opponents = len(spot.opponents) + len(spot.hidden)
    shares = [round(float(count) / opponents, _DIGITS) for count in parts]
    errors = np.zeros(POINTS) if parts_stderr is None else parts_stderr[:POINTS]
    return entry(
        action,
        float(parts[:POINTS].sum()),
        best,
        stderr=stderr,
        loss_stderr=loss_stderr,
        exact=exact,
        visits=visits,
        p_foul=shares[Part.FOULED],
        p_fantasyland=p_fantasyland(spot, shares[Part.FOULED], shares[Part.ENTERED]),
        royalties=float(parts[Part.ROYALTIES]) / opponents,
        p_scoop=shares[Part.SCOOPED],
        row_points=float(parts[Part.ROW_POINTS]),
        opponent_royalties=-float(parts[Part.OPPONENT_ROYALTIES]),
        opponent_p_foul=shares[Part.OPPONENT_FOULED],
        opponent_p_fantasyland=shares[Part.OPPONENT_ENTERED],
        parts=_ev_parts(parts),
        parts_stderr=_ev_parts(errors),
    )


def settled_entries(spot: Spot, actions: Sequence[Action], met: "Versus") -> tuple[ActionAnswer, ...]:
    """Return the entries of full boards against opponents; ``actions`` must be sorted, best first."""
    best = float(met.value[0])
    return tuple(
        settled_entry(
            spot,
            action,
            met.parts[i],
            best,
            parts_stderr=met.parts_stderr[i],
            stderr=float(met.stderr[i]),
            loss_stderr=float(met.loss_stderr[i]),
            exact=met.exact,
        )
        for i, action in enumerate(actions)
    )


def _ev_parts(points: NDArray[np.float64]) -> EvParts:
    """Return points by name, from an array by the offsets of ``Part``."""
    return EvParts(**dict(zip(EvParts.model_fields, map(float, points[:POINTS]), strict=True)))


def _own_parts(royalties: float, foul: float, fantasyland: float) -> EvParts:
    return EvParts(
        rows=None,
        scoop=None,
        royalties=royalties,
        opponent_royalties=None,
        foul=foul,
        fantasyland=fantasyland,
        opponent_fantasyland=None,
    )


NO_ERROR = _own_parts(0.0, 0.0, 0.0)


def solo_parts(spot: Spot, ev: float, foul: float, royalties: float) -> EvParts:
    """Return the parts of an EV under the solo objective, from one exact count."""
    cost = -spot.foul_cost * foul
    return _own_parts(royalties, cost, ev - royalties - cost)


def counted_fields(spot: Spot, ev: float, foul: float, fantasyland: float, royalties: float) -> dict[str, Any]:
    """Return the fields of an exact count of the player's own hand; under *solo* they include the parts of the EV."""
    solo = spot.objective == "solo"
    return {
        "p_foul": foul,
        "p_fantasyland": p_fantasyland(spot, foul, fantasyland),
        "royalties": royalties,
        "parts": solo_parts(spot, ev, foul, royalties) if solo else None,
        "parts_stderr": NO_ERROR if solo else None,
    }


def is_close(item: ActionAnswer) -> bool:
    """Return whether a placement may be as good as the best: the interval of the difference includes 0."""
    return bool(item.ev_loss_stderr) and (item.ev_loss or 0.0) < _CLOSE * (item.ev_loss_stderr or 0.0)


def in_order(entries: Iterable[ActionAnswer]) -> tuple[ActionAnswer, ...]:
    """Return the entries with an EV, best first, then those without one, by their guesses."""
    given = list(entries)
    known = sorted((item for item in given if item.ev is not None), key=lambda item: -(item.ev or 0.0))
    unknown = [item for item in given if item.ev is None]
    return *known, *sorted(unknown, key=lambda item: math.inf if item.guess is None else -item.guess)


def p_fantasyland(spot: Spot, foul: float | None, by_board: float | None) -> float | None:
    """Return the probability of fantasyland; once the first deal has decided it, only a foul can lose it."""
    if foul is None or spot.rules.fantasyland.first_street is None:
        return by_board
    return 1.0 - foul if spot.fantasyland_cards else 0.0


def lead(actions: Iterable[ActionAnswer]) -> float:
    """Return the probability that the first placement is better than the second, by their stated errors."""
    first, second, *_ = *actions, None, None
    if first is None or second is None or first.ev is None or second.ev is None:
        return 1.0
    error = math.hypot(first.stderr or 0.0, second.stderr or 0.0)
    return 1.0 if error == 0.0 else 0.5 * math.erfc(-(first.ev - second.ev) / error / math.sqrt(2.0))
