"""The tree: a preallocated struct of arrays with a byte budget. It is the pool from which nodes are taken.

A node is the edge that leads to it and the position behind that edge, in one. Children of a decision lie side by side
in prior order; chance outcomes and information sets are added one by one and found through a hash table. Nodes are
numbered from 1, the root is node 0, so 0 also serves as "no child".
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.jit import atomic_add, compare_and_swap, float32, int64, kernel, load_acquire
from bromeliad.errors import InputError

__all__ = [
    "ACTION",
    "ACTOR",
    "AFTER",
    "BONUS",
    "BOUND",
    "BUSY",
    "COUNT",
    "CURSOR",
    "DENIED",
    "FIRST",
    "FLAG",
    "FULL",
    "KEY",
    "LEAF",
    "LOCK",
    "MEAN",
    "NODES",
    "OPEN",
    "PARENT",
    "PRIOR",
    "SEEN",
    "SETTLED",
    "SQUARES",
    "UNVISITED",
    "VALUE",
    "VISITS",
    "Tree",
    "TreePool",
    "add_outcome",
    "clear_node",
    "find_or_add",
    "find_outcome",
    "take_nodes",
]

# What the column FLAG says about a decision:
LEAF = 0  # has no children yet
BUSY = 1  # a thread is writing its children
OPEN = 2  # its children may be read
FULL = 3  # the budget was spent when its children were asked for
SETTLED = 4  # decision or chance: the game knows its value, so it stays a leaf

# Places in `Tree.control`:
NODES = 0  # nodes handed out, the root included
DENIED = 1  # requests for nodes that the budget did not allow

UNVISITED = float32(-1.0)

_CONTROL_SIZE = 8  # one cache line
_NODE_HASH = np.uint64(0x9E3779B97F4A7C15)
_KEY_HASH = np.uint64(0xD6E8FEB86659FD93)
_32 = np.uint64(32)


# Columns of `Tree.ints`; the last four only where the game has chance or hidden information:
FIRST = 0  # decision: its first child; chance: its newest outcome
COUNT = 1  # how many children it has
FLAG = 2  # LEAF, BUSY, OPEN, FULL or SETTLED
ACTOR = 3  # the player who chose this edge: whose value VALUE is
VISITS = 4  # finished simulations
LOCK = 5  # 1 while a thread adds its simulation
PARENT = 6  # of an outcome
AFTER = 7  # the outcome that was added before this one
CURSOR = 8  # the outcome that is repeated next
SEEN = 9  # how often this action was available (hidden information)

# Columns of `Tree.reals`:
VALUE = 0  # sum of the actor's values
SQUARES = 1  # sum of their squares, for standard errors

# Rows of `Tree.floats`, what selection reads of child after child; the last only with upper bounds:
MEAN = 0  # VALUE / VISITS, or -inf while pruned
BONUS = 1  # what the policy says that exploring this child is worth, UNVISITED before its first visit
PRIOR = 2  # the probability that the game's scores give to this edge
BOUND = 3  # what the actor cannot exceed here

# Columns of `Tree.words`; the last only with a transposition table:
ACTION = 0  # the action, chance outcome or information key of this edge
KEY = 1  # the position's key in the transposition table, 0 for none


class Tree(NamedTuple):
    """One search tree: a row per node, so that a visit touches few cache lines (in ``floats`` a column).

    The arrays are few because each one takes its time in every compilation and call of a kernel.
    """

    ints: NDArray[np.int32]
    reals: NDArray[np.float64]
    floats: NDArray[np.float32]
    words: NDArray[np.int64]
    links: NDArray[np.int32]  # hash table from (node, outcome) to the outcome's node; of length 1 if not needed
    control: NDArray[np.int64]  # the counters named above


class TreePool:
    """A tree that is used for one search after another, and counts how its nodes are used.

    Parameters
    ----------
    budget
        Bytes that all its arrays together may take.
    outcomes, hidden, bounds, keys
        Whether the game has chance or hidden information, gives upper bounds, and uses a transposition table.
    """

    def __init__(
        self, budget: int, *, outcomes: bool = True, hidden: bool = True, bounds: bool = True, keys: bool = True
    ) -> None:
        linked = outcomes or hidden
        ints, floats, words = SEEN if linked else LOCK, BOUND if bounds else PRIOR, KEY if keys else ACTION
        node_bytes = 4 * (ints + 1) + 16 + 4 * (floats + 1) + 8 * (words + 1) + (12 if linked else 0)
        self.capacity = min(max(0, budget - 4096) // node_bytes, 2**31 - 2)
        if self.capacity < 256:
            raise InputError("{budget} bytes are too few for a search tree: allow at least 1 MB", budget=budget)
        self.tree = Tree(
            ints=np.zeros((self.capacity, ints + 1), np.int32),
            reals=np.zeros((self.capacity, SQUARES + 1)),
            floats=np.zeros((floats + 1, self.capacity), np.float32),
            words=np.zeros((self.capacity, words + 1), np.int64),
            links=np.zeros(_links_for(self.capacity) if linked else 1, np.int32),
            control=np.zeros(_CONTROL_SIZE, np.int64),
        )
        self.acquired = 0
        self.reused = 0
        self._used_before = 0

    @property
    def size(self) -> int:
        """Bytes of all arrays, used or not."""
        return sum(array.nbytes for array in self.tree)

    @property
    def nodes(self) -> int:
        """Nodes of the present search."""
        return min(int(self.tree.control[NODES]), self.capacity)

    @property
    def reused_now(self) -> int:
        """How many nodes of the present search had served an earlier one."""
        return min(self.nodes, self._used_before)

    def reset(self, mover: int) -> Tree:
        """Give all nodes back and return the tree with a fresh root, at which ``mover`` moves."""
        self.acquired += self.nodes
        self.reused += self.reused_now
        self._used_before = max(self._used_before, self.nodes)
        if self.nodes > 1 and self.tree.links.size > 1:
            self.tree.links.fill(0)
        self.tree.control.fill(0)
        for array in (self.tree.ints, self.tree.reals, self.tree.words, self.tree.floats.T):
            array[0] = 0
        self.tree.control[NODES] = 1
        self.tree.ints[0, ACTOR] = mover
        return self.tree


def _links_for(capacity: int) -> int:
    """Return the smallest power of two that leaves a third of the links empty: at most 12 bytes a node."""
    return 1 << (capacity * 3 // 2 - 1).bit_length()


@kernel(internal=True)
def take_nodes(tree: Tree, count: int) -> int:
    """Return the first of ``count`` new nodes that lie side by side, 0 if the budget is spent."""
    first = atomic_add(tree.control, NODES, int64(count))
    if first + count > tree.ints.shape[0]:
        atomic_add(tree.control, NODES, int64(-count))
        atomic_add(tree.control, DENIED, int64(1))
        return int64(0)
    return first


@kernel(inline=True, internal=True)
def clear_node(tree: Tree, node: int, action: int, actor: int, prior: float) -> None:
    """Make a node that was taken from the pool a leaf without statistics."""
    for column in range(tree.ints.shape[1]):
        tree.ints[node, column] = 0
    tree.ints[node, ACTOR] = actor
    tree.reals[node, VALUE] = 0.0
    tree.reals[node, SQUARES] = 0.0
    tree.floats[BONUS, node] = UNVISITED
    tree.floats[PRIOR, node] = prior
    if tree.floats.shape[0] > BOUND:
        tree.floats[BOUND, node] = np.inf
    tree.words[node, ACTION] = action
    if tree.words.shape[1] > KEY:
        tree.words[node, KEY] = 0


@kernel(internal=True)
def _slot(tree: Tree, node: int, key: int) -> int:
    word = (np.uint64(int64(key)) * _KEY_HASH) ^ (np.uint64(node) * _NODE_HASH)
    word = (word ^ (word >> _32)) * _KEY_HASH
    return int64((word >> _32) & np.uint64(tree.links.size - 1))


@kernel(internal=True)
def find_outcome(tree: Tree, node: int, key: int) -> int:
    """Return the child of ``node`` for an outcome, 0 if there is none yet."""
    slot = _slot(tree, node, key)
    while True:
        child = int64(load_acquire(tree.links, slot))
        if child == 0 or (tree.ints[child, PARENT] == node and tree.words[child, ACTION] == key):
            return child
        slot = (slot + 1) & (tree.links.size - 1)


@kernel(internal=True)
def add_outcome(tree: Tree, node: int, key: int, actor: int, prior: float) -> int:
    """Add the child of ``node`` for an outcome; return it, or the one that another thread added, or 0 if full."""
    child = take_nodes(tree, 1)
    if child == 0:
        return child
    clear_node(tree, child, key, actor, prior)
    tree.ints[child, PARENT] = node
    slot = _slot(tree, node, key)
    while not compare_and_swap(tree.links, slot, np.int32(0), np.int32(child)):
        other = int64(load_acquire(tree.links, slot))
        if tree.ints[other, PARENT] == node and tree.words[other, ACTION] == key:
            return other  # a thread was faster; our node stays unused until the next search
        slot = (slot + 1) & (tree.links.size - 1)
    newest = load_acquire(tree.ints[node], FIRST)
    tree.ints[child, AFTER] = newest
    while not compare_and_swap(tree.ints[node], FIRST, newest, np.int32(child)):
        newest = load_acquire(tree.ints[node], FIRST)
        tree.ints[child, AFTER] = newest
    atomic_add(tree.ints[node], COUNT, np.int32(1))
    return child


@kernel(internal=True)
def find_or_add(tree: Tree, node: int, key: int, actor: int, prior: float) -> int:
    """Return the child of ``node`` for an outcome, added if there is none; 0 if the tree is full."""
    child = find_outcome(tree, node, key)
    if child == 0:
        child = add_outcome(tree, node, key, actor, prior)
    return child
