"""The search: selection, expansion, simulation and backup, compiled once per game from this one kernel.

Every game is searched by :func:`search`; what differs between games is behind the generic functions of
:mod:`bromeliad.core.game`, and what differs between searches is in :class:`~bromeliad.search.settings.Settings`.
"""

import numpy as np

from bromeliad.core.game import (
    CHANCE,
    TERMINAL,
    apply,
    copy_into,
    determinize,
    information_key,
    sample_chance,
    state_key,
    to_play,
    upper_bound,
)
from bromeliad.core.jit import atomic_add, compare_and_swap, kernel, load_acquire, store_release
from bromeliad.core.rng import reseed
from bromeliad.search.expansion import add_candidates, expand, is_ripe, list_candidates, list_root
from bromeliad.search.playout import play_out
from bromeliad.search.policies import choose_outcome, select_child, select_informed, value_span
from bromeliad.search.pruning import is_review_due, review
from bromeliad.search.settings import (
    BACKUP,
    DEPTH_MAX,
    DEPTH_SUM,
    EVALUATE,
    HIGH,
    LENGTH,
    LOW,
    PATH,
    PLAYED,
    SAVED,
    SELECT,
)
from bromeliad.search.transposition import table_add, table_read
from bromeliad.search.tree import (
    ACTION,
    ACTOR,
    BOUND,
    FLAG,
    KEY,
    LEAF,
    LOCK,
    OPEN,
    SETTLED,
    SQUARES,
    VALUE,
    VISITS,
    find_or_add,
    refresh,
    show_loss,
)

__all__ = ["search"]

_CHUNK = 16  # simulations that a thread takes at once


@kernel(inline=True, internal=True)
def _choose(tree, node, mover, count, scratch, settings, span):
    """Return the child of a decision to visit, 0 if the decision stays a leaf.

    ``count`` candidates are listed if they are needed: for a ripe leaf, and always where information is hidden.
    """
    if settings.hidden:
        return np.int64(select_informed(tree, node, mover, count, scratch, settings, span))
    if count > 0:
        expand(tree, node, mover, count, scratch)
    if load_acquire(tree.ints[node], FLAG) != OPEN:
        return np.int64(0)
    if settings.pruned and is_review_due(tree, node, settings):
        review(tree, node, settings, span)
    return np.int64(select_child(tree, node, settings, span))


@kernel(inline=True, internal=True)
def _enter(tree, node, settings, span):
    """Step into a node, with a virtual loss if others are under way; return whether it is the first visit."""
    if settings.virtual_loss > 0:
        show_loss(tree, node, settings.puct, span * settings.virtual_loss)
    return tree.ints[node, VISITS] == 0


@kernel(inline=True, internal=True)
def init_node(tree, node, state, settings):
    """Note what is known of a position that is met for the first time."""
    if settings.bounded:
        tree.floats[BOUND, node] = upper_bound(state, tree.ints[node, ACTOR])
    if settings.table_visits > 0 and to_play(state) != TERMINAL:
        tree.words[node, KEY] = state_key(state)


