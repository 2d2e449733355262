"""Games of Sequence against the agent, kept in memory and, move by move, in the store."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from bromeliad.errors import NotStoredError
from bromeliad.playing.sequence_game import Seating, SequenceGame, SequenceStarted
from bromeliad.service.recent import Recent, Stored
from bromeliad.storage import Store


@dataclass
class SequenceSitting(Stored):
    """A game in progress."""

    game: SequenceGame


class SequenceGames:
    """All Sequence games of a service."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sittings = Recent(self._load)

    def start(self, seating: Seating, seed: int | None) -> SequenceSitting:
        """Start a game."""
        seed = secrets.randbits(62) if seed is None else seed
        sitting = SequenceSitting(SequenceGame(secrets.token_urlsafe(9), seating, seed))
        self._sittings.add(sitting.game.id, sitting)
        self.play(sitting, lambda: None)
        return sitting

    def play(self, sitting: SequenceSitting, step: Callable[[], None]) -> None:
        """Take the human player's step, play the opponents' moves, and store what happened even if a move fails."""

        def store() -> None:
            self._store.events.add(sitting.game.pull_domain_events())

        with self._sittings.changing(sitting.game.id, sitting, store):
            step()
            sitting.game.let_others_play()

    def find(self, game_id: str) -> SequenceSitting:
        """Return a game, from the store if it is not in memory; raise if there is none."""
        return self._sittings.find(game_id)

    def _load(self, game_id: str) -> SequenceSitting:
        events = [(event.kind, event.data) for event in self._store.events.stream(game_id)]
        if not events or events[0][0] != SequenceStarted.__name__:
            raise NotStoredError("there is no game {id}", id=game_id[:40])
        return SequenceSitting(SequenceGame.restore(game_id, events))
