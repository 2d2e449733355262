"""The tree: a preallocated pool of nodes, stored as a struct of arrays with a byte budget.

A node is an edge and the position after it. Children of a decision are adjacent and in prior order; chance
outcomes and information sets are added one by one and found through a hash table. The root is node 0, so 0 also means
"no child".
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.jit import atomic_add, compare_and_swap, float32, int64, kernel, load_acquire
from bromeliad.errors import InputError

# Values of the column FLAG:
LEAF = 0  # has no children yet
BUSY = 1  # a thread is writing its children
OPEN = 2  # its children may be read
FULL = 3  # the pool had no room for its children
SETTLED = 4  # decision or chance: the game knows the value, so it stays a leaf

# Places in `Tree.control`:
NODES = 0  # nodes in use, including the root
DENIED = 1  # requests for nodes that exceeded the budget

UNVISITED = float32(-1.0)

_CONTROL_SIZE = 8  # one cache line
_NODE_HASH = np.uint64(0x9E3779B97F4A7C15)
_KEY_HASH = np.uint64(0xD6E8FEB86659FD93)
_32 = np.uint64(32)


# Columns of `Tree.ints`; the last four only if the game has chance or hidden information:
FIRST = 0  # decision: its first child; chance: its newest outcome
COUNT = 1  # number of children
FLAG = 2  # LEAF, BUSY, OPEN, FULL or SETTLED
ACTOR = 3  # the player who chose this edge; VALUE is from this player's view
VISITS = 4  # finished simulations
LOCK = 5  # 1 while a thread adds its simulation
PARENT = 6  # outcome: its parent
AFTER = 7  # the outcome that was added before this one
CURSOR = 8  # the next outcome to repeat
SEEN = 9  # how often this action was available (hidden information)

# Columns of `Tree.reals`:
VALUE = 0  # sum of the actor's values
SQUARES = 1  # sum of their squares, for standard errors

# Rows of `Tree.floats`, which selection reads child by child; the last only with upper bounds:
MEAN = 0  # VALUE / VISITS, or -inf while pruned
BONUS = 1  # the policy's exploration bonus, UNVISITED before the first visit
PRIOR = 2  # the prior probability of this edge
BOUND = 3  # upper bound of the actor's value

# Columns of `Tree.words`; the last only with a transposition table:
ACTION = 0  # the action, chance outcome or information key of this edge
KEY = 1  # the position's key in the transposition table, 0 for none


class Tree(NamedTuple):
    """One search tree: a row per node (in ``floats`` a column), so that a visit touches few cache lines.

    There are few arrays, because each one costs time in every compilation and call of a kernel.
    """

    ints: NDArray[np.int32]
    reals: NDArray[np.float64]
    floats: NDArray[np.float32]
    words: NDArray[np.int64]
    links: NDArray[np.int32]  # hash table from (node, outcome) to the outcome's node; length 1 if not needed
    control: NDArray[np.int64]  # counters, see above


class TreePool:
    """A tree of at most ``budget`` bytes that is reused by one search after another, with statistics of its use.

    The flags say whether the game has chance events, hidden information, upper bounds, and a transposition table.
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
        """Size of all arrays in bytes."""
        return sum(array.nbytes for array in self.tree)

    @property
    def nodes(self) -> int:
        """Nodes of the current search."""
        return min(int(self.tree.control[NODES]), self.capacity)

    @property
    def reused_now(self) -> int:
        """Number of nodes of the current search that an earlier one had used."""
        return min(self.nodes, self._used_before)

    def reset(self, mover: int) -> Tree:
        """Free all nodes and return the tree with a new root, at which ``mover`` moves."""
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
    """Return the smallest power of two that leaves at least a third of the links empty: at most 12 bytes per node."""
    return 1 << (capacity * 3 // 2 - 1).bit_length()


@kernel(internal=True)
def take_nodes(tree: Tree, count: int) -> int:
    """Return the first of ``count`` new adjacent nodes, 0 if the pool is exhausted."""
    first = atomic_add(tree.control, NODES, int64(count))
    if first + count > tree.ints.shape[0]:
        atomic_add(tree.control, NODES, int64(-count))
        atomic_add(tree.control, DENIED, int64(1))
        return int64(0)
    return first


@kernel(inline=True, internal=True)
def clear_node(tree: Tree, node: int, action: int, actor: int, prior: float) -> None:
    """Make a node from the pool a leaf without statistics."""
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
    """Add the child of ``node`` for an outcome; return it, or another thread's, or 0 if the tree is full."""
    child = take_nodes(tree, 1)
    if child == 0:
        return child
    clear_node(tree, child, key, actor, prior)
    tree.ints[child, PARENT] = node
    slot = _slot(tree, node, key)
    while not compare_and_swap(tree.links, slot, np.int32(0), np.int32(child)):
        other = int64(load_acquire(tree.links, slot))
        if tree.ints[other, PARENT] == node and tree.words[other, ACTION] == key:
            return other  # another thread was faster; our node stays unused until the next search
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
    """Return the child of ``node`` for an outcome, adding it if necessary; 0 if the tree is full."""
    child = find_outcome(tree, node, key)
    if child == 0:
        child = add_outcome(tree, node, key, actor, prior)
    return child
