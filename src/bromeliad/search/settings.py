"""The arguments of the search kernels: the numbers of one search, and the scratch of each thread."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core import game
from bromeliad.core.game import GameInfo, State
from bromeliad.core.rng import Rng
from bromeliad.search.params import SearchParams

# The phases of a simulation that a call of the search kernel runs (expansion is a part of selection):
SELECT = 1
EVALUATE = 2
BACKUP = 4
ALL = SELECT | EVALUATE | BACKUP

_NO_LIMIT = 2**31 - 1


class Settings(NamedTuple):
    """The numbers of one search. Kernels get them as one numpy record with the same names, made by :func:`pack`."""

    players: int
    observer: int  # the player who moves at the root
    shared: bool  # several threads work on this tree
    virtual_loss: int  # loss shown on a path while its simulation runs, in units of the value scale; 0 = none
    weight: int  # playouts per selected leaf
    temperature: float
    candidates: int
    fixed_root: bool  # with hidden information: the root keeps its first children
    widening: bool
    widening_k: float
    widening_alpha: float
    chance_k: float
    chance_alpha: float
    expand_visits: int
    tree_depth: int
    playout_depth: int
    random_share: float  # of playout moves; 1.0 if the game has no playout policy
    scale: float  # of values; 0.0 = half the range seen so far
    scored: bool  # the game scores actions
    hopeless: bool  # the game names hopeless actions
    hidden: bool  # the game has hidden information
    bounded: bool  # the game gives upper bounds, and pruning uses them
    bound_margin: float
    pruned: bool  # children are pruned by bounds or statistics
    prune_visits: int
    prune_z: float  # 0.0 = no statistical pruning
    confidence_margin: float
    table_visits: int  # visits from which the transposition table replaces a playout; 0 = no table
    survivors: int  # sequential halving: number of root actions, played in turn; 0 = the tree policy chooses
    sweep: int  # number of the first sweep of this slice
    salt: int  # seed of the common random numbers of sequential halving


# Columns of `Scratch.rows`; the path's nodes follow, then the moves:
LENGTH = 0  # number of nodes of the path
PLAYED = 1  # number of actions and chance outcomes that lead to the leaf
SAVED = 2  # four words: the generator before the hidden cards were drawn
PATH = 6

# Places in `Scratch.marks`:
LOW = 0  # lowest value seen
HIGH = 1  # highest value seen
DEPTH_SUM = 2  # over all simulations
DEPTH_MAX = 3


class Scratch(NamedTuple):
    """The scratch of one thread; each row is a running simulation."""

    rng: Rng
    actions: NDArray[np.int64]
    scores: NDArray[np.float64]
    payoff: NDArray[np.float64]  # value of the last playout to each player
    rows: NDArray[np.int64]
    sums: NDArray[np.float64]  # each player's sum of values over the playouts of the leaf, then the sums of squares
    marks: NDArray[np.float64]
    order: NDArray[np.int64]  # children of the root that sequential halving still plays
    record: NDArray[np.float64]  # the value of each simulation of a slice of sequential halving


def new_scratch(info: GameInfo, rng: Rng, *, rows: int = 1, record: int = 1) -> Scratch:
    """Allocate the scratch of one thread."""
    longest = 2 * info.max_length + 4  # in games with hidden information each move takes two nodes
    return Scratch(
        rng=rng.copy(),
        actions=np.zeros(info.max_actions, np.int64),
        scores=np.zeros(info.max_actions),
        payoff=np.zeros(info.players),
        rows=np.zeros((rows, PATH + 2 * longest), np.int64),
        sums=np.zeros((rows, 2 * info.players)),
        marks=np.array([np.inf, -np.inf, 0.0, 0.0]),
        order=np.zeros(info.max_actions, np.int64),
        record=np.zeros(record),
    )


_KINDS: dict[type, type] = {int: np.int64, float: np.float64, bool: np.bool_}
_RECORD = np.dtype([(name, _KINDS[kind]) for name, kind in Settings.__annotations__.items()], align=True)


def pack(settings: Settings) -> Any:
    """Return settings as a numpy record, which is passed as one pointer instead of thirty arguments."""
    return np.rec.array(np.array([tuple(settings)], _RECORD))[0]


def make_settings(params: SearchParams, info: GameInfo, root: State) -> Settings:
    """Translate parameters, and the functions that the game of ``root`` provides, into settings."""
    cls = type(root)
    parallel = params.threads > 1 and params.root_policy == "tree"
    bounded = params.prune_bounds and game.upper_bound.provided_by(cls)
    hidden = game.determinize.provided_by(cls)
    flat = params.root_policy == "halving" and params.tree_depth is None
    return Settings(
        players=info.players,
        observer=int(game.to_play(root)),
        shared=params.threads > 1 and params.parallel == "tree",
        virtual_loss=params.virtual_loss if parallel and params.parallel != "root" else 0,
        weight=params.threads if parallel and params.parallel == "leaf" else 1,
        temperature=params.temperature,
        candidates=params.candidates or _NO_LIMIT,
        fixed_root=params.fixed_candidates and hidden,
        widening=params.widening_k is not None,
        widening_k=params.widening_k or 1.0,
        widening_alpha=params.widening_alpha,
        chance_k=params.chance_k,
        chance_alpha=params.chance_alpha,
        expand_visits=params.expand_visits,
        tree_depth=1 if flat else params.tree_depth or _NO_LIMIT,
        playout_depth=_NO_LIMIT if params.playout_depth is None else params.playout_depth,
        random_share=params.playout_random if game.playout_action.provided_by(cls) else 1.0,
        scale=float(game.value_scale(root)) if params.value_scale is None else params.value_scale,
        scored=game.score_actions.provided_by(cls),
        hopeless=params.prune_hopeless and game.is_hopeless.provided_by(cls),
        hidden=hidden,
        bounded=bounded,
        bound_margin=params.bound_margin,
        pruned=bounded or params.prune_statistics,
        prune_visits=params.prune_visits,
        prune_z=params.prune_z if params.prune_statistics else 0.0,
        confidence_margin=params.confidence_margin,
        table_visits=params.table_visits if params.table_mb > 0 and not hidden else 0,
        survivors=0,
        sweep=0,
        salt=params.seed,
    )
