"""Opponent adaptation: how carelessly others have played, by the chips that they have on the board."""

import numpy as np

from bromeliad.games.sequence.board import CARD_OF, CELLS
from bromeliad.games.sequence.evaluate import lines_at
from bromeliad.games.sequence.moves import team_of
from bromeliad.games.sequence.state import CHIPS, MOVER, SEQUENCES, TEAMS, SequenceState, is_chip

__all__ = ["carelessness"]

_LEAST = 6  # chips before anything is said
_CAREFUL, _RANDOM = 1.2, 0.35  # lines of two or more per chip: guesses for greedy and random play, not measured


def carelessness(state: SequenceState) -> float:
    """Return how randomly the opponents of the mover seem to play, from 0 (like our playouts) to 1.

    Who plays with a plan lays chips in lines: lines with two or more of a team's chips, for each of its chips, are
    compared with what random and careful players make.
    """
    data = state.data
    own = team_of(data, data[MOVER])
    made = chips = 0
    for team in range(int(data[TEAMS])):
        if team != own:
            chips += sum(CARD_OF[cell] >= 0 and bool(is_chip(data, CHIPS, team, cell)) for cell in range(CELLS))
            made += sum(int(lines_at(data, team, level)) for level in range(2, 5)) + 10 * int(data[SEQUENCES + team])
    if chips < _LEAST:
        return 0.0
    return float(np.clip((_CAREFUL - made / chips) / (_CAREFUL - _RANDOM), 0.0, 1.0))
