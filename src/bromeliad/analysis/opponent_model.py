"""A model of an opponent from recorded hands: tendencies, and what the player seems to go by."""

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from bromeliad.analysis.default_play import default_play
from bromeliad.analysis.scan import Scan
from bromeliad.analysis.sources import Sourced
from bromeliad.analysis.tendencies import Tendency, TendencyCounts, shrunk
from bromeliad.errors import InputError
from bromeliad.games.ofc.rules.rule_set import RuleSet


class OpponentModel(BaseModel):
    """What hands tell of a player.

    ``foul_cost`` and ``fantasyland`` (a multiple of its worth) are what players of the default kind go by who foul and
    reach fantasyland as often as ``tendencies`` believe of this one; ``fitted`` is how often those do.
    """

    model_config = ConfigDict(frozen=True)

    player: str
    rules: str
    hands: int
    tendencies: tuple[Tendency, ...]
    foul_cost: float
    fantasyland: float
    fitted: tuple[float, ...]

    @property
    def option(self) -> str:
        """The model as ``solve --opponent-model`` and strategies take it."""
        return f"{self.foul_cost:.4g},{self.fantasyland:.4g}"


def model_of(player: str, hands: Iterable[Sourced], rules: RuleSet) -> OpponentModel:
    """Return the model of a player, by hands under one rule set.

    Raises
    ------
    InputError
        If the player has no normal hand among them.
    """
    counts = TendencyCounts()
    for batch in Scan(rules.name).run(hands):
        counts.add(batch)
    if player not in counts.players:
        names = ", ".join(counts.players[:20]) or "-"
        raise InputError("there is no player {name}; players: {names}", name=player, names=names)
    table = default_play(rules)
    tendencies = shrunk(counts, player, table.default)
    foul, fantasyland, _ = tendencies
    habits, fitted = table.fit(foul.shrunk, fantasyland.shrunk, (foul.stderr, fantasyland.stderr))
    return OpponentModel(
        player=player,
        rules=rules.name,
        hands=counts.of(player).hands,
        tendencies=tuple(tendencies),
        foul_cost=habits.foul_cost,
        fantasyland=habits.fantasyland,
        fitted=tuple(fitted),
    )
