"""Scores of moves, by the lines through their squares."""

import numpy as np

import bromeliad.games.sequence.state as at
from bromeliad.core.jit import Ints, int64, kernel
from bromeliad.core.rng import Rng, below
from bromeliad.games.sequence.board import CELLS, IS_ONE_EYED, IS_TWO_EYED, LENGTH, geometry
from bromeliad.games.sequence.lines import completes_heart, count_new
from bromeliad.games.sequence.moves import (
    CHOOSE,
    EXCHANGE,
    PLACE,
    REMOVE,
    card_of,
    cell_of,
    kind_of,
    list_actions,
    make,
    team_of,
)
from bromeliad.games.sequence.rules import SIDE
from bromeliad.games.sequence.state import hand_at, is_chip, is_empty, level_of, lowest
from bromeliad.games.sequence.weights import Weight

_THROUGH, _LINES = geometry.through, geometry.lines
_SQUARES, _CARDS = geometry.squares, geometry.cards
_JACKS = int64(IS_ONE_EYED | IS_TWO_EYED)
_TWO_EYED = int64(IS_TWO_EYED)
_HAS_CORNER = np.array([int(any(_CARDS[cell] < 0 for cell in line)) for line in _LINES])


def _zones() -> list[int]:
    """Return the place of each square's weight: that of the edge, the centre or the squares between."""
    zones: list[int] = []
    for cell in range(SIDE * SIDE):
        row, column = divmod(cell, SIDE)
        nearest = min(row, column, SIDE - 1 - row, SIDE - 1 - column)
        zones.append(Weight.EDGE if nearest == 0 else Weight.CENTRE if nearest >= 3 else Weight.INNER)
    return zones


_ZONE = np.array(_zones(), np.int64)
_FOUR = LENGTH - 1
_OWN, _BLOCK, _CORNER = int(Weight.OWN), int(Weight.BLOCK), int(Weight.CORNER)
_HEART_OWN, _HEART_BLOCK = int(Weight.HEART_OWN), int(Weight.HEART_BLOCK)
_GOAL, _TWO, _ONE = int(Weight.GOAL), int(Weight.TWO_EYED), int(Weight.ONE_EYED)
_DENY = int(Weight.DENY)


@kernel(inline=True)
def lines_at(data: Ints, team: int, level: int) -> int:
    """Return the number of lines with ``level`` chips of a team that the team can still fill."""
    return data[at.TALLY + team] >> at.LEVEL_WIDTH * level & at.LEVEL


@kernel(inline=True)
def heart_level(data: Ints, team: int) -> int:
    """Return how many squares of the heart a team holds; -1 if another team holds one, or there is no heart."""
    heart = data[at.HEART]
    if heart == 0:
        return int64(-1)
    for other in range(data[at.TEAMS]):
        if other != team and data[at.CHIPS + 2 * other] & heart:
            return int64(-1)
    word = data[at.CHIPS + 2 * team] & heart
    count = int64(0)
    while word:
        word &= word - 1
        count += 1
    return count


@kernel(inline=True)
def _is_heart(data: Ints, cell: int) -> bool:
    return cell < 64 and data[at.HEART] >> cell & 1 == 1


@kernel(inline=True)
def _new_sequences(data: Ints, cell: int, team: int, fours: int) -> int:
    """Return the number of sequences that a chip on an empty square completes; ``fours`` lines lack only this chip.

    Lines of one direction overlap, and two sequences may share only one chip, so the number may be less than ``fours``.
    """
    if fours > 1:
        return int64(count_new(data, cell, team)[0])
    return int64(fours) + (data[at.HEART_WORTH] if completes_heart(data, cell, team) else 0)


