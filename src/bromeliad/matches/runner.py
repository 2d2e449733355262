"""The match runner: plays the items of a match until all are played, a test has decided, or it is cancelled."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar

from bromeliad.core.budget import Cancel, OnProgress, Progress
from bromeliad.matches.sprt import Sprt, Verdict
from bromeliad.matches.tally import Estimate, Tally

if TYPE_CHECKING:
    from bromeliad.cluster import Batch

R = TypeVar("R", covariant=True)
StopReason = Literal["finished", "sprt", "cancelled"]


class Ending(NamedTuple):
    """How a match ended."""

    stop_reason: StopReason
    tested: bool  # whether the match had a sequential test
    verdict: Verdict | None  # the verdict of the test; None if it has not decided


class Match(Protocol[R]):
    """A game's part of a match.

    A match consists of items: a game, or a deck that is played in every seating. Each item gives one result per player.
    """

    tally: Tally
    kernels: tuple[str, ...]  # modules whose kernels are needed to play an item

    def __len__(self) -> int:
        """Return the number of items."""

    def items(self) -> Iterable[tuple[str, Any]]:
        """Return the items with their keys, in the order of play."""

    def work(self, cancel: Cancel) -> Callable[[Any], Any]:
        """Return a function that plays an item and returns the result, or None if cancelled.

        Workers can call it only if it is a top-level function.
        """

    def add(self, played: Any) -> None:
        """Add a played item to the tally."""

    def tested(self) -> Estimate:
        """Return the estimate that the test uses."""

    def result(self, ending: Ending) -> R:
        """Return the result of the match."""


def play_match(
    match: Match[R],
    *,
    batch: "Batch | None" = None,
    sprt: Sprt | None = None,
    on_played: Callable[[Any], None] = lambda played: None,
    on_progress: OnProgress = lambda progress: None,
    cancel: Cancel | None = None,
) -> R:
    """Play a match.

    Parameters
    ----------
    match
        The game's part, such as :class:`.OfcMatch` or :class:`.GameMatch`.
    batch
        Plays the items, perhaps on other machines; by default this thread plays them. Results depend on it only if
        players have time limits.
    sprt
        A test of the first player's results that may end the match early.
    on_played
        Called with each item, in order, after it has been added to the tally.
    """
    cancel, verdict, done = cancel or Cancel(), None, 0
    for played in _play_items(match, batch, cancel):
        if played is None:
            break
        deals = match.tally.deals
        match.add(played)
        done += 1
        on_played(played)
        on_progress(Progress(done / len(match)))
        if sprt is not None and match.tally.deals > deals and match.tally.deals % sprt.every == 0:
            verdict = sprt.verdict(match.tested())
        if verdict or cancel():
            break
    reason: StopReason = "sprt" if verdict else "finished" if done == len(match) else "cancelled"
    return match.result(Ending(reason, sprt is not None, verdict))


def _play_items(match: Match[Any], batch: "Batch | None", cancel: Cancel) -> Iterator[Any]:
    play = match.work(cancel)
    if batch is not None:
        yield from batch.ordered(play, match.items(), match.kernels, cancel)
        return
    for _, item in match.items():
        if cancel():
            return
        yield play(item)
