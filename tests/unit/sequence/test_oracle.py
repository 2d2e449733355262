"""The kernels play by the rules: each move is compared with a plain-Python game of both rule sets."""

import numpy as np
import pytest

from bromeliad.core.game import CHANCE, TERMINAL, apply, legal_actions, outcome, sample_chance, to_play
from bromeliad.core.jit import JIT
from bromeliad.core.rng import below, new_rng
from bromeliad.games.sequence import moves
from bromeliad.games.sequence.board import LINES
from bromeliad.games.sequence.game import Sequence
from bromeliad.games.sequence.notation import card_name
from bromeliad.games.sequence.rules import rules_named
from bromeliad.games.sequence.state import (
    CHIPS,
    DECK,
    DISCARDS,
    DRAFT,
    DRAWN,
    GOAL,
    HANDS,
    LOCKED,
    MOVER,
    SEQUENCES,
    TALLY,
    WINDOWS,
    WINNER,
    is_chip,
    level_of,
    lock,
    new_data,
    put,
)
from oracles.sequence import PLAIN, SOLID, Oracle

pytestmark = pytest.mark.kernel

TABLES = [("course", 2, 2), ("course", 4, 2), ("official", 2, 2), ("official", 3, 3), ("official", 12, 3)]
KINDS = ["place", "remove", "exchange", "keep", "choose", "pass"]


def cards_at(data, at):
    ones, twos = int(data[at]), int(data[at + 1])
    assert not twos & ~ones
    return sorted(card_name(card).lower() for mask in (ones, twos) for card in range(52) if mask >> card & 1)


def as_move(action):
    kind, card = KINDS[moves.kind_of(action)], card_name(int(moves.card_of(action))).lower()
    if kind in ("keep", "pass"):
        return kind, None, None
    return kind, card, divmod(int(moves.cell_of(action)), 10) if kind in ("place", "remove") else None


def compare(rules, state, oracle):
    """Fail if a state differs from the oracle's."""
    data = state.data
    for (row, column), chip in oracle.chips.items():
        cell = 10 * row + column
        for team in range(rules.teams):
            assert is_chip(data, CHIPS, team, cell) == (chip in (PLAIN[team], SOLID[team]))
            assert is_chip(data, LOCKED, team, cell) == (chip == SOLID[team])
    assert data[SEQUENCES : SEQUENCES + rules.teams].tolist() == oracle.sequences
    for at, cards in ((DECK, oracle.deck), (DRAFT, oracle.draft), (DISCARDS, oracle.discards)):
        assert cards_at(data, at) == sorted(cards)
    for player, hand in enumerate(oracle.hands):
        assert cards_at(data, HANDS + 4 * player) == sorted(hand)


def play_beside(rules, seed, every):
    """Play a random game in both; compare the legal moves at each step, and the whole states every few steps."""
    game, rng = Sequence(rules), new_rng(seed)
    state = game.new_state()
    oracle = Oracle(rules.players, rules.teams, rules.hand, rules.goal, rules.course_lines)
    buffer = np.zeros(game.info.max_actions, np.int64)
    steps = 0
    while to_play(state) != TERMINAL:
        steps += 1
        if to_play(state) == CHANCE:
            assert oracle.step in ("deal", "refill", "take")
            card = sample_chance(state, rng)
            oracle.draw(card_name(int(card)).lower())
            apply(state, card)
        else:
            assert to_play(state) == oracle.mover
            actions = buffer[: legal_actions(state, buffer)].copy()
            assert {as_move(int(action)) for action in actions} == oracle.legal()
            action = int(actions[below(rng, len(actions))])
            oracle.apply(as_move(action))
            apply(state, action)
        if steps % every == 0:
            compare(rules, state, oracle)
    compare(rules, state, oracle)
    assert oracle.step == "over"
    assert state.data[WINNER] == (DRAWN if oracle.winner == "draw" else oracle.winner)
    loss = 0.0 if oracle.winner == "draw" else -1.0 / (rules.teams - 1)
    for player in range(rules.players):
        assert outcome(state, player) == (1.0 if player % rules.teams == oracle.winner else loss)
    return oracle