@kernel(internal=True)
def _begin(root, state, scratch, settings, index, row, replaying):
    """Set up the position of a simulation: common random numbers, hidden cards; or repeat the way to a leaf."""
    rng = scratch.rng
    way = scratch.rows[row]
    if settings.survivors > 0:
        reseed(rng, settings.salt, settings.sweep + index // settings.survivors)
    copy_into(state, root)
    if settings.hidden:
        mine = (rng[0], rng[1], rng[2], rng[3])
        for i in range(4):
            if replaying:
                rng[i] = np.uint64(way[SAVED + i])
            else:
                way[SAVED + i] = np.int64(rng[i])
        determinize(state, rng, settings.observer)
        for i in range(4 if replaying else 0):
            rng[i] = mine[i]
    moves = (way.size + PATH) // 2
    for i in range(moves, moves + way[PLAYED] if replaying else moves):
        apply(state, way[i])


@kernel(inline=True, internal=True)
def _descend(root, state, tree, scratch, settings, index, row):
    """Select and expand: walk from the root to a leaf, note the way, and leave ``state`` there."""
    _begin(root, state, scratch, settings, index, row, False)
    span = value_span(scratch, settings)
    way = scratch.rows[row]
    moves = (way.size + PATH) // 2
    way[PATH] = 0
    _enter(tree, 0, settings, span)
    node = np.int64(0)
    length = 1
    played = 0
    depth = 0
    informed = True  # `node` already belongs to what the mover knows
    while True:
        mover = to_play(state)
        flag = tree.ints[node, FLAG]
        if mover == TERMINAL or depth >= settings.tree_depth or flag == SETTLED:
            break
        child = node
        action = np.int64(0)
        moving = True
        if mover == CHANCE:
            action = np.int64(sample_chance(state, scratch.rng))
            if not settings.hidden:
                child = np.int64(choose_outcome(tree, node, action, settings))
                action = tree.words[child, ACTION]
        elif not informed:
            informed = True
            moving = False
            key = np.int64(information_key(state))
            if key != 0:
                child = np.int64(find_or_add(tree, node, key, tree.ints[node, ACTOR], 1.0))
        else:
            if depth == 0 and settings.survivors > 0:
                child = scratch.order[index % settings.survivors]
            else:
                count = 0
                if depth == 0 and settings.fixed_root:
                    count = list_root(tree, scratch)
                elif settings.hidden or (flag == LEAF and is_ripe(tree, node, settings)):
                    count = list_candidates(state, scratch, settings)
                child = _choose(tree, node, mover, count, scratch, settings, span)
            action = tree.words[child, ACTION]
            informed = not settings.hidden
            depth += 1
        if child == 0:
            break
        if moving:
            apply(state, action)
            way[moves + played] = action
            played += 1
        if child != node:
            node = child
            way[PATH + length] = node
            length += 1
            if _enter(tree, node, settings, span):
                init_node(tree, node, state, settings)
                break
    way[LENGTH] = length
    way[PLAYED] = played


@kernel(inline=True, internal=True)
def _evaluate(state, tree, table, scratch, settings, row):
    """Simulate: find what the leaf is worth, in the transposition table or by playing on."""
    leaf = scratch.rows[row, PATH + scratch.rows[row, LENGTH] - 1]
    key = tree.words[leaf, KEY] if settings.table_visits > 0 else np.int64(0)
    if key == 0 or not table_read(table, key, settings.table_visits, scratch.payoff):
        settled = play_out(state, scratch.payoff, scratch, settings)
        if settled and leaf != 0 and not settings.hidden:
            compare_and_swap(tree.ints[leaf], FLAG, np.int32(LEAF), np.int32(SETTLED))
    for player in range(settings.players):
        value = scratch.payoff[player]
        scratch.sums[row, player] = value
        scratch.sums[row, settings.players + player] = value * value


@kernel(inline=True, internal=True)
def _backup(tree, table, scratch, settings, row):
    """Add the value of the leaf to every node on the way, each from the view of the player who chose it."""
    way = scratch.rows[row]
    sums = scratch.sums[row]
    for i in range(PATH, PATH + way[LENGTH]):
        node = way[i]
        player = np.int64(tree.ints[node, ACTOR])
        if settings.shared:  # one lock costs less than an atomic addition to each sum
            while not compare_and_swap(tree.ints[node], LOCK, np.int32(0), np.int32(1)):
                pass
        tree.ints[node, VISITS] += settings.weight
        tree.reals[node, VALUE] += sums[player]
        tree.reals[node, SQUARES] += sums[settings.players + player]
        refresh(tree, node, settings.puct)
        if settings.shared:
            store_release(tree.ints[node], LOCK, np.int32(0))
        if settings.table_visits > 0 and tree.words[node, KEY] != 0:
            table_add(table, tree.words[node, KEY], scratch.sums, row, settings.weight)
    _observe(scratch.marks, sums[settings.observer] / settings.weight, way[LENGTH] - 1)


@kernel(inline=True, internal=True)
def _observe(marks, value, depth):
    """Keep the range of values and the depth of the tree."""
    marks[LOW] = min(marks[LOW], value)
    marks[HIGH] = max(marks[HIGH], value)
    marks[DEPTH_SUM] += depth
    marks[DEPTH_MAX] = max(marks[DEPTH_MAX], np.float64(depth))


@kernel
def search(root, state, tree, table, scratch, settings, phases, count, tickets, stop):
    """Run simulations until ``count`` tickets are taken or ``stop[0]`` is set; return how many this thread ran.

    Parameters
    ----------
    root, state
        The position to search, and one of the same class to work in.
    tree, table, scratch, settings
        Where to search, and how; threads share the tree and the table, each has its own scratch space.
    phases
        ``ALL``, or one of ``SELECT``, ``EVALUATE`` and ``BACKUP`` for all rows of the scratch space (leaf parallel).
    count
        How many simulations the threads run together; with 0 only the root is opened.
    tickets
        The number of simulations taken so far, shared by the threads of one tree.
    """
    if is_ripe(tree, 0, settings):
        copy_into(state, root)
        listed = list_candidates(state, scratch, settings)  # the mover knows them, whatever is hidden
        if settings.hidden:
            add_candidates(tree, settings.observer, listed, scratch)
        else:
            expand(tree, 0, settings.observer, listed, scratch)
    done = 0
    index = np.int64(0)
    last = np.int64(0)
    while load_acquire(stop, 0) == 0:
        if index == last:
            index = atomic_add(tickets, 0, np.int64(_CHUNK))
            last = min(index + _CHUNK, np.int64(count))
            if index >= count:
                break
        row = index if scratch.rows.shape[0] > 1 else np.int64(0)
        if phases & SELECT:
            _descend(root, state, tree, scratch, settings, index, row)
        elif phases & EVALUATE:
            _begin(root, state, scratch, settings, index, row, True)
        if phases & EVALUATE:
            _evaluate(state, tree, table, scratch, settings, row)
        if phases & BACKUP:
            _backup(tree, table, scratch, settings, row)
            if settings.survivors > 0:
                scratch.record[index] = scratch.sums[row, settings.observer]
        index += 1
        done += 1
    return done
