"""The parameters of a search: one validated structure."""

from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

from bromeliad.errors import InputError

__all__ = [
    "DEFAULT_SIMULATIONS",
    "EarlyStop",
    "FinalChoice",
    "Parallel",
    "RootPolicy",
    "SearchParams",
]

RootPolicy = Literal["tree", "halving"]
Parallel = Literal["tree", "root", "leaf"]
FinalChoice = Literal["visits", "value", "order"]
EarlyStop = Literal["never", "dominant", "settled", "either"]

DEFAULT_SIMULATIONS = 1000
"""What a search runs that is given neither simulations nor seconds."""


@dataclass(frozen=True, kw_only=True)
class SearchParams:
    """How to search. Made by keyword, checked at once, changed by :meth:`but`.

    Raises
    ------
    InputError
        If a value is out of its range; names the field and what is allowed.
    """

    # --- how long (with neither, DEFAULT_SIMULATIONS; with both, whichever comes first)
    simulations: int | None = None  # a single-threaded search with only this budget is reproducible bit for bit
    seconds: float | None = None  # of wall time
    manage_time: bool = False  # spend only the part of `seconds` that the game's phase and criticality deserve
    early_stop: EarlyStop = "dominant"  # see clock.py
    dominance: float = 0.7  # share of visits from which the best action is dominant
    settled_z: float = 2.576  # standard errors by which a settled lead exceeds zero (99 %)
    settled_gain: float = 0.02  # settled as well: what changing the choice could still gain, in the game's values
    settled_expected: float = 0.0  # settled as well (halving): what knowing the truth would gain on average

    # --- selection
    policy: str = "uct"  # or "puct", or a name that somebody registered: see policies.py
    uct_c: float = 1.414
    puct_c: float = 1.0
    first_play: float | None = None  # unvisited: this much below the parent's mean; None = first (UCT), equal (PUCT)
    value_scale: float | None = None  # what exploration is measured in; None = as the game says, or as observed
    temperature: float = 1.0  # of the softmax that makes priors from the game's scores
    final_choice: FinalChoice = "visits"  # most visits, best mean, or best by the weighted order of pruning.py

    # --- expansion
    expand_visits: int = 1  # visits after which a leaf gets children
    candidates: int | None = None  # at most so many children of a decision, best priors first
    fixed_candidates: bool = False  # hidden cards: the root keeps its first ones, else each simulation breaks ties anew
    widening_k: float | None = None  # children open while fewer than k * visits ** alpha; None = all at once
    widening_alpha: float = 0.5
    chance_k: float = 4.0  # outcomes of a chance event: the same rule. Wide beats narrow on OFC
    chance_alpha: float = 0.7
    tree_depth: int | None = None  # decisions below the root that get nodes; None = no limit (halving: 1)

    # --- simulation
    playout_random: float = 0.15  # share of random moves in playouts, where the game has a policy of its own
    playout_depth: int | None = None  # moves after which a playout ends in the game's estimate; None = play to the end

    # --- pruning
    prune_bounds: bool = True  # where the game gives upper bounds
    bound_margin: float = 0.0  # in units of the value scale
    prune_hopeless: bool = True  # where the game names hopeless actions
    prune_statistics: bool = False  # by confidence intervals
    prune_visits: int = 100  # from so many visits
    prune_z: float = 2.576  # half width of the interval in standard errors
    confidence_margin: float = 0.0  # in units of the value scale

    # --- root allocation
    root_policy: RootPolicy = "tree"  # "halving": sequential halving with common random numbers
    shrinkage: float = 150.0  # halving: weight of the game's estimate, in playouts
    first_round: int | None = None  # halving: at most so many candidates begin, best priors first; None = all

    # --- threads and memory
    threads: int = 1
    parallel: Parallel = "tree"  # one shared tree, a tree per thread (root), or a playout per thread and leaf (leaf)
    virtual_loss: int = 1  # visits, all lost, lent to a path that another thread is on
    leaf_batch: int = 32  # leaves that are selected before the threads evaluate them (leaf)
    memory_mb: float = 256.0  # of all trees and tables together
    table_mb: float = 0.0  # of that, for the transposition table; 0 = none
    table_visits: int = 8  # visits from which a position's mean replaces a playout

    # --- running
    seed: int = 1
    slice_seconds: float = 0.02  # how long kernels run between looks at the clock
    progress_seconds: float = 0.1  # between two reports of progress

    def __post_init__(self) -> None:
        for field in fields(self):
            self._check(field.name, getattr(self, field.name))
        if self.table_mb > self.memory_mb / 2:
            raise InputError(
                "table_mb may be at most half of memory_mb ({memory}): {table} is too much",
                memory=self.memory_mb,
                table=self.table_mb,
            )
        if self.manage_time and self.seconds is None:
            raise InputError("manage_time divides seconds: give seconds too")

    def _check(self, name: str, value: Any) -> None:
        """Raise InputError unless the value of one field is of its kind and in its range."""
        if name in _CHOICES:
            if value not in _allowed(name):
                raise InputError(
                    "{field} must be one of {allowed}, not {value!r}",
                    field=name,
                    allowed=", ".join(_allowed(name)),
                    value=value,
                )
            return
        if name in _FLAGS:
            if not isinstance(value, bool):
                raise InputError("{field} must be true or false, not {value!r}", field=name, value=value)
            return
        if value is None and name in _OPTIONAL:
            return
        whole, low, high = _RANGES[name]
        right_kind = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
        if not right_kind or not low <= value <= high:
            raise InputError(
                "{field} must be {kind} from {low} to {high}, not {value!r}",
                field=name,
                kind=InputError("a whole number" if whole else "a number"),
                low=low,
                high=high,
                value=value,
            )

    def but(self, **changes: Any) -> "SearchParams":
        """Return these parameters with some changed."""
        unknown = sorted(set(changes) - {field.name for field in fields(self)})
        if unknown:
            raise InputError("unknown search parameter: {names}", names=", ".join(unknown))
        return replace(self, **changes)

    @property
    def simulation_limit(self) -> int | None:
        """The number of simulations after which the search ends, None if only the time ends it."""
        return DEFAULT_SIMULATIONS if self.simulations is None and self.seconds is None else self.simulations


