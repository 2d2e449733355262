"""One deck of an OFC match, played once in every seating: what a worker does."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.errors import InputError
from bromeliad.evaluation.hand_luck import CONTROLS, HandLuck, MeasuredHand
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.dealer import PlayedHand, shuffled_deck
from bromeliad.games.ofc.play.history import HandRecord, record_of
from bromeliad.games.ofc.play.replay import replay
from bromeliad.games.ofc.play.seat import SeatView
from bromeliad.games.ofc.play.strategies import AIStrategy
from bromeliad.games.ofc.play.table import Table, TableHand, strategy_seed
from bromeliad.games.ofc.rules.files import load_rules
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.rules.showdown import Showdown
from bromeliad.playing.strategies import STRATEGY_KERNELS, find_strategy

__all__ = ["KERNELS", "Counts", "Deck", "Players", "Setting", "hands_of", "play_deck"]

KERNELS = (*STRATEGY_KERNELS, "bromeliad.games.ofc.luck.decisions")
"""What strategies may need, and the luck of hands."""

Counts = Counter[str]
"""What happened to one player: hands, fouls, fantasylands, scoops, decisions and the time that they took."""

_LONGEST = 1000  # hands that follow from one, at most, where fantasyland is played out


class Setting(NamedTuple):
    """What all decks of a match have in common."""

    match: str  # told apart from every other one: players are kept while they play the same match
    names: tuple[str, ...]
    rules_name: str
    rules: RuleSet
    seed: int
    carry: bool
    with_hands: bool  # whether somebody wants to see them


class Deck(NamedTuple):
    """One deck, played once in every seating."""

    hands: list[TableHand]
    values: NDArray[np.float64]  # [player], the mean over the seatings
    luck: NDArray[np.float64]  # [player, control], likewise


class _Timed(AIStrategy):
    """A strategy whose decisions are counted and timed."""

    def __init__(self, strategy: AIStrategy) -> None:
        super().__init__()
        self.strategy = strategy
        self.counts: Counts = Counter()

    def begin_hand(self, seed: int) -> None:
        self.strategy.begin_hand(seed)

    def decide_placement(self, view: SeatView) -> Action:
        start = time.perf_counter_ns()
        action = self.strategy.decide_placement(view)
        self.counts.update(nanoseconds=time.perf_counter_ns() - start, decisions=1)
        return action

    def choose_action(self, view: SeatView, actions: Sequence[Action]) -> Action:
        return self.strategy.choose_action(view, actions)

    def evaluate_state(self, view: SeatView) -> float:
        return self.strategy.evaluate_state(view)


class Players:
    """What one worker plays with."""

    def __init__(self, setting: Setting) -> None:
        self.rules = load_rules(setting.rules_name)
        if self.rules != setting.rules:
            raise InputError("{name}: other rules where the work is done", name=setting.rules_name)
        self.strategies = [_Timed(find_strategy(name, setting.rules_name)) for name in setting.names]
        self._luck = HandLuck(self.rules)
        self._seed = setting.seed
        self._carry = setting.carry

    def play_deck(self, deck: int) -> Deck:
        """Play a deck once for each seating."""
        players = len(self.strategies)
        hands: list[TableHand] = []
        values, luck = np.zeros(players), np.zeros((players, CONTROLS))
        for rotation in range(players):
            for played in self._play(deck, rotation):
                hands.append(played)
                # whichever the seating: equal hands have equal luck
                measured = self._luck.measure(played.hand, strategy_seed(self._seed, deck, played.number))
                values += self._value(played.hand, measured)[np.argsort(played.seating)]
                luck += measured.controls[np.argsort(played.seating)]
        return Deck(hands, values / players, luck / players)

    def _play(self, deck: int, rotation: int) -> Iterator[TableHand]:
        """Play a hand and, where fantasyland is played out, those that follow from it."""
        players = len(self.strategies)
        button = (-rotation - 1) % players
        table = Table(self.rules, self.strategies, seed=strategy_seed(self._seed, deck), button=button)
        for number in range(_LONGEST):
            yield table.play_hand(shuffled_deck(self.rules, (self._seed, deck, number)))
            if not self._carry or not any(table.fantasyland):
                return

    def _value(self, hand: PlayedHand, measured: MeasuredHand) -> NDArray[np.float64]:
        """Return by seats what a hand is worth: its points, and the fantasyland that it leads to if not played out."""
        return np.array(hand.points, float) if self._carry else measured.values


@lru_cache(maxsize=1)
def _players(setting: Setting) -> Players:
    return Players(setting)


def play_deck(item: tuple[Setting, int]) -> dict[str, Any]:
    """Play a deck, given by its number, and return what came of it as plain data."""
    setting, number = item
    players = _players(setting)
    for strategy in players.strategies:
        strategy.counts.clear()
    deck = players.play_deck(number)
    counts = [strategy.counts.copy() for strategy in players.strategies]
    for played in deck.hands:
        for seat, player in enumerate(played.seating):
            _count(counts[player], played, seat)
    return {
        "values": deck.values.tolist(),
        "luck": deck.luck.tolist(),
        "counts": counts,
        "hands": [_plain(hand, setting.names) for hand in deck.hands] if setting.with_hands else [],
    }


def _count(counts: Counts, played: TableHand, seat: int) -> None:
    """Count what happened to one seat in a hand."""
    hand, showdown = played.hand, played.hand.showdown
    result = showdown.players[seat]
    kind = "fantasyland" if hand.fantasyland[seat] else "normal"
    others = [other for other in range(len(showdown.players)) if other != seat]
    counts.update(
        {
            kind: 1,
            f"{kind} to fantasyland": int(result.fantasyland > 0),
            "fouls": int(result.fouled),
            "royalties": result.royalties,
            "opponents": len(others),
            "scoops": sum(_scoops(showdown, seat, other) for other in others),
            "scooped": sum(_scoops(showdown, other, seat) for other in others),
        }
    )


def _scoops(showdown: Showdown, one: int, two: int) -> bool:
    """Say whether one seat wins all rows from another."""
    settlement = showdown.settlements[one][two]
    return settlement is not None and all(points > 0 for points in settlement.rows)


def _plain(played: TableHand, names: tuple[str, ...]) -> dict[str, Any]:
    record = record_of(played, names).model_dump(mode="json", exclude_none=True)
    return {"number": played.number, "seating": played.seating, "record": record}


def hands_of(result: dict[str, Any]) -> list[TableHand]:
    """Return the hands of a deck that was played elsewhere."""
    hands = []
    for data in result["hands"]:
        hand = replay(HandRecord.model_validate(data["record"]))
        hands.append(TableHand(data["number"], tuple(data["seating"]), hand, hand.points, None))
    return hands
