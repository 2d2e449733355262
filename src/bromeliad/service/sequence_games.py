"""Games of Sequence against the agent: kept in memory while they are played, and in the store move by move."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from threading import RLock

from bromeliad.errors import InputError
from bromeliad.playing.sequence_game import Seating, SequenceGame, SequenceStarted
from bromeliad.service.problems import Refusal
from bromeliad.service.recent import Recent
from bromeliad.storage import Store


@dataclass
class SequenceSitting:
    """A game that somebody is playing."""

    game: SequenceGame
    lock: RLock = field(default_factory=RLock)


class SequenceGames:
    """All games of Sequence of a service."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sittings = Recent(self._load)

    def start(self, seating: Seating, seed: int | None) -> SequenceSitting:
        """Begin a game."""
        seed = secrets.randbits(62) if seed is None else seed
        sitting = SequenceSitting(SequenceGame(secrets.token_urlsafe(9), seating, seed))
        self._sittings.add(sitting.game.id, sitting)
        self.play(sitting, lambda: None)
        return sitting

    def play(self, sitting: SequenceSitting, step: Callable[[], None]) -> None:
        """Do one step of the person, let the others play, and keep what has happened even if that failed."""
        with sitting.lock:
            try:
                step()
                sitting.game.let_others_play()
            finally:
                self._store.events.add(sitting.game.pull_domain_events())

    def find(self, game_id: str) -> SequenceSitting:
        """Return a game, from the store if need be, or raise that there is none."""
        return self._sittings.find(game_id)

    def _load(self, game_id: str) -> SequenceSitting:
        events = [(event.kind, event.data) for event in self._store.events.stream(game_id)]
        if not events or events[0][0] != SequenceStarted.__name__:
            raise Refusal(HTTPStatus.NOT_FOUND, InputError("there is no game {id}", id=game_id[:40]))
        return SequenceSitting(SequenceGame.restore(game_id, events))
