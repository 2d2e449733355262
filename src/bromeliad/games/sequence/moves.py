"""What can be done in a position of Sequence, and doing it.

An action is a number: what kind it is, a card and a square. A turn is a play and, where cards lie face up, the choice
of one of them: two decisions of the same player, so that a search need not multiply the one by the other.
"""

import numpy as np

from bromeliad.core.jit import Ints, int64, kernel
from bromeliad.core.rng import Rng, below
from bromeliad.games.sequence.board import CARD_OF, CELLS, IS_ONE_EYED, IS_TWO_EYED, geometry
from bromeliad.games.sequence.lines import complete
from bromeliad.games.sequence.state import (
    AGAIN,
    CHIPS,
    DECK,
    DECLARED,
    DISCARDS,
    DRAFT,
    DRAWN,
    FLAG_COUNT,
    FLAG_FIRST,
    FLAG_RESHUFFLE,
    FLAGS,
    GOAL,
    HAND_SIZE,
    LAST,
    LOCKED,
    MOVER,
    OVER,
    PASSES,
    PICK,
    PLAY,
    PLAYERS,
    REFILL,
    SEQUENCES,
    STEP,
    TAKE,
    TEAMS,
    TRADED,
    TURN_LIMIT,
    TURNS,
    WINNER,
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

__all__ = [
    "CHOOSE",
    "DECLINE",
    "EXCHANGE",
    "MOST_ACTIONS",
    "PASS",
    "PLACE",
    "REMOVE",
    "card_of",
    "cell_of",
    "draw_action",
    "happen",
    "is_dead",
    "kind_of",
    "list_actions",
    "make",
    "play",
    "team_of",
]

PLACE, REMOVE, EXCHANGE, DECLINE, CHOOSE, PASS = range(6)
"""Kinds: put a chip, take one away, exchange a dead card, keep it, take a face-up card, nothing can be played."""
MOST_ACTIONS = 4 * CELLS

_SQUARES = geometry.squares
_MASKS = np.zeros((52, 2), np.int64)  # the squares of each card, as two words
_FREE = np.zeros(2, np.int64)  # all squares but the corners
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
    return player % data[TEAMS]


@kernel(inline=True)
def is_dead(data: Ints, card: int) -> bool:
    """Say whether both squares of a card are taken; jacks never die."""
    return _SQUARES[card, 0] >= 0 and not (is_empty(data, _SQUARES[card, 0]) or is_empty(data, _SQUARES[card, 1]))


@kernel(inline=True)
def _list_exchanges(data: Ints, actions: Ints) -> int:
    """List the exchanges of dead cards of the mover's hand."""
    count = 0
    hand = data[hand_at(data[MOVER])]
    while hand:
        card = lowest(hand)
        hand &= hand - 1
        if is_dead(data, card):
            actions[count] = make(EXCHANGE, card, 0)
            count += 1
    return count


@kernel(inline=True)
def _targets(data: Ints, card: int, team: int, word: int) -> int:
    """Return the squares that a card can act on, as one of the two words: a jack of the team's any number."""
    if _TWO_EYED >> card & 1:
        return _FREE[word] & ~taken(data, word)
    if _ONE_EYED >> card & 1:
        chips = taken(data, word) & ~data[CHIPS + 2 * team + word]
        for other in range(data[TEAMS]):
            chips &= ~data[LOCKED + 2 * other + word]
        return chips
    return _MASKS[card, word] & ~taken(data, word)


@kernel(inline=True)
def _chip_action(card: int, cell: int) -> int:
    """Return what a card does to a square."""
    return make(REMOVE if _ONE_EYED >> card & 1 else PLACE, card, cell)


@kernel(inline=True)
def _list_plays(data: Ints, actions: Ints, count: int) -> int:
    """List the plays of the mover's cards; return the new count."""
    hand = data[hand_at(data[MOVER])]
    team = team_of(data, data[MOVER])
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


@kernel
def list_actions(data: Ints, actions: Ints) -> int:
    """List the mover's actions in the order of cards and squares; return how many there are."""
    if data[STEP] == PICK:
        count = 0
        cards = data[DRAFT]
        while cards:
            actions[count] = make(CHOOSE, lowest(cards), 0)
            cards &= cards - 1
            count += 1
        return count
    count = 0
    if data[TRADED] == 0:
        count = _list_exchanges(data, actions)
        if count > 0 and data[FLAGS] & FLAG_FIRST:
            actions[count] = make(DECLINE, 0, 0)
            return count + 1
    count = _list_plays(data, actions, count)
    if count == 0:
        actions[0] = make(PASS, 0, 0)
        count = 1
    return count


@kernel
def draw_action(data: Ints, actions: Ints, rng: Rng) -> int:
    """Return a uniformly random action of the mover: plays are counted, not listed."""
    if data[STEP] == PICK or (data[TRADED] == 0 and _list_exchanges(data, actions) > 0):
        return actions[below(rng, list_actions(data, actions))]
    team = team_of(data, data[MOVER])
    cards = data[hand_at(data[MOVER])]
    total = 0
    while cards:
        for word in range(2):
            total += count_bits(_targets(data, lowest(cards), team, word))
        cards &= cards - 1
    if total == 0:
        return make(PASS, 0, 0)
    index = below(rng, total)
    cards = data[hand_at(data[MOVER])]
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
    """End a game that nobody has won by reaching the goal."""
    data[STEP] = OVER
    data[WINNER] = DRAWN
    if data[FLAGS] & FLAG_COUNT:
        for team in range(data[TEAMS]):
            best = True
            for other in range(data[TEAMS]):
                best = best and (other == team or data[SEQUENCES + team] > data[SEQUENCES + other])
            if best:
                data[WINNER] = team


@kernel(inline=True)
def _next_turn(data: Ints) -> None:
    """Let the next player move."""
    data[TURNS] += 1
    data[TRADED] = 0
    data[STEP] = PLAY
    data[MOVER] = (data[MOVER] + 1) % data[PLAYERS]
    if data[TURNS] >= data[TURN_LIMIT] or data[PASSES] >= data[PLAYERS]:
        _end(data)


@kernel(inline=True)
def _go_on(data: Ints) -> None:
    """Go on after a card was replaced: with the same player after an exchange, else with the next one."""
    if data[DECLARED] and data[DRAFT] == 0:
        _end(data)
    elif data[AGAIN]:
        data[AGAIN] = 0
        data[STEP] = PLAY
    else:
        _next_turn(data)


@kernel(inline=True)
def _replace_card(data: Ints) -> None:
    """Let the mover replace the card that he has played."""
    if data[DECLARED]:
        data[STEP] = PICK
        return
    if data[DECK] == 0 and data[FLAGS] & FLAG_RESHUFFLE:
        data[DECK], data[DECK + 1] = data[DISCARDS], data[DISCARDS + 1]
        data[DISCARDS], data[DISCARDS + 1] = 0, 0
    if data[DECK]:
        data[STEP] = TAKE
    else:
        _go_on(data)


@kernel(inline=True)
def _put_down(data: Ints, card: int) -> None:
    """Discard a card of the mover; if everybody knew that he held one, that is the one."""
    at = hand_at(data[MOVER])
    remove_card(data, at, card)
    if has_card(data, at + 2, card):
        remove_card(data, at + 2, card)
    add_card(data, DISCARDS, card)


@kernel(inline=True)
def _choose(data: Ints, card: int) -> None:
    """Take a face-up card; everybody sees it."""
    at = hand_at(data[MOVER])
    remove_card(data, DRAFT, card)
    add_card(data, at, card)
    add_card(data, at + 2, card)
    if data[DECK]:
        data[STEP] = REFILL
    else:
        _go_on(data)


@kernel(inline=True)
def _move_chip(data: Ints, kind: int, cell: int) -> bool:
    """Place or remove a chip; return whether that wins the game."""
    team = team_of(data, data[MOVER])
    if kind == REMOVE:
        for other in range(data[TEAMS]):
            if is_chip(data, CHIPS, other, cell):
                put(data, cell, other, -1)
        return False
    put(data, cell, team, 1)
    data[SEQUENCES + team] += complete(data, cell, team)
    if data[SEQUENCES + team] < data[GOAL]:
        return False
    data[WINNER] = team
    data[STEP] = OVER
    return True


@kernel
def play(data: Ints, action: int) -> None:
    """Play an action of the mover."""
    kind, card = kind_of(action), card_of(action)
    data[LAST] = action
    if kind == CHOOSE:
        _choose(data, card)
    elif kind == DECLINE:
        data[TRADED] = 1
    elif kind == PASS:
        data[PASSES] += 1
        _next_turn(data)
    else:
        data[PASSES] = 0
        _put_down(data, card)
        if kind == EXCHANGE:
            data[TRADED] = 1
            data[AGAIN] = 1
        elif _move_chip(data, kind, cell_of(action)):
            return
        _replace_card(data)


@kernel
def happen(data: Ints, card: int) -> None:
    """Let a card of the deck come up: dealt, turned up, or drawn by the mover."""
    remove_card(data, DECK, card)
    if data[STEP] == REFILL:
        add_card(data, DRAFT, card)
        _go_on(data)
    elif data[STEP] == TAKE:
        add_card(data, hand_at(data[MOVER]), card)
        _go_on(data)
    elif count_cards(data, DRAFT) < data[DECLARED]:
        add_card(data, DRAFT, card)
    else:  # hands are dealt one by one; MOVER is who gets the next card
        add_card(data, hand_at(data[MOVER]), card)
        if count_cards(data, hand_at(data[MOVER])) == data[HAND_SIZE]:
            data[MOVER] = (data[MOVER] + 1) % data[PLAYERS]
            if data[MOVER] == 0:
                data[STEP] = PLAY
