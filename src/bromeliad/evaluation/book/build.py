"""Building an opening book: first the calibration of quick searches, then every hand, in batches for workers."""

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bromeliad import __version__
from bromeliad.cluster import Batch
from bromeliad.core.game import score_actions
from bromeliad.errors import InputError, UnsupportedError
from bromeliad.evaluation.book.calibration import calibration_items, fit_calibration, measure_guesses
from bromeliad.evaluation.book.search import (
    KERNELS,
    Calibration,
    Diligence,
    find_candidates,
    hand_seed,
    play_out,
    question_of,
    start_of,
)
from bromeliad.games.ofc.book.file import (
    FORMAT,
    MOST_VISITS,
    RECORD,
    UNIT,
    BookHeader,
    BookRun,
    pack_code,
    pack_share,
    round_up,
    write_book,
)
from bromeliad.games.ofc.book.first_deals import FIRST_DEAL, opening_hands
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.spot import Spot
from bromeliad.games.ofc.values.learned import Learned, learned_layout
from bromeliad.games.ofc.values.weights import find_weights, learned_for, read_weights

_AT_ONCE = 16  # hands per work item: about a second
_CALIBRATING = 0.02  # share of the progress

OnProgress = Callable[[float], None]


@dataclass(frozen=True)
class BookPlan:
    """The hands of a book, and the work on each."""

    seed: int
    diligence: Diligence
    hands: int | None = None  # number of random hands; None for all
    part: tuple[int, int] = (1, 1)  # (2, 5) is the second of five parts of the work


def check_start(start: Spot) -> None:
    """Raise UnsupportedError unless a book can be built for these rules and this objective."""
    first = start.rules.streets[0]
    if start.rules.order.suits_break_ties or first.deal != FIRST_DEAL or first.place != FIRST_DEAL:
        raise UnsupportedError(
            "an opening book needs five cards on the first street and suits of equal rank, unlike {rules}",
            rules=start.rules.name,
        )
    if start.objective != "solo":
        raise UnsupportedError("an opening book is for the objective solo: it knows no opponents")


def hands_of(start: Spot, plan: BookPlan) -> NDArray[np.int64]:
    """Return the hands of a plan, in the order of their masks."""
    masks = opening_hands(start.rules.jokers.count).masks
    if plan.hands is not None:
        chosen = np.random.default_rng(plan.seed).choice(len(masks), min(plan.hands, len(masks)), replace=False)
        masks = masks[np.sort(chosen)]
    number, parts = plan.part
    return masks[number - 1 :: parts]


def provenance(start: Spot, plan: BookPlan) -> dict[str, Any]:
    """Return everything that a book depends on, as plain data."""
    shared = {"question": question_of(start), "seed": plan.seed, "diligence": list(plan.diligence)}
    return {**shared, "hands": plan.hands, "part": list(plan.part), "program": __version__}


