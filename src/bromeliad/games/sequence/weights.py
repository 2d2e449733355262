"""The values of chips, squares and cards: whole numbers in the state's array."""

from dataclasses import dataclass, fields
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from bromeliad.errors import InputError
from bromeliad.games.sequence.state import WEIGHT_WORDS, WEIGHTS


class Weight(IntEnum):
    """The place of each number in the array."""

    OWN = WEIGHTS  # five: a move on a line with 0 to 4 own chips
    BLOCK = WEIGHTS + 5  # five: a move on a line with 0 to 4 chips of an opponent
    HEART_OWN = WEIGHTS + 10  # four: the same for the heart of the board
    HEART_BLOCK = WEIGHTS + 14
    GOAL = WEIGHTS + 18  # added if a move wins the game
    CENTRE = WEIGHTS + 19
    EDGE = WEIGHTS + 20
    INNER = WEIGHTS + 21  # neither centre nor edge
    CORNER = WEIGHTS + 22
    TWO_EYED = WEIGHTS + 23
    ONE_EYED = WEIGHTS + 24
    DENY = WEIGHTS + 25
    POTENTIAL = WEIGHTS + 26  # four: lines with 1 to 4 own chips
    HEART_POTENTIAL = WEIGHTS + 30  # four: 1 to 3 squares of the heart, then unused
    SEQUENCE = WEIGHTS + 34
    SCALE = WEIGHTS + 35
    TEMPO = WEIGHTS + 36
    KNOWN_WIN = WEIGHTS + 37
    OPPONENT_RANDOM = WEIGHTS + 38
    HELD_MOVER = WEIGHTS + 39  # three: a card of the side to move on a line with 2, 3 or 4 own chips
    HELD_OTHER = WEIGHTS + 42  # three: the same for the other side
    JACKS = WEIGHTS + 45  # two: a two-eyed and a one-eyed jack in the hand


@dataclass(frozen=True, kw_only=True)
class Weights:
    """The numbers that score moves and value positions.

    Those for positions are fitted to games, the others are chosen by hand.
    """

    two: int = 20  # a move that makes two in a line
    three: int = 100
    four: int = 500
    five: int = 2000
    block_three: int = 60  # a move on a line with three chips of an opponent
    block_four: int = 1000
    goal: int = 100_000  # a move that wins the game
    heart: tuple[int, int, int, int] = (20, 60, 300, 100_000)  # a move on the heart with 0 to 3 own chips there
    heart_block: tuple[int, int, int, int] = (0, 20, 200, 5000)
    position: int = 10  # points of an ordinary square
    centre: float = 1.5  # factor of the sixteen squares in the middle
    edge: float = 0.8  # factor of the border
    corner: float = 1.0  # factor of a line with a corner
    two_eyed: int = 600  # value of a jack in the hand: a play with it must gain more
    one_eyed: int = 400
    deny: float = 0.0  # share of a face-up card's value to the next opponent, added when choosing it
    potential: tuple[int, int, int, int] = (4, 1, 11, 59)  # of a position: lines with 1 to 4 own chips
    heart_potential: tuple[int, int, int] = (32, 74, 166)  # 1 to 3 squares of the heart
    sequence: int = 718  # a finished sequence
    tempo: int = 33  # being the side to move
    held_mover: tuple[int, int, int] = (39, 129, 771)  # a card of the side to move for a line with 2, 3 or 4 own chips
    held_other: tuple[int, int, int] = (33, 98, 572)  # the same for the other side
    jacks: tuple[int, int] = (196, 152)  # a two-eyed and a one-eyed jack in the hand
    scale: int = 1000  # the lead whose value is tanh(1)
    known_win: bool = True  # a position where the mover can win at once counts as won
    opponent_random: float = 0.0  # share of opponents' playout moves that are random; AgentParams.adapt sets it

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            numbers = value if isinstance(value, tuple) else (value,)
            if not all(-1_000_000 <= number <= 1_000_000 for number in numbers):
                raise InputError("{field} must be from -1,000,000 to 1,000,000", field=field.name)
        if self.scale <= 0:
            raise InputError("scale must be positive")

    def to_array(self) -> NDArray[np.int64]:
        """Return the numbers in the layout of a state."""
        array = np.zeros(WEIGHT_WORDS, np.int64)
        for place, value in (
            (Weight.OWN, (0, self.two, self.three, self.four, self.five)),
            (Weight.BLOCK, (0, 0, 0, self.block_three, self.block_four)),
            (Weight.HEART_OWN, self.heart),
            (Weight.HEART_BLOCK, self.heart_block),
            (Weight.GOAL, self.goal),
            (Weight.CENTRE, round(self.position * self.centre)),
            (Weight.EDGE, round(self.position * self.edge)),
            (Weight.INNER, self.position),
            (Weight.CORNER, round(1000 * self.corner)),
            (Weight.TWO_EYED, self.two_eyed),
            (Weight.ONE_EYED, self.one_eyed),
            (Weight.DENY, round(1000 * self.deny)),
            (Weight.POTENTIAL, self.potential),
            (Weight.HEART_POTENTIAL, self.heart_potential),
            (Weight.SEQUENCE, self.sequence),
            (Weight.SCALE, self.scale),
            (Weight.TEMPO, self.tempo),
            (Weight.KNOWN_WIN, int(self.known_win)),
            (Weight.OPPONENT_RANDOM, round(1000 * self.opponent_random)),
            (Weight.HELD_MOVER, self.held_mover),
            (Weight.HELD_OTHER, self.held_other),
            (Weight.JACKS, self.jacks),
        ):
            numbers = value if isinstance(value, tuple) else (value,)
            array[place - WEIGHTS : place - WEIGHTS + len(numbers)] = numbers
        return array
