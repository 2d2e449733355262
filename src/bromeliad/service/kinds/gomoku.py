"""Jobs that answer a position of Gomoku: forced wins, or a search with live values of its candidates."""

import json
import math
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, partial
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from bromeliad.core import kernel_cache
from bromeliad.core.budget import Budget
from bromeliad.errors import InputError
from bromeliad.games.gomoku.game import Gomoku
from bromeliad.games.gomoku.notation import cell_name, line_names, parse_stones
from bromeliad.games.gomoku.player import Answer, Candidate, Player, search_params
from bromeliad.games.gomoku.position import read_position
from bromeliad.games.gomoku.proof.threats import KERNELS
from bromeliad.games.gomoku.rules import LARGEST, SMALLEST
from bromeliad.search import ActionStatistics, Progress
from bromeliad.service.kinds.kind import Body, Context, Kind, Task, at_most, wrong
from bromeliad.service.settings import Settings

__all__ = ["GomokuBoard", "GomokuJob", "GomokuKind", "GomokuRequest", "gomoku_game"]

_DEFAULT_TIME = 1.0
_MEMORY = 128.0  # megabytes
_LONGEST = 3 * LARGEST * LARGEST

RuleName = Literal["freestyle", "exact", "renju", "caro"]


class GomokuBoard(BaseModel):
    """A position: its stones in turn, black first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    position: Annotated[str, Field(max_length=_LONGEST)] = ""
    rule: RuleName = "freestyle"
    size: int = Field(default=15, ge=SMALLEST, le=LARGEST)


class GomokuRequest(GomokuBoard):
    """A position to answer, and what that may cost: seconds or simulations."""

    side: Literal[1, 2] | None = None
    time: float | None = Field(default=None, ge=0.01, le=86400, allow_inf_nan=False)
    simulations: int | None = Field(default=None, ge=1, le=2**31 - 1)
    seed: int = Field(default=1, ge=0, lt=2**63)


class GomokuJob(Body):
    """A position to answer."""

    game: Literal["gomoku"]
    request: GomokuRequest


@cache
def gomoku_game(size: int, rule: str) -> Gomoku:
    """Return the game on boards of one size; its tables are made once."""
    return Gomoku(size, rule)


class GomokuKind(Kind[GomokuRequest]):
    """Answers positions."""

    name = "gomoku"
    request = GomokuRequest
    keeps_answers = True

    def check(self, request: GomokuRequest, settings: Settings) -> Task:
        """Check the limits and the cells; what the rules say of them is told by kernels, when they are ready."""
        try:
            parse_stones(request.position, request.size)
        except InputError as error:
            raise wrong("request.position", error) from None
        at_most("request.time", request.time, settings.max_time)
        if request.time is not None and request.simulations is not None:
            raise wrong("request.simulations", InputError("give a time or a number of simulations, not both"))
        return Task(request, partial(self._run, request))

    def _run(self, request: GomokuRequest, context: Context) -> str:
        """Look for a forced win, then search."""
        context.ready(KERNELS)
        game = gomoku_game(request.size, request.rule)
        state = read_position(game, request.position, request.side)

        def progress(state: Progress) -> None:
            context.report(replace(state, actions=tuple(_entries(state.actions, request.size))))

        seconds = None if request.simulations else request.time or _DEFAULT_TIME
        player = Player(game, search_params(memory_mb=_MEMORY), request.seed)
        answer = player.think(state, Budget(seconds, request.simulations), on_progress=progress, cancel=context.cancel)
        return json.dumps(_as_data(answer, request.size))


def _entries(items: Iterable[ActionStatistics], size: int) -> list[dict[str, Any]]:
    """Return what a search knows of its candidates."""
    return [
        {
            "cell": cell_name(item.action, size),
            "visits": item.visits,
            "value": item.mean if item.visits else None,
            "stderr": item.error if math.isfinite(item.error) else None,
            "prior": item.prior,
        }
        for item in items
    ]


def _certain(item: Candidate) -> ActionStatistics:
    """Return a candidate that no search was needed for."""
    return ActionStatistics(item.cell, 1, item.value, 0.0, item.prior, item.value)


def _as_data(answer: Answer, size: int) -> dict[str, Any]:
    found = answer.search
    searched = {item.action: item for item in found.actions} if found else {}
    candidates = [searched.get(item.cell) or _certain(item) for item in answer.candidates]
    return {
        "game": "gomoku",
        "best": cell_name(answer.best, size),
        "value": answer.value,
        "how": answer.how,
        "proved": answer.proved,
        "line": line_names(answer.line, size),
        "candidates": _entries(candidates, size),
        "simulations": answer.simulations,
        "nodes": answer.nodes,
        "elapsed_s": answer.seconds,
        "stop_reason": answer.how if found is None else found.stop_reason,
        "stored": False,
        "program": kernel_cache.program(),
    }
