"""The match runner: plays what a game gives it until all is played, a test has decided, or somebody cancels."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from bromeliad.core.budget import Cancel, OnProgress, Progress
from bromeliad.matches.sprt import Sprt, Verdict
from bromeliad.matches.tally import Estimate, Tally

__all__ = ["Ending", "Match", "play_match"]

R = TypeVar("R", covariant=True)
StopReason = Literal["finished", "sprt", "cancelled"]


class Ending(NamedTuple):
    """How a match ended."""

    stop_reason: StopReason
    tested: bool
    verdict: Verdict | None  # of the test


class Match(Protocol[R]):
    """What a game gives to the match runner.

    A match is made of items: a game, or a deck that is played in every seating. Each gives one result per player.
    """

    tally: Tally
    kernels: tuple[str, ...]  # the warm-ups of what plays an item

    def __len__(self) -> int:
        """Return how many items there are."""

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return the items with a key each, in the order of play."""

    def work(self, cancel: Cancel) -> Callable[[Any], Any]:
        """Return what plays an item: a function of a module if workers shall do it. None is an item given up."""

    def add(self, played: Any) -> None:
        """Add a played item to the tally."""

    def tested(self) -> Estimate:
        """Return what the test goes by."""

    def result(self, ending: Ending) -> R:
        """Return the result of the match."""


class Batch(Protocol):
    """Whoever plays items elsewhere (:class:`bromeliad.cluster.Batch`)."""

    def ordered(
        self,
        function: Callable[[Any], Any],
        items: Iterable[tuple[str, Any]],
        warm: Iterable[str],
        cancelled: Callable[[], bool],
    ) -> Iterator[Any]:
        """Yield the results in the order of the items."""


def play_match(
    match: Match[R],
    *,
    batch: Batch | None = None,
    sprt: Sprt | None = None,
    on_played: Callable[[Any], None] = lambda played: None,
    on_progress: OnProgress = lambda progress: None,
    cancel: Cancel | None = None,
) -> R:
    """Play a match.

    Parameters
    ----------
    match
        The game's part: :class:`.OfcMatch`, :class:`.GomokuMatch` or any other.
    batch
        Who plays the items; by default this thread. Results do not depend on it unless players think by time.
    sprt
        A test of the first player's results that may end the match early.
    on_played
        Told each item, in order, after it is in the tally.
    """
    cancel, verdict = cancel or Cancel(), None
    for played in _play_items(match, batch, cancel):
        if played is None:
            break
        deals = match.tally.deals
        match.add(played)
        on_played(played)
        on_progress(Progress(len(match.tally) / len(match)))
        if sprt is not None and match.tally.deals > deals and match.tally.deals % sprt.every == 0:
            verdict = sprt.verdict(match.tested())
        if verdict or cancel():
            break
    reason: StopReason = "sprt" if verdict else "finished" if len(match.tally) == len(match) else "cancelled"
    return match.result(Ending(reason, sprt is not None, verdict))


def _play_items(match: Match[Any], batch: Batch | None, cancel: Cancel) -> Iterator[Any]:
    play = match.work(cancel)
    if batch is not None:
        yield from batch.ordered(play, match.items(), match.kernels, cancel)
        return
    for _, item in match.items():
        if cancel():
            return
        yield play(item)
