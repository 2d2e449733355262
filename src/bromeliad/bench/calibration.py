"""How often stated 95 % intervals contain independent references; also the cost of the learned evaluations."""

from functools import partial

import numpy as np

from bromeliad.bench.measuring import timed
from bromeliad.bench.registry import bench
from bromeliad.bench.results import Section
from bromeliad.cluster import Batch
from bromeliad.evaluation.calibration import BUDGETS, SEARCHED_STREETS, Z95, Misses, coverage, sample_misses
from bromeliad.evaluation.play import score_repeatedly
from bromeliad.evaluation.regret import KERNELS, Case, all_codes, default_start, make_cases
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.search_spot import default_params, error_model, search_spot
from bromeliad.games.ofc.spot import Spot, parse_spot
from bromeliad.games.ofc.values.weights import ErrorModel, find_weights

_POSITIONS = {1: 160, 2: 80, 3: 95}
_VISITS = ((2, 60), (60, 1000), (1000, 1 << 40))
_CONFIDENCE = ((0.0, 0.6), (0.6, 0.8), (0.8, 0.95), (0.95, 2.0))
_SHORT, _LONG = 4000, 40_000
_TIMES = 200  # repetitions per measured position
_SHIPPED = (("pineapple", None), ("pineapple", 0.0), ("progressive", None), ("ultimate", None))


@bench("calibration", minutes=12, batches=True, page="strength")
def calibration_bench(quick: bool, seed: int, batch: Batch) -> list[Section]:
    """Measure coverage on fresh positions, and whether more search changes the move."""
    return [_coverage_section(quick, seed, batch), _stops_section(4 if quick else 100, seed, batch)]


@bench("weights", minutes=1, page="strength")
def weights_bench(quick: bool, seed: int) -> list[Section]:
    """Measure the speed and size of the learned evaluations that ship."""
    return [_weights_section(2 if quick else 40, seed)]


def _coverage_section(quick: bool, seed: int, batch: Batch) -> Section:
    start = default_start()
    rows: list[tuple[object, ...]] = []
    for street in SEARCHED_STREETS:
        count, playouts = (3, 300) if quick else (_POSITIONS[street], 1500)
        misses = sample_misses(start, street, count, seed + 1000, playouts, batch)  # not the positions of the fit
        model = error_model(make_cases(street, 1, seed, start=start)[0].spot)
        rows.append((street, "all", *_row(misses, model)))
        for low, high in _VISITS:
            some = (misses.visits >= low) & (misses.visits < high)
            if some.any():
                name = f"{low} to {high - 1}" if high < 1 << 40 else f"{low} and more"
                rows.append((street, name, *_row(misses.only(some), model)))
    figures = ("contained %", "±", "sampling alone %", "bias", "error beside", "dropped at")
    columns = ("street", "visits", "actions", *figures)
    notes = [
        "Share of references inside the stated 95 % intervals, over all actions that a search tried (budgets of"
        f" {', '.join(f'{budget:,}' for budget in BUDGETS)} simulations in turn; in every second position an opponent's"
        " cards are dead). Target: 95 ± 2. ± is one standard error, treating actions as independent.",
        "References: exact on street 3; on streets 1 and 2, 1,500 playouts with other random numbers and more exact"
        " values near the end. They do not include what better play than our policy would gain.",
        "sampling alone: coverage of the sampling error only. bias: mean of searched − reference, in points. error"
        " beside: standard error that more simulations do not reduce. dropped at: number of visits at which an action"
        " dropped for bad luck has double variance. Both were fitted on other positions, after training.",
    ]
    return Section("Coverage of stated intervals", columns, rows, notes)


def _stops_section(positions: int, seed: int, batch: Batch) -> Section:
    """Compare the choices and confidence of short searches with long searches that use other random numbers."""
    rows: list[tuple[object, ...]] = []
    for street in (1, 2):
        cases = make_cases(street, positions, seed + 2000)
        items = ((f"stops, street {street}, position {i}", (case.spot, seed)) for i, case in enumerate(cases))
        # [position]: confidence, agreement, points lost, simulations used
        found = np.array(list(batch.ordered(compare_stops, items, KERNELS)))
        for low, high in _CONFIDENCE:
            some = found[(found[:, 0] >= low) & (found[:, 0] < high)]
            if len(some):
                stated, agreed, lost, used = some.mean(axis=0)
                rows.append(
                    (street, f"{low:g} to {min(high, 1.0):g}", len(some), 100 * stated, 100 * agreed, lost, used)
                )
    columns = ("street", "confidence", "searches", "stated %", "kept %", "points lost", "simulations used")
    notes = [
        f"Searches of at most {_SHORT:,} simulations, which may stop early, against searches of {_LONG:,} with other"
        " random numbers. kept: share of moves that the long search plays too; points lost: what the move loses"
        " according to the long search; stated: mean confidence of the short search.",
    ]
    return Section("Whether more search changes the move", columns, rows, notes)


def compare_stops(item: tuple[Spot, int]) -> tuple[float, float, float, float]:
    """Return a short search's (confidence, agreement, points lost, simulations used), judged by a long search."""
    spot, seed = item
    short = search_spot(spot, default_params(simulations=_SHORT, seed=seed, memory_mb=64.0))
    long = search_spot(spot, default_params(simulations=_LONG, seed=seed + 1, memory_mb=64.0, early_stop="never"))
    means = {item.action: item.score for item in long.actions if item.visits}
    lost = long.actions[0].score - means.get(short.best, long.actions[0].score)
    return short.confidence, float(short.best == long.best), max(lost, 0.0), float(short.simulations)


def _row(misses: Misses, model: ErrorModel) -> tuple[object, ...]:
    count = len(misses.error)
    share = coverage(misses, model)
    plain = np.abs(misses.difference) <= Z95 * np.hypot(misses.error, misses.reference_error)
    return (
        count,
        100 * share,
        100 * float(np.sqrt(share * (1 - share) / count)),
        100 * float(plain.mean()),
        float(misses.difference.mean()),
        model.beside,
        model.dropped,
    )


def _weights_section(positions: int, seed: int) -> Section:
    rows: list[tuple[object, ...]] = []
    for name, cost in _SHIPPED:
        spot = parse_spot(preset(name), objective="solo", foul_cost=cost)
        found = find_weights(spot.rules, spot.foul_cost, spot.fantasyland_worth)
        if found is None:
            continue
        path, header = found
        cases = make_cases(1, positions, seed, start=spot)
        rows.append(
            (path.name, header.foul_cost, str(header.fantasyland_worth), header.hands, header.seed,
             path.stat().st_size / 1e6, _nanoseconds(cases))
        )  # fmt: skip
    columns = ("weights", "foul cost", "worth", "hands", "seed", "MB", "ns per board")
    notes = [
        "ns per board: time to decode one placement and value its board by the learned evaluation on street 1, with all"
        " placements of a position in one call; limit 500."
    ]
    return Section("Learned evaluations that ship", columns, rows, notes)


def _nanoseconds(cases: list[Case]) -> float:
    """Return the nanoseconds to value one board."""
    boards, seconds = 0, 0.0
    for case in cases:
        codes = all_codes(case.state)
        scores = np.zeros(codes.size)
        score_repeatedly(case.state, codes, scores, 1)  # warms the caches, as in a search
        seconds += timed(partial(score_repeatedly, case.state, codes, scores, _TIMES)).seconds
        boards += _TIMES * codes.size
    return 1e9 * seconds / boards
