"""The one path from a question to an answer: check it, pick the method, run it, label every number."""

import time

from bromeliad.errors import UnsupportedError
from bromeliad.games.ofc.endgame import LastStreet, solve_last_street
from bromeliad.games.ofc.moves import Action
from bromeliad.games.ofc.spot import Spot
from bromeliad.sessions.answer import ActionAnswer, Answer
from bromeliad.sessions.request import SolveRequest

__all__ = ["KERNELS", "check_request", "solve"]

KERNELS = ("ofc.scoring", "ofc.endgame")
"""The warm-ups that :func:`solve` needs."""


def solve(request: SolveRequest) -> Answer:
    """Return every placement with its value.

    Raises
    ------
    InputError
        If the request is wrong, or asks for what this version cannot answer.
    """
    spot = check_request(request)
    start = time.perf_counter()
    actions = _last_street_actions(spot, solve_last_street(spot))
    return Answer(
        game="ofc",
        rules=spot.rules.name,
        street=spot.street,
        objective=spot.objective,
        foul_cost=spot.foul_cost,
        fantasyland_worth=dict(spot.fantasyland_worth),
        seed=request.seed,
        threads=1,
        elapsed_s=time.perf_counter() - start,
        simulations=0,
        method="exact",
        stop_reason="exact",
        value=actions[0].ev or 0.0,
        best=actions[0],
        actions=actions,
    )


def check_request(request: SolveRequest) -> Spot:
    """Return the spot of a request that this version can answer; raise before anything costly is begun."""
    spot = request.to_spot()
    if spot.in_fantasyland:
        raise UnsupportedError("fantasyland hands are not solved by this version; it solves the last street of a hand")
    if not spot.cards:
        raise UnsupportedError("give the cards of the street as --cards; this version values no board before the deal")
    if not spot.is_last_street:
        raise UnsupportedError(
            "street {street} of {streets} is not solved by this version; it solves the last street of a hand",
            street=spot.street,
            streets=len(spot.rules.streets),
        )
    if spot.objective == "versus" and not all(board.is_complete for board in spot.opponents):
        raise UnsupportedError(
            "against unfinished boards this version has no answer: give full boards, or --objective solo"
        )
    return spot


def _last_street_actions(spot: Spot, answer: LastStreet) -> tuple[ActionAnswer, ...]:
    versus = spot.objective == "versus"
    first_street = spot.rules.fantasyland.first_street is not None
    best = float(answer.value[0])
    actions = []
    for i, code in enumerate(answer.codes):
        action = Action.from_code(spot.cards, int(code))
        reached = not answer.foul[i] and (spot.fantasyland if first_street else answer.cards[i] > 0)
        actions.append(
            ActionAnswer(
                top=tuple(map(str, action.top)),
                middle=tuple(map(str, action.middle)),
                back=tuple(map(str, action.back)),
                discards=tuple(map(str, action.discards)),
                ev=float(answer.value[i]),
                ev_loss=best - float(answer.value[i]),
                stderr=0.0,
                exact=True,
                visits=0,
                p_foul=float(answer.foul[i]),
                p_fantasyland=float(reached),
                royalties=float(answer.royalties[i]),
                p_scoop=float(answer.scoops[i]) if versus else None,
                row_points=float(answer.row_points[i]) if versus else None,
            )
        )
    return tuple(actions)
