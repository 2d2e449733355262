"""Keeping a game while it is played: each hand is in the store as soon as it is over."""

from collections.abc import Iterable

from bromeliad.games.ofc.dealer import PlayedHand
from bromeliad.games.ofc.history import HandRecord
from bromeliad.storage.rows import rows_of
from bromeliad.storage.store import Store

__all__ = ["GameRecorder"]


class GameRecorder:
    """Writes the hands of one game, which is begun with its first hand.

    Parameters
    ----------
    source
        Where the hands come from: ``play``, ``match``, ``page``.
    label
        Who plays.
    """

    def __init__(self, store: Store, rules: str, source: str, label: str) -> None:
        self._store = store
        self._about = rules, source, label
        self.game_id: int | None = None

    def add(self, hands: Iterable[tuple[HandRecord, PlayedHand]]) -> list[int]:
        """Add finished hands, all or none, and return their numbers in the store."""
        rows = [rows_of(record, played) for record, played in hands]
        if self.game_id is None:
            self.game_id = self._store.games.add(*self._about)
        return self._store.hands.add(self.game_id, rows)
