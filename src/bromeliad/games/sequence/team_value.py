"""The value of a position to a team, from its lines, sequences and hands."""

import math

import numpy as np

import bromeliad.games.sequence.state as at
from bromeliad.core.jit import Ints, int64, kernel
from bromeliad.games.sequence.board import IS_ONE_EYED, IS_TWO_EYED, LENGTH, geometry
from bromeliad.games.sequence.evaluate import heart_level, lines_at
from bromeliad.games.sequence.moves import team_of
from bromeliad.games.sequence.state import count_bits, hand_at, is_empty, level_of, lowest
from bromeliad.games.sequence.weights import Weight

_THROUGH, _SQUARES = geometry.through, geometry.squares
_TWO_EYED, _ONE_EYED = int64(IS_TWO_EYED), int64(IS_ONE_EYED)
_POTENTIAL, _HEART_POTENTIAL = int(Weight.POTENTIAL), int(Weight.HEART_POTENTIAL)
_SEQUENCE, _SCALE, _TEMPO = int(Weight.SEQUENCE), int(Weight.SCALE), int(Weight.TEMPO)
_HELD_MOVER, _HELD_OTHER, _JACKS = int(Weight.HELD_MOVER), int(Weight.HELD_OTHER), int(Weight.JACKS)


@kernel(inline=False)
def _acting_team(data: Ints) -> int:
    """Return the team that plays the next card; a player who is choosing a face-up card has already played."""
    played = data[at.STEP] != at.PLAY and data[at.AGAIN] == 0
    return team_of(data, data[at.MOVER] + 1 if played else data[at.MOVER])


@kernel(inline=True)
def _best_level(data: Ints, card: int, team: int) -> int:
    """Return the largest number of a team's chips on a line that a card could extend."""
    best = int64(0)
    for i in range(2):
        cell = _SQUARES[card, i]
        if is_empty(data, cell):
            for j in range(_THROUGH[cell, 0]):
                best = max(best, level_of(data[at.WINDOWS + _THROUGH[cell, 1 + j]], team))
    return best


@kernel(inline=False)
def hand_counts(data: Ints, team: int) -> tuple[int, int, int, int, int]:
    """Return the numbers of cards in a team's hands for lines with 2, 3 and 4 own chips, and of both kinds of jacks."""
    twos = threes = fours = two_eyed = one_eyed = 0
    for player in range(team, data[at.PLAYERS], data[at.TEAMS]):
        cards = data[hand_at(player)] & ~(_TWO_EYED | _ONE_EYED)
        two_eyed += _count_jacks(data, player, _TWO_EYED)
        one_eyed += _count_jacks(data, player, _ONE_EYED)
        while cards:
            level = _best_level(data, lowest(cards), team)
            cards &= cards - 1
            twos += level == 2
            threes += level == 3
            fours += level == 4
    return twos, threes, fours, two_eyed, one_eyed


@kernel(inline=True)
def _count_jacks(data: Ints, player: int, jacks: int) -> int:
    """Return the number of a player's cards that are in the mask ``jacks``."""
    hand = hand_at(player)
    return count_bits(data[hand] & jacks) + count_bits(data[hand + 1] & jacks)


@kernel(inline=False)
def _team_points(data: Ints, team: int, acting: int) -> int:
    """Return the value of a team's sequences, lines and hands; the team ``acting`` plays the next card."""
    total = data[at.SEQUENCES + team] * data[_SEQUENCE]
    for level in range(1, LENGTH):
        total += lines_at(data, team, level) * data[_POTENTIAL + level - 1]
    heart = heart_level(data, team)
    if 0 < heart < 4:
        total += data[_HEART_POTENTIAL + heart - 1]
    if data[_JACKS] == 0:  # hands are not valued
        return total
    held = _HELD_MOVER if team == acting else _HELD_OTHER
    counts = hand_counts(data, team)
    for i in range(3):
        total += counts[i] * data[held + i]
    return total + counts[3] * data[_JACKS] + counts[4] * data[_JACKS + 1]


@kernel(inline=False)
def position_value(data: Ints, team: int) -> float:
    """Return an estimate, from -1 to 1, of the value of a position to a team: its lead over the best other team."""
    acting = _acting_team(data)
    own = _team_points(data, team, acting)
    other = int64(-(1 << 60))
    for opponent in range(data[at.TEAMS]):
        if opponent != team:
            other = max(other, int64(_team_points(data, opponent, acting)))
    lead = own - other + (data[_TEMPO] if acting == team else -data[_TEMPO])
    return math.tanh(np.float64(lead) / np.float64(data[_SCALE]))
