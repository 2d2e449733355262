"""What several test modules share: cards as numbers, changed rules, and kernels that run ours over many boards."""

import importlib
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np

import bromeliad
from bromeliad.core.jit import kernel
from bromeliad.games.ofc.hands.automaton import EMPTY_ROW, add_card, best_strength
from bromeliad.games.ofc.rules.files import preset
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.rules.scoring import Scored, score_board, settle

RANKS = "23456789TJQKA"
SUITS = "cdhs"
NUMBERS = {rank + suit: 13 * SUITS.index(suit) + RANKS.index(rank) for rank in RANKS for suit in SUITS}


def changed(name, **sections):
    """Return a preset with fields of its sections changed."""
    data = preset(name).to_data()
    for section, fields in sections.items():
        data[section] = {**data[section], **fields}
    return RuleSet.model_validate(data)


def number_of(card):
    """Return the number of a card such as ``As``; written out again here so that tests do not lean on core.cards."""
    return NUMBERS[card]


def mask_of(cards, first_joker=52):
    """Return the mask of cards; jokers (``Jk``) are numbered from ``first_joker``."""
    mask = 0
    joker = first_joker
    for card in cards:
        if card == "Jk":
            mask |= 1 << joker
            joker += 1
        else:
            mask |= 1 << number_of(card)
    return mask


def masks_of(board):
    """Return the masks of a board's three rows, its jokers numbered through."""
    masks = []
    joker = 52
    for row in board:
        masks.append(mask_of(row, joker))
        joker += row.count("Jk")
    return masks


@kernel
def strengths_of_five(tables, cards, out):
    """Write the strength of every five of ``cards`` to ``out``, in the order of itertools.combinations."""
    n = len(cards)
    at = 0
    for a in range(n):
        row_a = add_card(tables, np.int64(EMPTY_ROW), cards[a])
        for b in range(a + 1, n):
            row_b = add_card(tables, row_a, cards[b])
            for c in range(b + 1, n):
                row_c = add_card(tables, row_b, cards[c])
                for d in range(c + 1, n):
                    row_d = add_card(tables, row_c, cards[d])
                    for e in range(d + 1, n):
                        out[at] = best_strength(tables, add_card(tables, row_d, cards[e]))
                        at += 1


@kernel
def strengths_of_three(tables, cards, out):
    """Write the strength of every three of ``cards`` to ``out``, in the order of itertools.combinations."""
    n = len(cards)
    at = 0
    for a in range(n):
        row_a = add_card(tables, np.int64(EMPTY_ROW), cards[a])
        for b in range(a + 1, n):
            row_b = add_card(tables, row_a, cards[b])
            for c in range(b + 1, n):
                out[at] = best_strength(tables, add_card(tables, row_b, cards[c]))
                at += 1


@kernel
def score_many(tables, masks, current, seen, out):
    """Score the boards ``masks[i]`` into ``out[i]``."""
    for i in range(len(masks)):
        score_board(tables, masks[i, 0], masks[i, 1], masks[i, 2], current[i], seen[i], out[i])


@kernel
def settle_many(tables, scored, players, points, totals):
    """Settle each run of ``players`` boards in ``scored`` against each other, adding up in ``totals``."""
    for start in range(0, len(scored), players):
        for i in range(start, start + players):
            for j in range(i + 1, start + players):
                won = settle(tables, scored[i], scored[j], points)
                totals[i] += won
                totals[j] -= won


def score_tables(tables, boards, players, current, seen):
    """Score boards (masks by row) that sit ``players`` to a table; return (scored, totals) as arrays."""
    scored = np.zeros((len(boards), Scored.SIZE), np.int64)
    totals = np.zeros(len(boards), np.int64)
    score_many(tables, np.array(boards, np.int64), np.array(current, np.int64), np.array(seen, np.int64), scored)
    settle_many(tables, scored, players, np.zeros(4, np.int64), totals)
    return scored, totals


def import_eval7():
    """Import eval7, whose own use of pyparsing warns; warnings are errors here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module("eval7")


def run_python(folder, code, **env):
    """Run code in a fresh process that imports from ``folder``; return its output by words."""
    places = os.pathsep.join((str(folder), str(Path(bromeliad.__file__).parent.parent)))  # the package under test
    environment = {**os.environ, "PYTHONPATH": places, "PYTHONDONTWRITEBYTECODE": "1", **env}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()
