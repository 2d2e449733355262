"""All kinds of jobs: one per registered game, and reviews. ``JobBody`` is the body of a new job."""

import json
import logging
from collections.abc import Iterator
from functools import partial, reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, create_model

from bromeliad import registry
from bromeliad.core import kernel_cache
from bromeliad.core.playable import Context, TurnGame
from bromeliad.errors import InputError
from bromeliad.service.kinds.kind import Body, Kind, Task, at_most, checking
from bromeliad.service.kinds.ofc import OfcJob, OfcKind
from bromeliad.service.kinds.review import ReviewKind
from bromeliad.service.settings import Settings


class GameKind(Kind[Any]):
    """Solves positions of a game that is played move by move.

    Stored answers are reused only for games of this package: the program's fingerprint covers no other package.
    """

    def __init__(self, game: TurnGame) -> None:
        self.name, self.request = game.name, game.request
        self.keeps_answers = game.name in registry.OWN
        self._game = game

    def check(self, request: Any, settings: Settings) -> Task:
        """Check the limits and, for a compiled game of another package, the moves; the model checks everything else."""
        at_most("request.time", request.time, settings.max_time)
        if self.name not in registry.OWN and self._is_compiled():
            with checking("request.position"):
                self._game.read(request)
        return Task(request, partial(self._run, request))

    def _is_compiled(self) -> bool:
        return not any(map(kernel_cache.is_cold, self._game.kernels))

    def _run(self, request: Any, context: Context) -> str:
        about = {"game": self.name, "stored": False, "program": kernel_cache.program()}
        return json.dumps(about | self._game.think(request, context))


def _load() -> Iterator[Kind[Any]]:
    """Yield the kinds of all games; a game that cannot be loaded is left out, so that the others are still served."""
    for name in registry.names():
        try:
            game = registry.playable(name)
        except InputError as error:
            logging.getLogger("bromeliad.service").warning("%s", error)
        else:
            yield GameKind(game) if isinstance(game, TurnGame) else OfcKind(game)  # the only game of another kind


def _body(kind: Kind[Any]) -> type[Body]:
    """Return the model of the body of a new job of this kind."""
    fields: dict[str, Any] = {"game": (Literal[kind.name], ...), "request": (kind.request, ...)}
    return create_model(f"{kind.name.title()}Job", __base__=Body, __doc__="A position to answer.", **fields)


_GAMES = tuple(_load())

KINDS: dict[str, Kind[Any]] = {kind.name: kind for kind in (*_GAMES, ReviewKind())}
"""All kinds by name. Reviews are not in ``JobBody``: they start at ``POST /reviews``."""

if TYPE_CHECKING:
    JobBody = OfcJob
else:
    _BODIES = [OfcJob if isinstance(kind, OfcKind) else _body(kind) for kind in _GAMES]
    JobBody = Annotated[reduce(or_, _BODIES), Field(discriminator="game")]
"""The body of ``POST /jobs``."""
