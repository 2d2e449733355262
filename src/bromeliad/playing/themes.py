"""Training themes: the subject of a decision, by its cards and by the solver's figures."""

from collections.abc import Iterable
from typing import Literal, get_args

from bromeliad.core.cards import Card
from bromeliad.games.ofc.hands.automaton import HandType
from bromeliad.games.ofc.hands.boards import Hand, PlayerArrangement
from bromeliad.games.ofc.play.seat import SeatView
from bromeliad.solving.answer import Answer

Theme = Literal["openings", "fantasyland", "foul", "flush", "made", "endgames"]
THEMES: tuple[Theme, ...] = get_args(Theme)

_LATE = 2  # number of last streets that count as endgames
_DRAW = 3  # cards of one suit that make a flush draw
_SWING = 0.1  # a decision is about a chance that differs by at least this much between placements
_NEAR = 4.0  # points: a placement that loses more is not considered


def streets_of(theme: Theme, streets: int) -> range:
    """Return the streets (from 1) that can have decisions of a theme."""
    match theme:
        case "openings":
            return range(1, 2)
        case "endgames":
            return range(max(streets - _LATE + 1, 1), streets + 1)
        case "made":
            return range(min(3, streets), streets + 1)
        case _:
            return range(1, streets + 1)


def may_have(theme: Theme, view: SeatView) -> bool:
    """Return whether a decision can have a theme, before it is solved."""
    match theme:
        case "flush":
            return _flush_or_pair(view)
        case "made":
            return any(_is_made(opponent.board) for opponent in view.opponents)
        case "openings" | "endgames":
            return view.street + 1 in streets_of(theme, len(view.rules.streets))
        case _:
            return not view.board.is_complete


def themes_of(view: SeatView, answer: Answer) -> tuple[Theme, ...]:
    """Return the themes of a solved decision, in the order of ``THEMES``; none in fantasyland."""
    if view.in_fantasyland:
        return ()
    found = {theme for theme in THEMES if may_have(theme, view)}
    for theme, field in (("fantasyland", "p_fantasyland"), ("foul", "p_foul")):
        if _swing(answer, field) < _SWING:
            found.discard(theme)
    return tuple(theme for theme in THEMES if theme in found)


def _swing(answer: Answer, field: str) -> float:
    """Return how much a chance differs between the placements worth considering."""
    near = [item for item in answer.actions if item.ev_loss is not None and item.ev_loss <= _NEAR]
    chances = [chance for item in near if (chance := getattr(item, field)) is not None]
    return max(chances) - min(chances) if chances else 0.0


def _is_made(board: PlayerArrangement) -> bool:
    """Return whether a board has a complete middle or back with a straight or better."""
    rows = board.middle, board.back
    return any(row.is_valid_size() and row.hand_type.category >= HandType.STRAIGHT for row in rows)


def _flush_or_pair(view: SeatView) -> bool:
    """Return whether the cards in hand can both start a flush draw and make a pair."""
    rows = view.board.middle, view.board.back
    return any(_is_draw(row, view.cards) for row in rows) and _is_paired(view)


def _is_draw(row: Hand, cards: Iterable[Card]) -> bool:
    suits = {card.suit for card in row.cards if not card.is_joker}
    if row.is_valid_size() or len(suits) > 1:
        return False
    hand = [card.suit for card in cards if not card.is_joker]
    wanted = suits or set(hand)
    return any(suit in hand and len(row.cards) + hand.count(suit) >= _DRAW for suit in wanted)


def _is_paired(view: SeatView) -> bool:
    hand = [card.rank for card in view.cards if not card.is_joker]
    board = {card.rank for card in view.board.cards if not card.is_joker}
    return len(set(hand)) < len(hand) or any(rank in board for rank in hand)
