"""A model of a player from recorded hands: tendencies, and the foul cost and fantasyland worth that fit them."""

from collections.abc import Iterable

from bromeliad.analysis.default_play import default_play
from bromeliad.analysis.intervals import Frozen
from bromeliad.analysis.scan import Scan
from bromeliad.analysis.sources import Sourced
from bromeliad.analysis.tendencies import Tendency, TendencyCounts, shrunk
from bromeliad.errors import InputError
from bromeliad.games.ofc.rules.rule_set import RuleSet


class OpponentModel(Frozen):
    """A model of a player: the default player (:mod:`.default_play`) with the closest tendencies."""

    player: str
    rules: str
    hands: int
    tendencies: tuple[Tendency, ...]  # of the modelled player
    foul_cost: float  # the cost that the default player plays for
    fantasyland: float  # the worth of fantasyland that it plays for, as a multiple of the rule set's
    fitted: tuple[float, ...]  # tendencies of that default player

    @property
    def option(self) -> str:
        """The model as a value for ``solve --opponent-model`` and for strategies."""
        return f"{self.foul_cost:.4g},{self.fantasyland:.4g}"


def model_of(player: str, hands: Iterable[Sourced], rules: RuleSet) -> OpponentModel:
    """Return the model of a player from hands under one rule set.

    Raises
    ------
    InputError
        If the player has no normal hand.
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
