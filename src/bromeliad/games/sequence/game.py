"""Sequence for the search: its generic functions of :mod:`bromeliad.core.game`, and the registered game."""

import numpy as np

from bromeliad.core.game import (
    CHANCE,
    TERMINAL,
    GameInfo,
    apply,
    copy_into,
    determinize,
    estimate,
    is_critical,
    is_hopeless,
    leaf_value,
    legal_actions,
    outcome,
    phase,
    playout_action,
    random_action,
    sample_chance,
    score_actions,
    to_play,
    value_scale,
)
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
    DEAL,
    DECK,
    EYES,
    MOVER,
    OVER,
    PICK,
    PLAY,
    PLAYERS,
    STEP,
    TEAMS,
    TURNS,
    WINNER,
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

__all__ = ["Sequence", "redraw"]

_OPENING, _MIDDLE = 20, 50  # turns
_EVENTS = 6  # decisions and chance events of a turn, at most
_KNOWN_WIN, _OPPONENT_RANDOM = int(Weight.KNOWN_WIN), int(Weight.OPPONENT_RANDOM)


@copy_into.register(SequenceState)
def _(target: SequenceState, source: SequenceState) -> None:
    for i in range(source.data.size):
        target.data[i] = source.data[i]


@to_play.register(SequenceState)
def _(state: SequenceState) -> int:
    step = state.data[STEP]
    if PLAY <= step <= PICK:
        return state.data[MOVER]
    return int64(TERMINAL if step == OVER else CHANCE)


@legal_actions.register(SequenceState)
def _(state: SequenceState, actions: Ints) -> int:
    return list_actions(state.data, actions)


@random_action.register(SequenceState)
def _(state: SequenceState, actions: Ints, rng: Rng) -> int:
    return int64(draw_action(state.data, actions, rng))


@apply.register(SequenceState)
def _(state: SequenceState, action: int) -> None:
    step = state.data[STEP]
    if PLAY <= step <= PICK:
        play(state.data, int64(action))
    else:
        happen(state.data, int64(action))


@sample_chance.register(SequenceState)
def _(state: SequenceState, rng: Rng) -> int:
    return draw_card(state.data, DECK, rng)


@outcome.register(SequenceState)
def _(state: SequenceState, player: int) -> float:
    data = state.data
    if data[WINNER] < 0:
        return 0.0
    return 1.0 if data[WINNER] == team_of(data, player) else -1.0 / (data[TEAMS] - 1)


@value_scale.register(SequenceState)
def _(state: SequenceState) -> float:
    return 1.0


@score_actions.register(SequenceState)
def _(state: SequenceState, actions: Ints, count: int, scores: Floats) -> None:
    for i in range(count):
        scores[i] = np.float64(score_action(state.data, actions[i]))


@kernel
def _won(data: Ints, values: Floats) -> bool:
    """Write the values of a position in which the mover can win at once; return whether it is one."""
    if data[_KNOWN_WIN] == 0 or data[STEP] != PLAY or not can_win(data):
        return False
    team = team_of(data, data[MOVER])
    for player in range(values.size):
        values[player] = 1.0 if team_of(data, player) == team else -1.0 / (data[TEAMS] - 1)
    return True


@kernel
def _passes_by(data: Ints, action: int) -> bool:
    """Say whether the mover could win at once and this action does not."""
    return data[_KNOWN_WIN] == 1 and data[STEP] == PLAY and can_win(data) and not wins(data, action)


@is_hopeless.register(SequenceState)
def _(state: SequenceState, action: int) -> bool:
    return bool(_passes_by(state.data, action))


@leaf_value.register(SequenceState)
def _(state: SequenceState, values: Floats) -> bool:
    return bool(_won(state.data, values))


@estimate.register(SequenceState)
def _(state: SequenceState, player: int) -> float:
    return position_value(state.data, team_of(state.data, player))


@kernel
def _guided(data: Ints, actions: Ints, rng: Rng) -> int:
    """Return the playout's move: the best-looking, or a random one of an opponent who is known to be careless."""
    careless = data[_OPPONENT_RANDOM]
    if careless and team_of(data, data[MOVER]) != team_of(data, data[EYES]) and 1000.0 * uniform(rng) < careless:
        return int64(draw_action(data, actions, rng))
    return best_action(data, actions, rng)


@playout_action.register(SequenceState)
def _(state: SequenceState, actions: Ints, rng: Rng) -> int:
    return int64(_guided(state.data, actions, rng))


