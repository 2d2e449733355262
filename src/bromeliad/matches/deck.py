"""One deck of a match, played once in every seating: what a worker does."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.errors import InputError
from bromeliad.evaluation.hand_luck import CONTROLS, HandLuck, MeasuredHand
from bromeliad.games.ofc.play.dealer import PlayedHand, shuffled_deck
from bromeliad.games.ofc.play.history import HandRecord, record_of
from bromeliad.games.ofc.play.replay import replay
from bromeliad.games.ofc.play.table import Table, TableHand, strategy_seed
from bromeliad.games.ofc.rules.files import load_rules
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.matches.tally import Tally, TimedStrategy
from bromeliad.playing.strategies import STRATEGY_KERNELS, find_strategy

__all__ = ["KERNELS", "Deck", "Players", "Setting", "hands_of", "play_deck"]

KERNELS = (*STRATEGY_KERNELS, "bromeliad.games.ofc.luck.decisions")
"""What strategies may need, and the luck of hands."""

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


class Players:
    """What one worker plays with."""

    def __init__(self, setting: Setting) -> None:
        self.rules = load_rules(setting.rules_name)
        if self.rules != setting.rules:
            raise InputError("{name}: other rules where the work is done", name=setting.rules_name)
        self.strategies = [TimedStrategy(find_strategy(name, setting.rules_name)) for name in setting.names]
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
        strategy.restart_clock()
    deck = players.play_deck(number)
    tally = Tally(len(setting.names))
    tally.add(deck.hands)
    tally.add_time(players.strategies)
    return {
        "values": deck.values.tolist(),
        "luck": deck.luck.tolist(),
        "tally": tally.to_json(),
        "hands": [_plain(hand, setting.names) for hand in deck.hands] if setting.with_hands else [],
    }


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
