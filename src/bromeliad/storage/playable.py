"""Open-face Chinese poker for the interfaces: questions are answered through the store.

This module imports heavy modules only inside functions, because the command line loads it.
"""

from contextlib import nullcontext
from typing import TYPE_CHECKING

from bromeliad.core.playable import ALONE, Context, Playable
from bromeliad.solving.request import SolveRequest

if TYPE_CHECKING:
    from bromeliad.games.ofc.game import OfcGame
    from bromeliad.solving.answer import Answer
    from bromeliad.solving.plan import Plan


class OfcPlayable(Playable):
    """Open-face Chinese poker. Play and matches have code of their own, because its hands are dealt to seats."""

    name = "ofc"
    request = SolveRequest

    def game(self, setup: object = None) -> "OfcGame":
        """Return the game of one player against the deck."""
        from bromeliad.games.ofc.game import OfcGame

        return OfcGame()

    def think(self, question: "SolveRequest | Plan", context: Context = ALONE) -> "Answer":
        """Return the stored answer if it is good enough, else solve."""
        from bromeliad.core.jit import interpreted, is_interpreting
        from bromeliad.solving.plan import plan
        from bromeliad.solving.solve import solve

        planned = plan(question).without_book() if context.deeper else plan(question)
        store = None if planned.is_immediate else context.store()
        if store is None:
            with interpreted() if context.once and planned.is_tiny else nullcontext():
                if not is_interpreting():
                    context.ready(planned.kernels)
                return solve(planned, context.on_progress, context.cancel)
        from bromeliad.storage.cached import solve_stored

        return solve_stored(
            planned,
            store,
            context.on_progress,
            context.cancel,
            deeper=context.deeper,
            before_solving=lambda: context.ready(planned.kernels),
            on_problem=context.on_problem,
        )
