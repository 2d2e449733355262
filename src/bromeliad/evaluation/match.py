"""Matches between strategies: the same decks for everybody, seats swapped, results without the luck of the deal."""

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.errors import InputError
from bromeliad.evaluation.hand_luck import CONTROLS, HandLuck, MeasuredHand, adjust_by_luck
from bromeliad.evaluation.match_tally import PlayerResult, Tally, TimedStrategy, summarise
from bromeliad.evaluation.report import PlainResult
from bromeliad.evaluation.sprt import Sprt, Verdict
from bromeliad.games.ofc.dealer import PlayedHand, shuffled_deck
from bromeliad.games.ofc.legality import verify_hand
from bromeliad.games.ofc.rulefiles import load_rules
from bromeliad.games.ofc.table import Table, TableHand, strategy_seed
from bromeliad.sessions.strategies import find_strategy

__all__ = ["MatchResult", "play_match"]

_LONGEST = 1000  # hands that follow from one, at most, where fantasyland is played out
_LOOKS = 10  # decks between two looks whether the test has decided

OnDeck = Callable[[Sequence[TableHand]], None]
"""Told the hands of a deck, in the order of the decks."""


@dataclass(frozen=True)
class MatchResult(PlainResult):
    """How a match ended; points are a hand, errors standard errors over the decks."""

    players: tuple[PlayerResult, ...]
    hands: int
    decks: int
    rules: str
    carry: bool
    fantasyland_worth: dict[int, float]  # that reaching it counted with; unless fantasyland was played out
    seed: int
    stop_reason: Literal["hands", "sprt", "cancelled"]
    sprt_verdict: Verdict | None = None


class _Deck(NamedTuple):
    """One deck, played once in every seating."""

    hands: list[TableHand]
    values: NDArray[np.float64]  # [player], the mean over the seatings
    luck: NDArray[np.float64]  # [player, control], likewise


class _Players:
    """What one thread plays with."""

    def __init__(self, names: Sequence[str], rules_name: str, seed: int, carry: bool) -> None:
        self.rules = load_rules(rules_name)
        self.strategies = [TimedStrategy(find_strategy(name, rules_name)) for name in names]
        self._luck = HandLuck(self.rules)
        self._seed = seed
        self._carry = carry

    def play_deck(self, deck: int) -> _Deck:
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
        return _Deck(hands, values / players, luck / players)

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


def play_match(
    names: Sequence[str],
    hands: int,
    *,
    rules_name: str = "pineapple",
    seed: int = 1,
    carry: bool = False,
    jobs: int = 1,
    sprt: Sprt | None = None,
    on_deck: OnDeck = lambda hands: None,
    on_progress: Callable[[float], None] = lambda fraction: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> MatchResult:
    """Let strategies meet on the same decks, each deck once in every seating.

    Parameters
    ----------
    names
        The strategies, as :func:`bromeliad.sessions.strategies.find_strategy` reads them.
    hands
        How many to play; rounded up to whole decks. With ``carry``, hands that begin a round.
    carry
        Play fantasyland out: a hand counts with all hands that follow until nobody is in fantasyland. Else every hand
        is a normal one, and reaching fantasyland counts with the rule set's worth.
    jobs
        Threads that play decks; results do not depend on it unless strategies think by time.
    sprt
        A test of the first player's luck-adjusted points a hand that may end the match early.
    """
    rules = load_rules(rules_name)
    verify_hand(rules, len(names), 0)
    make = partial(_Players, names, rules_name, seed, carry)
    first = make()  # here, so that a wrong name is told at once
    decks = -(-hands // len(names))
    tally = Tally(len(names))
    played: list[_Deck] = []
    for deck in _in_order(make, first, tally, decks, jobs, cancelled):
        played.append(deck)
        tally.add(deck.hands)
        on_deck(deck.hands)
        on_progress(len(played) / decks)
        if _verdict(sprt, played) or cancelled():
            break
    if not played:
        raise InputError("no hand was finished")
    verdict = _verdict(sprt, played)
    return MatchResult(
        players=summarise(names, tally, _values(played), _adjusted(played)),
        hands=tally.hands,
        decks=len(played),
        rules=rules.name,
        carry=carry,
        fantasyland_worth=dict(rules.objective.fantasyland_worth),
        seed=seed,
        stop_reason="sprt" if verdict else "hands" if len(played) == decks else "cancelled",
        sprt_verdict=verdict,
    )


def _verdict(sprt: Sprt | None, played: Sequence[_Deck]) -> Verdict | None:
    """Return what the test says, at the decks where it is asked."""
    return sprt.verdict(_adjusted(played)[:, 0]) if sprt and len(played) % _LOOKS == 0 else None


def _values(played: Sequence[_Deck]) -> NDArray[np.float64]:
    return np.stack([deck.values for deck in played])


def _adjusted(played: Sequence[_Deck]) -> NDArray[np.float64]:
    values, luck = _values(played), np.stack([deck.luck for deck in played])
    return np.stack([adjust_by_luck(values[:, i], luck[:, i]) for i in range(values.shape[1])], axis=1)


def _in_order(
    make: Callable[[], _Players],
    first: _Players,
    tally: Tally,
    decks: int,
    jobs: int,
    cancelled: Callable[[], bool],
) -> Iterator[_Deck]:
    """Yield the decks in their order, played on threads that are never far ahead; those under way are waited for."""
    tally.watch(first.strategies)
    if jobs == 1:
        yield from (first.play_deck(deck) for deck in range(decks))
        return
    own = threading.local()

    def work(deck: int) -> _Deck:
        if not hasattr(own, "players"):
            own.players = make()
            tally.watch(own.players.strategies)
        result: _Deck = own.players.play_deck(deck)
        return result

    with ThreadPoolExecutor(jobs) as pool:
        waiting: deque[Future[_Deck]] = deque()
        for deck in range(decks):
            if cancelled():
                break
            waiting.append(pool.submit(work, deck))
            if len(waiting) > jobs:
                yield waiting.popleft().result()
        yield from (future.result() for future in waiting)
