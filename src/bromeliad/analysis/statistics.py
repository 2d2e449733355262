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


class _Features(NamedTuple):
    """The values to sum: arrays by [hand, seat] for a batch, totals for a player."""

    hands: Any
    points: Any
    points_squared: Any
    royalties: Any
    royalties_squared: Any
    fouls: Any
    normal: Any
    entered: Any
    stayed: Any
    scoops: Any
    scooped: Any
    met: Any


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
        self._sums = Sums((len(_Features._fields),))
        self._types = Sums((len(ROW_SIZES), len(CATEGORIES)))
        self._categories = np.array([kind.category if kind else 0 for kind in hand_types()])

    def add(self, batch: Batch, players: NDArray[np.int64]) -> None:
        """Add the hands of a batch; ``players`` has the players' numbers by [hand, seat]."""
        self._sums.add(players.ravel(), np.stack(_features(batch), axis=-1).reshape(players.size, -1))
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
        return [_results(name, self._totals(name)) for name in self._players()]

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
        return sorted(self._ids.names, key=lambda name: (-self._totals(name).hands, name))

    def _totals(self, name: str) -> _Features:
        return _Features(*self._sums.of(self._ids.number(name)).tolist())


def _features(batch: Batch) -> _Features:
    results = batch.results
    fantasyland = np.array([hand.fantasyland for hand in batch.hands]) > 0
    further = results.scored[:, :, Scored.NEXT_CARDS] > 0
    royalties = results.scored[:, :, Scored.ROYALTIES]
    return _Features(
        hands=np.ones(fantasyland.shape),
        points=results.points,
        points_squared=results.points.astype(float) ** 2,
        royalties=royalties,
        royalties_squared=royalties.astype(float) ** 2,
        fouls=results.scored[:, :, Scored.FOUL],
        normal=~fantasyland,
        entered=~fantasyland & further,
        stayed=fantasyland & further,
        scoops=results.scoops,
        scooped=results.scooped,
        met=np.full(fantasyland.shape, fantasyland.shape[1] - 1),
    )


def _results(name: str, sums: _Features) -> PlayerResults:
    hands, normal, met = int(sums.hands), int(sums.normal), int(sums.met)
    return PlayerResults(
        player=name,
        hands=hands,
        points=mean_of(hands, sums.points, sums.points_squared),
        royalties=mean_of(hands, sums.royalties, sums.royalties_squared),
        foul=share_of(int(sums.fouls), hands),
        entry=share_of(int(sums.entered), normal),
        stay=share_of(int(sums.stayed), hands - normal),
        scoop=share_of(int(sums.scoops), met),
        scooped=share_of(int(sums.scooped), met),
    )
