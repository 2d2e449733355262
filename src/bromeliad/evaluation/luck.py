"""Results of hands without the luck of the deal: the same expectation with much less variance."""

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.game import clone
from bromeliad.core.kernel_cache import cached_arrays
from bromeliad.core.machine import cores
from bromeliad.core.rng import new_rng
from bromeliad.evaluation.play import max_actions
from bromeliad.games.ofc.luck.deals import first_street_sum, hand_luck, is_full_deck, luck_scratch
from bromeliad.games.ofc.values.hand_state import Field, HandState
from bromeliad.games.ofc.values.heuristics import REFINED

_PIECE = 20  # hands per task of a thread
_REFINED = {"greedy": REFINED, "exact": 1000, "search": 1000}  # placements that a level values exactly on street 4
_ENOUGH = 200  # hands that suffice to learn the share of luck to subtract


class Luck:
    """Measures the luck of hands from one state; results do not depend on the number of threads.

    Parameters
    ----------
    level
        The level that played: luck is measured by values as good as the level's.
    on_progress
        Called repeatedly while the mean of the first street is computed. That takes some seconds; the mean is then
        cached on disk.
    """

    def __init__(self, root: HandState, level: str, seed: int, on_progress: Callable[[], None] = lambda: None) -> None:
        self._root = root
        self._refined = _REFINED.get(level, 1)
        self._seed = int(np.random.SeedSequence([seed, 1]).generate_state(1, np.uint64)[0] >> 1)  # not the play's seed
        self._first_mean = np.nan
        if is_full_deck(root):
            stored = cached_arrays(f"luck-{_key(root)}", lambda: {"mean": _count_first_street(root, on_progress)})
            self._first_mean = float(stored["mean"])

    def measure(self, deals: NDArray[np.int64], codes: NDArray[np.int64], number: int) -> NDArray[np.float64]:
        """Return the luck [hand, street] of hands with these deals and placements, numbered from ``number``."""
        out = np.zeros(deals.shape)

        def work(start: int) -> None:
            part = slice(start, start + _PIECE)
            root, rng = self._root, new_rng(0)
            scratch = luck_scratch(max_actions(root))
            how = self._first_mean, self._refined, self._seed, number + start
            hand_luck(root, clone(root), clone(root), deals[part], codes[part], *how, scratch, rng, out[part])

        with ThreadPoolExecutor(cores()) as pool:
            list(pool.map(work, range(0, len(deals), _PIECE)))
        return out


def _key(root: HandState) -> str:
    """Return a hash of everything that the mean of the first street depends on."""
    digest = hashlib.sha256()
    parts = (root.v, root.streets, root.worth, root.pay, root.tables.flags, root.tables.marks, root.promise)
    for array in (*parts, root.learned.map, root.learned.weights):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def _count_first_street(root: HandState, on_progress: Callable[[], None]) -> NDArray[np.float64]:
    """Return the mean over all first deals of the value of their best placement."""

    def work(lowest: int) -> tuple[float, float]:
        total, number = first_street_sum(root, clone(root), lowest, luck_scratch(max_actions(root)))
        return total, number

    cards = int(root.v[Field.DECK]).bit_length()
    parts = []
    with ThreadPoolExecutor(cores()) as pool:
        for part in pool.map(work, range(cards - int(root.streets[0]) + 1)):
            parts.append(part)
            on_progress()
    total, number = np.sum(parts, axis=0)
    return np.array(total / number)


def adjust(
    values: NDArray[np.float64], luck: NDArray[np.float64], shares: Sequence[float] | None = None
) -> NDArray[np.float64]:
    """Return values minus their luck [hand, measure]; the expectation stays the same.

    Luck is measured by good play, so a bad player's results contain only a share of it. With enough hands, each half is
    adjusted by the share that the other half shows: a share learned from other hands leaves the mean unbiased.

    Parameters
    ----------
    shares
        The share of each measure to subtract if there are too few hands; by default 1.
    """
    if len(values) < _ENOUGH:
        return np.asarray(values - luck @ (np.ones(luck.shape[1]) if shares is None else np.array(shares)))
    adjusted = np.empty(len(values))
    for half in (0, 1):
        mine, others = slice(half, None, 2), slice(1 - half, None, 2)
        adjusted[mine] = values[mine] - luck[mine] @ _shares(values[others], luck[others])
    return adjusted


def _shares(values: NDArray[np.float64], luck: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of each measure of luck in the values, by least squares."""
    centred = luck - luck.mean(axis=0)
    shares: NDArray[np.float64] = np.linalg.lstsq(centred, values - values.mean(), rcond=None)[0]
    return shares
