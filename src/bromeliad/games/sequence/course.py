"""The agent for the course framework: ``class myAgent`` with ``SelectAction(actions, game_state)``.

It never raises, always returns an element of ``actions``, and needs well under a second per move. A thread that starts
with the agent compiles the kernels; the first move, which may take fifteen seconds, waits for it. If the kernels are
not ready in time (on a machine that never compiled them), moves are chosen by counting chips in line.

The framework shows every player's past actions, so the agent knows which cards the others have drafted and not played
yet. It uses no other hidden information that the framework may have left in a state.
"""

import logging
import threading
import time
from collections import Counter
from collections.abc import Sequence as List
from importlib import import_module
from typing import Any

from bromeliad.games.sequence.board import LENGTH, STEPS
from bromeliad.games.sequence.rules import SIDE

try:
    from template import Agent  # type: ignore[import-not-found]
except ImportError:  # outside the framework

    class Agent:  # type: ignore[no-redef]
        """A stand-in for the framework's base class."""

        def __init__(self, _id: int) -> None:
            self.id = _id


SECONDS = 0.85
"""Time for a move; the framework allows one second."""
FIRST_SECONDS = 12.0
"""Time that the first move may wait for the kernels; the framework allows fifteen seconds."""
LOG = logging.getLogger(__name__)
_TYPES = {0: "place", 1: "remove", 2: "trade", 3: "trade"}  # the framework's type of each kind of action

Action = dict[str, Any]


class myAgent(Agent):  # type: ignore[misc]  # noqa: N801 -- the framework requires this name
    """The agent; ``_id`` is its seat."""

    def __init__(self, _id: int) -> None:
        super().__init__(_id)
        self.id = _id
        self._first = True
        self._players: dict[int, Any] = {}
        self._ready = threading.Event()
        threading.Thread(target=self._prepare, daemon=True).start()

    def SelectAction(self, actions: List[Action], game_state: Any) -> Action:  # noqa: N802
        """Return one of ``actions``."""
        began, first, self._first = time.perf_counter(), self._first, False
        try:
            if len(actions) > 1 and self._ready.wait(FIRST_SECONDS if first else 0.5 * SECONDS):
                began = time.perf_counter() if first else began  # the first move may wait and then think
                return self._search(actions, game_state, began + SECONDS)
        except Exception:  # the framework needs an answer, whatever happens
            LOG.debug("the search failed", exc_info=True)
        try:
            return simple_choice(actions, game_state, self.id)
        except Exception:
            return actions[0]

    def _prepare(self) -> None:
        """Compile or load the kernels."""
        import_module("bromeliad.core.kernel_cache").ensure(["bromeliad.games.sequence.game"])
        self._ready.set()

    def _search(self, actions: List[Action], game_state: Any, deadline: float) -> Action:
        from bromeliad.core.budget import Budget

        player = self._player(len(game_state.agents))
        state = read_state(player.game.rules, game_state, self.id).to_state(player.game.new_state())
        answer = player.think(state, Budget(deadline - time.perf_counter()))
        return translate(actions, answer.actions)

    def _player(self, count: int) -> Any:
        from bromeliad.games.sequence.game import Sequence
        from bromeliad.games.sequence.player import Player
        from bromeliad.games.sequence.rules import rules_named

        if count not in self._players:
            self._players[count] = Player(Sequence(rules_named("course", count)), seed=self.id + 1)
        return self._players[count]


def known_cards(agent: Any) -> list[str]:
    """Return the cards that a player has drafted and not played yet."""
    held: Counter[str] = Counter()
    for action, _ in agent.agent_trace.action_reward:
        if action["play_card"]:
            held[action["play_card"]] -= held[action["play_card"]] > 0
            held[action["draft_card"]] += 1
    return list(held.elements())


def read_state(rules: Any, game_state: Any, seat: int) -> Any:
    """Return the framework's position as seen from a seat."""
    from bromeliad.games.sequence.position import Position

    colours = [agent.colour for agent in game_state.agents]
    own = game_state.agents[seat]
    data = {
        "board": ["".join(row) for row in game_state.board.chips],
        "seat": seat,
        "hand": own.hand,
        "draft": game_state.board.draft,
        "discards": game_state.deck.discards,
        "known": {other: known_cards(agent) for other, agent in enumerate(game_state.agents) if other != seat},
        "sequences": [
            sum(agent.completed_seqs for agent in game_state.agents if agent.colour == colour) for colour in colours[:2]
        ],
        "traded": own.trade,
    }
    return Position.from_data(rules, data)


def translate(actions: List[Action], chosen: tuple[int, ...]) -> Action:
    """Return the framework's action for the agent's turn, which is a play and the face-up card to take."""
    from bromeliad.games.sequence.moves import DECLINE, card_of, cell_of, kind_of
    from bromeliad.games.sequence.notation import card_name

    kind = int(kind_of(chosen[0]))
    card = None if kind == DECLINE else card_name(int(card_of(chosen[0]))).lower()
    fitting = [item for item in actions if item["type"] == _TYPES[kind] and item["play_card"] == card]
    if _TYPES[kind] != "trade":
        place = divmod(int(cell_of(chosen[0])), SIDE)
        fitting = [item for item in fitting if tuple(item["coords"]) == place]
    wanted = card_name(int(card_of(chosen[1]))).lower() if len(chosen) > 1 else None
    return next((item for item in fitting if item["draft_card"] == wanted), fitting[0])


def simple_choice(actions: List[Action], game_state: Any, seat: int) -> Action:
    """Return the action whose square is in line with the most chips of either side; needs no kernels."""
    chips = game_state.board.chips
    own = game_state.agents[seat]
    letters = ((own.colour, own.seq_colour, "#"), (own.opp_colour, own.opp_seq_colour, "#"))

    def points(action: Action) -> int:
        if action["coords"] is None:
            return int(action["play_card"] is not None)
        place = tuple(action["coords"])
        counts = [_count_consecutive_fast(chips, place, step, side) for step in STEPS for side in letters]
        return 2 + sum((0, 10, 100, 1000, 10_000)[count - 1] for count in counts)

    return max(actions, key=points)


def _count_consecutive_fast(chips: Any, place: tuple[int, ...], step: tuple[int, int], side: tuple[str, ...]) -> int:
    """Return the length, at most five, of the row that a side's chip on a square would make."""
    count = 1
    for down, right in (step, (-step[0], -step[1])):
        row, column = place[0] + down, place[1] + right
        while count < LENGTH and 0 <= row < SIDE and 0 <= column < SIDE and chips[row][column] in side:
            count, row, column = count + 1, row + down, column + right
    return count