_CHOICES: dict[str, Any] = {
    "early_stop": EarlyStop,
    "policy": str,  # those that are registered
    "final_choice": FinalChoice,
    "root_policy": RootPolicy,
    "parallel": Parallel,
}
_FLAGS = {"fixed_candidates", "manage_time", "prune_bounds", "prune_hopeless", "prune_statistics"}
_OPTIONAL = {
    "simulations",
    "seconds",
    "first_play",
    "value_scale",
    "candidates",
    "widening_k",
    "tree_depth",
    "playout_depth",
    "first_round",
}
# field: (whole number?, lowest, highest)
_RANGES: dict[str, tuple[bool, float, float]] = {
    "simulations": (True, 1, 2**31 - 1),
    "seconds": (False, 0.001, 86400.0),
    "dominance": (False, 0.5, 1.0),
    "settled_z": (False, 0.0, 100.0),
    "settled_gain": (False, 0.0, 1e9),
    "settled_expected": (False, 0.0, 1e9),
    "uct_c": (False, 0.0, 1000.0),
    "puct_c": (False, 0.0, 1000.0),
    "first_play": (False, -1000.0, 1000.0),
    "value_scale": (False, 1e-9, 1e9),
    "temperature": (False, 1e-3, 1e6),
    "expand_visits": (True, 1, 10**6),
    "candidates": (True, 1, 10**6),
    "widening_k": (False, 0.1, 1e6),
    "widening_alpha": (False, 0.0, 1.0),
    "chance_k": (False, 0.1, 1e6),
    "chance_alpha": (False, 0.0, 1.0),
    "tree_depth": (True, 1, 10**6),
    "playout_random": (False, 0.0, 1.0),
    "playout_depth": (True, 0, 10**6),
    "bound_margin": (False, 0.0, 1e6),
    "prune_visits": (True, 2, 10**9),
    "prune_z": (False, 0.1, 100.0),
    "confidence_margin": (False, 0.0, 1e6),
    "shrinkage": (False, 0.0, 1e9),
    "first_round": (True, 1, 10**6),
    "threads": (True, 1, 256),
    "virtual_loss": (True, 1, 1000),
    "leaf_batch": (True, 1, 65536),
    "memory_mb": (False, 1.0, 1e6),
    "table_mb": (False, 0.0, 1e6),
    "table_visits": (True, 1, 10**9),
    "seed": (True, 0, 2**63 - 1),
    "slice_seconds": (False, 0.001, 10.0),
    "progress_seconds": (False, 0.0, 3600.0),
}


def _allowed(field: str) -> Collection[str]:
    """Return what one of the fields of ``_CHOICES`` may be."""
    if field == "policy":
        from bromeliad.search.policies import policy_names  # it needs the parameters, and loads numba

        return policy_names()
    return get_args(_CHOICES[field])
