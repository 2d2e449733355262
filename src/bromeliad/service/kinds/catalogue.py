"""All kinds of jobs, and the body that asks for one of them: a kind for each game of the registry, and reviews."""

import json
import logging
from functools import partial, reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, create_model

from bromeliad import registry
from bromeliad.core import kernel_cache
from bromeliad.core.playable import Playable
from bromeliad.errors import InputError
from bromeliad.service.kinds.kind import Body, Context, Kind, Task, at_most
from bromeliad.service.kinds.ofc import OfcJob, OfcKind
from bromeliad.service.kinds.review import ReviewKind
from bromeliad.service.settings import Settings


class GameKind(Kind[Any]):
    """Answers positions of a game of the registry.

    Answers are kept by the program that gave them, which says nothing of the code of a game of another package.
    """

    def __init__(self, game: Playable) -> None:
        self.name, self.request = game.name, game.request
        self.keeps_answers = game.name in registry.OWN
        self._game = game

    def check(self, request: Any, settings: Settings) -> Task:
        """Check the limits; the model of the request has checked everything else."""
        at_most("request.time", request.time, settings.max_time)
        return Task(request, partial(self._run, request))

    def _run(self, request: Any, context: Context) -> str:
        context.ready(self._game.kernels)
        answer = self._game.think(request, context.report, context.cancel)
        about = {"game": self.name, "stored": False, "program": kernel_cache.program()}
        return json.dumps(about | answer)


def _load(name: str) -> GameKind | None:
    """Return the kind of a game, None if it cannot be loaded: that is no reason not to serve the others."""
    try:
        return GameKind(registry.playable(name))
    except InputError as error:
        logging.getLogger("bromeliad.service").warning("%s", error)
        return None


def _body(kind: GameKind) -> type[Body]:
    """Return the model of a body that asks for a kind."""
    fields: dict[str, Any] = {"game": (Literal[kind.name], ...), "request": (kind.request, ...)}
    return create_model(f"{kind.name.title()}Job", __base__=Body, __doc__="A position to answer.", **fields)


_GAMES = [kind for kind in map(_load, registry.names()) if kind is not None and kind.name != OfcKind.name]

KINDS: dict[str, Kind[Any]] = {kind.name: kind for kind in (OfcKind(), *_GAMES, ReviewKind())}
"""By the game that a job names; reviews have an address of their own."""

if TYPE_CHECKING:
    JobBody = OfcJob
else:
    JobBody = Annotated[reduce(or_, map(_body, _GAMES), OfcJob), Field(discriminator="game")]
"""What ``POST /jobs`` takes."""
