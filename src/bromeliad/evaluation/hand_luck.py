"""The luck of the deals in a played hand, by seat, and results without it.

A seat's result is the sum of the hand's value before the deal, the luck of the deals, and the gains of all seats'
decisions. The gains are measured against a baseline (:mod:`bromeliad.games.ofc.luck.decisions`). The value before the
deal is 0 if all seats start equal; otherwise it is sampled. The rest is luck. Luck averages to zero for all players, so
results without it have the same expectation. See docs/luck.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import DECK_SIZE, Card, CardSet
from bromeliad.core.game import clone
from bromeliad.core.rng import new_rng
from bromeliad.evaluation.luck import Luck, adjust
from bromeliad.evaluation.play import max_actions
from bromeliad.evaluation.results import PlainResult, mean_and_error
from bromeliad.games.ofc.fantasyland.rows import Gains, Question, make_gains
from bromeliad.games.ofc.fantasyland.solve import make_question, no_boards, search_hand
from bromeliad.games.ofc.luck.decisions import DecisionScratch, decide, decision_scratch, decision_worth, start_worth
from bromeliad.games.ofc.play.dealer import PlayedHand, Turn
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.games.ofc.values.hand_state import Field
from bromeliad.games.ofc.values.learned import empty_learned

CONTROLS = 2  # measures of luck: by a baseline with the learned evaluation, and by one with promise tables
_SHARES = (1.0, 0.0)  # shares of each measure to subtract if there are too few hands to learn the shares
_ENDS = (128, 32)  # simulated ends of the hand per decision, by baseline
_START = 32  # fantasyland deals for the value before the deal if seats start differently
_START_ENDS = 64  # simulated ends for each of them
_HIDDEN = 8  # fantasyland deals per decision while some are still to come
_TURN = 20  # bits for the number of an end within a turn

Hand = NDArray[np.int64]  # [offset in Field]


class MeasuredHand(NamedTuple):
    """The value of a hand and its luck, by seat."""

    values: NDArray[np.float64]  # [seat] points, and the change in worth of fantasyland
    controls: NDArray[np.float64]  # [seat, control] measures of luck that all average to zero

    @property
    def luck(self) -> NDArray[np.float64]:
        """The luck of each seat, in points."""
        return self.controls[:, 0]


@dataclass(frozen=True)
class LuckResult(PlainResult):
    """The mean of some hands; errors are standard errors."""

    hands: int
    mean: float
    stderr: float
    luck_adjusted_mean: float  # the same expectation without the luck of the deals
    luck_adjusted_stderr: float


def hand_values(hand: PlayedHand) -> NDArray[np.float64]:
    """Return the value of a hand to each seat: its points, and the change in worth of fantasyland.

    Over successive hands the worths cancel out. The points of a player alone are royalties, or the cost of a foul.
    """
    worths = hand.rules.objective.fantasyland_worth
    gained = np.array([worths.get(cards, 0.0) for cards in hand.next_fantasyland]) - _held(hand)
    if len(gained) > 1:
        # every other seat pays for a seat's gain
        values: NDArray[np.float64] = np.array(hand.points) + (len(gained) * gained - gained.sum())
        return values
    (player,) = hand.showdown.players
    return gained + (-hand.rules.objective.foul_cost if player.fouled else player.royalties)


def _held(hand: PlayedHand) -> NDArray[np.float64]:
    """Return the worth of the fantasyland that each seat is in."""
    worths = hand.rules.objective.fantasyland_worth
    return np.array([worths.get(cards, 0.0) for cards in hand.fantasyland])


def adjust_by_luck(values: NDArray[np.float64], controls: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values minus their luck [value, control]; the expectation stays the same."""
    return adjust(values, controls, _SHARES)


class LuckTally:
    """Collects the hands of one player."""

    def __init__(self) -> None:
        self._values: list[float] = []
        self._controls: list[NDArray[np.float64]] = []

    def add(self, hand: MeasuredHand, seat: int) -> None:
        """Add a hand that the player played in a seat (from 1)."""
        self._values.append(float(hand.values[seat - 1]))
        self._controls.append(hand.controls[seat - 1])

    def result(self) -> LuckResult:
        """Return the mean with and without luck; there must be a hand."""
        values = np.array(self._values)
        adjusted = adjust_by_luck(values, np.stack(self._controls))
        return LuckResult(len(values), *mean_and_error(values), *mean_and_error(adjusted))


