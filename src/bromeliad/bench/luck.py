"""Luck-adjusted results: whether they are unbiased, and how much smaller their error is, on many quick hands."""

import math
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.core.cards import Card, CardSet
from bromeliad.core.game import apply, clone
from bromeliad.core.jit import int64
from bromeliad.core.rng import new_rng
from bromeliad.evaluation import LEVELS
from bromeliad.evaluation.hand_luck import FantasylandHands, HandLuck, LuckResult, LuckTally, own_jokers
from bromeliad.evaluation.play import choose, max_actions
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.dealer import PlayedHand, Turn, schedule, shuffled_deck
from bromeliad.games.ofc.play.table import strategy_seed
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.rules.showdown import show_down
from bromeliad.games.ofc.spot import parse_spot
from bromeliad.games.ofc.values.hand_state import Field


class _Run(NamedTuple):
    levels: tuple[str, ...]
    hands: int
    carry: bool = False  # a player who earns fantasyland plays it in the next hand


_RUNS = (
    _Run(("exact", "exact"), 20_000),
    _Run(("exact", "guide"), 2_000),
    _Run(("guide", "random"), 2_000),
    _Run(("exact", "exact"), 2_000, carry=True),
    _Run(("exact", "exact", "exact"), 1_000),
    _Run(("exact",), 2_000),
)
_QUICK = 100  # divisor of the hands in a quick run


class QuickTable:
    """A table for levels of play, without the dealer's checks. A seat sees its own cards and the others' open cards."""

    def __init__(self, rules: RuleSet, levels: Sequence[str]) -> None:
        self._rules = rules
        self._levels = [LEVELS.index(level) for level in levels]
        self._root = parse_spot(rules, objective="solo").to_search_state()
        self._states = [clone(self._root) for _ in levels]
        self._actions, self._setter = max_actions(self._root), FantasylandHands(rules)

    def play(self, seating: Sequence[int], fantasyland: Sequence[int], seed: Sequence[int]) -> PlayedHand:
        """Play and return a hand; ``seating`` lists the players (from 0) by seat."""
        deck, rng = shuffled_deck(self._rules, seed), new_rng(strategy_seed(*seed))
        for state in self._states:
            state.v[:] = self._root.v
        turns, dealt = [], 0
        for seat, street in schedule(self._rules, fantasyland):
            size = self._rules.streets[street - 1].deal if street else fantasyland[seat - 1]
            cards = deck[dealt : dealt + size]
            dealt += size
            action = self._decide(seat - 1, seating, cards, rng) if street else self._set(seat - 1, cards)
            turns.append(Turn(seat, street, cards, action))
        boards = [PlayerArrangement.of(*(CardSet(int(mask)) for mask in self._rows(i))) for i in range(len(seating))]
        current = {seat: cards for seat, cards in enumerate(fantasyland) if cards}
        return PlayedHand(self._rules, tuple(fantasyland), tuple(turns), show_down(self._rules, boards, current))

    def _rows(self, seat: int) -> list[int]:
        return [int(mask) for mask in self._states[seat].v[Field.MASK : Field.MASK + 3]]

    def _decide(self, seat: int, seating: Sequence[int], cards: tuple[Card, ...], rng: np.ndarray) -> Action:
        """Return a seat's placement of the cards of one street."""
        state = self._states[seat]
        deck, deal = int(state.v[Field.DECK]), CardSet.from_cards(cards).mask
        shown = sum(sum(self._rows(other)) for other in range(len(seating)) if other != seat)
        state.v[Field.DECK] = deck & ~shown
        apply(state, int64(deal))
        code = choose(state, self._levels[seating[seat]], self._actions, rng)
        apply(state, code)
        state.v[Field.DECK] = deck & ~deal
        return Action.from_code(cards, int(code))

    def _set(self, seat: int, cards: tuple[Card, ...]) -> Action:
        """Return a seat's placement of a fantasyland hand."""
        hand = CardSet.from_cards(cards)
        rows, _ = self._setter.best(own_jokers(hand))
        self._states[seat].v[Field.MASK : Field.MASK + 3] = rows
        return Action.from_masks(*rows, hand.mask & ~sum(rows))


def _hands(
    rules: RuleSet, levels: Sequence[str], hands: int, seed: int, carry: bool
) -> Iterator[tuple[PlayedHand, int]]:
    """Yield hands, each with the seat (from 1) of the first player."""
    table, players = QuickTable(rules, levels), len(levels)
    fantasyland = [0] * players
    for number in range(hands):
        seating = [(number + seat) % players for seat in range(players)]
        hand = table.play(seating, [fantasyland[player] for player in seating], (seed, number))
        if carry:
            for player, cards in zip(seating, hand.next_fantasyland, strict=True):
                fantasyland[player] = cards
        yield hand, seating.index(0) + 1


def measure_luck(
    rules: RuleSet, levels: Sequence[str], hands: int, *, seed: int = 1, carry: bool = False
) -> tuple[LuckResult, float]:
    """Return the first player's result, and the milliseconds that it takes to measure the luck of a hand."""
    meter, tally, seconds = HandLuck(rules), LuckTally(), 0.0
    for number, (hand, seat) in enumerate(_hands(rules, levels, hands, seed, carry)):
        start = time.process_time()
        tally.add(meter.measure(hand, strategy_seed(seed, number, 1)), seat)
        seconds += time.process_time() - start if number else 0.0  # the first may compile
    return tally.result(), 1000.0 * seconds / max(hands - 1, 1)


@bench("luck", minutes=6)
def luck_bench(quick: bool, seed: int) -> list[Section]:
    """Play the hands, and compare results with and without luck."""
    rules = preset("pineapple")
    rows = [_row(rules, run, run.hands // (_QUICK if quick else 1), seed) for run in _RUNS]
    means = ("mean", "±", "without luck", "± without luck", "difference in s.e.", "times smaller error")
    columns = ("player", "against", "hands", *means, "ms per hand")
    notes = [
        f"{rules.name}, seed {seed}. As in a hand history, no deck is played twice. Levels of play are those of bench"
        " strength, but see the others' open cards. Reaching fantasyland counts as its worth.",
        "difference: mean without luck minus raw mean, in standard errors of the raw mean. ms per hand: processor time"
        " to measure the luck of one hand.",
    ]
    return [Section("Results without luck", columns, rows, notes)]


def _row(rules: RuleSet, run: _Run, hands: int, seed: int) -> tuple[object, ...]:
    result, milliseconds = measure_luck(rules, run.levels, hands, seed=seed, carry=run.carry)
    others = " and ".join(run.levels[1:]) or "nobody"
    against = f"{others}, fantasyland played out" if run.carry else others
    ratio = result.stderr / result.luck_adjusted_stderr if result.luck_adjusted_stderr else math.inf
    difference = (result.luck_adjusted_mean - result.mean) / result.stderr
    means = result.mean, result.stderr, result.luck_adjusted_mean, result.luck_adjusted_stderr
    return (run.levels[0], against, result.hands, *means, difference, ratio, milliseconds)
