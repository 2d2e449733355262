"""Open-face Chinese poker as a registered game: one player's hand against the deck."""

import numpy as np

from bromeliad.core.cards import CardSet, parse_cards
from bromeliad.core.game import CHANCE, GameInfo, legal_actions, play_randomly, to_play
from bromeliad.core.rng import Rng, below
from bromeliad.errors import PositionError
from bromeliad.games.ofc.arrangement import PlayerArrangement
from bromeliad.games.ofc.moves import MAX_STREET_ACTIONS, Action
from bromeliad.games.ofc.rulefiles import preset, preset_names
from bromeliad.games.ofc.rules import RuleSet
from bromeliad.games.ofc.solo import Field, SoloState
from bromeliad.games.ofc.spot import parse_spot

__all__ = ["OfcGame"]


class OfcGame:
    """The game of one player under a rule set."""

    def __init__(self, rules: RuleSet | None = None) -> None:
        self.rules = rules or preset(preset_names()[0])

    @property
    def info(self) -> GameInfo:
        """The fixed numbers of the game."""
        return GameInfo("ofc", 1, MAX_STREET_ACTIONS, 2 * len(self.rules.streets), zero_sum=False)

    def new_state(self) -> SoloState:
        """Return the state before the first deal."""
        return parse_spot(self.rules).to_state()

    def random_state(self, rng: Rng) -> SoloState:
        """Return a state from the middle of a random hand."""
        state = self.new_state()
        actions = np.zeros(MAX_STREET_ACTIONS, np.int64)
        play_randomly(state, actions, rng, below(rng, self.info.max_length))
        return state

    def action_to_string(self, state: SoloState, action: int) -> str:
        """Write a placement as ``top / middle / back (discards)``, a deal as its cards."""
        if to_play(state) == CHANCE:
            return str(CardSet(action))
        return str(Action.from_code(_hand(state), action))

    def action_from_string(self, state: SoloState, text: str) -> int:
        """Read a placement, ``top / middle / back``, or a deal; cards that are not named are discarded."""
        if to_play(state) == CHANCE:
            return CardSet.from_cards(parse_cards(text)).mask
        rows = PlayerArrangement.parse(text.partition("(")[0])
        hand = _hand(state)
        named = rows.cards
        if named - hand:
            raise PositionError("not in hand: {cards}", cards=str(named - hand))
        action = Action(rows.front.cards, rows.middle.cards, rows.back.cards, tuple(hand - named)).to_code()
        actions = np.zeros(MAX_STREET_ACTIONS, np.int64)
        if action not in actions[: legal_actions(state, actions)]:
            raise PositionError("{action} is not a legal placement here", action=text.strip())
        return action


def _hand(state: SoloState) -> CardSet:
    return CardSet(int(state.v[Field.HAND]))
