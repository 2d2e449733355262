"""Sequence for the search: the generic functions of :mod:`bromeliad.core.game`, and the registered game."""

import numpy as np

import bromeliad.games.sequence.state as at
from bromeliad.core import game, table
from bromeliad.core.game import GameInfo
from bromeliad.core.jit import Floats, Ints, int64, kernel
from bromeliad.core.kernel_cache import warmup
from bromeliad.core.rng import Rng, below, uniform
from bromeliad.errors import InputError
from bromeliad.games.sequence.board import LENGTH
from bromeliad.games.sequence.evaluate import best_action, can_win, lines_at, score_action, wins
from bromeliad.games.sequence.moves import MOST_ACTIONS, draw_action, happen, list_actions, play, team_of
from bromeliad.games.sequence.notation import action_name, parse_action
from bromeliad.games.sequence.rules import SequenceRules, rules_named
from bromeliad.games.sequence.state import (
    SequenceState,
    add_card,
    count_cards,
    draw_card,
    hand_at,
    lowest,
    new_data,
    remove_card,
)
from bromeliad.games.sequence.team_value import position_value
from bromeliad.games.sequence.weights import Weight, Weights
from bromeliad.search import warm

_OPENING, _MIDDLE = 20, 50  # turns
_EVENTS = 6  # maximum number of decisions and chance events per turn
_KNOWN_WIN, _OPPONENT_RANDOM = int(Weight.KNOWN_WIN), int(Weight.OPPONENT_RANDOM)


@game.copy_into.register(SequenceState)
def _(target: SequenceState, source: SequenceState) -> None:
    for i in range(source.data.size):
        target.data[i] = source.data[i]


@game.to_play.register(SequenceState)
def _(state: SequenceState) -> int:
    step = state.data[at.STEP]
    if at.PLAY <= step <= at.PICK:
        return state.data[at.MOVER]
    return int64(game.TERMINAL if step == at.OVER else game.CHANCE)


@game.legal_actions.register(SequenceState)
def _(state: SequenceState, actions: Ints) -> int:
    return list_actions(state.data, actions)


@game.random_action.register(SequenceState)
def _(state: SequenceState, actions: Ints, rng: Rng) -> int:
    return int64(draw_action(state.data, actions, rng))


@game.apply.register(SequenceState)
def _(state: SequenceState, action: int) -> None:
    step = state.data[at.STEP]
    if at.PLAY <= step <= at.PICK:
        play(state.data, int64(action))
    else:
        happen(state.data, int64(action))


@game.sample_chance.register(SequenceState)
def _(state: SequenceState, rng: Rng) -> int:
    return draw_card(state.data, at.DECK, rng)


@game.outcome.register(SequenceState)
def _(state: SequenceState, player: int) -> float:
    data = state.data
    if data[at.WINNER] < 0:
        return 0.0
    return 1.0 if data[at.WINNER] == team_of(data, player) else -1.0 / (data[at.TEAMS] - 1)


@game.value_scale.register(SequenceState)
def _(state: SequenceState) -> float:
    return 1.0


@game.score_actions.register(SequenceState)
def _(state: SequenceState, actions: Ints, count: int, scores: Floats) -> None:
    for i in range(count):
        scores[i] = np.float64(score_action(state.data, actions[i]))


@kernel(inline=False)
def _won(data: Ints, values: Floats) -> bool:
    """Write the values of a position if the mover can win at once; return whether the mover can."""
    if data[_KNOWN_WIN] == 0 or data[at.STEP] != at.PLAY or not can_win(data):
        return False
    team = team_of(data, data[at.MOVER])
    for player in range(values.size):
        values[player] = 1.0 if team_of(data, player) == team else -1.0 / (data[at.TEAMS] - 1)
    return True


@kernel(inline=False)
def _passes_by(data: Ints, action: int) -> bool:
    """Return whether an action passes up an immediate win."""
    return data[_KNOWN_WIN] == 1 and data[at.STEP] == at.PLAY and can_win(data) and not wins(data, action)


@game.is_hopeless.register(SequenceState)
def _(state: SequenceState, action: int) -> bool:
    return bool(_passes_by(state.data, action))


@game.leaf_value.register(SequenceState)
def _(state: SequenceState, values: Floats) -> bool:
    return bool(_won(state.data, values))


@game.estimate.register(SequenceState)
def _(state: SequenceState, player: int) -> float:
    return position_value(state.data, team_of(state.data, player))


@kernel(inline=False)
def _guided(data: Ints, actions: Ints, rng: Rng) -> int:
    """Return the move of a playout: the best-scored one, or sometimes a random one for a careless opponent."""
    careless = data[_OPPONENT_RANDOM]
    if careless and team_of(data, data[at.MOVER]) != team_of(data, data[at.EYES]) and 1000.0 * uniform(rng) < careless:
        return int64(draw_action(data, actions, rng))
    return best_action(data, actions, rng)