# --- the table: hands of all seats, and fantasyland hands still to be dealt -------------------------------------------


class FantasylandHands:
    """Finds the best boards of fantasyland hands, by royalties and the stay."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self._known: dict[int, tuple[Question, Gains]] = {}

    def best(self, hand: CardSet) -> tuple[tuple[int, int, int], float]:
        """Return the rows of the best board as masks, and its value."""
        if hand.size not in self._known:
            cards = " ".join(str(Card(card)) for card in range(hand.size))  # any cards: only their number matters
            spot = parse_spot(self.rules, cards=cards, objective="solo", fantasyland=True)
            question = make_question(spot)
            self._known[hand.size] = question, make_gains(question)
        found = no_boards(1)
        search_hand(*self._known[hand.size], hand, found)
        top, middle, back = (int(mask) for mask in found.boards[found.slot[0]])
        return (top, middle, back), float(found.value[0])


def own_jokers(cards: CardSet) -> CardSet:
    """Return a hand whose only joker, if any, is the first one."""
    return CardSet(cards.mask ^ 3 << DECK_SIZE) if cards.mask >> DECK_SIZE == 2 else cards


class _Dealt(NamedTuple):
    """One deal of the hidden fantasyland hands."""

    hands: list[CardSet]
    left: int  # the remaining cards as a mask


def _fantasyland_deals(deck: CardSet, sizes: Sequence[int], count: int, seed: int) -> Iterator[_Dealt]:
    """Yield random deals of hands of these sizes from a deck; they depend on the seed and the size of the deck."""
    rng = np.random.default_rng([seed, deck.size])
    cards = deck.to_list()
    ends = np.cumsum(sizes)
    for _ in range(count):
        order = [cards[place] for place in rng.permutation(len(cards))]
        hands = [CardSet.from_cards(order[end - size : end]) for size, end in zip(sizes, ends, strict=True)]
        yield _Dealt([own_jokers(hand) for hand in hands], CardSet.from_cards(order[ends[-1] :]).mask)


class _Table:
    """The hands of all seats, turn by turn; seats count from 0 here."""

    def __init__(self, begin: Hand, fantasyland: Sequence[int], setter: FantasylandHands, seed: int) -> None:
        rules = setter.rules
        self.hands = np.stack([begin] * len(fantasyland))
        self._waiting = {seat: cards for seat, cards in enumerate(fantasyland) if cards}  # fantasyland hands to come
        self._undealt = CardSet.deck(rules.jokers.count)
        self._streets = len(rules.streets)
        self._setter = setter
        self._seed = seed

    def deal(self, turn: Turn) -> None:
        """Take the cards of a turn from the deck."""
        self._undealt -= CardSet.from_cards(turn.cards)
        self._waiting.pop(turn.seat - 1, None)

    def finished(self, rows: Sequence[int], cards: int) -> Hand:
        """Return a finished fantasyland hand with these rows."""
        hand = np.zeros(Field.SIZE, np.int64)
        hand[Field.MASK : Field.MASK + 3] = rows
        hand[Field.STREET], hand[Field.FANTASYLAND] = self._streets, cards
        return hand

    def set_fantasyland(self, turn: Turn) -> NDArray[np.int64]:
        """Return a fantasyland hand as it was set, and with its best board."""
        rows = [CardSet.from_cards(row).mask for row in (turn.action.top, turn.action.middle, turn.action.back)]
        deal = CardSet.from_cards(turn.cards)
        if own_jokers(deal) != deal:
            rows = [own_jokers(CardSet(mask)).mask for mask in rows]
        best, _ = self._setter.best(own_jokers(deal))
        return np.stack([self.finished(rows, deal.size), self.finished(best, deal.size)])

    def is_open(self, seat: int, after: Hand) -> bool:
        """Return whether cards are still to come when a seat's hand is ``after``."""
        streets = [hand[Field.STREET] for other, hand in enumerate(self.hands) if other != seat]
        return bool(self._waiting) or min(*streets, after[Field.STREET]) < self._streets

    def variants(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return hands [variant, seat, offset in Field] and undealt cards [variant].

        There are ``count`` variants while fantasyland hands are still to come, otherwise one.
        """
        if not self._waiting:
            return self.hands[None], np.array([self._undealt.mask], np.int64)
        tables, undealt = np.stack([self.hands] * count), np.zeros(count, np.int64)
        for i, dealt in enumerate(_fantasyland_deals(self._undealt, [*self._waiting.values()], count, self._seed)):
            undealt[i] = dealt.left
            for seat, hand in zip(self._waiting, dealt.hands, strict=True):
                tables[i, seat] = self.finished(self._setter.best(hand)[0], hand.size)
        return tables, undealt


# --- the measure ------------------------------------------------------------------------------------------------------


class HandLuck:
    """Measures the luck of hands under one rule set; not thread-safe."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self._root = parse_spot(rules, objective="solo").to_search_state()
        self._baselines = [clone(self._root)]
        if self._root.learned.weights.size:
            self._baselines.append(clone(self._root)._replace(learned=empty_learned()))
        self._setter = FantasylandHands(rules)
        self._actions, self._rng = max_actions(self._root), new_rng(0)

    def measure(self, hand: PlayedHand, seed: int) -> MeasuredHand:
        """Return the value of a hand and its luck; samples depend only on the seed and the hand."""
        values = hand_values(hand)
        controls = np.zeros((len(values), CONTROLS))
        if len(values) == 1:
            controls[0, 0] = self._luck_alone(hand, seed)
            return MeasuredHand(values, controls)
        table = _Table(self._root.v, hand.fantasyland, self._setter, seed)
        scratch = decision_scratch(self._actions, len(self.rules.streets), len(values))
        explained = self._start(hand, table, scratch, seed)
        for number, turn in enumerate(hand.turns, start=1):
            table.deal(turn)
            for control, worth in enumerate(explained):
                after = self._after(control, table, turn, scratch)
                if (after[0] != after[1]).any():
                    self._add_worth(control, table, turn.seat - 1, after, scratch, seed, number << _TURN, worth)
            table.hands[turn.seat - 1] = after[0]
        controls[:, : len(explained)] = (values - explained).T
        return MeasuredHand(values, controls)

    def _start(self, hand: PlayedHand, table: _Table, scratch: DecisionScratch, seed: int) -> NDArray[np.float64]:
        """Return the value [baseline, seat] of the hand before the deal: 0 if all seats start equal."""
        worth = np.zeros((len(self._baselines), len(hand.fantasyland)))
        if len(set(hand.fantasyland)) > 1:
            held = _held(hand)
            tables, undealt = table.variants(_START)
            for baseline, out in zip(self._baselines, worth, strict=True):
                start_worth(baseline, tables, undealt, _START_ENDS, seed, 0, scratch, self._rng, out)
                out -= len(held) * held - held.sum()
        return worth

    def _after(self, control: int, table: _Table, turn: Turn, scratch: DecisionScratch) -> NDArray[np.int64]:
        """Return a seat's hand after its decision, and after the baseline's decision."""
        if turn.street == 0:
            return table.set_fantasyland(turn)
        after, state = np.zeros((2, Field.SIZE), np.int64), self._baselines[control]
        state.v[:] = table.hands[turn.seat - 1]
        deal = CardSet.from_cards(turn.cards).mask
        decide(state, deal, turn.action.to_code(), scratch, after)
        return after

    def _add_worth(
        self,
        control: int,
        table: _Table,
        seat: int,
        after: NDArray[np.int64],
        scratch: DecisionScratch,
        seed: int,
        first: int,
        worth: NDArray[np.float64],
    ) -> None:
        """Add the gain of a decision for every seat."""
        ends = _ENDS[control] if table.is_open(seat, after[0]) else 1
        tables, undealt = table.variants(_HIDDEN)
        state = self._baselines[control]
        decision_worth(state, tables, undealt, seat, after, ends, seed, first, scratch, self._rng, worth)

    def _luck_alone(self, hand: PlayedHand, seed: int) -> float:
        """Return the luck of a hand without opponents: the best value of each deal minus the mean of all deals."""
        if hand.fantasyland[0]:
            deal = CardSet.from_cards(hand.turns[0].cards)
            sample = _fantasyland_deals(CardSet.deck(self.rules.jokers.count), [deal.size], _START, seed)
            mean = np.mean([self._setter.best(dealt.hands[0])[1] for dealt in sample])
            return self._setter.best(own_jokers(deal))[1] - float(mean)
        deals = np.array([[CardSet.from_cards(turn.cards).mask for turn in hand.turns]], np.int64)
        codes = np.array([[turn.action.to_code() for turn in hand.turns]], np.int64)
        return float(self._alone.measure(deals, codes, seed).sum())

    @cached_property
    def _alone(self) -> Luck:
        return Luck(self._root, "greedy", 0)
