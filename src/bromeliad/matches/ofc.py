"""OFC matches: the same decks for all players, in every seating, with results without the luck of the deal."""

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
from bromeliad.matches.ofc_deck import KERNELS, Counts, Setting, close_players, play_deck
from bromeliad.matches.ofc_engine import DEFAULT_SECONDS, PROBLEMS, EngineReport, find_player
from bromeliad.matches.runner import Ending
from bromeliad.matches.sprt import Verdict
from bromeliad.matches.tally import Estimate, Tally


@dataclass(frozen=True)
class PlayerResult(PlainResult):
    """The result of one player. Probabilities are shares of hands; for scoops, of settlements with an opponent."""

    name: str
    mean: float
    stderr: float
    luck_adjusted_mean: float
    luck_adjusted_stderr: float
    p_foul: float
    p_fantasyland: float  # share of normal hands that reach fantasyland
    p_stay: float | None  # share of fantasyland hands that lead to another; None if there were none
    royalties: float
    p_scoop: float
    p_scooped: float
    ms_per_decision: float
    engine: EngineReport | None = None  # if the player is an engine


@dataclass(frozen=True)
class OfcResult(PlainResult):
    """The result of a match; points are per hand, errors are standard errors over the decks."""

    players: tuple[PlayerResult, ...]
    hands: int
    decks: int
    rules: str
    carry: bool
    fantasyland_worth: dict[int, float]  # points credited for reaching fantasyland, unless it was played out
    seed: int
    stop_reason: Literal["hands", "sprt", "cancelled"]
    sprt_verdict: Verdict | None = None


class _Behaviour:
    """How an engine has behaved so far."""

    def __init__(self) -> None:
        self.about = ("", "")
        self.counts: Counts = Counter()
        self.problems: list[str] = []

    def add(self, report: dict[str, Any]) -> None:
        """Add the report of one deck."""
        self.about = tuple(report["about"])
        self.counts.update(report["counts"])
        self.problems += report["problems"][: PROBLEMS - len(self.problems)]

    def report(self) -> EngineReport:
        """Return the report for the result."""
        return EngineReport(
            name=self.about[0],
            version=self.about[1],
            illegal=self.counts["illegal"],
            late=self.counts["late"],
            placements_given_up=self.counts["placements given up"],
            hands_given_up=self.counts["hands given up"],
            restarts=self.counts["restarts"],
            problems=tuple(self.problems),
        )


class OfcMatch:
    """A match of strategies and engines on the same decks; each deck is played once in every seating.

    Parameters
    ----------
    names
        The players, by the names that :func:`bromeliad.matches.ofc_engine.find_player` accepts.
    hands
        Number of hands, rounded up to whole decks; with ``carry``, the number of rounds.
    carry
        Whether fantasyland is played out: a round then lasts until no player is in fantasyland. Otherwise every hand is
        a normal one, and reaching fantasyland counts with the worth of the rule set.
    with_hands
        Whether played decks contain their hands (:func:`.hands_of`).
    engine_seconds
        Time limit of an engine (``engine:COMMAND``) per placement. Engines run until :meth:`close`.
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
        engine_seconds: float = DEFAULT_SECONDS,
    ) -> None:
        rules = load_rules(rules_name)
        verify_hand(rules, len(names), 0)
        for name in names:
            find_player(name, rules_name, engine_seconds)  # refuses an invalid name at once
        self._setting = Setting(uuid4().hex, tuple(names), rules_name, rules, seed, carry, with_hands, engine_seconds)
        self._decks = -(-hands // len(names))
        self._counts: list[Counts] = [Counter() for _ in names]
        self._engines: dict[int, _Behaviour] = {}  # by player
        self.tally = Tally(len(names), 1, adjust_by_luck)

    def __len__(self) -> int:
        return self._decks

    def items(self) -> Iterator[tuple[str, Any]]:
        """Return the decks."""
        return ((f"deck {deck}", (self._setting, deck)) for deck in range(self._decks))

    def work(self, cancel: Cancel) -> Callable[[Any], Any]:
        """Return the function that plays a deck; workers can call it."""
        return play_deck

    def close(self) -> None:
        """End the engines that played here."""
        close_players()

    def add(self, played: dict[str, Any]) -> None:
        """Add a deck, unless an engine gave up one of its hands."""
        for player, report in enumerate(played["engines"]):
            if report is not None:
                self._engines.setdefault(player, _Behaviour()).add(report)
        if played["values"] is None:
            return
        self.tally.add(played["values"], played["luck"])
        for counts, more in zip(self._counts, played["counts"], strict=True):
            counts.update(more)

    def tested(self) -> Estimate:
        """Return the first player's points without luck."""
        return self.tally.mean_without_luck()

    def result(self, ending: Ending) -> OfcResult:
        """Return the result of the match."""
        if not len(self.tally):
            raise self._nothing_played()
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

    def _nothing_played(self) -> InputError:
        for player, engine in self._engines.items():
            if engine.counts["hands given up"]:
                return InputError(
                    "no hand was finished: {engine} gave up every hand; {problem}",
                    engine=self._setting.names[player],
                    problem=engine.problems[0],
                )
        return InputError("no hand was finished")

    def _player(self, player: int) -> PlayerResult:
        """Return the result of one player."""
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
            engine=engine.report() if (engine := self._engines.get(player)) else None,
        )


def _hands(counts: Counts) -> int:
    return counts["normal"] + counts["fantasyland"]
