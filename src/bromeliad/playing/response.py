"""The best response to an opponent whose strategy is known, one decision at a time."""

import numpy as np
from numpy.typing import NDArray

from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.opponents.playouts import placements, seat_spot, value_placements, with_habits
from bromeliad.games.ofc.opponents.responses import can_respond, respond
from bromeliad.games.ofc.opponents.sampling import Habits
from bromeliad.games.ofc.opponents.seats import Seats
from bromeliad.games.ofc.play.seat import SeatView
from bromeliad.playing.strategies import SolverStrategy, action_of
from bromeliad.search.halving import Halving
from bromeliad.solving.plan import Plan, plan

RESPONSE_SIMULATIONS = 2000
"""Default number of playouts per decision."""

_CANDIDATES = 12  # placements that are played out, before the last street


class ResponseStrategy(SolverStrategy):
    """Plays the best placement if the opponent plays the rest of the hand by the evaluation of a known strategy.

    After the decision, this player is assumed to play by the learned value of both boards. The result is therefore a
    lower bound on the winnings of a perfect opponent of that strategy (Lisý & Bowling, "Equilibrium approximation
    quality of current no-limit poker bots", 2017).

    Parameters
    ----------
    habits
        The habits of an opponent who plays by the look of its own board; None for one who plays by the learned value of
        both boards, as the solver expects.
    simulations
        The playouts per decision.
    """

    def __init__(self, rules_name: str, habits: Habits | None, simulations: int = RESPONSE_SIMULATIONS) -> None:
        super().__init__(rules_name, simulations=simulations)
        self._settings["early_stop"] = False
        self._habits, self._simulations = habits, simulations

    def decide_placement(self, view: SeatView) -> Action:
        """Return the best response."""
        planned = plan(self.request(view, 1))
        finished = all(board.is_complete for board in planned.spot.opponents)
        if self._habits is None or view.in_fantasyland or finished or not can_respond(planned.spot):
            return action_of(view.cards, self.answer(planned).best)
        return action_of(view.cards, Action.from_code(planned.spot.cards, self._best(planned, self._habits)))

    def _best(self, planned: Plan, habits: Habits) -> int:
        """Return the code of the best placement against players of these habits."""
        mine = seat_spot(planned.spot, self.seed, 1)
        theirs, root = with_habits(mine, planned.spot.rules, habits), mine.v.copy()
        codes = _likely_first(mine, is_last=planned.method == "last street")
        halving = Halving(codes.size, None, 0.0, self._simulations, codes.size)
        while True:
            out = np.zeros((halving.sweeps_left, halving.alive.size))
            first = int(halving.count[halving.alive[0]])
            respond(root, mine, theirs, codes[halving.alive], self.seed, first, out)
            halving.absorb(out)
            if halving.is_last:
                return int(codes[halving.order()[0]])
            halving.end_round()


def _likely_first(seats: Seats, *, is_last: bool) -> NDArray[np.int64]:
    """Return the placements with the highest learned values, or all of the last street."""
    codes = placements(seats)
    if is_last:
        return codes
    guesses = np.zeros(codes.size)
    value_placements(seats, codes, guesses)
    return codes[np.argsort(-guesses, kind="stable")[:_CANDIDATES]]
