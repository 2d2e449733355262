"""One deck of an OFC match, played once in every seating: the work of one worker."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.errors import InputError
from bromeliad.evaluation.hand_luck import CONTROLS, HandLuck
from bromeliad.games.ofc.hands.placements import Action
from bromeliad.games.ofc.play.dealer import shuffled_deck
from bromeliad.games.ofc.play.history import HandRecord, record_of
from bromeliad.games.ofc.play.replay import replay
from bromeliad.games.ofc.play.seat import SeatView
from bromeliad.games.ofc.play.strategies import AIStrategy
from bromeliad.games.ofc.play.table import Table, TableHand, strategy_seed
from bromeliad.games.ofc.rules.files import load_rules
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.rules.showdown import Showdown
from bromeliad.matches.ofc_engine import DEFAULT_SECONDS, PROBLEMS, EngineStrategy, HandGivenUpError, find_player
from bromeliad.playing.strategies import STRATEGY_KERNELS

KERNELS = (*STRATEGY_KERNELS, "bromeliad.games.ofc.luck.decisions")
"""The modules whose kernels a deck needs: those of strategies and of luck."""

Counts = Counter[str]
"""Events of one player: hands, fouls, fantasylands, scoops, decisions and their time."""

_LONGEST = 1000  # most hands of a round if fantasyland is played out


class Setting(NamedTuple):
    """The settings of all decks of a match."""

    match: str  # unique id: a worker keeps its players while the match is the same
    names: tuple[str, ...]
    rules_name: str
    rules: RuleSet
    seed: int
    carry: bool
    with_hands: bool  # whether results contain the hands
    engine_seconds: float = DEFAULT_SECONDS  # time limit of an engine per placement


class Deck(NamedTuple):
    """One deck, played once in every seating."""

    hands: list[TableHand]
    values: NDArray[np.float64]  # [player] mean over the seatings
    luck: NDArray[np.float64]  # [player, control] mean over the seatings


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
    """The players of one worker."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self.rules = load_rules(setting.rules_name)
        if self.rules != setting.rules:
            raise InputError("{name}: the worker has other rules: install the same there", name=setting.rules_name)
        self.strategies = [
            _Timed(find_player(name, setting.rules_name, setting.engine_seconds)) for name in setting.names
        ]
        self._luck = HandLuck(self.rules)

    @property
    def engines(self) -> list[EngineStrategy | None]:
        """The engine of each player; None for a strategy."""
        found = (timed.strategy for timed in self.strategies)
        return [player if isinstance(player, EngineStrategy) else None for player in found]

    def play_deck(self, deck: int) -> Deck:
        """Play a deck once in every seating."""
        players = len(self.strategies)
        hands: list[TableHand] = []
        values, luck = np.zeros(players), np.zeros((players, CONTROLS))
        for rotation in range(players):
            for played in self._play(deck, rotation):
                hands.append(played)
                by_player = np.argsort(played.seating)
                # the seed does not depend on the seating, so equal hands have equal luck
                measured = self._luck.measure(played.hand, strategy_seed(self._setting.seed, deck, played.number))
                # measured values contain the worth of fantasyland; if it is played out, the hands that follow do
                by_seat = np.array(played.hand.points, float) if self._setting.carry else measured.values
                values += by_seat[by_player]
                luck += measured.controls[by_player]
        return Deck(hands, values / players, luck / players)

    def _play(self, deck: int, rotation: int) -> Iterator[TableHand]:
        """Play a hand and, if fantasyland is played out, the hands that follow from it."""
        players = len(self.strategies)
        button = (-rotation - 1) % players
        seed = self._setting.seed
        table = Table(self.rules, self.strategies, seed=strategy_seed(seed, deck), button=button)
        for number in range(_LONGEST):
            yield table.play_hand(shuffled_deck(self.rules, (seed, deck, number)))
            if not self._setting.carry or not any(table.fantasyland):
                return


@lru_cache(maxsize=1)
def _players(setting: Setting) -> Players:
    return Players(setting)


def close_players() -> None:
    """Drop the players that are kept for further decks; their engines end with them."""
    _players.cache_clear()


def play_deck(item: tuple[Setting, int]) -> dict[str, Any]:
    """Play the deck with this number, and return its results as plain data.

    If an engine gives up a hand, the whole deck is discarded: the other seatings have nothing to compare with.
    """
    setting, number = item
    players = _players(setting)
    for strategy in players.strategies:
        strategy.counts.clear()
    try:
        deck: Deck | None = players.play_deck(number)
    except HandGivenUpError:
        deck = None
    engines = [_take_report(engine, number) for engine in players.engines]
    if deck is None:
        return {"values": None, "engines": engines, "hands": []}
    counts = [strategy.counts.copy() for strategy in players.strategies]
    for played in deck.hands:
        for seat, player in enumerate(played.seating):
            _count(counts[player], played, seat)
    return {
        "values": deck.values.tolist(),
        "luck": deck.luck.tolist(),
        "counts": counts,
        "engines": engines,
        "hands": [_plain(hand, setting.names) for hand in deck.hands] if setting.with_hands else [],
    }


def _take_report(engine: EngineStrategy | None, deck: int) -> dict[str, Any] | None:
    """Return how an engine behaved on a deck, and reset its counts."""
    if engine is None:
        return None
    report = {
        "about": engine.about,
        "counts": dict(engine.counts),
        "problems": [f"deck {deck}, {text}" for text in engine.problems[:PROBLEMS]],
    }
    engine.counts.clear()
    engine.problems.clear()
    return report


def _count(counts: Counts, played: TableHand, seat: int) -> None:
    """Count the events of one seat in a hand."""
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
    """Return whether one seat wins all rows against another."""
    settlement = showdown.settlements[one][two]
    return settlement is not None and all(points > 0 for points in settlement.rows)


def _plain(played: TableHand, names: tuple[str, ...]) -> dict[str, Any]:
    record = record_of(played, names).model_dump(mode="json", exclude_none=True)
    return {"number": played.number, "seating": played.seating, "record": record}


def hands_of(result: dict[str, Any]) -> list[TableHand]:
    """Return the hands in the results of a deck."""
    hands = []
    for data in result["hands"]:
        hand = replay(HandRecord.model_validate(data["record"]))
        hands.append(TableHand(data["number"], tuple(data["seating"]), hand, hand.points, None))
    return hands
