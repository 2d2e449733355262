"""OFC matches: the same decks for everybody, seats swapped, results without the luck of the deal."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import uuid4

from bromeliad.core.budget import Cancel
from bromeliad.errors import InputError
from bromeliad.evaluation.hand_luck import adjust_by_luck
from bromeliad.evaluation.results import PlainResult
from bromeliad.games.ofc.rules.files import load_rules
from bromeliad.games.ofc.rules.legality import verify_hand
from bromeliad.matches.ofc_deck import KERNELS, Counts, Setting, play_deck
from bromeliad.matches.runner import Ending
from bromeliad.matches.sprt import Verdict
from bromeliad.matches.tally import Estimate, Tally
from bromeliad.playing.strategies import find_strategy

__all__ = ["OfcMatch", "OfcResult", "PlayerResult"]


@dataclass(frozen=True)
class PlayerResult(PlainResult):
    """How one player did; probabilities are shares of hands, that of a scoop of opponents met."""

    name: str
    mean: float
    stderr: float
    luck_adjusted_mean: float
    luck_adjusted_stderr: float
    p_foul: float
    p_fantasyland: float  # of normal hands that lead there
    p_stay: float | None  # of fantasyland hands that lead to another; None if there were none
    royalties: float
    p_scoop: float
    p_scooped: float
    ms_per_decision: float


@dataclass(frozen=True)
class OfcResult(PlainResult):
    """How a match ended; points are per hand, errors are standard errors over the decks."""

    players: tuple[PlayerResult, ...]
    hands: int
    decks: int
    rules: str
    carry: bool
    fantasyland_worth: dict[int, float]  # that reaching it counted with; unless fantasyland was played out
    seed: int
    stop_reason: Literal["hands", "sprt", "cancelled"]
    sprt_verdict: Verdict | None = None


class OfcMatch:
    """Strategies on the same decks, each deck once in every seating.

    Parameters
    ----------
    names
        The strategies, as :func:`bromeliad.playing.strategies.find_strategy` reads them.
    hands
        How many to play; rounded up to whole decks. With ``carry``, hands that begin a round.
    carry
        Play fantasyland out: a hand counts with all hands that follow until nobody is in fantasyland. Else every hand
        is a normal one, and reaching fantasyland counts with the rule set's worth.
    with_hands
        Whether played decks shall hold their hands (:func:`.hands_of`).
    """

    kernels: tuple[str, ...] = KERNELS

    def __init__(
        self,
        names: Sequence[str],
        hands: int,
        *,
        rules_name: str = "pineapple",
        seed: int = 1,
        carry: bool = False,
        with_hands: bool = False,
    ) -> None:
        rules = load_rules(rules_name)
        verify_hand(rules, len(names), 0)
        for name in names:
            find_strategy(name, rules_name)  # here, so that a wrong name is refused at once
        self._setting = Setting(uuid4().hex, tuple(names), rules_name, rules, seed, carry, with_hands)
        self._decks = -(-hands // len(names))
        self._counts: list[Counts] = [Counter() for _ in names]
        self.tally = Tally(len(names), 1, adjust_by_luck)

    def __len__(self) -> int:
        return self._decks

    def items(self) -> Iterator[tuple[str, Any]]:
        """Return the decks."""
        return ((f"deck {deck}", (self._setting, deck)) for deck in range(self._decks))

    def work(self, cancel: Cancel) -> Callable[[Any], Any]:
        """Return what plays a deck: a worker can do it."""
        return play_deck

    def add(self, played: dict[str, Any]) -> None:
        """Add a deck."""
        self.tally.add(played["values"], played["luck"])
        for counts, more in zip(self._counts, played["counts"], strict=True):
            counts.update(more)

    def tested(self) -> Estimate:
        """Return the first player's points without luck."""
        return self.tally.mean_without_luck()

    def result(self, ending: Ending) -> OfcResult:
        """Return how the match ended."""
        if not len(self.tally):
            raise InputError("no hand was finished")
        setting = self._setting
        return OfcResult(
            players=tuple(self._player(i) for i in range(len(setting.names))),
            hands=_hands(self._counts[0]),
            decks=len(self.tally),
            rules=setting.rules.name,
            carry=setting.carry,
            fantasyland_worth=dict(setting.rules.objective.fantasyland_worth),
            seed=setting.seed,
            stop_reason="hands" if ending.stop_reason == "finished" else ending.stop_reason,
            sprt_verdict=ending.verdict,
        )

    def _player(self, player: int) -> PlayerResult:
        """Return how one player did."""
        counts, points = self._counts[player], self.tally.mean(player)
        without_luck = self.tally.mean_without_luck(player)
        hands, fantasylands = _hands(counts), counts["fantasyland"]
        return PlayerResult(
            name=self._setting.names[player],
            mean=points.mean,
            stderr=points.stderr,
            luck_adjusted_mean=without_luck.mean,
            luck_adjusted_stderr=without_luck.stderr,
            p_foul=counts["fouls"] / hands,
            p_fantasyland=counts["normal to fantasyland"] / counts["normal"],
            p_stay=counts["fantasyland to fantasyland"] / fantasylands if fantasylands else None,
            royalties=counts["royalties"] / hands,
            p_scoop=counts["scoops"] / counts["opponents"],
            p_scooped=counts["scooped"] / counts["opponents"],
            ms_per_decision=1e-6 * counts["nanoseconds"] / max(counts["decisions"], 1),
        )


def _hands(counts: Counts) -> int:
    return counts["normal"] + counts["fantasyland"]
