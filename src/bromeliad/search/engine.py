"""Engines: the memory and threads of a search, and three ways to share the work among threads.

Chaslot, Winands & van den Herik, "Parallel Monte-Carlo tree search", CG 2008, compare them:

* ``tree``: all threads work on one tree; virtual losses keep them apart, and a lock per node counts every visit.
* ``root``: each thread has its own tree; the statistics of the root's actions are added up.
* ``leaf``: one thread selects leaves, then every thread runs one playout from each.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import bromeliad.search.settings as settings
import bromeliad.search.tree as layout
from bromeliad.core import game
from bromeliad.core.game import GameInfo, State, clone
from bromeliad.core.rng import split_rng
from bromeliad.search.mcts import search
from bromeliad.search.params import SearchParams
from bromeliad.search.policies import make_policy
from bromeliad.search.result import TreeStatistics
from bromeliad.search.transposition import TableStatistics, new_age, new_table, read_statistics
from bromeliad.search.tree import Tree, TreePool

RECORD = 65536  # maximum number of simulations in a slice of sequential halving
_BATCH_SHARE = 64  # a batch adds at most 1/64 to the leaves, because it chooses them without each other's results
_GO_ON = np.zeros(1, np.int64)  # a stop flag that is never set, for phases that must be completed


class RootStatistics(NamedTuple):
    """The root's actions in prior order, with sums over all trees."""

    nodes: NDArray[np.int64]  # in the first tree
    actions: NDArray[np.int64]
    priors: NDArray[np.float64]
    visits: NDArray[np.int64]
    values: NDArray[np.float64]
    squares: NDArray[np.float64]


