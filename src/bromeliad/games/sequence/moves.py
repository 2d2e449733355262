"""The actions of Sequence: listing and playing them.

An action is a number made of a kind, a card and a square. A turn is a play and, if there are face-up cards, the choice
of one of them. These are two decisions, so that a search does not have to try every combination.
"""

import numpy as np

import bromeliad.games.sequence.state as at
from bromeliad.core.jit import Ints, int64, kernel
from bromeliad.core.rng import Rng, below
from bromeliad.games.sequence.board import CARD_OF, CELLS, IS_ONE_EYED, IS_TWO_EYED, geometry
from bromeliad.games.sequence.lines import complete
from bromeliad.games.sequence.state import (
    add_card,
    count_bits,
    count_cards,
    hand_at,
    has_card,
    is_chip,
    is_empty,
    lowest,
    nth_bit,
    put,
    remove_card,
    taken,
)

PLACE, REMOVE, EXCHANGE, DECLINE, CHOOSE, PASS = range(6)
"""Kinds: place a chip, remove one, exchange a dead card, keep it, take a face-up card, pass."""
MOST_ACTIONS = 4 * CELLS

_SQUARES = geometry.squares
_MASKS = np.zeros((52, 2), np.int64)  # the squares of each card, as two words
_FREE = np.zeros(2, np.int64)  # all squares except the corners
for _cell, _card in enumerate(CARD_OF):
    if _card >= 0:
        _MASKS[_card, _cell >> 6] |= np.uint64(1 << (_cell & 63)).view(np.int64)
        _FREE[_cell >> 6] |= np.uint64(1 << (_cell & 63)).view(np.int64)
_TWO_EYED, _ONE_EYED = int64(IS_TWO_EYED), int64(IS_ONE_EYED)


@kernel(inline=True)
def make(kind: int, card: int, cell: int) -> int:
    """Return the number of an action."""
    return int64(kind << 16 | card << 8 | cell)


@kernel(inline=True)
def kind_of(action: int) -> int:
    """Return the kind of an action."""
    return action >> 16


@kernel(inline=True)
def card_of(action: int) -> int:
    """Return the card of an action."""
    return action >> 8 & 255


@kernel(inline=True)
def cell_of(action: int) -> int:
    """Return the square of an action."""
    return action & 255


@kernel(inline=True)
def team_of(data: Ints, player: int) -> int:
    """Return the team of a player."""
    return player % data[at.TEAMS]


@kernel(inline=True)
def _is_dead(data: Ints, card: int) -> bool:
    """Return whether both squares of a card are taken; jacks are never dead."""
    return _SQUARES[card, 0] >= 0 and not (is_empty(data, _SQUARES[card, 0]) or is_empty(data, _SQUARES[card, 1]))


@kernel(inline=True)
def _list_exchanges(data: Ints, actions: Ints) -> int:
    """List the exchanges of dead cards in the mover's hand; return their number."""
    count = 0
    hand = data[hand_at(data[at.MOVER])]
    while hand:
        card = lowest(hand)
        hand &= hand - 1
        if _is_dead(data, card):
            actions[count] = make(EXCHANGE, card, 0)
            count += 1
    return count


@kernel(inline=True)
def _targets(data: Ints, card: int, team: int, word: int) -> int:
    """Return word 0 or 1 of the mask of squares on which a team can play a card."""
    if _TWO_EYED >> card & 1:
        return _FREE[word] & ~taken(data, word)
    if _ONE_EYED >> card & 1:
        chips = taken(data, word) & ~data[at.CHIPS + 2 * team + word]
        for other in range(data[at.TEAMS]):
            chips &= ~data[at.LOCKED + 2 * other + word]
        return chips
    return _MASKS[card, word] & ~taken(data, word)


@kernel(inline=True)
def _chip_action(card: int, cell: int) -> int:
    """Return the action that plays a card on a square."""
    return make(REMOVE if _ONE_EYED >> card & 1 else PLACE, card, cell)


@kernel(inline=True)
def _list_plays(data: Ints, actions: Ints, count: int) -> int:
    """List the plays of the mover's cards after the first ``count`` actions; return the new count."""
    hand = data[hand_at(data[at.MOVER])]
    team = team_of(data, data[at.MOVER])
    while hand:
        card = lowest(hand)
        hand &= hand - 1
        for word in range(2):
            cells = _targets(data, card, team, word)
            while cells:
                actions[count] = _chip_action(card, 64 * word + lowest(cells))
                cells &= cells - 1
                count += 1
    return count


@kernel(inline=False)
def list_actions(data: Ints, actions: Ints) -> int:
    """List the mover's actions in the order of cards and squares; return their number."""
    if data[at.STEP] == at.PICK:
        count = 0
        cards = data[at.DRAFT]
        while cards:
            actions[count] = make(CHOOSE, lowest(cards), 0)
            cards &= cards - 1
            count += 1
        return count
    count = 0
    if data[at.TRADED] == 0:
        count = _list_exchanges(data, actions)
        if count > 0 and data[at.FLAGS] & at.FLAG_FIRST:
            actions[count] = make(DECLINE, 0, 0)
            return count + 1
    count = _list_plays(data, actions, count)
    if count == 0:
        actions[0] = make(PASS, 0, 0)
        count = 1
    return count


