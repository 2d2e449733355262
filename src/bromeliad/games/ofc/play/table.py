"""Several hands at one table: the button, fantasyland from hand to hand, and stacks.

Players sit in a circle in the given order. The player left of the button acts first, the button last. The button moves
on after every hand; if somebody stayed in fantasyland, only if the rule set has ``fantasyland.button_moves_on_stay``.

With stacks, nobody loses more chips than they have. Pairs of seats are settled one after the other (1 and 2, 1 and 3,
..., 2 and 3, ...), and the payer of each pair pays at most the chips that they have at that moment, including what
they won from earlier pairs. The sum of all stacks never changes. The game is over once a stack is empty.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bromeliad.core.cards import Card
from bromeliad.errors import PhaseError, PositionError
from bromeliad.games.ofc.play.dealer import OnTurn, PlayedHand, play_hand, shuffled_deck
from bromeliad.games.ofc.play.strategies import AIStrategy
from bromeliad.games.ofc.rules.legality import verify_hand
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.rules.showdown import Showdown
from bromeliad.logs import log_event


@dataclass(frozen=True)
class TableHand:
    """A hand played at a table; player ``seating[i]`` (from 0) had seat ``i + 1``."""

    number: int  # from 1
    seating: tuple[int, ...]
    hand: PlayedHand
    chips: tuple[int, ...]  # won or lost by seats: the points, unless a stack was too small
    stacks: tuple[int, ...] | None  # by seats, before the hand

    def by_player(self, values: Sequence[int]) -> tuple[int, ...]:
        """Reorder values from the order of seats to the order of players."""
        out = [0] * len(values)
        for player, value in zip(self.seating, values, strict=True):
            out[player] = value
        return tuple(out)


def strategy_seed(*parts: int) -> int:
    """Return a strategy's seed, from the numbers that identify its hand and seat."""
    return int(np.random.SeedSequence(parts).generate_state(1, np.uint64)[0] >> 1)


def pay(showdown: Showdown, stacks: Sequence[int]) -> tuple[int, ...]:
    """Return the chips that each seat wins or loses; no seat loses more than its stack."""
    return pay_owed([[pair.total if pair else 0 for pair in row] for row in showdown.settlements], stacks)


def pay_owed(owed_by: Sequence[Sequence[int]], stacks: Sequence[int]) -> tuple[int, ...]:
    """Return the chips as in :func:`pay`; seat ``one`` wins ``owed_by[one][two]`` points from seat ``two``."""
    now = list(stacks)
    for one in range(len(now)):
        for two in range(one + 1, len(now)):
            owed = int(owed_by[one][two])
            paid = min(owed, now[two]) if owed > 0 else -min(-owed, now[one])
            now[one] += paid
            now[two] -= paid
    return tuple(after - before for after, before in zip(now, stacks, strict=True))


class Table:
    """Plays hands one after the other.

    Parameters
    ----------
    strategies
        The players, clockwise.
    seed
        Seed of the decks and of the strategies.
    stacks
        Each player's chips at the start; None to play for points without a limit.
    button
        The player (from 0) with the button in the first hand; by default the last, so that the first acts first.
    """

    def __init__(
        self,
        rules: RuleSet,
        strategies: Sequence[AIStrategy],
        *,
        seed: int = 1,
        stacks: Sequence[int] | None = None,
        button: int | None = None,
    ) -> None:
        verify_hand(rules, len(strategies), 0)
        if stacks is not None and (len(stacks) != len(strategies) or min(stacks) < 1):
            raise PositionError("give each of the {count} players a stack of at least 1", count=len(strategies))
        self.rules = rules
        self.strategies = tuple(strategies)
        self.seed = seed
        self.button = len(strategies) - 1 if button is None else button
        self.fantasyland = [0] * len(strategies)
        self.stacks = None if stacks is None else list(stacks)
        self.scores = [0] * len(strategies)
        self.hands = 0

    @property
    def is_over(self) -> bool:
        """Whether somebody has no chips left."""
        return self.stacks is not None and min(self.stacks) == 0

    @property
    def seating(self) -> tuple[int, ...]:
        """The players in the order of their seats: left of the button first."""
        players = len(self.strategies)
        return tuple((self.button + 1 + i) % players for i in range(players))

    def play_hand(self, deck: Sequence[Card] | None = None, on_turn: OnTurn = lambda turn, dealer: None) -> TableHand:
        """Play and settle the next hand; by default the deck comes from the table's seed."""
        seating = self.begin_hand()
        hand = play_hand(
            self.rules,
            [self.strategies[player] for player in seating],
            deck or self.next_deck(),
            [self.fantasyland[player] for player in seating],
            on_turn,
        )
        return self.book(hand, seating)

    def begin_hand(self) -> tuple[int, ...]:
        """Notify the strategies of the next hand; return the players in the order of their seats."""
        if self.is_over:
            raise PhaseError("a player has no chips left: the game is over")
        for seat, player in enumerate(self.seating):
            self.strategies[player].begin_hand(strategy_seed(self.seed, self.hands, seat))
        return self.seating

    def next_deck(self) -> tuple[Card, ...]:
        """Return the deck of the next hand, from the table's seed."""
        return shuffled_deck(self.rules, (self.seed, self.hands))

    def book(self, hand: PlayedHand, seating: tuple[int, ...]) -> TableHand:
        """Settle a hand played in these seats, prepare the next one, and return the settled hand."""
        stacks = None if self.stacks is None else tuple(self.stacks[player] for player in seating)
        chips = hand.points if stacks is None else pay(hand.showdown, stacks)
        self.hands += 1
        log_event("hand played", rules=self.rules.name, number=self.hands, seating=seating, points=hand.points)
        for seat, player in enumerate(seating):
            self.scores[player] += chips[seat]
            self.fantasyland[player] = hand.next_fantasyland[seat]
            if self.stacks is not None:
                self.stacks[player] += chips[seat]
        stayed = any(now and then for now, then in zip(hand.fantasyland, hand.next_fantasyland, strict=True))
        if not stayed or self.rules.fantasyland.button_moves_on_stay:
            self.button = (self.button + 1) % len(self.strategies)
        return TableHand(self.hands, seating, hand, chips, stacks)
