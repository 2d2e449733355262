"""Comparing rules move by move; the oracle replaces the course framework."""

import random
from types import SimpleNamespace

import pytest

from bromeliad.bench.sequence_course import Agreement, Difference, follow_game
from oracles.sequence import Oracle

CHIPS = {"R": "X", "B": "O"}


class Rule:
    """The oracle, with the framework's names."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.oracle = Oracle(2, 2, 6, 2, course=True)
        agents = [SimpleNamespace(hand=[], completed_seqs=0) for _ in range(2)]
        self.current_game_state = SimpleNamespace(agents=agents, board=SimpleNamespace(draft=[], chips=[]))
        self.show()

    def show(self):
        while self.oracle.step in ("deal", "refill"):
            self.oracle.draw(self.dice.choice(self.oracle.deck))
        board = self.current_game_state.board
        board.draft[:] = self.oracle.draft
        letters = [[self.oracle.chips[row, column] for column in range(10)] for row in range(10)]
        board.chips = [[CHIPS.get(letter, letter) for letter in row] for row in letters]
        for seat, agent in enumerate(self.current_game_state.agents):
            agent.hand[:] = self.oracle.hands[seat]
            agent.completed_seqs = self.oracle.sequences[seat]

    @property
    def current_agent_index(self):
        return self.oracle.mover

    def gameEnds(self):
        return self.oracle.step == "over"

    def getLegalActions(self, state, seat):
        found = []
        for kind, card, place in sorted(self.oracle.legal(), key=str):
            named = "trade" if kind in ("exchange", "keep") else kind
            for draft in self.oracle.draft if card else [None]:
                found.append({"play_card": card, "draft_card": draft, "type": named, "coords": place})
        return found

    def update(self, action):
        card = action["play_card"]
        kind = action["type"] if action["type"] != "trade" else "exchange" if card else "keep"
        self.oracle.apply((kind, card, action["coords"]))
        if self.oracle.step == "pick":
            self.oracle.apply(("choose", action["draft_card"], None))
        self.show()


class Forgetful(Rule):
    """Forgets an action in the fifth decision."""

    asked = 0

    def getLegalActions(self, state, seat):
        self.asked += 1
        actions = super().getLegalActions(state, seat)
        return actions[: len(actions) - 5 * (self.asked == 5)]


class Miscounting(Rule):
    """Counts one sequence too many after ten discards."""

    def update(self, action):
        super().update(action)
        self.current_game_state.agents[1].completed_seqs += len(self.oracle.discards) > 9


def test_the_same_rules_agree():
    agreement = Agreement()
    for seed in range(5):
        follow_game(Rule(seed), random.Random(seed), agreement)
    assert agreement.games == 5
    assert agreement.actions > 5 * agreement.decisions > 500


@pytest.mark.parametrize(("rule", "about"), [(Forgetful, "legal actions"), (Miscounting, "sequences")])
def test_differences_are_found(rule, about):
    with pytest.raises(Difference, match=about):
        follow_game(rule(3), random.Random(3), Agreement())
