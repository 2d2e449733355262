"""All kinds of jobs: one per registered game, and reviews. ``JobBody`` is the body of a new job."""

import json
import logging
from functools import partial, reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, create_model

from bromeliad import registry
from bromeliad.core import kernel_cache
from bromeliad.core.playable import Playable, TurnGame
from bromeliad.errors import InputError
from bromeliad.service.kinds.kind import Body, Context, Kind, Task, at_most, wrong
from bromeliad.service.kinds.ofc import OfcJob, OfcKind
from bromeliad.service.kinds.review import ReviewKind
from bromeliad.service.settings import Settings


class GameKind(Kind[Any]):
    """Solves positions of a registered game.

    Stored answers are reused only for games of this package: the program's fingerprint covers no other package.
    """

    def __init__(self, game: Playable) -> None:
        self.name, self.request = game.name, game.request
        self.keeps_answers = game.name in registry.OWN
        self._game = game

    def check(self, request: Any, settings: Settings) -> Task:
        """Check the limits, and the moves of a game of another package; the model checks everything else."""
        at_most("request.time", request.time, settings.max_time)
        if self.name not in registry.OWN and isinstance(self._game, TurnGame) and self._is_compiled():
            try:
                self._game.read(request)
            except InputError as error:
                raise wrong("request.position", error) from None
        return Task(request, partial(self._run, request))

    def _is_compiled(self) -> bool:
        return not any(map(kernel_cache.is_cold, self._game.kernels))

    def _run(self, request: Any, context: Context) -> str:
        context.ready(self._game.kernels)
        answer = self._game.think(request, context.report, context.cancel)
        about = {"game": self.name, "stored": False, "program": kernel_cache.program()}
        return json.dumps(about | answer)


def _load(name: str) -> GameKind | None:
    """Return the kind of a game, None if the game cannot be loaded: the others are still served."""
    try:
        return GameKind(registry.playable(name))
    except InputError as error:
        logging.getLogger("bromeliad.service").warning("%s", error)
        return None


def _body(kind: GameKind) -> type[Body]:
    """Return the model of the body of a new job of this kind."""
    fields: dict[str, Any] = {"game": (Literal[kind.name], ...), "request": (kind.request, ...)}
    return create_model(f"{kind.name.title()}Job", __base__=Body, __doc__="A position to answer.", **fields)


_GAMES = [kind for kind in map(_load, registry.names()) if kind is not None and kind.name != OfcKind.name]

KINDS: dict[str, Kind[Any]] = {kind.name: kind for kind in (OfcKind(), *_GAMES, ReviewKind())}
"""All kinds by name; reviews have their own address."""

if TYPE_CHECKING:
    JobBody = OfcJob
else:
    JobBody = Annotated[reduce(or_, map(_body, _GAMES), OfcJob), Field(discriminator="game")]
"""What ``POST /jobs`` takes."""