@kernel(inline=False)
def draw_action(data: Ints, actions: Ints, rng: Rng) -> int:
    """Return a uniformly random action of the mover, counting plays instead of listing them."""
    if data[at.STEP] == at.PICK or (data[at.TRADED] == 0 and _list_exchanges(data, actions) > 0):
        return actions[below(rng, list_actions(data, actions))]
    team = team_of(data, data[at.MOVER])
    cards = data[hand_at(data[at.MOVER])]
    total = 0
    while cards:
        for word in range(2):
            total += count_bits(_targets(data, lowest(cards), team, word))
        cards &= cards - 1
    if total == 0:
        return make(PASS, 0, 0)
    index = below(rng, total)
    cards = data[hand_at(data[at.MOVER])]
    while True:
        card = lowest(cards)
        cards &= cards - 1
        for word in range(2):
            cells = _targets(data, card, team, word)
            size = count_bits(cells)
            if index < size:
                return _chip_action(card, 64 * word + nth_bit(cells, index))
            index -= size


@kernel(inline=True)
def _end(data: Ints) -> None:
    """End a game in which no team has reached the goal."""
    data[at.STEP] = at.OVER
    data[at.WINNER] = at.DRAWN
    if data[at.FLAGS] & at.FLAG_COUNT:
        for team in range(data[at.TEAMS]):
            best = True
            for other in range(data[at.TEAMS]):
                best = best and (other == team or data[at.SEQUENCES + team] > data[at.SEQUENCES + other])
            if best:
                data[at.WINNER] = team


@kernel(inline=True)
def _next_turn(data: Ints) -> None:
    """Start the next player's turn."""
    data[at.TURNS] += 1
    data[at.TRADED] = 0
    data[at.STEP] = at.PLAY
    data[at.MOVER] = (data[at.MOVER] + 1) % data[at.PLAYERS]
    if data[at.TURNS] >= data[at.TURN_LIMIT] or data[at.PASSES] >= data[at.PLAYERS]:
        _end(data)


@kernel(inline=True)
def _go_on(data: Ints) -> None:
    """Go on after a card was replaced, with the same player after an exchange, otherwise with the next one."""
    if data[at.DECLARED] and data[at.DRAFT] == 0:
        _end(data)
    elif data[at.AGAIN]:
        data[at.AGAIN] = 0
        data[at.STEP] = at.PLAY
    else:
        _next_turn(data)


@kernel(inline=True)
def _replace_card(data: Ints) -> None:
    """Let the mover take or draw a card for the one played; go on if there is none."""
    if data[at.DECLARED]:
        data[at.STEP] = at.PICK
        return
    if data[at.DECK] == 0 and data[at.FLAGS] & at.FLAG_RESHUFFLE:
        data[at.DECK], data[at.DECK + 1] = data[at.DISCARDS], data[at.DISCARDS + 1]
        data[at.DISCARDS], data[at.DISCARDS + 1] = 0, 0
    if data[at.DECK]:
        data[at.STEP] = at.TAKE
    else:
        _go_on(data)


@kernel(inline=True)
def _put_down(data: Ints, card: int) -> None:
    """Discard a card of the mover; of two copies, one that was taken openly goes first."""
    hand = hand_at(data[at.MOVER])
    remove_card(data, hand, card)
    if has_card(data, hand + 2, card):
        remove_card(data, hand + 2, card)
    add_card(data, at.DISCARDS, card)


@kernel(inline=True)
def _choose(data: Ints, card: int) -> None:
    """Take a face-up card, which becomes a known card of the mover."""
    hand = hand_at(data[at.MOVER])
    remove_card(data, at.DRAFT, card)
    add_card(data, hand, card)
    add_card(data, hand + 2, card)
    if data[at.DECK]:
        data[at.STEP] = at.REFILL
    else:
        _go_on(data)


@kernel(inline=True)
def _move_chip(data: Ints, kind: int, cell: int) -> bool:
    """Place or remove a chip; return whether that wins the game."""
    team = team_of(data, data[at.MOVER])
    if kind == REMOVE:
        for other in range(data[at.TEAMS]):
            if is_chip(data, at.CHIPS, other, cell):
                put(data, cell, other, -1)
        return False
    put(data, cell, team, 1)
    data[at.SEQUENCES + team] += complete(data, cell, team)
    if data[at.SEQUENCES + team] < data[at.GOAL]:
        return False
    data[at.WINNER] = team
    data[at.STEP] = at.OVER
    return True


@kernel(inline=False)
def play(data: Ints, action: int) -> None:
    """Play an action of the mover."""
    kind, card = kind_of(action), card_of(action)
    data[at.LAST] = action
    if kind == CHOOSE:
        _choose(data, card)
    elif kind == DECLINE:
        data[at.TRADED] = 1
    elif kind == PASS:
        data[at.PASSES] += 1
        _next_turn(data)
    else:
        data[at.PASSES] = 0
        _put_down(data, card)
        if kind == EXCHANGE:
            data[at.TRADED] = 1
            data[at.AGAIN] = 1
        elif _move_chip(data, kind, cell_of(action)):
            return
        _replace_card(data)


@kernel(inline=False)
def happen(data: Ints, card: int) -> None:
    """Move a card from the deck: deal it, turn it up, or let the mover draw it."""
    remove_card(data, at.DECK, card)
    if data[at.STEP] == at.REFILL:
        add_card(data, at.DRAFT, card)
        _go_on(data)
    elif data[at.STEP] == at.TAKE:
        add_card(data, hand_at(data[at.MOVER]), card)
        _go_on(data)
    elif count_cards(data, at.DRAFT) < data[at.DECLARED]:
        add_card(data, at.DRAFT, card)
    else:  # hands are dealt one by one; MOVER gets the next card
        add_card(data, hand_at(data[at.MOVER]), card)
        if count_cards(data, hand_at(data[at.MOVER])) == data[at.HAND_SIZE]:
            data[at.MOVER] = (data[at.MOVER] + 1) % data[at.PLAYERS]
            if data[at.MOVER] == 0:
                data[at.STEP] = at.PLAY