@pytest.mark.parametrize(("name", "players", "teams"), TABLES)
def test_random_games_agree_with_the_oracle(name, players, teams):
    rules = rules_named(name, players, teams)
    for seed in range(8 if JIT else 1):
        play_beside(rules, seed, every=17)


@pytest.mark.accept
@pytest.mark.parametrize(("name", "players", "teams"), TABLES)
def test_two_thousand_random_games_agree_with_the_oracle(name, players, teams):
    rules = rules_named(name, players, teams)
    for seed in range(400):
        play_beside(rules, 1000 + seed, every=1)


@pytest.mark.parametrize("name", ["course", "official"])
def test_crowded_boards_are_scored_as_by_the_oracle(name):
    """Random games seldom complete several lines at once; boards of mostly one colour do."""
    rules = rules_named(name)
    scores = set()
    for seed in range(60 if JIT else 10):
        rng = new_rng(seed)
        data = new_data(rules, Sequence(rules).weights.to_array())
        oracle = Oracle(2, 2, rules.hand, 99, rules.course_lines)
        data[GOAL] = 99
        for _ in range(80):
            cell = int(below(rng, 100))
            place = divmod(cell, 10)
            if oracle.chips[place] != "_":
                continue
            oracle.mover = int(below(rng, 12) == 0)
            data[MOVER] = oracle.mover
            oracle.chip("place", place)
            before = int(data[SEQUENCES + oracle.mover])
            moves._move_chip(data, moves.PLACE, cell)
            scores.add(int(data[SEQUENCES + oracle.mover]) - before)
            compare_chips(data, oracle)
    assert scores >= {0, 1, 2}


def compare_chips(data, oracle):
    for (row, column), chip in oracle.chips.items():
        for team in range(2):
            assert is_chip(data, LOCKED, team, 10 * row + column) == (chip == SOLID[team])
    assert data[SEQUENCES : SEQUENCES + 2].tolist() == oracle.sequences


def test_nine_in_a_row_are_three_in_the_course_and_two_officially():
    for name, worth in (("course", 3), ("official", 2)):
        data = new_data(rules_named(name), Sequence(name).weights.to_array())
        for column in range(9):
            if column != 4:
                put(data, 20 + column, 0, 1)
        moves._move_chip(data, moves.PLACE, 24)
        assert data[SEQUENCES] == worth


def test_line_counts_are_kept_while_chips_come_and_go():
    game, rng = Sequence(rules_named("official", 3)), new_rng(3)
    empty = game.new_state().data
    data = empty.copy()
    placed = []
    for _ in range(300):
        cell = int(below(rng, 100))
        if cell in (0, 9, 90, 99):
            continue
        owner = next((team for team, at in placed if at == cell), None)
        if owner is None:
            placed.append((int(below(rng, 3)), cell))
            put(data, cell, placed[-1][0], 1)
        elif not is_chip(data, LOCKED, owner, cell) and below(rng, 4):
            placed.remove((owner, cell))
            put(data, cell, owner, -1)
        else:
            lock(data, cell, owner)
        for team in range(3):
            levels = [int(level_of(word, team)) for word in data[WINDOWS : WINDOWS + 192]]
            tally = [int(data[TALLY + team]) >> 10 * level & 1023 for level in range(6)]
            assert tally == [levels.count(level) for level in range(6)]
    for team, cell in placed:
        if not is_chip(data, LOCKED, team, cell):
            put(data, cell, team, -1)
    left = [(team, cell) for team, cell in placed if is_chip(data, LOCKED, team, cell)]
    chips = [sum(1 << 4 * team for team, cell in left if cell in line) for line in LINES]
    assert (data[WINDOWS : WINDOWS + 192] & 0xFFF).tolist() == chips
