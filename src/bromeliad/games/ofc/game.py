"""Open-face Chinese poker as a game for the search: one player's hand."""

import numpy as np

from bromeliad.core.cards import DECK_SIZE, JOKERS, CardSet, format_cards, parse_cards
from bromeliad.core.game import CHANCE, TERMINAL, GameInfo, legal_actions, play_randomly, to_play
from bromeliad.core.rng import Rng, below
from bromeliad.errors import CardError, PositionError
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.hands.placements import Action, count_placements
from bromeliad.games.ofc.rules.files import preset, preset_names
from bromeliad.games.ofc.rules.rule_set import ROW_SIZES, RuleSet
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.games.ofc.values import heuristics  # noqa: F401 -- registers this game's functions for the search
from bromeliad.games.ofc.values.hand_state import Field, HandState

_JOKERS = CardSet.deck(JOKERS) - CardSet.deck()


class OfcGame:
    """The game of one player under one rule set."""

    def __init__(self, rules: RuleSet | None = None) -> None:
        self.rules = rules or preset(preset_names()[0])

    @property
    def info(self) -> GameInfo:
        """The fixed numbers of the game."""
        streets = self.rules.streets
        most = max(count_placements(street.deal, *ROW_SIZES, street.place) for street in streets)
        return GameInfo("ofc", 1, most, 2 * len(streets), zero_sum=False)

    def new_state(self) -> HandState:
        """Return the state before the first deal."""
        return parse_spot(self.rules).to_search_state()

    def random_state(self, rng: Rng) -> HandState:
        """Return a state from the middle of a random hand."""
        state = self.new_state()
        play_randomly(state, self._buffer(), rng, below(rng, self.info.max_length))
        return state

    def action_to_string(self, state: HandState, action: int) -> str:
        """Return a placement as ``top / middle / back (discards)``, a deal as its cards."""
        if to_play(state) == CHANCE:
            return str(CardSet(int(action)))
        return str(Action.from_code(_hand(state), int(action)))

    def action_from_string(self, state: HandState, text: str) -> int:
        """Read a placement, ``top / middle / back (discards)``, or a deal. Cards that are not named are discarded."""
        mover = to_play(state)
        if mover == TERMINAL:
            raise PositionError("the hand is over: there is nothing to deal or to place")
        if mover == CHANCE:
            return self._read_deal(state, text)
        action = _read_placement(_hand(state), text).to_code()
        actions = self._buffer()
        if action not in actions[: legal_actions(state, actions)]:
            raise PositionError("{action} is not a legal placement here", action=text.strip()[:80])
        return action

    def _read_deal(self, state: HandState, text: str) -> int:
        deck = CardSet(int(state.v[Field.DECK]))
        cards = parse_cards(text, _absent_jokers(deck))
        absent = CardSet.from_cards(cards) - deck
        if absent:
            raise PositionError("not in the deck any more: {cards}", cards=format_cards(absent))
        street = int(state.v[Field.STREET])
        deal = int(state.streets[2 * street])
        if len(cards) != deal:
            raise PositionError(
                "street {street} deals {deal} cards, not {count}: {cards}",
                street=street + 1,
                deal=deal,
                count=len(cards),
                cards=format_cards(cards[:8]),
            )
        return CardSet.from_cards(cards).mask

    def _buffer(self) -> np.ndarray:
        return np.zeros(self.info.max_actions, np.int64)


def _hand(state: HandState) -> CardSet:
    return CardSet(int(state.v[Field.HAND]))


def _absent_jokers(cards: CardSet) -> CardSet:
    """Return the jokers that ``Jk`` cannot be: those missing from the cards, or none if the cards have no joker."""
    return _JOKERS - cards if cards.mask >> DECK_SIZE else CardSet()


def _read_placement(hand: CardSet, text: str) -> Action:
    rows, bracket, rest = text.partition("(")
    board = PlayerArrangement.parse(rows, _absent_jokers(hand))
    if board.cards - hand:
        raise PositionError("not in hand: {cards}", cards=format_cards(board.cards - hand))
    discards = hand - board.cards
    if bracket and _read_discards(rest, board.cards, hand) != discards:
        raise PositionError("every card that is not placed is discarded: write ({cards})", cards=format_cards(discards))
    return Action(board.front.cards, board.middle.cards, board.back.cards, tuple(discards))


def _read_discards(text: str, placed: CardSet, hand: CardSet) -> CardSet:
    inside, closing, after = text.partition(")")
    if not closing or after.strip():
        raise CardError("write the discards in brackets after the rows, like (2c)")
    return CardSet.from_cards(parse_cards(inside, placed | _absent_jokers(hand)))