@kernel(inline=False)
def place_score(data: Ints, cell: int, team: int) -> int:
    """Return the score of a team's chip on an empty square."""
    score = data[_ZONE[cell]]
    fours = 0
    for i in range(_THROUGH[cell, 0]):
        line = _THROUGH[cell, 1 + i]
        word = data[at.WINDOWS + line]
        own = level_of(word, team)
        gain = int64(0)
        if own == _FOUR:
            gain = data[_OWN + own] if fours == 0 else 0  # further lines of four are counted below
            fours += 1
        elif own > 0:
            gain = data[_OWN + own]
        for other in range(data[at.TEAMS]):
            if other != team:
                theirs = level_of(word, other)
                gain += data[_BLOCK + theirs] if theirs > 0 else 0
        score += gain * data[_CORNER] // 1000 if _HAS_CORNER[line] else gain
    if _is_heart(data, cell):
        own = heart_level(data, team)
        if own >= 0:
            score += data[_HEART_OWN + own]
        for other in range(data[at.TEAMS]):
            theirs = heart_level(data, other) if other != team else int64(-1)
            score += data[_HEART_BLOCK + theirs] if theirs > 0 else 0
    made = _new_sequences(data, cell, team, fours)
    if fours > 1:
        score += (made - 1) * data[_OWN + _FOUR]
    if data[at.SEQUENCES + team] + made >= data[at.GOAL]:
        score += data[_GOAL]
    return score


@kernel(inline=False)
def _remove_score(data: Ints, cell: int, team: int) -> int:
    """Return the score of removing an opponent's chip."""
    score = int64(0)
    for other in range(data[at.TEAMS]):
        if other == team or not is_chip(data, at.CHIPS, other, cell):
            continue
        for i in range(_THROUGH[cell, 0]):
            word = data[at.WINDOWS + _THROUGH[cell, 1 + i]]
            theirs = level_of(word, other)
            if theirs > 0:
                score += data[_BLOCK + min(theirs, _FOUR)]
            own = level_of(word - (int64(1) << 4 * other), team)  # the line without the chip
            score += data[_OWN + own] // 2 if own > 0 else 0
        if _is_heart(data, cell):
            theirs = heart_level(data, other)
            score += data[_HEART_BLOCK + theirs] if theirs > 0 else 0
    return score


@kernel(inline=False)
def card_worth(data: Ints, card: int, team: int) -> int:
    """Return the value of a card in a team's hand: the score of its best play now, or the fixed value of a jack."""
    if _JACKS >> card & 1:
        return data[_TWO] if _TWO_EYED >> card & 1 else data[_ONE]
    best = int64(0)
    for i in range(2):
        cell = _SQUARES[card, i]
        if is_empty(data, cell):
            best = max(best, int64(place_score(data, cell, team)))
    return best


@kernel(inline=False)
def score_action(data: Ints, action: int) -> int:
    """Return the score of an action of the mover."""
    kind, card = kind_of(action), card_of(action)
    team = team_of(data, data[at.MOVER])
    if kind == PLACE:
        cost = data[_TWO] if _TWO_EYED >> card & 1 else 0
        return place_score(data, cell_of(action), team) - cost
    if kind == REMOVE:
        return _remove_score(data, cell_of(action), team) - data[_ONE]
    if kind == CHOOSE:
        score = card_worth(data, card, team)
        if data[_DENY]:
            score += card_worth(data, card, (team + 1) % data[at.TEAMS]) * data[_DENY] // 1000
        return score
    return int64(kind == EXCHANGE)


@kernel(inline=True)
def _completes(data: Ints, cell: int, team: int, missing: int) -> bool:
    """Return whether a team's chip on an empty square completes at least ``missing`` sequences."""
    fours = 0
    for i in range(_THROUGH[cell, 0]):
        fours += level_of(data[at.WINDOWS + _THROUGH[cell, 1 + i]], team) == _FOUR
    return _new_sequences(data, cell, team, fours) >= missing


@kernel(inline=False)
def wins(data: Ints, action: int) -> bool:
    """Return whether an action of the mover wins the game."""
    team = team_of(data, data[at.MOVER])
    missing = data[at.GOAL] - data[at.SEQUENCES + team]
    return kind_of(action) == PLACE and _completes(data, cell_of(action), team, missing)


