"""Open-face Chinese poker for the interfaces. Only solving is generic; play and matches have code of their own."""

from dataclasses import replace
from typing import Any

from bromeliad.core.budget import Cancel, OnProgress, Progress
from bromeliad.core.playable import Answer, Playable
from bromeliad.games.ofc.game import OfcGame
from bromeliad.playing.strategies import STRATEGY_KERNELS, strategy_names
from bromeliad.solving.request import SolveRequest
from bromeliad.solving.solve import solve


class OfcPlayable(Playable):
    """Open-face Chinese poker."""

    name = "ofc"
    request = SolveRequest
    kernels = STRATEGY_KERNELS
    strategies = strategy_names()

    def game(self, setup: Any = None) -> OfcGame:
        """Return the game of one player against the deck."""
        return OfcGame()

    def think(
        self, request: SolveRequest, on_progress: OnProgress | None = None, cancel: Cancel | None = None
    ) -> Answer:
        """Solve a spot."""

        def tell(progress: Progress) -> None:
            if on_progress is not None:
                on_progress(replace(progress, actions=tuple(item.model_dump(mode="json") for item in progress.actions)))

        return solve(request, tell, cancel or Cancel()).model_dump(mode="json")