@game.playout_action.register(SequenceState)
def _(state: SequenceState, actions: Ints, rng: Rng) -> int:
    return int64(_guided(state.data, actions, rng))


@kernel(inline=True)
def _hide(data: Ints, hand: int) -> None:
    """Put the hidden cards of a hand back into the deck."""
    for copies in range(2):
        hidden = data[hand + 1 - copies] & ~data[hand + 3 - copies]
        while hidden:
            add_card(data, at.DECK, lowest(hidden))
            hidden &= hidden - 1
        data[hand + 1 - copies] = data[hand + 3 - copies]


@kernel(inline=False)
def redraw(data: Ints, rng: Rng, observer: int) -> None:
    """Deal the hidden cards of all other hands anew, from the cards that the observer cannot see.

    A seat sees its own hand, the face-up cards, the discards, and every openly taken card that is still in a hand. The
    deck has no order: a card is drawn when it is turned up.
    """
    counts = 0
    for player in range(data[at.PLAYERS]):
        if player != observer:
            hand = hand_at(player)
            counts |= (count_cards(data, hand) - count_cards(data, hand + 2)) << 4 * player
            _hide(data, hand)
    for player in range(data[at.PLAYERS]):
        hand = hand_at(player)
        for _ in range(counts >> 4 * player & 15):
            card = draw_card(data, at.DECK, rng)
            remove_card(data, at.DECK, card)
            add_card(data, hand, card)


@game.determinize.register(SequenceState)
def _(state: SequenceState, rng: Rng, observer: int) -> None:
    redraw(state.data, rng, observer)


@game.phase.register(SequenceState)
def _(state: SequenceState) -> int:
    turns = state.data[at.TURNS]
    return 0 if turns < _OPENING else 1 if turns < _MIDDLE else 2


@game.is_critical.register(SequenceState)
def _(state: SequenceState) -> bool:
    data = state.data
    fours = 0
    for team in range(data[at.TEAMS]):
        fours += lines_at(data, team, LENGTH - 1)
    return fours > 0


class Sequence:
    """Sequence as a registered game. For the notation of actions see :mod:`bromeliad.games.sequence.notation`.

    Parameters
    ----------
    rules
        A rule set, or its name for two players.
    weights
        The numbers that score moves and value positions.
    """

    def __init__(self, rules: SequenceRules | str = "course", weights: Weights | None = None) -> None:
        self.rules = rules_named(rules) if isinstance(rules, str) else rules
        self.weights = weights or Weights()
        dealt = self.rules.draft + self.rules.players * self.rules.hand
        self.info = GameInfo(
            name="sequence",
            players=self.rules.players,
            max_actions=MOST_ACTIONS,
            max_length=dealt + _EVENTS * self.rules.turn_limit,
            zero_sum=True,
        )
        self._undealt = new_data(self.rules, self.weights.to_array())

    def new_state(self) -> SequenceState:
        """Return a game before the deal, which consists of chance events."""
        return SequenceState(self._undealt.copy())

    def random_state(self, rng: Rng) -> SequenceState:
        """Return a state from the middle of a random game."""
        state = self.new_state()
        actions = np.zeros(MOST_ACTIONS, np.int64)
        turns = below(rng, 60)
        while state.data[at.TURNS] < turns or state.data[at.STEP] == at.DEAL:
            player = game.to_play(state)
            if player == game.TERMINAL:
                return self.random_state(rng)
            drawn = game.sample_chance(state, rng) if player == game.CHANCE else game.random_action(state, actions, rng)
            game.apply(state, drawn)
        return state

    def mover(self, state: SequenceState) -> int | None:
        """Return the seat to move, None if the game is over or a chance event comes next."""
        player = int(game.to_play(state))
        return player if player >= 0 else None

    def waits_for_card(self, state: SequenceState) -> bool:
        """Return whether a card from the deck comes next."""
        return bool(game.to_play(state) == game.CHANCE)

    def legal(self, state: SequenceState) -> list[int]:
        """Return the mover's legal actions; none if there is no mover."""
        return table.list_actions(self, state)

    def advance(self, state: SequenceState, action: int) -> None:
        """Play an action of the mover, or deal a card from the deck."""
        game.apply(state, action)

    def action_to_string(self, state: SequenceState, action: int) -> str:
        """Return an action as text: ``7c@20``, ``7c!`` (exchanged), ``+7c`` (taken), ``keep`` or ``pass``."""
        return action_name(action)

    def action_from_string(self, state: SequenceState, text: str) -> int:
        """Read an action; raise InputError if it is not legal."""
        action = parse_action(text)
        if action not in self.legal(state):
            raise InputError("{text!r} cannot be played in this position", text=text)
        return action


@warmup
def _warm() -> None:
    sequence = Sequence()
    state = sequence.random_state(np.arange(1, 5, dtype=np.uint64))
    while game.to_play(state) < 0:
        state = sequence.random_state(np.arange(1, 5, dtype=np.uint64))
    warm(sequence.info, state, policies=("uct",))  # the policy of its agents
