"""The agent of the course framework, in games of the oracle that look like the framework's."""

import random
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import bromeliad
from bromeliad.games.sequence import course
from oracles.sequence import CARD_AT, Oracle

LETTERS = {"r": "r", "b": "b", "R": "X", "B": "O", "#": "#", "_": "_"}
COLOURS = (("r", "X"), ("b", "O"))


class Framework:
    """A game of the oracle in the form of the framework's game states."""

    def __init__(self, seed, players=2):
        self.dice = random.Random(seed)
        self.oracle = Oracle(players, 2, 6, 2, course=True)
        self.traces = [[] for _ in range(players)]
        self.scores = [0] * players
        self.deal()

    def deal(self):
        while self.oracle.step in ("deal", "refill"):
            self.oracle.draw(self.dice.choice(self.oracle.deck))

    def state(self, seat):
        agents = []
        for player in range(self.oracle.players):
            (own, locked), (other, other_locked) = COLOURS[player % 2], COLOURS[1 - player % 2]
            agent = SimpleNamespace(
                id=player,
                colour=own,
                seq_colour=locked,
                opp_colour=other,
                opp_seq_colour=other_locked,
                completed_seqs=self.scores[player],
                trade=self.oracle.traded if player == seat else False,
                agent_trace=SimpleNamespace(action_reward=self.traces[player]),
            )
            if player == seat:
                agent.hand = list(self.oracle.hands[player])
            agents.append(agent)
        chips = [[LETTERS[self.oracle.chips[row, column]] for column in range(10)] for row in range(10)]
        return SimpleNamespace(
            agents=agents,
            board=SimpleNamespace(chips=chips, draft=list(self.oracle.draft)),
            deck=SimpleNamespace(discards=list(self.oracle.discards)),
        )

    def actions(self):
        found = []
        for kind, card, place in sorted(self.oracle.legal(), key=str):
            if kind == "keep":
                found.append({"play_card": None, "draft_card": None, "type": "trade", "coords": None})
                continue
            named = "trade" if kind == "exchange" else kind
            for draft in self.oracle.draft:
                found.append({"play_card": card, "draft_card": draft, "type": named, "coords": place})
        return found

    def play(self, action):
        seat = self.oracle.mover
        before = self.oracle.sequences[seat % 2]
        if action["play_card"] is None:
            self.oracle.apply(("keep", None, None))
        else:
            kind = "exchange" if action["type"] == "trade" else action["type"]
            self.oracle.apply((kind, action["play_card"], action["coords"]))
            if self.oracle.step == "pick":
                self.oracle.apply(("choose", action["draft_card"], None))
        self.scores[seat] += self.oracle.sequences[seat % 2] - before
        self.traces[seat].append((action, 0))
        self.deal()


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(course, "SECONDS", 0.02)
    monkeypatch.setattr(course, "FIRST_SECONDS", 120.0)  # a busy machine may load the kernels slowly


@pytest.mark.parametrize("players", [2, 4])
def test_whole_games_with_legal_answers(players):
    game = Framework(3, players)
    agents = [course.myAgent(seat) for seat in range(players)]
    longest, moves = 0.0, 0
    while game.oracle.step != "over" and ("pass", None, None) not in game.oracle.legal():
        seat, actions = game.oracle.mover, game.actions()
        began = time.thread_time()  # other processes may keep the machine busy
        chosen = agents[seat].SelectAction(actions, game.state(seat))
        longest = max(longest, time.thread_time() - began) if moves >= players else 0.0
        assert chosen in actions
        game.play(chosen)
        moves += 1
    assert moves > 10
    assert longest < 0.9


def test_the_simple_choice_answers_if_the_search_fails(monkeypatch):
    game = Framework(5)
    agent = course.myAgent(0)
    monkeypatch.setattr(agent, "_search", lambda *args: 1 / 0)
    actions = game.actions()
    best = course.simple_choice(actions, game.state(0), 0)
    assert agent.SelectAction(actions, game.state(0)) == best != actions[0]
    assert agent.SelectAction(actions, None) == actions[0]


def test_the_search_answers_if_the_kernels_are_ready(monkeypatch):
    game = Framework(5)
    agent = course.myAgent(0)
    monkeypatch.setattr(course, "simple_choice", lambda *args: pytest.fail("the kernels were not ready"))
    assert agent.SelectAction(game.actions(), game.state(0)) in game.actions()


def test_a_search_whose_time_is_over_answers_at_once():
    game = Framework(5)
    agent = course.myAgent(0)
    agent.SelectAction(game.actions(), game.state(0))  # the kernels are ready
    began = time.thread_time()
    assert agent._search(game.actions(), game.state(0), time.perf_counter() - 1.0) in game.actions()
    assert time.thread_time() - began < 0.5


def test_known_cards_are_those_drafted_and_not_played():
    trace = [
        ({"play_card": "2c", "draft_card": "jd", "type": "place", "coords": (1, 4)}, 0),
        ({"play_card": None, "draft_card": None, "type": "trade", "coords": None}, 0),
        ({"play_card": "3c", "draft_card": "3c", "type": "place", "coords": (1, 3)}, 0),
        ({"play_card": "3c", "draft_card": "as", "type": "place", "coords": (3, 5)}, 0),
    ]
    agent = SimpleNamespace(agent_trace=SimpleNamespace(action_reward=trace))
    assert sorted(course.known_cards(agent)) == ["as", "jd"]


def test_broken_states_get_a_legal_answer():
    game = Framework(7)
    agent = course.myAgent(0)
    actions = game.actions()
    for broken in (None, SimpleNamespace(), SimpleNamespace(agents=[]), game.state(1)):
        assert agent.SelectAction(actions, broken) in actions


def test_without_kernels_chips_in_line_are_counted():
    game = Framework(9)
    for column in range(1, 5):
        game.oracle.chips[3, column] = "r"
    actions = [
        {"play_card": card, "draft_card": "2c", "type": "place", "coords": place}
        for place, card in CARD_AT.items()
        if game.oracle.chips[place] == "_"
    ]
    assert course.simple_choice(actions, game.state(0), 0)["coords"] in ((3, 0), (3, 5))


def test_the_frameworks_own_base_class_is_used(tmp_path):
    """The framework puts its template on the path; importing the agent must not load Numba."""
    (tmp_path / "template.py").write_text("class Agent:\n    def __init__(self, _id):\n        self.id = _id\n")
    source = Path(bromeliad.__file__).parents[1]
    code = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(source)!r}]\n"
        "import bromeliad.games.sequence.course as course, template\n"
        "assert 'numba' not in sys.modules\n"
        "assert issubclass(course.myAgent, template.Agent)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)
