"""Matches between strategies: the same decks for everybody, seats swapped, results without the luck of the deal."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from bromeliad.cluster import Batch
from bromeliad.errors import InputError
from bromeliad.evaluation.hand_luck import CONTROLS, adjust_by_luck
from bromeliad.evaluation.results import PlainResult
from bromeliad.games.ofc.play.table import TableHand
from bromeliad.games.ofc.rules.files import load_rules
from bromeliad.games.ofc.rules.legality import verify_hand
from bromeliad.matches.deck import KERNELS, Setting, hands_of, play_deck
from bromeliad.matches.sprt import Sprt, Verdict
from bromeliad.matches.tally import PlayerResult, Tally, summarise
from bromeliad.playing.strategies import find_strategy

__all__ = ["MatchResult", "play_match"]

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


def play_match(
    names: Sequence[str],
    hands: int,
    *,
    rules_name: str = "pineapple",
    seed: int = 1,
    carry: bool = False,
    batch: Batch | None = None,
    sprt: Sprt | None = None,
    on_deck: OnDeck | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> MatchResult:
    """Let strategies meet on the same decks, each deck once in every seating.

    Parameters
    ----------
    names
        The strategies, as :func:`bromeliad.playing.strategies.find_strategy` reads them.
    hands
        How many to play; rounded up to whole decks. With ``carry``, hands that begin a round.
    carry
        Play fantasyland out: a hand counts with all hands that follow until nobody is in fantasyland. Else every hand
        is a normal one, and reaching fantasyland counts with the rule set's worth.
    batch
        Who plays the decks; results do not depend on it unless strategies think by time.
    sprt
        A test of the first player's luck-adjusted points a hand that may end the match early.
    """
    rules = load_rules(rules_name)
    verify_hand(rules, len(names), 0)
    for name in names:
        find_strategy(name, rules_name)  # here, so that a wrong name is told at once
    setting = Setting(uuid4().hex, tuple(names), rules_name, rules, seed, carry, on_deck is not None)
    run = _Run(len(names), -(-hands // len(names)), sprt)
    items = ((f"deck {deck}", (setting, deck)) for deck in range(run.wanted))
    for result in (batch or Batch()).ordered(play_deck, items, KERNELS, cancelled):
        run.add(result)
        if on_deck is not None:
            on_deck(hands_of(result))
        on_progress(run.decks / run.wanted)
        if run.verdict or cancelled():
            break
    if not run.decks:
        raise InputError("no hand was finished")
    return MatchResult(
        players=summarise(names, run.tally, run.values, run.adjusted),
        hands=run.tally.hands,
        decks=run.decks,
        rules=rules.name,
        carry=carry,
        fantasyland_worth=dict(rules.objective.fantasyland_worth),
        seed=seed,
        stop_reason="sprt" if run.verdict else "hands" if run.decks == run.wanted else "cancelled",
        sprt_verdict=run.verdict,
    )


class _Run:
    """The decks of a match that have come back, in their order."""

    def __init__(self, players: int, wanted: int, sprt: Sprt | None) -> None:
        self.wanted, self.decks = wanted, 0
        self.tally = Tally(players)
        self.verdict: Verdict | None = None
        self._sprt = sprt
        self._values = np.zeros((wanted, players))
        self._luck = np.zeros((wanted, players, CONTROLS))

    @property
    def values(self) -> NDArray[np.float64]:
        """[deck, player] results."""
        return self._values[: self.decks]

    @property
    def adjusted(self) -> NDArray[np.float64]:
        """[deck, player] results without the luck of the deal."""
        luck = self._luck[: self.decks]
        return np.stack([adjust_by_luck(self.values[:, i], luck[:, i]) for i in range(luck.shape[1])], axis=1)

    def add(self, result: dict[str, Any]) -> None:
        """Add a deck, and ask the test where it is asked."""
        self._values[self.decks] = result["values"]
        self._luck[self.decks] = result["luck"]
        self.decks += 1
        self.tally.add_json(result["tally"])
        if self._sprt and self.decks % _LOOKS == 0:
            self.verdict = self._sprt.verdict(self.adjusted[:, 0])