@kernel(inline=False)
def _jack_wins(data: Ints, team: int, missing: int) -> bool:
    """Return whether a chip on some empty square wins."""
    for cell in range(CELLS):
        if _CARDS[cell] >= 0 and is_empty(data, cell) and _completes(data, cell, team, missing):
            return True
    return False


@kernel(inline=False)
def can_win(data: Ints) -> bool:
    """Return whether the mover can win at once with a card in hand."""
    player = data[at.MOVER]
    team = team_of(data, player)
    hand = data[hand_at(player)]
    missing = data[at.GOAL] - data[at.SEQUENCES + team]
    fours = lines_at(data, team, _FOUR)
    heart = heart_level(data, team) == 3
    if not (fours >= missing or (heart and fours + data[at.HEART_WORTH] >= missing)):
        return False
    if hand & _TWO_EYED and ((fours and missing <= 1) or _jack_wins(data, team, missing)):
        return True
    hand &= ~_JACKS
    while hand:
        card = lowest(hand)
        hand &= hand - 1
        for i in range(2):
            cell = _SQUARES[card, i]
            if is_empty(data, cell) and _completes(data, cell, team, missing):
                return True
    return False


@kernel(inline=True)
def _best_jack(data: Ints, team: int, best: int, score: int) -> int:
    """Return the best play of a two-eyed jack on a line of four, or ``best`` if no such play beats its ``score``."""
    hand = data[hand_at(data[at.MOVER])]
    jack = lowest(hand & _TWO_EYED)
    for line in range(_LINES.shape[0]):
        word = data[at.WINDOWS + line]
        pressing = False
        for side in range(data[at.TEAMS]):
            pressing = pressing or level_of(word, side) == _FOUR
        for i in range(LENGTH if pressing else 0):
            cell = _LINES[line, i]
            if _CARDS[cell] >= 0 and is_empty(data, cell):
                found = place_score(data, cell, team) - data[_TWO]
                if found > score:
                    score = found
                    best = make(PLACE, jack, cell)
    return best


@kernel(inline=False)
def best_action(data: Ints, actions: Ints, rng: Rng) -> int:
    """Return the action of a playout: the exchange of a dead card, otherwise the best-scored play.

    Jacks are considered only if a line has four chips or no other card can be played.
    """
    player = data[at.MOVER]
    team = team_of(data, player)
    if data[at.STEP] == at.PICK:
        return _best_listed(data, actions, list_actions(data, actions), rng)
    best = int64(-1)
    score = int64(0)
    hand = data[hand_at(player)]
    dead = int64(-1)
    cards = hand & ~_JACKS
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        open_squares = 0
        for i in range(2):
            cell = _SQUARES[card, i]
            if is_empty(data, cell):
                open_squares += 1
                found = place_score(data, cell, team)
                if best < 0 or found > score:
                    score = found
                    best = make(PLACE, card, cell)
        if open_squares == 0:
            dead = card
    if dead >= 0 and data[at.TRADED] == 0:
        return make(EXCHANGE, dead, 0)
    fours = int64(0)
    for side in range(data[at.TEAMS]):
        fours += lines_at(data, side, _FOUR)
    if fours and hand & _TWO_EYED:
        best = _best_jack(data, team, best, score)
    if best < 0 or (fours and hand & _JACKS & ~_TWO_EYED and score < data[_BLOCK + _FOUR]):
        return _best_listed(data, actions, list_actions(data, actions), rng)
    return best


@kernel(inline=False)
def _best_listed(data: Ints, actions: Ints, count: int, rng: Rng) -> int:
    """Return the best-scored of the first ``count`` actions, breaking ties at random."""
    best = actions[0]
    score = int64(score_action(data, best))
    equals = 1
    for i in range(1, count):
        found = score_action(data, actions[i])
        if found > score:
            best, score, equals = actions[i], found, 1
        elif found == score:
            equals += 1
            if below(rng, equals) == 0:
                best = actions[i]
    return best
