"""Storing a game while it is played, each hand as soon as it is over."""

from collections.abc import Callable, Iterable
from functools import partial

from bromeliad.games.ofc.play.dealer import PlayedHand
from bromeliad.games.ofc.play.history import HandRecord
from bromeliad.storage.rows import rows_of
from bromeliad.storage.store import Store

Begin = Callable[[], int]


class GameRecorder:
    """Stores the hands of one game; the first hand begins the game.

    Parameters
    ----------
    source
        The source of the hands: ``play``, ``match`` or ``page``.
    label
        The players.
    begin
        Receives a function that creates the game and returns its id; returns the id of the game to use. A resumed run
        returns the id of its earlier game, whose hands are not added again.
    """

    def __init__(
        self, store: Store, rules: str, source: str, label: str, begin: Callable[[Begin], int] = lambda begin: begin()
    ) -> None:
        self._store = store
        self._begin = partial(begin, partial(store.games.add, rules, source, label))
        self._there = 0  # the number of hands of the earlier run that are still to be skipped
        self.game_id: int | None = None

    def add(self, hands: Iterable[tuple[HandRecord, PlayedHand]]) -> list[int]:
        """Add finished hands, all or none, and return their ids."""
        rows = [rows_of(record, played) for record, played in hands]
        if self.game_id is None:
            self.game_id = self._begin()
            self._there = self._store.games.get(self.game_id).hands
        new = rows[self._there :]
        self._there -= len(rows) - len(new)
        return self._store.hands.add(self.game_id, new) if new else []
