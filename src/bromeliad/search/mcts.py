"""The search: one kernel for every game, compiled per game and policy.

A simulation has the four phases of Monte Carlo tree search (Chaslot et al., "Monte-Carlo tree search: a new framework
for game AI", AIIDE 2008; Browne et al., "A survey of Monte Carlo tree search methods", IEEE TCIAIG 4, 2012). Here they
have ten steps, which the code below names:

========== ==== =========================================================================
root        1   open the root, once per search
selection   2   set up the position: common random numbers, hidden cards
            3   end the descent if there is nothing to choose
            4   at a chance event, draw an outcome                        (selection.py)
            5   with hidden information, find the mover's information set
            6   at a decision, expand a ripe leaf (expansion.py), prune (pruning.py), and
                select a child by the policy                   (selection.py, policies.py)
            7   play the move and enter the child
simulation  8   find the value of the leaf        (transposition.py, playout.py)
backup      9   add the value to every node of the path
            10  record statistics of the whole search
========== ==== =========================================================================

Games implement the generic functions of :mod:`bromeliad.core.game`, policies those of :mod:`.policies`. The numbers of
a search are in :class:`~bromeliad.search.settings.Settings`.
"""

import numpy as np

from bromeliad.core import game
from bromeliad.core.game import State
from bromeliad.core.jit import Ints, atomic_add, compare_and_swap, int64, kernel, load_acquire, store_release
from bromeliad.core.rng import Rng, reseed
from bromeliad.search.expansion import add_candidates, expand, is_ripe, list_candidates, list_root
from bromeliad.search.playout import play_out
from bromeliad.search.policies import Policy, add_visits, show_loss
from bromeliad.search.pruning import is_review_due, review
from bromeliad.search.selection import choose_outcome, select_child, select_informed, value_span
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
    Scratch,
    Settings,
)
from bromeliad.search.transposition import Table, table_add, table_read
from bromeliad.search.tree import ACTION, ACTOR, BOUND, FLAG, KEY, LEAF, LOCK, OPEN, SETTLED, VISITS, Tree, find_or_add

_CHUNK = 16  # simulations that a thread takes at a time


@kernel
def search(
    root: State,
    state: State,
    tree: Tree,
    table: Table,
    scratch: Scratch,
    settings: Settings,
    policy: Policy,
    phases: int,
    count: int,
    tickets: Ints,
    stop: Ints,
) -> int:
    """Run simulations until ``count`` tickets are taken or ``stop[0]`` is set; return how many this thread ran.

    Parameters
    ----------
    root, state
        The position to search, and a state of the same class to work in.
    tree, table, scratch, settings, policy
        Threads share the tree and the table; each has its own scratch.
    phases
        ``ALL``, or one of ``SELECT``, ``EVALUATE`` and ``BACKUP`` for all rows of the scratch (leaf parallel).
    count
        Simulations of all threads together; with 0 the call only opens the root.
    tickets
        The number of simulations taken so far, shared by the threads of a tree.
    """
    _open_root(root, state, tree, scratch, settings)
    done = 0
    index = int64(0)
    last = int64(0)
    while load_acquire(stop, 0) == 0:
        if index == last:
            index = atomic_add(tickets, 0, int64(_CHUNK))
            last = min(index + _CHUNK, int64(count))
            if index >= count:
                break
        row = index if scratch.rows.shape[0] > 1 else int64(0)
        if phases & SELECT:
            _set_up(root, state, scratch, settings, index, row)
            _descend(state, tree, scratch, settings, policy, index, row)
        elif phases & EVALUATE:
            _replay(root, state, scratch, settings, row)
        if phases & EVALUATE:
            _evaluate(state, tree, table, scratch, settings, row)
        if phases & BACKUP:
            _back_up(tree, table, scratch, settings, policy, row)
            _observe(scratch, settings, index, row)
        index += 1
        done += 1
    return done


@kernel(inline=True, internal=True)
def _open_root(root: State, state: State, tree: Tree, scratch: Scratch, settings: Settings) -> None:
    """Step 1. Give the root its children, unless it has them. With hidden information the mover still knows them."""
    if is_ripe(tree, 0, settings):
        game.copy_into(state, root)
        listed = list_candidates(state, scratch, settings)
        if settings.hidden:
            add_candidates(tree, settings.observer, listed, scratch)
        else:
            expand(tree, 0, settings.observer, listed, scratch)


# --- selection and expansion -----------------------------------------------------------------------------------------


