"""The score of a hand between two players."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from bromeliad.games.ofc.hands.boards import PlayerArrangement, Position
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.rules.rule_tables import Flag, rule_tables
from bromeliad.games.ofc.rules.scoring import Scored, settle


@dataclass(frozen=True)
class Score:
    """A player's points by source.

    Attributes
    ----------
    street_scores
        Points for the front, middle and back row.
    bonus_scores
        All other points as pairs of name and points, sorted by name, without zeros: the royalties of ``front``,
        ``middle`` and ``back``, the ``fantasyland`` bonus, the ``scoop``, and the royalties of the ``opponent``. May be
        given as a mapping.
    fantasy_land
        Whether the hand leads to, or stays in, fantasyland.
    """

    street_scores: tuple[int, int, int] = (0, 0, 0)
    bonus_scores: tuple[tuple[str, int], ...] = ()
    fantasy_land: bool = False

    def __post_init__(self) -> None:
        given: Iterable[tuple[str, int]] = self.bonus_scores
        if isinstance(given, Mapping):
            given = given.items()
        object.__setattr__(self, "bonus_scores", tuple(sorted((name, points) for name, points in given if points)))

    @classmethod
    def of(
        cls,
        arrangement: PlayerArrangement,
        opponent: PlayerArrangement,
        rules: RuleSet | None = None,
        *,
        fantasyland: int = 0,
        opponent_fantasyland: int = 0,
    ) -> "Score":
        """Return the score of a finished board against another one.

        Parameters
        ----------
        rules
            The rule set; Pineapple by default.
        fantasyland, opponent_fantasyland
            Fantasyland cards of each player, 0 for a normal hand. Under rules where the first street decides,
            any other number means that fantasyland was reached.
        """
        rules = rules or preset("pineapple")
        tables = rule_tables(rules)
        mine = arrangement.scored(rules, fantasyland, opponent.cards)
        theirs = opponent.scored(rules, opponent_fantasyland, arrangement.cards)
        points = np.zeros(4, np.int64)
        settle(tables, mine, theirs, points)
        rows = [int(mine[Scored.ROW_ROYALTIES + position.index]) for position in Position]
        bonuses = {position.value: rows[position.index] for position in Position}
        bonuses["fantasyland"] = int(mine[Scored.ROYALTIES]) - sum(rows)
        bonuses["scoop"] = int(points[3])
        bonuses["opponent"] = -int(theirs[Scored.ROYALTIES])
        by_first_street = bool(tables.flags[Flag.BY_FIRST_STREET]) and fantasyland > 0 and not mine[Scored.FOUL]
        return cls(
            (int(points[0]), int(points[1]), int(points[2])),
            tuple(bonuses.items()),
            bool(mine[Scored.NEXT_CARDS]) or by_first_street,
        )

    @property
    def total(self) -> int:
        """The sum of all points."""
        return sum(self.street_scores) + sum(points for _, points in self.bonus_scores)

    def __add__(self, other: "Score") -> "Score":
        a, b = self.street_scores, other.street_scores
        mine, theirs = dict(self.bonus_scores), dict(other.bonus_scores)
        bonuses = {name: mine.get(name, 0) + theirs.get(name, 0) for name in mine.keys() | theirs.keys()}
        return Score(
            (a[0] + b[0], a[1] + b[1], a[2] + b[2]), tuple(bonuses.items()), self.fantasy_land or other.fantasy_land
        )
