"""The luck of the deals in a match, by player and street.

A deal's luck is its best value less the mean over what could have come out of the cards that nobody had been dealt yet.
Given all that happened before, those deals were equally likely, so luck is nothing in the mean, whoever plays and
whatever the values are. First streets are left out: every player gets each of them once in a paired deck.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import CardSet
from bromeliad.core.game import apply, clone
from bromeliad.core.rng import new_rng, reseed
from bromeliad.evaluation.luck import adjust
from bromeliad.evaluation.play import max_actions
from bromeliad.games.ofc.dealer import PlayedHand
from bromeliad.games.ofc.luck import deal_luck, luck_room
from bromeliad.games.ofc.rules import RuleSet
from bromeliad.games.ofc.solo import Field
from bromeliad.games.ofc.spot import parse_spot

__all__ = ["MatchLuck", "adjust_match"]

_REFINED = 4  # placements of the street before the last that are valued exactly


class MatchLuck:
    """Measures the luck of hands under one rule set; of one thread."""

    def __init__(self, rules: RuleSet) -> None:
        self._root = parse_spot(rules, objective="solo").to_search_state()
        self._work = clone(self._root)
        self._room = luck_room(max_actions(self._root))
        self._rng = new_rng(0)
        self.streets = len(rules.streets)

    def measure(self, hand: PlayedHand, seed: int) -> NDArray[np.float64]:
        """Return the luck [seat, street] of a hand; nothing for fantasyland hands and first streets."""
        out = np.zeros((len(hand.fantasyland), self.streets))
        states = [clone(self._root) for _ in hand.fantasyland]
        undealt = CardSet.deck(hand.rules.jokers.count)
        for number, turn in enumerate(hand.turns):
            deal = CardSet.from_cards(turn.cards)
            if turn.street:
                state = states[turn.seat - 1]
                state.v[Field.DECK] = undealt.mask
                if turn.street > 1:
                    reseed(self._rng, seed, number)
                    out[turn.seat - 1, turn.street - 1] = deal_luck(
                        state, self._work, np.int64(deal.mask), _REFINED, self._room, self._rng
                    )
                apply(state, np.int64(deal.mask))
                apply(state, np.int64(turn.action.to_code()))
            undealt -= deal
        return out


def adjust_match(values: NDArray[np.float64], luck: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values [deck, player] less the luck [deck, player, street] behind them.

    A player's own luck is paid by every opponent, and each opponent's luck is paid by the player.
    """
    players = values.shape[1]
    columns = [_adjusted(values[:, player], luck, _weights(players, player)) for player in range(players)]
    return np.stack(columns, axis=1)


def _weights(players: int, player: int) -> list[float]:
    return [float(players - 1) if other == player else -1.0 for other in range(players)]


def _adjusted(values: NDArray[np.float64], luck: NDArray[np.float64], weights: Sequence[float]) -> NDArray[np.float64]:
    signed = luck * np.array(weights)[None, :, None]
    return adjust(values, signed.reshape(len(values), -1))
