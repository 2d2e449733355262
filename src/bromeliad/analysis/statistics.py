"""Results of players: points, royalties, fouls, fantasyland, scoops and hand types."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.analysis.intervals import Frozen, Mean, Share, mean_of, share_of
from bromeliad.analysis.scan import Batch
from bromeliad.games.ofc.hands.automaton import CATEGORIES, hand_types
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES, Row
from bromeliad.games.ofc.rules.scoring import Scored


class PlayerResults(Frozen):
    """The results of a player's hands: shares and means with their errors."""

    player: str
    hands: int
    points: Mean
    royalties: Mean
    foul: Share  # of all hands
    entry: Share  # of normal hands: those that lead to fantasyland
    stay: Share  # of fantasyland hands: those that lead to another
    scoop: Share  # of opponents met
    scooped: Share


class HandTypes(Frozen):
    """The hand types of a player's rows, in hands that did not foul."""

    player: str
    row: str
    counts: dict[str, int]  # by hand type, the weakest first


class _Column(NamedTuple):
    """Columns of the sums."""

    HANDS: int = 0
    POINTS: int = 1
    POINTS_SQUARED: int = 2
    ROYALTIES: int = 3
    ROYALTIES_SQUARED: int = 4
    FOULS: int = 5
    NORMAL: int = 6
    ENTERED: int = 7
    STAYED: int = 8
    SCOOPS: int = 9
    SCOOPED: int = 10
    MET: int = 11
    SIZE: int = 12


Column = _Column()


class PlayerIds:
    """Numbers players in the order in which they appear; with ``only``, all other players get -1."""

    def __init__(self, only: Sequence[str] = ()) -> None:
        self._only = frozenset(only)
        self._numbers: dict[str, int] = {}
        self.seen: set[str] = set()

    @property
    def names(self) -> list[str]:
        """All numbered players, in the order of their numbers."""
        return list(self._numbers)

    def number(self, name: str) -> int:
        """Return the number of a player, a new one if necessary."""
        self.seen.add(name)
        if self._only and name not in self._only:
            return -1
        return self._numbers.setdefault(name, len(self._numbers))

    def numbers(self, hands: Iterable[Sequence[str]]) -> NDArray[np.int64]:
        """Return the numbers by [hand, seat]."""
        return np.array([[self.number(name) for name in names] for names in hands], np.int64)


class Sums:
    """Sums of arrays by player."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape
        self._sums = np.zeros((0, *shape))

    def add(self, players: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        """Add values [case, ...] to the sums of each case's player; cases of player -1 are left out."""
        known = players >= 0
        self._make_room(players)
        np.add.at(self._sums, players[known], values[known])

    def count(self, players: NDArray[np.int64], row: int, columns: NDArray[np.int64]) -> None:
        """Add one to each case's column in a row of its player's sums; cases of player -1 are left out."""
        known = players >= 0
        self._make_room(players)
        where: Any = (players[known], row, columns[known])
        np.add.at(self._sums, where, 1.0)

    def put(self, player: int, place: int, values: NDArray[np.float64]) -> None:
        """Add values at one place of one player."""
        self._make_room(np.array([player]))
        self._sums[player, place] += values

    def of(self, player: int) -> NDArray[np.float64]:
        """Return the sums of a player."""
        if player >= len(self._sums):
            return np.zeros(self._shape)
        row: NDArray[np.float64] = self._sums[player]
        return row

    def _make_room(self, players: NDArray[np.int64]) -> None:
        needed = int(players.max(initial=-1)) + 1 - len(self._sums)
        if needed > 0:
            self._sums = np.concatenate([self._sums, np.zeros((needed, *self._shape))])


class Statistics:
    """Sums up hands by player."""

    def __init__(self, ids: PlayerIds) -> None:
        self._ids = ids
        self._sums = Sums((Column.SIZE,))
        self._types = Sums((len(ROW_SIZES), len(CATEGORIES)))
        self._categories = np.array([kind.category if kind else 0 for kind in hand_types()])

    def add(self, batch: Batch, players: NDArray[np.int64]) -> None:
        """Add the hands of a batch; ``players`` has the players' numbers by [hand, seat]."""
        self._sums.add(players.ravel(), _features(batch).reshape(-1, Column.SIZE))
        scored = batch.results.scored.reshape(-1, Scored.SIZE)
        finished = scored[:, Scored.FOUL] == 0
        owners = players.ravel()[finished]
        for row, name in enumerate(Row):
            if batch.rules.order.low_middle and name is Row.MIDDLE:
                continue
            kinds = self._categories[scored[finished, Scored.STRENGTH + row]]
            self._types.count(owners, row, kinds)

    def results(self) -> list[PlayerResults]:
        """Return the results of all players, those with the most hands first."""
        return [_results(name, self._row(name)) for name in self._players()]

    def hand_types(self) -> list[HandTypes]:
        """Return the hand types of all players by row."""
        found = []
        for player in self._players():
            counts = self._types.of(self._ids.number(player))
            for row, name in enumerate(Row):
                by_type = {kind: int(count) for kind, count in zip(CATEGORIES, counts[row], strict=True)}
                found.append(HandTypes(player=player, row=name.value, counts=by_type))
        return found

    def _players(self) -> list[str]:
        """Return the names of all players, those with the most hands first."""
        return sorted(self._ids.names, key=lambda name: (-self._row(name)[Column.HANDS], name))

    def _row(self, name: str) -> NDArray[np.float64]:
        return self._sums.of(self._ids.number(name))


def _features(batch: Batch) -> NDArray[np.float64]:
    """Return the values to sum by [hand, seat, column]."""
    results = batch.results
    fantasyland = np.array([hand.fantasyland for hand in batch.hands]) > 0
    further = results.scored[:, :, Scored.NEXT_CARDS] > 0
    royalties = results.scored[:, :, Scored.ROYALTIES]
    out = np.zeros((*fantasyland.shape, Column.SIZE))
    out[:, :, Column.HANDS] = 1
    out[:, :, Column.POINTS] = results.points
    out[:, :, Column.POINTS_SQUARED] = results.points.astype(float) ** 2
    out[:, :, Column.ROYALTIES] = royalties
    out[:, :, Column.ROYALTIES_SQUARED] = royalties.astype(float) ** 2
    out[:, :, Column.FOULS] = results.scored[:, :, Scored.FOUL]
    out[:, :, Column.NORMAL] = ~fantasyland
    out[:, :, Column.ENTERED] = ~fantasyland & further
    out[:, :, Column.STAYED] = fantasyland & further
    out[:, :, Column.SCOOPS] = results.scoops
    out[:, :, Column.SCOOPED] = results.scooped
    out[:, :, Column.MET] = fantasyland.shape[1] - 1
    return out


def _results(name: str, row: NDArray[np.float64]) -> PlayerResults:
    counts = [int(value) for value in row]
    hands, normal, met = counts[Column.HANDS], counts[Column.NORMAL], counts[Column.MET]
    return PlayerResults(
        player=name,
        hands=hands,
        points=mean_of(hands, row[Column.POINTS], row[Column.POINTS_SQUARED]),
        royalties=mean_of(hands, row[Column.ROYALTIES], row[Column.ROYALTIES_SQUARED]),
        foul=share_of(counts[Column.FOULS], hands),
        entry=share_of(counts[Column.ENTERED], normal),
        stay=share_of(counts[Column.STAYED], hands - normal),
        scoop=share_of(counts[Column.SCOOPS], met),
        scooped=share_of(counts[Column.SCOOPED], met),
    )
