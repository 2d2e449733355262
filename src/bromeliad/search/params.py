"""The parameters of a search, validated."""

from collections.abc import Collection
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any, Literal, get_args

from bromeliad.errors import InputError

RootPolicy = Literal["tree", "halving"]
Parallel = Literal["tree", "root", "leaf"]
FinalChoice = Literal["visits", "value", "order"]
EarlyStop = Literal["never", "dominant", "settled", "either"]

DEFAULT_SIMULATIONS = 1000
"""Simulations of a search that is given neither simulations nor seconds."""


def _number(default: float | None, low: float, high: float) -> Any:
    """Return a field for a number from ``low`` to ``high``."""
    return field(default=default, metadata={"range": (low, high)})


@dataclass(frozen=True, kw_only=True)
class SearchParams:
    """The parameters of a search, checked on creation; :meth:`but` returns a changed copy.

    Raises
    ------
    InputError
        If a value is out of range; names the field and the allowed values.
    """

    # --- budget (with neither limit, DEFAULT_SIMULATIONS; with both, whichever comes first)
    simulations: int | None = _number(None, 1, 2**31 - 1)  # without seconds and with one thread: repeatable bit for bit
    seconds: float | None = _number(None, 0.001, 86400.0)  # wall time
    manage_time: bool = False  # spend only the share of `seconds` that the phase and criticality of the game deserve
    early_stop: EarlyStop = "dominant"  # see clock.py
    dominance: float = _number(0.7, 0.5, 1.0)  # a dominant action has more than this share of the visits
    settled_z: float = _number(2.576, 0.0, 100.0)  # standard errors that the settled test allows for (99 %)
    settled_gain: float = _number(0.02, 0.0, 1e9)  # settled: no other action could gain more than this
    settled_expected: float = _number(0.0, 0.0, 1e9)  # halving: also settled if perfect knowledge gains at most this

    # --- selection
    policy: str = "uct"  # or "puct", or any registered name: see policies.py
    uct_c: float = _number(1.414, 0.0, 1000.0)
    puct_c: float = _number(1.0, 0.0, 1000.0)
    first_play: float | None = _number(None, -1000.0, 1000.0)  # first-play reduction; None: visit first (UCT), 0 (PUCT)
    value_scale: float | None = _number(None, 1e-9, 1e9)  # unit of exploration; None = the game's, or observed
    temperature: float = _number(1.0, 1e-3, 1e6)  # of the softmax that turns the game's scores into priors
    final_choice: FinalChoice = "visits"  # most visits, best mean, or best by the weighted order of pruning.py

    # --- expansion
    expand_visits: int = _number(1, 1, 10**6)  # visits after which a leaf gets children
    candidates: int | None = _number(None, 1, 10**6)  # maximum number of children of a decision, best priors first
    fixed_candidates: bool = False  # hidden cards: the root keeps its first candidates instead of breaking ties anew
    widening_k: float | None = _number(None, 0.1, 1e6)  # limit of open children: k * visits ** alpha; None = no limit
    widening_alpha: float = _number(0.5, 0.0, 1.0)
    chance_k: float = _number(4.0, 0.1, 1e6)  # the same rule for outcomes of a chance event; for OFC, wide is better
    chance_alpha: float = _number(0.7, 0.0, 1.0)
    tree_depth: int | None = _number(None, 1, 10**6)  # decisions that get nodes; None = no limit (halving: 1)

    # --- simulation
    playout_random: float = _number(0.15, 0.0, 1.0)  # share of random moves, if the game has a playout policy
    playout_depth: int | None = _number(None, 0, 10**6)  # moves of a playout before the estimate; None = to the end

    # --- pruning
    prune_bounds: bool = True  # if the game gives upper bounds
    bound_margin: float = _number(0.0, 0.0, 1e6)  # in units of the value scale
    prune_hopeless: bool = True  # if the game names hopeless actions
    prune_statistics: bool = False  # by confidence intervals
    prune_visits: int = _number(100, 2, 10**9)  # minimum number of visits
    prune_z: float = _number(2.576, 0.1, 100.0)  # half width of the interval in standard errors
    confidence_margin: float = _number(0.0, 0.0, 1e6)  # in units of the value scale

    # --- root allocation
    root_policy: RootPolicy = "tree"  # "halving": sequential halving with common random numbers
    shrinkage: float = _number(150.0, 0.0, 1e9)  # halving: weight of the game's estimate, in playouts
    first_round: int | None = _number(None, 1, 10**6)  # halving: candidates at the start; None = all

    # --- threads and memory
    threads: int = _number(1, 1, 256)
    parallel: Parallel = "tree"  # one shared tree, a tree per thread (root), or a playout per thread and leaf (leaf)
    virtual_loss: int = _number(1, 1, 1000)  # loss shown on a path while a thread is on it, in units of the value scale
    leaf_batch: int = _number(32, 1, 65536)  # leaves selected before the threads evaluate them (leaf)
    memory_mb: float = _number(256.0, 1.0, 1e6)  # of all trees and tables together
    table_mb: float = _number(0.0, 0.0, 1e6)  # share of the transposition table; 0 = none
    table_visits: int = _number(8, 1, 10**9)  # visits from which a position's mean replaces a playout

    # --- running
    seed: int = _number(1, 0, 2**63 - 1)
    slice_seconds: float = _number(0.02, 0.001, 10.0)  # how long kernels run between looks at the clock
    progress_seconds: float = _number(0.1, 0.0, 3600.0)  # between two progress reports

    def __post_init__(self) -> None:
        for each in fields(self):
            _check(each, getattr(self, each.name))
        if self.table_mb > self.memory_mb / 2:
            raise InputError(
                "table_mb may be at most half of memory_mb ({memory}): {table} is too much",
                memory=self.memory_mb,
                table=self.table_mb,
            )
        if self.manage_time and self.seconds is None:
            raise InputError("manage_time needs seconds")

    def but(self, **changes: Any) -> "SearchParams":
        """Return a copy with some parameters changed."""
        unknown = sorted(set(changes) - {each.name for each in fields(self)})
        if unknown:
            raise InputError("unknown search parameter: {names}", names=", ".join(unknown))
        return replace(self, **changes)

    @property
    def simulation_limit(self) -> int | None:
        """The maximum number of simulations, None if only the time is limited."""
        return DEFAULT_SIMULATIONS if self.simulations is None and self.seconds is None else self.simulations


def _check(field: "Field[Any]", value: Any) -> None:
    """Raise InputError unless the value of a field has the right type and is in range."""
    name, kind = field.name, field.type
    if name == "policy" or kind in (EarlyStop, FinalChoice, Parallel, RootPolicy):
        allowed = get_args(kind) or _policies()
        if value not in allowed:
            names = ", ".join(allowed)
            raise InputError("{field} must be one of {allowed}, not {value!r}", field=name, allowed=names, value=value)
    elif kind is bool:
        if not isinstance(value, bool):
            raise InputError("{field} must be true or false, not {value!r}", field=name, value=value)
    elif value is not None or type(None) not in get_args(kind):
        whole = int in (kind, *get_args(kind))
        low, high = field.metadata["range"]
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


def _policies() -> Collection[str]:
    from bromeliad.search.policies import policy_names  # here, because it imports this module and numba

    return policy_names()