class Engine:
    """Trees, tables, scratches and threads, reused from one search to the next.

    The functions registered for the class of ``example`` decide which arrays are needed. Threads, parallel mode, batch
    and memory are fixed for the life of the engine.
    """

    def __init__(self, info: GameInfo, example: State, params: SearchParams) -> None:
        self.info = info
        self.threads = params.threads
        self.mode = params.parallel if params.threads > 1 else "tree"
        halving = params.root_policy == "halving"
        if halving:
            self.mode = "tree"  # threads divide a sweep by tickets; each candidate is a leaf
        trees = self.threads if self.mode == "root" else 1
        table_bytes = int(params.table_mb * 2**20)
        rows = params.leaf_batch if self.mode == "leaf" else 1
        rngs = split_rng(params.seed, self.threads)
        self.scratches = [settings.new_scratch(info, rng, rows=rows, record=RECORD if halving else 1) for rng in rngs]
        self._share_rows()
        used = table_bytes + sum(array.nbytes for scratch in self.scratches for array in scratch)
        budget = (int(params.memory_mb * 2**20) - used) // trees
        cls = type(example)
        chance, hidden = game.sample_chance.provided_by(cls), game.determinize.provided_by(cls)
        bounds, keys = game.upper_bound.provided_by(cls), params.table_mb > 0
        self.pools = [TreePool(budget, outcomes=chance, hidden=hidden, bounds=bounds, keys=keys) for _ in range(trees)]
        self.tables = [new_table(table_bytes // trees, info.players) for _ in range(trees)]
        self._threads = ThreadPoolExecutor(self.threads - 1, "search") if self.threads > 1 else None

    def _share_rows(self) -> None:
        """Let all threads share the order and record of sequential halving and, in leaf mode, the selected leaves."""
        first = self.scratches[0]
        for i in range(1, self.threads):
            own = self.scratches[i]
            rows = first.rows if self.mode == "leaf" else own.rows
            self.scratches[i] = own._replace(record=first.record, order=first.order, rows=rows)

    @property
    def size(self) -> int:
        """Size of all arrays in bytes."""
        tables = sum(array.nbytes for table in self.tables for array in table)
        scratches = sum(array.nbytes for scratch in self.scratches for array in scratch)
        return sum(pool.size for pool in self.pools) + tables + scratches

    def begin(self, root: State, params: SearchParams) -> None:
        """Prepare a search of ``root``: empty trees, seeded generators, the root's children."""
        self.root = root
        self._states = [clone(root) for _ in range(self.threads)]
        self.settings = settings.make_settings(params, self.info, root)
        self.policy = make_policy(params)
        self._packed = settings.pack(self.settings)
        for scratch, rng in zip(self.scratches, split_rng(params.seed, self.threads), strict=True):
            scratch.rng[:] = rng
            scratch.marks[:] = (np.inf, -np.inf, 0.0, 0.0)
        self._leaves = 0
        self._trees = [pool.reset(self.settings.observer) for pool in self.pools]
        for table in self.tables:
            new_age(table)
        for i, tree in enumerate(self._trees):
            self._call(i, tree, settings.ALL, 0)

    def focus(self, children: NDArray[np.int64], sweep: int) -> None:
        """Let simulations play these children of the root in turn, with the random numbers from sweep ``sweep`` on."""
        self.scratches[0].order[: children.size] = children
        self.scratches[0].record.fill(np.nan)
        self.settings = self.settings._replace(survivors=int(children.size), sweep=sweep)
        self._packed = settings.pack(self.settings)

    def recorded(self, sweeps: int) -> NDArray[np.float64]:
        """Return the values of the last ``sweeps`` sweeps, a row per sweep, without interrupted ones."""
        values = self.scratches[0].record[: sweeps * self.settings.survivors].reshape(sweeps, -1)
        complete: NDArray[np.float64] = values[~np.isnan(values).any(axis=1)]
        return complete

    def run(self, count: int, stop: NDArray[np.int64]) -> int:
        """Run ``count`` simulations unless stopped; return how many ran."""
        if self.mode == "root":
            return self._run_root(count, stop)
        if self.mode == "leaf":
            return self._run_leaf(count, stop)
        tickets = np.zeros(1, np.int64)
        done = sum(self._together(lambda i: self._call(i, self._trees[0], settings.ALL, count, stop, tickets)))
        self._agree_on_span()
        return done

    def _agree_on_span(self) -> None:
        """Give all threads of a tree the same range of values: one that saw a small range would explore too little."""
        low = min(scratch.marks[settings.LOW] for scratch in self.scratches)
        high = max(scratch.marks[settings.HIGH] for scratch in self.scratches)
        for scratch in self.scratches:
            scratch.marks[settings.LOW], scratch.marks[settings.HIGH] = low, high

    def _run_root(self, count: int, stop: NDArray[np.int64]) -> int:
        shares = [count // self.threads + (i < count % self.threads) for i in range(self.threads)]
        return sum(self._together(lambda i: self._call(i, self._trees[i], settings.ALL, shares[i], stop)))

    def _run_leaf(self, count: int, stop: NDArray[np.int64]) -> int:
        """Select batches of leaves, run a playout per thread from each leaf, and add up the values."""
        tree = self._trees[0]
        done = 0
        while done < count and stop[0] == 0:
            small = 1 + self._leaves // _BATCH_SHARE
            batch = min(-(-(count - done) // self.threads), self.scratches[0].rows.shape[0], small)
            leaves = self._call(0, tree, settings.SELECT, batch, stop)
            self._together(partial(self._call, tree=tree, phases=settings.EVALUATE, count=leaves))
            for scratch in self.scratches[1:]:
                self.scratches[0].sums[:leaves] += scratch.sums[:leaves]
            self._call(0, tree, settings.BACKUP, leaves)
            done += leaves * self.threads
            self._leaves += leaves
        return done

    def _together(self, task: Callable[[int], int]) -> list[int]:
        """Run a task on every thread, including the caller's."""
        if self._threads is None:
            return [task(0)]
        others = [self._threads.submit(task, i) for i in range(1, self.threads)]
        return [task(0), *(other.result() for other in others)]

    def _call(
        self,
        i: int,
        tree: Tree,
        phases: int,
        count: int,
        stop: NDArray[np.int64] = _GO_ON,
        tickets: NDArray[np.int64] | None = None,
    ) -> int:
        """Call the kernel with the memory of thread ``i``; ``tickets`` are given if threads share the ``count``."""
        taken = np.zeros(1, np.int64) if tickets is None else tickets
        table = self.tables[i if self.mode == "root" else 0]
        scratch: settings.Scratch = self.scratches[i]
        where, how = (tree, table, scratch), (self._packed, self.policy)
        return int(search(self.root, self._states[i], *where, *how, phases, count, taken, stop))

    def children(self, which: int = 0) -> NDArray[np.int64]:
        """Return the nodes of the root's actions in one tree, in prior order."""
        tree = self._trees[which]
        first, count = int(tree.ints[0, layout.FIRST]), int(tree.ints[0, layout.COUNT])
        if not self.settings.hidden:
            return np.arange(first, first + count)
        chain = [first]
        while (older := int(tree.ints[chain[-1], layout.AFTER])) != 0:
            chain.append(older)
        return np.array(chain[::-1])

    def statistics(self) -> RootStatistics:
        """Return the root's actions with the summed statistics of all trees."""
        nodes = self.children()
        tree = self._trees[0]
        actions = tree.words[nodes, layout.ACTION]
        place = {int(action): i for i, action in enumerate(actions)}
        visits, values, squares = np.zeros(nodes.size, np.int64), np.zeros(nodes.size), np.zeros(nodes.size)
        for which, other in enumerate(self._trees):
            theirs = self.children(which)
            # With a candidate limit and equal priors, trees may hold different actions.
            known = [node for node in theirs if int(other.words[node, layout.ACTION]) in place]
            at = [place[int(other.words[node, layout.ACTION])] for node in known]
            visits[at] += other.ints[known, layout.VISITS]
            values[at] += other.reals[known, layout.VALUE]
            squares[at] += other.reals[known, layout.SQUARES]
        priors = tree.floats[layout.PRIOR, nodes].astype(np.float64)
        return RootStatistics(nodes, actions.copy(), priors, visits, values, squares)

    def variation(self, action: int) -> tuple[int, ...]:
        """Return the most visited line that begins with ``action``, up to a chance event or hidden information."""
        if self.settings.hidden:
            return (action,)
        tree = max(self._trees, key=lambda tree: _visits_of(tree, action))
        node = _child_for(tree, action)
        state = clone(self.root)
        line: list[int] = []
        while node:
            line.append(int(tree.words[node, layout.ACTION]))
            game.apply(state, tree.words[node, layout.ACTION])
            if game.to_play(state) < 0 or tree.ints[node, layout.FLAG] != layout.OPEN:
                break
            first, count = tree.ints[node, : layout.COUNT + 1]
            visits = tree.ints[first : first + count, layout.VISITS]
            favourite = int(visits.argmax())
            node = int(first) + favourite if visits[favourite] > 0 else 0
        return tuple(line)

    def tree_statistics(self, simulations: int) -> TreeStatistics:
        """Return the usage statistics of the memory."""
        depths = sum(float(scratch.marks[settings.DEPTH_SUM]) for scratch in self.scratches)
        tables = [read_statistics(table) for table in self.tables]
        return TreeStatistics(
            nodes=sum(pool.nodes for pool in self.pools),
            capacity=sum(pool.capacity for pool in self.pools),
            size=self.size,
            denied=sum(int(tree.control[layout.DENIED]) for tree in self._trees),
            mean_depth=depths * self.settings.weight / max(simulations, 1),
            max_depth=max(int(scratch.marks[settings.DEPTH_MAX]) for scratch in self.scratches),
            acquired=sum(pool.acquired + pool.nodes for pool in self.pools),
            reused=sum(pool.reused + pool.reused_now for pool in self.pools),
            table=TableStatistics(*map(sum, zip(*tables, strict=True))) if self.settings.table_visits else None,
        )

    def close(self) -> None:
        """End the threads."""
        if self._threads is not None:
            self._threads.shutdown()


def _child_for(tree: Tree, action: int) -> int:
    """Return the root's child for an action, 0 if the tree has none."""
    first, count = tree.ints[0, : layout.COUNT + 1]
    found = np.flatnonzero(tree.words[first : first + count, layout.ACTION] == action)
    return int(first + found[0]) if found.size else 0


def _visits_of(tree: Tree, action: int) -> int:
    node = _child_for(tree, action)
    return int(tree.ints[node, layout.VISITS]) if node else 0
