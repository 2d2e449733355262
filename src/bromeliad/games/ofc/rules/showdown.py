"""The showdown: scores finished boards and settles them between all players."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bromeliad.core.cards import CardSet
from bromeliad.errors import PositionError
from bromeliad.games.ofc.hands.automaton import HandType, hand_type
from bromeliad.games.ofc.hands.boards import PlayerArrangement
from bromeliad.games.ofc.rules.legality import verify_fantasyland_size
from bromeliad.games.ofc.rules.rule_set import RuleSet
from bromeliad.games.ofc.rules.rule_tables import rule_tables
from bromeliad.games.ofc.rules.scoring import Scored, score_board, settle


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """One player's finished board and its score, before the settlement."""

    board: PlayerArrangement
    fouled: bool
    hands: tuple[HandType | None, HandType | None, HandType | None]  # None for a low middle or a row without strength
    royalties: int  # with the fantasyland bonus, if the rules pay one
    row_royalties: tuple[int, int, int]
    fantasyland: int  # fantasyland cards of the next hand, 0 for none


@dataclass(frozen=True, slots=True)
class Settlement:
    """The points that the first of two players gets from the second."""

    rows: tuple[int, int, int]
    scoop: int
    royalties: int

    @property
    def total(self) -> int:
        """The sum of all points."""
        return sum(self.rows) + self.scoop + self.royalties


@dataclass(frozen=True, slots=True)
class Showdown:
    """The end of a hand; the points of all players sum to zero."""

    rules: RuleSet
    players: tuple[PlayerResult, ...]
    settlements: tuple[tuple[Settlement | None, ...], ...]  # [player][other]; None for a player against itself

    @property
    def points(self) -> tuple[int, ...]:
        """The points that each player wins or loses."""
        return tuple(sum(pair.total for pair in row if pair) for row in self.settlements)


def show_down(
    rules: RuleSet, boards: Sequence[PlayerArrangement], fantasyland: Mapping[int, int] | None = None
) -> Showdown:
    """Score full boards and settle every pair of players.

    Parameters
    ----------
    fantasyland
        The number of cards of each player in fantasyland, by seat (from 0). Under rules where the first street decides,
        any number means that the player has reached it.
    """
    fantasyland = fantasyland or {}
    _check(rules, boards, fantasyland)
    tables = rule_tables(rules)
    seen = CardSet.from_cards(card for board in boards for card in board.cards).mask
    scored = np.zeros((len(boards), Scored.SIZE), np.int64)
    for player, board in enumerate(boards):
        score_board(tables, *board.masks, fantasyland.get(player, 0), seen, scored[player])
    players = range(len(boards))
    settlements = tuple(
        tuple(_settlement(rules, scored[i], scored[j]) if i != j else None for j in players) for i in players
    )
    return Showdown(rules, tuple(_result(rules, b, s) for b, s in zip(boards, scored, strict=True)), settlements)


def _check(rules: RuleSet, boards: Sequence[PlayerArrangement], fantasyland: Mapping[int, int]) -> None:
    if len(boards) > rules.players.max:
        raise PositionError("{rules} is for at most {count} players", rules=rules.name, count=rules.players.max)
    deck = CardSet.deck(rules.jokers.count)
    for number, board in enumerate(boards, start=1):
        if not board.is_complete:
            raise PositionError("board {number} is not finished: top 3, middle 5, back 5 cards", number=number)
        if board.cards - deck:
            raise PositionError(
                "{rules} has {jokers} jokers; not in its deck: {cards}",
                rules=rules.name,
                jokers=rules.jokers.count,
                cards=str(board.cards - deck),
            )
    for player, cards in fantasyland.items():
        if not 0 <= player < len(boards):
            raise PositionError("there is no player {number} who could be in fantasyland", number=player + 1)
        verify_fantasyland_size(cards)


def _settlement(rules: RuleSet, mine: NDArray[np.int64], theirs: NDArray[np.int64]) -> Settlement:
    points = np.zeros(4, np.int64)
    total = int(settle(rule_tables(rules), mine, theirs, points))
    top, middle, back, scoop = (int(value) for value in points)
    return Settlement((top, middle, back), scoop, total - top - middle - back - scoop)


def _result(rules: RuleSet, board: PlayerArrangement, scored: NDArray[np.int64]) -> PlayerResult:
    strengths = scored[Scored.STRENGTH : Scored.STRENGTH + 3]
    top, middle, back = map(hand_type, strengths)
    first, second, third = (int(value) for value in scored[Scored.ROW_ROYALTIES : Scored.ROW_ROYALTIES + 3])
    return PlayerResult(
        board=board,
        fouled=bool(scored[Scored.FOUL]),
        hands=(top, None if rules.order.low_middle else middle, back),
        royalties=int(scored[Scored.ROYALTIES]),
        row_royalties=(first, second, third),
        fantasyland=int(scored[Scored.NEXT_CARDS]),
    )