def build_book(
    start: Spot,
    plan: BookPlan,
    output: Path,
    batch: Batch,
    on_progress: OnProgress = lambda share: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> BookHeader | None:
    """Build a book; return None if the work was cancelled (the batch keeps the finished items).

    The book is the same, byte for byte, for any number of workers and interruptions. ``start`` is a spot before the
    first deal, with the rules and the objective. ``on_progress`` is called with the share done.
    """
    check_start(start)
    masks = hands_of(start, plan)
    if not len(masks):
        raise InputError(
            "part {part} of {parts} has no hand: give fewer parts or more hands", part=plan.part[0], parts=plan.part[1]
        )
    question = question_of(start)
    items = calibration_items(start, question, plan.seed, plan.diligence.simulations, plan.hands)
    measured = []
    for _, found in batch.part("calibration").unordered(measure_guesses, items, KERNELS, cancelled):
        measured.append(found)
        on_progress(_CALIBRATING * len(measured) / len(items))
    if cancelled():
        return None
    by = fit_calibration(start, measured)
    shared = {"question": question, "seed": plan.seed, "diligence": list(plan.diligence), "calibration": by._asdict()}
    records = _all_records(masks, batch.part("hands"), shared, on_progress, cancelled)
    if records is None:
        return None
    return write_book(output, _about(start), [_run(question, plan, by, len(records))], records)


def _all_records(
    masks: NDArray[np.int64],
    batch: Batch,
    shared: dict[str, Any],
    on_progress: OnProgress,
    cancelled: Callable[[], bool],
) -> NDArray[Any] | None:
    """Return the records of all hands in the order of their masks, None if the work was cancelled."""
    parts: list[NDArray[Any]] = []
    done = 0
    starts = range(0, len(masks), _AT_ONCE)
    items = ((str(i), {**shared, "masks": masks[i : i + _AT_ONCE].tolist()}) for i in starts)
    for _, text in batch.unordered(search_hands, items, KERNELS, cancelled):
        parts.append(np.frombuffer(base64.b64decode(text), RECORD))
        done += len(parts[-1])
        on_progress(_CALIBRATING + (1.0 - _CALIBRATING) * done / len(masks))
    if done < len(masks):
        return None
    records = np.concatenate(parts)
    return records[np.argsort(records["hand"], kind="stable")]


def search_hands(item: dict[str, Any]) -> str:
    """Search a batch of hands; return their records in base64."""
    start = start_of(item["question"])
    by, diligence = Calibration(**item["calibration"]), Diligence(*item["diligence"])
    records = np.zeros(len(item["masks"]), RECORD)
    for record, mask in zip(records, item["masks"], strict=True):
        seed = hand_seed(item["seed"], mask)
        spot, candidates = find_candidates(start, mask, seed, diligence.simulations)
        found = play_out(spot, candidates, seed + 1, diligence, by)
        entries = record["entries"]
        entries["ev"] = entries["royalties"] = np.nan
        entries["foul"] = entries["fantasyland"] = pack_share(np.nan)
        record["hand"] = mask
        count = len(found.codes)
        entries["ev"][:count] = found.ev
        entries["stderr"][:count] = round_up(found.stderr)
        entries["guess"][:count] = found.guesses
        entries["visits"][:count] = np.clip(found.visits // UNIT, 1, MOST_VISITS)
        entries["code"][:count] = [pack_code(code, FIRST_DEAL) for code in found.codes]
        for i, (royalties, foul, fantasyland) in enumerate(_learned_parts(spot, found.codes)):
            entries["royalties"][i] = royalties
            entries["foul"][i], entries["fantasyland"][i] = pack_share(foul), pack_share(fantasyland)
    return base64.b64encode(records.tobytes()).decode()


def _run(question: dict[str, Any], plan: BookPlan, by: Calibration, hands: int) -> BookRun:
    diligence = plan.diligence
    return BookRun(
        seed=plan.seed,
        hands=hands,
        simulations=diligence.simulations,
        playouts=diligence.playouts,
        gain=diligence.gain,
        **by._asdict(),
        weights=question["weights"],
        package=__version__,
    )


def _about(start: Spot) -> BookHeader:
    return BookHeader(
        format=FORMAT,
        rules=start.rules.name,
        game=start.rules.game_key,
        objective=start.objective,
        foul_cost=start.foul_cost,
        fantasyland_worth=dict(start.fantasyland_worth),
        jokers=start.rules.jokers.count,
        hands=0,
        runs=(),
        sha256="",
    )


def _learned_parts(spot: Spot, codes: Sequence[int]) -> list[tuple[float, float, float]]:
    """Return (royalties, chance of a foul, chance of fantasyland) by placement; NaN without learned weights."""
    parts = _learned(spot.rules, spot.foul_cost, spot.fantasyland_worth)
    if parts is None:
        return [(np.nan, np.nan, np.nan)] * len(codes)
    tables, worth = parts
    state, actions = spot.to_search_state(), np.array(codes, np.int64)
    scores = np.zeros((3, len(codes)))
    for learned, row in zip(tables, scores, strict=True):
        score_actions(state._replace(learned=learned), actions, len(codes), row)
    royalties, foul, fantasyland = scores[0], scores[1], scores[2] / worth
    return [(float(r), float(f), float(e)) for r, f, e in zip(royalties, foul, fantasyland, strict=True)]


@lru_cache(maxsize=2)
def _learned(
    rules: RuleSet, foul_cost: float, worth: tuple[tuple[int, float], ...]
) -> tuple[list[Learned], float] | None:
    """Return the evaluation of each part, and the worth of fantasyland in training; NaN if it depends on the cards."""
    found = find_weights(rules, foul_cost, worth)
    if found is None:
        return None
    path, header = found
    size = learned_for(rules, foul_cost, worth).weights.size
    tables = []
    for part in read_weights(path).parts.T:
        weights = np.ascontiguousarray(part[:size])
        weights.setflags(write=False)
        tables.append(Learned(learned_layout(rules), weights))
    worths = list(header.fantasyland_worth.values())
    return tables, worths[0] if len(worths) == 1 and worths[0] > 0 else np.nan