@kernel(inline=True)
def _hide(data: Ints, at: int) -> None:
    """Put the cards of a hand that nobody else has seen into the deck."""
    for copies in range(2):
        hidden = data[at + 1 - copies] & ~data[at + 3 - copies]
        while hidden:
            add_card(data, DECK, lowest(hidden))
            hidden &= hidden - 1
        data[at + 1 - copies] = data[at + 3 - copies]


@kernel
def redraw(data: Ints, rng: Rng, observer: int) -> None:
    """Deal the hidden cards of all other hands anew, among those that the observer has not seen.

    A seat sees its own hand, the face-up cards, the discards and every card that somebody took from the face-up ones
    and still holds. The order of the deck is hidden by not existing: a card is drawn when it is turned up.
    """
    counts = 0
    for player in range(data[PLAYERS]):
        if player != observer:
            at = hand_at(player)
            counts |= (count_cards(data, at) - count_cards(data, at + 2)) << 4 * player
            _hide(data, at)
    for player in range(data[PLAYERS]):
        at = hand_at(player)
        for _ in range(counts >> 4 * player & 15):
            card = draw_card(data, DECK, rng)
            remove_card(data, DECK, card)
            add_card(data, at, card)


@determinize.register(SequenceState)
def _(state: SequenceState, rng: Rng, observer: int) -> None:
    redraw(state.data, rng, observer)


@phase.register(SequenceState)
def _(state: SequenceState) -> int:
    turns = state.data[TURNS]
    return 0 if turns < _OPENING else 1 if turns < _MIDDLE else 2


@is_critical.register(SequenceState)
def _(state: SequenceState) -> bool:
    data = state.data
    fours = 0
    for team in range(data[TEAMS]):
        fours += lines_at(data, team, LENGTH - 1)
    return fours > 0


class Sequence:
    """Sequence as a registered game. People write actions like ``7c@20``: see :mod:`bromeliad.games.sequence.notation`.

    Parameters
    ----------
    rules
        A rule set or its name; a name means two players.
    weights
        By what moves are scored and positions valued.
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
        """Return a game whose cards are still to be dealt: chance events."""
        return SequenceState(self._undealt.copy())

    def random_state(self, rng: Rng) -> SequenceState:
        """Return a state from the middle of a random game."""
        state = self.new_state()
        actions = np.zeros(MOST_ACTIONS, np.int64)
        turns = below(rng, 60)
        while state.data[TURNS] < turns or state.data[STEP] == DEAL:
            player = to_play(state)
            if player == TERMINAL:
                return self.random_state(rng)
            drawn = sample_chance(state, rng) if player == CHANCE else random_action(state, actions, rng)
            apply(state, drawn)
        return state

    def mover(self, state: SequenceState) -> int | None:
        """Return the seat that is to move, None if the game is over or a card is to come up."""
        player = int(to_play(state))
        return player if player >= 0 else None

    def waits_for_card(self, state: SequenceState) -> bool:
        """Say whether a card of the deck is to come up next."""
        return bool(to_play(state) == CHANCE)

    def legal(self, state: SequenceState) -> list[int]:
        """Return the mover's actions, none if there is no mover."""
        actions = np.zeros(MOST_ACTIONS, np.int64)
        return [int(action) for action in actions[: list_actions(state.data, actions)]] if to_play(state) >= 0 else []

    def advance(self, state: SequenceState, action: int) -> None:
        """Play an action of the mover, or let a card come up."""
        apply(state, action)

    def situation(self, state: SequenceState) -> tuple[int, bool]:
        """Return the phase of the game (0 to 2), and whether the decision is critical: a line of four is open."""
        return int(phase(state)), bool(is_critical(state))

    def action_to_string(self, state: SequenceState, action: int) -> str:
        """Write an action: ``7c@20``, ``7c!`` (exchanged), ``+7c`` (taken), ``keep`` or ``pass``."""
        return action_name(action)

    def action_from_string(self, state: SequenceState, text: str) -> int:
        """Read an action, and refuse one that is not legal here."""
        action = parse_action(text)
        if action not in self.legal(state):
            raise InputError("{text!r} cannot be played in this position", text=text)
        return action


@warmup
def _warm() -> None:
    game = Sequence()
    state = game.random_state(np.arange(1, 5, dtype=np.uint64))
    while to_play(state) < 0:
        state = game.random_state(np.arange(1, 5, dtype=np.uint64))
    warm(game.info, state, policies=("uct",))  # what its agents use