@kernel(internal=True)
def _set_up(root: State, state: State, scratch: Scratch, settings: Settings, index: int, row: int) -> None:
    """Step 2. Set up the position of a simulation.

    Simulations of one sweep of sequential halving share their random numbers. Hidden information is drawn anew (a
    determinization), and the generator is saved for :func:`_replay`.
    """
    rng = scratch.rng
    if settings.survivors > 0:
        reseed(rng, settings.salt, settings.sweep + index // settings.survivors)
    game.copy_into(state, root)
    if settings.hidden:
        for i in range(4):
            scratch.rows[row, SAVED + i] = int64(rng[i])
        _draw_hidden(state, rng, settings.observer)


@kernel(internal=True)
def _replay(root: State, state: State, scratch: Scratch, settings: Settings, row: int) -> None:
    """Step 2 if another thread has selected the leaf: repeat the hidden cards and the moves that lead to it."""
    rng = scratch.rng
    path = scratch.rows[row]
    game.copy_into(state, root)
    if settings.hidden:
        own = (rng[0], rng[1], rng[2], rng[3])
        for i in range(4):
            rng[i] = np.uint64(path[SAVED + i])
        _draw_hidden(state, rng, settings.observer)
        for i in range(4):
            rng[i] = own[i]
    moves = _first_move(path)
    for i in range(moves, moves + path[PLAYED]):
        game.apply(state, path[i])


@kernel(internal=True)
def _draw_hidden(state: State, rng: Rng, observer: int) -> None:
    """Draw the hidden information; a separate kernel, because games inline a lot of code here."""
    game.determinize(state, rng, observer)


@kernel(inline=True, internal=True)
def _first_move(path: Ints) -> int:
    """Return the index of the first move of a path, after its nodes."""
    return (path.size + PATH) // 2


@kernel(inline=True, internal=True)
def _descend(
    state: State, tree: Tree, scratch: Scratch, settings: Settings, policy: Policy, index: int, row: int
) -> None:
    """Walk from the root to a leaf (steps 3 to 7), and record the path; ``state`` ends at the leaf."""
    span = value_span(scratch, settings)
    path = scratch.rows[row]
    path[LENGTH] = 0
    path[PLAYED] = 0
    node = int64(0)
    _enter(tree, node, settings, policy, span, path)
    depth = 0
    informed = True  # `node` is the mover's information set
    while True:
        # Step 3. End of the descent.
        mover = game.to_play(state)
        flag = tree.ints[node, FLAG]
        if mover == game.TERMINAL or depth >= settings.tree_depth or flag == SETTLED:
            break
        moving = True
        if mover == game.CHANCE:
            # Step 4. Chance event.
            child, action = _draw_outcome(state, tree, node, scratch, settings)
        elif not informed:
            # Step 5. Information set.
            child, action = _find_information_set(state, tree, node), int64(0)
            informed = True
            moving = False
        else:
            # Step 6. Decision.
            if depth == 0 and settings.survivors > 0:
                child = scratch.order[index % settings.survivors]  # sequential halving: in turn
            else:
                child = _choose(state, tree, node, flag, mover, scratch, settings, policy, span)
            action = tree.words[child, ACTION]
            informed = not settings.hidden
            depth += 1
        if child == 0:
            break
        # Step 7. Play the move and enter the child.
        if moving:
            _play(state, action, path)
        if child != node:
            node = child
            if _enter(tree, node, settings, policy, span, path):
                init_node(tree, node, state, settings)
                break


@kernel(inline=True, internal=True)
def _draw_outcome(state: State, tree: Tree, node: int, scratch: Scratch, settings: Settings) -> tuple[int, int]:
    """Step 4. Draw an outcome; return its node and the outcome. With hidden information, outcomes have no nodes."""
    drawn = int64(game.sample_chance(state, scratch.rng))
    if settings.hidden:
        return node, drawn
    child = int64(choose_outcome(tree, node, drawn, settings))
    return child, tree.words[child, ACTION]


@kernel(inline=True, internal=True)
def _find_information_set(state: State, tree: Tree, node: int) -> int:
    """Step 5. Return the node of the mover's information set below ``node``, or ``node`` if the game has none."""
    key = int64(game.information_key(state))
    if key == 0:
        return node
    return int64(find_or_add(tree, node, key, tree.ints[node, ACTOR], 1.0))


@kernel(inline=True, internal=True)
def _choose(
    state: State,
    tree: Tree,
    node: int,
    flag: int,
    mover: int,
    scratch: Scratch,
    settings: Settings,
    policy: Policy,
    span: float,
) -> int:
    """Step 6. Return the child of a decision to visit, 0 if the decision stays a leaf."""
    count = 0
    if node == 0 and settings.fixed_root:
        count = list_root(tree, scratch)
    elif settings.hidden or (flag == LEAF and is_ripe(tree, node, settings)):
        count = list_candidates(state, scratch, settings)
    if settings.hidden:
        return int64(select_informed(tree, node, mover, count, scratch, settings, policy, span))
    if count > 0:
        expand(tree, node, mover, count, scratch)
    if load_acquire(tree.ints[node], FLAG) != OPEN:
        return int64(0)
    if settings.pruned and is_review_due(tree, node, settings):
        review(tree, node, settings, policy, span)
    return int64(select_child(tree, node, settings, policy, span))


@kernel(inline=True, internal=True)
def _play(state: State, action: int, path: Ints) -> None:
    """Step 7. Play an action or a chance outcome, and record it."""
    game.apply(state, action)
    path[_first_move(path) + path[PLAYED]] = action
    path[PLAYED] += 1


@kernel(inline=True, internal=True)
def _enter(tree: Tree, node: int, settings: Settings, policy: Policy, span: float, path: Ints) -> bool:
    """Step 7. Enter a node and show its virtual loss, if any; return whether this is the first visit."""
    path[PATH + path[LENGTH]] = node
    path[LENGTH] += 1
    if settings.virtual_loss > 0:
        show_loss(tree, node, policy, span * settings.virtual_loss)
    return tree.ints[node, VISITS] == 0


@kernel(inline=True, internal=True)
def init_node(tree: Tree, node: int, state: State, settings: Settings) -> None:
    """Step 7. Store the bound and the key of a position on its first visit."""
    if settings.bounded:
        tree.floats[BOUND, node] = game.upper_bound(state, tree.ints[node, ACTOR])
    if settings.table_visits > 0 and game.to_play(state) != game.TERMINAL:
        tree.words[node, KEY] = game.state_key(state)


# --- simulation and backup -------------------------------------------------------------------------------------------


@kernel(inline=True, internal=True)
def _evaluate(state: State, tree: Tree, table: Table, scratch: Scratch, settings: Settings, row: int) -> None:
    """Step 8. Find the value of the leaf for each player, in the transposition table or by a playout."""
    leaf = scratch.rows[row, PATH + scratch.rows[row, LENGTH] - 1]
    key = tree.words[leaf, KEY] if settings.table_visits > 0 else int64(0)
    if key == 0 or not table_read(table, key, settings.table_visits, scratch.payoff):
        settled = play_out(state, scratch.payoff, scratch, settings)
        if settled and leaf != 0 and not settings.hidden:
            compare_and_swap(tree.ints[leaf], FLAG, np.int32(LEAF), np.int32(SETTLED))
    for player in range(settings.players):
        value = scratch.payoff[player]
        scratch.sums[row, player] = value
        scratch.sums[row, settings.players + player] = value * value


@kernel(inline=True, internal=True)
def _back_up(tree: Tree, table: Table, scratch: Scratch, settings: Settings, policy: Policy, row: int) -> None:
    """Step 9. Add the value of the leaf to every node of the path, from the view of the player who chose the node.

    This covers one, two and several players (Sturtevant, "An analysis of UCT in multi-player games", CG 2008). Proven
    values are not backed up (Winands, Björnsson & Saito, "Monte-Carlo tree search solver", CG 2008).
    """
    path = scratch.rows[row]
    sums = scratch.sums[row]
    for i in range(PATH, PATH + path[LENGTH]):
        node = path[i]
        player = int64(tree.ints[node, ACTOR])
        if settings.shared:  # one lock costs less than an atomic addition to each sum
            while not compare_and_swap(tree.ints[node], LOCK, np.int32(0), np.int32(1)):
                pass
        add_visits(tree, node, policy, settings.weight, sums[player], sums[settings.players + player])
        if settings.shared:
            store_release(tree.ints[node], LOCK, np.int32(0))
        if settings.table_visits > 0 and tree.words[node, KEY] != 0:
            table_add(table, tree.words[node, KEY], scratch.sums, row, settings.weight)


@kernel(inline=True, internal=True)
def _observe(scratch: Scratch, settings: Settings, index: int, row: int) -> None:
    """Step 10. Record the range of values, the depth of the path and, for sequential halving, the value itself."""
    total = scratch.sums[row, settings.observer]
    value = total / settings.weight
    depth = scratch.rows[row, LENGTH] - 1
    marks = scratch.marks
    marks[LOW] = min(marks[LOW], value)
    marks[HIGH] = max(marks[HIGH], value)
    marks[DEPTH_SUM] += depth
    marks[DEPTH_MAX] = max(marks[DEPTH_MAX], np.float64(depth))
    if settings.survivors > 0:
        scratch.record[index] = total
