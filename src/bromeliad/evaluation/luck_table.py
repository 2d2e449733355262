"""A table as the luck of a hand sees it: what every seat has, and fantasyland hands that may still be dealt."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import DECK_SIZE, Card, CardSet
from bromeliad.games.ofc.fantasyland.rows import Gains, Question, make_gains
from bromeliad.games.ofc.fantasyland.solve import make_question, no_boards, search_hand
from bromeliad.games.ofc.play.dealer import Turn
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.games.ofc.values.hand_state import Field

__all__ = ["FantasylandHands", "LuckTable", "fantasyland_deals", "own_jokers"]

Hand = NDArray[np.int64]  # [offset in Field]


class FantasylandHands:
    """Sets fantasyland hands best for royalties and the stay."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self._known: dict[int, tuple[Question, Gains]] = {}

    def best(self, hand: CardSet) -> tuple[tuple[int, int, int], float]:
        """Return the rows of the best board as masks, and its value."""
        if hand.size not in self._known:
            cards = " ".join(str(Card(card)) for card in range(hand.size))  # any cards: their number matters
            spot = parse_spot(self.rules, cards=cards, objective="solo", fantasyland=True)
            question = make_question(spot)
            self._known[hand.size] = question, make_gains(question)
        found = no_boards(1)
        search_hand(*self._known[hand.size], hand, found)
        top, middle, back = (int(mask) for mask in found.boards[found.slot[0]])
        return (top, middle, back), float(found.value[0])


def own_jokers(cards: CardSet) -> CardSet:
    """Return a whole hand with its only joker numbered as the first."""
    return CardSet(cards.mask ^ 3 << DECK_SIZE) if cards.mask >> DECK_SIZE == 2 else cards


class _Dealt(NamedTuple):
    """One way to deal what is hidden."""

    hands: list[CardSet]
    left: int  # the cards that nobody has then, as a mask


def fantasyland_deals(deck: CardSet, sizes: Sequence[int], count: int, seed: int) -> Iterator[_Dealt]:
    """Yield ways to deal hands of these sizes from a deck; they depend on the seed and the size of the deck."""
    rng = np.random.default_rng([seed, deck.size])
    cards = deck.to_list()
    ends = np.cumsum(sizes)
    for _ in range(count):
        order = [cards[place] for place in rng.permutation(len(cards))]
        hands = [CardSet.from_cards(order[end - size : end]) for size, end in zip(sizes, ends, strict=True)]
        yield _Dealt([own_jokers(hand) for hand in hands], CardSet.from_cards(order[ends[-1] :]).mask)


class LuckTable:
    """The hands of all seats, turn by turn; seats are counted from 0 here."""

    def __init__(self, begin: Hand, fantasyland: Sequence[int], setter: FantasylandHands, seed: int) -> None:
        rules = setter.rules
        self.hands = np.stack([begin] * len(fantasyland))
        self._waiting = {seat: cards for seat, cards in enumerate(fantasyland) if cards}  # for their fantasyland
        self._undealt = CardSet.deck(rules.jokers.count)
        self._streets = len(rules.streets)
        self._setter = setter
        self._seed = seed

    def deal(self, turn: Turn) -> None:
        """Take the cards of a turn from the deck."""
        self._undealt -= CardSet.from_cards(turn.cards)
        self._waiting.pop(turn.seat - 1, None)

    def finished(self, rows: Sequence[int], cards: int) -> Hand:
        """Return a fantasyland hand of so many cards that was set so."""
        hand = np.zeros(Field.SIZE, np.int64)
        hand[Field.MASK : Field.MASK + 3] = rows
        hand[Field.STREET], hand[Field.FANTASYLAND] = self._streets, cards
        return hand

    def set_fantasyland(self, turn: Turn) -> NDArray[np.int64]:
        """Return a fantasyland hand as it was set, and as it is set best."""
        rows = [CardSet.from_cards(row).mask for row in (turn.action.top, turn.action.middle, turn.action.back)]
        deal = CardSet.from_cards(turn.cards)
        if own_jokers(deal) != deal:
            rows = [own_jokers(CardSet(mask)).mask for mask in rows]
        best, _ = self._setter.best(own_jokers(deal))
        return np.stack([self.finished(rows, deal.size), self.finished(best, deal.size)])

    def is_open(self, seat: int, after: Hand) -> bool:
        """Say whether cards are still to come, a seat's hand being so."""
        streets = [hand[Field.STREET] for other, hand in enumerate(self.hands) if other != seat]
        return bool(self._waiting) or min(*streets, after[Field.STREET]) < self._streets

    def variants(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return [variant, seat, offset in Field] hands and [variant] undealt cards: several where some are hidden."""
        if not self._waiting:
            return self.hands[None], np.array([self._undealt.mask], np.int64)
        tables, undealt = np.stack([self.hands] * count), np.zeros(count, np.int64)
        for i, dealt in enumerate(fantasyland_deals(self._undealt, [*self._waiting.values()], count, self._seed)):
            undealt[i] = dealt.left
            for seat, hand in zip(self._waiting, dealt.hands, strict=True):
                tables[i, seat] = self.finished(self._setter.best(hand)[0], hand.size)
        return tables, undealt
