"""Two games with a hidden card, for one player who must act on what he knows.

*Peek*: a card is red or black. Take a sure prize, guess the colour, or pay to see it and then guess. A search that
looks at each possible card by itself thinks that guessing always wins.

*Kuhn poker* against an opponent with a fixed strategy: the opponent's moves are chance events that depend on his
hidden card.
"""

from typing import NamedTuple

import numpy as np

from bromeliad.core.game import (
    CHANCE,
    TERMINAL,
    GameInfo,
    apply,
    copy_into,
    determinize,
    information_key,
    legal_actions,
    outcome,
    sample_chance,
    to_play,
)
from bromeliad.core.rng import below, uniform

# --- peek: places of the state, in hundredths where they are prizes
COLOUR, SEEN, CHOICE, COST = 0, 1, 2, 3
SAFE, RED, BLACK, PEEK = 0, 1, 2, 3
SAFE_PRIZE = 0.25
PEEK_INFO = GameInfo(name="peek", players=1, max_actions=4, max_length=3, zero_sum=False)


class PeekState(NamedTuple):
    data: np.ndarray


def new_peek(cost_percent):
    return PeekState(np.array([RED, 0, -1, cost_percent], np.int64))


@copy_into.register(PeekState)
def _(target, source):
    for i in range(4):
        target.data[i] = source.data[i]


@to_play.register(PeekState)
def _(state):
    return TERMINAL if state.data[CHOICE] >= 0 else 0


@legal_actions.register(PeekState)
def _(state, actions):
    actions[0] = RED
    actions[1] = BLACK
    if state.data[SEEN]:
        return 2
    actions[2] = SAFE
    actions[3] = PEEK
    return 4


@apply.register(PeekState)
def _(state, action):
    if action == PEEK:
        state.data[SEEN] = 1
    else:
        state.data[CHOICE] = action


@outcome.register(PeekState)
def _(state, player):
    if state.data[CHOICE] == SAFE:
        return SAFE_PRIZE
    paid = 0.01 * state.data[COST] * state.data[SEEN]
    return (1.0 if state.data[CHOICE] == state.data[COLOUR] else -1.0) - paid


@determinize.register(PeekState)
def _(state, rng, observer):
    state.data[COLOUR] = RED + below(rng, 2)


@information_key.register(PeekState)
def _(state):
    return np.int64(1) + state.data[SEEN] * state.data[COLOUR]


# --- Kuhn poker: cards 0, 1, 2; you act first
MINE, THEIRS, STAGE, BET, FOLDED = 0, 1, 2, 3, 4
FIRST, REPLY, LAST, OVER = 0, 1, 2, 3  # stages; REPLY is the opponent's move
PASS, PUSH = 0, 1  # check or fold; bet or call
CALLS = np.array([0.0, 0.3, 1.0])  # how often the opponent calls a bet with each card
BETS = np.array([0.5, 0.0, 1.0])  # how often he bets after a check
KUHN_INFO = GameInfo(name="kuhn", players=1, max_actions=2, max_length=4, zero_sum=False)


class KuhnState(NamedTuple):
    data: np.ndarray


def new_kuhn(mine, stage=FIRST):
    """Return the position of a player with this card, at the first move or (stage LAST) after check and bet."""
    return KuhnState(np.array([mine, (mine + 1) % 3, stage, int(stage == LAST), -1], np.int64))


@copy_into.register(KuhnState)
def _(target, source):
    for i in range(5):
        target.data[i] = source.data[i]


@to_play.register(KuhnState)
def _(state):
    if state.data[STAGE] == OVER:
        return TERMINAL
    return CHANCE if state.data[STAGE] == REPLY else 0


@legal_actions.register(KuhnState)
def _(state, actions):
    actions[0] = PASS
    actions[1] = PUSH
    return 2


@apply.register(KuhnState)
def _(state, action):
    data = state.data
    if data[STAGE] == FIRST:
        data[BET] = action
        data[STAGE] = REPLY
    elif data[STAGE] == LAST:
        data[FOLDED] = 0 if action == PASS else -1
        data[STAGE] = OVER
    elif data[BET]:  # the opponent answers a bet
        data[FOLDED] = 1 if action == PASS else -1
        data[STAGE] = OVER
    else:  # the opponent moves after a check
        data[BET] = action
        data[STAGE] = LAST if action == PUSH else OVER


@sample_chance.register(KuhnState)
def _(state, rng):
    card = state.data[THEIRS]
    push = CALLS[card] if state.data[BET] else BETS[card]
    return np.int64(1) if uniform(rng) < push else np.int64(0)


@outcome.register(KuhnState)
def _(state, player):
    data = state.data
    if data[FOLDED] >= 0:
        return -1.0 if data[FOLDED] == 0 else 1.0
    stake = 2.0 if data[BET] else 1.0
    return stake if data[MINE] > data[THEIRS] else -stake


@determinize.register(KuhnState)
def _(state, rng, observer):
    while True:
        card = below(rng, 3)
        if card == state.data[MINE]:
            continue
        if state.data[STAGE] != LAST or uniform(rng) < BETS[card]:
            state.data[THEIRS] = card
            return


@information_key.register(KuhnState)
def _(state):
    return np.int64(1) + state.data[MINE] + 3 * state.data[STAGE]
